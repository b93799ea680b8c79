//! What a list is narrowed to, as it stands behind `WHERE`.

use model::{Timestamp, WorkspaceId};

use crate::Value;
use crate::value::arguments;

/// Conditions and their arguments, behind the workspace in `$1`.
pub(crate) struct Conditions {
    texts: Vec<String>,
    pub(crate) arguments: Vec<Value>,
}

impl Conditions {
    pub(crate) fn new(texts: &[&str], workspace: WorkspaceId) -> Self {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Self { texts, arguments: arguments![workspace] }
    }

    /// A condition in which `?` stands for the value, if there is one.
    pub(crate) fn add(&mut self, condition: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.arguments.push(value.into());
            self.texts.push(condition.replace('?', &format!("${}", self.arguments.len())));
        }
    }

    pub(crate) fn say(&mut self, condition: &str) {
        self.texts.push(condition.to_owned());
    }

    /// The page after this place.
    pub(crate) fn page(
        &mut self,
        columns: &str,
        after: Option<(Timestamp, impl Into<Value>)>,
        limit: u32,
    ) -> String {
        if let Some((moment, id)) = after {
            self.arguments.extend([Value::from(moment), id.into()]);
            let n = self.arguments.len();
            self.texts.push(format!("({columns}) < (${}, ${n})", n - 1));
        }
        self.arguments.push(limit.into());
        self.texts.join(" AND ")
    }
}
