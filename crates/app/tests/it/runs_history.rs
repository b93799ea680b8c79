//! What is remembered of runs: counters, lists, and how it is forgotten.

use std::sync::Arc;

use app::runs::{ListRuns, RunSkill, execute, list, of_skill, prune, read, statistics};
use app::skills::{CreateSkill, Edit, EditSkill, edit};
use app::{Changes, Code, ExecutionSettings, PageRequest};
use model::{Caller, RevisionNumber, Role, Run, RunStatus, Scope, SkillId};
use sandbox::{Ending, Failure, FailureCode};
use serde_json::json;
use testkit::runner::{ended, returned};
use testkit::{CallerExt, FakeRunner, TestApp};
use time::Duration;

use crate::runs::{adder, numbers};

/// An installation whose programs fail where `a` is negative.
async fn installation(history_days: u32) -> TestApp {
    let mut app = TestApp::new().await;
    let runner = FakeRunner::new(|execution| {
        if execution.program.parameters["a"].as_i64() >= Some(0) {
            return Ok(returned(&execution, json!(1)));
        }
        let failure = Failure {
            code: FailureCode::Raised,
            kind: "ValueError".to_owned(),
            message: "negative".to_owned(),
            file: None,
            line: None,
            traceback: String::new(),
        };
        Ok(ended(&execution, Ending::Failed(failure)))
    });
    let settings = ExecutionSettings { history_days, ..ExecutionSettings::default() };
    app.on_runner(&Arc::new(runner), settings);
    app
}

async fn run(app: &TestApp, caller: &Caller, id: SkillId, a: i64) -> Run {
    let request = RunSkill { parameters: numbers(a, 0), ..RunSkill::default() };
    let run = execute(&app.cx, caller, id, request).await.unwrap().run;
    app.clock.advance(Duration::seconds(1));
    run
}

async fn shared(app: &TestApp, by: &Caller, skill: &str) -> SkillId {
    let request = CreateSkill { scope: Some(Scope::Workspace), ..adder(skill, "") };
    app.put(by, request).await.record.skill.id
}

async fn ids(app: &TestApp, caller: &Caller, request: ListRuns) -> Vec<model::RunId> {
    list(&app.cx, caller, request).await.unwrap().items.into_iter().map(|run| run.id).collect()
}

#[tokio::test]
async fn every_run_moves_the_counters_of_the_skill_and_of_its_revision() {
    let app = installation(0).await;
    let alice = app.user("alice", &[Role::Reviewer]).await;
    let id = shared(&app, &alice, "adder").await;
    let version = app::skills::read(&app.cx, &alice, id).await.unwrap().record.skill.version;
    for a in [1, -1, 1] {
        run(&app, &alice, id, a).await;
    }
    let body = Changes { body: Some("Better.".into()), ..Changes::default() };
    edit(&app.cx, &alice, id, EditSkill::new(Edit::Changes(Box::new(body)))).await.unwrap();
    let last = run(&app, &alice, id, 1).await;

    let told = statistics(&app.cx, &alice, id).await.unwrap();
    assert_eq!((told.total.success_count, told.total.failure_count, told.total.use_count), (3, 1, 4));
    assert_eq!(told.mean_duration, Some(std::time::Duration::from_millis(3)));
    let [second, first] = told.revisions.try_into().unwrap();
    assert_eq!((first.revision, first.counters.execution_count()), (RevisionNumber::FIRST, 3));
    assert!((first.counters.success_rate() - 2.0 / 3.0).abs() < 1e-12);
    assert!((first.counters.recent_success_rate.unwrap() - 0.91).abs() < 1e-12);
    assert_eq!((second.revision.get(), second.counters.execution_count()), (2, 1));
    assert_eq!(second.counters.last_used_at, Some(last.started_at));
    let detail = app::skills::read(&app.cx, &alice, id).await.unwrap().record;
    assert_eq!(detail.statistics, told.total);
    assert_eq!(detail.skill.version, version + 1);
}

#[tokio::test]
async fn a_use_elsewhere_counts_for_the_skill_and_for_no_revision() {
    let app = installation(0).await;
    let alice = app.user("alice", &[]).await;
    let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
    app::skills::record_use(&app.cx, &alice, id, true).await.unwrap();
    let told = statistics(&app.cx, &alice, id).await.unwrap();
    assert_eq!((told.total.success_count, told.mean_duration, told.revisions.len()), (1, None, 0));
}

#[tokio::test]
async fn people_see_their_own_runs_and_reviewers_all() {
    let app = installation(0).await;
    let reviewer = app.user("rita", &[Role::Reviewer]).await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let id = shared(&app, &reviewer, "adder").await;
    let agent = app.agent("bot").await;
    let through = alice.through(&agent);
    let of_alice = run(&app, &alice, id, 1).await;
    let of_agent = run(&app, &through, id, 1).await;
    let of_bob = run(&app, &bob, id, 1).await;
    let all = ListRuns::default;
    assert_eq!(ids(&app, &reviewer, all()).await, [of_bob.id, of_agent.id, of_alice.id]);
    assert_eq!(ids(&app, &alice, all()).await, [of_agent.id, of_alice.id]);
    assert_eq!(ids(&app, &through, all()).await, [of_agent.id]);
    assert_eq!(ids(&app, &bob, all()).await, [of_bob.id]);
    assert_eq!(ids(&app, &bob, ListRuns { user: Some(alice.user), ..all() }).await, []);
    assert_eq!(ids(&app, &reviewer, ListRuns { user: Some(alice.user), ..all() }).await.len(), 2);
    let other = app.agent("other").await;
    assert_eq!(ids(&app, &through, ListRuns { agent: Some(other.id), ..all() }).await, []);
    assert_eq!(ids(&app, &alice, ListRuns { agent: Some(agent.id), ..all() }).await, [of_agent.id]);
    let of_one = of_skill(&app.cx, &bob, id, all()).await.unwrap().items;
    assert_eq!(of_one, std::slice::from_ref(&of_bob));

    assert_eq!(read(&app.cx, &alice, of_alice.id).await.unwrap(), of_alice);
    assert_eq!(read(&app.cx, &reviewer, of_alice.id).await.unwrap(), of_alice);
    for (caller, theirs) in [(&bob, of_alice.id), (&through, of_alice.id), (&alice, of_bob.id)] {
        app.refuses(Code::NotFound, read(&app.cx, caller, theirs)).await;
    }
}

#[tokio::test]
async fn runs_are_narrowed_and_paged_newest_first() {
    let app = installation(0).await;
    let alice = app.user("alice", &[]).await;
    let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
    let mut runs = Vec::new();
    for a in [1, -1, 2, -2, 3] {
        runs.push(run(&app, &alice, id, a).await);
    }
    runs.reverse();
    let all: Vec<_> = runs.iter().map(|run| run.id).collect();
    let failed = ListRuns { status: Some(RunStatus::Failed), ..ListRuns::default() };
    assert_eq!(ids(&app, &alice, failed).await, [all[1], all[3]]);
    let code = ListRuns { error_code: Some("code_error".to_owned()), ..ListRuns::default() };
    assert_eq!(ids(&app, &alice, code).await, [all[1], all[3]]);
    let span =
        ListRuns { since: Some(runs[3].started_at), until: Some(runs[0].started_at), ..ListRuns::default() };
    assert_eq!(ids(&app, &alice, span).await, all[1..4]);
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let request = ListRuns { page: PageRequest { limit: 2, after }, ..ListRuns::default() };
        let page = list(&app.cx, &alice, request).await.unwrap();
        seen.extend(page.items.into_iter().map(|run| run.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, all);
    let page = PageRequest { limit: 2, after: Some(app::Cursor("x".to_owned())) };
    app.refuses(Code::InvalidCursor, list(&app.cx, &alice, ListRuns { page, ..ListRuns::default() })).await;
}

#[tokio::test]
async fn an_admin_forgets_old_runs_and_the_counters_stay() {
    let app = installation(0).await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
    run(&app, &alice, id, 1).await;
    let stays = run(&app, &alice, id, 1).await;
    app.refuses(Code::Forbidden, prune(&app.cx, &alice, app.now())).await;
    let workspace = alice.workspace;
    let removed = app.logs(workspace, &["run.prune"], prune(&app.cx, &admin, stays.started_at)).await;
    assert_eq!(removed, 1);
    assert_eq!(app.leaves_alone(prune(&app.cx, &admin, stays.started_at)).await, 0);
    assert_eq!(ids(&app, &alice, ListRuns::default()).await, [stays.id]);
    assert_eq!(statistics(&app.cx, &alice, id).await.unwrap().total.execution_count(), 2);
}

#[tokio::test]
async fn housekeeping_forgets_runs_that_are_older_than_they_are_kept() {
    for (history_days, left) in [(0, 2), (30, 1)] {
        let app = installation(history_days).await;
        let alice = app.user("alice", &[]).await;
        let id = app.put(&alice, adder("adder", "")).await.record.skill.id;
        run(&app, &alice, id, 1).await;
        app.clock.advance(Duration::days(31));
        run(&app, &alice, id, 1).await;
        let done = app::jobs::keep_house(&app.cx).await.unwrap();
        assert_eq!(done.runs_pruned, 2 - left);
        assert_eq!(ids(&app, &alice, ListRuns::default()).await.len() as u64, left);
    }
}
