//! Agents: settings, assignments, and their end.

use app::agents::{AgentSpec, assign, create, delete, find, list, read, unassign, update};
use app::identity::by_token;
use app::tokens::CreateToken;
use app::{Code, PageRequest};
use model::{
    AgentId, Approver, Assignment, Discovery, ProceduralMemory, ProposalMode, RevisionNumber, Role, SkillId,
    TokenScope, Toolset,
};
use testkit::app::{name, spec};
use testkit::{CallerExt as _, TestApp};

fn ids(assignments: &[Assignment]) -> Vec<SkillId> {
    assignments.iter().map(|assignment| assignment.skill).collect()
}

#[tokio::test]
async fn settings_come_back_as_they_were_given() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let skill = app.skill(&admin, "a").await.skill;
    let spec = AgentSpec {
        title: Some("Helper".into()),
        description: "helps".into(),
        procedural_memory: Some(ProceduralMemory {
            enabled: true,
            auto_register_skills: false,
            require_skill_approval: true,
            max_skills_per_user: 7,
            skill_search_threshold: 0.5,
            prefer_skills: false,
            approver: Approver::TwoPerson,
            proposal_mode: ProposalMode::Off,
        }),
        discovery: Discovery::Hybrid,
        discovery_token_budget: 99,
        toolsets: vec![Toolset::Memory, Toolset::Library],
        assignments: vec![Assignment { skill: skill.id, pin: Some(RevisionNumber::FIRST) }],
        ..AgentSpec::new(name("helper"))
    };
    let made = create(&app.cx, &admin, spec).await.unwrap();
    assert_eq!(made.version, 1);
    assert_eq!(read(&app.cx, &alice, made.id).await.unwrap(), made);
    assert_eq!(find(&app.cx, &alice, &name("helper")).await.unwrap(), made);
    let plain = create(&app.cx, &admin, AgentSpec::new(name("plain"))).await.unwrap();
    assert_eq!((plain.procedural_memory.clone(), plain.title.as_str()), (None, "plain"));
    assert_eq!((plain.discovery, plain.discovery_token_budget), (Discovery::Auto, 2_000));
    assert_eq!(read(&app.cx, &alice, plain.id).await.unwrap(), plain);
}

#[tokio::test]
async fn a_toolset_is_named_once() {
    let app = TestApp::new().await;
    let toolsets = vec![Toolset::Memory, Toolset::Library, Toolset::Memory];
    let spec = AgentSpec { toolsets, ..AgentSpec::new(name("helper")) };
    app.refuses(Code::InvalidSettings, create(&app.cx, &app.admin().await, spec)).await;
}

#[tokio::test]
async fn only_admins_manage_agents() {
    let app = TestApp::new().await;
    let (alice, rita) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let agent = app.agent("one").await;
    let skill = app.skill(&app.admin().await, "a").await.skill.id;
    let writer = app.admin().await.scoped(&[TokenScope::Read, TokenScope::Write, TokenScope::Review]);
    for (caller, code) in [(&alice, Code::Forbidden), (&rita, Code::Forbidden), (&writer, Code::TokenScope)] {
        let spec = || AgentSpec::new(name("two"));
        app.refuses(code, create(&app.cx, caller, spec())).await;
        app.refuses(code, update(&app.cx, caller, agent.id, spec(), None)).await;
        app.refuses(code, delete(&app.cx, caller, agent.id)).await;
        app.refuses(code, assign(&app.cx, caller, agent.id, skill, None, None)).await;
        app.refuses(code, unassign(&app.cx, caller, agent.id, skill)).await;
    }
}

#[tokio::test]
async fn values_out_of_range_are_refused() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let new = || AgentSpec::new(name("x"));
    for threshold in [-0.1, 1.1, f64::NAN] {
        let settings = ProceduralMemory { skill_search_threshold: threshold, ..ProceduralMemory::default() };
        let spec = AgentSpec { procedural_memory: Some(settings), ..new() };
        app.refuses(Code::InvalidSettings, create(&app.cx, &admin, spec)).await;
    }
    for budget in [0, 1_000_001] {
        let spec = AgentSpec { discovery_token_budget: budget, ..new() };
        app.refuses(Code::InvalidSettings, create(&app.cx, &admin, spec)).await;
    }
    let endless = [
        AgentSpec { title: Some("x".repeat(201)), ..new() },
        AgentSpec { description: "x".repeat(2_001), ..new() },
    ];
    for spec in endless {
        app.refuses(Code::InvalidRequest, create(&app.cx, &admin, spec)).await;
    }
}

#[tokio::test]
async fn a_name_belongs_to_one_agent() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (one, _) = (app.agent("one").await, app.agent("two").await);
    app.refuses(Code::NameTaken, create(&app.cx, &admin, AgentSpec::new(name("one")))).await;
    let renamed = update(&app.cx, &admin, one.id, AgentSpec::new(name("two")), None);
    app.refuses(Code::NameTaken, renamed).await;
    let renamed = update(&app.cx, &admin, one.id, AgentSpec::new(name("three")), None).await.unwrap();
    assert_eq!((renamed.id, renamed.name.as_str()), (one.id, "three"));
}

#[tokio::test]
async fn an_update_on_an_older_version_changes_nothing() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let agent = app.agent("one").await;
    let spec = || AgentSpec { description: "new".into(), ..AgentSpec::new(name("one")) };
    let changed = update(&app.cx, &admin, agent.id, spec(), Some(1)).await.unwrap();
    assert_eq!(changed.version, 2);
    app.refuses(Code::Precondition, update(&app.cx, &admin, agent.id, spec(), Some(1))).await;
    let nobody = AgentId::new(admin.user.uuid());
    app.refuses(Code::NotFound, update(&app.cx, &admin, nobody, spec(), None)).await;
    app.refuses(Code::NotFound, read(&app.cx, &admin, nobody)).await;
    app.refuses(Code::NotFound, find(&app.cx, &admin, &name("nobody"))).await;
    app.refuses(Code::NotFound, delete(&app.cx, &admin, nobody)).await;
}

#[tokio::test]
async fn assignments_keep_their_order_and_pins() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let agent = app.agent("one").await;
    let mut skills = Vec::new();
    for skill in ["a", "b", "c"] {
        skills.push(app.skill(&admin, skill).await.skill.id);
        assign(&app.cx, &admin, agent.id, *skills.last().unwrap(), None, None).await.unwrap();
    }
    let [a, b, c] = skills[..] else { unreachable!() };
    let moved = assign(&app.cx, &admin, agent.id, c, Some(RevisionNumber::FIRST), Some(0)).await.unwrap();
    assert_eq!(ids(&moved.assignments), [c, a, b]);
    assert_eq!(moved.assignments[0].pin, Some(RevisionNumber::FIRST));
    let far = assign(&app.cx, &admin, agent.id, a, None, Some(99)).await.unwrap();
    assert_eq!(ids(&far.assignments), [c, b, a]);
    assert_eq!(read(&app.cx, &admin, agent.id).await.unwrap(), far);
    app.leaves_alone(assign(&app.cx, &admin, agent.id, a, None, Some(2))).await;
    let less = unassign(&app.cx, &admin, agent.id, b).await.unwrap();
    assert_eq!(ids(&less.assignments), [c, a]);
    app.leaves_alone(unassign(&app.cx, &admin, agent.id, b)).await;
}

#[tokio::test]
async fn only_what_is_there_can_be_assigned_once() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let agent = app.agent("one").await;
    let skill = app.skill(&admin, "a").await.skill.id;
    let nothing = SkillId::new(admin.user.uuid());
    app.refuses(Code::NotFound, assign(&app.cx, &admin, agent.id, nothing, None, None)).await;
    let pin = RevisionNumber::new(2);
    app.refuses(Code::NotFound, assign(&app.cx, &admin, agent.id, skill, pin, None)).await;
    let twice = AgentSpec {
        assignments: vec![Assignment { skill, pin: None }, Assignment { skill, pin: None }],
        ..AgentSpec::new(name("one"))
    };
    app.refuses(Code::InvalidRequest, update(&app.cx, &admin, agent.id, twice, None)).await;
    let private = app.skill(&app.user("alice", &[]).await, "private").await.skill.id;
    let via = admin.through(&agent);
    app.refuses(Code::Forbidden, assign(&app.cx, &via, agent.id, private, None, None)).await;
    let hide = app::workspaces::ChangeWorkspace { hide_existence: Some(true), ..Default::default() };
    app::workspaces::change(&app.cx, &admin, hide).await.unwrap();
    app.refuses(Code::NotFound, assign(&app.cx, &via, agent.id, private, None, None)).await;
}

#[tokio::test]
async fn a_deleted_skill_does_not_block_the_other_assignments() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let window = app::workspaces::ChangeWorkspace { undelete_window_hours: Some(24), ..Default::default() };
    app::workspaces::change(&app.cx, &admin, window).await.unwrap();
    let agent = app.agent("one").await;
    let (a, b, c) =
        (app.skill(&admin, "a").await, app.skill(&admin, "b").await, app.skill(&admin, "c").await);
    for record in [&a, &b] {
        assign(&app.cx, &admin, agent.id, record.skill.id, None, None).await.unwrap();
    }
    app::skills::delete(&app.cx, &admin, a.skill.id, None, None).await.unwrap();
    assign(&app.cx, &admin, agent.id, c.skill.id, None, None).await.unwrap();
    let now = unassign(&app.cx, &admin, agent.id, b.skill.id).await.unwrap();
    app::skills::delete(&app.cx, &admin, b.skill.id, None, None).await.unwrap();
    app.refuses(Code::NotFound, assign(&app.cx, &admin, agent.id, b.skill.id, None, None)).await;
    let same = AgentSpec { assignments: now.assignments.clone(), ..AgentSpec::new(name("one")) };
    update(&app.cx, &admin, agent.id, same, None).await.unwrap();
    app::skills::undelete(&app.cx, &admin, a.skill.id).await.unwrap();
    assert_eq!(ids(&read(&app.cx, &admin, agent.id).await.unwrap().assignments), [a.skill.id, c.skill.id]);
}

#[tokio::test]
async fn a_purged_skill_leaves_its_agents() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let agent = app.agent("one").await;
    let skill = app.skill(&admin, "a").await.skill.id;
    assign(&app.cx, &admin, agent.id, skill, None, None).await.unwrap();
    app::skills::delete(&app.cx, &admin, skill, None, None).await.unwrap();
    assert!(read(&app.cx, &admin, agent.id).await.unwrap().assignments.is_empty());
}

#[tokio::test]
async fn an_agent_with_skills_of_its_own_stays() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let agent = app.agent("one").await;
    let id = app.skill(&alice.through(&agent), "a").await.skill.id;
    let refusal = app.refuses(Code::AgentHasSkills, delete(&app.cx, &admin, agent.id)).await.to_string();
    assert_eq!(refusal, "1 skill lives in the scope of `one`; delete or promote it first");
    app::skills::promote(&app.cx, &alice, id, model::ScopeKind::User, None).await.unwrap();
    let assigned = app.skill(&admin, "assigned").await.skill.id;
    assign(&app.cx, &admin, agent.id, assigned, None, None).await.unwrap();
    delete(&app.cx, &admin, agent.id).await.unwrap();
    app.refuses(Code::NotFound, read(&app.cx, &admin, agent.id)).await;
    assert!(app::skills::read(&app.cx, &admin, assigned).await.unwrap().agents.is_empty());
}

#[tokio::test]
async fn tokens_bound_to_an_agent_end_with_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let agent = app.agent("one").await;
    let request = CreateToken {
        name: "bound".into(),
        user: None,
        agent: Some(agent.id),
        scopes: vec![TokenScope::Read],
        expires_at: None,
    };
    let (_, secret) = app::tokens::create(&app.cx, &admin, request).await.unwrap();
    by_token(&app.cx, &secret).await.unwrap();
    delete(&app.cx, &admin, agent.id).await.unwrap();
    app.refuses(Code::Unauthenticated, by_token(&app.cx, &secret)).await;
}

#[tokio::test]
async fn agents_come_in_pages_by_name() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    for agent in ["c", "a", "b"] {
        app.agent(agent).await;
    }
    let first = list(&app.cx, &alice, PageRequest { limit: 2, after: None }).await.unwrap();
    let rest = list(&app.cx, &alice, PageRequest { limit: 2, after: first.next.clone() }).await.unwrap();
    let names: Vec<_> = first.items.iter().chain(&rest.items).map(|agent| agent.name.as_str()).collect();
    assert_eq!((names, rest.next), (vec!["a", "b", "c"], None));
}

#[tokio::test]
async fn through_an_agent_that_is_gone_nothing_is_created() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let agent = app.agent("one").await;
    delete(&app.cx, &admin, agent.id).await.unwrap();
    app.refuses(Code::NotFound, app::skills::create(&app.cx, &alice.through(&agent), spec("a"), None)).await;
}
