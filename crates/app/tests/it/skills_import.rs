//! Importing: a skill is found again by the place it came from.

use app::Code;
use app::skills::{Edit, EditSkill, OnConflict, Outcome, create, edit};
use model::{Caller, Origin, Scope};
use testkit::TestApp;
use testkit::app::{bundle, files_spec, name, skill_md};

fn import(source: &str, skill: &str, body: &str) -> app::skills::CreateSkill {
    let mut request = files_spec(&[("SKILL.md", skill_md(skill, body))]);
    request.source = Some(source.to_owned());
    request
}

async fn rewrite(app: &TestApp, caller: &Caller, id: model::SkillId, skill: &str, body: &str) {
    let replace = Edit::Replace(bundle(&[("SKILL.md", skill_md(skill, body))]));
    edit(&app.cx, caller, id, EditSkill::new(replace)).await.unwrap();
}

#[tokio::test]
async fn a_second_import_from_the_same_place_changes_nothing() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let first = app.put(&alice, import("/skills/a", "a", "one")).await;
    assert_eq!((first.outcome, first.record.skill.origin), (Outcome::Created, Origin::Imported));
    for on_conflict in [OnConflict::Error, OnConflict::NewRevision, OnConflict::Skip, OnConflict::Rename] {
        let mut again = import("/skills/a", "a", "one");
        again.on_conflict = on_conflict;
        let again = app.leaves_alone(create(&app.cx, &alice, again, None)).await;
        assert_eq!((again.outcome, again.record.skill.id), (Outcome::Unchanged, first.record.skill.id));
    }
}

#[tokio::test]
async fn new_content_from_the_same_place_is_a_new_revision_whatever_the_name_says() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let first = app.put(&alice, import("/skills/a", "a", "one")).await.record.skill;
    let second = app.put(&alice, import("/skills/a", "b", "two")).await;
    assert_eq!(second.outcome, Outcome::Revised);
    let second = second.record.skill;
    assert_eq!((second.id, second.name.as_str(), second.revision.get()), (first.id, "a", 2));
}

#[tokio::test]
async fn importing_again_after_local_edits_keeps_them() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let skill = app.put(&alice, import("/skills/a", "a", "one")).await.record.skill;
    rewrite(&app, &alice, skill.id, "a", "mine").await;
    let again = app.leaves_alone(create(&app.cx, &alice, import("/skills/a", "a", "one"), None)).await;
    assert_eq!((again.outcome, again.record.skill.revision.get()), (Outcome::Unchanged, 2));
}

#[tokio::test]
async fn a_skill_that_was_renamed_here_is_still_found_by_its_place() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let skill = app.put(&alice, import("/skills/a", "a", "one")).await.record.skill;
    rewrite(&app, &alice, skill.id, "renamed", "mine").await;
    let again = app.leaves_alone(create(&app.cx, &alice, import("/skills/a", "a", "one"), None)).await;
    assert_eq!(again.record.skill.name.as_str(), "renamed");
}

#[tokio::test]
async fn a_clash_of_names_is_solved_the_same_way_on_every_machine() {
    let mut names = Vec::new();
    for _ in 0..2 {
        let app = TestApp::new().await;
        let alice = app.user("alice", &[]).await;
        app.put(&alice, import("/one/report", "report", "one")).await;
        let mut second = import("/two/report", "report", "two");
        app.refuses(Code::NameTaken, create(&app.cx, &alice, second.clone(), None)).await;
        second.on_conflict = OnConflict::Rename;
        let put = app.put(&alice, second.clone()).await;
        let again = app.leaves_alone(create(&app.cx, &alice, second, None)).await;
        assert_eq!((again.outcome, &again.record.skill.id), (Outcome::Unchanged, &put.record.skill.id));
        names.push(put.record.skill.name.to_string());
    }
    assert_eq!(names[0], names[1]);
    assert!(names[0].starts_with("report-"), "{names:?}");
}

#[tokio::test]
async fn a_place_means_another_skill_in_another_scope() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let mine = app.put(&alice, import("/skills/a", "a", "one")).await.record.skill;
    let theirs = app.put(&bob, import("/skills/a", "a", "one")).await;
    assert_eq!(theirs.outcome, Outcome::Created);
    assert_ne!(theirs.record.skill.id, mine.id);
}

#[tokio::test]
async fn a_shared_import_is_renewed_by_reviewers_only() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let shared = |body| app::skills::CreateSkill { scope: Some(Scope::Workspace), ..import("/s", "s", body) };
    app.put(&admin, shared("one")).await;
    app.refuses(Code::Forbidden, create(&app.cx, &alice, shared("two"), None)).await;
    assert_eq!(app.put(&admin, shared("two")).await.outcome, Outcome::Revised);
}

#[tokio::test]
async fn a_suffix_never_makes_a_name_too_long() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let long = "x".repeat(64);
    app.put(&alice, import("/one", &long, "one")).await;
    let mut second = import("/two", &long, "two");
    second.on_conflict = OnConflict::Rename;
    let put = app.put(&alice, second).await.record.skill;
    assert_eq!(put.name.as_str().len(), 64);
    assert_ne!(put.name, name(&long));
}
