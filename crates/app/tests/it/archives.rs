//! Archives in and out, and bundles examined without being stored.

use app::skills::{
    BulkMode, ImportArchive, OnConflict, Outcome, RevisionRef, bundle_from_archive, bundle_from_files,
    export_archive, import_archive, validate,
};
use app::{Code, Limits};
use model::{BundleFile, Origin, Scope, TokenScope};
use testkit::app::{bundle, skill_md};
use testkit::{CallerExt as _, TestApp};

fn import(archive: Vec<u8>) -> ImportArchive {
    ImportArchive {
        archive,
        source: None,
        scope: None,
        origin: None,
        on_conflict: OnConflict::Error,
        mode: BulkMode::Atomic,
        label: None,
        message: String::new(),
    }
}

#[tokio::test]
async fn what_is_exported_comes_in_again_byte_for_byte() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let text = skill_md("a", "odd \r\n bytes");
    let request = testkit::app::files_spec(&[("SKILL.md", text.as_bytes()), ("raw", &[0, 200])]);
    let skill = app.put(&alice, request).await.record.skill;
    let (folder, archive) = export_archive(&app.cx, &alice, skill.id, RevisionRef::Current).await.unwrap();
    assert_eq!(folder, "a");
    assert_eq!(bundle_from_archive(&app.cx, &archive).unwrap().1.digest(), skill.digest);
    let request = ImportArchive { source: Some("backup.zip".into()), ..import(archive) };
    let verbs = ["skill.create", "skill.bulk"];
    let done = app.logs(bob.workspace, &verbs, import_archive(&app.cx, &bob, request.clone())).await;
    assert_eq!(done.folders, ["a"]);
    let put = done.bulk.results.into_iter().next().unwrap().unwrap().record.skill;
    assert_eq!((put.digest, put.scope, put.origin), (skill.digest, Scope::User(bob.user), Origin::Imported));
    let again = app.leaves_alone(import_archive(&app.cx, &bob, request)).await;
    assert_eq!(again.bulk.results[0].as_ref().unwrap().outcome, Outcome::Unchanged);
}

#[tokio::test]
async fn an_archive_that_is_none_or_too_large_changes_nothing() {
    let limits = Limits { max_archive_bytes: 2_000, ..Limits::default() };
    let app = TestApp::with_limits(limits).await;
    let alice = app.user("alice", &[]).await;
    app.refuses(Code::InvalidArchive, import_archive(&app.cx, &alice, import(b"not a zip".to_vec()))).await;
    app.refuses(Code::TooLarge, import_archive(&app.cx, &alice, import(vec![0; 2_001]))).await;
    assert_eq!(bundle_from_archive(&app.cx, b"").unwrap_err().code(), Code::InvalidArchive);
    assert_eq!(bundle_from_archive(&app.cx, &[0; 2_001]).unwrap_err().code(), Code::TooLarge);
    let reader = alice.scoped(&[TokenScope::Write]);
    app.refuses(Code::TokenScope, import_archive(&app.cx, &reader, import(vec![]))).await;
}

#[tokio::test]
async fn an_archive_whose_content_is_over_a_limit_is_too_large() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = skill_md("a", "x");
    let big = vec![7; 5_000];
    let files = [("SKILL.md", text.as_bytes()), ("big", big.as_slice())];
    let skill = app.put(&alice, testkit::app::files_spec(&files)).await.record.skill;
    let (_, archive) = export_archive(&app.cx, &alice, skill.id, RevisionRef::Current).await.unwrap();
    let mut tight = app.cx.clone();
    tight.limits.max_file_bytes = 1_000;
    app.refuses(Code::TooLarge, import_archive(&tight, &alice, import(archive))).await;
}

#[tokio::test]
async fn files_from_a_client_are_checked_before_they_are_a_bundle() {
    let file = |path: &str| (path.to_owned(), BundleFile::new(*b"x"));
    let code = |files| bundle_from_files(files).unwrap_err().code();
    assert_eq!(code(vec![file("README.md")]), Code::InvalidBundle);
    assert_eq!(code(vec![file("SKILL.md"), file("../x")]), Code::InvalidPath);
    assert_eq!(code(vec![file("SKILL.md"), file("SKILL.md")]), Code::InvalidPath);
    assert_eq!(code(vec![file("SKILL.md"), file("Skill.MD")]), Code::InvalidBundle);
    assert!(bundle_from_files(vec![file("SKILL.md"), file("a/b")]).is_ok());
}

#[tokio::test]
async fn an_examination_stores_nothing_and_tells_what_would_be_refused() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let good = bundle(&[("SKILL.md", skill_md("a", "x"))]);
    let bad = bundle(&[("SKILL.md", skill_md("a", "x").as_str()), ("repertoire.yaml", "titel: x")]);
    let found = app.leaves_alone(async { validate(&app.cx, &alice, &good, Some("b")) }).await;
    assert!(found.refusal.is_none() && !found.clients.is_empty());
    assert!(found.findings.iter().any(|finding| finding.code == "name_folder_mismatch"));
    let found = app.leaves_alone(async { validate(&app.cx, &alice, &bad, None) }).await;
    assert_eq!(found.refusal.unwrap().code(), Code::InvalidSidecar);
    assert!(!found.findings.is_empty());
    let writer = alice.scoped(&[TokenScope::Write]);
    app.refuses(Code::TokenScope, async { validate(&app.cx, &writer, &good, None) }).await;
}
