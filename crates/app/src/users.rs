//! People: adding them, giving them roles, taking them out.

use model::{Caller, Credential, Handle, Membership, Reach, Role, Roles, User, UserId};
use policy::access::{self, Act, Denial};
use serde_json::json;
use store::Tx;

use crate::{Code, Context, Error, audit};

/// A person to add to the caller's workspace.
#[derive(Debug, Clone)]
pub struct AddUser {
    /// What they are called at sign-in.
    pub handle: Handle,
    /// For people; the handle when nobody says.
    pub display_name: Option<String>,
    /// Their roles; `member` is always among them.
    pub roles: Vec<Role>,
}

/// A person in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The person.
    pub user: User,
    /// Their roles.
    pub roles: Roles,
}

/// Adds a person. Someone whom the installation knows already keeps their account and joins this workspace too.
pub async fn add(cx: &Context, caller: &Caller, request: AddUser) -> Result<Member, Error> {
    access::decide(caller, Act::ManageMembers)?;
    let display_name = display_name(request.display_name.as_deref().unwrap_or(request.handle.as_str()))?;
    let mut tx = cx.begin(caller.workspace).await?;
    let user = match tx.user_by_handle(&request.handle).await? {
        Some(known) => known,
        None => new_user(cx, &mut *tx, request.handle, display_name, false).await?,
    };
    if tx.membership(caller.workspace, user.id).await?.is_some() {
        return Err(Error::conflict(Code::HandleTaken, format!("`{}` is a member already", user.handle)));
    }
    let roles = roles(&request.roles);
    put_membership(cx, &mut *tx, caller, &user, roles).await?;
    let detail = [("handle", json!(user.handle.as_str())), ("roles", roles_json(roles))];
    audit::record(cx, &mut *tx, caller, "user.add", ("user", user.id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(Member { user, roles })
}

pub(crate) async fn new_user(
    cx: &Context,
    tx: &mut dyn Tx,
    handle: Handle,
    display_name: String,
    operator: bool,
) -> Result<User, Error> {
    let id = UserId::new(cx.id());
    let user = User { id, handle, display_name, operator, disabled: false, created_at: cx.now() };
    if !tx.insert_user(&user).await? {
        return Err(Error::conflict(Code::HandleTaken, format!("the handle `{}` is taken", user.handle)));
    }
    Ok(user)
}

async fn put_membership(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    user: &User,
    roles: Roles,
) -> Result<(), Error> {
    let membership = Membership { workspace: caller.workspace, user: user.id, roles, created_at: cx.now() };
    Ok(tx.put_membership(&membership).await?)
}

fn roles(roles: &[Role]) -> Roles {
    roles.iter().copied().chain([Role::Member]).collect()
}

fn roles_json(roles: Roles) -> serde_json::Value {
    json!(roles.iter().map(Role::as_str).collect::<Vec<_>>())
}

fn display_name(text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > 200 {
        return Err(Error::invalid(Code::InvalidRequest, "a display name has 1 to 200 characters"));
    }
    Ok(text.to_owned())
}

/// The people of the workspace.
pub async fn list(cx: &Context, caller: &Caller) -> Result<Vec<Member>, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    let members = cx.read().await?.members(caller.workspace).await?;
    Ok(members.into_iter().map(|(user, membership)| Member { user, roles: membership.roles }).collect())
}

/// One person of the workspace.
pub async fn read(cx: &Context, caller: &Caller, id: UserId) -> Result<Member, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    member(&mut *cx.read().await?, caller, id).await
}

/// One person of the workspace, by handle.
pub async fn find(cx: &Context, caller: &Caller, handle: &Handle) -> Result<Member, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    let mut tx = cx.read().await?;
    let user = tx.user_by_handle(handle).await?.ok_or_else(|| Error::not_found("user", handle))?;
    member(&mut *tx, caller, user.id).await.map_err(|_| Error::not_found("user", handle))
}

async fn member(tx: &mut dyn Tx, caller: &Caller, id: UserId) -> Result<Member, Error> {
    let user = tx.user(id).await?;
    let membership = tx.membership(caller.workspace, id).await?;
    match (user, membership) {
        (Some(user), Some(membership)) => Ok(Member { user, roles: membership.roles }),
        _ => Err(Error::not_found("user", id)),
    }
}

/// What to change about a person.
#[derive(Debug, Clone, Default)]
pub struct ChangeUser {
    /// Their new name.
    pub display_name: Option<String>,
    /// Their new roles in this workspace.
    pub roles: Option<Vec<Role>>,
    /// Whether they are shut out everywhere; for operators.
    pub disabled: Option<bool>,
    /// Whether they run the installation; for operators.
    pub operator: Option<bool>,
}

/// Changes a person's name, roles or standing.
pub async fn change(cx: &Context, caller: &Caller, id: UserId, change: ChangeUser) -> Result<Member, Error> {
    if change.disabled.is_some() || change.operator.is_some() {
        access::decide(caller, Act::ManageUsers)?;
    }
    if change.roles.is_some() || id != caller.user {
        access::decide(caller, Act::ManageMembers)?;
    } else {
        access::decide(caller, Act::ManageToken(id))?;
    }
    let mut tx = cx.begin(caller.workspace).await?;
    let Member { mut user, roles: old } = member(&mut *tx, caller, id).await?;
    if let Some(name) = &change.display_name {
        // A name is the same in every workspace.
        check_stand_in(&mut *tx, caller, id).await?;
        user.display_name = display_name(name)?;
    }
    user.disabled = change.disabled.unwrap_or(user.disabled);
    user.operator = change.operator.unwrap_or(user.operator);
    let new = change.roles.as_deref().map_or(old, roles);
    let shut_out = user.disabled || !new.has(Role::Admin);
    if old.has(Role::Admin) && shut_out {
        keep_an_admin(&mut *tx, caller, id).await?;
    }
    if id == caller.user && (user.disabled || change.operator == Some(false)) {
        return Err(Error::conflict(Code::LastAdmin, "you cannot shut yourself out; ask another operator"));
    }
    tx.update_user(&user).await?;
    put_membership(cx, &mut *tx, caller, &user, new).await?;
    if user.disabled {
        tx.delete_sign_ins_of(id).await?;
    }
    let detail = [
        ("roles", roles_json(new)),
        ("disabled", json!(change.disabled)),
        ("operator", json!(change.operator)),
    ];
    audit::record(cx, &mut *tx, caller, "user.change", ("user", id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(Member { user, roles: new })
}

/// Takes a person out of the workspace and ends their tokens there. What they wrote stays.
pub async fn remove(cx: &Context, caller: &Caller, id: UserId) -> Result<(), Error> {
    access::decide(caller, Act::ManageMembers)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let gone = member(&mut *tx, caller, id).await?;
    if gone.roles.has(Role::Admin) {
        keep_an_admin(&mut *tx, caller, id).await?;
    }
    tx.delete_membership(caller.workspace, id).await?;
    tx.revoke_tokens_of(caller.workspace, id, cx.now()).await?;
    let detail = [("handle", json!(gone.user.handle.as_str()))];
    audit::record(cx, &mut *tx, caller, "user.remove", ("user", id.to_string()), &detail).await?;
    Ok(tx.commit().await?)
}

/// To whom a credential of this user goes back that the caller makes: an admin who is no operator, or whoever lent the
/// caller theirs. The user may come to reach further than that admin; such a credential never does.
pub(crate) fn lender(caller: &Caller, user: UserId) -> Option<UserId> {
    match caller.credential {
        Credential::Lent(lender) => Some(lender),
        _ => (user != caller.user && caller.reach != Reach::Operator).then_some(caller.user),
    }
}

/// Someone who runs the installation or works in other workspaces too is not for an admin of this one to stand in for:
/// that takes an operator, or themselves with a credential of their own.
pub(crate) async fn check_stand_in(tx: &mut dyn Tx, caller: &Caller, user: UserId) -> Result<(), Error> {
    let lent = matches!(caller.credential, Credential::Lent(_));
    if caller.reach == Reach::Operator || (user == caller.user && !lent) {
        return Ok(());
    }
    let is_operator = tx.user(user).await?.is_some_and(|user| user.operator);
    let places = tx.memberships_of(user).await?;
    if is_operator || places.iter().any(|place| place.workspace != caller.workspace) {
        return Err(Denial::Operator.into());
    }
    Ok(())
}

/// A workspace without an admin could never be managed again.
async fn keep_an_admin(tx: &mut dyn Tx, caller: &Caller, leaving: UserId) -> Result<(), Error> {
    let members = tx.members(caller.workspace).await?;
    let stays = |(user, membership): &(User, Membership)| {
        user.id != leaving && !user.disabled && membership.roles.has(Role::Admin)
    };
    if members.iter().any(stays) {
        Ok(())
    } else {
        Err(Error::conflict(Code::LastAdmin, "the workspace needs another admin first"))
    }
}
