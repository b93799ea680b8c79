//! Putting a skill in: its scope, origin and status when nobody says, and what is refused.

use app::skills::{OnConflict, Outcome, create};
use app::{Code, Limits};
use model::{
    AgentId, Approver, Language, Origin, ParameterType, ProceduralMemory, Procedure, Role, Scope, Status,
    TokenScope,
};
use testkit::app::{files_spec, name, skill_md, spec, spec_with};
use testkit::{CallerExt as _, TestApp};

type Files<'a> = Vec<(&'a str, &'a [u8])>;

#[tokio::test]
async fn scope_origin_and_status_follow_from_who_asks() {
    let app = TestApp::new().await;
    let (member, reviewer) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let (admin, agent) = (app.admin().await, app.agent("helper").await);
    let table = [
        (member.clone(), Scope::User(member.user), Origin::User),
        (reviewer.clone(), Scope::Workspace, Origin::Admin),
        (admin.clone(), Scope::Workspace, Origin::Admin),
        (member.through(&agent), Scope::AgentUser(agent.id, member.user), Origin::Agent),
        (admin.through(&agent), Scope::AgentUser(agent.id, admin.user), Origin::Agent),
    ];
    for (n, (caller, scope, origin)) in table.into_iter().enumerate() {
        let skill = app.skill(&caller, &format!("skill-{n}")).await.skill;
        assert_eq!((skill.scope, skill.origin, skill.status), (scope, origin, Status::Active), "{n}");
        assert!(skill.is_usable());
        assert_eq!((skill.provenance.user, skill.provenance.agent), (caller.user, caller.agent), "{n}");
    }
}

#[tokio::test]
async fn in_a_shared_scope_a_members_skill_waits_for_a_reviewer() {
    let app = TestApp::new().await;
    let (member, reviewer) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let agent = app.agent("helper").await;
    for (n, scope) in [Scope::Workspace, Scope::Agent(agent.id)].into_iter().enumerate() {
        let mut request = spec(&format!("by-member-{n}"));
        request.scope = Some(scope);
        let waits = app.put(&member, request.clone()).await.record.skill;
        assert_eq!((waits.status, waits.origin), (Status::PendingApproval, Origin::User));
        let mut request = spec(&format!("by-reviewer-{n}"));
        request.scope = Some(scope);
        assert_eq!(app.put(&reviewer, request).await.record.skill.status, Status::Active);
    }
}

#[tokio::test]
async fn an_agent_that_demands_approval_gets_pending_skills() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let settings = ProceduralMemory { require_skill_approval: true, ..ProceduralMemory::default() };
    let strict = app.agent_with("strict", settings.clone()).await;
    assert_eq!(app.skill(&alice.through(&strict), "a").await.skill.status, Status::PendingApproval);
    // The master switch is off: the settings say nothing.
    let admin = app.admin().await;
    let off = app::agents::AgentSpec {
        procedural_memory: Some(ProceduralMemory { enabled: false, ..settings }),
        ..app::agents::AgentSpec::new(name("off"))
    };
    let off = app::agents::create(&app.cx, &admin, off).await.unwrap();
    assert_eq!(app.skill(&alice.through(&off), "a").await.skill.status, Status::Active);
}

#[tokio::test]
async fn an_agent_does_not_escape_approval_by_choosing_another_scope() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let settings = ProceduralMemory { require_skill_approval: true, ..ProceduralMemory::default() };
    let agent = app.agent_with("strict", settings).await;
    let scopes = [TokenScope::Read, TokenScope::Write];
    let cases = [
        (alice.through(&agent).scoped(&scopes), Scope::User(alice.user)),
        (admin.through(&agent).scoped(&scopes), Scope::Workspace),
    ];
    for (caller, scope) in cases {
        let mut request = spec("a");
        request.scope = Some(scope);
        assert_eq!(app.put(&caller, request).await.record.skill.status, Status::PendingApproval);
        // Nor by changing what its user already has.
        let mut approved = spec("b");
        approved.scope = Some(scope);
        let person = model::Caller { agent: None, ..caller.clone() };
        assert_eq!(app.put(&person, approved.clone()).await.record.skill.status, Status::Active);
        approved.on_conflict = OnConflict::NewRevision;
        approved.content = spec_with("b", |draft| draft.body = "other".into()).content;
        let revised = app.put(&caller, approved).await;
        assert_eq!(
            (revised.outcome, revised.record.skill.status),
            (Outcome::Revised, Status::PendingApproval)
        );
    }
}

#[tokio::test]
async fn of_two_skills_that_come_at_once_under_one_name_one_goes_in() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (one, two) =
        tokio::join!(create(&app.cx, &alice, spec("a"), None), create(&app.cx, &alice, spec("a"), None));
    let codes = [one.err().map(|error| error.code()), two.err().map(|error| error.code())];
    assert!(codes.contains(&None) && codes.contains(&Some(Code::NameTaken)), "{codes:?}");
}

#[tokio::test]
async fn a_draft_starts_as_one_and_a_skill_can_start_switched_off() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let mut request = spec("a");
    request.draft = true;
    assert_eq!(app.put(&alice, request).await.record.skill.status, Status::Draft);
    let mut request = spec("b");
    request.enabled = false;
    let off = app.put(&alice, request).await.record.skill;
    assert!(off.status == Status::Active && !off.is_usable());
}

#[tokio::test]
async fn everything_the_fields_say_is_kept() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let mut request = spec_with("revenue", |draft| {
        draft.title = Some("Revenue growth".into());
        draft.body = "Call it.".into();
        draft.tags = vec!["finance".into(), "b".into()];
        draft.icon = Some("chart".into());
        draft.example_prompts = vec!["how did revenue grow?".into()];
        draft.suggested_tools = vec!["calculator".into()];
        draft.extends = Some("base".into());
        draft.procedure = Some((
            Procedure {
                language: Language::Python,
                file: model::BundlePath::parse("scripts/run.py").unwrap(),
                function: Some("grow".into()),
                parameters: vec![model::Parameter {
                    name: "rate".into(),
                    kind: ParameterType::Number,
                    description: None,
                    required: true,
                    default: None,
                }],
                profile: None,
                limits: model::RunLimits::default(),
                network: Vec::new(),
            },
            b"def grow(rate): return rate\n".as_slice().into(),
        ));
    });
    request.label = Some(model::Label::parse("1.0.0").unwrap());
    request.message = "first".into();
    request.session = Some(model::SessionId::new(alice.user.uuid()));
    let put = app.put(&alice, request).await;
    assert_eq!(put.outcome, Outcome::Created);
    let detail = app::skills::read(&app.cx, &alice, put.record.skill.id).await.unwrap();
    let skill = &detail.record.skill;
    assert_eq!(*skill, put.record.skill);
    assert_eq!(skill.title, "Revenue growth");
    assert_eq!(skill.description, "Does revenue when asked to.");
    assert_eq!(skill.icon.as_deref(), Some("chart"));
    assert_eq!(skill.tags, ["b", "finance"]);
    assert_eq!(skill.example_prompts, ["how did revenue grow?"]);
    assert_eq!(skill.suggested_tools, ["calculator"]);
    assert_eq!(skill.extends.as_deref(), Some("base"));
    assert!(skill.facets.instructions && skill.facets.procedure && !skill.facets.policy);
    assert_eq!((skill.revision.get(), skill.version), (1, 1));
    assert_eq!((skill.created_at, skill.updated_at), (app.now(), app.now()));
    assert_eq!(detail.revision.label.as_ref().unwrap().as_str(), "1.0.0");
    assert_eq!((detail.revision.message.as_str(), detail.revision.author), ("first", alice.user));
    assert_eq!(detail.revision.file_count, 3);
    assert_eq!(detail.manifest.procedure.unwrap().parameters.len(), 1);
    assert!(detail.skill_file.starts_with("---\nname: revenue\n"));
}

#[tokio::test]
async fn files_are_kept_byte_for_byte() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = "\u{feff}---\r\nname: odd\r\ndescription: \"x\"\r\n---\r\nbody  \r\n\r\n";
    let request = files_spec(&[("SKILL.md", text.as_bytes()), ("assets/raw.bin", &[0, 255, 10, 13])]);
    let skill = app.put(&alice, request.clone()).await.record.skill;
    let (_, _, out) =
        app::skills::export(&app.cx, &alice, skill.id, app::skills::RevisionRef::Current).await.unwrap();
    let app::skills::Content::Bundle { bundle, .. } = request.content else { unreachable!() };
    assert_eq!(out, bundle);
    assert_eq!(out.digest(), skill.digest);
}

#[tokio::test]
async fn a_name_that_is_no_slug_becomes_one_and_stays_the_title() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let request = files_spec(&[("SKILL.md", skill_md("Calculate_Revenue Growth", "Go."))]);
    let put = app.put(&alice, request).await;
    assert_eq!(put.record.skill.name.as_str(), "calculate-revenue-growth");
    assert_eq!(put.record.skill.title, "Calculate_Revenue Growth");
    assert!(put.findings.iter().any(|finding| finding.code == "name_slugified"));
    for wanted in ["Calculate_Revenue Growth", "calculate-revenue-growth", "calculate_revenue_growth"] {
        let found = app::skills::resolve(&app.cx, &alice, wanted).await.unwrap();
        assert_eq!(found.skill.id, put.record.skill.id);
    }
}

#[tokio::test]
async fn a_wanted_name_beats_the_one_in_the_files() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let mut request = spec("a");
    request.name = Some(name("b"));
    assert_eq!(app.put(&alice, request).await.record.skill.name.as_str(), "b");
}

#[tokio::test]
async fn a_taken_name_is_refused_in_its_scope_and_free_in_every_other() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let (admin, agent) = (app.admin().await, app.agent("helper").await);
    for caller in [&alice, &bob, &admin, &alice.through(&agent), &bob.through(&agent)] {
        app.skill(caller, "same").await;
        let error = app.refuses(Code::NameTaken, create(&app.cx, caller, spec("same"), None)).await;
        assert!(error.to_string().contains("`same`"), "{error}");
    }
}

#[tokio::test]
async fn on_conflict_chooses_between_a_revision_the_old_skill_and_another_name() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let first = app.skill(&alice, "a").await.skill;
    let with = |on_conflict, body: &str| {
        let mut request = spec_with("a", |draft| draft.body = body.to_owned());
        request.on_conflict = on_conflict;
        request
    };
    let skipped = app.leaves_alone(create(&app.cx, &alice, with(OnConflict::Skip, "new"), None)).await;
    assert_eq!((skipped.outcome, skipped.record.skill), (Outcome::Skipped, first.clone()));
    let revised = app.put(&alice, with(OnConflict::NewRevision, "new")).await;
    assert_eq!((revised.outcome, revised.record.skill.revision.get()), (Outcome::Revised, 2));
    assert_eq!(revised.record.skill.id, first.id);
    let same = app.leaves_alone(create(&app.cx, &alice, with(OnConflict::NewRevision, "new"), None)).await;
    assert_eq!((same.outcome, same.record.skill.revision.get()), (Outcome::Unchanged, 2));
    let same = app.leaves_alone(create(&app.cx, &alice, with(OnConflict::Rename, "new"), None)).await;
    assert_eq!(same.outcome, Outcome::Unchanged);
    let renamed = app.put(&alice, with(OnConflict::Rename, "other")).await;
    assert_eq!(renamed.outcome, Outcome::Created);
    assert!(renamed.record.skill.name.as_str().starts_with("a-"));
    let again = app.leaves_alone(create(&app.cx, &alice, with(OnConflict::Rename, "new"), None)).await;
    assert_eq!(again.outcome, Outcome::Unchanged);
}

#[tokio::test]
async fn content_from_an_older_revision_comes_in_as_a_new_one() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    app.skill(&alice, "a").await;
    let mut other = spec_with("a", |draft| draft.body = "other".into());
    other.on_conflict = OnConflict::NewRevision;
    app.put(&alice, other).await;
    let mut back = spec("a");
    back.on_conflict = OnConflict::NewRevision;
    let back = app.put(&alice, back).await;
    assert_eq!((back.outcome, back.record.skill.revision.get()), (Outcome::Revised, 3));
}

#[tokio::test]
async fn a_conflict_with_a_shared_skill_is_not_a_way_to_change_it() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    app.skill(&admin, "shared").await;
    let mut request = spec_with("shared", |draft| draft.body = "mine now".into());
    request.scope = Some(Scope::Workspace);
    request.on_conflict = OnConflict::NewRevision;
    app.refuses(Code::Forbidden, create(&app.cx, &alice, request, None)).await;
}

#[tokio::test]
async fn nobody_writes_into_the_scope_of_another_but_an_admin() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let (admin, reviewer) = (app.admin().await, app.user("rita", &[Role::Reviewer]).await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    let at = |scope| {
        let mut request = spec("x");
        request.scope = Some(scope);
        request
    };
    let refused = [
        (&bob, Scope::User(alice.user)),
        (&reviewer, Scope::User(alice.user)),
        (&bob, Scope::AgentUser(one.id, alice.user)),
        (&bob.through(&one), Scope::Agent(two.id)),
        (&bob.through(&one), Scope::AgentUser(two.id, bob.user)),
        (&admin.through(&one), Scope::User(alice.user)),
    ];
    for (caller, scope) in refused {
        app.refuses(Code::Forbidden, create(&app.cx, caller, at(scope), None)).await;
    }
    let given = app.put(&admin, at(Scope::User(alice.user))).await.record.skill;
    assert_eq!((given.scope, given.origin), (Scope::User(alice.user), Origin::User));
    let unknown = AgentId::new(alice.user.uuid());
    app.refuses(Code::NotFound, create(&app.cx, &alice, at(Scope::Agent(unknown)), None)).await;
    let nobody = model::UserId::new(one.id.uuid());
    app.refuses(Code::NotFound, create(&app.cx, &admin, at(Scope::User(nobody)), None)).await;
}

#[tokio::test]
async fn an_origin_that_claims_authority_needs_it() {
    let app = TestApp::new().await;
    let (alice, reviewer) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    for (n, &origin) in Origin::ALL.iter().enumerate() {
        let mut request = spec(&format!("s-{n}"));
        request.origin = Some(origin);
        assert_eq!(app.put(&reviewer, request.clone()).await.record.skill.origin, origin);
        if matches!(origin, Origin::User | Origin::Imported) {
            assert_eq!(app.put(&alice, request).await.record.skill.origin, origin);
        } else {
            app.refuses(Code::InvalidRequest, create(&app.cx, &alice, request, None)).await;
        }
    }
}

#[tokio::test]
async fn a_token_without_the_write_scope_writes_nothing() {
    let app = TestApp::new().await;
    let reader = app.admin().await.scoped(&[TokenScope::Read, TokenScope::Review, TokenScope::Admin]);
    app.refuses(Code::TokenScope, create(&app.cx, &reader, spec("a"), None)).await;
}

#[tokio::test]
async fn at_the_agents_limit_the_least_useful_skills_are_named() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let settings = ProceduralMemory { max_skills_per_user: 2, ..ProceduralMemory::default() };
    let agent = app.agent_with("small", settings).await;
    let (alice, bob) = (alice.through(&agent), bob.through(&agent));
    let used = app.skill(&alice, "a-used").await;
    app.skill(&alice, "b-idle").await;
    app::skills::record_use(&app.cx, &alice, used.skill.id, true).await.unwrap();
    let error = app.refuses(Code::LimitReached, create(&app.cx, &alice, spec("c"), None)).await;
    let text = error.to_string();
    assert!(text.find("`b-idle`").unwrap() < text.find("`a-used`").unwrap(), "{text}");
    // The limit is one of a user on this agent, and new revisions are no new skills.
    app.skill(&bob, "c").await;
    let mut elsewhere = spec("c");
    elsewhere.scope = Some(Scope::User(alice.user));
    app.put(&alice, elsewhere).await;
    let mut revised = spec_with("b-idle", |draft| draft.body = "better".into());
    revised.on_conflict = OnConflict::NewRevision;
    app.put(&alice, revised).await;
    app::skills::delete(&app.cx, &alice, used.skill.id, None, None).await.unwrap();
    app.skill(&alice, "c").await;
}

#[tokio::test]
async fn bringing_a_deleted_skill_back_respects_the_limit_too() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let window = app::workspaces::ChangeWorkspace { undelete_window_hours: Some(1), ..Default::default() };
    app::workspaces::change(&app.cx, &admin, window).await.unwrap();
    let settings = ProceduralMemory { max_skills_per_user: 1, ..ProceduralMemory::default() };
    let alice = alice.through(&app.agent_with("small", settings).await);
    let first = app.skill(&alice, "first").await.skill;
    app::skills::delete(&app.cx, &alice, first.id, None, None).await.unwrap();
    app.skill(&alice, "second").await;
    app.refuses(Code::LimitReached, app::skills::undelete(&app.cx, &alice, first.id)).await;
}

#[tokio::test]
async fn rejected_content_does_not_come_back_through_who_cannot_review() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let skill = app.skill(&alice, "bad").await.skill;
    let reject = app::skills::Decision::new(model::Transition::Reject);
    app::skills::decide(&app.cx, &admin, skill.id, reject).await.unwrap();
    let bob = app.user("bob", &[]).await;
    app.refuses(Code::RejectedContent, create(&app.cx, &bob, spec("bad"), None)).await;
    let mut renamed = spec("bad");
    renamed.name = Some(name("innocent"));
    app.refuses(Code::RejectedContent, create(&app.cx, &alice, renamed, None)).await;
    // A reviewer may think again, and changed content is new content.
    app.skill(&admin, "bad").await;
    app.put(&bob, spec_with("bad", |draft| draft.body = "mended".into())).await;
}

#[tokio::test]
async fn hostile_content_leaves_nothing_behind() {
    let limits = Limits {
        max_files: 3,
        max_file_bytes: 2_000,
        max_bundle_bytes: 3_000,
        max_skill_file_bytes: 1_000,
        ..Limits::default()
    };
    let app = TestApp::with_limits(limits).await;
    let alice = app.user("alice", &[]).await;
    let good = skill_md("a", "b");
    let long = skill_md("a", &"x".repeat(1_000));
    let (big, half) = ("x".repeat(2_001), "x".repeat(1_500));
    let cases: Vec<(Code, Files<'_>)> = vec![
        (Code::TooLarge, vec![("SKILL.md", long.as_bytes())]),
        (Code::TooLarge, vec![("SKILL.md", good.as_bytes()), ("a", big.as_bytes())]),
        (Code::TooLarge, vec![("SKILL.md", good.as_bytes()), ("a", half.as_bytes()), ("b", half.as_bytes())]),
        (Code::TooLarge, vec![("SKILL.md", good.as_bytes()), ("a", b""), ("b", b""), ("c", b"")]),
        (Code::InvalidManifest, vec![("SKILL.md", b"---\nname: a\ndescription: \xff\xfe\n---\n")]),
        (Code::InvalidManifest, vec![("SKILL.md", b"")]),
        (Code::InvalidSidecar, vec![("SKILL.md", good.as_bytes()), ("repertoire.yaml", b"titel: x\n")]),
        (Code::InvalidSidecar, vec![("SKILL.md", good.as_bytes()), ("repertoire.yaml", b"\xff")]),
        (
            Code::InvalidSidecar,
            vec![("SKILL.md", good.as_bytes()), ("repertoire.yaml", b"policy: {max_steps: none}\n")],
        ),
    ];
    for (code, files) in cases {
        let error = app.refuses(code, create(&app.cx, &alice, files_spec(&files), None)).await;
        if code == Code::InvalidSidecar {
            assert!(
                error.findings().iter().any(|found| found.file.as_deref() == Some("repertoire.yaml")),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn fields_that_make_no_bundle_say_which_rule_they_break() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let file = |path: &str| (model::BundlePath::parse(path).unwrap(), model::BundleFile::new(*b"x"));
    let cases = [
        (Code::InvalidManifest, spec_with("a", |draft| draft.description = " ".into())),
        (Code::InvalidManifest, spec_with("a", |draft| draft.description = "x".repeat(1_025))),
        (Code::InvalidPath, spec_with("a", |draft| draft.files = [file("SKILL.md")].into())),
        (Code::InvalidBundle, spec_with("a", |draft| draft.files = [file("a"), file("A")].into())),
        (Code::InvalidSidecar, spec_with("a", |draft| draft.title = Some("x".repeat(100_000)))),
    ];
    for (code, request) in cases {
        app.refuses(code, create(&app.cx, &alice, request, None)).await;
    }
}

#[tokio::test]
async fn an_endless_message_is_refused() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let mut request = spec("a");
    request.message = "x".repeat(2_001);
    app.refuses(Code::InvalidRequest, create(&app.cx, &alice, request, None)).await;
}

#[tokio::test]
async fn approval_by_two_people_also_holds_for_a_reviewers_own_skill() {
    let app = TestApp::new().await;
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let settings = ProceduralMemory {
        require_skill_approval: true,
        approver: Approver::TwoPerson,
        ..ProceduralMemory::default()
    };
    let agent = app.agent_with("careful", settings).await;
    let mut request = spec("a");
    request.scope = Some(Scope::Agent(agent.id));
    assert_eq!(app.put(&rita, request).await.record.skill.status, Status::PendingApproval);
}
