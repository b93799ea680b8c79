//! Changing a skill: revisions, names, labels, restoring, and changes that come too late.

use std::collections::BTreeMap;

use app::skills::{Edit, EditSkill, Outcome, RevisionRef, edit, label, restore};
use app::{Change, Changes, Code, Error, Limits, PageRequest};
use model::{
    Approver, BundleFile, BundlePath, Label, ProceduralMemory, RevisionNumber, Role, Scope, Status,
    TokenScope, Transition,
};
use testkit::app::{bundle, name, skill_md, spec};
use testkit::{CallerExt as _, TestApp};

fn body(text: &str) -> EditSkill {
    changes(Changes { body: Some(text.to_owned()), ..Changes::default() })
}

fn changes(changes: Changes) -> EditSkill {
    EditSkill::new(Edit::Changes(Box::new(changes)))
}

fn number(n: u32) -> RevisionNumber {
    RevisionNumber::new(n).unwrap()
}

fn semver(text: &str) -> Label {
    Label::parse(text).unwrap()
}

fn path(text: &str) -> BundlePath {
    BundlePath::parse(text).unwrap()
}

#[tokio::test]
async fn an_edit_makes_a_revision_and_keeps_the_one_before() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let first = app.skill(&alice, "a").await.skill;
    app.clock.advance(time::Duration::minutes(1));
    let request = EditSkill { message: "why".into(), label: Some(semver("1.1.0")), ..body("new text") };
    let done = edit(&app.cx, &alice, first.id, request).await.unwrap();
    let second = done.record.skill.clone();
    assert_eq!(done.outcome, Outcome::Revised);
    assert_eq!((second.revision.get(), second.version), (2, 2));
    assert_eq!((second.created_at, second.updated_at), (first.created_at, app.now()));
    assert_eq!(app.stored(&done.record).await, done.record);
    let old = app::skills::revision(&app.cx, &alice, first.id, RevisionRef::Number(number(1))).await.unwrap();
    assert_eq!((old.revision.digest, old.manifest.body.as_str()), (first.digest, "Do a step by step."));
    let new = app::skills::read(&app.cx, &alice, first.id).await.unwrap();
    assert_eq!((new.manifest.body.as_str(), new.revision.message.as_str()), ("new text", "why"));
    assert_eq!(new.revision.label, Some(semver("1.1.0")));
}

#[tokio::test]
async fn editing_metadata_makes_a_revision_and_switching_does_not() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let tagged = changes(Changes { tags: Some(vec!["x".into()]), ..Changes::default() });
    let skill = edit(&app.cx, &alice, id, tagged).await.unwrap().record.skill;
    assert_eq!((skill.revision.get(), skill.tags), (2, vec!["x".to_owned()]));
    for enabled in [false, true] {
        let switched = app::skills::set_enabled(&app.cx, &alice, id, enabled, None).await.unwrap();
        assert_eq!(switched.record.skill.revision.get(), 2);
        assert!(switched.changed);
    }
}

#[tokio::test]
async fn the_same_content_again_changes_nothing() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let skill = app.skill(&alice, "a").await.skill;
    let same = app.leaves_alone(edit(&app.cx, &alice, skill.id, body("Do a step by step."))).await;
    assert_eq!((same.outcome, same.record.skill), (Outcome::Unchanged, skill.clone()));
    let (_, _, files) = app::skills::export(&app.cx, &alice, skill.id, RevisionRef::Current).await.unwrap();
    let same = app.leaves_alone(edit(&app.cx, &alice, skill.id, EditSkill::new(Edit::Replace(files)))).await;
    assert_eq!(same.outcome, Outcome::Unchanged);
}

#[tokio::test]
async fn files_are_put_and_removed_and_the_others_keep_their_bytes() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = skill_md("a", "b") + "\r\nodd line end";
    let request = testkit::app::files_spec(&[("SKILL.md", text.as_bytes()), ("old.txt", b"old")]);
    let id = app.put(&alice, request).await.record.skill.id;
    let mut files = BTreeMap::new();
    files.insert(path("new.bin"), Some(BundleFile { content: [0, 1].into(), executable: true }));
    files.insert(path("old.txt"), None);
    edit(&app.cx, &alice, id, changes(Changes { files, ..Changes::default() })).await.unwrap();
    let (_, _, now) = app::skills::export(&app.cx, &alice, id, RevisionRef::Current).await.unwrap();
    let paths: Vec<_> = now.files().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "new.bin"]);
    assert_eq!(&*now.get("SKILL.md").unwrap().content, text.as_bytes());
    assert!(now.get("new.bin").unwrap().executable);
}

#[tokio::test]
async fn skill_md_cannot_be_taken_away() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let files = [(path("SKILL.md"), None)].into();
    let without = changes(Changes { files, ..Changes::default() });
    app.refuses(Code::InvalidBundle, edit(&app.cx, &alice, id, without)).await;
}

#[tokio::test]
async fn a_hostile_edit_leaves_nothing_behind() {
    let limits = Limits { max_skill_file_bytes: 1_000, max_file_bytes: 2_000, ..Limits::default() };
    let app = TestApp::with_limits(limits).await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let put = |at: &str, bytes: &[u8]| Changes {
        files: [(path(at), Some(BundleFile::new(bytes.to_vec())))].into(),
        ..Changes::default()
    };
    let long = "x".repeat(2_001);
    let cases = [
        (Code::TooLarge, put("a.txt", long.as_bytes())),
        (Code::TooLarge, put("SKILL.md", skill_md("a", &long).as_bytes())),
        (Code::TooLarge, Changes { body: Some(long.clone()), ..Changes::default() }),
        (Code::InvalidManifest, put("SKILL.md", b"---\nname: a\ndescription: \xff\n---\n")),
        (Code::InvalidManifest, put("SKILL.md", b" ")),
        (Code::InvalidSidecar, put("repertoire.yaml", b"policy: 3\n")),
        (Code::InvalidBundle, put("skill.md", skill_md("a", "b").as_bytes())),
        (Code::InvalidBundle, put("SKILL.md/x", b"x")),
    ];
    for (code, hostile) in cases {
        app.refuses(code, edit(&app.cx, &alice, id, changes(hostile))).await;
    }
    let replace = |text: &[u8]| EditSkill::new(Edit::Replace(bundle(&[("SKILL.md", text)])));
    app.refuses(Code::TooLarge, edit(&app.cx, &alice, id, replace(skill_md("a", &long).as_bytes()))).await;
    app.refuses(Code::InvalidManifest, edit(&app.cx, &alice, id, replace(b"\xff"))).await;
}

#[tokio::test]
async fn findings_of_a_refused_edit_name_the_line() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let files = [(path("repertoire.yaml"), Some(BundleFile::new(*b"title: x\npolicy: 3\n")))].into();
    let error =
        edit(&app.cx, &alice, id, changes(Changes { files, ..Changes::default() })).await.unwrap_err();
    assert!(error.findings().iter().any(|finding| finding.line == Some(2)), "{error:?}");
}

#[tokio::test]
async fn a_new_name_in_the_frontmatter_renames_the_skill() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let renamed =
        edit(&app.cx, &alice, id, changes(Changes { name: Some(name("b")), ..Changes::default() })).await;
    assert_eq!(renamed.unwrap().record.skill.name.as_str(), "b");
    let replaced = EditSkill::new(Edit::Replace(bundle(&[("SKILL.md", skill_md("c", "x"))])));
    assert_eq!(edit(&app.cx, &alice, id, replaced).await.unwrap().record.skill.name.as_str(), "c");
    app.skill(&alice, "taken").await;
    let clash = changes(Changes { name: Some(name("taken")), ..Changes::default() });
    app.refuses(Code::NameTaken, edit(&app.cx, &alice, id, clash)).await;
}

#[tokio::test]
async fn a_name_given_beside_the_files_survives_edits_of_other_things() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let mut request = spec("a");
    request.name = Some(name("chosen"));
    let id = app.put(&alice, request).await.record.skill.id;
    assert_eq!(edit(&app.cx, &alice, id, body("x")).await.unwrap().record.skill.name.as_str(), "chosen");
}

#[tokio::test]
async fn a_change_made_on_an_older_revision_is_stale_and_changes_nothing() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    edit(&app.cx, &alice, id, body("two")).await.unwrap();
    let late = EditSkill { expected_revision: Some(number(1)), ..body("three") };
    let error = app.refuses(Code::Stale, edit(&app.cx, &alice, id, late)).await;
    assert!(matches!(error, Error::Stale { .. }));
    let timely = EditSkill { expected_revision: Some(number(2)), ..body("three") };
    assert_eq!(edit(&app.cx, &alice, id, timely).await.unwrap().record.skill.revision.get(), 3);
}

#[tokio::test]
async fn every_write_honours_the_version_the_caller_read() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = app.skill(&admin, "a").await.skill.id;
    edit(&app.cx, &admin, id, body("two")).await.unwrap();
    let old = Some(1);
    let stale = EditSkill { if_version: old, ..body("three") };
    app.refuses(Code::Precondition, edit(&app.cx, &admin, id, stale)).await;
    app.refuses(Code::Precondition, restore(&app.cx, &admin, id, RevisionRef::Number(number(1)), old)).await;
    app.refuses(Code::Precondition, app::skills::set_enabled(&app.cx, &admin, id, false, old)).await;
    app.refuses(Code::Precondition, app::skills::delete(&app.cx, &admin, id, None, old)).await;
    let promote = app::skills::promote(&app.cx, &admin, id, model::ScopeKind::Workspace, old);
    app.refuses(Code::Precondition, promote).await;
    for &transition in Transition::ALL {
        let decision = app::skills::Decision { if_version: old, ..app::skills::Decision::new(transition) };
        app.refuses(Code::Precondition, app::skills::decide(&app.cx, &admin, id, decision)).await;
    }
    let current = EditSkill { if_version: Some(2), ..body("three") };
    edit(&app.cx, &admin, id, current).await.unwrap();
}

#[tokio::test]
async fn of_two_edits_at_once_on_the_same_revision_one_is_stale() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let on_first = |text| EditSkill { expected_revision: Some(number(1)), ..body(text) };
    let both = tokio::join!(
        edit(&app.cx, &alice, id, on_first("mine")),
        edit(&app.cx, &alice, id, on_first("yours")),
    );
    let codes = [both.0.err().map(|error| error.code()), both.1.err().map(|error| error.code())];
    assert!(codes.contains(&None) && codes.contains(&Some(Code::Stale)), "{codes:?}");
    let page = app::skills::revisions(&app.cx, &alice, id, PageRequest::default()).await.unwrap();
    assert_eq!(page.items.len(), 2);
}

#[tokio::test]
async fn restoring_makes_old_content_current_as_a_new_revision() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let first = app.skill(&alice, "a").await.skill;
    edit(&app.cx, &alice, first.id, body("two")).await.unwrap();
    let back = restore(&app.cx, &alice, first.id, RevisionRef::Number(number(1)), None).await.unwrap();
    let skill = &back.record.skill;
    assert_eq!((back.outcome, skill.revision.get(), skill.digest), (Outcome::Revised, 3, first.digest));
    let page = app::skills::revisions(&app.cx, &alice, first.id, PageRequest::default()).await.unwrap();
    let told: Vec<_> = page.items.iter().map(|revision| (revision.number.get(), revision.digest)).collect();
    assert_eq!((told[0].0, told[2].0, told[0].1), (3, 1, told[2].1));
    assert_eq!(page.items[0].message, "restore revision 1");
    let again = restore(&app.cx, &alice, first.id, RevisionRef::Number(number(1)), None);
    assert_eq!(app.leaves_alone(again).await.outcome, Outcome::Unchanged);
    let missing = restore(&app.cx, &alice, first.id, RevisionRef::Number(number(9)), None);
    app.refuses(Code::NotFound, missing).await;
}

#[tokio::test]
async fn a_label_names_one_revision_of_a_skill() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    edit(&app.cx, &alice, id, body("two")).await.unwrap();
    let one = label(&app.cx, &alice, id, number(1), Some(semver("1.0.0"))).await.unwrap();
    assert_eq!(one.label, Some(semver("1.0.0")));
    app.leaves_alone(label(&app.cx, &alice, id, number(1), Some(semver("1.0.0")))).await;
    let taken = label(&app.cx, &alice, id, number(2), Some(semver("1.0.0")));
    app.refuses(Code::LabelTaken, taken).await;
    let edited = EditSkill { label: Some(semver("1.0.0")), ..body("three") };
    app.refuses(Code::LabelTaken, edit(&app.cx, &alice, id, edited)).await;
    let by_label = RevisionRef::parse("1.0.0").unwrap();
    let read = app::skills::revision(&app.cx, &alice, id, by_label.clone()).await.unwrap();
    assert_eq!(read.revision.number, number(1));
    restore(&app.cx, &alice, id, by_label.clone(), None).await.unwrap();
    label(&app.cx, &alice, id, number(1), None).await.unwrap();
    app.refuses(Code::NotFound, app::skills::revision(&app.cx, &alice, id, by_label)).await;
    label(&app.cx, &alice, id, number(2), Some(semver("1.0.0"))).await.unwrap();
    app.refuses(Code::NotFound, label(&app.cx, &alice, id, number(9), None)).await;
}

#[tokio::test]
async fn a_shared_skill_is_changed_by_reviewers_and_by_its_author_until_it_was_reviewed() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let mut request = spec("shared");
    request.scope = Some(Scope::Workspace);
    let id = app.put(&alice, request).await.record.skill.id;
    app.refuses(Code::Forbidden, edit(&app.cx, &bob, id, body("bob's"))).await;
    edit(&app.cx, &alice, id, body("second thoughts")).await.unwrap();
    app::skills::decide(&app.cx, &rita, id, app::skills::Decision::new(Transition::Approve)).await.unwrap();
    app.refuses(Code::Forbidden, edit(&app.cx, &alice, id, body("third"))).await;
    app.refuses(Code::Forbidden, restore(&app.cx, &alice, id, RevisionRef::Number(number(1)), None)).await;
    app.refuses(Code::Forbidden, label(&app.cx, &alice, id, number(1), Some(semver("1.0.0")))).await;
    let edited = edit(&app.cx, &rita, id, body("third")).await.unwrap().record.skill;
    assert_eq!((edited.updated_by, edited.provenance.user), (rita.user, alice.user));
}

#[tokio::test]
async fn new_content_waits_again_where_its_author_may_not_approve_it() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let table = [
        (Approver::Owner, Status::Active, Status::Active),
        (Approver::Admin, Status::PendingApproval, Status::Active),
        (Approver::TwoPerson, Status::PendingApproval, Status::PendingApproval),
    ];
    for (approver, by_owner, by_admin) in table {
        let settings =
            ProceduralMemory { require_skill_approval: true, approver, ..ProceduralMemory::default() };
        let agent = app.agent_with(&format!("a-{}", approver.as_str().replace('_', "-")), settings).await;
        let mine = alice.through(&agent);
        let id = app.skill(&mine, "a").await.skill.id;
        let approve = || app::skills::Decision::new(Transition::Approve);
        app::skills::decide(&app.cx, &admin, id, approve()).await.unwrap();
        let edited = edit(&app.cx, &alice, id, body("by owner")).await.unwrap().record.skill;
        assert_eq!(edited.status, by_owner, "{approver}");
        app::skills::decide(&app.cx, &admin, id, approve()).await.unwrap();
        let edited = edit(&app.cx, &admin, id, body("by admin")).await.unwrap().record.skill;
        assert_eq!(edited.status, by_admin, "{approver}");
        // An agent whose token cannot review is not its user's word.
        let mut again = app
            .stored(&app::SkillRecord { skill: edited, statistics: model::Statistics::default() })
            .await
            .skill;
        if again.status == Status::PendingApproval {
            let rita = app.user("rita", &[Role::Reviewer]).await;
            again = app::skills::decide(&app.cx, &rita, id, approve()).await.unwrap().record.skill;
        }
        assert_eq!(again.status, Status::Active);
        let worker = mine.scoped(&[TokenScope::Read, TokenScope::Write]);
        let edited = edit(&app.cx, &worker, id, body("by agent")).await.unwrap().record.skill;
        assert_eq!(edited.status, Status::PendingApproval, "{approver}");
    }
}

#[tokio::test]
async fn a_rejected_skill_that_was_mended_waits_again() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let id = app.skill(&alice, "a").await.skill.id;
    let reject = app::skills::Decision {
        reason: Some("wrong".into()),
        ..app::skills::Decision::new(Transition::Reject)
    };
    app::skills::decide(&app.cx, &admin, id, reject).await.unwrap();
    let mended = edit(&app.cx, &alice, id, body("right")).await.unwrap().record.skill;
    assert_eq!((mended.status, mended.status_reason), (Status::PendingApproval, None));
}

#[tokio::test]
async fn skills_of_a_provider_are_read_only() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let mut request = spec("pdf");
    request.origin = Some(model::Origin::Provider);
    let id = app.put(&admin, request).await.record.skill.id;
    app.refuses(Code::Forbidden, edit(&app.cx, &admin, id, body("x"))).await;
}

#[tokio::test]
async fn fields_can_be_set_and_removed() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let set = Changes {
        title: Change::Set("Title".into()),
        icon: Change::Set("star".into()),
        description: Some("Other.".into()),
        ..Changes::default()
    };
    let skill = edit(&app.cx, &alice, id, changes(set)).await.unwrap().record.skill;
    assert_eq!((skill.title.as_str(), skill.icon.as_deref()), ("Title", Some("star")));
    assert_eq!(skill.description, "Other.");
    let removed = Changes { title: Change::Remove, icon: Change::Remove, ..Changes::default() };
    let skill = edit(&app.cx, &alice, id, changes(removed)).await.unwrap().record.skill;
    assert_eq!((skill.title.as_str(), skill.icon), ("a", None));
}

#[tokio::test]
async fn an_edit_needs_the_write_scope_and_a_skill_that_is_there() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    app.refuses(Code::TokenScope, edit(&app.cx, &alice.scoped(&[TokenScope::Read]), id, body("x"))).await;
    let nothing = model::SkillId::new(alice.user.uuid());
    app.refuses(Code::NotFound, edit(&app.cx, &alice, nothing, body("x"))).await;
    let endless = EditSkill { message: "x".repeat(2_001), ..body("x") };
    app.refuses(Code::InvalidRequest, edit(&app.cx, &alice, id, endless)).await;
}
