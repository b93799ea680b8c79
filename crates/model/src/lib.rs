//! The domain's words as types.
//!
//! Everything here is pure: no clock, randomness, file, network or wire format. A type with an invariant has a
//! private field and one way in (`parse` or `new`); what cannot be built cannot be stored or shown.

mod agent;
mod audit;
mod bundle;
mod caller;
mod digest;
mod governance;
mod host;
mod ids;
mod manifest;
mod media_type;
mod name;
mod policy;
mod revision;
mod run;
mod scope;
mod session;
mod sign_in;
mod skill;
mod statistics;
mod text;
mod token;
mod user;
mod variables;
mod word;
mod workspace;

pub use agent::{
    Agent, Approver, Assignment, Discovery, ProceduralMemory, ProposalMode, SettingsError, Toolset,
};
pub use audit::{Actor, AuditEntry, AuditVerb, Subject};
pub use bundle::{Bundle, BundleError, BundleFile, BundlePath, PathError, SIDECAR_FILE, SKILL_FILE};
pub use caller::{Caller, Credential, Reach};
pub use digest::{Digest, DigestError};
pub use governance::{
    Decision, DecisionKind, GovernedRun, JudgedCall, PolicyRef, RecordedDenial, policy_set_digest,
    seal_digest,
};
pub use host::{HostError, HostPattern};
pub use ids::{
    AgentId, CodeSessionId, DecisionId, GovernedRunId, IdError, RunId, SessionId, SignInId, SkillId, TokenId,
    UserId, WorkspaceId,
};
pub use manifest::{Language, Manifest, Parameter, ParameterType, Procedure};
pub use media_type::media_type;
pub use name::{NameError, SkillName, slugify};
pub use policy::{
    Activation, CaseCall, DenialCause, Expectation, Policy, PolicyCase, PolicyPlace, PolicyStep, Validator,
};
pub use revision::{FileEntry, Label, LabelError, Revision, RevisionNumber};
pub use run::{RevisionStatistics, Run, RunError, RunLimits, RunStatus};
pub use scope::{Scope, ScopeKind};
pub use session::{
    EntryKind, Session, SessionEntry, SessionOutcome, SessionSkill, Speaker, Todo, TodoStatus,
};
pub use sign_in::{SignIn, SignInLink};
pub use skill::{Facets, Origin, Provenance, Skill, Status, Transition, TransitionError};
pub use statistics::{Feedback, RECENT_WEIGHT, SkillUse, Statistics, Uses};
pub use text::{counted, is_unseen};
pub use token::{Token, TokenScope, TokenScopes};
pub use user::{Handle, HandleError, Membership, Role, Roles, User};
pub use variables::is_reserved_variable;
pub use word::UnknownWord;
pub use workspace::{Workspace, WorkspaceName, WorkspaceSettings};

/// A moment, in UTC.
pub type Timestamp = time::OffsetDateTime;

/// A day, in UTC.
pub type Day = time::Date;
