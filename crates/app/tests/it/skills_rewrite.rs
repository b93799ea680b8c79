//! Changing a skill the way a model does: five operations on its text, and what is said about it.

use app::Code;
use app::skills::{Operation, Outcome, Rewrite, RewriteSkill, rewrite};
use model::{Role, Scope, SkillId};
use testkit::app::{files_spec, skill_md, spec, spec_with};
use testkit::{CallerExt as _, TestApp};

const TEXT: &str = "# Notes\n\nSay it once.\nSay it twice.";

fn written(operation: &str) -> Operation {
    Operation { operation: operation.to_owned(), ..Operation::default() }
}

fn of(rewrite: Rewrite) -> RewriteSkill {
    RewriteSkill { rewrite: Some(rewrite), ..RewriteSkill::default() }
}

fn find_replace(find: &str, replace: &str, all: bool) -> RewriteSkill {
    of(Rewrite::FindReplace { find: find.to_owned(), replace: replace.to_owned(), all })
}

async fn notes(app: &TestApp, caller: &model::Caller) -> SkillId {
    let request = spec_with("notes", |draft| {
        draft.body = TEXT.into();
        draft.title = Some("Notes".to_owned());
        draft.tags = vec!["old".to_owned()];
    });
    app.put(caller, request).await.record.skill.id
}

async fn body(app: &TestApp, caller: &model::Caller, id: SkillId) -> String {
    app::skills::read(&app.cx, caller, id).await.unwrap().manifest.body
}

#[tokio::test]
async fn each_operation_changes_the_text_and_makes_a_revision() {
    let table = [
        (of(Rewrite::Replace("All new.".into())), "All new."),
        (find_replace("Say it", "Tell it", false), "# Notes\n\nTell it once.\nSay it twice."),
        (find_replace("Say it", "Tell it", true), "# Notes\n\nTell it once.\nTell it twice."),
        (find_replace("once.\nSay it", "", false), "# Notes\n\nSay it  twice."),
        (of(Rewrite::Append("Then stop.".into())), "# Notes\n\nSay it once.\nSay it twice.\nThen stop."),
        (of(Rewrite::Append("\n## End".into())), "# Notes\n\nSay it once.\nSay it twice.\n## End"),
        (of(Rewrite::Prepend("> Old.\n".into())), "> Old.\n# Notes\n\nSay it once.\nSay it twice."),
        (of(Rewrite::Prepend("> Old.".into())), "> Old.\n# Notes\n\nSay it once.\nSay it twice."),
        (of(Rewrite::Delete("Say it ".into())), "# Notes\n\nonce.\nSay it twice."),
    ];
    for (request, wanted) in table {
        let app = TestApp::new().await;
        let alice = app.user("alice", &[]).await;
        let id = notes(&app, &alice).await;
        let done = app.logs(alice.workspace, &["skill.edit"], rewrite(&app.cx, &alice, id, request)).await;
        let skill = done.record.skill;
        assert_eq!((done.outcome, skill.name.as_str(), skill.revision.get()), (Outcome::Revised, "notes", 2));
        assert_eq!(body(&app, &alice, id).await, wanted);
        assert_eq!((skill.title.as_str(), skill.tags), ("Notes", vec!["old".to_owned()]));
    }
}

#[tokio::test]
async fn text_that_is_not_there_is_an_error_that_shows_it() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = notes(&app, &alice).await;
    for request in [
        find_replace("say it", "x", true),
        find_replace("description:", "x", false),
        of(Rewrite::Delete("Say it thrice".into())),
    ] {
        let error = app.refuses(Code::TextNotFound, rewrite(&app.cx, &alice, id, request)).await;
        assert!(error.to_string().contains("exactly as it stands"), "{error}");
    }
    // Good metadata does not save a bad operation.
    let half = RewriteSkill { title: Some("New".into()), ..of(Rewrite::Delete("nowhere".into())) };
    app.refuses(Code::TextNotFound, rewrite(&app.cx, &alice, id, half)).await;
}

#[tokio::test]
async fn an_operation_without_its_fields_is_an_error_that_names_them() {
    let text = |text: &str| Some(text.to_owned());
    let table = [
        (written("replace"), "needs `content`"),
        (Operation { content: text(" \n"), ..written("replace") }, "`content` is empty"),
        (written("append"), "needs `content`"),
        (Operation { content: text(""), ..written("append") }, "`content` is empty"),
        (written("prepend"), "needs `content`"),
        (written("delete"), "needs `find`"),
        (Operation { find: text(""), ..written("delete") }, "`find` is empty"),
        (Operation { find: text("a"), content: text("b"), ..written("delete") }, "leave `content` out"),
        (Operation { replace: text("b"), ..written("find_replace") }, "needs `find`"),
        (Operation { find: text("a"), ..written("find_replace") }, "needs `replace`"),
        (Operation { find: text(""), replace: text("b"), ..written("find_replace") }, "`find` is empty"),
        (written("shuffle"), "there is no operation `shuffle`"),
    ];
    for (operation, wanted) in table {
        let error = Rewrite::try_from(operation).unwrap_err();
        assert_eq!(error.code(), Code::InvalidRequest);
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

#[tokio::test]
async fn an_operation_is_read_from_its_fields() {
    let text = |text: &str| Some(text.to_owned());
    let both = || Operation { find: text("a"), replace: text(""), ..written("find_replace") };
    let replaced = |all| Rewrite::FindReplace { find: "a".into(), replace: String::new(), all };
    let table = [
        (Operation { content: text("a"), ..written("replace") }, Rewrite::Replace("a".into())),
        (Operation { content: text("a"), ..written("append") }, Rewrite::Append("a".into())),
        (Operation { content: text("a"), ..written("prepend") }, Rewrite::Prepend("a".into())),
        (both(), replaced(false)),
        (Operation { replace_all: true, ..both() }, replaced(true)),
        (Operation { find: text("a"), ..written("delete") }, Rewrite::Delete("a".into())),
        (Operation { content: text("a"), ..written("delete") }, Rewrite::Delete("a".into())),
        (Operation { find: text("a"), replace_all: true, ..written("delete") }, replaced(true)),
    ];
    for (operation, wanted) in table {
        assert_eq!(Rewrite::try_from(operation).unwrap(), wanted);
    }
}

#[tokio::test]
async fn metadata_alone_keeps_the_text_and_tags_replace_tags() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = notes(&app, &alice).await;
    let request = RewriteSkill {
        title: Some("Better notes".into()),
        description: Some("Takes better notes.".into()),
        tags: Some(vec!["new".into(), "notes".into()]),
        ..RewriteSkill::default()
    };
    let skill = rewrite(&app.cx, &alice, id, request).await.unwrap().record.skill;
    assert_eq!((skill.revision.get(), skill.title.as_str()), (2, "Better notes"));
    assert_eq!(
        (skill.description.as_str(), skill.tags.join(" ")),
        ("Takes better notes.", "new notes".into())
    );
    assert_eq!(body(&app, &alice, id).await, TEXT);
    let none = RewriteSkill { tags: Some(vec![]), ..RewriteSkill::default() };
    let skill = rewrite(&app.cx, &alice, id, none).await.unwrap().record.skill;
    assert_eq!((skill.revision.get(), skill.tags.len()), (3, 0));
}

#[tokio::test]
async fn a_request_that_names_nothing_is_refused() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = notes(&app, &alice).await;
    let error =
        app.refuses(Code::InvalidRequest, rewrite(&app.cx, &alice, id, RewriteSkill::default())).await;
    assert!(error.to_string().contains("nothing to change"), "{error}");
    for blank in [
        RewriteSkill { title: Some(" ".into()), ..RewriteSkill::default() },
        RewriteSkill { description: Some(String::new()), ..RewriteSkill::default() },
        of(Rewrite::Replace(String::new())),
        of(Rewrite::Delete(String::new())),
    ] {
        app.refuses(Code::InvalidRequest, rewrite(&app.cx, &alice, id, blank)).await;
    }
}

#[tokio::test]
async fn what_changes_nothing_gives_the_revision_that_is_there() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    // Written by hand: a title that is only the name, odd quotes, and blank lines at the end.
    let text = "---\nname: notes\ndescription: 'Takes notes.'\n---\nSay it.\n\n\n";
    let id = app.put(&alice, files_spec(&[("SKILL.md", text)])).await.record.skill.id;
    let same = RewriteSkill {
        title: Some("notes".into()),
        description: Some("Takes notes. ".into()),
        tags: Some(vec![]),
        ..of(Rewrite::Replace("Say it.".into()))
    };
    for request in [same, find_replace("Say", "Say", true)] {
        let done = app.leaves_alone(rewrite(&app.cx, &alice, id, request)).await;
        assert_eq!((done.outcome, done.record.skill.revision.get()), (Outcome::Unchanged, 1));
    }
}

#[tokio::test]
async fn lines_keep_the_ends_they_have() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = skill_md("notes", "one\ntwo").replace('\n', "\r\n");
    let id = app.put(&alice, files_spec(&[("SKILL.md", text)])).await.record.skill.id;
    rewrite(&app.cx, &alice, id, of(Rewrite::Append("three".into()))).await.unwrap();
    assert_eq!(body(&app, &alice, id).await, "one\r\ntwo\r\nthree");
}

#[tokio::test]
async fn of_two_changes_at_once_both_are_kept() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = notes(&app, &alice).await;
    let append = |text: &str| rewrite(&app.cx, &alice, id, of(Rewrite::Append(text.to_owned())));
    let (one, two, three) = tokio::join!(append("one"), append("two"), append("three"));
    let mut numbers: Vec<_> =
        [one, two, three].into_iter().map(|done| done.unwrap().record.skill.revision.get()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [2, 3, 4]);
    let text = body(&app, &alice, id).await;
    assert!(["one", "two", "three"].iter().all(|line| text.lines().any(|there| there == *line)), "{text}");
}

#[tokio::test]
async fn who_may_not_edit_may_not_rewrite() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let id = notes(&app, &alice).await;
    let stop = || of(Rewrite::Append("stop".into()));
    app.refuses(Code::Forbidden, rewrite(&app.cx, &bob, id, stop())).await;
    let reader = alice.scoped(&[model::TokenScope::Read]);
    app.refuses(Code::TokenScope, rewrite(&app.cx, &reader, id, stop())).await;
    let reviewer = app.user("rita", &[Role::Reviewer]).await;
    let shared =
        app.put(&reviewer, app::skills::CreateSkill { scope: Some(Scope::Workspace), ..spec("all") });
    let shared = shared.await.record.skill.id;
    app.refuses(Code::Forbidden, rewrite(&app.cx, &alice, shared, stop())).await;
    assert_eq!(rewrite(&app.cx, &reviewer, shared, stop()).await.unwrap().outcome, Outcome::Revised);
}
