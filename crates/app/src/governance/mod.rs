//! What agents may do while policies are in force: decided here, counted in runs, and kept.
//!
//! Every decision goes over the desk: it is written, sealed by the audit log and committed before anybody is told
//! of it. A decision that cannot be kept is not made.

mod admit;
mod asked;
mod check;
mod decide;
mod decisions;
mod desk;
mod draft;
mod explain;
mod force;
mod record;
mod replay;
mod runs;

use std::sync::Arc;

use model::{AgentId, DecisionId, Digest, GovernedRun, GovernedRunId, PolicyRef};
use serde_json::Value;
use tokio::sync::Semaphore;

pub(crate) use admit::admit_agent;
pub use admit::{Denied, OwnCall, admit};
pub(crate) use check::policy_findings;
pub use check::{CaseResult, Tested, test};
pub use decide::{Plan, Planned, judge, plan, resolve};
pub use decisions::{ListDecisions, list, prune, read};
pub(crate) use decisions::{SEAL, Seals, can_see, prune_before};
pub use draft::{AgentChanges, Analysis, Proposal, analyse};
pub use explain::{Considered, Explained, PolicyState, Question, explain, in_force};
/// What doors need of the pure core to speak of decisions.
pub use policy::constraints::{
    Active, Context as Known, Denial, FailedCheck, Merged, Metadata, Outcome, Resolution, Usage, Verdict,
};
pub use replay::{Difference, Replay, ReplayRange, replay};
pub(crate) use runs::{ABANDONED, FINISH, finish_abandoned};
pub use runs::{
    GovernedRunView, ListGovernedRuns, RunRef, Start, Started, Step, finish, list_runs, read_run, start, step,
};

/// How decisions are kept on this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GovernanceSettings {
    /// Whether tasks, contexts and arguments are kept as texts; else only their digests, and nothing can be replayed.
    pub keep_text: bool,
    /// Whether the reasons of resolutions are kept and logged.
    pub keep_reasons: bool,
    /// How many days decisions are kept; 0 is for ever.
    pub history_days: u32,
}

impl Default for GovernanceSettings {
    fn default() -> Self {
        Self { keep_text: true, keep_reasons: true, history_days: 0 }
    }
}

/// The policies in force, as this process knows them, and the desk. Cheap to clone.
#[derive(Clone, Default)]
pub struct Governance(Arc<Inner>);

struct Inner {
    settings: GovernanceSettings,
    register: force::Register,
    desk: desk::Desk,
    /// What holds in runs, by the run and the count of changes of the policies.
    resolutions: Resolutions,
    /// The calls of runs that were counted as steps.
    counted: moka::sync::Cache<Counted, ()>,
    /// What open runs are about, where that is recorded without its secrets.
    asked: moka::sync::Cache<GovernedRunId, Arc<asked::Asked>>,
    /// Who judges many calls at once to see what would be.
    rehearsing: Arc<Semaphore>,
}

/// A run, and the digest over one of its calls with the host's id of it.
type Counted = (GovernedRunId, Digest);
type Resolutions = moka::sync::Cache<(GovernedRunId, u64), (Arc<Resolution>, Vec<PolicyRef>)>;

/// How many runs are remembered with what holds in them.
const RESOLUTIONS: u64 = 1_000;
/// How many calls are remembered as counted.
const COUNTED: u64 = 10_000;

/// How many bytes of tasks and contexts with secrets are remembered of open runs.
const ASKED: u64 = 64 << 20;

impl Default for Inner {
    fn default() -> Self {
        Self {
            settings: GovernanceSettings::default(),
            register: force::Register::default(),
            desk: desk::Desk::default(),
            resolutions: Resolutions::new(RESOLUTIONS),
            counted: moka::sync::Cache::new(COUNTED),
            asked: moka::sync::Cache::builder()
                .weigher(|_, asked: &Arc<asked::Asked>| asked.size())
                .max_capacity(ASKED)
                .build(),
            rehearsing: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Governance {
    /// Nothing known yet.
    pub fn new(settings: GovernanceSettings) -> Self {
        Self(Arc::new(Inner { settings, ..Inner::default() }))
    }

    /// How decisions are kept.
    pub fn settings(&self) -> GovernanceSettings {
        self.0.settings
    }
}

/// Judges many calls away from where decisions are made, for one caller after the other: it may take as long as the
/// policies let it, and decisions must not wait for it.
async fn rehearse<T: Send + 'static>(
    cx: &crate::Context,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, crate::Error> {
    let turn = Arc::clone(&cx.governance.0.rehearsing).acquire_owned().await;
    let turn = turn.map_err(|_| desk::broken())?;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    done.await.map_err(|_| desk::broken())
}

/// What policies are asked about.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// What the agent is to do.
    pub task: String,
    /// What it knows beside that.
    pub context: Known,
    /// The agent, where the caller's credential names none.
    pub agent: Option<AgentId>,
    /// The program that asks, such as `claude`.
    pub host: Option<String>,
}

/// A tool call that an agent wants to make.
#[derive(Debug, Clone)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// The host's own name for it, where that is another.
    pub alias: Option<String>,
    /// Its arguments.
    pub arguments: Value,
}

/// What holds for a task.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Under which it is kept.
    pub decision: DecisionId,
    /// The resolution.
    pub resolution: Arc<Resolution>,
    /// The active policies as they are in force, in their order.
    pub policies: Vec<PolicyRef>,
    /// The context with the values that policies set.
    pub context: Known,
}

/// What was decided about a call.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Under which it is kept.
    pub decision: DecisionId,
    /// The verdict.
    pub verdict: Verdict,
    /// The active policies as they are in force, in their order.
    pub policies: Vec<PolicyRef>,
    /// What the run had used before.
    pub usage: Usage,
    /// The most steps of the run.
    pub max_steps: Option<u32>,
    /// The longest the run may take.
    pub max_execution_time: Option<std::time::Duration>,
    /// The governed run, as it is now.
    pub run: Option<GovernedRun>,
}
