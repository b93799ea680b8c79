//! Workspaces, people, tokens.

use app::Limits;
use app::users::Member;
use model::{Caller, Reach, Role, Roles, Token, TokenScope, User, Workspace};
use serde::Serialize;
use utoipa::ToSchema;

use super::time;

/// A workspace.
#[derive(Serialize, ToSchema)]
pub(crate) struct WorkspaceView {
    #[schema(format = Uuid)]
    pub id: String,
    pub name: String,
    pub title: String,
    /// Answer "not found" instead of "forbidden" for what a caller may not see.
    pub hide_existence: bool,
    /// For how many hours a deleted skill can be brought back; 0 purges at once.
    pub undelete_window_hours: u32,
    /// After how many days an unconfirmed draft is archived; 0 is never.
    pub draft_expiry_days: u32,
    #[schema(format = DateTime)]
    pub created_at: String,
}

impl From<Workspace> for WorkspaceView {
    fn from(workspace: Workspace) -> Self {
        Self {
            id: workspace.id.to_string(),
            name: workspace.name.to_string(),
            title: workspace.title,
            hide_existence: workspace.settings.hide_existence,
            undelete_window_hours: workspace.settings.undelete_window_hours,
            draft_expiry_days: workspace.settings.draft_expiry_days,
            created_at: time(workspace.created_at),
        }
    }
}

/// A person in the workspace.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserView {
    #[schema(format = Uuid)]
    pub id: String,
    pub handle: String,
    pub display_name: String,
    pub roles: Vec<&'static str>,
    pub operator: bool,
    pub disabled: bool,
    #[schema(format = DateTime)]
    pub created_at: String,
}

fn roles(roles: Roles) -> Vec<&'static str> {
    roles.iter().map(Role::as_str).collect()
}

impl From<Member> for UserView {
    fn from(Member { user, roles: held }: Member) -> Self {
        Self {
            id: user.id.to_string(),
            handle: user.handle.to_string(),
            display_name: user.display_name,
            roles: roles(held),
            operator: user.operator,
            disabled: user.disabled,
            created_at: time(user.created_at),
        }
    }
}

/// Who the caller is.
#[derive(Serialize, ToSchema)]
pub(crate) struct MeView {
    pub user: UserView,
    pub workspace: WorkspaceView,
    /// The agent the caller acts through.
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    /// What the credential may be used for.
    pub token_scopes: Vec<&'static str>,
    /// How much this server takes.
    pub limits: LimitsView,
}

/// How much this server takes; what is larger is refused.
#[derive(Serialize, ToSchema)]
#[allow(clippy::struct_field_names)] // as the configuration names them
pub(crate) struct LimitsView {
    /// The most files of a bundle.
    pub max_files: usize,
    /// The largest file.
    pub max_file_bytes: u64,
    /// The largest bundle, all files together.
    pub max_bundle_bytes: u64,
    /// The largest `SKILL.md` or `repertoire.yaml`.
    pub max_skill_file_bytes: u64,
    /// The largest archive as it arrives.
    pub max_archive_bytes: u64,
    /// The most entries of an archive, folders and skipped files included.
    pub max_archive_entries: usize,
    /// How many times larger than the archive its content may be.
    pub max_expansion: u64,
    /// The largest body of a request.
    pub max_body_bytes: usize,
}

impl LimitsView {
    pub(crate) fn new(bundles: &Limits, max_body_bytes: usize) -> Self {
        Self {
            max_files: bundles.max_files,
            max_file_bytes: bundles.max_file_bytes,
            max_bundle_bytes: bundles.max_bundle_bytes,
            max_skill_file_bytes: bundles.max_skill_file_bytes,
            max_archive_bytes: bundles.max_archive_bytes,
            max_archive_entries: bundles.max_archive_entries,
            max_expansion: bundles.max_expansion,
            max_body_bytes,
        }
    }
}

impl MeView {
    pub(crate) fn new(caller: &Caller, user: User, workspace: Workspace, limits: LimitsView) -> Self {
        let operator = caller.reach == Reach::Operator;
        let user = UserView::from(Member { user: User { operator, ..user }, roles: caller.roles });
        Self {
            user,
            workspace: workspace.into(),
            agent_id: caller.agent.map(|id| id.to_string()),
            token_scopes: caller.token_scopes.iter().map(TokenScope::as_str).collect(),
            limits,
        }
    }
}

/// A token's record; the secret is never shown again.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenView {
    #[schema(format = Uuid)]
    pub id: String,
    pub name: String,
    #[schema(format = Uuid)]
    pub user_id: String,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub scopes: Vec<&'static str>,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    #[schema(format = DateTime)]
    pub revoked_at: Option<String>,
}

impl From<Token> for TokenView {
    fn from(token: Token) -> Self {
        Self {
            id: token.id.to_string(),
            name: token.name,
            user_id: token.user.to_string(),
            agent_id: token.agent.map(|id| id.to_string()),
            scopes: token.scopes.iter().map(TokenScope::as_str).collect(),
            created_at: time(token.created_at),
            expires_at: token.expires_at.map(time),
            revoked_at: token.revoked_at.map(time),
        }
    }
}

/// A new token with its secret, shown this once.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedTokenView {
    #[serde(flatten)]
    pub token: TokenView,
    /// The secret; keep it, it is not shown again.
    pub secret: String,
}

/// A one-time sign-in link.
#[derive(Serialize, ToSchema)]
pub(crate) struct LinkView {
    /// Open it in a browser, once.
    pub url: String,
    #[schema(format = DateTime)]
    pub expires_at: String,
}
