//! The parts of answers that commands look at. Everything else goes through untouched.

use serde::Deserialize;
use serde_json::Value;

/// One page of a list.
#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    pub(crate) items: Vec<Value>,
    #[serde(default)]
    pub(crate) next_cursor: Option<String>,
}

/// A skill.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Skill {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) scope: Scope,
    pub(crate) origin: String,
    pub(crate) status: String,
    pub(crate) status_reason: Option<String>,
    pub(crate) promotion: Option<Scope>,
    pub(crate) enabled: bool,
    pub(crate) usable: bool,
    pub(crate) revision: u64,
    pub(crate) digest: String,
    pub(crate) tags: Vec<String>,
    pub(crate) facets: Vec<String>,
    pub(crate) source: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

/// Who sees a skill.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Scope {
    pub(crate) kind: String,
    pub(crate) agent_id: Option<String>,
    pub(crate) user_id: Option<String>,
}

impl Skill {
    /// Its state in a word or two.
    pub(crate) fn state(&self) -> String {
        match (self.enabled, &self.promotion) {
            (false, _) => format!("{}, off", self.status),
            (true, Some(wider)) => format!("{}, asks for {}", self.status, wider.kind),
            (true, None) => self.status.clone(),
        }
    }
}

/// A skill that was put in or changed.
#[derive(Debug, Deserialize)]
pub(crate) struct Published {
    pub(crate) outcome: String,
    pub(crate) skill: Skill,
    #[serde(default)]
    pub(crate) findings: Vec<Finding>,
}

/// Something found in a file.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Finding {
    pub(crate) level: String,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u64>,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.level, self.code)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " {file}:{line}")?,
            (Some(file), None) => write!(f, " {file}")?,
            (None, _) => {}
        }
        write!(f, ": {}", self.message)
    }
}
