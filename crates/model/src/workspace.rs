//! The tenant.

use crate::{SkillName, Timestamp, WorkspaceId};

/// A workspace's name follows the rule for skill names.
pub type WorkspaceName = SkillName;

/// What an admin may change for a whole workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSettings {
    /// Answer "not found" instead of "forbidden" for skills a caller may not see.
    pub hide_existence: bool,
    /// For how many hours a deleted skill can be brought back; 0 purges at once.
    pub undelete_window_hours: u32,
    /// After how many days an unconfirmed draft is archived; 0 is never.
    pub draft_expiry_days: u32,
}

impl Default for WorkspaceSettings {
    fn default() -> Self {
        Self { hide_existence: false, undelete_window_hours: 0, draft_expiry_days: 14 }
    }
}

/// The tenant: everything lives in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its id.
    pub id: WorkspaceId,
    /// Its name, unique in the installation.
    pub name: WorkspaceName,
    /// For people.
    pub title: String,
    /// What an admin may change.
    pub settings: WorkspaceSettings,
    /// When it was made.
    pub created_at: Timestamp,
}
