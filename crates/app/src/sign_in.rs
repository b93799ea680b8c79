//! Signing a browser in and out.

use model::{Actor, Caller, SignIn, SignInId, SignInLink, UserId, WorkspaceId};
use policy::access::{self, Act};
use store::Tx;
use time::Duration;

use crate::identity::{self, Secret};
use crate::{Context, Error, audit};

/// How long a link waits to be used.
const LINK_LIFE: Duration = Duration::hours(24);
/// How long a browser stays signed in.
const SIGN_IN_LIFE: Duration = Duration::days(14);

/// Makes a link that signs a member of the workspace in, once.
pub async fn create_link(cx: &Context, caller: &Caller, user: UserId) -> Result<Secret, Error> {
    if user != caller.user {
        access::decide(caller, Act::ManageMembers)?;
    }
    let mut tx = cx.begin(caller.workspace).await?;
    tx.membership(caller.workspace, user).await?.ok_or_else(|| Error::not_found("member", user))?;
    let secret = insert_link(cx, &mut *tx, user, caller.workspace).await?;
    audit::record(cx, &mut *tx, caller, "sign_in.link", ("user", user.to_string()), &[]).await?;
    tx.commit().await?;
    Ok(secret)
}

pub(crate) async fn insert_link(
    cx: &Context,
    tx: &mut dyn Tx,
    user: UserId,
    workspace: WorkspaceId,
) -> Result<Secret, Error> {
    let secret = Secret::new(cx, "rpl_");
    let link = SignInLink { digest: secret.digest(), user, workspace, expires_at: cx.now() + LINK_LIFE };
    tx.insert_sign_in_link(&link).await?;
    Ok(secret)
}

/// A signed-in browser, and the cookie that says so.
#[derive(Debug)]
pub struct SignedIn {
    /// The cookie's secret.
    pub secret: Secret,
    /// The record.
    pub sign_in: SignIn,
}

/// Uses a link up and signs its user in.
pub async fn by_link(cx: &Context, link: &Secret) -> Result<SignedIn, Error> {
    const UNKNOWN: Error = Error::Unauthenticated("the sign-in link is unknown, used or expired");
    let mut tx = cx.store.begin_installation().await?;
    let link = tx.take_sign_in_link(&link.digest()).await?.ok_or(UNKNOWN)?;
    let user = tx.user(link.user).await?.filter(|user| !user.disabled).ok_or(UNKNOWN)?;
    if link.expires_at <= cx.now() {
        tx.commit().await?;
        return Err(UNKNOWN);
    }
    let signed_in = insert_sign_in(cx, &mut *tx, user.id, link.workspace).await?;
    tx.commit().await?;
    record(cx, &signed_in.sign_in).await?;
    Ok(signed_in)
}

/// Signs the bearer of a personal access token in.
pub async fn by_token(cx: &Context, token: &Secret) -> Result<SignedIn, Error> {
    let caller = identity::by_token(cx, token).await?;
    // A browser may do all its user may do, so the token must be good for that much.
    access::decide(&caller, Act::CreateToken(caller.user))?;
    let mut tx = cx.store.begin_installation().await?;
    let signed_in = insert_sign_in(cx, &mut *tx, caller.user, caller.workspace).await?;
    tx.commit().await?;
    record(cx, &signed_in.sign_in).await?;
    Ok(signed_in)
}

async fn insert_sign_in(
    cx: &Context,
    tx: &mut dyn Tx,
    user: UserId,
    workspace: WorkspaceId,
) -> Result<SignedIn, Error> {
    let secret = Secret::new(cx, "rps_");
    let sign_in = SignIn {
        id: SignInId::new(cx.id()),
        digest: secret.digest(),
        user,
        workspace,
        created_at: cx.now(),
        expires_at: cx.now() + SIGN_IN_LIFE,
    };
    tx.insert_sign_in(&sign_in).await?;
    Ok(SignedIn { secret, sign_in })
}

async fn record(cx: &Context, sign_in: &SignIn) -> Result<(), Error> {
    let mut tx = cx.begin(sign_in.workspace).await?;
    let actor = Actor { user: Some(sign_in.user), agent: None };
    let subject = ("user", sign_in.user.to_string());
    audit::record_as(cx, &mut *tx, sign_in.workspace, actor, "sign_in.create", subject, &[]).await?;
    Ok(tx.commit().await?)
}

/// Turns a signed-in browser to another of its user's workspaces.
pub async fn switch(cx: &Context, sign_in: &SignIn, workspace: WorkspaceId) -> Result<(), Error> {
    let mut tx = cx.store.begin_installation().await?;
    tx.move_sign_in(sign_in.id, workspace).await?;
    Ok(tx.commit().await?)
}

/// Signs a browser out.
pub async fn end(cx: &Context, caller: &Caller, sign_in: &SignIn) -> Result<(), Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    tx.delete_sign_in(sign_in.id).await?;
    audit::record(cx, &mut *tx, caller, "sign_in.end", ("user", caller.user.to_string()), &[]).await?;
    Ok(tx.commit().await?)
}
