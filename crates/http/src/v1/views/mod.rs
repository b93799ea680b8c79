//! The shapes of answers.

mod agents;
mod analytics;
mod decisions;
mod drafts;
mod facets;
mod governance;
mod identity;
mod operations;
mod proposals;
mod runs;
mod search;
mod sessions;
mod skills;

use app::Page;
use model::Timestamp;
use serde::Serialize;
use time::format_description::well_known::Rfc3339;
use utoipa::ToSchema;

pub(crate) use agents::{AgentContextView, AgentView, AssignmentView, ProceduralMemoryView};
pub(crate) use analytics::AnalyticsView;
pub(crate) use decisions::DecisionView;
pub(crate) use drafts::{AnalysisView, ReplayView, TestedView};
pub(crate) use facets::{ParameterView, PolicyView, ProcedureRequest};
pub(crate) use governance::{
    ExplainedView, GovernedRunDetailView, GovernedRunView, JudgedView, PlannedView, PolicyStateView,
    ResolvedView, StartedView,
};
pub(crate) use identity::{
    CreatedTokenView, LimitsView, LinkView, MeView, TokenView, UserView, WorkspaceView,
};
pub(crate) use operations::{AuditEntryView, VerificationView};
pub(crate) use proposals::ProposedView;
pub(crate) use runs::{DeterminismView, RanView, RunLimitsView, RunView, SandboxView, SkillStatisticsView};
pub(crate) use search::{DiscoveredView, SearchStatusView, SearchView};
pub(crate) use sessions::{SessionDetailView, SessionEntryView, SessionView, TodosView};
pub(crate) use skills::{
    BulkView, DiffView, FeedbackView, FileDiffView, FileView, ImportView, PublishedView, ReviewedView,
    RevisionView, SkillDetailView, SkillGroupView, SkillView, StatisticsView, TagView, ValidationView,
};

/// A moment as it is written on the wire.
pub(crate) fn time(moment: Timestamp) -> String {
    moment.format(&Rfc3339).unwrap_or_default()
}

/// Bytes as they are; only described, never built.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(crate) struct Bytes(#[allow(dead_code)] Vec<u8>);

/// A page of something.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageView<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page begins; null on the last.
    pub next_cursor: Option<String>,
    /// How many there are on all pages, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

impl<T> PageView<T> {
    pub(crate) fn of<U>(page: Page<U>, total: Option<u64>, view: impl FnMut(U) -> T) -> Self {
        let next_cursor = page.next.map(|cursor| cursor.0);
        Self { items: page.items.into_iter().map(view).collect(), next_cursor, total }
    }
}

/// All of something, in one go.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListView<T> {
    /// All of them.
    pub items: Vec<T>,
}
