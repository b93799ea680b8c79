//! Runs and code that are told as they go on.

use std::sync::{Arc, Mutex};

use app::live::OutputStream;
use app::{ExecutionSettings, QueueSettings};
use sandbox::{Captured, Ending, Outcome};
use serde_json::{Value, json};
use testkit::runner::{ended, returned};
use testkit::{FakeRunner, TestApp};

use crate::api::{Api, Ask, get, id, post};

/// A door on programs that write a line to each stream.
async fn writing() -> (Api, String) {
    let runner = FakeRunner::new(|execution| {
        execution.listener.tell(OutputStream::Stdout, b"one\n");
        execution.listener.tell(OutputStream::Stderr, b"two \xff");
        let stdout = Captured { bytes: b"one\n".to_vec(), truncated: false };
        let stderr = Captured { bytes: b"two \xff".to_vec(), truncated: false };
        let outcome = match execution.program.parameters.get("a").and_then(Value::as_i64) {
            Some(0) => return Err(sandbox::Error::Failed("the jail fell".to_owned())),
            Some(1) => ended(&execution, Ending::Stopped),
            _ => returned(&execution, json!(3)),
        };
        Ok(Outcome { stdout, stderr, ..outcome })
    });
    let api = Api::on_runner(runner).await;
    let skill = id(&api.adder(json!({})).await);
    (api, skill)
}

fn live(ask: Ask, api: &Api) -> Ask {
    ask.header("accept", "text/event-stream").bearer(&api.admin)
}

fn run(skill: &str, a: i64) -> Ask {
    post(&format!("/skills/{skill}/runs")).json(json!({"parameters": {"a": a}}))
}

/// What every stream of these programs tells before it ends.
fn beginning() -> Vec<(String, Value)> {
    vec![
        ("started".to_owned(), json!({})),
        ("output".to_owned(), json!({"stream": "stdout", "text": "one\n"})),
        ("output".to_owned(), json!({"stream": "stderr", "text": "two \u{fffd}"})),
    ]
}

#[tokio::test]
async fn a_run_is_told_in_order_and_finishes_with_the_very_answer() {
    let (api, skill) = writing().await;
    for a in [2, 1] {
        let plain = api.ok(201, run(&skill, a)).await.json();
        let mut told = api.events(live(run(&skill, a), &api)).await.rest().await;
        let (name, mut finished) = told.pop().unwrap();
        assert_eq!((name.as_str(), told), ("finished", beginning()));
        let kept = api.ok(200, get(&format!("/runs/{}", id(&finished)))).await.json();
        assert_eq!((&kept["id"], &kept["status"]), (&finished["id"], &plain["status"]));
        finished["id"] = plain["id"].clone();
        assert_eq!(finished, plain);
    }
}

#[tokio::test]
async fn code_is_told_in_the_same_way() {
    let (api, _) = writing().await;
    let execute = || post("//code/execute").json(json!({"code": "x"}));
    let plain = api.ok(200, execute()).await.json();
    let mut told = api.events(live(execute(), &api)).await.rest().await;
    let (name, mut finished) = told.pop().unwrap();
    assert_eq!((name.as_str(), told), ("finished", beginning()));
    finished["session_id"] = plain["session_id"].clone();
    assert_eq!(finished, plain);
}

#[tokio::test]
async fn the_interpreter_is_told_in_the_same_way_and_says_which_call_it_kept() {
    let (api, _) = writing().await;
    let conversation = id(&api.ok(201, post("/sessions")).await.json());
    let execute = json!({"prompt": "x", "conversation_id": conversation});
    let used = json!({"operation": "use_skill", "skill_name": "adder", "skill_parameters": {"a": 2},
        "conversation_id": conversation});
    for body in [execute, used] {
        let interpret = || post("/interpreter").json(body.clone());
        let plain = api.ok(200, interpret()).await.json();
        let mut told = api.events(live(interpret(), &api)).await.rest().await;
        let (name, finished) = told.pop().unwrap();
        assert_eq!((name.as_str(), told), ("finished", beginning()));
        assert_eq!(finished["stdout"], plain["stdout"]);
        let entries = api.ok(200, get(&format!("/sessions/{conversation}/entries?limit=200"))).await.json();
        for answer in [&plain, &finished] {
            let kept = entries["items"].as_array().unwrap().iter();
            let kept = kept.filter(|entry| entry["call_id"] == answer["call_id"]);
            let kinds: Vec<_> = kept.map(|entry| entry["kind"].as_str().unwrap()).collect();
            assert_eq!(kinds[..2], ["tool_call", "tool_result"], "{answer}");
        }
    }
    let found = json!({"operation": "search_skills", "prompt": "add"});
    let told = api.events(live(post("/interpreter").json(found), &api)).await.rest().await;
    assert_eq!(told.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["finished"]);
    assert_eq!(told[0].1["call_id"], Value::Null, "nothing was kept");
}

#[tokio::test]
async fn what_is_refused_is_an_ordinary_problem_and_what_fails_later_an_event() {
    let (api, skill) = writing().await;
    let unknown = "00000000-0000-7000-8000-000000000000";
    api.refused(live(run(unknown, 2), &api), 404, "not_found").await;
    let wrong = post(&format!("/skills/{skill}/runs")).json(json!({"parameters": {"a": "x"}}));
    api.refused(live(wrong, &api), 422, "invalid_parameters").await;
    api.refused(live(post("//code/execute").json(json!({"code": " "})), &api), 400, "invalid_request").await;
    let told = api.events(live(run(&skill, 0), &api)).await.rest().await;
    let (name, problem) = told.last().unwrap();
    assert_eq!((name.as_str(), &problem["status"]), ("problem", &json!(503)));
    assert_eq!(problem["code"], "sandbox_unavailable");
    assert_eq!(told.iter().filter(|(name, _)| name == "finished" || name == "problem").count(), 1);
}

#[tokio::test]
async fn a_full_queue_is_a_problem_and_a_line_is_told() {
    let mut app = TestApp::new().await;
    let settings = QueueSettings { concurrency: 1, waiting: 1, waiting_per_caller: 1 };
    app.cx = app.cx.clone().with_queue(settings);
    let api = Api::of(app).await;
    let skill = id(&api.adder(json!({})).await);
    let running = api.app.cx.queue.enter(&api.app.admin().await).await.unwrap();
    let mut waiting = api.events(live(run(&skill, 2), &api)).await;
    assert_eq!(waiting.next().await.unwrap(), ("waiting".to_owned(), json!({})));
    api.refused(live(run(&skill, 2), &api), 429, "busy").await;
    drop(running);
    let told: Vec<_> = waiting.rest().await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(told, ["started", "finished"]);
}

#[tokio::test]
async fn who_goes_away_ends_the_code() {
    let (started, starts) = tokio::sync::oneshot::channel();
    let hook = Mutex::new(Some(started));
    let runner = FakeRunner::waiting(move |_| {
        hook.lock().unwrap().take().unwrap().send(()).unwrap();
        std::future::pending()
    });
    let mut app = TestApp::new().await;
    app.on_runner(&Arc::new(runner), ExecutionSettings::default());
    let api = Api::of(app).await;
    let skill = id(&api.adder(json!({})).await);
    let mut events = api.events(live(run(&skill, 2), &api)).await;
    assert_eq!(events.next().await.unwrap().0, "started");
    starts.await.unwrap();
    drop(events);
    let ended = loop {
        let runs = api.ok(200, get("/runs")).await.json();
        if let Some(run) = runs["items"].get(0) {
            break run.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(ended["error"]["code"], "stopped");
    assert_eq!(api.app.cx.queue.counts().running, 0);
}
