//! Policies: written, put in force, asked, and their decisions read, as an admin does it.

use serde_json::{Value, json};

use crate::api::Api;
use crate::world::{Done, Server, World};

const NO_SHELL: &str = "\
policy:
  scope: security
  priority: 100
  activation: {always: true}
  forbidden_tools: ['Bash(rm:*)']
  planning: Never remove files.
";

const READERS: &str = "\
policy:
  priority: 10
  activation:
    keywords: [review]
  allowed_tools: [Read, Bash]
  max_steps: 3
  validators:
    - path_prefix: [/srv/code]
";

/// Writes a policy to a folder of its own.
fn write(world: &World, name: &str, sidecar: &str) {
    world.skill(name, "Bounds what agents may do. Use never; it holds by itself.");
    world.write(&format!("{name}/repertoire.yaml"), sidecar);
}

/// A library with two policies in force. The admin of a new library may write them.
fn governed(world: &World) {
    write(world, "no-shell", NO_SHELL);
    write(world, "readers", READERS);
    world.ok(&["import", "no-shell", "readers"]);
}

fn ids(found: &Value, list: &str) -> Vec<String> {
    let items = found[list].as_array().unwrap_or_else(|| panic!("{found}"));
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// A server with policies and three decisions of an agent: one removal denied, one listing allowed, one path denied.
async fn decided(world: &World) -> (Server, Vec<String>) {
    governed(world);
    world.ok(&["agent", "create", "coder"]);
    let server = world.serve();
    let api = Api::new(world, &server);
    let calls = [
        ("tidy up", "Bash", json!({"command": "rm -rf build"})),
        ("tidy up", "Bash", json!({"command": "ls"})),
        ("review this", "Read", json!({"file_path": "/etc/passwd"})),
    ];
    let mut decisions = Vec::new();
    for (task, tool, arguments) in calls {
        let body = json!({"task": task, "tool": tool, "arguments": arguments, "agent": "coder"});
        let judged = api.post("/api/v1/governance/judge", &body).await.expect(200);
        decisions.push(judged["decision_id"].as_str().unwrap().to_owned());
    }
    (server, decisions)
}

#[track_caller]
fn assert_said(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no `{word}` in {text}");
    }
}

#[track_caller]
fn assert_refused(done: &Done, code: i32, words: &[&str]) {
    assert_eq!(done.code, code, "{done:?}");
    assert_said(&done.err, words);
}

#[test]
fn the_list_shows_what_is_in_force() {
    let world = World::new();
    assert_said(&world.ok(&["policy", "list"]), &["nothing is restricted"]);
    governed(&world);
    let listed = world.json(&["policy", "list"]);
    assert_eq!(ids(&listed, "items"), ["no-shell", "readers"], "the greater priority first");
    assert_eq!((&listed["items"][0]["priority"], &listed["items"][0]["revision"]), (&json!(100), &json!(1)));
    assert_said(&world.ok(&["policy", "list"]), &["POLICY", "no-shell", "100", "everybody", "in force"]);
    world.ok(&["disable", "readers"]);
    assert_eq!(ids(&world.json(&["policy", "list"]), "items"), ["no-shell"]);
}

#[test]
fn an_agents_policy_holds_for_that_agent() {
    let world = World::new();
    governed(&world);
    world.ok(&["agent", "create", "coder"]);
    world.ok(&["agent", "create", "writer"]);
    write(&world, "narrow", READERS);
    world.ok(&["import", "narrow", "--scope", "agent", "--agent", "coder"]);
    let all = world.ok(&["policy", "list"]);
    assert_said(&all, &["agent/narrow", "agent coder"]);
    let of = |agent: &str| ids(&world.json(&["policy", "list", "--agent", agent]), "items");
    assert_eq!(of("coder"), ["no-shell", "agent/narrow", "readers"]);
    assert_eq!(of("writer"), ["no-shell", "readers"]);
    let explain = |agent: &str| {
        let asked = ["policy", "explain", "--task", "review", "--agent", agent];
        ids(&world.json(&asked), "active")
    };
    assert_eq!(explain("coder"), ["no-shell", "agent/narrow", "readers"]);
    assert_eq!(explain("writer"), ["no-shell", "readers"]);
}

#[test]
fn explain_says_what_would_be_decided_and_why() {
    let world = World::new();
    governed(&world);
    let removal = r#"{"command": "sudo rm -rf build"}"#;
    let asked = ["policy", "explain", "--task", "tidy up", "--tool", "Bash", "--arguments", removal];
    let said = world.ok(&asked);
    let words = [
        "no-shell",
        "not active: readers",
        "Skill 'no-shell'",
        "Never remove files.",
        "denied Bash [forbidden]",
        "Tool 'Bash' is forbidden by Skill(s): no-shell",
    ];
    assert_said(&said, &words);
    assert_eq!(world.json(&asked)["verdict"]["allowed"], json!(false));

    let outside = r#"{"file_path": "/etc/passwd"}"#;
    let asked = ["policy", "explain", "--task", "review", "--tool", "Read", "--arguments", outside];
    assert_said(&world.ok(&asked), &["denied Read [validation]", "validator 1 of readers, path_prefix"]);
    let inside = r#"{"file_path": "/srv/code/a.rs"}"#;
    let asked = ["policy", "explain", "--task", "review", "--tool", "Read", "--arguments", inside];
    assert_said(&world.ok(&asked), &["allowed Read"]);
    let used_up: Vec<_> = asked.iter().copied().chain(["--steps", "3"]).collect();
    assert_said(&world.ok(&used_up), &["denied Read [max_steps]"]);
    assert_said(&world.ok(&["policy", "log"]), &["no decisions"]);
}

#[test]
fn a_context_is_given_by_value_or_by_file() {
    let world = World::new();
    let when = "policy:\n  activation: {when: 'context.level > 2'}\n  forbidden_tools: [Bash]\n";
    write(&world, "careful", when);
    world.ok(&["import", "careful"]);
    let active = |more: &[&str]| {
        let asked: Vec<_> = ["policy", "explain", "--task", "x"].iter().chain(more).copied().collect();
        ids(&world.json(&asked), "active")
    };
    assert_eq!(active(&["--context", "level=3"]), ["careful"]);
    assert!(active(&["--context", "level=1"]).is_empty());
    assert_eq!(active(&[]), ["careful"], "what cannot be evaluated restricts");
    world.write("context.json", r#"{"level": 5}"#);
    assert_eq!(active(&["--context-file", "context.json"]), ["careful"]);
    assert!(active(&["--context-file", "context.json", "--context", "level:=0"]).is_empty());
    let wrong = world.run(&["policy", "explain", "--task", "x", "--context", "level"]);
    assert_refused(&wrong, 2, &["`level`", "NAME=VALUE"]);
    let wrong = world.run(&["policy", "explain", "--task", "x", "--tool", "a", "--arguments", "[1]"]);
    assert_refused(&wrong, 2, &["--arguments is not a JSON object"]);
    assert_eq!(world.run(&["policy", "explain"]).code, 2);
}

#[tokio::test]
async fn the_log_answers_who_was_denied_what_and_why() {
    let world = World::new();
    let (server, decisions) = decided(&world).await;
    let log = |more: &[&str]| {
        let asked: Vec<_> = ["policy", "log"].iter().chain(more).copied().collect();
        ids(&world.json(&asked), "items")
    };
    let newest: Vec<String> = decisions.iter().rev().cloned().collect();
    let [removal, listing, path] = decisions.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        panic!("{decisions:?}")
    };
    assert_eq!(log(&[]), newest);
    assert_eq!(log(&["--limit", "1"]), [path]);
    assert_eq!(log(&["--denied"]), [path, removal]);
    assert_eq!(log(&["--allowed"]), [listing]);
    assert_eq!(log(&["--denied-by", "no-shell"]), [removal]);
    assert_eq!(log(&["--policy", "readers"]), [path]);
    assert_eq!(log(&["--cause", "validation"]), [path]);
    assert_eq!(log(&["--tool", "Bash"]), [listing, removal]);
    assert_eq!(log(&["--agent", "coder", "--by", "admin"]), newest);
    assert_eq!(log(&["--since", "1h"]), newest);
    assert!(log(&["--until", "1h"]).is_empty() && log(&["--host", "claude"]).is_empty());
    assert_said(
        &world.ok(&["policy", "log"]),
        &["DECIDED", "denied", "coder", "admin", "Bash", "Tool 'Read' failed custom validation"],
    );
    assert_refused(&world.run(&["policy", "log", "--since", "soon"]), 2, &["not a moment", "7d"]);
    assert_eq!(world.run(&["policy", "log", "--cause", "mood"]).code, 2);

    let told = world.ok(&["policy", "explain", removal]);
    let words = [
        "denied",
        "Tool 'Bash' is forbidden by Skill(s): no-shell",
        "forbidden",
        "rm -rf build",
        "tidy up",
        "admin",
        "coder",
        "0 steps",
        removal,
        "ACTIVE POLICY",
        "no-shell       1 ",
    ];
    assert_said(&told, &words);
    assert_refused(&world.run(&["policy", "explain", "nonsense"]), 3, &["there is no decision"]);
    server.stop();
    assert_said(&world.ok(&["audit", "verify"]), &["the log is whole"]);
}

#[tokio::test]
async fn governed_runs_are_listed() {
    let world = World::new();
    governed(&world);
    let server = world.serve();
    let api = Api::new(&world, &server);
    let runs = "/api/v1/governance/runs";
    let run = api.post(runs, &json!({"task": "review this", "host": "my-agent"})).await.expect(201);
    let id = run["run"]["id"].as_str().unwrap();
    let step = json!({"tool": "Read", "arguments": {"file_path": "/srv/code/a"}});
    api.post(&format!("{runs}/{id}/judge"), &step).await.expect(200);
    let shown = world.ok(&["policy", "runs", "--open"]);
    assert_said(&shown, &[id, "open", "my-agent", "review this"]);
    assert_eq!(ids(&world.json(&["policy", "log", "--run", id]), "items").len(), 2);
    api.post(&format!("{runs}/{id}/finish"), &json!({"outcome": "done"})).await.expect(200);
    assert_said(&world.ok(&["policy", "runs", "--open"]), &["no governed runs"]);
    assert_said(&world.ok(&["policy", "runs"]), &[id, "done"]);
    server.stop();
}

#[tokio::test]
async fn with_record_digest_no_text_is_kept() {
    let world = World::new();
    world.write(".config/repertoire/config.toml", "[governance]\nrecord = \"digest\"\n");
    let (server, decisions) = decided(&world).await;
    let told = world.ok(&["policy", "explain", &decisions[0]]);
    assert_said(&told, &["denied", "not kept, only its digest", "no-shell"]);
    assert!(!told.contains("rm -rf") && !told.contains("tidy up"), "{told}");
    server.stop();
    let settings = world.json(&["config", "show"])["settings"].clone();
    assert_eq!(settings["governance.record"], json!({"value": "digest", "source": "file"}));
    assert_eq!(settings["governance.history_days"], json!({"value": "0", "source": "default"}));
}

const CASES: &str = "\
cases:
  - name: removing files is denied
    task: tidy up
    tool: Bash
    arguments: {command: rm -rf build}
    expect: deny
    cause: forbidden
  - name: listing files is allowed
    task: tidy up
    tool: Bash
    arguments: {command: ls}
    expect: allow
";

#[test]
fn the_cases_beside_a_policy_pass_or_fail() {
    let world = World::new();
    write(&world, "no-shell", NO_SHELL);
    world.write("no-shell/tests/shell.yaml", CASES);
    let said = world.ok(&["policy", "test", "no-shell"]);
    assert_said(&said, &["tests/shell.yaml", "✓ removing files is denied", "2 cases passed, 0 failed"]);

    world.write("no-shell/tests/wrong.yaml", CASES.replace("expect: allow", "expect: deny"));
    let failed = world.run(&["policy", "test", "no-shell"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert_said(
        &failed.out,
        &["✗ listing files is allowed", "expected", "actual", "3 cases passed, 1 failed"],
    );
    let json = world.run(&["policy", "test", "no-shell", "--json"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["passed"], &json["failed"]), (&json!(3), &json!(1)), "{json}");

    write(&world, "readers", READERS);
    let none = world.run(&["policy", "test", "readers"]);
    assert_eq!(none.code, 1, "{none:?}");
    assert_said(&none.out, &["there are no cases"]);
    assert_refused(&world.run(&["policy", "test", "nowhere"]), 3, &["there is no skill `nowhere`"]);

    std::fs::remove_file(world.path("no-shell/tests/wrong.yaml")).unwrap();
    world.ok(&["import", "no-shell"]);
    std::fs::rename(world.path("no-shell"), world.path("elsewhere")).unwrap();
    assert_said(&world.ok(&["policy", "test", "no-shell@1"]), &["no-shell@1", "2 cases passed"]);
}

#[test]
fn check_says_what_a_policy_would_change_before_it_is_in_force() {
    let world = World::new();
    governed(&world);
    world.ok(&["agent", "create", "coder"]);
    write(&world, "no-shell", &NO_SHELL.replace("'Bash(rm:*)'", "Bash"));
    let checked = world.run(&["policy", "check", "no-shell"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert_said(&checked.err, &["in place of `no-shell`, revision 1"]);
    assert_said(
        &checked.out,
        &["without an agent, agent coder\n", "no longer allowed: Bash: Tool 'Bash' is forbidden"],
    );
    let unchanged = world.run(&["policy", "check", "readers"]);
    assert_eq!(unchanged.code, 0, "{unchanged:?}");
    assert_said(&unchanged.out, &["nothing would change for anybody"]);
    write(&world, "broken", "policy:\n  activation: {when: 'nonsense('}\n  forbidden_tools: [Bash]\n");
    let broken = world.run(&["policy", "check", "broken"]);
    assert_ne!(broken.code, 0, "{broken:?}");
    let listed = world.json(&["policy", "list"]);
    assert_eq!(ids(&listed, "items").len(), 2, "nothing was put in force");
}

#[tokio::test]
async fn replay_says_which_decisions_would_be_others() {
    let world = World::new();
    let (server, decisions) = decided(&world).await;
    write(&world, "no-shell", &NO_SHELL.replace("'Bash(rm:*)'", "Bash"));
    let replayed = world.json(&["policy", "replay", "no-shell", "--since", "1h"]);
    assert_eq!((&replayed["replayed"], &replayed["unchanged"]), (&json!(3), &json!(2)), "{replayed}");
    assert_eq!(replayed["differences"][0]["decision_id"], json!(decisions[1]));
    let shown = world.ok(&["policy", "replay", "no-shell", "--agent", "coder"]);
    assert_said(
        &shown,
        &["replayed 3 decisions: 2 as before, 1 otherwise", &decisions[1], "allowed", "denied"],
    );
    // The folder of the same name is not meant: what stands there is in force nowhere.
    let removed = world.json(&["policy", "replay", "no-shell", "--remove"]);
    assert_eq!(removed["differences"][0]["decision_id"], json!(decisions[0]), "{removed}");
    assert_eq!(removed["differences"].as_array().unwrap().len(), 1);
    assert_eq!(world.json(&["policy", "log"])["items"].as_array().unwrap().len(), 3, "nothing is kept");
    server.stop();
}

/// The files that the guide shows, by the path in their first line.
fn shown_in_the_guide() -> Vec<(String, String)> {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/governance.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let blocks = guide.split("```yaml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let named = blocks.filter_map(|(block, _)| block.strip_prefix("# ")?.split_once('\n'));
    named.map(|(path, content)| (path.to_owned(), content.to_owned())).collect()
}

#[test]
fn the_policy_of_the_guide_passes_its_own_cases() {
    let world = World::new();
    world.ok(&["init", "careful-coder"]);
    let files = shown_in_the_guide();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["careful-coder/repertoire.yaml", "careful-coder/tests/basics.yaml"]);
    for (path, content) in &files {
        world.write(path, content);
    }
    let tested = world.ok(&["policy", "test", "careful-coder"]);
    assert_said(&tested, &["6 cases passed, 0 failed"]);
    assert!(!tested.contains("warning["), "{tested}");
    world.ok(&["import", "careful-coder"]);
    assert_eq!(ids(&world.json(&["policy", "list"]), "items"), ["careful-coder"]);
}
