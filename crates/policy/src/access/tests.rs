//! The access matrix as a golden file, and the claims that matter most on their own.

use model::{
    AgentId, Approver, Caller, Credential, Digest, Facets, GovernedRun, GovernedRunId, Origin, Provenance,
    Reach, RevisionNumber, Role, Roles, Scope, Session, SessionId, Skill, SkillId, SkillName, Status,
    Timestamp, TokenScope, TokenScopes, UserId, WorkspaceId,
};
use uuid::Uuid;

use super::*;

fn user(n: u128) -> UserId {
    UserId::new(Uuid::from_u128(n))
}

fn agent(n: u128) -> AgentId {
    AgentId::new(Uuid::from_u128(0xa0 + n))
}

const ALICE: u128 = 1;
const BOB: u128 = 2;

fn caller(roles: &[Role]) -> Caller {
    Caller {
        workspace: WorkspaceId::new(Uuid::from_u128(9)),
        user: user(ALICE),
        agent: None,
        roles: roles.iter().copied().collect(),
        reach: Reach::Member,
        token_scopes: TokenScopes::ALL,
        credential: Credential::Person,
    }
}

fn skill(scope: Scope, author: u128, status: Status) -> Skill {
    let now = Timestamp::UNIX_EPOCH;
    Skill {
        workspace: WorkspaceId::new(Uuid::from_u128(9)),
        id: SkillId::new(Uuid::from_u128(100)),
        name: SkillName::parse("x").unwrap(),
        scope,
        promotion: None,
        origin: Origin::User,
        status,
        status_reason: None,
        enabled: true,
        revision: RevisionNumber::FIRST,
        digest: Digest::of(b""),
        version: 1,
        title: String::new(),
        description: String::new(),
        icon: None,
        tags: vec![],
        example_prompts: vec![],
        suggested_tools: vec![],
        extends: None,
        facets: Facets::default(),
        enforced: None,
        approved: None,
        provenance: Provenance { user: user(author), agent: None, session: None, source: None },
        created_at: now,
        updated_at: now,
        updated_by: user(author),
        deleted_at: None,
    }
}

fn governed_run(by: u128, through: Option<AgentId>) -> GovernedRun {
    GovernedRun {
        workspace: WorkspaceId::new(Uuid::from_u128(9)),
        id: GovernedRunId::new(Uuid::from_u128(300)),
        user: user(by),
        agent: through,
        host: None,
        session: None,
        task_digest: Digest::of(b""),
        task: None,
        context: None,
        steps: 0,
        denied: 0,
        started_at: Timestamp::UNIX_EPOCH,
        touched_at: Timestamp::UNIX_EPOCH,
        finished_at: None,
        outcome: None,
    }
}

fn session(by: u128, through: Option<AgentId>) -> Session {
    Session {
        workspace: WorkspaceId::new(Uuid::from_u128(9)),
        id: SessionId::new(Uuid::from_u128(500)),
        user: user(by),
        agent: through,
        title: String::new(),
        key: None,
        source: None,
        outcome: None,
        outcome_reason: None,
        todos: vec![],
        active_skills: vec![],
        proposed_skills: vec![],
        entry_count: 0,
        version: 1,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        completed_at: None,
    }
}

/// The owners of what is somebody's own.
fn owners() -> [(&'static str, u128, Option<AgentId>); 5] {
    [
        ("own", ALICE, None),
        ("own, agent 1", ALICE, Some(agent(1))),
        ("own, agent 2", ALICE, Some(agent(2))),
        ("bob's", BOB, None),
        ("bob's, agent 1", BOB, Some(agent(1))),
    ]
}

fn with_policy(mut skill: Skill) -> Skill {
    skill.facets.policy = true;
    skill
}

fn callers() -> Vec<(&'static str, Caller)> {
    let member = caller(&[Role::Member]);
    vec![
        ("outsider", caller(&[])),
        ("member", member.clone()),
        ("reviewer", caller(&[Role::Member, Role::Reviewer])),
        ("policy_admin", caller(&[Role::Member, Role::PolicyAdmin])),
        ("admin", caller(&[Role::Member, Role::Admin])),
        ("operator", Caller { reach: Reach::Operator, roles: Roles::NONE, ..member.clone() }),
        ("admin_via_agent", Caller { agent: Some(agent(1)), ..caller(&[Role::Member, Role::Admin]) }),
        (
            "read_token",
            Caller { token_scopes: [TokenScope::Read].into_iter().collect(), ..caller(Role::ALL) },
        ),
    ]
}

#[test]
fn the_matrix_is_what_the_golden_file_says() {
    let skills = [
        ("workspace, active, by bob", skill(Scope::Workspace, BOB, Status::Active)),
        ("workspace, active, own", skill(Scope::Workspace, ALICE, Status::Active)),
        ("workspace, pending, own", skill(Scope::Workspace, ALICE, Status::PendingApproval)),
        ("agent 1, active, by bob", skill(Scope::Agent(agent(1)), BOB, Status::Active)),
        ("agent 2, active, by bob", skill(Scope::Agent(agent(2)), BOB, Status::Active)),
        ("user, own", skill(Scope::User(user(ALICE)), ALICE, Status::Active)),
        ("user, bob's", skill(Scope::User(user(BOB)), BOB, Status::Active)),
        (
            "agent 1 + user, own",
            skill(Scope::AgentUser(agent(1), user(ALICE)), ALICE, Status::PendingApproval),
        ),
        ("agent 2 + user, own", skill(Scope::AgentUser(agent(2), user(ALICE)), ALICE, Status::Active)),
        ("agent 1 + user, bob's", skill(Scope::AgentUser(agent(1), user(BOB)), BOB, Status::Active)),
        ("policy, workspace, by bob", with_policy(skill(Scope::Workspace, BOB, Status::PendingApproval))),
        ("policy, user, own", with_policy(skill(Scope::User(user(ALICE)), ALICE, Status::Active))),
        ("policy in force, by bob", with_policy(skill(Scope::Workspace, BOB, Status::Active)).settled()),
        (
            "policy in force, edit waits",
            Skill {
                revision: RevisionNumber::FIRST.next(),
                enforced: Some(RevisionNumber::FIRST),
                ..skill(Scope::Workspace, BOB, Status::PendingApproval)
            },
        ),
        ("provider's", Skill { origin: Origin::Provider, ..skill(Scope::Workspace, BOB, Status::Active) }),
    ];
    let scopes = [
        ("workspace", Scope::Workspace),
        ("agent 1", Scope::Agent(agent(1))),
        ("agent 2", Scope::Agent(agent(2))),
        ("own", Scope::User(user(ALICE))),
        ("bob's", Scope::User(user(BOB))),
    ];
    let mut acts: Vec<(String, Act<'_>)> = vec![
        ("list_skills".into(), Act::ListSkills),
        ("write_policy".into(), Act::WritePolicy),
        ("read_workspace".into(), Act::ReadWorkspace),
        ("use_code_session".into(), Act::UseCodeSession),
        ("read_code_session".into(), Act::ReadCodeSession),
        ("govern".into(), Act::Govern),
        ("list_decisions".into(), Act::ListDecisions),
        ("start_session".into(), Act::StartSession),
        ("list_sessions".into(), Act::ListSessions),
        ("manage_workspace".into(), Act::ManageWorkspace),
        ("manage_agents".into(), Act::ManageAgents),
        ("manage_members".into(), Act::ManageMembers),
        ("manage_token, own".into(), Act::ManageToken(user(ALICE))),
        ("manage_token, bob's".into(), Act::ManageToken(user(BOB))),
        ("create_token, own".into(), Act::CreateToken(user(ALICE))),
        ("create_token, bob's".into(), Act::CreateToken(user(BOB))),
        ("list_runs".into(), Act::ListRuns),
        ("prune_runs".into(), Act::PruneRuns),
        ("read_audit".into(), Act::ReadAudit),
        ("manage_workspaces".into(), Act::ManageWorkspaces),
        ("manage_users".into(), Act::ManageUsers),
        ("take_backup".into(), Act::TakeBackup),
    ];
    acts.extend(
        scopes.iter().map(|(what, scope)| (format!("create_skill: {what}"), Act::CreateSkill(*scope))),
    );
    for (what, skill) in &skills {
        acts.extend([
            (format!("read_skill: {what}"), Act::ReadSkill(skill)),
            (format!("edit_skill: {what}"), Act::EditSkill(skill)),
            (format!("submit_skill: {what}"), Act::SubmitSkill(skill)),
            (format!("approve_skill by owner: {what}"), Act::ApproveSkill(skill, Approver::Owner)),
            (format!("approve_skill by admin: {what}"), Act::ApproveSkill(skill, Approver::Admin)),
            (format!("approve_skill by two: {what}"), Act::ApproveSkill(skill, Approver::TwoPerson)),
            (format!("reject_skill: {what}"), Act::RejectSkill(skill)),
            (format!("archive_skill: {what}"), Act::ArchiveSkill(skill)),
            (format!("switch_skill: {what}"), Act::SwitchSkill(skill)),
            (format!("promote_skill: {what}"), Act::PromoteSkill(skill)),
            (format!("delete_skill: {what}"), Act::DeleteSkill(skill)),
            (format!("rate_skill: {what}"), Act::RateSkill(skill)),
            (format!("run_skill: {what}"), Act::RunSkill(skill)),
        ]);
    }
    acts.extend(
        owners().map(|(what, by, through)| (format!("read_run: {what}"), Act::ReadRun(user(by), through))),
    );
    acts.extend(
        owners().map(|(what, by, through)| (format!("read_uses: {what}"), Act::ReadUses(user(by), through))),
    );
    let runs = owners().map(|(what, by, through)| (what, governed_run(by, through)));
    acts.extend(
        runs.iter().map(|(what, run)| (format!("use_governed_run: {what}"), Act::UseGovernedRun(run))),
    );
    acts.extend(
        owners().map(|(what, by, through)| {
            (format!("read_decision: {what}"), Act::ReadDecision(user(by), through))
        }),
    );
    let sessions = owners().map(|(what, by, through)| (what, session(by, through)));
    for (what, session) in &sessions {
        acts.extend([
            (format!("read_session: {what}"), Act::ReadSession(session)),
            (format!("write_session: {what}"), Act::WriteSession(session)),
            (format!("delete_session: {what}"), Act::DeleteSession(session)),
        ]);
    }
    let callers = callers();
    let mut table = format!("{:<52}", "act");
    table.extend(callers.iter().map(|(name, _)| format!("{name:<16}")));
    for (name, act) in &acts {
        table.extend([format!("\n{name:<52}")]);
        table.extend(callers.iter().map(|(_, caller)| format!("{:<16}", word(&decide(caller, *act)))));
    }
    let table = table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n";
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/access/matrix.txt");
    let stored = std::fs::read_to_string(&golden).unwrap_or_default();
    if stored != table {
        std::fs::write(golden.with_extension("txt.new"), &table).unwrap();
    }
    assert_eq!(stored, table, "rules changed: review matrix.txt.new and move it over matrix.txt");
}

fn word(decision: &Result<(), Denial>) -> &'static str {
    match decision {
        Ok(()) => "yes",
        Err(Denial::NotVisible) => "unseen",
        Err(Denial::Role(_)) => "role",
        Err(Denial::Operator) => "operator",
        Err(Denial::TokenScope(_)) => "token",
        Err(Denial::NotMember) => "outsider",
        Err(Denial::SecondPerson) => "second person",
        Err(Denial::Shared) => "shared",
        Err(Denial::ReadOnly) => "read-only",
        Err(Denial::ThroughAgent) => "agent",
        Err(Denial::ForeignScope | Denial::ForeignSession) => "foreign",
    }
}

#[test]
fn a_skill_of_one_agent_and_user_is_seen_by_no_other_pair() {
    let theirs = skill(Scope::AgentUser(agent(1), user(ALICE)), ALICE, Status::Active);
    let through = |agent| Caller { agent: Some(agent), ..caller(&[Role::Member]) };
    assert!(decide(&through(agent(1)), Act::ReadSkill(&theirs)).is_ok());
    assert_eq!(decide(&through(agent(2)), Act::ReadSkill(&theirs)), Err(Denial::NotVisible));
    let bob = Caller { user: user(BOB), ..through(agent(1)) };
    assert_eq!(decide(&bob, Act::ReadSkill(&theirs)), Err(Denial::NotVisible));
}

#[test]
fn an_owner_cannot_grant_their_own_promotion() {
    let mut own = skill(Scope::User(user(ALICE)), ALICE, Status::Active);
    own.promotion = Some(Scope::Workspace);
    let owner = caller(&[Role::Member]);
    assert_eq!(
        decide(&owner, Act::ApproveSkill(&own, Approver::Owner)),
        Err(Denial::Role("reviewer or admin"))
    );
}

#[test]
fn a_new_skill_waits_in_a_shared_scope_unless_its_author_reviews() {
    let (member, reviewer) = (caller(&[Role::Member]), caller(&[Role::Member, Role::Reviewer]));
    assert_eq!(initial_status(&member, Scope::Workspace, false), Status::PendingApproval);
    assert_eq!(initial_status(&reviewer, Scope::Workspace, false), Status::Active);
    assert_eq!(initial_status(&member, Scope::User(user(ALICE)), false), Status::Active);
    assert_eq!(initial_status(&reviewer, Scope::User(user(ALICE)), true), Status::PendingApproval);
}

#[test]
fn refusing_what_waits_is_a_reviewer_s_and_refusing_what_is_in_force_a_policy_admin_s() {
    let active = with_policy(skill(Scope::Workspace, BOB, Status::Active)).settled();
    let edited = Skill { revision: active.revision.next(), ..active.clone() };
    let (reviewer, both) =
        (caller(&[Role::Member, Role::Reviewer]), caller(&[Role::Member, Role::Reviewer, Role::PolicyAdmin]));
    assert_eq!(decide(&reviewer, Act::RejectSkill(&active)), Err(Denial::Role("policy_admin")));
    assert_eq!(decide(&both, Act::RejectSkill(&active)), Ok(()));
    assert_eq!(decide(&reviewer, Act::RejectSkill(&edited)), Ok(()));
}
