//! How the program ends: the documented exit codes, and the one error type every command returns.
//!
//! A command never prints an error and never exits; it returns a [`Failure`], which `main` shows once.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use serde_json::{Value, json};

/// What the exit code says. These numbers are documented; scripts depend on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Everything was done.
    Ok = 0,
    /// Something was found, or some items failed.
    Findings = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// There is no such thing.
    NotFound = 3,
    /// The caller is unknown or may not.
    Forbidden = 4,
    /// The request clashes with the state of things.
    Conflict = 5,
    /// The content breaks a rule.
    Invalid = 6,
    /// The server or the database cannot be reached.
    Unavailable = 7,
    /// The code of a skill ran, and failed or was ended.
    RunFailed = 8,
    /// A fault of ours.
    Internal = 70,
}

impl Exit {
    /// The exit code that an answer of the API stands for.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            200..=399 => Self::Ok,
            401 | 403 | 421 => Self::Forbidden,
            404 | 410 => Self::NotFound,
            409 | 412 => Self::Conflict,
            408 | 429 | 502..=504 => Self::Unavailable,
            400 | 405 => Self::Usage,
            400..=499 => Self::Invalid,
            _ => Self::Internal,
        }
    }
}

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.0.message)]
pub(crate) struct Failure(Box<Details>);

/// What there is to say about a failure.
#[derive(Debug)]
pub(crate) struct Details {
    /// What the exit code will be.
    pub(crate) exit: Exit,
    /// The stable code.
    pub(crate) code: String,
    /// What went wrong.
    pub(crate) message: String,
    /// What to do about it, when known.
    pub(crate) hint: Option<String>,
    /// What was found in files, one line each.
    pub(crate) findings: Vec<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Details { exit, code: code.to_owned(), message, hint: None, findings: Vec::new() }))
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Exit::NotFound, "not_found", message)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Exit::Invalid, "invalid_content", message)
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(Exit::Conflict, "conflict", message)
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Exit::Unavailable, "unavailable", message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(Exit::Internal, "internal", message)
    }

    /// A file or folder could not be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        let message = format!("cannot {doing} `{}`: {error}", path.display());
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::not_found(message),
            std::io::ErrorKind::PermissionDenied => Self::new(Exit::Forbidden, "forbidden", message),
            std::io::ErrorKind::AlreadyExists => Self::conflict(message),
            _ => Self::new(Exit::Unavailable, "file_system", message),
        }
    }

    /// The same failure, with what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The failure as JSON, for `--json`.
    pub(crate) fn to_json(&self) -> Value {
        json!({"error": {"code": self.code, "message": self.message, "hint": self.hint, "findings": self.findings}})
    }
}

impl Deref for Failure {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

/// What every command returns.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_exit_code() {
        let table = [
            (200, Exit::Ok),
            (400, Exit::Usage),
            (401, Exit::Forbidden),
            (403, Exit::Forbidden),
            (404, Exit::NotFound),
            (409, Exit::Conflict),
            (412, Exit::Conflict),
            (413, Exit::Invalid),
            (422, Exit::Invalid),
            (429, Exit::Unavailable),
            (500, Exit::Internal),
            (503, Exit::Unavailable),
        ];
        for (status, exit) in table {
            assert_eq!(Exit::of_status(status), exit, "{status}");
        }
    }
}
