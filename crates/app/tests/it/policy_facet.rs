//! The policy facet is written, changed and removed by policy admins only, whatever the door.

use app::skills::{
    BulkMode, CreateSkill, Edit, EditSkill, OnConflict, RevisionRef, bulk, create, edit, restore,
};
use app::{Change, Changes, Code, SkillRecord};
use model::{Activation, BundleFile, BundlePath, Caller, Policy, RevisionNumber, Role, Scope};
use testkit::TestApp;
use testkit::app::{bundle, files_spec, skill_md, spec_with};

fn policy(forbidden: &str) -> Policy {
    Policy {
        activation: Activation { always: true, ..Activation::default() },
        forbidden_tools: vec![forbidden.to_owned()],
        ..Policy::default()
    }
}

fn governed(body: &str, policy: Option<Policy>) -> CreateSkill {
    let mut request = spec_with("guard", |draft| {
        draft.body = body.into();
        draft.policy = policy;
    });
    request.scope = Some(Scope::Workspace);
    request
}

fn changes(changes: Changes) -> EditSkill {
    EditSkill::new(Edit::Changes(Box::new(changes)))
}

/// An admin without the role, one with it, and a skill that the latter wrote.
async fn installation() -> (TestApp, Caller, Caller, SkillRecord) {
    let app = TestApp::new().await;
    let plain = app.user("ann", &[Role::Admin, Role::Reviewer]).await;
    let governor = app.user("gov", &[Role::Admin, Role::PolicyAdmin]).await;
    let record = app.put(&governor, governed("one", Some(policy("rm")))).await.record;
    assert!(record.skill.facets.policy);
    (app, plain, governor, record)
}

#[tokio::test]
async fn creating_needs_the_role() {
    let (app, plain, governor, _) = installation().await;
    let mut request = governed("x", Some(Policy::default()));
    request.name = Some(testkit::app::name("other"));
    app.refuses(Code::Forbidden, create(&app.cx, &plain, request.clone(), None)).await;
    let as_files = files_spec(&[
        ("SKILL.md", skill_md("filed", "x").as_str()),
        ("repertoire.yaml", "policy: {max_steps: 3}\n"),
    ]);
    app.refuses(Code::Forbidden, create(&app.cx, &plain, as_files.clone(), None)).await;
    let done = bulk(&app.cx, &plain, BulkMode::Each, vec![Ok(as_files.clone())]);
    let done = app.leaves_alone(done).await;
    assert_eq!(done.results[0].as_ref().unwrap_err().code(), Code::Forbidden);
    app.put(&governor, request).await;
    app.put(&governor, as_files).await;
}

#[tokio::test]
async fn a_new_revision_by_conflict_needs_the_role_when_the_policy_differs() {
    let (app, plain, _, _) = installation().await;
    for other in [Some(policy("ls")), None] {
        let request = CreateSkill { on_conflict: OnConflict::NewRevision, ..governed("two", other) };
        app.refuses(Code::Forbidden, create(&app.cx, &plain, request, None)).await;
    }
    let same = CreateSkill { on_conflict: OnConflict::NewRevision, ..governed("two", Some(policy("rm"))) };
    assert_eq!(app.put(&plain, same).await.record.skill.revision.get(), 2);
}

#[tokio::test]
async fn an_edit_needs_the_role_when_it_touches_the_policy() {
    let (app, plain, governor, record) = installation().await;
    let id = record.skill.id;
    let sidecar = BundlePath::parse("repertoire.yaml").unwrap();
    let rewritten = Some(BundleFile::new(*b"policy: {activation: {always: true}}\n"));
    let touching = [
        Changes { policy: Change::Remove, ..Changes::default() },
        Changes { policy: Change::Set(policy("ls")), ..Changes::default() },
        Changes { files: [(sidecar.clone(), None)].into(), ..Changes::default() },
        Changes { files: [(sidecar, rewritten)].into(), ..Changes::default() },
    ];
    for change in touching {
        app.refuses(Code::Forbidden, edit(&app.cx, &plain, id, changes(change.clone()))).await;
        edit(&app.cx, &governor, id, changes(change)).await.unwrap();
        restore(&app.cx, &governor, id, RevisionRef::Number(RevisionNumber::FIRST), None).await.unwrap();
    }
    let text = Changes { body: Some("other words".into()), ..Changes::default() };
    edit(&app.cx, &plain, id, changes(text)).await.unwrap();
}

#[tokio::test]
async fn replacing_the_files_needs_the_role_when_the_policy_differs() {
    let (app, plain, _, record) = installation().await;
    let without = Edit::Replace(bundle(&[("SKILL.md", skill_md("guard", "harmless"))]));
    app.refuses(Code::Forbidden, edit(&app.cx, &plain, record.skill.id, EditSkill::new(without))).await;
}

#[tokio::test]
async fn restoring_needs_the_role_when_the_policy_comes_or_goes() {
    let (app, plain, governor, record) = installation().await;
    let id = record.skill.id;
    let removed = Changes { policy: Change::Remove, ..Changes::default() };
    edit(&app.cx, &governor, id, changes(removed)).await.unwrap();
    let first = || RevisionRef::Number(RevisionNumber::FIRST);
    app.refuses(Code::Forbidden, restore(&app.cx, &plain, id, first(), None)).await;
    restore(&app.cx, &governor, id, first(), None).await.unwrap();
    let second = RevisionRef::Number(RevisionNumber::new(2).unwrap());
    app.refuses(Code::Forbidden, restore(&app.cx, &plain, id, second, None)).await;
}

#[tokio::test]
async fn importing_again_needs_the_role_when_the_policy_differs() {
    let (app, plain, governor, _) = installation().await;
    let import = |text: &str| {
        let body = skill_md("imported", "x");
        let mut request = files_spec(&[("SKILL.md", body.as_str()), ("repertoire.yaml", text)]);
        (request.source, request.scope) = (Some("/x".to_owned()), Some(Scope::Workspace));
        request
    };
    app.put(&governor, import("policy: {max_steps: 3}\n")).await;
    app.refuses(Code::Forbidden, create(&app.cx, &plain, import("policy: {max_steps: 300}\n"), None)).await;
    app.refuses(Code::Forbidden, create(&app.cx, &plain, import("title: x\n"), None)).await;
    app.put(&plain, import("title: x\npolicy: {max_steps: 3}\n")).await;
}

#[tokio::test]
async fn a_policy_that_can_no_longer_be_read_is_not_removed_by_accident() {
    let (app, plain, governor, record) = installation().await;
    let mut tight = app.cx.clone();
    tight.limits.max_skill_file_bytes = 40;
    let tiny = || EditSkill::new(Edit::Replace(bundle(&[("SKILL.md", "---\nname: guard\n---\nx\n")])));
    app.refuses(Code::Forbidden, edit(&tight, &plain, record.skill.id, tiny())).await;
    edit(&tight, &governor, record.skill.id, tiny()).await.unwrap();
}

#[tokio::test]
async fn the_role_alone_does_not_open_the_skills_of_others() {
    let (app, _, _, record) = installation().await;
    let paul = app.user("paul", &[Role::PolicyAdmin]).await;
    let set = Changes { policy: Change::Set(policy("ls")), ..Changes::default() };
    app.refuses(Code::Forbidden, edit(&app.cx, &paul, record.skill.id, changes(set))).await;
}

#[tokio::test]
async fn putting_a_policy_out_of_force_needs_the_role_too() {
    use app::skills::{Decision, decide, delete, set_enabled};
    use model::Transition;
    let (app, plain, governor, record) = installation().await;
    let id = record.skill.id;
    app.refuses(Code::Forbidden, set_enabled(&app.cx, &plain, id, false, None)).await;
    app.refuses(Code::Forbidden, delete(&app.cx, &plain, id, None, None)).await;
    app.refuses(Code::Forbidden, decide(&app.cx, &plain, id, Decision::new(Transition::Archive))).await;
    set_enabled(&app.cx, &governor, id, false, None).await.unwrap();
    delete(&app.cx, &governor, id, None, None).await.unwrap();
}
