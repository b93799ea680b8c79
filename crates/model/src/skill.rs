//! A skill: the stable identity above its revisions, with its status machine.

use crate::word::words;
use crate::{
    AgentId, Digest, RevisionNumber, Scope, SessionId, SkillId, SkillName, Timestamp, UserId, WorkspaceId,
};

words!(
    /// Where a skill comes from.
    Origin, "origin" {
        /// Written by a person.
        User => "user",
        /// Registered by an agent.
        Agent => "agent",
        /// Mined from sessions.
        Learned => "learned",
        /// Written by an admin.
        Admin => "admin",
        /// Shipped with a connector.
        Connector => "connector",
        /// Shipped with a deployment.
        Static => "static",
        /// Built in at a provider, read-only here.
        Provider => "provider",
        /// Brought in from a folder or an archive.
        Imported => "imported",
    }
);

words!(
    /// Where a skill stands in its life.
    Status, "status" {
        /// Being written or proposed; waits for its author.
        Draft => "draft",
        /// Waits for a reviewer.
        PendingApproval => "pending_approval",
        /// In use, if it is also enabled.
        Active => "active",
        /// Refused by a reviewer; kept with the reason.
        Rejected => "rejected",
        /// Put away; kept.
        Archived => "archived",
    }
);

words!(
    /// A step in a skill's life. Deleting is not one: it ends the record.
    Transition, "transition" {
        /// The author hands a draft in.
        Submit => "submit",
        /// A reviewer lets it in.
        Approve => "approve",
        /// A reviewer refuses it.
        Reject => "reject",
        /// Someone puts it away.
        Archive => "archive",
        /// Someone takes a rejected or archived skill up again.
        Reopen => "reopen",
    }
);

/// A step that does not exist from this status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {transition} a skill that is {status}{hint}", hint = self.hint())]
pub struct TransitionError {
    /// Where the skill stands; `disabled` when the switch is off.
    pub status: &'static str,
    /// The step that was asked for.
    pub transition: Transition,
}

impl TransitionError {
    fn hint(&self) -> &'static str {
        match (self.status, self.transition) {
            ("disabled", _) => "; enable it first",
            ("rejected" | "archived", Transition::Approve | Transition::Submit) => "; reopen it first",
            _ => "",
        }
    }
}

impl Status {
    /// Where the step leads. The same status back means there is nothing to do.
    pub fn after(self, transition: Transition) -> Result<Self, TransitionError> {
        use Status::{Active, Archived, Draft, PendingApproval, Rejected};
        let next = match (self, transition) {
            (Draft | PendingApproval, Transition::Submit) => PendingApproval,
            (Draft | PendingApproval | Active, Transition::Approve) => Active,
            (Draft | PendingApproval | Active | Rejected, Transition::Reject) => Rejected,
            (_, Transition::Archive) => Archived,
            (Rejected | Archived, Transition::Reopen) => Draft,
            _ => return Err(TransitionError { status: self.as_str(), transition }),
        };
        Ok(next)
    }
}

/// What a bundle can do, read from its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facets {
    /// It has text for a model.
    pub instructions: bool,
    /// It has code to run.
    pub procedure: bool,
    /// It bounds what an agent may do.
    pub policy: bool,
}

/// Who or what brought a skill into being.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The person, or the person an agent acted for.
    pub user: UserId,
    /// The agent, when one acted.
    pub agent: Option<AgentId>,
    /// The session it was learned in.
    pub session: Option<SessionId>,
    /// The place it was imported from, such as a folder's path; one skill a scope has it.
    pub source: Option<String>,
}

/// The stable identity: what stays while revisions come and go.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// The workspace it lives in.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: SkillId,
    /// Its name, unique in its scope.
    pub name: SkillName,
    /// Who can see it.
    pub scope: Scope,
    /// The wider scope somebody asked for and a reviewer has yet to grant.
    pub promotion: Option<Scope>,
    /// Where it comes from.
    pub origin: Origin,
    /// Where it stands.
    pub status: Status,
    /// Why it was rejected or archived.
    pub status_reason: Option<String>,
    /// The switch beside the status.
    pub enabled: bool,
    /// The current revision.
    pub revision: RevisionNumber,
    /// The current revision's digest.
    pub digest: Digest,
    /// Counts every change of this record; for optimistic concurrency.
    pub version: u64,
    /// For people; the name when the bundle says nothing.
    pub title: String,
    /// What it does and when to use it.
    pub description: String,
    /// An icon's name.
    pub icon: Option<String>,
    /// For filters.
    pub tags: Vec<String>,
    /// Requests it can serve.
    pub example_prompts: Vec<String>,
    /// Tools it commonly uses.
    pub suggested_tools: Vec<String>,
    /// The name of the skill it overlays.
    pub extends: Option<String>,
    /// What the current revision can do.
    pub facets: Facets,
    /// The revision whose policy is in force while the skill is enabled; see [`Skill::settled`].
    pub enforced: Option<RevisionNumber>,
    /// The revision that was let in last, with which one that waits is compared; see [`Skill::settled`].
    pub approved: Option<RevisionNumber>,
    /// Who brought it.
    pub provenance: Provenance,
    /// When.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Who last changed it.
    pub updated_by: UserId,
    /// When it was deleted; content is purged when the workspace's undelete window has passed.
    pub deleted_at: Option<Timestamp>,
}

impl Skill {
    /// Whether an agent may find and use it.
    pub fn is_usable(&self) -> bool {
        self.status == Status::Active && self.enabled && self.deleted_at.is_none()
    }

    /// The same skill, with the revision whose policy is in force and the one that was let in last as its status says.
    /// What was let in stays in force while a newer revision waits or was refused, so that an edit never opens a gap.
    #[must_use]
    pub fn settled(self) -> Self {
        let was_current = self.enforced == Some(self.revision);
        let enforced = match self.status {
            Status::Active => self.facets.policy.then_some(self.revision),
            Status::Rejected if was_current => None,
            Status::PendingApproval | Status::Rejected | Status::Draft => self.enforced,
            Status::Archived => None,
        };
        let refused = self.status == Status::Rejected && self.approved == Some(self.revision);
        let approved = match self.status {
            Status::Active => Some(self.revision),
            _ => self.approved.filter(|_| !refused),
        };
        Self { enforced, approved, ..self }
    }

    /// The status after a step, with the switch taken into account: a disabled skill cannot be approved.
    pub fn after(&self, transition: Transition) -> Result<Status, TransitionError> {
        if transition == Transition::Approve && !self.enabled {
            return Err(TransitionError { status: "disabled", transition });
        }
        self.status.after(transition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_machine_as_a_table() {
        let mut table = String::new();
        for &status in Status::ALL {
            for &transition in Transition::ALL {
                let next = status.after(transition).map_or("-", Status::as_str);
                table.extend([format!("{status} {transition} {next}\n")]);
            }
        }
        let wanted = "\
draft submit pending_approval\ndraft approve active\ndraft reject rejected\ndraft archive archived\ndraft reopen -
pending_approval submit pending_approval\npending_approval approve active\npending_approval reject rejected
pending_approval archive archived\npending_approval reopen -
active submit -\nactive approve active\nactive reject rejected\nactive archive archived\nactive reopen -
rejected submit -\nrejected approve -\nrejected reject rejected\nrejected archive archived\nrejected reopen draft
archived submit -\narchived approve -\narchived reject -\narchived archive archived\narchived reopen draft\n";
        assert_eq!(table, wanted);
    }

    fn skill(status: Status, revision: u32, enforced: Option<u32>, policy: bool) -> Skill {
        let (id, user) = (uuid::Uuid::from_u128(1), UserId::new(uuid::Uuid::from_u128(2)));
        Skill {
            workspace: WorkspaceId::new(id),
            id: SkillId::new(id),
            name: SkillName::parse("x").unwrap(),
            scope: Scope::Workspace,
            promotion: None,
            origin: Origin::User,
            status,
            status_reason: None,
            enabled: true,
            revision: RevisionNumber::new(revision).unwrap(),
            digest: Digest::of(b""),
            version: 1,
            title: String::new(),
            description: String::new(),
            icon: None,
            tags: Vec::new(),
            example_prompts: Vec::new(),
            suggested_tools: Vec::new(),
            extends: None,
            facets: Facets { policy, ..Facets::default() },
            enforced: enforced.and_then(RevisionNumber::new),
            approved: None,
            provenance: Provenance { user, agent: None, session: None, source: None },
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            updated_by: user,
            deleted_at: None,
        }
    }

    #[test]
    fn which_revision_is_in_force_as_a_table() {
        use Status::{Active, Archived, Draft, PendingApproval, Rejected};
        // Status, revision, what was in force, whether the revision has a policy; what is in force then.
        let table = [
            (Active, 1, None, true, Some(1)),
            (Active, 3, Some(2), true, Some(3)),
            (Active, 3, Some(2), false, None),
            (Active, 1, None, false, None),
            (PendingApproval, 1, None, true, None),
            (PendingApproval, 3, Some(2), true, Some(2)),
            (PendingApproval, 3, Some(2), false, Some(2)),
            (PendingApproval, 2, Some(2), true, Some(2)),
            (Draft, 1, None, true, None),
            (Draft, 3, Some(2), true, Some(2)),
            (Rejected, 3, Some(2), true, Some(2)),
            (Rejected, 3, Some(2), false, Some(2)),
            (Rejected, 2, Some(2), true, None),
            (Rejected, 1, None, true, None),
            (Archived, 3, Some(2), true, None),
            (Archived, 2, Some(2), true, None),
        ];
        for (status, revision, before, policy, after) in table {
            let settled = skill(status, revision, before, policy).settled();
            let told = format!("{status} {revision} {before:?} {policy}");
            assert_eq!(settled.enforced, after.and_then(RevisionNumber::new), "{told}");
            assert_eq!(settled.clone().settled(), settled, "{told}");
        }
    }

    #[test]
    fn which_revision_was_let_in_last_as_a_table() {
        use Status::{Active, Archived, Draft, PendingApproval, Rejected};
        // Status, revision, what was let in before; what was let in last then.
        let table = [
            (Active, 1, None, Some(1)),
            (Active, 3, Some(2), Some(3)),
            (PendingApproval, 1, None, None),
            (PendingApproval, 3, Some(2), Some(2)),
            (Draft, 2, Some(2), Some(2)),
            (Rejected, 3, Some(2), Some(2)),
            (Rejected, 2, Some(2), None),
            (Archived, 2, Some(2), Some(2)),
        ];
        for (status, revision, before, after) in table {
            let approved = before.and_then(RevisionNumber::new);
            let settled = Skill { approved, ..skill(status, revision, None, false) }.settled();
            let told = format!("{status} {revision} {before:?}");
            assert_eq!(settled.approved, after.and_then(RevisionNumber::new), "{told}");
            assert_eq!(settled.clone().settled(), settled, "{told}");
        }
    }

    #[test]
    fn settling_says_nothing_of_the_switch() {
        let off = Skill { enabled: false, ..skill(Status::Active, 2, Some(1), true) };
        assert_eq!(off.settled().enforced, RevisionNumber::new(2));
    }
}
