//! Skills, their revisions and files, and what became of requests about them.

use std::collections::BTreeMap;

use app::skills::{Change, Detail, Examination, FileDiff, Outcome, Published, Reviewed};
use app::{ClientVerdict, Error, SkillGroup, SkillRecord};
use model::{Feedback, FileEntry, Label, Manifest, Revision, RevisionNumber, Scope, Skill, Statistics};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::facets::{PolicyView, ProcedureView};
use super::time;
use crate::problem::{FindingView, Problem};

/// Who can see a skill.
#[derive(Serialize, ToSchema)]
pub(crate) struct ScopeView {
    /// `workspace`, `agent`, `user` or `agent_user`.
    kind: &'static str,
    #[schema(format = Uuid)]
    agent_id: Option<String>,
    #[schema(format = Uuid)]
    user_id: Option<String>,
}

impl From<Scope> for ScopeView {
    fn from(scope: Scope) -> Self {
        Self {
            kind: scope.kind().as_str(),
            agent_id: scope.agent().map(|id| id.to_string()),
            user_id: scope.user().map(|id| id.to_string()),
        }
    }
}

/// How a skill does.
#[derive(Serialize, ToSchema)]
pub(crate) struct StatisticsView {
    pub use_count: u64,
    pub execution_count: u64,
    pub success_count: u64,
    pub failure_count: u64,
    /// Successes over executions; 1 before the first.
    pub success_rate: f64,
    /// The same with the latest weighing most; null before the first.
    pub recent_success_rate: Option<f64>,
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
    pub helpful_count: u64,
    pub unhelpful_count: u64,
    /// The share of helpful votes; null before the first.
    pub feedback_score: Option<f64>,
}

impl From<&Statistics> for StatisticsView {
    fn from(statistics: &Statistics) -> Self {
        Self {
            use_count: statistics.use_count,
            execution_count: statistics.execution_count(),
            success_count: statistics.success_count,
            failure_count: statistics.failure_count,
            success_rate: statistics.success_rate(),
            recent_success_rate: statistics.recent_success_rate,
            last_used_at: statistics.last_used_at.map(time),
            helpful_count: statistics.helpful_count,
            unhelpful_count: statistics.unhelpful_count,
            feedback_score: statistics.feedback_score(),
        }
    }
}

/// A skill.
#[derive(Serialize, ToSchema)]
pub(crate) struct SkillView {
    #[schema(format = Uuid)]
    pub id: String,
    pub name: String,
    pub title: String,
    pub description: String,
    pub scope: ScopeView,
    /// The wider scope that was asked for and waits for a reviewer.
    pub promotion: Option<ScopeView>,
    pub origin: &'static str,
    pub status: &'static str,
    /// Why it was rejected or archived, or why its promotion was refused.
    pub status_reason: Option<String>,
    pub enabled: bool,
    /// Whether agents can find and use it: active and enabled.
    pub usable: bool,
    /// The current revision; in a draft or a pending skill it is the one that waits.
    pub revision: u32,
    /// The revision that was let in last: what `revision` is compared with while it waits. Null when none was.
    pub approved_revision: Option<u32>,
    /// The revision whose policy is in force while the skill is enabled.
    pub enforced_revision: Option<u32>,
    pub digest: String,
    /// Counts every change of this record; it is the `ETag`.
    pub version: u64,
    pub icon: Option<String>,
    pub tags: Vec<String>,
    pub example_prompts: Vec<String>,
    pub suggested_tools: Vec<String>,
    pub extends: Option<String>,
    /// Which of `instructions`, `procedure` and `policy` it has.
    pub facets: Vec<&'static str>,
    #[schema(format = Uuid)]
    pub created_by: String,
    /// The agent it was made through.
    #[schema(format = Uuid)]
    pub created_through: Option<String>,
    /// The session it was learned in.
    #[schema(format = Uuid)]
    pub created_in: Option<String>,
    /// Where it was imported from.
    pub source: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// The author of the current revision.
    #[schema(format = Uuid)]
    pub updated_by: String,
    #[schema(format = DateTime)]
    pub deleted_at: Option<String>,
    pub statistics: StatisticsView,
}

fn facets(skill: &Skill) -> Vec<&'static str> {
    let all = [
        ("instructions", skill.facets.instructions),
        ("procedure", skill.facets.procedure),
        ("policy", skill.facets.policy),
    ];
    all.into_iter().filter(|(_, there)| *there).map(|(word, _)| word).collect()
}

impl From<SkillRecord> for SkillView {
    fn from(SkillRecord { skill, statistics }: SkillRecord) -> Self {
        Self {
            id: skill.id.to_string(),
            scope: skill.scope.into(),
            promotion: skill.promotion.map(ScopeView::from),
            origin: skill.origin.as_str(),
            status: skill.status.as_str(),
            enabled: skill.enabled,
            usable: skill.is_usable(),
            revision: skill.revision.get(),
            approved_revision: skill.approved.map(RevisionNumber::get),
            enforced_revision: skill.enforced.map(RevisionNumber::get),
            digest: skill.digest.to_string(),
            version: skill.version,
            facets: facets(&skill),
            created_by: skill.provenance.user.to_string(),
            created_through: skill.provenance.agent.map(|id| id.to_string()),
            created_in: skill.provenance.session.map(|id| id.to_string()),
            created_at: time(skill.created_at),
            updated_at: time(skill.updated_at),
            updated_by: skill.updated_by.to_string(),
            deleted_at: skill.deleted_at.map(time),
            statistics: (&statistics).into(),
            name: skill.name.to_string(),
            title: skill.title,
            description: skill.description,
            status_reason: skill.status_reason,
            icon: skill.icon,
            tags: skill.tags,
            example_prompts: skill.example_prompts,
            suggested_tools: skill.suggested_tools,
            extends: skill.extends,
            source: skill.provenance.source,
        }
    }
}

/// A revision.
#[derive(Serialize, ToSchema)]
pub(crate) struct RevisionView {
    pub number: u32,
    pub digest: String,
    pub label: Option<String>,
    #[schema(format = Uuid)]
    pub author_id: String,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub message: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub file_count: u32,
    pub size: u64,
}

impl From<Revision> for RevisionView {
    fn from(revision: Revision) -> Self {
        Self {
            number: revision.number.get(),
            digest: revision.digest.to_string(),
            label: revision.label.as_ref().map(|label: &Label| label.as_str().to_owned()),
            author_id: revision.author.to_string(),
            agent_id: revision.agent.map(|id| id.to_string()),
            message: revision.message,
            created_at: time(revision.created_at),
            file_count: revision.file_count,
            size: revision.size,
        }
    }
}

/// A file of a revision.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileView {
    pub path: String,
    pub digest: String,
    pub size: u64,
    pub media_type: &'static str,
    pub executable: bool,
    /// What it is for, where `repertoire.yaml` says so.
    pub description: Option<String>,
}

impl FileView {
    /// The files of a revision with what its sidecar says they are for.
    pub(crate) fn all(files: &[FileEntry], descriptions: &BTreeMap<String, String>) -> Vec<Self> {
        files.iter().map(|entry| Self::new(entry, descriptions)).collect()
    }

    fn new(entry: &FileEntry, descriptions: &BTreeMap<String, String>) -> Self {
        Self {
            description: descriptions.get(entry.path.as_str()).cloned(),
            media_type: model::media_type(entry.path.file_name()),
            path: entry.path.to_string(),
            digest: entry.digest.to_string(),
            size: entry.size,
            executable: entry.executable,
        }
    }
}

/// A skill with everything its revision holds, but for the bytes of its files.
#[derive(Serialize, ToSchema)]
pub(crate) struct SkillDetailView {
    #[serde(flatten)]
    pub skill: SkillView,
    /// The revision that is shown.
    pub shown: RevisionView,
    pub files: Vec<FileView>,
    /// `SKILL.md` as it is.
    pub skill_file: String,
    /// The Markdown behind the frontmatter.
    pub instructions: String,
    pub license: Option<String>,
    pub compatibility: Option<String>,
    pub allowed_tools: Option<String>,
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    pub procedure: Option<ProcedureView>,
    pub policy: Option<PolicyView>,
    pub findings: Vec<FindingView>,
    /// The names of the agents it is assigned to.
    pub agents: Vec<String>,
}

impl From<Detail> for SkillDetailView {
    fn from(detail: Detail) -> Self {
        let Manifest {
            file_descriptions,
            license,
            compatibility,
            allowed_tools,
            metadata,
            body,
            procedure,
            policy,
            ..
        } = detail.manifest;
        Self {
            skill: detail.record.into(),
            shown: detail.revision.into(),
            files: FileView::all(&detail.files, &file_descriptions),
            skill_file: detail.skill_file,
            instructions: body,
            license,
            compatibility,
            allowed_tools,
            metadata: metadata.into_iter().map(|(key, value)| (key, Value::String(value))).collect(),
            procedure: procedure.as_ref().map(ProcedureView::from),
            policy: policy.as_ref().map(PolicyView::from),
            findings: detail.findings.iter().map(FindingView::from).collect(),
            agents: detail.agents.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A skill that was put in or changed.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublishedView {
    /// `created`, `revised`, `unchanged` or `skipped`.
    pub outcome: &'static str,
    pub skill: SkillView,
    /// What was found in the files.
    pub findings: Vec<FindingView>,
}

pub(super) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Revised => "revised",
        Outcome::Unchanged => "unchanged",
        Outcome::Skipped => "skipped",
    }
}

impl From<Published> for PublishedView {
    fn from(published: Published) -> Self {
        let findings = published.findings.iter().map(FindingView::from).collect();
        Self { outcome: outcome_word(published.outcome), skill: published.record.into(), findings }
    }
}

/// A skill after a decision.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReviewedView {
    pub skill: SkillView,
    /// Whether anything changed.
    pub changed: bool,
}

impl From<Reviewed> for ReviewedView {
    fn from(reviewed: Reviewed) -> Self {
        Self { skill: reviewed.record.into(), changed: reviewed.changed }
    }
}

/// What became of one of many: exactly one of the two.
#[derive(Serialize, ToSchema)]
pub(crate) struct BulkResultView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

impl From<Result<Published, Error>> for BulkResultView {
    fn from(result: Result<Published, Error>) -> Self {
        match result {
            Ok(published) => Self { published: Some(published.into()), problem: None },
            Err(error) => Self { published: None, problem: Some(Problem::of(&error)) },
        }
    }
}

/// What became of many, in the order of the request.
#[derive(Serialize, ToSchema)]
pub(crate) struct BulkView {
    /// Whether anything was written.
    pub committed: bool,
    pub results: Vec<BulkResultView>,
}

/// What became of an archive.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportView {
    /// Whether anything was written.
    pub committed: bool,
    /// The folder of each skill in the archive, in the order of the results.
    pub folders: Vec<String>,
    pub results: Vec<BulkResultView>,
    /// What was found in the archive itself.
    pub findings: Vec<FindingView>,
}

/// Whether a client of the standard loads a bundle.
#[derive(Serialize, ToSchema)]
pub(crate) struct ClientVerdictView {
    pub client: &'static str,
    /// `loads`, `loads_with_warning` or `refuses`.
    pub outcome: &'static str,
    pub reasons: Vec<String>,
}

impl From<ClientVerdict> for ClientVerdictView {
    fn from(verdict: ClientVerdict) -> Self {
        Self { client: verdict.client.as_str(), outcome: verdict.outcome.as_str(), reasons: verdict.reasons }
    }
}

/// What an examination shows.
#[derive(Serialize, ToSchema)]
pub(crate) struct ValidationView {
    /// Whether this library would take it.
    pub accepted: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    pub findings: Vec<FindingView>,
    pub clients: Vec<ClientVerdictView>,
}

impl From<Examination> for ValidationView {
    fn from(examination: Examination) -> Self {
        Self {
            accepted: examination.refusal.is_none(),
            problem: examination.refusal.as_ref().map(Problem::of),
            findings: examination.findings.iter().map(FindingView::from).collect(),
            clients: examination.clients.into_iter().map(ClientVerdictView::from).collect(),
        }
    }
}

/// A file that changed.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileDiffView {
    pub path: String,
    /// `added`, `removed` or `modified`.
    pub change: &'static str,
    /// A unified diff; null when the file is not text, or too long.
    pub unified: Option<String>,
}

impl From<FileDiff> for FileDiffView {
    fn from(diff: FileDiff) -> Self {
        let change = match diff.change {
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Modified => "modified",
        };
        Self { path: diff.path.to_string(), change, unified: diff.unified }
    }
}

/// What changed between two revisions.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiffView {
    pub from: RevisionView,
    pub to: RevisionView,
    pub files: Vec<FileDiffView>,
}

/// How many skills one owner has.
#[derive(Serialize, ToSchema)]
pub(crate) struct SkillGroupView {
    /// `workspace`, `agent`, `user` or `agent_user`.
    pub scope: &'static str,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    #[schema(format = Uuid)]
    pub user_id: Option<String>,
    pub user_handle: Option<String>,
    pub count: u64,
}

impl From<SkillGroup> for SkillGroupView {
    fn from(group: SkillGroup) -> Self {
        let ScopeView { kind, agent_id, user_id } = group.scope.into();
        Self {
            scope: kind,
            agent_id,
            agent_name: group.agent.map(|name| name.to_string()),
            user_id,
            user_handle: group.user.map(|handle| handle.to_string()),
            count: group.count,
        }
    }
}

/// A tag with how many skills have it.
#[derive(Serialize, ToSchema)]
pub(crate) struct TagView {
    pub tag: String,
    pub count: u64,
}

/// One person's word on a skill.
#[derive(Serialize, ToSchema)]
pub(crate) struct FeedbackView {
    #[schema(format = Uuid)]
    pub user_id: String,
    pub helpful: bool,
    pub comment: Option<String>,
    #[schema(format = DateTime)]
    pub at: String,
}

impl From<Feedback> for FeedbackView {
    fn from(feedback: Feedback) -> Self {
        Self {
            user_id: feedback.user.to_string(),
            helpful: feedback.helpful,
            comment: feedback.comment,
            at: time(feedback.at),
        }
    }
}
