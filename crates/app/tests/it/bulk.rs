//! Many skills in one transaction.

use app::Code;
use app::skills::{BulkItem, BulkMode, CreateSkill, OnConflict, Outcome, bulk};
use model::{Label, ProceduralMemory, Scope, TokenScope};
use testkit::app::{files_spec, spec, spec_with};
use testkit::{CallerExt as _, TestApp};

fn bad() -> CreateSkill {
    files_spec(&[("SKILL.md", "")])
}

fn items(requests: Vec<CreateSkill>) -> Vec<BulkItem> {
    requests.into_iter().map(Ok).collect()
}

#[tokio::test]
async fn many_go_in_with_one_entry_each_and_one_for_all() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let requests = items(vec![spec("a"), spec("b"), spec("c")]);
    let verbs = ["skill.create", "skill.create", "skill.create", "skill.bulk"];
    let done = app.logs(alice.workspace, &verbs, bulk(&app.cx, &alice, BulkMode::Atomic, requests)).await;
    assert!(done.committed);
    let names: Vec<_> =
        done.results.into_iter().map(|one| one.unwrap().record.skill.name.to_string()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[tokio::test]
async fn atomic_means_all_or_none() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    app.skill(&alice, "taken").await;
    let failing: [(Vec<CreateSkill>, usize, Code); 3] = [
        (vec![spec("a"), bad(), spec("b")], 1, Code::InvalidManifest),
        (vec![spec("a"), spec("b"), spec("taken")], 2, Code::NameTaken),
        (vec![spec("same"), spec_with("same", |draft| draft.body = "other".into())], 1, Code::NameTaken),
    ];
    for (requests, at, code) in failing {
        let count = requests.len();
        let done = app.leaves_alone(bulk(&app.cx, &alice, BulkMode::Atomic, items(requests))).await;
        assert!(!done.committed && done.results.len() == count);
        for (n, result) in done.results.into_iter().enumerate() {
            let wanted = if n == at { code } else { Code::InvalidRequest };
            assert_eq!(result.unwrap_err().code(), wanted, "{n}");
        }
    }
}

#[tokio::test]
async fn each_puts_in_what_it_can_and_explains_the_rest() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    app.skill(&alice, "taken").await;
    let unread: BulkItem = Err(app::skills::bundle_from_files(vec![]).unwrap_err());
    let mut requests = items(vec![spec("a"), bad(), spec("taken"), spec("b")]);
    requests.push(unread);
    let verbs = ["skill.create", "skill.create", "skill.bulk"];
    let done = app.logs(alice.workspace, &verbs, bulk(&app.cx, &alice, BulkMode::Each, requests)).await;
    assert!(done.committed);
    let codes: Vec<_> = done.results.iter().map(|one| one.as_ref().err().map(app::Error::code)).collect();
    let wanted = [None, Some(Code::InvalidManifest), Some(Code::NameTaken), None, Some(Code::InvalidBundle)];
    assert_eq!(codes, wanted);
    let log = app.audit(alice.workspace).await;
    assert_eq!(log.last().unwrap().detail, r#"{"failed":3,"items":5,"written":2}"#);
}

#[tokio::test]
async fn what_fails_among_each_leaves_no_half_of_itself() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let existing = app.skill(&alice, "existing").await.skill;
    let label = Some(Label::parse("1.0.0").unwrap());
    app::skills::label(&app.cx, &alice, existing.id, existing.revision, label.clone()).await.unwrap();
    let before = app.snapshot().await;
    let mut endless = spec("endless");
    endless.message = "x".repeat(2_001);
    let mut foreign = spec("foreign");
    foreign.scope = Some(Scope::User(app.admin().await.user));
    let mut relabelled = spec_with("existing", |draft| draft.body = "other".into());
    (relabelled.on_conflict, relabelled.label) = (OnConflict::NewRevision, label);
    let mut claimed = spec("claimed");
    claimed.origin = Some(model::Origin::Provider);
    let mut governed = spec("governed");
    let app::skills::Content::Draft(draft) = &mut governed.content else { unreachable!() };
    draft.policy = Some(model::Policy::default());
    let requests = items(vec![endless, foreign, relabelled, claimed, governed, spec("good")]);
    let done = bulk(&app.cx, &alice, BulkMode::Each, requests).await.unwrap();
    let failed = done.results.iter().filter(|one| one.is_err()).count();
    assert_eq!(failed, 5);
    let after = app.snapshot().await;
    for table in ["skills", "revisions", "revision_files", "blobs"] {
        assert_eq!(after.rows(table), before.rows(table) + 1, "{table}");
    }
}

#[tokio::test]
async fn a_second_time_nothing_changes() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let requests = || {
        let mut requests = vec![spec("a"), spec("b")];
        for request in &mut requests {
            request.on_conflict = OnConflict::NewRevision;
        }
        items(requests)
    };
    bulk(&app.cx, &alice, BulkMode::Atomic, requests()).await.unwrap();
    let again = app.leaves_alone(bulk(&app.cx, &alice, BulkMode::Atomic, requests())).await;
    assert!(!again.committed);
    assert!(again.results.iter().all(|one| one.as_ref().unwrap().outcome == Outcome::Unchanged));
}

#[tokio::test]
async fn the_agents_limit_holds_inside_a_bulk_too() {
    let app = TestApp::new().await;
    let settings = ProceduralMemory { max_skills_per_user: 2, ..ProceduralMemory::default() };
    let alice = app.user("alice", &[]).await.through(&app.agent_with("small", settings).await);
    let requests = items(vec![spec("a"), spec("b"), spec("c")]);
    let done = bulk(&app.cx, &alice, BulkMode::Each, requests).await.unwrap();
    assert_eq!(done.results[2].as_ref().unwrap_err().code(), Code::LimitReached);
}

#[tokio::test]
async fn a_bulk_is_neither_empty_nor_endless_and_needs_rights() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    app.refuses(Code::InvalidRequest, bulk(&app.cx, &alice, BulkMode::Each, vec![])).await;
    let many = items(vec![spec("a"); 1_001]);
    app.refuses(Code::InvalidRequest, bulk(&app.cx, &alice, BulkMode::Each, many)).await;
    let reader = alice.scoped(&[TokenScope::Read]);
    let done = app.leaves_alone(bulk(&app.cx, &reader, BulkMode::Each, items(vec![spec("a")]))).await;
    assert_eq!(done.results[0].as_ref().unwrap_err().code(), Code::TokenScope);
}
