//! One id type a kind, so that an agent's id can never stand where a user's belongs.

use uuid::Uuid;

/// Text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id (expected a UUID)")]
pub struct IdError(String);

macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that was made or stored for this kind.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// Reads the hyphenated form.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                Uuid::try_parse(text).map(Self).map_err(|_| IdError(text.chars().take(64).collect()))
            }

            /// The bare UUID, for a store or a view.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(/// Identifies a workspace.
    WorkspaceId);
id!(/// Identifies a user.
    UserId);
id!(/// Identifies an agent.
    AgentId);
id!(/// Identifies a skill through all its revisions and renames.
    SkillId);
id!(/// Identifies a personal access token; it is not the secret.
    TokenId);
id!(/// Identifies what an agent did in one go.
    SessionId);
id!(/// Identifies one execution of a skill.
    RunId);
id!(/// Identifies a run of an agent in which steps and time are counted.
    GovernedRunId);
id!(/// Identifies one resolution or one verdict.
    DecisionId);
id!(/// Identifies a code session: a work folder that outlives executions.
    CodeSessionId);
id!(
    /// Identifies a signed-in browser; it is not the secret.
    SignInId
);
