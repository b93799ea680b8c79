//! Proposals: what an agent wants to keep waits for the person it is for.

use app::skills::{
    CreateSkill, Decision, Outcome, Proposal, by_name, decide, propose, read, scope_of, written_name,
};
use app::{Code, sessions};
use model::{Origin, ProceduralMemory, ProposalMode, Role, Scope, ScopeKind, SessionId, Status, Transition};
use testkit::app::spec;
use testkit::{CallerExt as _, TestApp};

fn flow() -> Proposal {
    Proposal {
        name: "CRM enrichment".into(),
        description: "Fills in what a contact lacks.".into(),
        instructions: "1. Look the company up.\n2. Add what is missing.".into(),
        example_queries: vec!["complete this contact".into()],
        suggested_tools: vec!["crm_search".into()],
        session: None,
    }
}

fn called(name: &str) -> Proposal {
    Proposal { name: name.into(), ..flow() }
}

#[tokio::test]
async fn a_proposal_is_a_draft_of_the_user_that_nobody_can_use_yet() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let agent = app.agent_with("helper", ProceduralMemory::default()).await;
    let through = alice.through(&agent);
    let begun = sessions::start(&app.cx, &through, sessions::Start::default()).await.unwrap().session.id;
    let session = Some(begun);
    let act = propose(&app.cx, &through, Proposal { session, ..flow() });
    let done = app.logs(alice.workspace, &["skill.create"], act).await;
    assert_eq!(done.message, "Skill proposal created. Awaiting user confirmation.");
    let skill = &done.record.skill;
    assert_eq!(
        (skill.scope, skill.status, skill.origin),
        (Scope::User(alice.user), Status::Draft, Origin::Learned)
    );
    assert_eq!((skill.name.as_str(), skill.title.as_str()), ("crm-enrichment", "CRM enrichment"));
    assert_eq!((skill.provenance.agent, skill.provenance.session), (Some(agent.id), session));
    assert_eq!(skill.example_prompts, ["complete this contact"]);
    assert_eq!(skill.suggested_tools, ["crm_search"]);
    let fields = done.artifact.fields();
    assert_eq!(
        (&fields["type"], &fields["metadata"]["skill_status"]),
        (&"skill_proposal".into(), &"Draft".into())
    );
    assert_eq!(done.artifact.skill, skill.id);
    let shown = sessions::read(&app.cx, &alice, begun).await.unwrap().proposed_skills;
    assert_eq!(shown.iter().map(|skill| skill.name.as_str()).collect::<Vec<_>>(), ["crm-enrichment"]);
    app.refuses(Code::SkillNotActive, by_name::read(&app.cx, &through, "crm-enrichment")).await;
    app.refuses(Code::NotFound, app::skills::resolve(&app.cx, &through, "crm-enrichment")).await;
}

#[tokio::test]
async fn a_proposal_comes_from_a_session_of_its_own_user() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let of_bob = sessions::start(&app.cx, &bob, sessions::Start::default()).await.unwrap().session.id;
    let nowhere = SessionId::new(uuid::Uuid::from_u128(7));
    for session in [of_bob, nowhere] {
        let proposal = Proposal { session: Some(session), ..flow() };
        app.refuses(Code::NotFound, propose(&app.cx, &alice, proposal)).await;
    }
}

#[tokio::test]
async fn the_person_confirms_and_the_agent_cannot() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let through = alice.through(&app.agent_with("helper", ProceduralMemory::default()).await);
    let id = propose(&app.cx, &through, flow()).await.unwrap().record.skill.id;
    let approve = || Decision::new(Transition::Approve);
    app.refuses(Code::Forbidden, decide(&app.cx, &through, id, approve())).await;
    assert_eq!(decide(&app.cx, &alice, id, approve()).await.unwrap().record.skill.status, Status::Active);
    assert!(by_name::read(&app.cx, &through, "crm-enrichment").await.is_ok());
}

#[tokio::test]
async fn the_same_name_again_is_a_revision_of_what_waits() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let through = alice.through(&app.agent_with("helper", ProceduralMemory::default()).await);
    let first = propose(&app.cx, &through, flow()).await.unwrap().record.skill;
    let same = app.leaves_alone(propose(&app.cx, &through, flow())).await;
    assert_eq!((same.outcome, same.record.skill.revision.get()), (Outcome::Unchanged, 1));
    let better = Proposal { instructions: "Ask first.".into(), ..called("crm_enrichment") };
    let second = propose(&app.cx, &through, better).await.unwrap();
    assert_eq!((second.outcome, second.record.skill.id), (Outcome::Revised, first.id));
    assert_eq!((second.record.skill.revision.get(), second.record.skill.status), (2, Status::Draft));
    assert_eq!(second.message, "Skill proposal updated. Awaiting user confirmation.");
    assert_eq!(read(&app.cx, &alice, first.id).await.unwrap().manifest.body, "Ask first.");
}

#[tokio::test]
async fn a_name_that_the_user_has_is_not_proposed_again() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let through = alice.through(&app.agent_with("helper", ProceduralMemory::default()).await);
    app.put(&alice, CreateSkill { draft: true, ..spec("drafted") }).await;
    app.skill(&alice, "used").await;
    let id = propose(&app.cx, &through, called("old")).await.unwrap().record.skill.id;
    decide(&app.cx, &alice, id, Decision::new(Transition::Archive)).await.unwrap();
    for (taken, state) in [("drafted", "draft"), ("used", "active"), ("old", "archived")] {
        let error = app.refuses(Code::NameTaken, propose(&app.cx, &through, called(taken))).await;
        assert!(error.to_string().contains(state), "{error}");
    }
    // Another person's is no hindrance.
    let bob = app.user("bob", &[]).await;
    assert!(propose(&app.cx, &bob, called("used")).await.is_ok());
}

#[tokio::test]
async fn what_was_rejected_is_not_proposed_again_until_it_is_changed() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let agent = app.agent_with("helper", ProceduralMemory::default()).await;
    let id = propose(&app.cx, &alice.through(&agent), flow()).await.unwrap().record.skill.id;
    decide(&app.cx, &rita, id, Decision::new(Transition::Reject)).await.unwrap();
    app.refuses(Code::RejectedContent, propose(&app.cx, &bob.through(&agent), flow())).await;
    let changed = Proposal { instructions: "Ask first.".into(), ..flow() };
    assert!(propose(&app.cx, &bob.through(&agent), changed).await.is_ok());
}

#[tokio::test]
async fn ten_proposals_of_an_agent_wait_for_a_user_and_no_more() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (one, two) = (
        app.agent_with("one", ProceduralMemory::default()).await,
        app.agent_with("two", ProceduralMemory::default()).await,
    );
    let through = alice.through(&one);
    let mut ids = Vec::new();
    for n in 0..10 {
        ids.push(propose(&app.cx, &through, called(&format!("p{n}"))).await.unwrap().record.skill.id);
    }
    let error = app.refuses(Code::LimitReached, propose(&app.cx, &through, called("p10"))).await;
    assert!(error.to_string().contains("10 proposals"), "{error}");
    // A better text for one that waits is no new one, and other agents and people have their own ten.
    let better = Proposal { instructions: "Ask first.".into(), ..called("p3") };
    assert_eq!(propose(&app.cx, &through, better).await.unwrap().outcome, Outcome::Revised);
    assert!(propose(&app.cx, &alice.through(&two), called("p10")).await.is_ok());
    let bob = app.user("bob", &[]).await;
    assert!(propose(&app.cx, &bob.through(&one), called("p10")).await.is_ok());
    decide(&app.cx, &alice, ids[0], Decision::new(Transition::Approve)).await.unwrap();
    assert!(propose(&app.cx, &through, called("p11")).await.is_ok());
}

#[tokio::test]
async fn an_agent_proposes_only_where_its_settings_let_it() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let mode = |proposal_mode| ProceduralMemory { proposal_mode, ..ProceduralMemory::default() };
    let plain = alice.through(&app.agent("plain").await);
    let error = app.refuses(Code::ProposalsOff, propose(&app.cx, &plain, flow())).await;
    assert!(error.to_string().contains("procedural memory is off"), "{error}");
    let silent = alice.through(&app.agent_with("silent", mode(ProposalMode::Off)).await);
    let error = app.refuses(Code::ProposalsOff, propose(&app.cx, &silent, flow())).await;
    assert!(error.to_string().contains("proposal mode is off"), "{error}");
    let asked = alice.through(&app.agent_with("asked", mode(ProposalMode::OnRequest)).await);
    assert!(propose(&app.cx, &asked, called("a")).await.is_ok());
    assert!(propose(&app.cx, &alice, called("b")).await.is_ok());
    let reader = alice.scoped(&[model::TokenScope::Read]);
    app.refuses(Code::TokenScope, propose(&app.cx, &reader, called("c"))).await;
}

#[tokio::test]
async fn a_proposal_says_what_it_is_when_to_use_it_and_how() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let table = [
        (Code::InvalidName, called("技能")),
        (Code::InvalidManifest, Proposal { description: " ".into(), ..flow() }),
        (Code::InvalidRequest, Proposal { instructions: "\n".into(), ..flow() }),
    ];
    for (code, proposal) in table {
        app.refuses(code, propose(&app.cx, &alice, proposal)).await;
    }
}

#[test]
fn a_name_that_is_no_slug_stays_as_the_title() {
    let read = |text: &str| written_name(text).map(|read| (read.name.to_string(), read.title)).ok();
    assert_eq!(read("calculate-growth"), Some(("calculate-growth".into(), None)));
    let title = Some("calculate_growth".to_owned());
    assert_eq!(read("calculate_growth"), Some(("calculate-growth".into(), title)));
    assert_eq!(read(&"long ".repeat(20)), None);
    assert_eq!(read("技能"), None);
}

#[tokio::test]
async fn owners_that_are_not_named_are_the_caller_and_their_agent() {
    let app = TestApp::new().await;
    let (alice, bob, agent) =
        (app.user("alice", &[]).await, app.user("bob", &[]).await, app.agent("a").await);
    let through = alice.through(&agent);
    let both = Scope::AgentUser(agent.id, alice.user);
    let table = [
        (&alice, None, None, None, Some(None)),
        (&alice, None, Some(agent.id), None, None),
        (&alice, Some(ScopeKind::Workspace), None, None, Some(Some(Scope::Workspace))),
        (&alice, Some(ScopeKind::Workspace), None, Some(bob.user), None),
        (&alice, Some(ScopeKind::User), None, None, Some(Some(Scope::User(alice.user)))),
        (&alice, Some(ScopeKind::User), None, Some(bob.user), Some(Some(Scope::User(bob.user)))),
        (&alice, Some(ScopeKind::User), Some(agent.id), None, None),
        (&alice, Some(ScopeKind::Agent), None, None, None),
        (&alice, Some(ScopeKind::Agent), Some(agent.id), None, Some(Some(Scope::Agent(agent.id)))),
        (&through, Some(ScopeKind::Agent), None, None, Some(Some(Scope::Agent(agent.id)))),
        (&through, Some(ScopeKind::AgentUser), None, None, Some(Some(both))),
    ];
    for (caller, kind, agent, user, wanted) in table {
        assert_eq!(scope_of(caller, kind, agent, user).ok(), wanted, "{kind:?}");
    }
}
