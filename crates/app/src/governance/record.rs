//! Decisions as they are kept.

use model::{Decision, DecisionId, Digest, GovernedRunId, JudgedCall, PolicyRef, RecordedDenial};
use policy::constraints::{Context as Known, Resolution, Usage, Verdict};
use serde_json::Value;

use super::force::Subject;
use super::{Call, GovernanceSettings};
use crate::redact::{Secrets, apart, redact_data, redact_text, text_size, without_secrets};
use crate::{Context, Error};

/// Longer texts are kept as digests only.
const LONGEST: usize = 64 << 10;
/// Longer arguments are not searched for secrets: of them only the digest is kept.
const LONGEST_SEARCHED: usize = 1 << 20;
/// The most microseconds that a database holds: the seal is over what is stored.
const LONGEST_TIME: u64 = i64::MAX.unsigned_abs();

/// A task and the arguments of a call as they are recorded. They are made before anybody waits for the decision.
#[derive(Debug, Clone)]
pub(super) struct Recordable {
    /// The task without secrets.
    pub(super) task: String,
    /// The arguments without secrets, as JSON text.
    arguments: String,
    /// What must not be repeated in reasons and contexts.
    secrets: Secrets,
}

impl Recordable {
    /// What is recorded of a task and of arguments. Digests are of this too: a digest of a text with a short password
    /// would show which one it is.
    pub(super) async fn of(task: &str, arguments: &Value) -> Result<Self, Error> {
        let size = task.len() + text_size(arguments);
        let (task, arguments) = (task.to_owned(), arguments.clone());
        apart(size, move || Self::made(&task, &arguments)).await
    }

    fn made(task: &str, arguments: &Value) -> Self {
        let mut secrets = Secrets::default();
        let task = storable(&redact_text(task, &mut secrets));
        let arguments = if text_size(arguments) > LONGEST_SEARCHED {
            arguments.to_string()
        } else {
            redact_data(arguments, &mut secrets).to_string()
        };
        Self { task, arguments, secrets }
    }
}

/// What all decisions about one request share.
pub(super) struct Record<'a> {
    pub(super) workspace: model::WorkspaceId,
    pub(super) subject: Subject,
    pub(super) host: Option<&'a str>,
    pub(super) run: Option<GovernedRunId>,
    /// The task as it is recorded.
    pub(super) task: &'a str,
    pub(super) context: &'a Known,
    /// What is recorded of the request.
    pub(super) recordable: &'a Recordable,
    pub(super) policies: Vec<PolicyRef>,
}

impl Record<'_> {
    /// A resolution.
    pub(super) fn resolution(self, cx: &Context, resolution: &Resolution) -> Decision {
        let settings = cx.governance.settings();
        let reasons = if settings.keep_reasons { resolution.reasons.as_slice() } else { &[] };
        let task = kept(settings, self.task);
        self.decision(cx, task, reasons, None)
    }

    /// A verdict. In a run the task stands there.
    pub(super) fn verdict(self, cx: &Context, call: &Call, usage: Usage, verdict: &Verdict) -> Decision {
        let recordable = self.recordable;
        let settings = cx.governance.settings();
        let task = if self.run.is_some() { None } else { kept(settings, self.task) };
        let denial = verdict.denial.as_ref().map(|denial| RecordedDenial {
            cause: denial.cause.as_str().to_owned(),
            reason: recordable.cleaned(&denial.reason),
            policies: denial.skills.clone(),
        });
        let call = JudgedCall {
            tool: storable(&call.tool),
            alias: call.alias.as_deref().map(storable),
            arguments_digest: Digest::of(recordable.arguments.as_bytes()),
            arguments: kept(settings, &recordable.arguments),
            steps: usage.steps,
            elapsed: std::time::Duration::from_micros(
                u64::try_from(usage.elapsed.as_micros()).unwrap_or(LONGEST_TIME).min(LONGEST_TIME),
            ),
            denial,
        };
        self.decision(cx, task, &[], Some(call))
    }

    fn decision(
        self,
        cx: &Context,
        task: Option<String>,
        reasons: &[String],
        call: Option<JudgedCall>,
    ) -> Decision {
        let context = recorded_context(cx.governance.settings(), self.context, &self.recordable.secrets);
        Decision {
            workspace: self.workspace,
            id: DecisionId::new(cx.id()),
            at: cx.now().truncate_to_microsecond(),
            user: self.subject.user,
            agent: self.subject.agent,
            host: self.host.map(storable),
            run: self.run,
            task_digest: Digest::of(self.task.as_bytes()),
            task,
            context,
            policies: self.policies,
            reasons: reasons.iter().map(|reason| self.recordable.cleaned(reason)).collect(),
            call,
        }
    }
}

fn kept(settings: GovernanceSettings, text: &str) -> Option<String> {
    (settings.keep_text && text.len() <= LONGEST).then(|| storable(text))
}

/// What a database takes as it is: the seal is over the stored text.
pub(super) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

impl Recordable {
    /// A reason as it is recorded: it may quote what was judged.
    fn cleaned(&self, reason: &str) -> String {
        storable(&self.secrets.scrub(&without_secrets(reason)))
    }
}

/// What was known, as it is recorded.
fn recorded_context(settings: GovernanceSettings, known: &Known, secrets: &Secrets) -> Option<String> {
    let context = Value::Object(known.clone());
    // What is too long is not kept, and need not be searched.
    if !settings.keep_text || text_size(&context) > LONGEST {
        return None;
    }
    kept(settings, &secrets.scrub_data(redacted(&context)).to_string())
}

/// Data without its secrets.
pub(super) fn redacted(value: &Value) -> Value {
    redact_data(value, &mut Secrets::default())
}
