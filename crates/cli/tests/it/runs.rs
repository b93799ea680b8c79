//! Skills that execute: the real binary, the real sandbox.

use serde_json::{Value, json};

use crate::world::{Done, Server, World};

/// The exit code of a run that failed.
const RUN_FAILED: i32 = 8;

const COMPOUND_INTEREST: &str = "\
def compound_interest(principal, rate, years, periods_per_year=12):
    return round(principal * (1 + rate / periods_per_year) ** (periods_per_year * years), 2)
";

/// Puts a skill with a procedure into the library.
fn skill(world: &World, name: &str, procedure: &str, file: &str, code: &str) {
    world.skill(name, "Runs something. Use when something is to be run.");
    let declared = procedure.replace('\n', "\n  ");
    world.write(&format!("{name}/repertoire.yaml"), format!("procedure:\n  file: {file}\n  {declared}\n"));
    world.write(&format!("{name}/{file}"), code);
    world.ok(&["import", name]);
}

/// A Python function without declared parameters.
fn python(world: &World, name: &str, code: &str) {
    skill(world, name, "language: python\nfunction: main", "scripts/main.py", code);
}

fn run_json(world: &World, args: &[&str]) -> (i32, Value) {
    let all: Vec<_> = ["run", "--json"].iter().chain(args).copied().collect();
    let done = world.run(&all);
    let run = serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{args:?}: {done:?}"));
    (done.code, run)
}

#[track_caller]
fn assert_refused(done: &Done, code: i32, words: &[&str]) {
    assert_eq!(done.code, code, "{done:?}");
    for word in words {
        assert!(done.err.contains(word), "no `{word}` in {done:?}");
    }
}

fn compound_interest(world: &World) {
    let procedure = "\
language: python
function: compound_interest
parameters:
  - {name: principal, type: number}
  - {name: rate, type: number}
  - {name: years, type: number}
  - {name: periods_per_year, type: integer, default: 12}";
    skill(world, "compound-interest", procedure, "scripts/interest.py", COMPOUND_INTEREST);
}

const INTEREST: [&str; 6] = ["--param", "principal=1000", "--param", "rate=0.05", "--param", "years=10"];

#[test]
fn compound_interest_gives_1647_01() {
    let world = World::new();
    compound_interest(&world);
    let args: Vec<_> = ["run", "compound-interest"].into_iter().chain(INTEREST).collect();
    assert_eq!(world.ok(&args), "1647.01\n", "twelve periods are the default");
    let yearly: Vec<_> = args.iter().copied().chain(["--param", "periods_per_year=1"]).collect();
    assert_eq!(world.ok(&yearly), "1628.89\n");
    world.write("given.json", r#"{"principal": 1000, "rate": 0.05, "years": 10, "periods_per_year": 12}"#);
    assert_eq!(world.ok(&["run", "compound-interest", "--params-json", "given.json"]), "1647.01\n");
}

#[test]
fn through_a_server_it_is_the_same() {
    let world = World::new();
    compound_interest(&world);
    let server = Server::start(&world, &[]);
    let args: Vec<_> = ["run", "compound-interest"].into_iter().chain(INTEREST).collect();
    assert_eq!(world.ok(&args), "1647.01\n");
    assert_eq!(world.ok(&args), "1647.01\n");
    let listed = world.json(&["runs", "list", "compound-interest"]);
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed}");
    server.stop();
    assert_eq!(world.json(&["runs", "list"])["items"].as_array().unwrap().len(), 2, "the records stay");
}

#[test]
fn an_endless_loop_ends_with_time_limit_and_the_next_run_works() {
    let world = World::new();
    python(&world, "endless", "def main():\n    while True: pass\n");
    python(&world, "quick", "def main():\n    return 'done'\n");
    let server = Server::start(&world, &[]);
    let done = world.run(&["run", "endless", "--timeout", "1"]);
    assert_refused(&done, RUN_FAILED, &["time_limit", "1 s"]);
    assert_eq!(world.ok(&["run", "quick"]), "done\n");
    let (code, run) = run_json(&world, &["endless", "--timeout", "0.5"]);
    assert_eq!(
        (code, &run["status"], &run["error"]["code"]),
        (RUN_FAILED, &json!("failed"), &json!("time_limit"))
    );
    assert_eq!(run["limits_hit"], json!(["time_limit"]));
    server.stop();
}

#[test]
fn output_goes_where_the_code_sent_it_and_the_result_comes_last() {
    let world = World::new();
    let code = "import sys\ndef main():\n    print('out')\n    print('err', file=sys.stderr)\n    return {'a': [1, 2.5, None]}\n";
    python(&world, "speaks", code);
    let done = world.run(&["run", "speaks"]);
    assert_eq!(done.out, "out\n{\n  \"a\": [\n    1,\n    2.5,\n    null\n  ]\n}\n", "{done:?}");
    assert!(done.err.contains("err\n"), "{done:?}");
    let (_, run) = run_json(&world, &["speaks"]);
    assert_eq!((&run["stdout"], &run["stderr"]), (&json!("out\n"), &json!("err\n")));
    assert_eq!(run["result"], json!({"a": [1, 2.5, null]}));
}

#[test]
fn files_go_in_and_come_out() {
    let world = World::new();
    let code = "\
import csv, os
def main():
    with open('/mnt/data/in/prices.csv') as rows:
        total = sum(float(row['price']) for row in csv.DictReader(rows))
    os.makedirs('/mnt/data/out')
    with open('/mnt/data/out/total.txt', 'w') as file:
        file.write(f'{total}\\n')
    return total
";
    python(&world, "sums-up", code);
    world.write("prices.csv", "name,price\na,1.5\nb,2.25\n");
    let done = world.run(&["run", "sums-up", "--file", "prices.csv=in/prices.csv"]);
    assert_eq!((done.code, done.out.as_str()), (0, "3.75\n"), "{done:?}");
    assert!(done.err.contains("out/total.txt (5 bytes)"), "{done:?}");
    let args = ["run", "sums-up", "--file", "prices.csv=in/prices.csv", "--output-dir", "here"];
    world.ok(&args);
    assert_eq!(std::fs::read_to_string(world.path("here/out/total.txt")).unwrap(), "3.75\n");
    assert_eq!(world.run(&args).code, 5, "nothing is overwritten unasked");
    let forced: Vec<_> = args.iter().copied().chain(["--force"]).collect();
    world.ok(&forced);
}

#[test]
fn wrong_parameters_are_all_named_and_nothing_runs() {
    let world = World::new();
    compound_interest(&world);
    let done = world.run(&["run", "compound-interest", "--param", "rate=five", "--param", "colour=red"]);
    assert_refused(&done, 6, &["invalid_parameters", "`colour`", "`rate`", "`principal`", "`years`"]);
    assert_eq!(world.json(&["runs", "list"])["items"], json!([]), "a refusal is no execution");
}

#[test]
fn a_missing_package_is_named() {
    let world = World::new();
    python(&world, "needs", "import no_such_package\ndef main():\n    return 1\n");
    let done = world.run(&["run", "needs"]);
    assert_refused(&done, RUN_FAILED, &["missing_module", "no_such_package", "repertoire python add"]);
}

#[test]
fn an_error_keeps_its_type_message_and_line() {
    let world = World::new();
    python(&world, "fails", "def main(x=0):\n    y = 1\n    return y / x\n");
    let done = world.run(&["run", "fails"]);
    assert_refused(&done, RUN_FAILED, &["ZeroDivisionError: division by zero", "line 3", "code_error"]);
    python(&world, "broken", "this is not valid python code {{{\n");
    assert_refused(&world.run(&["run", "broken"]), RUN_FAILED, &["syntax_error", "SyntaxError"]);
}

#[test]
fn javascript_runs() {
    let world = World::new();
    world.ok(&["init", "grows", "--procedure", "javascript"]);
    world.ok(&["validate", "grows"]);
    world.ok(&["import", "grows"]);
    assert_eq!(world.ok(&["run", "grows"]), "1628.89\n");
    assert_eq!(world.ok(&["run", "grows", "--param", "amount=1", "--param", "times=0"]), "1\n");
}

#[test]
fn a_python_skill_to_start_from_runs() {
    let world = World::new();
    world.ok(&["init", "grows", "--procedure", "python"]);
    world.ok(&["import", "grows"]);
    assert_eq!(world.ok(&["run", "grows"]), "1628.89\n");
    assert_eq!(world.ok(&["run", "grows@1", "--param", "times=1"]), "1050.0\n");
}

#[test]
fn a_shell_script_runs_with_arguments_and_exit_status() {
    let world = World::new();
    world.ok(&["init", "greets", "--procedure", "shell"]);
    world.ok(&["import", "greets"]);
    assert_eq!(world.ok(&["run", "greets"]), "Hello from the sandbox\n");
    assert_eq!(world.ok(&["run", "greets", "--param", "greeting=Hi"]), "Hi from the sandbox\n");
    let code = "#!/bin/sh\necho \"got $1 and $2\"\nexit 3\n";
    skill(&world, "ends", "language: shell", "scripts/run.sh", code);
    let done = world.run(&["run", "ends", "--arg", "-a", "--arg", "two words"]);
    assert_refused(&done, RUN_FAILED, &["exit_status"]);
    assert_eq!(done.out, "got -a and two words\n");
}

#[test]
fn determinism_is_checked_by_running_again() {
    let world = World::new();
    python(&world, "same", "def main():\n    return sorted({'b', 'a'})\n");
    let done = world.run(&["run", "same", "--check-determinism", "3"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("deterministic: 3 runs"), "{done:?}");
    let dice = "import random\ndef main():\n    return [random.random(), random.randint(1, 6)]\n";
    python(&world, "dice", dice);
    let done = world.run(&["run", "dice", "--check-determinism", "3"]);
    assert_eq!(done.code, 0, "chance begins at the same place: {done:?}");
    python(&world, "other", "import time\ndef main():\n    return time.time_ns()\n");
    let done = world.run(&["run", "other", "--check-determinism", "3"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("not deterministic: 3 runs gave 3 different outputs"), "{done:?}");
    assert_eq!(world.json(&["runs", "list"])["items"].as_array().unwrap().len(), 9);
}

#[test]
fn only_active_and_enabled_skills_run() {
    let world = World::new();
    python(&world, "quick", "def main():\n    return 1\n");
    world.ok(&["disable", "quick"]);
    assert_refused(&world.run(&["run", "quick"]), 5, &["skill_disabled"]);
    world.ok(&["enable", "quick"]);
    world.ok(&["skill", "archive", "quick"]);
    assert_refused(&world.run(&["run", "quick"]), 5, &["skill_not_active", "archived"]);
    world.skill("text-only", "Only words.");
    world.ok(&["import", "text-only"]);
    assert_refused(&world.run(&["run", "text-only"]), 6, &["no_procedure"]);
    assert_refused(&world.run(&["run", "nowhere"]), 3, &["not_found"]);
}

#[test]
fn a_skill_that_waits_for_approval_is_refused_with_its_state() {
    let world = World::new();
    world.ok(&["user", "add", "alice"]);
    world.ok(&["init", "grows", "--procedure", "python"]);
    world.ok(&["--user", "alice", "import", "grows", "--scope", "workspace"]);
    let done = world.run(&["--user", "alice", "run", "grows"]);
    assert_refused(&done, 5, &["skill_not_active", "pending_approval"]);
    world.ok(&["skill", "approve", "grows"]);
    assert_eq!(world.ok(&["--user", "alice", "run", "grows"]), "1628.89\n");
}

#[test]
fn runs_are_remembered_counted_and_pruned() {
    let world = World::new();
    python(&world, "halves", "def main(x):\n    assert x % 2 == 0, 'odd'\n    return x // 2\n");
    world.ok(&["run", "halves", "--param", "x=4"]);
    assert_eq!(world.run(&["run", "halves", "--param", "x=5", "--redact", "x"]).code, RUN_FAILED);
    let listed = world.ok(&["runs", "list", "halves"]);
    assert!(
        listed.contains("succeeded") && listed.contains("code_error") && listed.contains("halves@1"),
        "{listed}"
    );
    let failed = world.json(&["runs", "list", "--failed"]);
    let id = failed["items"][0]["id"].as_str().unwrap().to_owned();
    let shown = world.ok(&["runs", "show", &id]);
    assert!(shown.contains("AssertionError") && shown.contains("odd"), "{shown}");
    assert!(!shown.contains("\"x\":5"), "the value was to be left out: {shown}");
    let statistics = world.json(&["runs", "stats", "halves"]);
    assert_eq!(statistics["revisions"][0]["executions"], 2, "{statistics}");
    assert_eq!(statistics["revisions"][0]["success_rate"], 0.5, "{statistics}");
    assert!(world.ok(&["runs", "stats", "halves"]).contains("50 %"));
    assert!(world.ok(&["runs", "prune", "--older-than", "1"]).contains("forgot 0 runs"));
    assert!(world.ok(&["runs", "prune", "--before", "2999-01-01"]).contains("forgot 2 runs"));
    assert_eq!(world.json(&["runs", "list"])["items"], json!([]));
}

#[test]
fn analytics_tell_what_is_used_and_what_is_not() {
    let world = World::new();
    python(&world, "quick", "def main():\n    return 1\n");
    python(&world, "idle", "def main():\n    return 1\n");
    world.ok(&["run", "quick"]);
    let seen = world.json(&["analytics", "--since", "6d"]);
    assert_eq!(seen["days"].as_array().unwrap().len(), 7, "{seen}");
    assert_eq!((&seen["totals"]["uses"], &seen["totals"]["runs"]), (&json!(1), &json!(1)), "{seen}");
    let text = world.ok(&["analytics"]);
    for words in
        ["uses     1: 0 failed, 100 % succeeded", "Used most", "quick", "Without a use", "idle", "(none)"]
    {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    assert!(!text.contains("Failing"), "{text}");
    let done = world.run(&["analytics", "--since", "yesterday"]);
    assert_refused(&done, 2, &["not a moment"]);
    let done = world.run(&["analytics", "--through", "nobody"]);
    assert_refused(&done, 3, &["nobody"]);
}

#[test]
fn limits_of_the_configuration_the_skill_and_the_caller_hold() {
    let world = World::new();
    python(&world, "eats", "def main(mb):\n    return len(bytearray(mb << 20)) >> 20\n");
    assert_eq!(world.ok(&["run", "eats", "--param", "mb=50"]), "50\n");
    let done = world.run(&["run", "eats", "--param", "mb=300", "--limit", "memory_mb=100"]);
    assert_refused(&done, RUN_FAILED, &["memory_limit", "100 MiB"]);
    let mut command = world.command(&["run", "eats", "--param", "mb=300"]);
    command.env("REPERTOIRE_SANDBOX_MEMORY_MB", "120");
    assert_refused(&crate::world::finish(&mut command), RUN_FAILED, &["memory_limit", "120 MiB"]);
    let procedure = "language: python\nfunction: main\nlimits: {wall_seconds: 0.5}";
    skill(&world, "slow", procedure, "scripts/main.py", "import time\ndef main():\n    time.sleep(60)\n");
    assert_refused(&world.run(&["run", "slow", "--timeout", "20"]), RUN_FAILED, &["time_limit", "0.5 s"]);
}

#[test]
fn nothing_of_the_host_is_reachable_from_a_skill() {
    let world = World::new();
    let secret = world.write("secret.txt", "hush");
    let code = format!(
        "import os\ndef main():\n    return [os.path.exists({:?}), dict(os.environ).get('REPERTOIRE_TOKEN'), os.getcwd()]\n",
        secret.display().to_string()
    );
    python(&world, "looks", &code);
    let mut command = world.command(&["run", "looks", "--json"]);
    command.env("REPERTOIRE_TOKEN", "rpt_secret");
    let done = crate::world::finish(&mut command).expect_ok(&["run"]);
    let run: Value = serde_json::from_str(&done).unwrap();
    assert_eq!(run["result"], json!([false, null, "/mnt/data"]));
}

#[test]
fn without_python_everything_else_works() {
    let world = World::new();
    python(&world, "quick", "def main():\n    return 1\n");
    let without = |args: &[&str]| {
        let mut command = world.command(args);
        command.env("PATH", "/nowhere");
        crate::world::finish(&mut command)
    };
    assert_refused(&without(&["run", "quick"]), 7, &["no_python", "doctor"]);
    assert_eq!(without(&["list"]).code, 0);
    world.ok(&["init", "grows", "--procedure", "javascript"]);
    world.ok(&["import", "grows"]);
    assert_eq!(without(&["run", "grows"]).out, "1628.89\n");
}

#[test]
fn a_sandbox_that_is_switched_off_says_so() {
    let world = World::new();
    python(&world, "quick", "def main():\n    return 1\n");
    let mut command = world.command(&["run", "quick"]);
    command.env("REPERTOIRE_SANDBOX_ENABLED", "false");
    assert_refused(&crate::world::finish(&mut command), 7, &["switched off"]);
}

#[test]
fn doctor_runs_something_and_names_every_protection() {
    let world = World::new();
    world.ok(&["list"]);
    let found = world.run(&["doctor", "--json"]);
    let found: Value = serde_json::from_str(&found.out).unwrap();
    let checks = found["checks"].as_array().unwrap();
    let of = |what: &str| checks.iter().filter(|check| check["check"] == what).collect::<Vec<_>>();
    assert!(!of("protection").is_empty(), "{found:#}");
    let trial = of("trial run");
    assert_eq!(trial.len(), 1, "{found:#}");
    assert_eq!(trial[0]["verdict"], "ok", "{found:#}");
    assert!(trial[0]["found"].as_str().unwrap().contains("1 + 1 gave 2"), "{found:#}");
}

#[test]
fn a_server_says_with_which_python_it_runs_and_gets_ready_by_itself() {
    let world = World::new();
    let mut server = Server::start(&world, &[]);
    assert!(server.greeting.iter().any(|line| line.contains("python3")), "{:#?}", server.greeting);
    server.until("the sandbox is ready");
    let token = world.ok(&["token", "create", "here", "--scope", "read", "--scope", "admin"]);
    let mut command = world.command(&["doctor", "--server", &server.url]);
    command.env("REPERTOIRE_TOKEN", token.trim());
    let found = crate::world::finish(&mut command).expect_ok(&["doctor", "--server"]);
    assert!(found.contains("Python profiles: default") && found.contains("seccomp"), "{found}");
    server.stop();
}

#[test]
fn a_skill_shows_how_its_procedure_is_called() {
    let world = World::new();
    compound_interest(&world);
    let shown = world.ok(&["skill", "show", "compound-interest", "--brief"]);
    let call = "python scripts/interest.py compound_interest(principal: number, rate: number, years: number, \
                periods_per_year: integer = 12)";
    assert!(shown.contains(call), "{shown}");
}
