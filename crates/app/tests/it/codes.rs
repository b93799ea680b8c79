//! Every code that a use case can answer with, provoked once. A new code does not compile until it has its line.

use std::sync::Arc;

use app::agents::AgentSpec;
use app::governance;
use app::identity::{Secret, by_token};
use app::runs::RunSkill;
use app::sessions;
use app::skills::{
    BulkMode, CreateSkill, Decision, Edit, EditSkill, Idempotency, ImportArchive, ListSkills, OnConflict,
    Proposal, Rewrite, RewriteSkill, bulk, bundle_from_files, by_name, create, decide, edit, import_archive,
    label, list, promote, set_enabled,
};
use app::users::{AddUser, ChangeUser};
use app::{Changes, Code, Cursor, Error, ExecutionSettings, PageRequest, Queue, QueueSettings};
use model::{
    BundleFile, Digest, Handle, Label, ProceduralMemory, RevisionNumber, Role, Scope, ScopeKind,
    SessionOutcome, TokenScope, Transition,
};
use serde_json::json;
use testkit::app::{bundle, files_spec, name, skill_md, spec, spec_with};
use testkit::runner::returned;
use testkit::{CallerExt as _, FakeRunner, TestApp};

use crate::runs;

#[tokio::test]
async fn every_code_is_answered_by_some_use_case() {
    for &code in Code::ALL {
        let error = provoke(code).await;
        assert_eq!(error.code(), code, "{error}");
    }
}

/// An error with this code.
async fn provoke(code: Code) -> Error {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let cx = &app.cx;
    let mine = app.skill(&alice, "mine").await.skill;
    let body = |text: &str| Changes { body: Some(text.to_owned()), ..Changes::default() };
    let changes = |changes: Changes| EditSkill::new(Edit::Changes(Box::new(changes)));
    let put = |files: &[(&str, &str)]| create_error(cx, &alice, files_spec(files));
    let good = skill_md("new", "x");
    match code {
        Code::InvalidRequest => bulk(cx, &alice, BulkMode::Each, vec![]).await.unwrap_err(),
        Code::InvalidName => {
            let new = by_name::NewSkill { name: "Not_a_slug".into(), ..by_name::NewSkill::default() };
            by_name::create(cx, &alice, new).await.unwrap_err()
        }
        Code::InvalidBundle => bundle_from_files(vec![]).unwrap_err(),
        Code::InvalidManifest => put(&[("SKILL.md", "")]).await,
        Code::InvalidSidecar => put(&[("SKILL.md", &good), ("repertoire.yaml", "no: yes")]).await,
        Code::InvalidArchive => {
            let archive = ImportArchive {
                archive: b"no".to_vec(),
                source: None,
                scope: None,
                origin: None,
                on_conflict: OnConflict::Error,
                mode: BulkMode::Each,
                label: None,
                message: String::new(),
            };
            import_archive(cx, &alice, archive).await.unwrap_err()
        }
        Code::InvalidPath => bundle_from_files(vec![("../x".into(), BundleFile::new(*b"x"))]).unwrap_err(),
        Code::InvalidScope => promote(cx, &alice, mine.id, ScopeKind::User, None).await.unwrap_err(),
        Code::InvalidCursor => {
            let page = PageRequest { limit: 1, after: Some(Cursor("?".into())) };
            list(cx, &alice, ListSkills { page, ..ListSkills::default() }).await.unwrap_err()
        }
        Code::InvalidSettings => {
            let spec = AgentSpec { discovery_token_budget: 0, ..AgentSpec::new(name("a")) };
            app::agents::create(cx, &admin, spec).await.unwrap_err()
        }
        Code::InvalidCode => {
            let problem = json!({"problem": {"message": "invalid syntax", "line": 1}});
            let runner = FakeRunner::new(move |execution| Ok(returned(&execution, problem.clone())));
            let settings = ExecutionSettings::default();
            let cx = cx.clone().with_runner(Arc::new(runner), settings);
            app::interpreter::read_python(&cx, &alice, "{{{", "x").await.unwrap_err()
        }
        Code::TooLarge => put(&[("SKILL.md", &good), ("x", &"x".repeat(11 * 1024 * 1024))]).await,
        Code::IdempotencyKeyReused => {
            let key = |text: &[u8]| Some(Idempotency { key: "k".into(), fingerprint: Digest::of(text) });
            create(cx, &alice, spec("a"), key(b"a")).await.unwrap();
            create(cx, &alice, spec("b"), key(b"b")).await.unwrap_err()
        }
        Code::TextNotFound => {
            let rewrite = Some(Rewrite::Delete("not there".into()));
            let request = RewriteSkill { rewrite, ..RewriteSkill::default() };
            app::skills::rewrite(cx, &alice, mine.id, request).await.unwrap_err()
        }
        Code::NotPending => {
            let strict = Decision { only_if_pending: true, ..Decision::new(Transition::Approve) };
            decide(cx, &alice, mine.id, strict).await.unwrap_err()
        }
        Code::Unauthenticated => by_token(cx, &Secret::from_client("x")).await.unwrap_err(),
        Code::Forbidden => app::audit::verify(cx, &alice).await.unwrap_err(),
        Code::PolicyDenied => {
            let gov = crate::governance::governor(&app).await;
            let forbids = crate::governance::forbids("search");
            app.put(&gov, crate::governance::policy("guard", Scope::Workspace, forbids)).await;
            let own = governance::OwnCall { tool: "search", arguments: json!({}) };
            governance::admit(cx, &alice, own).await.unwrap_err()
        }
        Code::TokenScope => create_error(cx, &alice.scoped(&[TokenScope::Read]), spec("x")).await,
        Code::NotFound => app::skills::resolve(cx, &alice, "nothing").await.unwrap_err(),
        Code::NameTaken => create_error(cx, &alice, spec("mine")).await,
        Code::HandleTaken => {
            let again =
                AddUser { handle: Handle::parse("alice").unwrap(), display_name: None, roles: vec![] };
            app::users::add(cx, &admin, again).await.unwrap_err()
        }
        Code::LabelTaken => {
            let one = || Some(Label::parse("1.0.0").unwrap());
            edit(cx, &alice, mine.id, changes(body("two"))).await.unwrap();
            label(cx, &alice, mine.id, RevisionNumber::FIRST, one()).await.unwrap();
            label(cx, &alice, mine.id, RevisionNumber::new(2).unwrap(), one()).await.unwrap_err()
        }
        Code::InvalidTransition => {
            set_enabled(cx, &alice, mine.id, false, None).await.unwrap();
            decide(cx, &alice, mine.id, Decision::new(Transition::Approve)).await.unwrap_err()
        }
        Code::RejectedContent => {
            decide(cx, &admin, mine.id, Decision::new(Transition::Reject)).await.unwrap();
            let bob = app.user("bob", &[]).await;
            create_error(cx, &bob, spec("mine")).await
        }
        Code::LimitReached => {
            let settings = ProceduralMemory { max_skills_per_user: 1, ..ProceduralMemory::default() };
            let alice = alice.through(&app.agent_with("small", settings).await);
            app.skill(&alice, "one").await;
            create_error(cx, &alice, spec("two")).await
        }
        Code::ProposalsOff => {
            let silent = alice.through(&app.agent("silent").await);
            let proposal = Proposal {
                name: "x".into(),
                description: "x".into(),
                instructions: "x".into(),
                ..Proposal::default()
            };
            app::skills::propose(cx, &silent, proposal).await.unwrap_err()
        }
        Code::AgentHasSkills => {
            let agent = app.agent("a").await;
            app.put(&admin, CreateSkill { scope: Some(Scope::Agent(agent.id)), ..spec("its") }).await;
            app::agents::delete(cx, &admin, agent.id).await.unwrap_err()
        }
        Code::LastAdmin => {
            let less = ChangeUser { roles: Some(vec![Role::Member]), ..ChangeUser::default() };
            app::users::change(cx, &admin, admin.user, less).await.unwrap_err()
        }
        Code::Stale => {
            let expected_revision = RevisionNumber::new(9);
            let late = EditSkill { expected_revision, ..changes(body("x")) };
            edit(cx, &alice, mine.id, late).await.unwrap_err()
        }
        Code::Precondition => set_enabled(cx, &alice, mine.id, false, Some(9)).await.unwrap_err(),
        Code::Busy => {
            let one = QueueSettings { concurrency: 1, waiting: 0, waiting_per_caller: 0 };
            let queue = Queue::new(one);
            let _running = queue.enter(&alice).await.unwrap();
            queue.enter(&alice).await.err().unwrap()
        }
        Code::SkillNotActive | Code::SkillDisabled | Code::NoProcedure => {
            if code == Code::SkillNotActive {
                decide(cx, &alice, mine.id, Decision::new(Transition::Archive)).await.unwrap();
            } else if code == Code::SkillDisabled {
                set_enabled(cx, &alice, mine.id, false, None).await.unwrap();
            }
            run_error(cx, &alice, mine.id, RunSkill::default()).await
        }
        Code::InvalidParameters => {
            let skill = app.put(&alice, runs::adder("adder", "")).await.record.skill.id;
            run_error(cx, &alice, skill, RunSkill::default()).await
        }
        Code::NetworkNotAllowed => {
            let skill = app.put(&alice, runs::adder("caller", "  network: [example.org]\n")).await;
            let parameters = runs::numbers(1, 2);
            let request = RunSkill { parameters, ..RunSkill::default() };
            run_error(cx, &alice, skill.record.skill.id, request).await
        }
        Code::RunFinished => {
            let run = governance::start(cx, &alice, governance::Start::default()).await.unwrap().run;
            let id = || governance::RunRef::Id(run.id);
            governance::finish(cx, &alice, id(), None).await.unwrap();
            let call = governance::Call { tool: "x".into(), alias: None, arguments: serde_json::json!({}) };
            let step = governance::Step { call, context: governance::Known::new(), id: None };
            governance::step(cx, &alice, id(), step).await.unwrap_err()
        }
        Code::SessionCompleted => {
            let id = sessions::ensure(cx, &alice, sessions::Ensure::default()).await.unwrap();
            sessions::complete(cx, &alice, id, SessionOutcome::Failed, None).await.unwrap();
            sessions::write_todos(cx, &alice, id, vec![]).await.unwrap_err()
        }
        Code::RecordingOff => {
            let id = sessions::ensure(cx, &alice, sessions::Ensure::default()).await.unwrap();
            let off = sessions::RecordingSettings { record: false, ..sessions::RecordingSettings::default() };
            sessions::add(&cx.clone().with_recording(off), &alice, id, vec![]).await.unwrap_err()
        }
        Code::UnknownProfile => sandbox::Error::UnknownProfile("x".to_owned()).into(),
        Code::SandboxUnavailable => sandbox::Error::Failed("x".to_owned()).into(),
        Code::NoPython => sandbox::Error::NoPython { detail: "x".to_owned() }.into(),
        Code::Unavailable => {
            cx.store.close().await;
            let replace = Edit::Replace(bundle(&[("SKILL.md", good.as_str())]));
            edit(cx, &alice, mine.id, EditSkill::new(replace)).await.unwrap_err()
        }
        Code::Internal => {
            app.tamper("UPDATE skills SET status = 'mystery'", &[]).await;
            app::skills::read(cx, &alice, mine.id).await.unwrap_err()
        }
    }
}

async fn run_error(
    cx: &app::Context,
    caller: &model::Caller,
    id: model::SkillId,
    request: RunSkill,
) -> Error {
    app::runs::execute(cx, caller, id, request).await.unwrap_err()
}

async fn create_error(cx: &app::Context, caller: &model::Caller, request: CreateSkill) -> Error {
    create(cx, caller, request, None).await.unwrap_err()
}

#[tokio::test]
async fn codes_are_unique_words() {
    let mut words: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')));
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), Code::ALL.len());
}

#[tokio::test]
async fn a_database_that_is_gone_is_unavailable_in_every_use_case() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let request = spec_with("x", |draft| draft.body = "y".into());
    app.cx.store.close().await;
    let codes = [
        create(&app.cx, &admin, request, None).await.err().map(|error| error.code()),
        list(&app.cx, &admin, ListSkills::default()).await.err().map(|error| error.code()),
        app::audit::verify(&app.cx, &admin).await.err().map(|error| error.code()),
        app::jobs::keep_house(&app.cx).await.err().map(|error| error.code()),
    ];
    assert_eq!(codes, [Some(Code::Unavailable); 4]);
}
