//! What tests, analyses and replays of policies say.

use app::governance::{AgentChanges, Analysis, CaseResult, Difference, Replay, Tested};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::governance::{RemovedToolView, VerdictView};
use super::time;
use crate::problem::FindingView;

/// What came of a case of a test table.
#[derive(Serialize, ToSchema)]
pub(crate) struct CaseView {
    pub file: String,
    pub line: u32,
    pub name: String,
    pub passed: bool,
    /// What was expected, in words.
    pub expected: String,
    /// What came out, in the same words.
    pub actual: String,
    /// Why the call was denied, if it was.
    pub reason: Option<String>,
}

impl From<CaseResult> for CaseView {
    fn from(case: CaseResult) -> Self {
        Self {
            file: case.file,
            line: case.line,
            name: case.name,
            passed: case.passed,
            expected: case.expected,
            actual: case.found,
            reason: case.reason,
        }
    }
}

/// What came of the test tables of a bundle.
#[derive(Serialize, ToSchema)]
pub(crate) struct TestedView {
    pub passed: usize,
    pub failed: usize,
    pub cases: Vec<CaseView>,
    pub findings: Vec<FindingView>,
}

impl From<Tested> for TestedView {
    fn from(tested: Tested) -> Self {
        let passed = tested.cases.iter().filter(|case| case.passed).count();
        Self {
            passed,
            failed: tested.cases.len() - passed,
            cases: tested.cases.into_iter().map(Into::into).collect(),
            findings: tested.findings.iter().map(FindingView::from).collect(),
        }
    }
}

/// Something odd about a policy.
#[derive(Serialize, ToSchema)]
pub(crate) struct RemarkView {
    /// A stable word for programs.
    pub code: String,
    /// `warning` or `info`.
    pub level: String,
    pub message: String,
    /// The ids of the other policies concerned.
    pub policies: Vec<String>,
}

/// What is different for an agent while the policy is active.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgentChangesView {
    /// The agent's name; null for callers without one.
    pub agent: Option<String>,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    /// Tools that can no longer be used.
    pub newly_denied: Vec<RemovedToolView>,
    /// Tools that can be used now.
    pub newly_allowed: Vec<String>,
    /// What else is different, in lines for people.
    pub changes: Vec<String>,
}

impl From<AgentChanges> for AgentChangesView {
    fn from(found: AgentChanges) -> Self {
        let denied = found.changes.newly_denied.into_iter();
        Self {
            agent: found.agent.as_ref().map(|(_, name)| name.to_string()),
            agent_id: found.agent.as_ref().map(|(id, _)| id.to_string()),
            newly_denied: denied.map(|(tool, reason)| RemovedToolView { tool, reason }).collect(),
            newly_allowed: found.changes.newly_allowed,
            changes: found.changes.lines,
        }
    }
}

/// What an analysis of a policy says.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnalysisView {
    /// What is found in the content, with lines.
    pub findings: Vec<FindingView>,
    /// What is odd about the policy, alone and beside those in force.
    pub remarks: Vec<RemarkView>,
    /// What is different while it is active: without an agent, then for each agent that it changes something for.
    pub agents: Vec<AgentChangesView>,
}

impl From<Analysis> for AnalysisView {
    fn from(analysis: Analysis) -> Self {
        let remarks = analysis.remarks.into_iter().map(|remark| RemarkView {
            code: remark.code.to_owned(),
            level: remark.level.as_str().to_owned(),
            message: remark.message,
            policies: remark.skills,
        });
        Self {
            findings: analysis.findings.iter().map(FindingView::from).collect(),
            remarks: remarks.collect(),
            agents: analysis.agents.into_iter().map(Into::into).collect(),
        }
    }
}

/// A recorded call that a change would decide otherwise.
#[derive(Serialize, ToSchema)]
pub(crate) struct DifferenceView {
    #[schema(format = Uuid)]
    pub decision_id: String,
    #[schema(format = DateTime)]
    pub at: String,
    #[schema(format = Uuid)]
    pub user_id: String,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub tool: String,
    #[schema(value_type = Option<Object>)]
    pub arguments: Option<Value>,
    /// As it was decided then.
    pub recorded_allowed: bool,
    /// As it would be decided by the policies in force now.
    pub before: VerdictView,
    /// As it would be decided after the change.
    pub after: VerdictView,
}

impl From<Difference> for DifferenceView {
    fn from(difference: Difference) -> Self {
        let recorded = difference.recorded;
        let call = recorded.call.as_ref();
        Self {
            decision_id: recorded.id.to_string(),
            at: time(recorded.at),
            user_id: recorded.user.to_string(),
            agent_id: recorded.agent.map(|agent| agent.to_string()),
            tool: call.map(|call| call.tool.clone()).unwrap_or_default(),
            arguments: call.and_then(|call| serde_json::from_str(call.arguments.as_deref()?).ok()),
            recorded_allowed: recorded.denial().is_none(),
            before: difference.before.into(),
            after: difference.after.into(),
        }
    }
}

/// What a change would have decided otherwise.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReplayView {
    /// How many calls were judged again.
    pub replayed: u64,
    /// How many could not be: of them only digests are kept.
    pub skipped: u64,
    /// How many come out as under the policies in force now.
    pub unchanged: u64,
    /// Those that do not, newest first, the first 200.
    pub differences: Vec<DifferenceView>,
    /// How many more there are.
    pub more_differences: u64,
}

impl From<Replay> for ReplayView {
    fn from(replay: Replay) -> Self {
        Self {
            replayed: replay.replayed,
            skipped: replay.skipped,
            unchanged: replay.unchanged,
            differences: replay.differences.into_iter().map(Into::into).collect(),
            more_differences: replay.more_differences,
        }
    }
}
