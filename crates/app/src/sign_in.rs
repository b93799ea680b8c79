//! Signing a browser in and out.

use model::{Actor, Caller, SignIn, SignInId, SignInLink, TokenScope, UserId, WorkspaceId};
use policy::access::{self, Act, Denial};
use store::Tx;
use time::Duration;

use crate::identity::{self, Secret};
use crate::{Code, Context, Error, audit, users};

/// How long a link waits to be used.
pub const LINK_LIFE: Duration = Duration::hours(24);
/// How long a browser stays signed in.
const SIGN_IN_LIFE: Duration = Duration::days(14);

/// Makes a link that signs a member of the workspace in, once.
pub async fn create_link(cx: &Context, caller: &Caller, user: UserId) -> Result<Secret, Error> {
    if user != caller.user {
        access::decide(caller, Act::ManageMembers)?;
    }
    check_whole(caller)?;
    let mut tx = cx.begin(caller.workspace).await?;
    tx.membership(caller.workspace, user).await?.ok_or_else(|| Error::not_found("member", user))?;
    if user != caller.user {
        users::check_stand_in(&mut *tx, caller, user).await?;
    }
    let secret = insert_link(cx, &mut *tx, user, caller.workspace, users::lender(caller, user)).await?;
    audit::record(cx, &mut *tx, caller, "sign_in.link", ("user", user.to_string()), &[]).await?;
    tx.commit().await?;
    Ok(secret)
}

/// A browser may do all its user may do, so the credential that opens one must be good for that much.
fn check_whole(caller: &Caller) -> Result<(), Error> {
    if let Some(&missing) = TokenScope::ALL.iter().find(|&&scope| !caller.token_scopes.has(scope)) {
        return Err(Denial::TokenScope(missing).into());
    }
    if caller.agent.is_some() {
        return Err(Error::invalid(Code::InvalidRequest, "an agent cannot sign a browser in"));
    }
    Ok(())
}

pub(crate) async fn insert_link(
    cx: &Context,
    tx: &mut dyn Tx,
    user: UserId,
    workspace: WorkspaceId,
    created_by: Option<UserId>,
) -> Result<Secret, Error> {
    let secret = Secret::new(cx, "rpl_");
    let expires_at = cx.now() + LINK_LIFE;
    let link = SignInLink { digest: secret.digest(), user, workspace, created_by, expires_at };
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
    let digest = link.digest();
    // Only the link tells whose log to write in: it is looked at first, and used up in that log's transaction.
    let mut look = cx.store.begin_installation().await?;
    let workspace = look.take_sign_in_link(&digest).await?.ok_or(UNKNOWN)?.workspace;
    drop(look);
    let mut tx = cx.begin(workspace).await?;
    let link = tx.take_sign_in_link(&digest).await?.ok_or(UNKNOWN)?;
    let user = tx.user(link.user).await?.filter(|user| !user.disabled).ok_or(UNKNOWN)?;
    if link.expires_at <= cx.now() {
        return Err(UNKNOWN);
    }
    let signed_in = insert_sign_in(cx, &mut *tx, user.id, workspace, link.created_by).await?;
    tx.commit().await?;
    Ok(signed_in)
}

/// Signs the bearer of a personal access token in.
pub async fn by_token(cx: &Context, token: &Secret) -> Result<SignedIn, Error> {
    let caller = identity::by_token(cx, token).await?;
    check_whole(&caller)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let lender = users::lender(&caller, caller.user);
    let signed_in = insert_sign_in(cx, &mut *tx, caller.user, caller.workspace, lender).await?;
    tx.commit().await?;
    Ok(signed_in)
}

async fn insert_sign_in(
    cx: &Context,
    tx: &mut dyn Tx,
    user: UserId,
    workspace: WorkspaceId,
    created_by: Option<UserId>,
) -> Result<SignedIn, Error> {
    let secret = Secret::new(cx, "rps_");
    let sign_in = SignIn {
        id: SignInId::new(cx.id()),
        digest: secret.digest(),
        user,
        workspace,
        created_by,
        created_at: cx.now(),
        expires_at: cx.now() + SIGN_IN_LIFE,
    };
    tx.insert_sign_in(&sign_in).await?;
    record(cx, tx, &sign_in, workspace, "sign_in.create").await?;
    Ok(SignedIn { secret, sign_in })
}

async fn record(
    cx: &Context,
    tx: &mut dyn Tx,
    sign_in: &SignIn,
    workspace: WorkspaceId,
    verb: &str,
) -> Result<(), Error> {
    let actor = Actor { user: Some(sign_in.user), agent: None };
    let subject = ("user", sign_in.user.to_string());
    audit::record_as(cx, tx, workspace, actor, verb, subject, &[]).await.map(drop)
}

/// Signs a browser out.
pub async fn end(cx: &Context, caller: &Caller, sign_in: &SignIn) -> Result<(), Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    tx.delete_sign_in(sign_in.id).await?;
    audit::record(cx, &mut *tx, caller, "sign_in.end", ("user", caller.user.to_string()), &[]).await?;
    Ok(tx.commit().await?)
}
