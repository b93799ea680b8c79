//! Decisions as they are kept.

use model::{Decision, DecisionId, Digest, GovernedRunId, JudgedCall, PolicyRef, RecordedDenial};
use policy::constraints::{Context as Known, Resolution, Usage, Verdict};
use serde_json::Value;

use super::force::Subject;
use super::{Call, GovernanceSettings};
use crate::Context;
use crate::redact::{Secrets, redact_data};

/// Longer texts are kept as digests only.
const LONGEST: usize = 64 << 10;
/// The most microseconds that a database holds: the seal is over what is stored.
const LONGEST_TIME: u64 = i64::MAX.unsigned_abs();

/// What all decisions about one request share.
pub(super) struct Record<'a> {
    pub(super) workspace: model::WorkspaceId,
    pub(super) subject: Subject,
    pub(super) host: Option<&'a str>,
    pub(super) run: Option<GovernedRunId>,
    pub(super) task: &'a str,
    pub(super) context: &'a Known,
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
        let settings = cx.governance.settings();
        let task = if self.run.is_some() { None } else { kept(settings, self.task) };
        let denial = verdict.denial.as_ref().map(|denial| RecordedDenial {
            cause: denial.cause.as_str().to_owned(),
            reason: storable(&denial.reason),
            policies: denial.skills.clone(),
        });
        let call = JudgedCall {
            tool: storable(&call.tool),
            alias: call.alias.as_deref().map(storable),
            arguments_digest: Digest::of(call.arguments.to_string().as_bytes()),
            arguments: kept(settings, &without_secrets(&call.arguments).to_string()),
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
        let context = without_secrets(&Value::Object(self.context.clone())).to_string();
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
            context: kept(cx.governance.settings(), &context),
            policies: self.policies,
            reasons: reasons.iter().map(|reason| storable(reason)).collect(),
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

/// The value without what looks like a secret by its name.
pub(super) fn without_secrets(value: &Value) -> Value {
    redact_data(value, &mut Secrets::default())
}
