//! Hooks of coding agents: put in and taken out without a trace, and closed whatever fails.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::world::{Done, World};

const AGENTS: [(&str, &str, &str, &str); 5] = [
    ("claude-code", "claude", ".claude/settings.json", ".claude/settings.json"),
    ("codex", "codex", ".codex/hooks.json", ".codex/hooks.json"),
    ("gemini", "gemini", ".gemini/settings.json", ".gemini/settings.json"),
    ("cursor", "cursor", ".cursor/hooks.json", ".cursor/hooks.json"),
    ("copilot", "copilot", ".copilot/hooks/repertoire.json", ".github/hooks/repertoire.json"),
];

const FILES: [&str; 4] = [
    "{}\n",
    "{\"model\":\"opus\",\"permissions\":{\"allow\":[\"Bash(ls:*)\"]}}",
    "{\n  // mine\n  \"theme\": \"dark\", // and this\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Edit\",\n        \
     \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }],\n      },\n    ]\n  }\n}\n",
    "{\r\n\t\"version\": 1,\r\n\t\"hooks\": {\"stop\": [{\"command\": \"./done.sh\"}], \"preToolUse\": []}\r\n}\r\n",
];

fn hook(world: &World, args: &[&str], input: &str) -> Done {
    feed(world.command(&[&["hook"], args].concat()), input)
}

fn feed(mut command: Command, input: &str) -> Done {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may have refused before it read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn event(name: &str) -> String {
    json!({
        "session_id": "s", "hook_event_name": name, "cwd": "/p", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "prompt": "x",
    })
    .to_string()
}

/// Takes one connection a time, reads the request, and answers so. Gives the address and what was asked.
fn server(answer: &'static str) -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream: TcpStream = stream;
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            while !is_whole(&request) {
                let read = stream.read(&mut buffer).unwrap_or(0);
                if read == 0 {
                    break;
                }
                request.extend_from_slice(&buffer[..read]);
            }
            let _ = sender.send(String::from_utf8_lossy(&request).into_owned());
            if answer.is_empty() {
                // It never answers, and holds the line.
                std::mem::forget(stream);
                continue;
            }
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (address, asked)
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).into_owned();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

fn asking(world: &World, url: &str, args: &[&str], input: &str) -> Done {
    let mut command = world.command(&[&["hook"], args, &["--server", url]].concat());
    command.env("REPERTOIRE_TOKEN", "rpt_x");
    feed(command, input)
}

#[track_caller]
fn assert_denied(done: &Done) {
    assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
    assert!(done.err.contains("denied: ") && done.err.trim_end().lines().count() == 1, "{done:?}");
}

#[test]
fn a_hook_that_cannot_ask_denies() {
    let world = World::new();
    let call = event("PreToolUse");
    for (_, host, ..) in AGENTS {
        let done = asking(&world, "http://127.0.0.1:1", &[host], &call);
        assert_denied(&done);
        assert!(done.err.contains("cannot be reached"), "{done:?}");
    }
    let without_token = hook(&world, &["claude", "--server", "http://127.0.0.1:1"], &call);
    assert_denied(&without_token);
    for garbage in ["", "not json", "[]", "\"x\"", "{\"a\": 1"] {
        assert_denied(&hook(&world, &["claude"], garbage));
    }
    for flags in
        [&["claude", "--timeout", "no"][..], &["codex", "--nonsense"], &["gemini", "--on-failure", "maybe"]]
    {
        assert_denied(&hook(&world, flags, &call));
    }
    world.write(".config/repertoire/config.toml", "nonsense = 1\n");
    assert_denied(&hook(&world, &["claude"], &call));
}

#[test]
fn an_answer_that_is_none_denies() {
    let world = World::new();
    let call = event("PreToolUse");
    for answer in [
        "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 4\r\nconnection: close\r\n\r\noops",
        "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\nrepertoire-hook: claude\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>",
        // Silence, and a fine answer, of a server that is not ours or answers another.
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nrepertoire-hook: codex\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 60\r\nconnection: close\r\n\r\n{\"cut\": ",
        "nonsense\r\n\r\n",
    ] {
        let (url, _asked) = server(answer);
        let done = asking(&world, &url, &["claude"], &call);
        assert_denied(&done);
    }
}

#[test]
fn a_server_that_does_not_answer_denies_in_time() {
    let world = World::new();
    let (url, _asked) = server("");
    let done = asking(&world, &url, &["codex", "--timeout", "1"], &event("PreToolUse"));
    assert_denied(&done);
    assert!(done.err.contains("within 1 s"), "{done:?}");
    let mut command = world.command(&["hook", "claude", "--timeout", "1"]);
    let mut waiting = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let open = waiting.stdin.take();
    assert_eq!(waiting.wait().unwrap().code(), Some(2), "an event that never ends");
    drop(open);
}

#[test]
fn the_end_of_a_turn_is_not_denied_but_not_silent_either() {
    let world = World::new();
    for name in ["Stop", "SessionEnd", "AfterAgent", "stop"] {
        let done = asking(&world, "http://127.0.0.1:1", &["claude"], &event(name));
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
        assert!(!done.err.is_empty());
        assert_eq!(hook(&world, &["claude", "--nonsense"], &event(name)).code, 1);
    }
}

#[test]
fn who_wants_it_may_let_failures_pass() {
    let world = World::new();
    let call = event("PreToolUse");
    let allowed = |done: &Done| {
        assert_eq!((done.code, done.out.as_str()), (0, ""), "{done:?}");
        assert!(done.err.contains("nobody was asked"), "{done:?}");
    };
    allowed(&asking(&world, "http://127.0.0.1:1", &["claude", "--on-failure", "allow"], &call));
    let mut command = world.command(&["hook", "claude", "--server", "http://127.0.0.1:1"]);
    command.env("REPERTOIRE_HOOKS_ON_FAILURE", "allow");
    assert_denied(&feed(command, &call));
    world.write(".config/repertoire/config.toml", "[hooks]\non_failure = \"allow\"\n");
    allowed(&asking(&world, "http://127.0.0.1:1", &["claude"], &call));
    assert_denied(&asking(&world, "http://127.0.0.1:1", &["claude", "--on-failure", "deny"], &call));
}

#[test]
fn the_answer_of_the_library_is_given_as_it_is() {
    let world = World::new();
    let (url, asked) = server(
        "HTTP/1.1 200 OK\r\nrepertoire-hook: gemini\r\ncontent-length: 21\r\nconnection: close\r\n\r\n{\"decision\": \"deny\" }",
    );
    let mut command = world.command(&["hook", "gemini", "--agent", "coder", "--server", &url]);
    command.env("REPERTOIRE_TOKEN", "rpt_x").env("GEMINI_PROJECT_DIR", "/project");
    let done = feed(command, &event("BeforeTool"));
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "{\"decision\": \"deny\" }", ""));
    let request = asked.recv().unwrap();
    assert!(request.starts_with("POST /api/v1/governance/hooks/gemini HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("repertoire-agent: coder\r\n"), "{request}");
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(body["tool_name"], "Bash");
    let home = world.path("").display().to_string();
    let home = home.trim_end_matches('/');
    assert_eq!(body["repertoire"]["home"], home);
    assert_eq!(body["repertoire"]["project_dir"], "/project");
    assert_eq!(body["repertoire"]["cwd"], std::fs::canonicalize(home).unwrap().to_str().unwrap());
    let (url, _asked) = server(
        "HTTP/1.1 200 OK\r\nrepertoire-hook: claude\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
    let done = asking(&world, &url, &["claude"], &event("PreToolUse"));
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", ""));
}

#[test]
fn a_hook_makes_no_library() {
    let world = World::new();
    let data = world.path(".local/share/repertoire");
    for args in [&["claude"][..], &["claude", "--data", data.to_str().unwrap()]] {
        let done = hook(&world, args, &event("PreToolUse"));
        assert_denied(&done);
        assert!(done.err.contains("there is no library"), "{done:?}");
        assert!(!world.path(".local").exists());
    }
    world.write(".local/share/repertoire/repertoire.db", "");
    for _ in 0..2 {
        let done = hook(&world, &["claude"], &event("PreToolUse"));
        assert_denied(&done);
        assert!(done.err.contains("is empty"), "{done:?}");
    }
    world.ok(&["list"]);
    let done = hook(&world, &["claude"], &event("PreToolUse"));
    assert_eq!((done.code, done.err.as_str()), (0, ""));
}

/// What `hook install` makes Claude Code run, in an environment that a project filled.
fn installed_in(world: &World, variables: &[(&str, &str)]) -> Done {
    let text = std::fs::read_to_string(world.path(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env_clear().current_dir(world.path("")).env("HOME", world.path(""));
    shell.envs(variables.iter().copied());
    feed(shell, &event("PreToolUse"))
}

#[test]
fn the_environment_of_a_project_leads_a_hook_nowhere() {
    let world = World::new();
    let (stranger, asked) = server(
        "HTTP/1.1 200 OK\r\nrepertoire-hook: claude\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
    world.ok(&["--data", "theirs", "list"]);
    let theirs = world.path("theirs").display().to_string();
    let config =
        world.write("trap/repertoire/config.toml", format!("server = \"{stranger}\"\nworkspace = \"x\"\n"));
    let config = config.display().to_string();
    let trap = world.path("trap").display().to_string();
    let variables = [
        ("REPERTOIRE_DATA", theirs.as_str()),
        ("REPERTOIRE_SERVER", &stranger),
        ("REPERTOIRE_TOKEN", "rpt_x"),
        ("REPERTOIRE_CONFIG", &config),
        ("REPERTOIRE_WORKSPACE", "x"),
        ("REPERTOIRE_USER", "nobody"),
        ("REPERTOIRE_HOOKS_ON_FAILURE", "allow"),
        ("XDG_CONFIG_HOME", &trap),
        ("XDG_DATA_HOME", &trap),
        ("HOME", &trap),
    ];
    let told = world.run(&["hook", "install", "--agent", "claude-code"]);
    assert!(told.err.contains("there is no library"), "{told:?}");
    for count in 0..=variables.len() {
        assert_denied(&installed_in(&world, &variables[..count]));
    }
    world.ok(&["list"]);
    for count in 0..=variables.len() {
        let done = installed_in(&world, &variables[..count]);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{:?}", &variables[..count]);
    }
    assert!(asked.try_recv().is_err(), "nobody else was asked");
    assert_eq!(std::fs::read_dir(world.path("trap")).unwrap().count(), 1);
}

#[test]
fn what_named_the_library_is_written_into_the_hook() {
    let world = World::new();
    let settings = world.write("own.toml", "workspace = \"research\"\n");
    let mut install = world.command(&["hook", "install", "--agent", "claude-code", "--json"]);
    install
        .env("REPERTOIRE_DATA", "mine")
        .env("REPERTOIRE_AGENT", "coder")
        .env("REPERTOIRE_CONFIG", &settings);
    let told = crate::world::finish(&mut install).expect_ok(&[]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let command = told["command"].as_str().unwrap();
    let real = std::fs::canonicalize(world.path("")).unwrap();
    for words in [
        format!("--data {}", real.join("mine").display()),
        "--workspace research --agent coder".to_owned(),
        format!("--config {}", settings.display()),
    ] {
        assert!(command.contains(&words), "{words}: {command}");
    }
    // A database's address may hold a password; one that the configuration names is found again there.
    world.write("own.toml", "database = \"postgres://a:secret@h/d\"\n");
    let mut install = world.command(&["hook", "install", "--agent", "claude-code", "--json"]);
    let told = crate::world::finish(install.env("REPERTOIRE_CONFIG", &settings)).expect_ok(&[]);
    assert!(!told.contains("secret") && !told.contains("--data"), "{told}");
    let mut install = world.command(&["hook", "install", "--agent", "claude-code"]);
    assert_eq!(crate::world::finish(install.env("REPERTOIRE_DATABASE", "postgres://a:secret@h/d")).code, 2);
}

#[test]
fn a_stored_token_goes_before_one_of_the_environment() {
    let world = World::new();
    let (url, asked) = server(
        "HTTP/1.1 200 OK\r\nrepertoire-hook: claude\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
    world.write(".config/repertoire/config.toml", format!("[servers.\"{url}\"]\ntoken = \"rpt_mine\"\n"));
    assert_eq!(asking(&world, &url, &["claude"], &event("PreToolUse")).code, 0);
    let request = asked.recv().unwrap();
    assert!(request.contains("rpt_mine") && !request.contains("rpt_x"), "{request}");
}

#[test]
fn hooks_go_in_and_out_without_a_trace() {
    for (agent, host, user, project) in AGENTS {
        for (flags, file) in [(&[][..], user), (&["--project"][..], project)] {
            for before in [None].into_iter().chain(FILES.map(Some)) {
                let world = World::new();
                let path = world.path(file);
                if let Some(text) = before {
                    world.write(file, text);
                }
                let run = |verb: &str| world.ok(&[&["hook", verb, "--agent", agent], flags].concat());
                run("install");
                let once = std::fs::read_to_string(&path).unwrap();
                assert!(once.contains(&format!(" hook {host}")), "{once}");
                run("install");
                assert_eq!(std::fs::read_to_string(&path).unwrap(), once, "twice is once");
                run("uninstall");
                assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), before, "{agent} {flags:?}");
                run("uninstall");
                assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), before);
            }
        }
    }
}

#[test]
fn what_is_installed_fails_closed() {
    let world = World::new();
    let installed = |agent: &str, file: &str| -> Value {
        world.ok(&["hook", "install", "--agent", agent, "--server", "https://s.example", "--as", "coder"]);
        serde_json::from_str(&std::fs::read_to_string(world.path(file)).unwrap()).unwrap()
    };
    let command = |host: &str| {
        format!(
            "{} hook {host} --server https://s.example --agent coder --config-home {} --on-failure deny",
            env!("CARGO_BIN_EXE_repertoire"),
            world.path(".config").display(),
        )
    };
    let claude = installed("claude-code", ".claude/settings.json");
    let wanted = json!({"matcher": "*", "hooks": [{
        "type": "command", "command": command("claude"), "timeout": 15, "onFailure": "block",
    }]});
    assert_eq!(claude["hooks"]["PreToolUse"], json!([wanted]));
    assert_eq!(claude["hooks"]["UserPromptSubmit"][0]["hooks"][0]["onFailure"], "block");
    assert_eq!(claude["hooks"]["SessionEnd"][0]["hooks"][0].get("onFailure"), None);
    assert_eq!(claude["hooks"].get("Stop"), None, "a turn that ends is nothing to tell");
    let codex = installed("codex", ".codex/hooks.json");
    let wanted = json!([{"hooks": [{"type": "command", "command": command("codex"), "timeout": 15}]}]);
    assert_eq!(codex["hooks"]["PreToolUse"], wanted);
    let gemini = installed("gemini", ".gemini/settings.json");
    assert_eq!(gemini["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"], 15_000);
    assert_eq!(gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["command"], command("gemini"));
    let cursor = installed("cursor", ".cursor/hooks.json");
    let wanted = json!([{"command": command("cursor"), "timeout": 15, "failClosed": true}]);
    assert_eq!((&cursor["hooks"]["preToolUse"], &cursor["version"]), (&wanted, &json!(1)));
    let copilot = installed("copilot", ".copilot/hooks/repertoire.json");
    let wanted = json!([{"type": "command", "command": command("copilot"), "timeout": 15}]);
    assert_eq!((&copilot["hooks"]["PreToolUse"], &copilot["version"]), (&wanted, &json!(1)));
    std::fs::create_dir(world.path("project")).unwrap();
    let mut status = world.command(&["hook", "status", "--json"]);
    let status = crate::world::finish(status.current_dir(world.path("project"))).expect_ok(&[]);
    let status: Value = serde_json::from_str(&status).unwrap();
    let found: Vec<_> =
        status["items"].as_array().unwrap().iter().map(|item| item["state"].as_str().unwrap()).collect();
    assert_eq!(found, ["asks", "off"].repeat(5));
}

#[test]
fn the_installed_command_runs_in_a_shell() {
    let world = World::new();
    let folder = world.path("it's \"here\" $HOME");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("repertoire");
    // By another process: a file that this one has open for writing may be inherited by a test's child, and is then busy.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_repertoire")).arg(&program).status();
    assert!(copied.unwrap().success());
    let mut command = Command::new(&program);
    command.args(["hook", "install", "--agent", "codex", "--server", "http://127.0.0.1:1"]);
    let done = crate::world::finish(command.env_clear().env("HOME", world.path("")));
    assert!(done.err.contains("/hooks"), "what Codex still needs is said: {done:?}");
    let text = std::fs::read_to_string(world.path(".codex/hooks.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env_clear().env("HOME", world.path("")).env("REPERTOIRE_TOKEN", "rpt_x");
    assert_denied(&feed(shell, &event("PreToolUse")));
    world.ok(&["hook", "uninstall", "--agent", "codex"]);
    assert!(!world.path(".codex/hooks.json").exists(), "an entry is known whoever installed it");
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let world = World::new();
    for (agent, _, file, _) in AGENTS {
        for text in ["{ broken", "[]", "", "{\"hooks\": 1}"] {
            world.write(file, text);
            for verb in ["install", "uninstall"] {
                let done = world.run(&["hook", verb, "--agent", agent]);
                assert_eq!(done.code, 6, "{agent} {text:?} {done:?}");
                assert_eq!(std::fs::read_to_string(world.path(file)).unwrap(), text);
            }
        }
    }
    world.write(".claude/settings.json", "{}");
    let shown = world.ok(&["hook", "install", "--agent", "claude-code", "--dry-run"]);
    assert!(shown.contains('+') && shown.contains("PreToolUse"), "{shown}");
    assert_eq!(std::fs::read_to_string(world.path(".claude/settings.json")).unwrap(), "{}");
}

#[test]
fn a_link_is_followed_at_home_and_no_further() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let world = World::new();
    let real = world.write("dotfiles/claude.json", "{\n  \"a\": 1\n}\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::create_dir(world.path(".claude")).unwrap();
    symlink(&real, world.path(".claude/settings.json")).unwrap();
    world.ok(&["hook", "install", "--agent", "claude-code"]);
    assert!(std::fs::symlink_metadata(world.path(".claude/settings.json")).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("PreToolUse"));
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    let outside = World::new();
    let target = outside.write("settings.json", "{}");
    std::fs::create_dir(world.path(".gemini")).unwrap();
    symlink(&target, world.path(".gemini/settings.json")).unwrap();
    symlink(outside.path(""), world.path(".cursor")).unwrap();
    symlink(world.path("nowhere"), world.path(".codex")).unwrap();
    for agent in ["gemini", "cursor", "codex"] {
        let done = world.run(&["hook", "install", "--agent", agent]);
        assert_eq!(done.code, 5, "{agent} {done:?}");
    }
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "{}");
    assert_eq!(std::fs::read_dir(outside.path("")).unwrap().count(), 1);
}
