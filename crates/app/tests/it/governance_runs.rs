//! Governed runs: steps and time are counted once, whoever serves.

use std::sync::Arc;

use app::governance::{
    Ask, GovernanceSettings, Judged, ListGovernedRuns, RunRef, Start, Step, finish, list_runs, read_run,
    start, step,
};
use app::jobs::keep_house;
use app::skills::set_enabled;
use app::{Code, Context, Error, PageRequest};
use model::{Activation, Caller, GovernedRun, GovernedRunId, Policy, Scope};
use serde_json::{Value, json};
use testkit::{CallerExt as _, TestApp};
use time::Duration;

use crate::governance::{always, call, forbids, governor, object, policy, replica};

fn begin(task: &str) -> Start {
    Start { ask: Ask { task: task.to_owned(), ..Ask::default() }, session: None }
}

fn in_session(task: &str, session: &str) -> Start {
    let ask = Ask { task: task.to_owned(), host: Some("claude".to_owned()), ..Ask::default() };
    Start { ask, session: Some(session.to_owned()) }
}

fn session(name: &str) -> RunRef {
    RunRef::Session { host: "claude".to_owned(), session: name.to_owned(), agent: None }
}

async fn try_step(cx: &Context, caller: &Caller, run: RunRef, tool: &str) -> Result<Judged, Error> {
    step(cx, caller, run, Step { call: call(tool), context: app::governance::Known::new(), id: None }).await
}

/// Whether a call of `ls` is allowed.
async fn allowed(cx: &Context, caller: &Caller, run: GovernedRunId) -> bool {
    try_step(cx, caller, RunRef::Id(run), "ls").await.unwrap().verdict.is_allowed()
}

/// An installation in which every run has at most so many steps, and a member.
async fn limited(steps: u32) -> (TestApp, Caller) {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let limits = Policy { max_steps: Some(steps), ..always() };
    app.put(&gov, policy("limits", Scope::Workspace, limits)).await;
    (app, alice)
}

async fn begun(app: &TestApp, caller: &Caller, task: &str) -> GovernedRun {
    start(&app.cx, caller, begin(task)).await.unwrap().run
}

async fn stored(app: &TestApp, run: &GovernedRun) -> GovernedRun {
    let mut tx = app.cx.store.read().await.unwrap();
    tx.governed_run(run.workspace, run.id).await.unwrap().unwrap()
}

#[tokio::test]
async fn steps_are_counted_over_servers_and_restarts() {
    let (app, alice) = limited(4).await;
    let there = replica(&app);
    let run = begun(&app, &alice, "x").await;
    for cx in [&app.cx, &there, &replica(&app), &there] {
        assert!(allowed(cx, &alice, run.id).await);
    }
    for cx in [&app.cx, &there, &replica(&app)] {
        let judged = try_step(cx, &alice, RunRef::Id(run.id), "ls").await.unwrap();
        let denial = judged.verdict.denial.unwrap();
        assert_eq!((denial.cause.as_str(), denial.skills), ("max_steps", vec!["limits".to_owned()]));
        assert_eq!((judged.usage.steps, judged.max_steps), (4, Some(4)));
    }
    let run = stored(&app, &run).await;
    assert_eq!((run.steps, run.denied), (4, 3));
    assert!(allowed(&app.cx, &alice, begun(&app, &alice, "x").await.id).await, "another run has its own");
}

#[tokio::test]
async fn a_denied_call_is_no_step() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let limits = Policy { max_steps: Some(1), ..forbids("rm") };
    app.put(&gov, policy("limits", Scope::Workspace, limits)).await;
    let run = begun(&app, &alice, "x").await;
    for _ in 0..3 {
        let judged = try_step(&app.cx, &alice, RunRef::Id(run.id), "rm").await.unwrap();
        assert!(!judged.verdict.is_allowed());
    }
    assert!(allowed(&app.cx, &alice, run.id).await);
    assert!(!allowed(&app.cx, &alice, run.id).await);
}

#[tokio::test]
async fn time_is_counted_from_the_beginning_wherever_it_is_looked_at() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let limits = Policy { max_execution_time: Some(std::time::Duration::from_mins(5)), ..always() };
    app.put(&gov, policy("limits", Scope::Workspace, limits)).await;
    let run = begun(&app, &alice, "x").await;
    assert!(allowed(&app.cx, &alice, run.id).await);
    app.clock.advance(Duration::minutes(5) - Duration::microseconds(1));
    assert!(allowed(&replica(&app), &alice, run.id).await);
    app.clock.advance(Duration::seconds(1));
    for cx in [&app.cx, &replica(&app)] {
        let judged = try_step(cx, &alice, RunRef::Id(run.id), "ls").await.unwrap();
        assert_eq!(judged.verdict.denial.unwrap().cause.as_str(), "max_execution_time");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_calls_at_once_exactly_so_many_are_allowed() {
    let (app, alice) = limited(10).await;
    let run = begun(&app, &alice, "x").await.id;
    let servers = [app.cx.clone(), replica(&app)];
    let calls: Vec<_> = (0..40)
        .map(|n| {
            let (cx, alice) = (servers[n % 2].clone(), alice.clone());
            tokio::spawn(async move { allowed(&cx, &alice, run).await })
        })
        .collect();
    let mut granted = 0;
    for call in calls {
        granted += u32::from(call.await.unwrap());
    }
    assert_eq!(granted, 10);
    let run = read_run(&app.cx, &alice, run).await.unwrap().run;
    assert_eq!((run.steps, run.denied), (10, 30));
}

/// A call that the host names.
fn named(id: &str) -> Step {
    Step { call: call("ls"), context: app::governance::Known::new(), id: Some(id.to_owned()) }
}

#[tokio::test]
async fn a_call_that_is_asked_about_twice_is_one_step() {
    let (app, alice) = limited(2).await;
    let run = begun(&app, &alice, "x").await;
    let id = || RunRef::Id(run.id);
    let allowed =
        async |call: &str| step(&app.cx, &alice, id(), named(call)).await.unwrap().verdict.is_allowed();
    // One after the other, and both in one breath.
    assert!(allowed("one").await && allowed("one").await);
    let (first, second) = tokio::join!(allowed("two"), allowed("two"));
    assert!(first && second && allowed("one").await);
    assert_eq!(stored(&app, &run).await.steps, 2);
    assert!(!allowed("three").await && !allowed("three").await);
    let run = stored(&app, &run).await;
    assert_eq!((run.steps, run.denied), (2, 2));
}

#[tokio::test]
async fn a_call_that_could_not_be_kept_is_no_step_yet() {
    let (app, alice) = limited(1).await;
    let run = begun(&app, &alice, "x").await;
    let id = || RunRef::Id(run.id);
    app.fail_commits(true);
    for call in ["one", "two"] {
        assert_eq!(step(&app.cx, &alice, id(), named(call)).await.unwrap_err().code(), Code::Unavailable);
    }
    app.fail_commits(false);
    assert!(step(&app.cx, &alice, id(), named("one")).await.unwrap().verdict.is_allowed());
    assert_eq!(stored(&app, &run).await.steps, 1);
    assert!(!step(&app.cx, &alice, id(), named("two")).await.unwrap().verdict.is_allowed());
}

#[tokio::test]
async fn a_policy_that_changes_holds_for_runs_that_go_on() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let there = replica(&app);
    let run = begun(&app, &alice, "x").await;
    assert!(allowed(&there, &alice, run.id).await);
    let record = app.put(&gov, policy("guard", Scope::Workspace, forbids("ls"))).await.record;
    assert!(!allowed(&there, &alice, run.id).await);
    assert!(!allowed(&app.cx, &alice, run.id).await);
    set_enabled(&app.cx, &gov, record.skill.id, false, None).await.unwrap();
    assert!(allowed(&there, &alice, run.id).await);
}

#[tokio::test]
async fn what_holds_in_a_run_rests_on_its_task_and_what_was_known_at_its_beginning() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let activation = Activation {
        keywords: vec!["review".to_owned()],
        when: Some("context.mode == 'strict'".to_owned()),
        ..Activation::default()
    };
    app.put(&gov, policy("guard", Scope::Workspace, Policy { activation, ..forbids("ls") })).await;
    let with = |task: &str, mode: &str| {
        let mut request = begin(task);
        request.ask.context = object(json!({"mode": mode}));
        request
    };
    for (task, mode, expected) in
        [("review it", "lax", false), ("write it", "strict", false), ("write it", "lax", true)]
    {
        let started = start(&app.cx, &alice, with(task, mode)).await.unwrap();
        assert_eq!(started.resolved.policies.is_empty(), expected, "{task} {mode}");
        let other = if mode == "lax" { "strict" } else { "lax" };
        for mode in [mode, other] {
            let said = Step { call: call("ls"), context: object(json!({"mode": mode})), id: None };
            let judged = step(&replica(&app), &alice, RunRef::Id(started.run.id), said).await.unwrap();
            assert_eq!(judged.verdict.is_allowed(), expected, "{task} {mode}");
        }
    }
}

#[tokio::test]
async fn a_run_that_is_over_refuses_and_stays_as_it_is() {
    let (app, alice) = limited(9).await;
    let run = begun(&app, &alice, "x").await;
    let done = finish(&app.cx, &alice, RunRef::Id(run.id), Some("done".to_owned())).await.unwrap();
    assert_eq!((done[0].finished_at, done[0].outcome.as_deref()), (Some(app.now()), Some("done")));
    app.refuses(Code::RunFinished, try_step(&app.cx, &alice, RunRef::Id(run.id), "ls")).await;
    app.refuses(Code::RunFinished, try_step(&replica(&app), &alice, RunRef::Id(run.id), "ls")).await;
    app.clock.advance(Duration::hours(1));
    let again = finish(&app.cx, &alice, RunRef::Id(run.id), Some("twice".to_owned()));
    assert_eq!(app.leaves_alone(again).await, done);
}

#[tokio::test]
async fn a_new_run_of_a_session_ends_the_one_before_it() {
    let (app, alice) = limited(1).await;
    let bob = app.user("bob", &[]).await;
    let first = start(&app.cx, &alice, in_session("one", "s")).await.unwrap().run;
    let other = start(&app.cx, &alice, in_session("two", "t")).await.unwrap().run;
    let bobs = start(&app.cx, &bob, in_session("three", "s")).await.unwrap().run;
    let mut elsewhere = in_session("four", "s");
    elsewhere.ask.host = Some("codex".to_owned());
    let elsewhere = start(&app.cx, &alice, elsewhere).await.unwrap().run;
    assert!(try_step(&app.cx, &alice, session("s"), "ls").await.unwrap().verdict.is_allowed());
    assert!(!try_step(&app.cx, &alice, session("s"), "ls").await.unwrap().verdict.is_allowed());
    let second = start(&replica(&app), &alice, in_session("five", "s")).await.unwrap().run;
    let over = stored(&app, &first).await;
    assert_eq!((over.outcome.as_deref(), over.steps, over.denied), (Some("superseded"), 1, 1));
    for run in [&other, &bobs, &elsewhere, &second] {
        assert_eq!(stored(&app, run).await.finished_at, None);
    }
    let judged = try_step(&app.cx, &alice, session("s"), "ls").await.unwrap();
    assert_eq!((judged.run.unwrap().id, judged.verdict.denial), (second.id, None));
    let ended = finish(&app.cx, &alice, session("s"), None).await.unwrap();
    assert_eq!(ended.iter().map(|run| run.id).collect::<Vec<_>>(), [second.id]);
    assert_eq!(finish(&app.cx, &alice, session("s"), None).await.unwrap(), []);
}

#[tokio::test]
async fn a_call_in_a_session_without_a_run_begins_one() {
    let (app, alice) = limited(1).await;
    let one = app.agent("one").await;
    let run = try_step(&app.cx, &alice, session("s"), "ls").await.unwrap().run.unwrap();
    assert_eq!((run.session.as_deref(), run.host.as_deref(), run.steps), (Some("s"), Some("claude"), 1));
    assert!(!try_step(&replica(&app), &alice, session("s"), "ls").await.unwrap().verdict.is_allowed());
    // Through an agent it is another session.
    let judged = try_step(&app.cx, &alice.through(&one), session("s"), "ls").await.unwrap();
    assert_ne!(judged.run.unwrap().id, run.id);
}

/// Whether a call that the host calls so is allowed.
async fn told(
    app: &TestApp,
    caller: &Caller,
    run: GovernedRunId,
    id: &str,
    tool: &str,
) -> Result<bool, Error> {
    let said = Step { call: call(tool), context: app::governance::Known::new(), id: Some(id.to_owned()) };
    step(&app.cx, caller, RunRef::Id(run), said).await.map(|judged| judged.verdict.is_allowed())
}

#[tokio::test]
async fn another_call_under_an_id_that_was_counted_is_another_step() {
    let (app, alice) = limited(2).await;
    let run = begun(&app, &alice, "x").await;
    for (tool, allowed) in [("ls", true), ("cat", true), ("rm", false)] {
        assert_eq!(told(&app, &alice, run.id, "c1", tool).await.unwrap(), allowed, "{tool}");
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_gives_no_time() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let limits = Policy { max_execution_time: Some(std::time::Duration::from_mins(5)), ..always() };
    app.put(&gov, policy("limits", Scope::Workspace, limits)).await;
    let run = begun(&app, &alice, "x").await;
    app.clock.advance(Duration::minutes(6));
    assert!(!allowed(&app.cx, &alice, run.id).await);
    app.clock.advance(-Duration::minutes(6));
    assert!(!allowed(&app.cx, &alice, run.id).await);
}

#[tokio::test]
async fn a_run_that_nobody_uses_is_ended_by_housekeeping() {
    let (app, alice) = limited(9).await;
    app.tamper("DELETE FROM sign_in_links", &[]).await;
    let (used, left) = (begun(&app, &alice, "used").await, begun(&app, &alice, "left").await);
    app.clock.advance(Duration::hours(23));
    assert!(allowed(&app.cx, &alice, used.id).await);
    app.clock.advance(Duration::hours(1));
    assert_eq!(keep_house(&app.cx).await.unwrap().governed_runs_ended, 0);
    app.clock.advance(Duration::seconds(1));
    assert_eq!(keep_house(&app.cx).await.unwrap().governed_runs_ended, 1);
    assert_eq!(stored(&app, &left).await.outcome.as_deref(), Some("abandoned"));
    assert_eq!(stored(&app, &used).await.finished_at, None);
    app.leaves_alone(keep_house(&app.cx)).await;
}

#[tokio::test]
async fn without_texts_a_run_loses_its_task_when_it_ends() {
    let (app, alice) = limited(9).await;
    let settings = GovernanceSettings { keep_text: false, ..GovernanceSettings::default() };
    let cx = app.cx.clone().with_governance(settings);
    let mut request = in_session("the task", "s");
    request.ask.context = object(json!({"topic": "x"}));
    for end in ["finish", "supersede", "abandon"] {
        let run = start(&cx, &alice, request.clone()).await.unwrap().run;
        assert_eq!(stored(&app, &run).await.task.as_deref(), Some("the task"), "policies are asked about it");
        match end {
            "finish" => drop(finish(&cx, &alice, RunRef::Id(run.id), None).await.unwrap()),
            "supersede" => drop(start(&cx, &alice, request.clone()).await.unwrap()),
            _ => {
                app.clock.advance(Duration::hours(25));
                keep_house(&cx).await.unwrap();
            }
        }
        let over = stored(&app, &run).await;
        assert_eq!((over.task, over.context), (None, None), "{end}");
        assert_eq!(over.task_digest, model::Digest::of(b"the task"));
        let view = read_run(&cx, &alice, run.id).await.unwrap();
        assert!(view.resolution.is_none());
    }
}

#[tokio::test]
async fn with_texts_a_run_that_is_over_holds_no_secret() {
    let (app, alice) = limited(9).await;
    let mut request = begin("the task");
    request.ask.context = object(json!({"topic": "x", "api_key": "key-1", "in": [{"password": "hunter2"}]}));
    let run = start(&app.cx, &alice, request).await.unwrap().run;
    finish(&app.cx, &alice, RunRef::Id(run.id), None).await.unwrap();
    let over = stored(&app, &run).await;
    assert_eq!(over.task.as_deref(), Some("the task"));
    let kept = Value::Object(over.context.unwrap());
    assert_eq!((&kept["topic"], &kept["api_key"]), (&json!("x"), &json!("[redacted]")));
    assert!(!kept.to_string().contains("hunter2"), "{kept}");
}

#[tokio::test]
async fn a_task_with_a_nul_is_the_same_task_in_every_step() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let activation = Activation { keywords: vec!["review".to_owned()], ..Activation::default() };
    app.put(&gov, policy("guard", Scope::Workspace, Policy { activation, ..forbids("ls") })).await;
    let started = start(&app.cx, &alice, begin("review\0this")).await.unwrap();
    let judged = try_step(&replica(&app), &alice, RunRef::Id(started.run.id), "ls").await.unwrap();
    let first = app::governance::read(&app.cx, &alice, started.resolved.decision).await.unwrap();
    let second = app::governance::read(&app.cx, &alice, judged.decision).await.unwrap();
    assert_eq!((first.policies, &first.task_digest), (second.policies, &second.task_digest));
    assert_eq!(first.task_digest, started.run.task_digest);
    assert_eq!(first.task, second.task);
}

#[tokio::test]
async fn another_s_run_is_not_there() {
    let (app, alice) = limited(9).await;
    let (bob, admin) = (app.user("bob", &[]).await, app.admin().await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    let run = start(&app.cx, &alice.through(&one), begin("x")).await.unwrap().run;
    let id = || RunRef::Id(run.id);
    for stranger in [&bob, &admin, &alice.through(&two), &bob.through(&one)] {
        app.refuses(Code::NotFound, try_step(&app.cx, stranger, id(), "ls")).await;
        app.refuses(Code::NotFound, finish(&app.cx, stranger, id(), None)).await;
    }
    for stranger in [&bob, &alice.through(&two)] {
        app.refuses(Code::NotFound, read_run(&app.cx, stranger, run.id)).await;
    }
    for reader in [&admin, &alice, &alice.through(&one)] {
        assert_eq!(read_run(&app.cx, reader, run.id).await.unwrap().run.id, run.id);
    }
    let olga = app.workspace("other").await;
    app.refuses(Code::NotFound, read_run(&app.cx, &olga, run.id)).await;
    app.refuses(Code::NotFound, try_step(&app.cx, &olga, id(), "ls")).await;
    assert!(allowed(&app.cx, &alice, run.id).await, "in person one goes on with one's own");
}

#[tokio::test]
async fn runs_are_listed_for_who_may_see_them() {
    let (app, alice) = limited(9).await;
    let (bob, admin) = (app.user("bob", &[]).await, app.admin().await);
    let one = app.agent("one").await;
    let mut runs = Vec::new();
    for caller in [&alice, &alice.through(&one), &bob] {
        runs.push(start(&app.cx, caller, in_session("x", "s")).await.unwrap().run);
        app.clock.advance(Duration::seconds(1));
    }
    finish(&app.cx, &bob, RunRef::Id(runs[2].id), None).await.unwrap();
    let seen = async |caller: &Caller, request: ListGovernedRuns| {
        let page = list_runs(&app.cx, caller, request).await.unwrap();
        let place = |run: GovernedRun| runs.iter().position(|other| other.id == run.id).unwrap();
        page.items.into_iter().map(place).collect::<Vec<_>>()
    };
    let all = ListGovernedRuns::default;
    assert_eq!(seen(&admin, all()).await, [2, 1, 0]);
    assert_eq!(seen(&alice, all()).await, [1, 0]);
    assert_eq!(seen(&alice.through(&one), all()).await, [1]);
    assert_eq!(seen(&bob, ListGovernedRuns { user: Some(alice.user), ..all() }).await, [0; 0]);
    assert_eq!(seen(&admin, ListGovernedRuns { user: Some(alice.user), ..all() }).await, [1, 0]);
    assert_eq!(seen(&alice, ListGovernedRuns { agent: Some(one.id), ..all() }).await, [1]);
    assert_eq!(seen(&admin, ListGovernedRuns { open: Some(false), ..all() }).await, [2]);
    assert_eq!(seen(&admin, ListGovernedRuns { host: Some("codex".to_owned()), ..all() }).await, [0; 0]);
    let page = PageRequest { limit: 2, after: None };
    let first = list_runs(&app.cx, &admin, ListGovernedRuns { page, ..all() }).await.unwrap();
    let page = PageRequest { limit: 2, after: first.next };
    assert_eq!(seen(&admin, ListGovernedRuns { page, ..all() }).await, [0]);
}

#[tokio::test]
async fn names_and_outcomes_have_a_length() {
    let (app, alice) = limited(9).await;
    for name in [String::new(), "x".repeat(501)] {
        app.refuses(Code::InvalidRequest, start(&app.cx, &alice, in_session("x", &name))).await;
    }
    let run = begun(&app, &alice, "x").await;
    let long = Some("x".repeat(501));
    app.refuses(Code::InvalidRequest, finish(&app.cx, &alice, RunRef::Id(run.id), long)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_of_many_callers_at_once_get_one_run_each() {
    let (app, alice) = limited(5).await;
    let app = Arc::new(app);
    let servers = [app.cx.clone(), replica(&app)];
    let calls: Vec<_> = (0..30)
        .map(|n: usize| {
            let (cx, alice) = (servers[n % 2].clone(), alice.clone());
            let name = format!("s-{}", n % 3);
            tokio::spawn(async move {
                try_step(&cx, &alice, session(&name), "ls").await.unwrap().verdict.is_allowed()
            })
        })
        .collect();
    let mut granted = 0;
    for call in calls {
        granted += usize::from(call.await.unwrap());
    }
    assert_eq!(granted, 15);
    assert_eq!(app.snapshot().await.rows("governed_runs"), 3);
}
