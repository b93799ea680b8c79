//! Reading: revisions, files, differences, and who may see what.

use app::skills::{
    Change, Edit, EditSkill, RevisionRef, diff, edit, export, file, files, read, revision, revisions,
};
use app::{Code, PageRequest};
use model::{BundleFile, BundlePath, RevisionNumber, Role, Scope, TokenScope};
use testkit::app::{bundle, files_spec, skill_md, spec};
use testkit::{CallerExt as _, TestApp};

fn number(n: u32) -> RevisionRef {
    RevisionRef::Number(RevisionNumber::new(n).unwrap())
}

#[tokio::test]
async fn a_revision_is_named_by_number_label_or_current() {
    assert_eq!(RevisionRef::parse("current").unwrap(), RevisionRef::Current);
    assert_eq!(RevisionRef::parse("7").unwrap(), number(7));
    assert!(matches!(RevisionRef::parse("1.2.0").unwrap(), RevisionRef::Label(_)));
    for bad in ["0", "-1", "latest", "", "99999999999"] {
        assert_eq!(RevisionRef::parse(bad).unwrap_err().code(), Code::NotFound, "{bad}");
    }
}

#[tokio::test]
async fn revisions_come_in_pages_newest_first() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    for n in 2..=5 {
        let replace = Edit::Replace(bundle(&[("SKILL.md", skill_md("a", &n.to_string()))]));
        edit(&app.cx, &alice, id, EditSkill::new(replace)).await.unwrap();
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = revisions(&app.cx, &alice, id, PageRequest { limit: 2, after }).await.unwrap();
        seen.extend(page.items.iter().map(|revision| revision.number.get()));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [5, 4, 3, 2, 1]);
    let foreign = PageRequest { limit: 2, after: Some(app::Cursor("AAAA".into())) };
    app.refuses(Code::InvalidCursor, revisions(&app.cx, &alice, id, foreign)).await;
    for limit in [0, 201] {
        let request = PageRequest { limit, after: None };
        app.refuses(Code::InvalidRequest, revisions(&app.cx, &alice, id, request)).await;
    }
}

#[tokio::test]
async fn files_are_read_at_any_revision() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = skill_md("a", "x");
    let request = files_spec(&[("SKILL.md", text.as_bytes()), ("references/b.md", b"one")]);
    let id = app.put(&alice, request).await.record.skill.id;
    let replace = Edit::Replace(bundle(&[("SKILL.md", text.as_bytes()), ("references/b.md", b"two")]));
    edit(&app.cx, &alice, id, EditSkill::new(replace)).await.unwrap();
    for (which, wanted) in [(number(1), b"one"), (number(2), b"two"), (RevisionRef::Current, b"two")] {
        let (entry, bytes) = file(&app.cx, &alice, id, which, "references/b.md").await.unwrap();
        assert_eq!((bytes.as_slice(), entry.size), (wanted.as_slice(), 3));
    }
    let (_, listed) = files(&app.cx, &alice, id, number(1)).await.unwrap();
    assert_eq!(
        listed.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(),
        ["SKILL.md", "references/b.md"]
    );
    app.refuses(Code::NotFound, file(&app.cx, &alice, id, RevisionRef::Current, "../secret")).await;
    app.refuses(Code::NotFound, file(&app.cx, &alice, id, number(3), "SKILL.md")).await;
}

#[tokio::test]
async fn a_difference_shows_added_removed_and_changed_files() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = skill_md("a", "one");
    let request = files_spec(&[
        ("SKILL.md", text.as_bytes()),
        ("gone.txt", b"gone\n"),
        ("raw.bin", &[0, 1]),
        ("run.sh", b"x\n"),
        ("same", b"same"),
    ]);
    let id = app.put(&alice, request).await.record.skill.id;
    let text = skill_md("a", "two");
    let mut next = bundle(&[
        ("SKILL.md", text.as_bytes()),
        ("new.txt", b"new\n"),
        ("raw.bin", &[0, 2]),
        ("run.sh", b"x\n"),
        ("same", b"same"),
    ])
    .into_files();
    next.get_mut("run.sh").unwrap().executable = true;
    let next = model::Bundle::new(next).unwrap();
    edit(&app.cx, &alice, id, EditSkill::new(Edit::Replace(next))).await.unwrap();
    let (from, to, found) = diff(&app.cx, &alice, id, number(1), RevisionRef::Current).await.unwrap();
    assert_eq!((from.number.get(), to.number.get()), (1, 2));
    let told: Vec<_> = found.iter().map(|file| (file.path.as_str(), file.change)).collect();
    let wanted = [
        ("SKILL.md", Change::Modified),
        ("gone.txt", Change::Removed),
        ("new.txt", Change::Added),
        ("raw.bin", Change::Modified),
        ("run.sh", Change::Modified),
    ];
    assert_eq!(told, wanted);
    let unified = found[0].unified.as_deref().unwrap();
    assert!(unified.starts_with("--- a/SKILL.md\n+++ b/SKILL.md\n"), "{unified}");
    assert!(unified.contains("-one\n") && unified.contains("+two\n"), "{unified}");
    assert!(found[1].unified.as_deref().unwrap().contains("+++ /dev/null"));
    assert!(found[2].unified.as_deref().unwrap().contains("--- /dev/null"));
    assert_eq!(found[3].unified, None);
    let (_, _, nothing) = diff(&app.cx, &alice, id, number(1), number(1)).await.unwrap();
    assert!(nothing.is_empty());
}

#[tokio::test]
async fn a_difference_shows_the_lines_of_so_much_text_and_no_more() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    // Of each file 2 MiB are compared, so that four of them are all there is room for.
    let with = |letter: &str| {
        let texts = ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"]
            .map(|path| (path, format!("{path}\n{}", letter.repeat((1 << 20) - 6))));
        let mut files = vec![("SKILL.md", skill_md("a", "one"))];
        files.extend(texts);
        files
    };
    let id = app.put(&alice, files_spec(&with("a"))).await.record.skill.id;
    let next = Edit::Replace(bundle(&with("b")));
    edit(&app.cx, &alice, id, EditSkill::new(next)).await.unwrap();
    let (_, _, found) = diff(&app.cx, &alice, id, number(1), number(2)).await.unwrap();
    let told: Vec<_> = found.iter().map(|file| (file.path.as_str(), file.unified.is_some())).collect();
    assert_eq!(told, [("1.txt", true), ("2.txt", true), ("3.txt", true), ("4.txt", true), ("5.txt", false)]);
}

#[tokio::test]
async fn another_persons_skill_is_forbidden_or_hidden_in_every_use_case() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let id = app.skill(&alice, "private").await.skill.id;
    for hide in [false, true] {
        let change = app::workspaces::ChangeWorkspace { hide_existence: Some(hide), ..Default::default() };
        app::workspaces::change(&app.cx, &app.admin().await, change).await.unwrap();
        let code = if hide { Code::NotFound } else { Code::Forbidden };
        let current = || RevisionRef::Current;
        let replace = || EditSkill::new(Edit::Replace(bundle(&[("SKILL.md", skill_md("private", "x"))])));
        app.refuses(code, read(&app.cx, &bob, id)).await;
        app.refuses(code, revision(&app.cx, &bob, id, current())).await;
        app.refuses(code, revisions(&app.cx, &bob, id, PageRequest::default())).await;
        app.refuses(code, files(&app.cx, &bob, id, current())).await;
        app.refuses(code, file(&app.cx, &bob, id, current(), "SKILL.md")).await;
        app.refuses(code, diff(&app.cx, &bob, id, current(), current())).await;
        app.refuses(code, export(&app.cx, &bob, id, current())).await;
        app.refuses(code, app::skills::export_archive(&app.cx, &bob, id, current())).await;
        app.refuses(code, app::skills::feedback(&app.cx, &bob, id)).await;
        app.refuses(code, edit(&app.cx, &bob, id, replace())).await;
        app.refuses(code, app::skills::restore(&app.cx, &bob, id, number(1), None)).await;
        app.refuses(code, app::skills::label(&app.cx, &bob, id, RevisionNumber::FIRST, None)).await;
        app.refuses(code, app::skills::delete(&app.cx, &bob, id, None, None)).await;
        app.refuses(code, app::skills::set_enabled(&app.cx, &bob, id, false, None)).await;
        app.refuses(code, app::skills::promote(&app.cx, &bob, id, model::ScopeKind::Workspace, None)).await;
        app.refuses(code, app::skills::record_use(&app.cx, &bob, id, true)).await;
        app.refuses(code, app::skills::record_feedback(&app.cx, &bob, id, true, None)).await;
        for &transition in model::Transition::ALL {
            let decision = app::skills::Decision::new(transition);
            app.refuses(code, app::skills::decide(&app.cx, &bob, id, decision)).await;
        }
        app.refuses(Code::NotFound, app::skills::resolve(&app.cx, &bob, "private")).await;
    }
}

#[tokio::test]
async fn a_skill_of_an_agent_and_a_user_is_seen_by_no_other_pair() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    let id = app.skill(&alice.through(&one), "x").await.skill.id;
    read(&app.cx, &alice.through(&one), id).await.unwrap();
    read(&app.cx, &alice, id).await.unwrap();
    for other in [alice.through(&two), bob.through(&one), bob.clone()] {
        app.refuses(Code::Forbidden, read(&app.cx, &other, id)).await;
    }
    // Those who review see all, but not when an agent asks in their name.
    let rita = app.user("rita", &[Role::Reviewer]).await;
    read(&app.cx, &rita, id).await.unwrap();
    app.refuses(Code::Forbidden, read(&app.cx, &rita.through(&one), id)).await;
    app.refuses(Code::Forbidden, read(&app.cx, &app.admin().await.through(&one), id)).await;
}

#[tokio::test]
async fn reading_needs_the_read_scope() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let writer = alice.scoped(&[TokenScope::Write]);
    app.refuses(Code::TokenScope, read(&app.cx, &writer, id)).await;
    app.refuses(Code::TokenScope, app::skills::resolve(&app.cx, &writer, "a")).await;
}

#[tokio::test]
async fn a_skill_tells_which_agents_have_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = app.skill(&admin, "a").await.skill.id;
    for agent in ["zoe", "ann"] {
        let agent = app.agent(agent).await;
        app::agents::assign(&app.cx, &admin, agent.id, id, None, None).await.unwrap();
    }
    let detail = read(&app.cx, &admin, id).await.unwrap();
    assert_eq!(detail.agents.iter().map(model::SkillName::as_str).collect::<Vec<_>>(), ["ann", "zoe"]);
}

#[tokio::test]
async fn damaged_data_is_an_internal_error_and_never_shown() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = app.skill(&admin, "a").await.skill.id;
    app.tamper("UPDATE revision_files SET path = '../x'", &[]).await;
    app.refuses(Code::Internal, read(&app.cx, &admin, id)).await;
    app.refuses(Code::Internal, export(&app.cx, &admin, id, RevisionRef::Current)).await;
}

#[tokio::test]
async fn a_skill_is_readable_after_the_limits_were_tightened() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let mut tight = app.cx.clone();
    tight.limits.max_skill_file_bytes = 10;
    let detail = read(&tight, &alice, id).await.unwrap();
    assert!(detail.skill_file.contains("Do a step by step."));
}

#[tokio::test]
async fn executable_files_keep_their_mode() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let mut request = spec("a");
    request.scope = Some(Scope::User(alice.user));
    let app::skills::Content::Draft(draft) = &mut request.content else { unreachable!() };
    let script = BundleFile { content: b"#!/bin/sh\n".as_slice().into(), executable: true };
    draft.files.insert(BundlePath::parse("scripts/run.sh").unwrap(), script);
    let id = app.put(&alice, request).await.record.skill.id;
    let (entry, _) = file(&app.cx, &alice, id, RevisionRef::Current, "scripts/run.sh").await.unwrap();
    assert!(entry.executable);
}

#[tokio::test]
async fn hidden_text_in_any_file_is_told_to_who_reads_the_skill() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = skill_md("a", "Look at `references/b.md`.");
    let request = files_spec(&[
        ("SKILL.md", text.as_bytes()),
        ("references/b.md", "one\ntwo\u{e0041}".as_bytes()),
        ("references/c.md", b"plain"),
    ]);
    let published = app.put(&alice, request).await;
    let detail = read(&app.cx, &alice, published.record.skill.id).await.unwrap();
    for findings in [&published.findings, &detail.findings] {
        let hidden: Vec<_> = findings.iter().filter(|finding| finding.code == "hidden_character").collect();
        let [found] = hidden[..] else { panic!("{findings:?}") };
        assert_eq!((found.file.as_deref(), found.line), (Some("references/b.md"), Some(2)));
    }
}

#[tokio::test]
async fn a_stored_skill_stays_readable_when_the_rules_for_names_got_stricter() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let text = skill_md("a", "body");
    let request = files_spec(&[("SKILL.md", text.as_bytes()), ("strasse.md", b"one"), ("x.md", b"two")]);
    let id = app.put(&alice, request).await.record.skill.id;
    app.tamper("UPDATE revision_files SET path = 'straße.md' WHERE path = 'x.md'", &[]).await;
    assert_eq!(read(&app.cx, &alice, id).await.unwrap().files.len(), 3);
    let stored = bundle(&[("SKILL.md", text.as_bytes()), ("strasse.md", b"one")]).into_files();
    let mut files = stored.clone();
    files.insert(BundlePath::parse("straße.md").unwrap(), BundleFile::new(*b"two"));
    assert!(model::Bundle::new(files.clone()).is_err() && model::Bundle::stored(files).is_ok());
    export(&app.cx, &alice, id, RevisionRef::Current).await.unwrap();
}
