//! Sessions: what agents did, with entries, tasks and outcome, and who sees it.

use app::jobs::keep_house;
use app::sessions::{
    DoneCall, Ensure, ListSessions, RecordingSettings, Start, WantedTodo, add, append, append_call,
    append_outcome, change, complete, delete, ensure, entries, list, read, start, write_todos,
};
use app::{Code, PageRequest};
use model::{
    Caller, EntryKind, Role, Session, SessionEntry, SessionId, SessionOutcome, SessionSkill, SkillId,
    Speaker, Timestamp, Todo, TodoStatus, TokenScope,
};
use serde_json::{Value, json};
use testkit::{CallerExt as _, TestApp};
use time::Duration;

fn entry(kind: EntryKind, text: &str, data: Option<Value>) -> SessionEntry {
    SessionEntry {
        number: 77,
        kind,
        speaker: (kind == EntryKind::Message).then_some(Speaker::User),
        tool: (kind == EntryKind::ToolCall).then(|| "execute".to_owned()),
        call: None,
        text: text.to_owned(),
        data,
        failed: false,
        at: Timestamp::UNIX_EPOCH,
    }
}

fn message(text: &str) -> SessionEntry {
    entry(EntryKind::Message, text, None)
}

fn artifact(kind: &str, skill: &str) -> SessionEntry {
    let metadata = json!({"skill_object_id": format!("/skills/{skill}"), "skill_name": skill});
    entry(EntryKind::Artifact, "", Some(json!({"type": kind, "metadata": metadata})))
}

fn todo(id: &str, content: &str) -> Todo {
    Todo { id: id.to_owned(), content: content.to_owned(), status: TodoStatus::Pending }
}

fn wanted(todos: &[Todo]) -> Vec<WantedTodo> {
    todos.iter().cloned().map(WantedTodo::from).collect()
}

async fn begun(app: &TestApp, caller: &Caller) -> SessionId {
    start(&app.cx, caller, Start::default()).await.unwrap().session.id
}

async fn kept(app: &TestApp, caller: &Caller, id: SessionId) -> Vec<SessionEntry> {
    entries(&app.cx, caller, id, PageRequest::default()).await.unwrap().items
}

async fn listed(app: &TestApp, caller: &Caller, request: ListSessions) -> Vec<SessionId> {
    list(&app.cx, caller, request).await.unwrap().items.into_iter().map(|session| session.id).collect()
}

fn with_key(key: &str) -> Ensure {
    Ensure { key: Some(key.to_owned()), source: Some("test".to_owned()) }
}

#[tokio::test]
async fn a_session_holds_what_was_added_in_order() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let request = Start { key: Some("k".into()), source: Some("claude-code".into()), title: None };
    let Session { id, .. } = start(&app.cx, &alice, request).await.unwrap().session;
    let call = entry(EntryKind::ToolCall, "", Some(json!({"code": "2 + 2"})));
    append(&app.cx, &alice, id, vec![message("  What\nis 2 + 2?"), call]).await.unwrap();
    app.clock.advance(Duration::minutes(1));
    let result = SessionEntry { failed: true, ..entry(EntryKind::ToolResult, "4", None) };
    let session = add(&app.cx, &alice, id, vec![result]).await.unwrap();
    assert_eq!((session.entry_count, session.version), (3, 3));
    assert_eq!(session.title, "What is 2 + 2?");
    assert_eq!(session.updated_at, app.now());
    assert_eq!(read(&app.cx, &alice, id).await.unwrap(), session);
    let kept = kept(&app, &alice, id).await;
    assert_eq!(kept.iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((kept[0].at, kept[2].at), (app.now() - Duration::minutes(1), app.now()));
    assert_eq!(kept[1].data, Some(json!({"code": "2 + 2"})));
    assert!(kept[2].failed);
}

#[tokio::test]
async fn entries_come_in_pages() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let many = (0..7).map(|n| message(&n.to_string())).collect();
    append(&app.cx, &alice, id, many).await.unwrap();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = entries(&app.cx, &alice, id, PageRequest { limit: 3, after }).await.unwrap();
        seen.extend(page.items.into_iter().map(|entry| entry.text));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4", "5", "6"]);
}

#[tokio::test]
async fn of_many_calls_at_once_with_one_key_there_is_one_session() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let agent = app.agent("helper").await;
    let calls = (0..16).map(|_| {
        let (cx, alice) = (app.cx.clone(), alice.clone());
        tokio::spawn(async move { ensure(&cx, &alice, with_key("k")).await.unwrap() })
    });
    let mut ids = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        ids.push(call.await.unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    let others = [
        ensure(&app.cx, &alice, with_key("other")).await.unwrap(),
        ensure(&app.cx, &alice.through(&agent), with_key("k")).await.unwrap(),
        ensure(&app.cx, &bob, with_key("k")).await.unwrap(),
        ensure(&app.cx, &alice, Ensure::default()).await.unwrap(),
    ];
    assert!(!others.contains(&ids[0]));
    let again = start(&app.cx, &alice, Start { key: Some("k".into()), ..Start::default() }).await.unwrap();
    assert_eq!((again.session.id, again.is_new), (ids[0], false));
    complete(&app.cx, &alice, ids[0], SessionOutcome::Succeeded, None).await.unwrap();
    assert_ne!(ensure(&app.cx, &alice, with_key("k")).await.unwrap(), ids[0], "a completed one is over");
}

#[tokio::test]
async fn without_a_key_the_last_session_of_the_hour_goes_on() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let go_on = async || ensure(&app.cx, &alice, Ensure::default()).await.unwrap();
    let first = go_on().await;
    app.clock.advance(Duration::minutes(50));
    append(&app.cx, &alice, first, vec![message("still there")]).await.unwrap();
    app.clock.advance(Duration::minutes(50));
    assert_eq!(go_on().await, first);
    app.clock.advance(Duration::minutes(11));
    let second = go_on().await;
    assert_ne!(second, first);
    ensure(&app.cx, &alice, with_key("k")).await.unwrap();
    assert_eq!(go_on().await, second, "one with a key is its host's");
}

#[tokio::test]
async fn a_session_is_its_user_s_and_read_by_those_who_review() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let (rita, admin) = (app.user("rita", &[Role::Reviewer]).await, app.admin().await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    let id = begun(&app, &alice.through(&one)).await;
    append(&app.cx, &alice.through(&two), id, vec![message("x")]).await.unwrap();
    for reader in [&alice, &rita, &admin] {
        assert_eq!(kept(&app, reader, id).await.len(), 1);
        assert_eq!(listed(&app, reader, ListSessions::default()).await, [id]);
    }
    for other in [&bob, &admin.through(&one)] {
        app.refuses(Code::NotFound, read(&app.cx, other, id)).await;
        app.refuses(Code::NotFound, entries(&app.cx, other, id, PageRequest::default())).await;
        app.refuses(Code::NotFound, add(&app.cx, other, id, vec![message("y")])).await;
        app.refuses(Code::NotFound, delete(&app.cx, other, id)).await;
        assert_eq!(listed(&app, other, ListSessions::default()).await, []);
        let of_alice = ListSessions { user: Some(alice.user), ..ListSessions::default() };
        assert_eq!(listed(&app, other, of_alice).await, []);
    }
    for reader in [&rita, &admin] {
        app.refuses(Code::Forbidden, add(&app.cx, reader, id, vec![message("y")])).await;
        app.refuses(Code::Forbidden, write_todos(&app.cx, reader, id, vec![])).await;
        app.refuses(Code::Forbidden, change(&app.cx, reader, id, "T".into(), None)).await;
        app.refuses(Code::Forbidden, complete(&app.cx, reader, id, SessionOutcome::Failed, None)).await;
    }
    app.refuses(Code::Forbidden, delete(&app.cx, &rita, id)).await;
    app.refuses(Code::TokenScope, delete(&app.cx, &alice.scoped(&[TokenScope::Read]), id)).await;
    app.refuses(Code::NotFound, delete(&app.cx, &bob.scoped(&[TokenScope::Read]), id)).await;
    delete(&app.cx, &admin, id).await.unwrap();
    app.refuses(Code::NotFound, read(&app.cx, &alice, id)).await;
    assert_eq!(app.snapshot().await.rows("session_entries"), 0);
}

#[tokio::test]
async fn lists_are_narrowed_by_each_field() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let agent = app.agent("helper").await;
    let request = Start { key: Some("k".into()), source: Some("gemini".into()), title: None };
    let first = start(&app.cx, &alice.through(&agent), request).await.unwrap().session.id;
    complete(&app.cx, &alice, first, SessionOutcome::Abandoned, None).await.unwrap();
    app.clock.advance(Duration::minutes(5));
    let later = app.now();
    let second = begun(&app, &alice).await;
    let all = ListSessions::default;
    for (request, expected) in [
        (all(), vec![second, first]),
        (ListSessions { agent: Some(agent.id), ..all() }, vec![first]),
        (ListSessions { key: Some("k".into()), ..all() }, vec![first]),
        (ListSessions { source: Some("gemini".into()), ..all() }, vec![first]),
        (ListSessions { open: Some(true), ..all() }, vec![second]),
        (ListSessions { outcome: Some(SessionOutcome::Abandoned), ..all() }, vec![first]),
        (ListSessions { since: Some(later), ..all() }, vec![second]),
        (ListSessions { until: Some(later), ..all() }, vec![first]),
    ] {
        assert_eq!(listed(&app, &alice, request.clone()).await, expected, "{request:?}");
    }
    let page = PageRequest { limit: 1, after: None };
    let first_page = list(&app.cx, &alice, ListSessions { page, ..all() }).await.unwrap();
    let page = PageRequest { limit: 1, after: first_page.next };
    assert_eq!(listed(&app, &alice, ListSessions { page, ..all() }).await, [first]);
}

#[tokio::test]
async fn secrets_are_not_kept_wherever_they_stand() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let call =
        entry(EntryKind::ToolCall, "with hunter22", Some(json!([{"password": "hunter22", "user": "ada"}])));
    let result = entry(EntryKind::ToolResult, "hunter22 is wrong", Some(json!({"echo": ["hunter22!"]})));
    append(&app.cx, &alice, id, vec![message("log in as hunter22"), call, result]).await.unwrap();
    let kept = kept(&app, &alice, id).await;
    assert_eq!(kept[1].data, Some(json!([{"password": "[redacted]", "user": "ada"}])));
    assert_eq!(kept[2].data, Some(json!({"echo": ["[redacted]!"]})));
    assert!(kept.iter().all(|entry| entry.text.contains("[redacted]")), "{kept:?}");
    assert_eq!(read(&app.cx, &alice, id).await.unwrap().title, "log in as [redacted]");
}

#[tokio::test]
async fn what_is_too_large_is_cut_and_says_so() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let exact = "ü".repeat(32 << 10);
    let data = |size: usize| json!({"a": "x".repeat(size)});
    let fits = entry(EntryKind::ToolCall, &exact, Some(data((256 << 10) - 8)));
    let large = entry(EntryKind::ToolCall, &(exact.clone() + "!"), Some(data((256 << 10) - 7)));
    append(&app.cx, &alice, id, vec![fits.clone(), large]).await.unwrap();
    let kept = kept(&app, &alice, id).await;
    assert_eq!((&kept[0].text, &kept[0].data), (&fits.text, &fits.data));
    assert!(kept[1].text.len() <= 64 << 10, "{}", kept[1].text.len());
    assert!(kept[1].text.starts_with("üü") && kept[1].text.ends_with("\n[cut: the text has 65537 bytes]"));
    assert_eq!(kept[1].data, Some(json!({"note": "left out: 262145 bytes are more than 262144"})));
}

#[tokio::test]
async fn entries_that_make_no_sense_or_are_too_many_are_refused() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let nobody = SessionEntry { speaker: None, ..message("x") };
    let nothing = SessionEntry { tool: None, ..entry(EntryKind::ToolCall, "", None) };
    let unnamed = SessionEntry { call: Some(String::new()), ..message("x") };
    for bad in [vec![nobody], vec![nothing], vec![unnamed], vec![message("x"); 1_001]] {
        app.refuses(Code::InvalidRequest, add(&app.cx, &alice, id, bad)).await;
    }
    app.tamper("UPDATE sessions SET entry_count = $1", &[99_999]).await;
    add(&app.cx, &alice, id, vec![message("the last")]).await.unwrap();
    app.refuses(Code::LimitReached, add(&app.cx, &alice, id, vec![message("one more")])).await;
}

#[tokio::test]
async fn a_session_that_is_full_is_followed_by_another() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    for which in [Ensure::default(), with_key("k")] {
        let full = ensure(&app.cx, &alice, which.clone()).await.unwrap();
        assert_eq!(ensure(&app.cx, &alice, which.clone()).await.unwrap(), full);
        app.tamper("UPDATE sessions SET entry_count = $1", &[99_500]).await;
        app.clock.advance(Duration::seconds(1));
        let next = ensure(&app.cx, &alice, which.clone()).await.unwrap();
        assert_ne!(next, full);
        assert_eq!(ensure(&app.cx, &alice, which).await.unwrap(), next);
    }
    let begin = || Start { key: Some("s".into()), ..Start::default() };
    let full = start(&app.cx, &alice, begin()).await.unwrap().session.id;
    app.tamper("UPDATE sessions SET entry_count = $1", &[100_000]).await;
    assert_ne!(start(&app.cx, &alice, begin()).await.unwrap().session.id, full);
}

#[tokio::test]
async fn what_is_done_is_not_refused_by_a_session_that_ended_meanwhile() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    append_outcome(&app.cx, &alice, id, vec![message("a")]).await.unwrap();
    complete(&app.cx, &alice, id, SessionOutcome::Succeeded, None).await.unwrap();
    app.refuses(Code::SessionCompleted, append(&app.cx, &alice, id, vec![message("b")])).await;
    append_outcome(&app.cx, &alice, id, vec![message("b")]).await.unwrap();
    assert_eq!(kept(&app, &alice, id).await.len(), 1);
    delete(&app.cx, &alice, id).await.unwrap();
    append_outcome(&app.cx, &alice, id, vec![message("c")]).await.unwrap();
}

#[tokio::test]
async fn a_todo_without_an_id_is_called_by_its_place() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let named =
        |id: Option<&str>| WantedTodo { id: id.map(str::to_owned), content: "a".into(), status: None };
    let todos = vec![named(None), named(Some("own")), named(Some("")), named(Some("4"))];
    let session = write_todos(&app.cx, &alice, id, todos).await.unwrap();
    assert_eq!(session.todos, ["1", "own", "3", "4"].map(|id| todo(id, "a")));
    let twice = vec![named(Some("2")), named(None)];
    app.refuses(Code::InvalidRequest, write_todos(&app.cx, &alice, id, twice)).await;
}

#[tokio::test]
async fn a_call_that_is_done_is_kept_with_its_result() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let arguments = json!({"name": "a", "password": "hunter2"}).as_object().cloned().unwrap();
    let done = DoneCall { tool: "read_skill".into(), arguments, text: "not there".into(), failed: true };
    append_call(&app.cx, &alice, id, done.clone()).await.unwrap();
    let [call, result] = kept(&app, &alice, id).await.try_into().unwrap();
    assert_eq!((call.kind, result.kind), (EntryKind::ToolCall, EntryKind::ToolResult));
    assert_eq!((call.tool.as_deref(), result.tool.as_deref()), (Some("read_skill"), Some("read_skill")));
    assert!(call.call.is_some() && call.call == result.call, "one id ties them");
    assert_eq!(call.data, Some(json!({"name": "a", "password": "[redacted]"})));
    assert_eq!((result.text.as_str(), result.failed), ("not there", true));
    delete(&app.cx, &alice, id).await.unwrap();
    append_call(&app.cx, &alice, id, done).await.unwrap();
}

#[tokio::test]
async fn todos_are_replaced_as_a_whole() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let todos = vec![todo("1", "Read"), Todo { status: TodoStatus::InProgress, ..todo("2", "Write") }];
    let session = write_todos(&app.cx, &alice, id, wanted(&todos)).await.unwrap();
    assert_eq!((&session.todos, session.version), (&todos, 2));
    assert_eq!(read(&app.cx, &alice, id).await.unwrap().todos, todos);
    for bad in [
        vec![todo("1", "a"), todo("1", "b")],
        vec![todo("1", "")],
        vec![todo("1", &"x".repeat(2_001))],
        (0..201).map(|n| todo(&n.to_string(), "a")).collect(),
    ] {
        app.refuses(Code::InvalidRequest, write_todos(&app.cx, &alice, id, wanted(&bad))).await;
    }
    let most: Vec<_> = (0..200).map(|n| todo(&n.to_string(), &"ü".repeat(2_000))).collect();
    assert_eq!(write_todos(&app.cx, &alice, id, wanted(&most)).await.unwrap().todos, most);
    assert_eq!(write_todos(&app.cx, &alice, id, vec![]).await.unwrap().todos, []);
}

#[tokio::test]
async fn a_completed_session_takes_no_more() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let reason = Some("the tests pass".to_owned());
    let done = complete(&app.cx, &alice, id, SessionOutcome::Succeeded, reason.clone()).await.unwrap();
    assert_eq!((done.outcome, &done.outcome_reason), (Some(SessionOutcome::Succeeded), &reason));
    assert_eq!(done.completed_at, Some(app.now()));
    app.clock.advance(Duration::minutes(1));
    let again = complete(&app.cx, &alice, id, SessionOutcome::Succeeded, None);
    assert_eq!(app.leaves_alone(again).await, done);
    let other = complete(&app.cx, &alice, id, SessionOutcome::Failed, None);
    app.refuses(Code::SessionCompleted, other).await;
    app.refuses(Code::SessionCompleted, add(&app.cx, &alice, id, vec![message("x")])).await;
    app.refuses(Code::SessionCompleted, append(&app.cx, &alice, id, vec![message("x")])).await;
    app.refuses(Code::SessionCompleted, write_todos(&app.cx, &alice, id, vec![])).await;
    assert_eq!(change(&app.cx, &alice, id, "Named".into(), None).await.unwrap().title, "Named");
}

#[tokio::test]
async fn a_title_changes_at_the_version_that_is_named() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    assert_eq!(change(&app.cx, &alice, id, "One".into(), Some(1)).await.unwrap().version, 2);
    app.refuses(Code::Precondition, change(&app.cx, &alice, id, "Two".into(), Some(1))).await;
    app.refuses(Code::InvalidRequest, change(&app.cx, &alice, id, "x".repeat(201), None)).await;
    append(&app.cx, &alice, id, vec![message("hello")]).await.unwrap();
    assert_eq!(read(&app.cx, &alice, id).await.unwrap().title, "One");
}

#[tokio::test]
async fn artifacts_say_which_skills_are_active_and_which_proposed() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let told = vec![
        artifact("skill_proposal", "a"),
        artifact("skill_proposal", "b"),
        artifact("skill_saved", "a"),
        artifact("skill_used", "c"),
        artifact("skill_used", "a"),
        artifact("chart", "d"),
        entry(EntryKind::ToolCall, "", artifact("skill_used", "e").data),
        entry(EntryKind::Artifact, "", Some(json!({"type": "skill_used"}))),
    ];
    let session = add(&app.cx, &alice, id, told).await.unwrap();
    let names = |skills: &[SessionSkill]| skills.iter().map(|skill| skill.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&session.active_skills), ["c", "a"]);
    assert_eq!(names(&session.proposed_skills), ["b"]);
    assert_eq!(read(&app.cx, &alice, id).await.unwrap(), session);
}

#[tokio::test]
async fn a_skill_that_was_renamed_is_the_same_in_its_session() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = begun(&app, &alice).await;
    let skill = SkillId::parse("019a0000-0000-7000-8000-000000000001").unwrap();
    let told = |kind: &str, name: &str| {
        let metadata = json!({"skill_object_id": format!("/skills/{name}"), "skill_name": name});
        let data = json!({"type": kind, "skill_id": skill.to_string(), "metadata": metadata});
        entry(EntryKind::Artifact, "", Some(data))
    };
    let entries = vec![told("skill_proposal", "before"), told("skill_used", "after")];
    let session = add(&app.cx, &alice, id, entries).await.unwrap();
    let after = SessionSkill { id: Some(skill), object_id: "/skills/after".into(), name: "after".into() };
    assert_eq!((session.active_skills, session.proposed_skills), (vec![after], vec![]));
}

#[tokio::test]
async fn where_nothing_is_recorded_only_tasks_are_kept() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let off = RecordingSettings { record: false, ..RecordingSettings::default() };
    let cx = app.cx.clone().with_recording(off);
    let id = ensure(&cx, &alice, Ensure::default()).await.unwrap();
    app.leaves_alone(append(&cx, &alice, id, vec![message("x")])).await;
    app.refuses(Code::RecordingOff, add(&cx, &alice, id, vec![message("x")])).await;
    assert_eq!(write_todos(&cx, &alice, id, wanted(&[todo("1", "a")])).await.unwrap().todos.len(), 1);
}

#[tokio::test]
async fn sessions_are_forgotten_some_time_after_their_last_use() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (old, used) = (begun(&app, &alice).await, begun(&app, &alice).await);
    app.clock.advance(Duration::days(60));
    append(&app.cx, &alice, used, vec![message("x")]).await.unwrap();
    assert_eq!(keep_house(&app.cx).await.unwrap().sessions_pruned, 0);
    app.clock.advance(Duration::days(31));
    let for_ever = RecordingSettings { history_days: 0, ..RecordingSettings::default() };
    assert_eq!(keep_house(&app.cx.clone().with_recording(for_ever)).await.unwrap().sessions_pruned, 0);
    assert_eq!(keep_house(&app.cx).await.unwrap().sessions_pruned, 1);
    app.refuses(Code::NotFound, read(&app.cx, &alice, old)).await;
    assert_eq!(kept(&app, &alice, used).await.len(), 1);
}

#[tokio::test]
async fn beginning_ending_and_removing_are_in_the_audit_log_and_words_are_not() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let request = Start { title: Some("private matter".into()), ..Start::default() };
    let id = start(&app.cx, &alice, request).await.unwrap().session.id;
    append(&app.cx, &alice, id, vec![message("private matter")]).await.unwrap();
    complete(&app.cx, &alice, id, SessionOutcome::Failed, Some("private matter".into())).await.unwrap();
    delete(&app.cx, &alice, id).await.unwrap();
    let log = app.audit(alice.workspace).await;
    let log: Vec<_> = log.iter().filter(|entry| entry.subject.kind == "session").collect();
    let mut verbs: Vec<_> = log.iter().map(|entry| entry.verb.0.as_str()).collect();
    verbs.sort_unstable();
    assert_eq!(verbs, ["session.complete", "session.delete", "session.start"]);
    assert!(log.iter().all(|entry| !entry.detail.contains("private")));
}
