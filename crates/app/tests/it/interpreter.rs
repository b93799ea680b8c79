//! The interpreter on real code: executing it, with procedural memory and without.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use app::agents::AgentSpec;
use app::code_sessions::{self, NewFile, SessionSettings, UploadFiles, list};
use app::interpreter::{Answer, Call, Failure, Operation, call, has_memory};
use app::skills::ListSkills;
use app::{Code, ExecutionSettings, Runner, SandboxRunner};
use model::{Caller, CodeSessionId, ProceduralMemory, TokenScope};
use sandbox::{Cgroups, DEFAULT_PROFILE, Limits, Profile, Settings};
use serde_json::{Value, json};
use testkit::app::name;
use testkit::{CallerExt as _, FakeRunner, TestApp};

/// One sandbox for all tests of this binary.
fn sandbox() -> Arc<dyn Runner> {
    static SANDBOX: OnceLock<Arc<SandboxRunner>> = OnceLock::new();
    let start = || {
        let of_the_system = PathBuf::from("/usr/bin/python3");
        let python = if of_the_system.exists() { of_the_system } else { PathBuf::from("python3") };
        let profile = Profile { name: DEFAULT_PROFILE.to_owned(), python, preload: Vec::new() };
        Arc::new(SandboxRunner::new(Settings {
            jail_command: vec![PathBuf::from(env!("CARGO_BIN_EXE_jail-of-app-tests"))],
            profiles: vec![profile],
            hidden: Vec::new(),
            allow_weaker: false,
            cgroups: Cgroups::Off,
            spares: 1,
            usual: limits(),
        }))
    };
    SANDBOX.get_or_init(start).clone()
}

fn limits() -> Limits {
    Limits { wall: Duration::from_secs(20), ..Limits::default() }
}

/// An installation on the real sandbox.
pub(crate) async fn installation() -> TestApp {
    let mut app = TestApp::new().await;
    let settings = ExecutionSettings { limits: limits(), ..ExecutionSettings::default() };
    app.cx = app.cx.clone().with_runner(sandbox(), settings);
    app
}

/// The installation, and Alice through an agent with these settings.
pub(crate) async fn with_memory(settings: ProceduralMemory) -> (TestApp, Caller) {
    let app = installation().await;
    let alice = app.user("alice@example.com", &[]).await;
    let alice = alice.through(&app.agent_with("helper", settings).await);
    (app, alice)
}

/// A call of an operation.
pub(crate) fn asks(operation: &str, prompt: &str) -> Call {
    Call { operation: Some(operation.to_owned()), prompt: prompt.to_owned(), ..Call::default() }
}

/// A call that must do what it is asked.
pub(crate) async fn does(app: &TestApp, caller: &Caller, asked: Call) -> Answer {
    let answer = call(&app.cx, caller, asked).await.unwrap();
    assert_eq!(answer.failure, None, "{}", answer.text);
    answer
}

/// A call that must fail with this code; what it says.
pub(crate) async fn fails(app: &TestApp, caller: &Caller, code: &str, asked: Call) -> Answer {
    let answer = call(&app.cx, caller, asked).await.unwrap();
    let failure = answer.failure.as_ref().map(|failure| failure.code.as_str());
    assert_eq!(failure, Some(code), "{}", answer.text);
    answer
}

pub(crate) async fn file(app: &TestApp, caller: &Caller, path: &str, content: &str) -> CodeSessionId {
    let file = NewFile { path: path.to_owned(), content: content.as_bytes().to_vec(), unpack: false };
    let request = UploadFiles { session: None, files: vec![file] };
    code_sessions::upload(&app.cx, caller, request).await.unwrap().session.id
}

const FACTORIAL: &str = "import math\nprint('computing')\nmath.factorial(10)";

#[tokio::test]
async fn t1_an_agent_without_memory_computes_and_knows_no_skills() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    let none = alice.through(&app.agent("none").await);
    let procedural_memory = Some(ProceduralMemory::default());
    let spec = AgentSpec { procedural_memory, ..AgentSpec::new(name("off")) };
    let off = app::agents::create(&app.cx, &app.admin().await, spec).await.unwrap();
    let off = alice.through(&off);
    for caller in [none, off] {
        assert!(!has_memory(&app.cx, &caller).await.unwrap());
        for operation in ["", "execute", "search_skills", "use_skill", "register_skill", "auto", "dance"] {
            let asked = Call {
                skill_name: Some("factorial".to_owned()),
                skill_description: Some("Computes factorials.".to_owned()),
                skill_parameters: json!({"n": 10}).as_object().cloned().unwrap(),
                ..asks(operation, FACTORIAL)
            };
            let answer = does(&app, &caller, asked).await;
            assert_eq!((answer.operation, &answer.result), (Some(Operation::Execute), &json!(3_628_800)));
            assert_eq!(answer.stdout, "computing\n");
            assert!(answer.artifacts.is_empty() && answer.skills.is_none());
            assert!(!format!("{answer:?}").replace("skills: None", "").contains("skill"), "{answer:?}");
        }
        // An ordinary sentence is an ordinary prompt: here no Python.
        let told =
            fails(&app, &caller, "syntax_error", asks("search_skills", "Search for factorial skills")).await;
        assert!(!told.text.contains("skill"), "{}", told.text);
        let told = fails(&app, &caller, "missing_module", asks("", "import skills")).await;
        assert!(told.text.contains("not installed"), "{}", told.text);
    }
    let (skills, _) = app::skills::list(&app.cx, &app.admin().await, ListSkills::default()).await.unwrap();
    assert!(skills.items.is_empty());
}

#[tokio::test]
async fn execute_is_what_happens_when_nothing_is_said() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let answer = does(&app, &alice, Call { prompt: FACTORIAL.to_owned(), ..Call::default() }).await;
    assert_eq!(answer.text, "Result: 3628800\nPrinted:\ncomputing");
    assert_eq!((answer.code_session, answer.files.len()), (None, 0));
    let code = Call { code: Some("1 + 1".to_owned()), ..asks(" EXECUTE ", "say what one and one are") };
    assert_eq!(does(&app, &alice, code).await.result, json!(2));
    let blank = fails(&app, &alice, "invalid_request", asks("execute", " ")).await;
    assert!(blank.text.contains("there is no `code`"), "{}", blank.text);
}

#[tokio::test]
async fn an_unknown_operation_names_those_there_are() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let answer = fails(&app, &alice, "unknown_operation", asks("dance", "1")).await;
    assert_eq!(
        answer.text,
        "there is no operation `dance`; there are `execute`, `search_skills`, `use_skill`, `register_skill`, `auto`"
    );
    assert_eq!(answer.operation, None);
}

#[tokio::test]
async fn code_that_fails_tells_the_line_and_what_it_had_printed() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let asked = asks("execute", "import sys\nprint('a')\nprint('b', file=sys.stderr)\n1 / 0\n");
    let answer = fails(&app, &alice, "code_error", asked).await;
    let failure = Failure {
        code: "code_error".to_owned(),
        message: "ZeroDivisionError: division by zero".to_owned(),
        line: Some(4),
    };
    assert_eq!(answer.failure, Some(failure));
    assert_eq!(
        answer.text,
        "It failed: ZeroDivisionError: division by zero (line 4)\nPrinted:\na\nPrinted as errors:\nb"
    );
    assert_eq!(
        (answer.stdout.as_str(), answer.stderr.as_str(), &answer.result),
        ("a\n", "b\n", &Value::Null)
    );
}

#[tokio::test]
async fn t10_an_endless_loop_ends_and_the_next_call_works() {
    let (mut app, alice) = with_memory(ProceduralMemory::default()).await;
    let limits = Limits { wall: Duration::from_millis(700), ..Limits::default() };
    app.cx =
        app.cx.clone().with_runner(sandbox(), ExecutionSettings { limits, ..ExecutionSettings::default() });
    let answer = fails(&app, &alice, "time_limit", asks("execute", "while True: pass")).await;
    assert!(answer.text.contains("the time limit"), "{}", answer.text);
    let long = ExecutionSettings { limits: self::limits(), ..ExecutionSettings::default() };
    app.cx = app.cx.clone().with_runner(sandbox(), long);
    assert_eq!(does(&app, &alice, asks("execute", "40 + 2")).await.result, json!(42));
}

#[tokio::test]
async fn a_long_output_is_cut_in_the_text_and_whole_in_the_field() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let answer = does(&app, &alice, asks("execute", "print('x' * 30000)")).await;
    assert_eq!(answer.stdout.len(), 30_001);
    assert!(answer.text.contains("[cut here; 30000 characters in all]"));
}

#[tokio::test]
async fn an_execution_without_files_leaves_no_session_and_one_with_files_leaves_one() {
    let (mut app, alice) = with_memory(ProceduralMemory::default()).await;
    app.cx =
        app.cx.clone().with_code_sessions(SessionSettings { per_caller: 2, ..SessionSettings::default() });
    for _ in 0..4 {
        does(&app, &alice, asks("execute", "1")).await;
    }
    assert_eq!(list(&app.cx, &alice).unwrap(), []);
    let write = |name: &str| asks("execute", &format!("open('{name}', 'w').write('hello')"));
    let first = does(&app, &alice, write("a.txt")).await;
    let session = first.code_session.unwrap();
    assert!(first.text.contains(&format!("in the code session {session}")), "{}", first.text);
    assert_eq!((first.files[0].path.as_str(), first.files[0].size), ("a.txt", 5));
    let read = Call {
        file_names: vec!["a.txt".to_owned(), "/mnt/data/a.txt".to_owned()],
        code_session: Some(session),
        ..asks("execute", "open('/mnt/data/a.txt').read()")
    };
    let answer = does(&app, &alice, read).await;
    assert_eq!((answer.result, answer.code_session), (json!("hello"), Some(session)));

    // The oldest that came about in this way gives way; one that somebody asked for does not.
    app.clock.advance(time::Duration::minutes(1));
    let second = does(&app, &alice, write("b.txt")).await.code_session.unwrap();
    app.clock.advance(time::Duration::minutes(1));
    let third = does(&app, &alice, write("c.txt")).await;
    assert!(
        third.text.contains(&format!("the code session {session} and its files were removed")),
        "{}",
        third.text
    );
    let open: Vec<_> = list(&app.cx, &alice).unwrap().into_iter().map(|session| session.id).collect();
    assert_eq!(open, [second, third.code_session.unwrap()]);
    for id in open {
        code_sessions::end(&app.cx, &alice, id).unwrap();
    }
    file(&app, &alice, "x", "x").await;
    file(&app, &alice, "x", "x").await;
    let lost = does(&app, &alice, write("d.txt")).await;
    assert!(lost.text.contains("The files are gone"), "{}", lost.text);
    assert_eq!((lost.code_session, list(&app.cx, &alice).unwrap().len()), (None, 2));
}

#[tokio::test]
async fn files_must_be_in_the_session() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let wants = |session, names: &[&str]| Call {
        code_session: session,
        file_names: names.iter().map(|&name| name.to_owned()).collect(),
        ..asks("execute", "1")
    };
    let none = fails(&app, &alice, "not_found", wants(None, &["a.csv"])).await;
    assert!(none.text.contains("`a.csv`") && none.text.contains("`session_id`"), "{}", none.text);
    let session = file(&app, &alice, "a.csv", "1").await;
    let some = fails(&app, &alice, "not_found", wants(Some(session), &["a.csv", "b.csv"])).await;
    assert_eq!(some.text, "the code session has no file `b.csv`; it has `a.csv`");
    let gone = CodeSessionId::new(uuid::Uuid::from_u128(7));
    let gone = fails(&app, &alice, "not_found", wants(Some(gone), &[])).await;
    assert!(gone.text.contains("there is no code session"), "{}", gone.text);
}

#[tokio::test]
async fn what_a_model_cannot_mend_is_an_error() {
    let mut app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let broken = Arc::new(FakeRunner::new(|_| Err(sandbox::Error::Failed("x".to_owned()))));
    app.on_runner(&broken, ExecutionSettings::default());
    let error = call(&app.cx, &alice, asks("execute", "1")).await.unwrap_err();
    assert_eq!(error.code(), Code::SandboxUnavailable);
    let no_python = Arc::new(FakeRunner::new(|_| Err(sandbox::Error::NoPython { detail: "x".to_owned() })));
    app.on_runner(&no_python, ExecutionSettings::default());
    fails(&app, &alice, "no_python", asks("execute", "1")).await;
    let reader = alice.scoped(&[TokenScope::Read]);
    app.refuses(Code::TokenScope, call(&app.cx, &reader, asks("execute", "1"))).await;
    app.cx.store.close().await;
    let error = call(&app.cx, &alice, asks("search_skills", "anything")).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);
}
