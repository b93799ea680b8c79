//! Executions that are followed while they go on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::code_sessions::{self, ExecuteCode, Executed};
use app::live::{Live, OutputStream, Step};
use app::runs::{self, Ran, RunSkill};
use app::{Code, Error, ExecutionSettings, QueueSettings};
use model::{Caller, CodeSessionId, Language, SkillId};
use sandbox::{Captured, Outcome};
use serde_json::{Map, json};
use testkit::runner::returned;
use testkit::{FakeRunner, TestApp};
use tokio::sync::{Semaphore, oneshot};

use crate::runs::{adder, numbers};

const WRITTEN: &str = "h\u{e9}\n";

/// An installation whose programs write a line in two pieces, and wait for a permit before the last one.
async fn writing(permits: usize) -> (TestApp, Arc<Semaphore>) {
    let go_on = Arc::new(Semaphore::new(permits));
    let gate = Arc::clone(&go_on);
    let runner = FakeRunner::waiting(move |execution| {
        let gate = Arc::clone(&gate);
        async move {
            let (first, last) = WRITTEN.as_bytes().split_at(2);
            execution.listener.tell(OutputStream::Stdout, first);
            execution.listener.tell(OutputStream::Stderr, b"careful");
            gate.acquire().await.unwrap().forget();
            execution.listener.tell(OutputStream::Stdout, last);
            let stdout = Captured { bytes: WRITTEN.as_bytes().to_vec(), truncated: false };
            let stderr = Captured { bytes: b"careful".to_vec(), truncated: false };
            Ok(Outcome { stdout, stderr, ..returned(&execution, json!(3)) })
        }
    });
    let mut app = TestApp::new().await;
    app.on_runner(&Arc::new(runner), ExecutionSettings::default());
    (app, go_on)
}

fn run(app: &TestApp, caller: &Caller, id: SkillId) -> Live<Ran> {
    let (cx, caller) = (app.cx.clone(), caller.clone());
    Live::new(|audience| async move {
        let request = RunSkill { parameters: numbers(1, 2), audience, ..RunSkill::default() };
        runs::execute(&cx, &caller, id, request).await
    })
}

fn execute(app: &TestApp, caller: &Caller, session: Option<CodeSessionId>) -> Live<Executed> {
    let (cx, caller) = (app.cx.clone(), caller.clone());
    Live::new(|audience| async move {
        let request = ExecuteCode {
            session,
            code: "x".to_owned(),
            language: Language::Python,
            parameters: Map::new(),
            timeout: None,
            profile: None,
            audience,
        };
        code_sessions::execute(&cx, &caller, request).await
    })
}

fn word<T>(step: &Step<T>) -> String {
    match step {
        Step::Waiting => "waiting".to_owned(),
        Step::Started => "started".to_owned(),
        Step::Output { stream, text } => format!("{stream:?} {text}"),
        Step::Ended(Ok(_)) => "done".to_owned(),
        Step::Ended(Err(error)) => error.code().as_str().to_owned(),
    }
}

#[tokio::test]
async fn a_run_is_told_as_it_goes_on_and_ends_with_what_it_gave() {
    let (app, go_on) = writing(0).await;
    let alice = app.user("alice", &[]).await;
    let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
    let mut live = run(&app, &alice, id);
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(word(&live.next().await.unwrap()));
    }
    // A letter that is not whole yet waits.
    assert_eq!(told, ["started", "Stdout h", "Stderr careful"]);
    go_on.add_permits(1);
    assert_eq!(word(&live.next().await.unwrap()), "Stdout \u{e9}\n");
    let Some(Step::Ended(Ok(ran))) = live.next().await else { panic!("it ended") };
    assert_eq!((ran.result, ran.stdout.text().as_str()), (json!(3), WRITTEN));
    assert!(live.next().await.is_none());
    assert_eq!(runs::read(&app.cx, &alice, ran.run.id).await.unwrap(), ran.run);
}

#[tokio::test]
async fn a_run_that_must_wait_says_so_once() {
    let (mut app, _go_on) = writing(9).await;
    app.cx = app.cx.clone().with_queue(QueueSettings { concurrency: 1, ..QueueSettings::default() });
    let alice = app.user("alice", &[]).await;
    let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
    let running = app.cx.queue.enter(&alice).await.unwrap();
    let mut live = run(&app, &alice, id);
    assert_eq!(word(&live.next().await.unwrap()), "waiting");
    drop(running);
    assert_eq!(word(&live.next().await.unwrap()), "started");
}

#[tokio::test]
async fn what_is_refused_before_it_starts_is_told_at_once() {
    let (mut app, _go_on) = writing(9).await;
    app.cx = app.cx.clone().with_queue(QueueSettings { concurrency: 1, waiting: 0, waiting_per_caller: 0 });
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
    let refused = |step: Option<Step<Ran>>| match step {
        Some(Step::Ended(Err(error))) => error,
        other => panic!("{other:?}"),
    };
    let error: Error = refused(run(&app, &bob, id).next().await);
    assert_eq!(error.code(), Code::Forbidden);
    let _running = app.cx.queue.enter(&alice).await.unwrap();
    assert_eq!(refused(run(&app, &alice, id).next().await).code(), Code::Busy);
}

#[tokio::test]
async fn who_stops_following_ends_the_code() {
    let (started, starts) = oneshot::channel();
    let hook = Mutex::new(Some(started));
    let runner = FakeRunner::waiting(move |_| {
        hook.lock().unwrap().take().unwrap().send(()).unwrap();
        std::future::pending()
    });
    let (mut app, runner) = (TestApp::new().await, Arc::new(runner));
    app.on_runner(&runner, ExecutionSettings::default());
    let alice = app.user("alice", &[]).await;
    let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
    let mut live = run(&app, &alice, id);
    assert_eq!(word(&live.next().await.unwrap()), "started");
    starts.await.unwrap();
    drop(live);
    let ended = loop {
        let runs = runs::list(&app.cx, &alice, runs::ListRuns::default()).await.unwrap().items;
        if let Some(run) = runs.into_iter().next() {
            break run;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(ended.error.unwrap().code, "stopped");
    assert_eq!(app.cx.queue.counts().running, 0);
}

#[tokio::test]
async fn code_in_a_session_is_told_the_same_way_and_waits_for_its_session() {
    let (app, go_on) = writing(1).await;
    let alice = app.user("alice", &[]).await;
    let mut live = execute(&app, &alice, None);
    let mut told = Vec::new();
    let session = loop {
        match live.next().await.unwrap() {
            Step::Ended(done) => break done.unwrap().session.id,
            step => told.push(word(&step)),
        }
    };
    assert_eq!(told.first().unwrap(), "started");
    assert_eq!(told.iter().filter(|word| word.starts_with("Stderr")).collect::<Vec<_>>(), ["Stderr careful"]);
    let mut first = execute(&app, &alice, Some(session));
    assert_eq!(word(&first.next().await.unwrap()), "started");
    let mut second = execute(&app, &alice, Some(session));
    assert_eq!(word(&second.next().await.unwrap()), "waiting");
    go_on.add_permits(2);
    while first.next().await.is_some() {}
    assert_eq!(word(&second.next().await.unwrap()), "started");
}

#[tokio::test]
async fn who_does_not_listen_holds_no_place() {
    let (app, go_on) = writing(0).await;
    let alice = app.user("alice", &[]).await;
    let mut live = execute(&app, &alice, None);
    assert_eq!(word(&live.next().await.unwrap()), "started");
    go_on.add_permits(1);
    let free = async {
        while app.cx.queue.counts().running > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), free).await.expect("the place is free again");
    // What was written meanwhile is told all the same.
    let mut told = Vec::new();
    while let Some(step) = live.next().await {
        told.push(word(&step));
    }
    assert_eq!(told, ["Stdout h", "Stderr careful", "Stdout \u{e9}\n", "done"]);
}
