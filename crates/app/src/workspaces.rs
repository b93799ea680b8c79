//! Workspaces, and the first one of all.

use model::{
    Actor, Caller, Credential, Handle, Membership, Role, Roles, User, Workspace, WorkspaceId, WorkspaceName,
    WorkspaceSettings,
};
use policy::access::{self, Act};
use serde_json::json;
use store::Tx;

use crate::identity::Secret;
use crate::{Code, Context, Error, audit, sign_in, users};

/// The workspace a new installation starts with.
pub const DEFAULT_WORKSPACE: &str = "default";
/// The handle of its first user.
pub const FIRST_USER: &str = "admin";

/// Makes the first workspace and its admin on an empty database; gives back a one-time sign-in link's secret.
/// A database with users is left as it is.
pub async fn set_up(cx: &Context) -> Result<Option<Secret>, Error> {
    if is_set_up(cx).await? {
        return Ok(None);
    }
    let mut tx = cx.store.begin_installation().await?;
    let workspace = new_workspace(cx, &name(DEFAULT_WORKSPACE)?, "Default")?;
    // Whoever adds the workspace also adds the admin; a second server that starts at the same time finds it taken.
    if !tx.insert_workspace(&workspace).await? {
        return Ok(None);
    }
    let handle = Handle::parse(FIRST_USER).map_err(|error| Error::invalid(Code::InvalidRequest, error))?;
    let user = users::new_user(cx, &mut *tx, handle, "Administrator".to_owned(), true).await?;
    join_with_all_roles(cx, &mut *tx, &workspace, user.id).await?;
    let secret = sign_in::insert_link(cx, &mut *tx, user.id, workspace.id, None).await?;
    let actor = Actor { user: None, agent: None };
    let subject = ("workspace", workspace.id.to_string());
    let detail = [("name", json!(DEFAULT_WORKSPACE)), ("admin", json!(FIRST_USER))];
    audit::record_as(cx, &mut *tx, workspace.id, actor, "workspace.create", subject, &detail).await?;
    tx.commit().await?;
    Ok(Some(secret))
}

/// Whether anybody is in the installation yet.
pub async fn is_set_up(cx: &Context) -> Result<bool, Error> {
    Ok(cx.read().await?.count_users().await? > 0)
}

fn name(text: &str) -> Result<WorkspaceName, Error> {
    WorkspaceName::parse(text).map_err(|error| Error::invalid(Code::InvalidName, error))
}

fn new_workspace(cx: &Context, name: &WorkspaceName, title: &str) -> Result<Workspace, Error> {
    let title = title.trim();
    if title.is_empty() || title.chars().count() > 200 {
        return Err(Error::invalid(Code::InvalidRequest, "a title has 1 to 200 characters"));
    }
    Ok(Workspace {
        id: WorkspaceId::new(cx.id()),
        name: name.clone(),
        title: title.to_owned(),
        settings: WorkspaceSettings::default(),
        created_at: cx.now(),
    })
}

async fn join_with_all_roles(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: &Workspace,
    user: model::UserId,
) -> Result<(), Error> {
    let roles = Role::ALL.iter().copied().collect::<Roles>();
    Ok(tx.put_membership(&Membership { workspace: workspace.id, user, roles, created_at: cx.now() }).await?)
}

/// Makes a workspace; its maker gets every role in it.
pub async fn create(
    cx: &Context,
    caller: &Caller,
    name: &WorkspaceName,
    title: Option<&str>,
) -> Result<Workspace, Error> {
    access::decide(caller, Act::ManageWorkspaces)?;
    let workspace = new_workspace(cx, name, title.unwrap_or(name.as_str()))?;
    let mut tx = cx.store.begin_installation().await?;
    if !tx.insert_workspace(&workspace).await? {
        return Err(Error::conflict(Code::NameTaken, format!("there is a workspace `{name}` already")));
    }
    join_with_all_roles(cx, &mut *tx, &workspace, caller.user).await?;
    let actor = Actor { user: Some(caller.user), agent: caller.agent };
    let subject = ("workspace", workspace.id.to_string());
    let detail = [("name", json!(name.as_str()))];
    audit::record_as(cx, &mut *tx, workspace.id, actor, "workspace.create", subject, &detail).await?;
    tx.commit().await?;
    Ok(workspace)
}

/// The workspaces a caller can turn to: all for who may make some, the one that a token opens, else those they are in.
pub async fn list(cx: &Context, caller: &Caller) -> Result<Vec<Workspace>, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    let mut tx = cx.read().await?;
    let all = tx.workspaces().await?;
    if access::decide(caller, Act::ManageWorkspaces).is_ok() {
        return Ok(all);
    }
    let own = match caller.credential {
        Credential::Person => {
            let places = tx.memberships_of(caller.user).await?;
            places.into_iter().map(|place| place.workspace).collect()
        }
        Credential::Token | Credential::Lent(_) => vec![caller.workspace],
    };
    Ok(all.into_iter().filter(|workspace| own.contains(&workspace.id)).collect())
}

/// The caller's workspace.
pub async fn current(cx: &Context, caller: &Caller) -> Result<Workspace, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    let workspace = cx.read().await?.workspace(caller.workspace).await?;
    workspace.ok_or_else(|| Error::not_found("workspace", caller.workspace))
}

/// Who the caller is, for a page that greets them.
pub async fn whoami(cx: &Context, caller: &Caller) -> Result<(User, Workspace), Error> {
    let workspace = current(cx, caller).await?;
    let user =
        cx.read().await?.user(caller.user).await?.ok_or_else(|| Error::not_found("user", caller.user))?;
    Ok((user, workspace))
}

/// What to change about a workspace.
#[derive(Debug, Clone, Default)]
pub struct ChangeWorkspace {
    /// Its new title.
    pub title: Option<String>,
    /// Whether what a caller may not see is "not found".
    pub hide_existence: Option<bool>,
    /// For how many hours a deleted skill can be brought back.
    pub undelete_window_hours: Option<u32>,
    /// After how many days an unconfirmed draft is archived.
    pub draft_expiry_days: Option<u32>,
}

/// Changes the caller's workspace.
pub async fn change(cx: &Context, caller: &Caller, change: ChangeWorkspace) -> Result<Workspace, Error> {
    access::decide(caller, Act::ManageWorkspace)?;
    let too_long = |hours: Option<u32>, limit| hours.is_some_and(|hours| hours > limit);
    if too_long(change.undelete_window_hours, 24 * 365) || too_long(change.draft_expiry_days, 3_650) {
        let message = "the undelete window is at most a year of hours, draft expiry at most 3650 days";
        return Err(Error::invalid(Code::InvalidSettings, message));
    }
    let mut tx = cx.begin(caller.workspace).await?;
    let stored = tx.workspace(caller.workspace).await?;
    let mut workspace = stored.ok_or_else(|| Error::not_found("workspace", caller.workspace))?;
    if let Some(title) = &change.title {
        workspace.title = new_workspace(cx, &workspace.name, title)?.title;
    }
    let settings = &mut workspace.settings;
    settings.hide_existence = change.hide_existence.unwrap_or(settings.hide_existence);
    settings.undelete_window_hours = change.undelete_window_hours.unwrap_or(settings.undelete_window_hours);
    settings.draft_expiry_days = change.draft_expiry_days.unwrap_or(settings.draft_expiry_days);
    tx.update_workspace(&workspace).await?;
    let detail = [
        ("title", json!(change.title)),
        ("hide_existence", json!(change.hide_existence)),
        ("undelete_window_hours", json!(change.undelete_window_hours)),
        ("draft_expiry_days", json!(change.draft_expiry_days)),
    ];
    let subject = ("workspace", workspace.id.to_string());
    audit::record(cx, &mut *tx, caller, "workspace.change", subject, &detail).await?;
    tx.commit().await?;
    Ok(workspace)
}
