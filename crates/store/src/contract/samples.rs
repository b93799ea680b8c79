//! What the claims store: values that are valid and, unless said otherwise, all different.

use std::sync::atomic::{AtomicU64, Ordering};

use model::{
    Actor, Agent, AgentId, AuditVerb, Decision, DecisionId, Digest, Discovery, Facets, GovernedRun,
    GovernedRunId, Handle, Label, Origin, Provenance, Revision, RevisionNumber, Run, RunId, RunStatus, Scope,
    Session, SessionId, SignInId, Skill, SkillId, SkillName, Status, Subject, Timestamp, TokenId, User,
    UserId, Workspace, WorkspaceId, WorkspaceSettings,
};
use time::{Duration, macros::datetime};
use uuid::Uuid;

use crate::NewAuditEntry;

fn next() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u128(
        0x0190_0000_0000_7000_8000_0000_0000_0000 + u128::from(NEXT.fetch_add(1, Ordering::Relaxed)),
    )
}

pub fn workspace_id() -> WorkspaceId {
    WorkspaceId::new(next())
}

pub fn user_id() -> UserId {
    UserId::new(next())
}

pub fn agent_id() -> AgentId {
    AgentId::new(next())
}

pub fn skill_id() -> SkillId {
    SkillId::new(next())
}

pub fn token_id() -> TokenId {
    TokenId::new(next())
}

pub fn sign_in_id() -> SignInId {
    SignInId::new(next())
}

/// A moment, so many seconds after a fixed one that is no whole millisecond.
pub fn moment(seconds: i64) -> Timestamp {
    datetime!(2026-03-01 12:00:00.123456 UTC) + Duration::seconds(seconds)
}

pub fn name(text: &str) -> SkillName {
    SkillName::parse(text).unwrap()
}

pub fn number(number: u32) -> RevisionNumber {
    RevisionNumber::new(number).unwrap()
}

pub fn label(text: &str) -> Label {
    Label::parse(text).unwrap()
}

pub fn workspace(called: &str) -> Workspace {
    Workspace {
        id: workspace_id(),
        name: name(called),
        title: format!("The {called}"),
        settings: WorkspaceSettings::default(),
        created_at: moment(0),
    }
}

pub fn user(handle: &str) -> User {
    User {
        id: user_id(),
        handle: Handle::parse(handle).unwrap(),
        display_name: handle.to_uppercase(),
        operator: false,
        disabled: false,
        created_at: moment(1),
    }
}

pub fn agent(workspace: WorkspaceId, called: &str) -> Agent {
    Agent {
        workspace,
        id: agent_id(),
        name: name(called),
        title: format!("Agent {called}"),
        description: "Helps".to_owned(),
        procedural_memory: None,
        discovery: Discovery::Auto,
        discovery_token_budget: Agent::DEFAULT_TOKEN_BUDGET,
        run_limits: model::RunLimits::default(),
        toolsets: Vec::new(),
        assignments: Vec::new(),
        version: 1,
        created_at: moment(2),
        updated_at: moment(2),
    }
}

/// An active, enabled skill in the workspace's own scope.
pub fn skill(workspace: WorkspaceId, author: UserId, called: &str) -> Skill {
    let id = skill_id();
    Skill {
        workspace,
        id,
        name: name(called),
        scope: Scope::Workspace,
        promotion: None,
        origin: Origin::User,
        status: Status::Active,
        status_reason: None,
        enabled: true,
        revision: RevisionNumber::FIRST,
        digest: Digest::of(id.to_string().as_bytes()),
        version: 1,
        title: format!("Title of {called}"),
        description: "Does something".to_owned(),
        icon: None,
        tags: Vec::new(),
        example_prompts: Vec::new(),
        suggested_tools: Vec::new(),
        extends: None,
        facets: Facets { instructions: true, procedure: false, policy: false },
        enforced: None,
        approved: None,
        provenance: Provenance { user: author, agent: None, session: None, source: None },
        created_at: moment(3),
        updated_at: moment(3),
        updated_by: author,
        deleted_at: None,
    }
}

pub fn revision(skill: &Skill, n: u32) -> Revision {
    Revision {
        skill: skill.id,
        number: number(n),
        digest: Digest::of(format!("{} {n}", skill.id).as_bytes()),
        label: None,
        author: skill.updated_by,
        agent: None,
        message: format!("revision {n}"),
        created_at: moment(i64::from(n)),
        approved_at: None,
        file_count: 0,
        size: 0,
    }
}

/// A run of a skill's first revision that succeeded.
pub fn run(skill: &Skill, by: UserId) -> Run {
    let id = RunId::new(next());
    Run {
        workspace: skill.workspace,
        id,
        skill: skill.id,
        skill_name: skill.name.clone(),
        revision: RevisionNumber::FIRST,
        user: by,
        agent: None,
        parameters: serde_json::Map::new(),
        status: RunStatus::Succeeded,
        error: None,
        duration: std::time::Duration::ZERO,
        cpu: None,
        memory_bytes: None,
        limits_hit: Vec::new(),
        output_digest: Digest::of(id.to_string().as_bytes()),
        result_size: 0,
        started_at: moment(4),
    }
}

/// A governed run that has just begun.
pub fn governed_run(workspace: WorkspaceId, by: UserId) -> GovernedRun {
    let id = GovernedRunId::new(next());
    GovernedRun {
        workspace,
        id,
        user: by,
        agent: None,
        host: None,
        session: None,
        task_digest: Digest::of(id.to_string().as_bytes()),
        task: None,
        context: None,
        steps: 0,
        denied: 0,
        started_at: moment(5),
        touched_at: moment(5),
        finished_at: None,
        outcome: None,
    }
}

/// A resolution under no policy.
pub fn decision(workspace: WorkspaceId, by: UserId) -> Decision {
    let id = DecisionId::new(next());
    Decision {
        workspace,
        id,
        at: moment(6),
        user: by,
        agent: None,
        host: None,
        run: None,
        task_digest: Digest::of(id.to_string().as_bytes()),
        task: None,
        context: None,
        policies: Vec::new(),
        reasons: Vec::new(),
        call: None,
    }
}

/// A session that has just begun.
pub fn session(workspace: WorkspaceId, by: UserId) -> Session {
    Session {
        workspace,
        id: SessionId::new(next()),
        user: by,
        agent: None,
        title: String::new(),
        key: None,
        source: None,
        outcome: None,
        outcome_reason: None,
        todos: Vec::new(),
        active_skills: Vec::new(),
        proposed_skills: Vec::new(),
        entry_count: 0,
        version: 1,
        created_at: moment(7),
        updated_at: moment(7),
        completed_at: None,
    }
}

pub fn audit_entry(verb: &str, subject: &str) -> NewAuditEntry {
    NewAuditEntry {
        at: moment(5),
        actor: Actor { user: None, agent: None },
        verb: AuditVerb(verb.to_owned()),
        subject: Subject { kind: "skill".to_owned(), id: subject.to_owned() },
        detail: "{}".to_owned(),
    }
}
