//! Running skills: what they get, what is refused, what is remembered.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::agents::AgentSpec;
use app::runs::{Contents, InputFile, RunSkill, check, execute};
use app::skills::{CreateSkill, Decision, Edit, EditSkill, decide, edit, read, set_enabled};
use app::{Changes, Code, ExecutionSettings, QueueSettings};
use model::{
    Agent, Approver, Assignment, Caller, ProceduralMemory, RevisionNumber, Role, RunLimits, RunStatus,
    SkillId, TokenScope, Transition,
};
use sandbox::{Captured, Ending, Failure, FailureCode, Limit, Limits, Network, Outcome, Runtime};
use serde_json::{Map, Value, json};
use testkit::app::{files_spec, name, skill_md};
use testkit::runner::{ended, returned};
use testkit::{CallerExt, FakeRunner, TestApp};

/// A skill with a procedure of two integers, and more lines of its sidecar.
pub(crate) fn adder(skill: &str, more: &str) -> CreateSkill {
    let sidecar = format!(
        "procedure:\n  language: python\n  file: scripts/add.py\n  function: add\n  parameters:\n  \
         - {{name: a, type: integer}}\n  - {{name: b, type: integer, default: 10}}\n{more}"
    );
    let body = skill_md(skill, "Adds.");
    files_spec(&[
        ("SKILL.md", body.as_str()),
        ("repertoire.yaml", sidecar.as_str()),
        ("scripts/add.py", "def add(a, b): return a + b\n"),
    ])
}

/// Two parameters for it.
pub(crate) fn numbers(a: i64, b: i64) -> Map<String, Value> {
    [("a".to_owned(), json!(a)), ("b".to_owned(), json!(b))].into_iter().collect()
}

fn of(parameters: Map<String, Value>) -> RunSkill {
    RunSkill { parameters, ..RunSkill::default() }
}

fn add(execution: &sandbox::Execution) -> Outcome {
    let number = |name: &str| execution.program.parameters[name].as_i64().unwrap();
    returned(execution, json!(number("a") + number("b")))
}

/// An installation whose programs add, and the runner that does.
async fn adding() -> (TestApp, Arc<FakeRunner>) {
    on(FakeRunner::new(|execution| Ok(add(&execution))), ExecutionSettings::default()).await
}

async fn on(runner: FakeRunner, settings: ExecutionSettings) -> (TestApp, Arc<FakeRunner>) {
    let mut app = TestApp::new().await;
    let runner = Arc::new(runner);
    app.on_runner(&runner, settings);
    (app, runner)
}

async fn failing(ending: Ending) -> (TestApp, Arc<FakeRunner>) {
    on(FakeRunner::new(move |execution| Ok(ended(&execution, ending.clone()))), ExecutionSettings::default())
        .await
}

fn raised(code: FailureCode, kind: &str, message: &str) -> Ending {
    Ending::Failed(Failure {
        code,
        kind: kind.to_owned(),
        message: message.to_owned(),
        file: Some("scripts/add.py".to_owned()),
        line: Some(1),
        traceback: "trace".to_owned(),
    })
}

async fn put(app: &TestApp, caller: &Caller, request: CreateSkill) -> SkillId {
    app.put(caller, request).await.record.skill.id
}

#[tokio::test]
async fn a_run_gives_the_result_and_is_remembered_once() {
    let (app, runner) = adding().await;
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "  profile: data\n")).await;
    let request = RunSkill {
        arguments: vec!["-v".to_owned()],
        files: vec![InputFile { path: "in/data.csv".to_owned(), content: b"1,2".to_vec() }],
        ..of(numbers(1, 2))
    };
    let ran = app.logs(alice.workspace, &["run.execute"], execute(&app.cx, &alice, id, request)).await;
    assert_eq!(ran.result, json!(3));
    let run = &ran.run;
    assert_eq!((run.status, &run.error, run.revision), (RunStatus::Succeeded, &None, RevisionNumber::FIRST));
    assert_eq!((run.skill, run.skill_name.as_str(), run.user, run.agent), (id, "adder", alice.user, None));
    assert_eq!((run.duration, run.result_size), (Duration::from_millis(3), 1));
    assert_eq!(run.parameters, numbers(1, 2));
    assert_eq!(app::runs::read(&app.cx, &alice, run.id).await.unwrap(), *run);
    assert_eq!(ran.files[0].path, "in/data.csv");
    assert_eq!(ran.files[0].content.as_deref(), Some(b"1,2".as_slice()));

    let [execution] = runner.executions().try_into().unwrap();
    let program = execution.program;
    assert_eq!(program.runtime, Runtime::Python { profile: Some("data".to_owned()) });
    assert_eq!((program.main.as_str(), program.function.as_deref()), ("scripts/add.py", Some("add")));
    assert_eq!(program.arguments, ["-v"]);
    let paths: Vec<_> = program.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "repertoire.yaml", "scripts/add.py"]);
    assert_eq!((execution.network, execution.limits), (Network::None, Limits::default()));
}

#[test]
fn no_parameter_replaces_a_variable_that_keeps_interpreters_from_code_of_the_caller() {
    for (name, _) in sandbox::SEARCH_PATH_VARIABLES {
        assert!(model::is_reserved_variable(name), "{name}");
    }
}

#[tokio::test]
async fn only_declared_parameters_of_a_script_become_variables() {
    let runner = FakeRunner::new(|execution| Ok(returned(&execution, Value::Null)));
    let (app, runner) = on(runner, ExecutionSettings::default()).await;
    let alice = app.user("alice", &[]).await;
    let given = |name: &str| [(name.to_owned(), json!("/mnt/data/x.sh"))].into_iter().collect();
    for (skill, declared) in
        [("declares", "  parameters:\n  - {name: place, type: string}\n"), ("takes-all", "")]
    {
        let sidecar = format!("procedure:\n  language: shell\n  file: run.sh\n{declared}");
        let body = skill_md(skill, "x");
        let files =
            [("SKILL.md", body.as_str()), ("repertoire.yaml", sidecar.as_str()), ("run.sh", "#!/bin/bash\n")];
        let id = put(&app, &alice, files_spec(&files)).await;
        let name = if declared.is_empty() { "BASH_ENV" } else { "place" };
        execute(&app.cx, &alice, id, of(given(name))).await.unwrap();
    }
    let [declares, takes_all] = runner.executions().try_into().unwrap();
    assert_eq!(declares.program.environment, ["place"]);
    assert_eq!(
        takes_all.program.environment, [""; 0],
        "names of the caller's choice are on standard input only"
    );
    assert_eq!(takes_all.program.parameters, given("BASH_ENV"));
}

#[tokio::test]
async fn the_log_and_the_record_of_a_run_hold_no_secret() {
    let ending = raised(FailureCode::Raised, "ValueError", "bad password: hunter2 of DE12 3456");
    let (app, _) = failing(ending).await;
    let alice = app.user("alice", &[]).await;
    let sidecar = "procedure:\n  language: python\n  file: a.py\n  function: f\n";
    let body = skill_md("login", "x");
    let id = put(
        &app,
        &alice,
        files_spec(&[("SKILL.md", body.as_str()), ("repertoire.yaml", sidecar), ("a.py", "")]),
    )
    .await;
    let parameters =
        json!({"password": "hunter2", "iban": "DE12 3456", "amount": 5}).as_object().cloned().unwrap();
    let request = RunSkill { redact: vec!["iban".to_owned()], ..of(parameters) };
    let ran = execute(&app.cx, &alice, id, request).await.unwrap();
    let stored = app::runs::read(&app.cx, &alice, ran.run.id).await.unwrap();
    assert_eq!(
        Value::Object(stored.parameters),
        json!({"password": "[redacted]", "iban": "[redacted]", "amount": 5})
    );
    assert_eq!(stored.error.unwrap().message, "bad password: [redacted] of [redacted]");
    let log = app.audit(alice.workspace).await;
    let entry = log.last().unwrap();
    assert_eq!(entry.verb.0, "run.execute");
    assert!(!entry.detail.contains("amount") && !entry.detail.contains("hunter2"), "{}", entry.detail);
}

#[tokio::test]
async fn what_cannot_run_is_refused_and_leaves_nothing() {
    let (app, runner) = adding().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let id = put(&app, &alice, adder("adder", "")).await;
    let plain = app.skill(&alice, "plain").await.skill.id;
    let cx = &app.cx;
    let good = || of(numbers(1, 2));
    app.refuses(Code::NoProcedure, execute(cx, &alice, plain, good())).await;
    let given = json!({"a": "1", "c": 2}).as_object().cloned().unwrap();
    let error = app.refuses(Code::InvalidParameters, execute(cx, &alice, id, of(given))).await;
    assert_eq!(
        error.to_string(),
        "`a` must be an integer, not a string; `c` is not a parameter (there are `a`, `b`)"
    );
    let revision = RevisionNumber::new(7);
    app.refuses(Code::NotFound, execute(cx, &alice, id, RunSkill { revision, ..good() })).await;
    let limits = RunLimits { wall_ms: Some(0), ..RunLimits::default() };
    app.refuses(Code::InvalidSettings, execute(cx, &alice, id, RunSkill { limits, ..good() })).await;
    let outside = vec![InputFile { path: "../x".to_owned(), content: vec![] }];
    app.refuses(Code::InvalidPath, execute(cx, &alice, id, RunSkill { files: outside, ..good() })).await;
    app.refuses(Code::InvalidRequest, check(cx, &alice, id, good(), 1)).await;
    app.refuses(Code::InvalidRequest, check(cx, &alice, id, good(), 101)).await;
    let bob = app.user("bob", &[]).await;
    app.refuses(Code::Forbidden, execute(cx, &bob, id, good())).await;
    app.refuses(Code::TokenScope, execute(cx, &alice.scoped(&[TokenScope::Read]), id, good())).await;

    set_enabled(cx, &alice, id, false, None).await.unwrap();
    let error = app.refuses(Code::SkillDisabled, execute(cx, &alice, id, good())).await;
    assert_eq!(error.to_string(), "the skill `adder` is disabled; enable it first");
    set_enabled(cx, &alice, id, true, None).await.unwrap();
    for (step, state) in [
        (Transition::Archive, "archived"),
        (Transition::Reopen, "draft"),
        (Transition::Submit, "pending_approval"),
        (Transition::Reject, "rejected"),
    ] {
        decide(cx, &admin, id, Decision::new(step)).await.unwrap();
        let error = app.refuses(Code::SkillNotActive, execute(cx, &alice, id, good())).await;
        assert_eq!(error.to_string(), format!("the skill `adder` is {state}; only active skills run"));
    }
    assert_eq!(runner.executions().len(), 0);
}

#[tokio::test]
async fn a_sandbox_that_refuses_leaves_nothing() {
    for (error, code) in [
        (|| sandbox::Error::NoPython { detail: "none".to_owned() }, Code::NoPython),
        (|| sandbox::Error::Unprotected { missing: "user namespaces".to_owned() }, Code::SandboxUnavailable),
    ] as [(fn() -> sandbox::Error, Code); 2]
    {
        let (app, _) = on(FakeRunner::new(move |_| Err(error())), ExecutionSettings::default()).await;
        let alice = app.user("alice", &[]).await;
        let id = put(&app, &alice, adder("adder", "")).await;
        let told = app.refuses(code, execute(&app.cx, &alice, id, of(numbers(1, 2)))).await;
        assert_eq!(told.to_string(), error().to_string());
    }
}

#[tokio::test]
async fn code_that_fails_is_a_run_with_its_own_code() {
    let limits = Limits::default();
    for (ending, code, message) in [
        (raised(FailureCode::Raised, "ValueError", "no"), "code_error", "no".to_owned()),
        (Ending::Limit(Limit::Wall), "time_limit", Limit::Wall.describe(&limits)),
        (Ending::Stopped, "stopped", "it was ended before it was done".to_owned()),
    ] {
        let (app, _) = failing(ending.clone()).await;
        let alice = app.user("alice", &[]).await;
        let id = put(&app, &alice, adder("adder", "")).await;
        let ran = execute(&app.cx, &alice, id, of(numbers(1, 2))).await.unwrap();
        assert_eq!((ran.run.status, ran.result), (RunStatus::Failed, Value::Null));
        let error = ran.run.error.unwrap();
        assert_eq!((error.code.as_str(), error.message), (code, message));
        let hit = matches!(ending, Ending::Limit(_)).then(|| code.to_owned());
        assert_eq!(ran.run.limits_hit, Vec::from_iter(hit));
        let statistics = read(&app.cx, &alice, id).await.unwrap().record.statistics;
        assert_eq!((statistics.success_count, statistics.failure_count), (0, 1));
    }
}

#[tokio::test]
async fn a_missing_package_is_named_with_its_profile_and_what_the_skill_needs() {
    let ending = raised(FailureCode::MissingModule, "ModuleNotFoundError", "No module named 'polars'");
    let (app, _) = failing(ending).await;
    let alice = app.user("alice", &[]).await;
    let body = "---\nname: p\ndescription: Does p when asked.\ncompatibility: Needs polars 1\n---\n\nx\n";
    let sidecar = "procedure: {language: python, file: a.py, function: f}\n";
    let id = put(&app, &alice, files_spec(&[("SKILL.md", body), ("repertoire.yaml", sidecar), ("a.py", "")]))
        .await;
    let error = execute(&app.cx, &alice, id, RunSkill::default()).await.unwrap().run.error.unwrap();
    assert_eq!(
        error.message,
        "No module named 'polars'; \
         the skill says it needs: Needs polars 1"
    );
}

#[tokio::test]
async fn cut_output_is_a_limit_that_was_hit_but_no_failure() {
    let runner = FakeRunner::new(|execution| {
        let stdout = Captured { bytes: b"much".to_vec(), truncated: true };
        Ok(Outcome { stdout, ..add(&execution) })
    });
    let (app, _) = on(runner, ExecutionSettings::default()).await;
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    let ran = execute(&app.cx, &alice, id, of(numbers(1, 2))).await.unwrap();
    assert_eq!(ran.run.status, RunStatus::Succeeded);
    assert_eq!(ran.run.limits_hit, ["output_limit"]);
}

fn agent_with(limits: RunLimits, assignments: Vec<Assignment>) -> AgentSpec {
    AgentSpec { run_limits: limits, assignments, ..AgentSpec::new(name("bot")) }
}

async fn bot(app: &TestApp, spec: AgentSpec) -> Agent {
    app::agents::create(&app.cx, &app.admin().await, spec).await.unwrap()
}

#[tokio::test]
async fn the_narrowest_of_installation_skill_agent_and_request_holds() {
    let installed = Limits { wall: Duration::from_secs(20), ..Limits::default() };
    let settings = ExecutionSettings { limits: installed, ..ExecutionSettings::default() };
    let (app, runner) = on(FakeRunner::new(|execution| Ok(add(&execution))), settings).await;
    let alice = app.user("alice", &[Role::Reviewer]).await;
    let more = "  limits: {wall_seconds: 50, memory_mb: 64, processes: 8}\n";
    let id = put(&app, &alice, adder("adder", more)).await;
    let limits = RunLimits { processes: Some(4), open_files: Some(99), ..RunLimits::default() };
    let alice = alice.through(&bot(&app, agent_with(limits, vec![])).await);
    let asked = RunLimits {
        open_files: Some(1_000_000),
        memory_bytes: Some(u64::from(u32::MAX)),
        result_bytes: Some(7),
        ..RunLimits::default()
    };
    execute(&app.cx, &alice, id, RunSkill { limits: asked, ..of(numbers(1, 2)) }).await.unwrap();
    let granted = &runner.executions()[0].limits;
    assert_eq!(granted.wall, Duration::from_secs(20));
    assert_eq!((granted.memory, granted.processes, granted.open_files, granted.result), (64 << 20, 4, 99, 7));
}

#[tokio::test]
async fn a_skill_reaches_the_hosts_it_names_where_the_installation_grants_them() {
    let allowed_hosts = vec!["*.example.org".to_owned()];
    let settings = ExecutionSettings { allowed_hosts, ..ExecutionSettings::default() };
    let (app, runner) = on(FakeRunner::new(|execution| Ok(add(&execution))), settings).await;
    let alice = app.user("alice", &[]).await;
    let granted = put(&app, &alice, adder("granted", "  network: [api.example.org]\n")).await;
    let refused = put(&app, &alice, adder("refused", "  network: [api.example.org, example.net]\n")).await;
    execute(&app.cx, &alice, granted, of(numbers(1, 2))).await.unwrap();
    let hosts = Network::Hosts(vec!["api.example.org".to_owned()]);
    assert_eq!(runner.executions()[0].network, hosts);
    let error =
        app.refuses(Code::NetworkNotAllowed, execute(&app.cx, &alice, refused, of(numbers(1, 2)))).await;
    assert!(error.to_string().contains("`example.net`"), "{error}");
}

#[tokio::test]
async fn an_agent_runs_the_revision_it_is_pinned_to_unless_another_is_asked_for() {
    let (app, _) = adding().await;
    let alice = app.user("alice", &[Role::Reviewer]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    let body = Changes { body: Some("Adds better.".into()), ..Changes::default() };
    edit(&app.cx, &alice, id, EditSkill::new(Edit::Changes(Box::new(body)))).await.unwrap();
    let pin = Some(RevisionNumber::FIRST);
    let pinned = alice
        .through(&bot(&app, agent_with(RunLimits::default(), vec![Assignment { skill: id, pin }])).await);
    let revision = async |caller: &Caller, revision| {
        let request = RunSkill { revision, ..of(numbers(1, 2)) };
        execute(&app.cx, caller, id, request).await.unwrap().run.revision.get()
    };
    assert_eq!(revision(&alice, None).await, 2);
    assert_eq!(revision(&alice, pin).await, 1);
    assert_eq!(revision(&pinned, None).await, 1);
    assert_eq!(revision(&pinned, RevisionNumber::new(2)).await, 2);
}

#[tokio::test]
async fn a_revision_that_was_rejected_does_not_run() {
    let (app, _) = adding().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let id = put(&app, &alice, adder("adder", "")).await;
    decide(&app.cx, &admin, id, Decision::new(Transition::Reject)).await.unwrap();
    decide(&app.cx, &admin, id, Decision::new(Transition::Reopen)).await.unwrap();
    let body = Changes { body: Some("Adds better.".into()), ..Changes::default() };
    edit(&app.cx, &alice, id, EditSkill::new(Edit::Changes(Box::new(body)))).await.unwrap();
    decide(&app.cx, &admin, id, Decision::new(Transition::Approve)).await.unwrap();
    execute(&app.cx, &alice, id, of(numbers(1, 2))).await.unwrap();
    let first = RunSkill { revision: Some(RevisionNumber::FIRST), ..of(numbers(1, 2)) };
    app.refuses(Code::RejectedContent, execute(&app.cx, &alice, id, first)).await;
}

#[tokio::test]
async fn a_revision_that_nobody_let_in_does_not_run_by_its_number() {
    let (app, runner) = adding().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let settings = ProceduralMemory {
        require_skill_approval: true,
        approver: Approver::Admin,
        ..ProceduralMemory::default()
    };
    let mine = alice.through(&app.agent_with("helper", settings).await);
    let id = put(&app, &mine, adder("adder", "")).await;
    let change = async |text: &str| {
        let body = Changes { body: Some(text.into()), ..Changes::default() };
        edit(&app.cx, &mine, id, EditSkill::new(Edit::Changes(Box::new(body)))).await.unwrap();
    };
    decide(&app.cx, &admin, id, Decision::new(Transition::Approve)).await.unwrap();
    change("Hostile.").await;
    change("Harmless.").await;
    decide(&app.cx, &admin, id, Decision::new(Transition::Approve)).await.unwrap();
    let run = |number| RunSkill { revision: RevisionNumber::new(number), ..of(numbers(1, 2)) };
    let error = app.refuses(Code::SkillNotActive, execute(&app.cx, &mine, id, run(2))).await;
    assert!(error.to_string().contains("revision 2 of `adder` was never let in"), "{error}");
    for let_in in [1, 3] {
        execute(&app.cx, &mine, id, run(let_in)).await.unwrap();
    }
    assert_eq!(runner.executions().len(), 2);
}

#[tokio::test]
async fn the_same_run_starts_from_the_same_seed_and_another_from_another() {
    let (app, runner) = adding().await;
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    let swapped = [("b".to_owned(), json!(10)), ("a".to_owned(), json!(1.0))].into_iter().collect();
    let defaulted = [("a".to_owned(), json!(1))].into_iter().collect();
    for parameters in [numbers(1, 10), swapped, defaulted, numbers(1, 11)] {
        execute(&app.cx, &alice, id, of(parameters)).await.unwrap();
    }
    let seeds: Vec<_> = runner.executions().iter().map(|execution| execution.seed.unwrap()).collect();
    assert_eq!((seeds[0], seeds[0]), (seeds[1], seeds[2]));
    assert_ne!(seeds[0], seeds[3]);
}

#[tokio::test]
async fn a_check_runs_so_many_times_and_tells_what_differs() {
    let count = Mutex::new(0);
    let runner = FakeRunner::new(move |execution| {
        let mut count = count.lock().unwrap();
        *count += 1;
        let stdout = Captured { bytes: format!("same\n{}\n", *count / 6).into_bytes(), truncated: false };
        Ok(Outcome { stdout, ..add(&execution) })
    });
    let (app, _) = on(runner, ExecutionSettings::default()).await;
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    let same = check(&app.cx, &alice, id, of(numbers(1, 2)), 4).await.unwrap();
    assert!(same.is_deterministic() && same.first_difference.is_none());
    assert_eq!(same.output_digests.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [4]);
    let differs = check(&app.cx, &alice, id, of(numbers(1, 2)), 3).await.unwrap();
    assert!(!differs.is_deterministic());
    assert_eq!(differs.output_digests.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 1]);
    let told = differs.first_difference.unwrap();
    assert_eq!(told, "run 2 printed `1` on line 2 of stdout, the first `0`");
    assert_eq!(app.snapshot().await.rows("runs"), 7);
}

#[tokio::test]
async fn files_are_given_back_up_to_a_size_and_not_where_nobody_wants_them() {
    let runner = FakeRunner::new(|execution| {
        let folder = execution.folder.clone().unwrap();
        folder.write("a-large.bin", &vec![0; (8 << 20) + 1])?;
        folder.write("b-small.txt", b"text")?;
        Ok(add(&execution))
    });
    let (app, _) = on(runner, ExecutionSettings::default()).await;
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    let mut digests = Vec::new();
    for (contents, given) in [(Contents::Inline, [false, true]), (Contents::Omitted, [false, false])] {
        let request = RunSkill { contents, ..of(numbers(1, 2)) };
        let ran = execute(&app.cx, &alice, id, request).await.unwrap();
        let there: Vec<_> = ran.files.iter().map(|file| file.content.is_some()).collect();
        assert_eq!(there, given);
        digests.push(ran.run.output_digest);
    }
    assert_eq!(digests[0], digests[1]);
}

#[tokio::test]
async fn a_run_may_use_the_work_folder_of_a_code_session_of_its_caller() {
    let runner = FakeRunner::new(|execution| {
        let folder = execution.folder.clone().unwrap();
        let before = folder.read("count", 100).map_or(0, |bytes| bytes.len());
        folder.write("count", &vec![b'x'; before + 1])?;
        Ok(returned(&execution, json!(before)))
    });
    let (app, _) = on(runner, ExecutionSettings::default()).await;
    let (alice, bob) = (app.user("alice", &[Role::Reviewer]).await, app.user("bob", &[]).await);
    let workspace = CreateSkill { scope: Some(model::Scope::Workspace), ..adder("adder", "") };
    let id = put(&app, &alice, workspace).await;
    let code = app::code_sessions::ExecuteCode {
        session: None,
        code: "x".to_owned(),
        language: model::Language::Python,
        parameters: Map::new(),
        timeout: None,
        profile: None,
        audience: app::live::Audience::default(),
    };
    let session = app::code_sessions::execute(&app.cx, &alice, code).await.unwrap().session.id;
    let request = || RunSkill { session: Some(session), ..of(numbers(1, 2)) };
    assert_eq!(execute(&app.cx, &alice, id, request()).await.unwrap().result, json!(1));
    app.refuses(Code::NotFound, execute(&app.cx, &bob, id, request())).await;
    app.refuses(Code::InvalidRequest, check(&app.cx, &alice, id, request(), 2)).await;
}

#[tokio::test]
async fn a_full_queue_refuses_a_run_and_leaves_nothing() {
    let (mut app, _) = adding().await;
    let settings = QueueSettings { concurrency: 1, waiting: 0, waiting_per_caller: 0 };
    app.cx = app.cx.clone().with_queue(settings);
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    let running = app.cx.queue.enter(&alice).await.unwrap();
    app.refuses(Code::Busy, execute(&app.cx, &alice, id, of(numbers(1, 2)))).await;
    drop(running);
    execute(&app.cx, &alice, id, of(numbers(1, 2))).await.unwrap();
}

#[tokio::test]
async fn a_skill_that_is_purged_while_it_runs_leaves_only_the_log_entry() {
    let (started, starts) = tokio::sync::oneshot::channel();
    let (proceed, proceeds) = tokio::sync::oneshot::channel::<()>();
    let hooks = Mutex::new(Some((started, proceeds)));
    let runner = FakeRunner::waiting(move |execution| {
        let (started, proceeds) = hooks.lock().unwrap().take().unwrap();
        async move {
            started.send(()).unwrap();
            proceeds.await.unwrap();
            Ok(add(&execution))
        }
    });
    let (app, _) = on(runner, ExecutionSettings::default()).await;
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    let act = execute(&app.cx, &alice, id, of(numbers(1, 2)));
    let meanwhile = async {
        starts.await.unwrap();
        app::skills::delete(&app.cx, &alice, id, None, None).await.unwrap();
        app::jobs::keep_house(&app.cx).await.unwrap();
        proceed.send(()).unwrap();
    };
    let (ran, ()) = tokio::join!(act, meanwhile);
    assert_eq!(ran.unwrap().result, json!(3));
    assert_eq!(app.snapshot().await.rows("runs"), 0);
    assert_eq!(app.audit(alice.workspace).await.last().unwrap().verb.0, "run.execute");
}

#[tokio::test]
async fn a_caller_who_goes_away_ends_the_code_and_the_run_is_remembered() {
    let (started, starts) = tokio::sync::oneshot::channel();
    let hook = Mutex::new(Some(started));
    let runner = FakeRunner::waiting(move |_| {
        hook.lock().unwrap().take().unwrap().send(()).unwrap();
        std::future::pending()
    });
    let (app, runner) = on(runner, ExecutionSettings::default()).await;
    let alice = app.user("alice", &[]).await;
    let id = put(&app, &alice, adder("adder", "")).await;
    tokio::select! {
        _ = execute(&app.cx, &alice, id, of(numbers(1, 2))) => panic!("it never ends by itself"),
        started = starts => started.unwrap(),
    }
    let runs = loop {
        let runs = app::runs::list(&app.cx, &alice, app::runs::ListRuns::default()).await.unwrap().items;
        if !runs.is_empty() {
            break runs;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(runs[0].error.as_ref().unwrap().code, "stopped");
    assert_eq!(app.cx.queue.counts().running, 0);
    assert_eq!(runner.open_folders(), 0);
    let statistics = read(&app.cx, &alice, id).await.unwrap().record.statistics;
    assert_eq!(statistics.failure_count, 1);
}
