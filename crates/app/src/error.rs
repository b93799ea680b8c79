//! What can go wrong, with the one table of stable codes.

use manifest::Finding;
use policy::access::Denial;
use sandbox::FileProblem;
use store::StoreError;

use crate::governance::Denied;

/// Why a use case did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be understood or breaks a rule; nothing was changed.
    #[error("{message}")]
    Invalid {
        /// The stable code.
        code: Code,
        /// What is wrong, for a person.
        message: String,
        /// What was found in the files, with lines.
        findings: Vec<Finding>,
    },
    /// Nobody is signed in, or the credential no longer counts.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// The caller may not.
    #[error("{0}")]
    Forbidden(#[from] Denial),
    /// Policies in force are against it.
    #[error("{}", .0.reason)]
    Denied(Denied),
    /// There is no such thing, as far as the caller may know.
    #[error("there is no {what} `{which}`")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// What was asked for.
        which: String,
    },
    /// There is no such code session, as far as the caller may know.
    #[error(
        "there is no code session `{id}`: one ends after {idle_minutes} min without use and with the server; leave the id out to begin a new one"
    )]
    NoCodeSession {
        /// What was asked for.
        id: String,
        /// How long a session lives unused.
        idle_minutes: u32,
    },
    /// The request clashes with the state of things; nothing was changed.
    #[error("{message}")]
    Conflict {
        /// The stable code.
        code: Code,
        /// What clashes, for a person.
        message: String,
    },
    /// The record changed since the caller read it; nothing was changed.
    #[error("the {what} has changed since you read it; read it again and repeat your change")]
    Stale {
        /// The kind of thing.
        what: &'static str,
    },
    /// The condition the caller named does not hold; nothing was changed.
    #[error("the {what} is not at the version you named; read it again and repeat your change")]
    Precondition {
        /// The kind of thing.
        what: &'static str,
    },
    /// More is being executed and waited for than there is room for; nothing was done.
    #[error("code is running at full capacity; try again in {} s", retry_after.as_secs())]
    Busy {
        /// When there may be room again.
        retry_after: std::time::Duration,
    },
    /// The caller has as many watches open as one may have.
    #[error("you watch for changes {most} times already, and that is the most; end one, or try again in {} s", retry_after.as_secs())]
    TooManyWatches {
        /// How many one may have.
        most: usize,
        /// When there may be room again.
        retry_after: std::time::Duration,
    },
    /// Code was not executed at all, or a file of a work folder cannot be used.
    #[error(transparent)]
    Sandbox(#[from] sandbox::Error),
    /// The database failed.
    #[error(transparent)]
    Store(StoreError),
}

macro_rules! codes {
    ($($variant:ident => $code:literal),+ $(,)?) => {
        /// The stable code of an error. Clients may depend on these words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)] // the words say it
        pub enum Code { $($variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }
        }
    };
}

codes! {
    InvalidRequest => "invalid_request",
    InvalidName => "invalid_name",
    InvalidBundle => "invalid_bundle",
    InvalidManifest => "invalid_manifest",
    InvalidSidecar => "sidecar_invalid",
    InvalidArchive => "invalid_archive",
    InvalidPath => "invalid_path",
    InvalidScope => "invalid_scope",
    InvalidCursor => "invalid_cursor",
    InvalidSettings => "invalid_settings",
    InvalidCode => "invalid_code",
    TooLarge => "too_large",
    IdempotencyKeyReused => "idempotency_key_reused",
    TextNotFound => "text_not_found",
    NotPending => "not_pending",
    Unauthenticated => "unauthenticated",
    Forbidden => "forbidden",
    TokenScope => "token_scope",
    PolicyDenied => "policy_denied",
    NotFound => "not_found",
    NameTaken => "name_taken",
    HandleTaken => "handle_taken",
    LabelTaken => "label_taken",
    InvalidTransition => "invalid_transition",
    RejectedContent => "rejected_content",
    LimitReached => "limit_reached",
    ProposalsOff => "proposals_off",
    AgentHasSkills => "agent_has_skills",
    LastAdmin => "last_admin",
    Stale => "stale_revision",
    Precondition => "precondition_failed",
    SkillNotActive => "skill_not_active",
    SkillDisabled => "skill_disabled",
    NoProcedure => "no_procedure",
    InvalidParameters => "invalid_parameters",
    NetworkNotAllowed => "network_not_allowed",
    UnknownProfile => "unknown_profile",
    RunFinished => "run_finished",
    SessionCompleted => "session_completed",
    RecordingOff => "recording_off",
    Busy => "busy",
    SandboxUnavailable => "sandbox_unavailable",
    NoPython => "no_python",
    Unavailable => "unavailable",
    Internal => "internal",
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid { code, .. } | Self::Conflict { code, .. } => *code,
            Self::Unauthenticated(_) => Code::Unauthenticated,
            Self::Forbidden(Denial::TokenScope(_)) => Code::TokenScope,
            Self::Forbidden(_) => Code::Forbidden,
            Self::Denied(_) => Code::PolicyDenied,
            Self::NotFound { .. } | Self::NoCodeSession { .. } => Code::NotFound,
            Self::Stale { .. } => Code::Stale,
            Self::Precondition { .. } => Code::Precondition,
            Self::Busy { .. } | Self::TooManyWatches { .. } => Code::Busy,
            Self::Sandbox(error) => sandbox_code(error),
            Self::Store(StoreError::Unavailable(_) | StoreError::Busy(_)) => Code::Unavailable,
            Self::Store(_) => Code::Internal,
        }
    }

    /// What was found in the files, if that is why.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Invalid { findings, .. } => findings,
            _ => &[],
        }
    }

    pub(crate) fn invalid(code: Code, message: impl std::fmt::Display) -> Self {
        Self::Invalid { code, message: message.to_string(), findings: Vec::new() }
    }

    pub(crate) fn conflict(code: Code, message: impl Into<String>) -> Self {
        Self::Conflict { code, message: message.into() }
    }

    pub(crate) fn not_found(what: &'static str, which: impl std::fmt::Display) -> Self {
        Self::NotFound { what, which: which.to_string() }
    }
}

fn sandbox_code(error: &sandbox::Error) -> Code {
    match error {
        sandbox::Error::Unprotected { .. }
        | sandbox::Error::BrokenProfile { .. }
        | sandbox::Error::Failed(_) => Code::SandboxUnavailable,
        sandbox::Error::NoPython { .. } => Code::NoPython,
        sandbox::Error::UnknownProfile(_) => Code::UnknownProfile,
        sandbox::Error::Invalid(_) => Code::InvalidRequest,
        sandbox::Error::File { problem, .. } => match problem {
            FileProblem::Missing => Code::NotFound,
            FileProblem::Path | FileProblem::NotPlain | FileProblem::Closed => Code::InvalidPath,
            FileProblem::TooLarge | FileProblem::Full => Code::TooLarge,
        },
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoWorkspace => {
                Self::NotFound { what: "workspace", which: "of this caller".to_owned() }
            }
            // Names are looked up before they are written; a clash here is a race that another request won.
            StoreError::Conflict(_) => Self::Conflict {
                code: Code::NameTaken,
                message: "another change got there first; read again and repeat yours".to_owned(),
            },
            error => Self::Store(error),
        }
    }
}
