//! What open governed runs are about, as it was said. Only this process knows it: recorded is what has no secrets.

use std::sync::Arc;

use model::GovernedRun;
use policy::constraints::Context as Known;
use serde_json::Value;

use crate::Context;
use crate::redact::text_size;

/// What the policies of a run are asked about.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) task: String,
    pub(super) context: Known,
}

impl Asked {
    /// About how many bytes it takes.
    pub(super) fn size(&self) -> u32 {
        let context = text_size(&Value::Object(self.context.clone()));
        u32::try_from(self.task.len() + context).unwrap_or(u32::MAX)
    }
}

/// Remembers what a run is about, where that is not what is recorded of it.
pub(super) fn remember_asked(cx: &Context, run: &GovernedRun, task: &str, known: &Known) {
    if run.task.as_deref() != Some(task) || run.context.as_ref() != Some(known) {
        let asked = Asked { task: task.to_owned(), context: known.clone() };
        cx.governance.0.asked.insert(run.id, Arc::new(asked));
    }
}

/// What a run is about: as it was said, where this process still knows that; else as it is recorded, without secrets.
pub(super) fn asked(cx: &Context, run: &GovernedRun) -> Arc<Asked> {
    cx.governance.0.asked.get(&run.id).unwrap_or_else(|| {
        let (task, context) = (run.task.clone().unwrap_or_default(), run.context.clone().unwrap_or_default());
        Arc::new(Asked { task, context })
    })
}
