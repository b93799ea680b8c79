//! Code sessions: whose they are, how long they live, how many there are, and what is done in them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use app::agents::AgentSpec;
use app::code_sessions::{
    self, DownloadFile, ExecuteCode, Executed, NewFile, SessionSettings, UploadFiles, Uploaded, delete_files,
    download, end, execute, folder_of, list, list_files, upload,
};
use app::jobs::keep_house;
use app::{Code, Error, ExecutionSettings, QueueSettings};
use model::{Caller, CodeSessionId, Language, RunLimits, RunStatus, TokenScope};
use sandbox::{Ending, Failure, FailureCode, HostCall, Limit};
use serde_json::{Map, Value, json};
use std::time::Duration;
use testkit::app::name;
use testkit::runner::{ended, returned};
use testkit::{CallerExt as _, FakeRunner, TestApp};
use tokio::sync::Semaphore;

pub(crate) fn code(session: Option<CodeSessionId>, code: &str) -> ExecuteCode {
    ExecuteCode {
        session,
        code: code.to_owned(),
        language: Language::Python,
        parameters: Map::new(),
        timeout: None,
        profile: None,
        audience: app::live::Audience::default(),
    }
}

fn files(session: Option<CodeSessionId>, files: &[(&str, &[u8])]) -> UploadFiles {
    let file = |(path, content): &(&str, &[u8])| NewFile {
        path: (*path).to_owned(),
        content: content.to_vec(),
        unpack: false,
    };
    UploadFiles { session, files: files.iter().map(file).collect() }
}

/// An installation on a runner of its own; each program leaves a file that is named like its code.
async fn writing() -> (TestApp, Arc<FakeRunner>) {
    on(FakeRunner::new(|execution| {
        let source = String::from_utf8(execution.program.files[0].content.clone()).unwrap();
        execution.folder.as_ref().unwrap().write(&source, source.as_bytes())?;
        Ok(returned(&execution, json!(source)))
    }))
    .await
}

async fn on(runner: FakeRunner) -> (TestApp, Arc<FakeRunner>) {
    let (mut app, runner) = (TestApp::new().await, Arc::new(runner));
    app.on_runner(&runner, ExecutionSettings::default());
    (app, runner)
}

async fn begin(app: &TestApp, caller: &Caller) -> CodeSessionId {
    upload(&app.cx, caller, files(None, &[("a.txt", b"a")])).await.unwrap().session.id
}

fn paths(executed: &Executed) -> Vec<&str> {
    executed.files.iter().map(|file| file.path.as_str()).collect()
}

/// Lets every task go on until it waits.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn files_stay_from_one_execution_to_the_next() {
    let (app, _) = writing().await;
    let alice = app.user("alice", &[]).await;
    let first = execute(&app.cx, &alice, code(None, "one")).await.unwrap();
    assert_eq!(
        (first.status, &first.result, paths(&first)),
        (RunStatus::Succeeded, &json!("one"), vec!["one"])
    );
    let again = execute(&app.cx, &alice, code(Some(first.session.id), "two")).await.unwrap();
    assert_eq!((again.session.id, paths(&again)), (first.session.id, vec!["one", "two"]));
    let other = execute(&app.cx, &alice, code(None, "three")).await.unwrap();
    assert_eq!(paths(&other), ["three"]);
    assert_eq!(list(&app.cx, &alice).unwrap().len(), 2);
}

#[tokio::test]
async fn a_session_is_not_there_for_anyone_else() {
    let (app, _) = writing().await;
    let alice = app.user("alice", &[]).await;
    let agent = app.agent("helper").await;
    let session = begin(&app, &alice).await;
    let elsewhere = app.workspace("elsewhere").await;
    let others = [
        app.user("bob", &[]).await,
        app.admin().await,
        alice.through(&agent),
        Caller { workspace: elsewhere.workspace, ..alice.clone() },
    ];
    let cx = &app.cx;
    for other in &others {
        let path = "a.txt".to_owned();
        app.refuses(Code::NotFound, execute(cx, other, code(Some(session), "x"))).await;
        app.refuses(Code::NotFound, upload(cx, other, files(Some(session), &[("x", b"x")]))).await;
        app.refuses(Code::NotFound, list_files(cx, other, session)).await;
        app.refuses(Code::NotFound, download(cx, other, DownloadFile { session, path })).await;
        app.refuses(Code::NotFound, delete_files(cx, other, session, None)).await;
        app.refuses(Code::NotFound, folder_of(cx, other, session)).await;
        app.refuses(Code::NotFound, async { end(cx, other, session) }).await;
        assert_eq!(list(cx, other).unwrap(), []);
    }
    let (_, files, _) = list_files(cx, &alice, session).await.unwrap();
    assert_eq!(files.len(), 1);
}

#[tokio::test]
async fn a_session_ends_when_nobody_uses_it() {
    let (app, runner) = writing().await;
    let alice = app.user("alice", &[]).await;
    let session = begin(&app, &alice).await;
    for _ in 0..3 {
        app.clock.advance(time::Duration::minutes(29));
        let (seen, ..) = list_files(&app.cx, &alice, session).await.unwrap();
        assert_eq!(seen.expires_at, app.now() + time::Duration::minutes(30));
    }
    app.clock.advance(time::Duration::minutes(30));
    let error = app.refuses(Code::NotFound, list_files(&app.cx, &alice, session)).await;
    assert!(error.to_string().contains("30 min"), "{error}");
    assert_eq!((list(&app.cx, &alice).unwrap(), app.cx.code_sessions.count()), (vec![], 0));
    assert_eq!(runner.open_folders(), 0);
}

#[tokio::test]
async fn a_session_in_use_does_not_end() {
    let (app, _) = writing().await;
    let alice = app.user("alice", &[]).await;
    let session = begin(&app, &alice).await;
    let occupied = folder_of(&app.cx, &alice, session).await.unwrap();
    app.clock.advance(time::Duration::hours(2));
    assert!(list(&app.cx, &alice).unwrap()[0].in_use);
    assert_eq!(keep_house(&app.cx).await.unwrap().code_sessions_ended, 0);
    drop(occupied);
    app.clock.advance(time::Duration::minutes(29));
    assert!(!list(&app.cx, &alice).unwrap()[0].in_use);
    app.clock.advance(time::Duration::minutes(1));
    assert_eq!(list(&app.cx, &alice).unwrap(), []);
}

#[tokio::test]
async fn housekeeping_gives_back_what_idle_sessions_hold() {
    let (app, runner) = writing().await;
    let alice = app.user("alice", &[]).await;
    begin(&app, &alice).await;
    begin(&app, &alice).await;
    assert_eq!(runner.open_folders(), 2);
    app.clock.advance(time::Duration::minutes(30));
    assert_eq!(keep_house(&app.cx).await.unwrap().code_sessions_ended, 2);
    assert_eq!(runner.open_folders(), 0);
}

#[tokio::test]
async fn nobody_has_more_sessions_than_their_share() {
    let (mut app, runner) = writing().await;
    let settings = SessionSettings { per_caller: 2, total: 3, ..SessionSettings::default() };
    app.cx = app.cx.clone().with_code_sessions(settings);
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let first = begin(&app, &alice).await;
    begin(&app, &alice).await;
    let another = || upload(&app.cx, &alice, files(None, &[("x", b"x")]));
    let error = app.refuses(Code::LimitReached, another()).await;
    assert!(error.to_string().contains("you have 2 code sessions"), "{error}");
    begin(&app, &bob).await;
    app.refuses(Code::Busy, execute(&app.cx, &bob, code(None, "x"))).await;
    end(&app.cx, &alice, first).unwrap();
    begin(&app, &bob).await;
    assert_eq!((app.cx.code_sessions.count(), runner.open_folders()), (3, 3));
    app.clock.advance(time::Duration::minutes(30));
    begin(&app, &alice).await;
    assert_eq!(runner.open_folders(), 1);
}

#[tokio::test]
async fn a_rush_does_not_get_past_the_quota() {
    let (app, runner) = writing().await;
    let alice = app.user("alice", &[]).await;
    let tasks: Vec<_> = (0..40)
        .map(|_| {
            let (cx, alice) = (app.cx.clone(), alice.clone());
            tokio::spawn(async move { execute(&cx, &alice, code(None, "x")).await.is_ok() })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        made += usize::from(task.await.unwrap());
    }
    assert_eq!((made, app.cx.code_sessions.count(), runner.open_folders()), (8, 8, 8));
}

#[tokio::test]
async fn what_was_never_executed_leaves_no_session_and_no_trace() {
    let refuse = |_| Err(sandbox::Error::UnknownProfile("x".to_owned()));
    let (app, runner) = on(FakeRunner::new(refuse)).await;
    let alice = app.user("alice", &[]).await;
    app.refuses(Code::UnknownProfile, execute(&app.cx, &alice, code(None, "x"))).await;
    app.refuses(Code::InvalidPath, upload(&app.cx, &alice, files(None, &[("../x", b"x")]))).await;
    assert_eq!((app.cx.code_sessions.count(), runner.open_folders()), (0, 0));
}

#[tokio::test]
async fn a_full_queue_leaves_no_session() {
    let (mut app, runner) = writing().await;
    app.cx = app.cx.clone().with_queue(QueueSettings { concurrency: 1, waiting: 0, waiting_per_caller: 0 });
    let alice = app.user("alice", &[]).await;
    let running = app.cx.queue.enter(&alice).await.unwrap();
    app.refuses(Code::Busy, execute(&app.cx, &alice, code(None, "x"))).await;
    assert_eq!((app.cx.code_sessions.count(), runner.open_folders()), (0, 0));
    drop(running);
    execute(&app.cx, &alice, code(None, "x")).await.unwrap();
}

/// A runner whose programs wait until the gate lets them through; it knows how many wait.
fn gated() -> (FakeRunner, Arc<Semaphore>, Arc<AtomicUsize>) {
    let (gate, running) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let (inside, counted) = (Arc::clone(&gate), Arc::clone(&running));
    let runner = FakeRunner::waiting(move |execution| {
        let (gate, less) = (Arc::clone(&inside), Less(Arc::clone(&counted)));
        less.0.fetch_add(1, Ordering::SeqCst);
        async move {
            gate.acquire().await.unwrap().forget();
            drop(less);
            Ok(returned(&execution, Value::Null))
        }
    });
    (runner, gate, running)
}

struct Less(Arc<AtomicUsize>);

impl Drop for Less {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn spawn(
    app: &TestApp,
    caller: &Caller,
    session: Option<CodeSessionId>,
) -> tokio::task::JoinHandle<Result<Executed, Error>> {
    let (cx, caller) = (app.cx.clone(), caller.clone());
    tokio::spawn(async move { execute(&cx, &caller, code(session, "x")).await })
}

#[tokio::test]
async fn in_one_session_things_are_done_one_after_the_other() {
    let (runner, gate, running) = gated();
    let (app, _) = on(runner).await;
    let alice = app.user("alice", &[]).await;
    let (one, two) = (begin(&app, &alice).await, begin(&app, &alice).await);
    let tasks =
        [spawn(&app, &alice, Some(one)), spawn(&app, &alice, Some(one)), spawn(&app, &alice, Some(two))];
    settle().await;
    assert_eq!((running.load(Ordering::SeqCst), app.cx.queue.counts().running), (2, 2));
    gate.add_permits(3);
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(running.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn ending_a_session_ends_what_runs_in_it() {
    let (runner, _gate, running) = gated();
    let (app, runner) = on(runner).await;
    let alice = app.user("alice", &[]).await;
    let session = begin(&app, &alice).await;
    let (first, second) = (spawn(&app, &alice, Some(session)), spawn(&app, &alice, Some(session)));
    settle().await;
    assert_eq!(running.load(Ordering::SeqCst), 1);
    end(&app.cx, &alice, session).unwrap();
    for task in [first, second] {
        assert_eq!(task.await.unwrap().unwrap_err().code(), Code::NotFound);
    }
    assert_eq!((running.load(Ordering::SeqCst), runner.open_folders()), (0, 0));
    assert_eq!(app.cx.queue.counts().running, 0);
}

#[tokio::test]
async fn no_more_wait_for_a_session_than_in_the_queue() {
    let (runner, _gate, _) = gated();
    let (mut app, _) = on(runner).await;
    app.cx = app.cx.clone().with_queue(QueueSettings { concurrency: 4, waiting: 9, waiting_per_caller: 2 });
    let alice = app.user("alice", &[]).await;
    let session = begin(&app, &alice).await;
    let tasks = [0; 3].map(|_| spawn(&app, &alice, Some(session)));
    settle().await;
    app.refuses(Code::Busy, execute(&app.cx, &alice, code(Some(session), "x"))).await;
    for task in tasks {
        task.abort();
    }
}

/// What the log says of executions.
async fn logged(app: &TestApp, caller: &Caller) -> Vec<(String, Value)> {
    let entries = app.audit(caller.workspace).await;
    let executions = entries.into_iter().filter(|entry| entry.verb.0 == "code.execute");
    executions.map(|entry| (entry.subject.id, serde_json::from_str(&entry.detail).unwrap())).collect()
}

#[tokio::test]
async fn the_log_says_what_was_executed_but_not_the_code() {
    let failure = Failure {
        code: FailureCode::Raised,
        kind: "ValueError".into(),
        message: "secret".into(),
        file: Some("main.py".into()),
        line: Some(1),
        traceback: "secret".into(),
    };
    let (app, _) =
        on(FakeRunner::new(move |execution| Ok(ended(&execution, Ending::Failed(failure.clone()))))).await;
    let alice = app.user("alice", &[]).await;
    let done = execute(&app.cx, &alice, code(None, "secret()")).await.unwrap();
    assert_eq!((done.status, done.result.clone()), (RunStatus::Failed, Value::Null));
    let error = done.error.unwrap();
    assert_eq!((error.code, error.kind.as_str(), error.line), ("code_error", "ValueError", Some(1)));
    let wanted = json!({"language": "python", "outcome": "code_error", "duration_ms": 3});
    assert_eq!(logged(&app, &alice).await, [(done.session.id.to_string(), wanted)]);
}

#[tokio::test]
async fn whoever_goes_away_while_their_code_runs_is_in_the_log_too() {
    let (runner, _gate, running) = gated();
    let (app, runner) = on(runner).await;
    let alice = app.user("alice", &[]).await;
    let task = spawn(&app, &alice, None);
    settle().await;
    while running.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!((running.load(Ordering::SeqCst), runner.open_folders()), (0, 0));
    assert_eq!(app.cx.code_sessions.count(), 0);
    loop {
        let logged = logged(&app, &alice).await;
        if let [(_, detail)] = logged.as_slice() {
            assert_eq!(detail["outcome"], "stopped");
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_limit_is_told_with_its_code_and_text() {
    let (app, _) = on(FakeRunner::new(|execution| Ok(ended(&execution, Ending::Limit(Limit::Wall))))).await;
    let alice = app.user("alice", &[]).await;
    let request = ExecuteCode { timeout: Some(Duration::from_secs(2)), ..code(None, "while True: pass") };
    let done = execute(&app.cx, &alice, request).await.unwrap();
    assert_eq!((done.status, done.limits_hit.as_slice()), (RunStatus::Failed, ["time_limit"].as_slice()));
    let error = done.error.unwrap();
    assert_eq!((error.code, error.message.as_str()), ("time_limit", "stopped after 2 s, the time limit"));
}

#[tokio::test]
async fn the_narrowest_limit_counts() {
    let (app, runner) = on(FakeRunner::default()).await;
    let run_limits = RunLimits { wall_ms: Some(5_000), memory_bytes: Some(1 << 20), ..RunLimits::default() };
    let spec = AgentSpec { run_limits, ..AgentSpec::new(name("small")) };
    let agent = app::agents::create(&app.cx, &app.admin().await, spec).await.unwrap();
    let alice = app.user("alice", &[]).await;
    for (caller, timeout, wanted) in [
        (alice.clone(), None, 30),
        (alice.clone(), Some(99), 30),
        (alice.clone(), Some(7), 7),
        (alice.through(&agent), None, 5),
        (alice.through(&agent), Some(9), 5),
        (alice.through(&agent), Some(1), 1),
    ] {
        let request = ExecuteCode { timeout: timeout.map(Duration::from_secs), ..code(None, "x") };
        execute(&app.cx, &caller, request).await.unwrap();
        let (_, limits) = runner.seen().pop().unwrap();
        assert_eq!(limits.wall, Duration::from_secs(wanted));
        assert_eq!(limits.memory == 1 << 20, caller.agent.is_some());
    }
}

#[tokio::test]
async fn a_request_that_says_too_little_is_told_what_to_say() {
    let (app, runner) = on(FakeRunner::default()).await;
    let alice = app.user("alice", &[]).await;
    let shell = ExecuteCode { language: Language::Shell, profile: Some("x".into()), ..code(None, "x") };
    let none = ExecuteCode { timeout: Some(Duration::ZERO), ..code(None, "x") };
    for (request, wanted) in [
        (code(None, " \n"), "there is no `code`"),
        (shell, "a `profile` goes with python"),
        (none, "a time limit must be"),
    ] {
        let error = app.refuses(Code::InvalidRequest, execute(&app.cx, &alice, request)).await;
        assert!(error.to_string().starts_with(wanted), "{error}");
    }
    app.refuses(Code::InvalidRequest, upload(&app.cx, &alice, files(None, &[]))).await;
    assert_eq!(runner.seen(), []);
}

#[tokio::test]
async fn each_language_is_run_as_its_own_file_without_network() {
    let main = |execution: sandbox::Execution| {
        assert_eq!((&execution.network, execution.seed), (&sandbox::Network::None, None));
        assert_eq!((execution.program.function.as_ref(), execution.inputs.len()), (None, 0));
        Ok(returned(&execution, json!(execution.program.main)))
    };
    let (app, _) = on(FakeRunner::new(main)).await;
    let alice = app.user("alice", &[]).await;
    for (language, main) in
        [(Language::Python, "main.py"), (Language::JavaScript, "main.mjs"), (Language::Shell, "main.sh")]
    {
        let done = execute(&app.cx, &alice, ExecuteCode { language, ..code(None, "x") }).await.unwrap();
        assert_eq!(done.result, json!(main));
    }
}

async fn refused(app: &TestApp, caller: &Caller, session: CodeSessionId, request: UploadFiles, code: Code) {
    let before = list_files(&app.cx, caller, session).await.unwrap();
    app.refuses(code, upload(&app.cx, caller, request)).await;
    assert_eq!(list_files(&app.cx, caller, session).await.unwrap().1, before.1);
}

#[tokio::test]
async fn one_hostile_name_refuses_the_whole_upload() {
    let (app, runner) = on(FakeRunner::default()).await;
    let alice = app.user("alice", &[]).await;
    let session = begin(&app, &alice).await;
    std::os::unix::fs::symlink("/etc", runner.place().join("0/link")).unwrap();
    let (deep, long) = (vec!["d"; 33].join("/"), "x".repeat(256));
    for path in ["../x", "/etc/x", "", "a//b", "a/./b", "a/../b", "x\0y", &deep, &long, "link/x", "a.txt/x"] {
        let request = files(Some(session), &[("b.txt", b"b"), (path, b"x"), ("zz", b"z")]);
        refused(&app, &alice, session, request, Code::InvalidPath).await;
    }
    for pair in [["b", "b"], ["b", "b/c"]] {
        let request = files(Some(session), &[(pair[0], b"1"), (pair[1], b"2")]);
        refused(&app, &alice, session, request, Code::InvalidPath).await;
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused_before_anything_is_written() {
    let (mut app, runner) = on(FakeRunner::default()).await;
    let limits = sandbox::Limits { folder_bytes: 40_960, folder_files: 4, ..sandbox::Limits::default() };
    app.on_runner(&runner, ExecutionSettings { limits, ..ExecutionSettings::default() });
    let alice = app.user("alice", &[]).await;
    let session = begin(&app, &alice).await;
    let large = vec![0; 40_000];
    for request in [
        files(Some(session), &[("b", b"b"), ("c", &large)]),
        files(Some(session), &[("b", b"b"), ("c", b"c"), ("d/e", b"e")]),
    ] {
        refused(&app, &alice, session, request, Code::TooLarge).await;
    }
    let Uploaded { files: put, .. } =
        upload(&app.cx, &alice, files(Some(session), &[("a.txt", &large)])).await.unwrap();
    assert_eq!((put[0].path.as_str(), put[0].size), ("a.txt", 40_000));
}

#[tokio::test]
async fn files_are_given_out_and_removed() {
    use std::io::Read as _;
    let (app, runner) = on(FakeRunner::default()).await;
    let alice = app.user("alice", &[]).await;
    let request = files(None, &[("a.txt", b"hello"), ("d/b.txt", b"b"), ("c", b"c")]);
    let session = upload(&app.cx, &alice, request).await.unwrap().session.id;
    let fetch = |path: &str| download(&app.cx, &alice, DownloadFile { session, path: path.to_owned() });
    let (mut found, mut text) = (fetch("a.txt").await.unwrap(), String::new());
    found.file.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), found.size), ("hello", 5));
    drop(found);
    app.refuses(Code::NotFound, fetch("nothing")).await;
    app.refuses(Code::InvalidPath, fetch("d")).await;
    app.refuses(Code::InvalidPath, fetch("../0/a.txt")).await;
    std::os::unix::fs::symlink("/etc/passwd", runner.place().join("0/passwd")).unwrap();
    app.refuses(Code::InvalidPath, fetch("passwd")).await;
    std::fs::File::create(runner.place().join("0/holes")).unwrap().set_len(1 << 40).unwrap();
    app.refuses(Code::TooLarge, fetch("holes")).await;
    app.refuses(Code::TooLarge, upload(&app.cx, &alice, files(Some(session), &[("x", b"x")]))).await;
    let remove = |path: Option<&str>| delete_files(&app.cx, &alice, session, path.map(str::to_owned));
    assert_eq!(remove(Some("c")).await.unwrap().1, 1);
    app.refuses(Code::NotFound, remove(Some("c"))).await;
    app.refuses(Code::InvalidPath, remove(Some("d"))).await;
    assert_eq!(remove(None).await.unwrap().1, 3);
    assert_eq!(list_files(&app.cx, &alice, session).await.unwrap().1, []);
    assert_eq!(runner.open_folders(), 1);
    upload(&app.cx, &alice, files(Some(session), &[("link", b"x")])).await.unwrap();
}

#[tokio::test]
async fn a_reading_token_looks_but_does_nothing() {
    let (app, _) = on(FakeRunner::default()).await;
    let alice = app.user("alice", &[]).await;
    let session = begin(&app, &alice).await;
    let reader = alice.scoped(&[TokenScope::Read]);
    let (cx, path) = (&app.cx, "a.txt".to_owned());
    app.refuses(Code::TokenScope, execute(cx, &reader, code(Some(session), "x"))).await;
    app.refuses(Code::TokenScope, upload(cx, &reader, files(None, &[("x", b"x")]))).await;
    app.refuses(Code::TokenScope, delete_files(cx, &reader, session, None)).await;
    app.refuses(Code::TokenScope, async { end(cx, &reader, session) }).await;
    assert_eq!(list(cx, &reader).unwrap().len(), 1);
    app.leaves_alone(download(cx, &reader, DownloadFile { session, path })).await;
    let writer = alice.scoped(&[TokenScope::Write]);
    app.refuses(Code::TokenScope, async { code_sessions::list(cx, &writer) }).await;
    app.refuses(Code::TokenScope, list_files(cx, &writer, session)).await;
}

#[tokio::test]
async fn code_that_lists_more_skills_than_one_answer_holds_is_told_so() {
    let (app, runner) = writing().await;
    let alice = app.user("alice", &[]).await;
    execute(&app.cx, &alice, code(None, "a")).await.unwrap();
    let module = runner.executions()[0].host.clone().unwrap();
    let list = async |tag: Option<&str>| {
        let (module, arguments) = (module.clone(), tag.into_iter().map(Value::from).collect());
        let call = HostCall { function: "list".to_owned(), arguments, named: Map::new() };
        tokio::task::spawn_blocking(move || (module.call)(call)).await.unwrap()
    };
    let add = async |numbers: std::ops::Range<u32>| {
        let items = numbers.map(|number| Ok(testkit::app::spec(&format!("skill-{number}")))).collect();
        let done = app::skills::bulk(&app.cx, &alice, app::skills::BulkMode::Atomic, items).await.unwrap();
        assert!(done.committed);
    };
    add(0..1_000).await;
    add(1_000..2_000).await;
    let all = list(None).await.unwrap();
    assert_eq!(all.as_array().map(Vec::len), Some(2_000));
    add(2_000..2_001).await;
    let refused = list(None).await.unwrap_err();
    assert!(refused.contains("there are too many skills to list; give a tag"), "{refused}");
    assert_eq!(list(Some("none has this")).await, Ok(json!([])));
}
