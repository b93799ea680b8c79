//! Connections of coding agents: shown first, put in and taken out without a trace; skills as files kept in step.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::world::{Done, World, finish, tree};

/// Host, and the files it lists servers in: in a project, and of its user.
const HOSTS: [(&str, &str, Option<&str>); 5] = [
    ("claude-code", ".mcp.json", Some(".claude.json")),
    ("codex", ".codex/config.toml", Some(".codex/config.toml")),
    ("gemini", ".gemini/settings.json", Some(".gemini/settings.json")),
    ("cursor", ".cursor/mcp.json", Some(".cursor/mcp.json")),
    ("vscode", ".vscode/mcp.json", None),
];

const JSON: [&str; 4] = [
    "{}\n",
    "{\"theme\":\"dark\",\"mcpServers\":{\"x\":{\"command\":\"y\"}}}",
    "// top\n{\n  // mine\n  \"servers\": {\n    \"x\": { \"command\": \"y\" }, // and this\n  },\n  \"mcpServers\": {\n    /* one */\n    \
     \"x\": { \"command\": \"y\", \"args\": [\"repertoire\", \"mcp\"] }\n  }\n}\n",
    "{\r\n\t\"hooks\": {},\r\n\t\"servers\": {},\r\n\t\"mcpServers\": {}\r\n}\r\n",
];

const TOML: [&str; 4] = [
    "",
    "model = \"x\"",
    "# top\nmodel = \"x\" # beside\n\n[mcp_servers.x] # theirs\ncommand = 'y'\nargs = [\n  \"a\", # first\n]\n# end\n",
    "model = \"x\"\r\n\r\n[mcp_servers.x.env]\r\nA = \"1\"\r\n",
];

const SERVER: &str = "https://s.example";

fn files(host: &str) -> [&'static str; 4] {
    if host == "codex" { TOML } else { JSON }
}

/// Runs in the project's folder, which is not the home folder.
fn run(world: &World, args: &[&str]) -> Done {
    std::fs::create_dir_all(world.path("project")).unwrap();
    finish(world.command(args).current_dir(world.path("project")))
}

fn ok(world: &World, args: &[&str]) -> String {
    run(world, args).expect_ok(args)
}

fn ask(world: &World, args: &[&str]) -> Value {
    serde_json::from_str(&ok(world, &[args, &["--json"]].concat())).unwrap()
}

fn read(path: &PathBuf) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Each host, in a project and for its user, with the file of it.
fn everywhere() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    HOSTS.into_iter().flat_map(|(host, project, user)| {
        let user = user.map(|file| (host, "user", file.to_owned()));
        [(host, "project", format!("project/{project}"))].into_iter().chain(user)
    })
}

#[test]
fn what_will_change_is_shown_as_written() {
    let world = World::new();
    let mut text = String::new();
    for (host, file, _) in HOSTS {
        world.write(&format!("project/{file}"), files(host)[2]);
        for flags in [
            &["--agent", "coder", "--toolsets", "memory,library"][..],
            &["--url", SERVER, "--workspace", "research", "--token-env", "MY_TOKEN"],
        ] {
            let args = [&["connect", host, "--dry-run"], flags].concat();
            let home = std::fs::canonicalize(world.path("")).unwrap();
            let shown = ok(&world, &args).replace(env!("CARGO_BIN_EXE_repertoire"), "/bin/repertoire");
            let shown = shown.replace(world.path("").to_str().unwrap().trim_end_matches('/'), "~");
            let shown = shown.replace(home.to_str().unwrap(), "~");
            text.extend(["$ repertoire ", &args.join(" "), "\n", &shown, "\n"]);
        }
        assert_eq!(read(&world.path(&format!("project/{file}"))).as_deref(), Some(files(host)[2]));
    }
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/connect.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &text).unwrap();
    }
    let wanted = std::fs::read_to_string(golden).unwrap();
    assert!(
        text == wanted,
        "the entries changed; if that is meant, run the test with UPDATE_GOLDEN=1\n{text}"
    );
}

#[test]
fn connections_go_in_and_out_without_a_trace() {
    for (host, scope, file) in everywhere() {
        for before in [None].into_iter().chain(files(host).map(Some)) {
            for flags in [&["--hooks"][..], &["--url", SERVER]] {
                let world = World::new();
                let path = world.path(&file);
                if let Some(text) = before {
                    world.write(&file, text);
                }
                let connect = [&["connect", host, "--scope", scope, "--yes"], flags].concat();
                ok(&world, &connect);
                let once = read(&path).unwrap();
                assert!(once.contains("repertoire"), "{once}");
                assert_eq!(ask(&world, &connect)["changed"], json!(false));
                assert_eq!(read(&path).unwrap(), once, "twice is once");
                let undo = ["connect", "undo", host, "--scope", scope, "--yes"];
                ok(&world, &undo);
                assert_eq!(read(&path).as_deref(), before, "{host} {scope} {flags:?}");
                assert_eq!(ask(&world, &undo)["changed"], json!(false));
            }
        }
    }
}

#[test]
fn another_way_to_the_library_takes_the_place_of_the_first() {
    for (host, scope, file) in everywhere() {
        let world = World::new();
        let before = files(host)[2];
        world.write(&file, before);
        ok(&world, &["connect", host, "--scope", scope, "--yes"]);
        ok(&world, &["connect", host, "--scope", scope, "--yes", "--url", SERVER]);
        let now = read(&world.path(&file)).unwrap();
        assert!(now.contains("https://s.example/mcp"), "{now}");
        assert!(!now.contains(env!("CARGO_BIN_EXE_repertoire")), "{now}");
        ok(&world, &["connect", "undo", host, "--scope", scope, "--yes"]);
        assert_eq!(read(&world.path(&file)).as_deref(), Some(before));
    }
}

#[test]
fn an_entry_of_another_program_is_not_ours() {
    let world = World::new();
    for (host, file, _) in HOSTS {
        let file = format!("project/{file}");
        let text = match host {
            "codex" => "[mcp_servers.repertoire]\ncommand = \"other\"\n",
            _ => {
                "{\"mcpServers\": {\"repertoire\": {\"command\": \"other\"}}, \"servers\": {\"repertoire\": {\"url\": \"https://o\"}}}"
            }
        };
        world.write(&file, text);
        let done = run(&world, &["connect", host, "--yes"]);
        assert_eq!(done.code, 5, "{host} {done:?}");
        assert!(done.err.contains("--name"), "{done:?}");
        ok(&world, &["connect", "undo", host, "--yes"]);
        assert_eq!(read(&world.path(&file)).as_deref(), Some(text), "{host}");
        ok(&world, &["connect", host, "--yes", "--name", "skills"]);
        let both = read(&world.path(&file)).unwrap();
        assert!(both.contains("other") || both.contains("https://o"), "{both}");
        assert!(both.contains("skills"), "{both}");
        ok(&world, &["connect", "undo", host, "--yes", "--name", "skills"]);
        assert_eq!(read(&world.path(&file)).as_deref(), Some(text), "{host}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let world = World::new();
    for (host, file, _) in HOSTS {
        let file = format!("project/{file}");
        let damaged: &[&[u8]] = if host == "codex" {
            &[
                b"model = ",
                b"mcp_servers = 1\n",
                b"mcp_servers = {x = {command = \"y\"}}\n",
                b"a = \"\xff\"\n",
            ]
        } else {
            &[b"", b"{ broken", b"[]", b"{\"mcpServers\": 1, \"servers\": []}", b"{\"a\": \"\xff\"}"]
        };
        for text in damaged {
            world.write(&file, text);
            for args in [&["connect", host, "--yes"][..], &["connect", host, "--yes", "--hooks"]] {
                let done = run(&world, args);
                assert_eq!(done.code, 6, "{host} {done:?}");
                assert_eq!(std::fs::read(world.path(&file)).unwrap(), *text);
            }
        }
    }
    assert!(!world.path("project/.claude").exists(), "nothing else was written either");
}

#[test]
fn without_a_yes_nothing_changes() {
    let world = World::new();
    for (host, _, _) in HOSTS {
        let done = run(&world, &["connect", host, "--hooks"]);
        assert_eq!(done.code, 2, "{done:?}");
        assert!(done.err.contains('+') && done.err.contains("--yes"), "{done:?}");
    }
    assert_eq!(std::fs::read_dir(world.path("project")).unwrap().count(), 0);
}

#[test]
fn an_entry_holds_no_secret_and_names_the_library() {
    let world = World::new();
    for (host, file, _) in HOSTS {
        let path = world.path(&format!("project/{file}"));
        let mut command = world.command(&["connect", host, "--yes", "--url", "https://s.example/mcp/"]);
        std::fs::create_dir_all(world.path("project")).unwrap();
        let command = command.current_dir(world.path("project")).env("REPERTOIRE_TOKEN", "rpt_secret");
        finish(command.env("REPERTOIRE_AGENT", "coder")).expect_ok(&[host]);
        let text = read(&path).unwrap();
        assert!(text.contains("REPERTOIRE_TOKEN") && !text.contains("rpt_secret"), "{text}");
        assert!(text.contains("https://s.example/mcp\"") && text.contains("coder"), "{text}");
        run(&world, &["connect", host, "--yes", "--url", SERVER, "--toolsets", "memory,library"])
            .expect_ok(&[host]);
        assert!(read(&path).unwrap().contains("/mcp?toolsets=memory,library\""), "{text}");
        let data = world.path("else where");
        let mut command = world.command(&["connect", host, "--yes", "--toolsets", "interpreter"]);
        let command = command.current_dir(world.path("project")).env("REPERTOIRE_DATA", &data);
        finish(command.env("REPERTOIRE_TOKEN", "rpt_secret")).expect_ok(&[host]);
        let text = read(&path).unwrap();
        assert!(text.contains("--data") && text.contains(data.to_str().unwrap()), "{text}");
        assert!(!text.contains("rpt_secret") && !text.contains(SERVER), "{text}");
        for wrong in [
            &["--database", "postgres://a:secret@h/d"][..],
            &["--url", "https://a:secret@s.example"],
            &["--url", "https://s.example?token=secret"],
            &["--url", SERVER, "--token-env", "rpt_secret.x"],
            &["--url", SERVER, "--data", "x"],
            &["--toolsets", "everything"],
            &["--name", "a b"],
            &["--token-env", "A"],
        ] {
            let done = run(&world, &[&["connect", host, "--yes"], wrong].concat());
            assert_eq!(done.code, 2, "{wrong:?} {done:?}");
            assert_eq!(read(&path).unwrap(), text);
        }
    }
}

#[test]
fn who_cannot_be_written_to_is_told_what_to_run() {
    let world = World::new();
    let done = run(&world, &["connect", "vscode", "--scope", "user"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.err.contains("code --add-mcp '{\"name\":\"repertoire\""), "{done:?}");
}

#[test]
fn the_status_says_who_is_connected_and_how() {
    let world = World::new();
    let state = |host: &str, scope: &str| {
        let status = ask(&world, &["connect", "status"]);
        let rows = status["items"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["host"] == host && row["scope"] == scope).unwrap()
    };
    assert_eq!(state("codex", "project")["state"], "off");
    let done = run(&world, &["connect", "codex", "--yes", "--hooks", "--skills"]);
    assert!(done.err.contains("next: restart Codex, then /mcp shows repertoire"), "{done:?}");
    let row = state("codex", "project");
    assert_eq!(
        (&row["state"], &row["hooks"], &row["skills"]),
        (&json!("connected"), &json!("asks"), &json!(0))
    );
    assert_eq!(row["entries"][0]["name"], "repertoire");
    assert_eq!(row["entries"][0]["entry"]["args"], json!(["mcp"]));
    assert_eq!(state("codex", "user")["state"], "off");
    world.write(
        "project/.cursor/mcp.json",
        "{\"mcpServers\": {\"r\": {\"command\": \"/gone/repertoire\", \"args\": [\"mcp\"]}}}",
    );
    assert_eq!(state("cursor", "project")["state"], "broken: its program is gone");
    world.write("project/.mcp.json", "{");
    assert!(state("claude-code", "project")["state"].as_str().unwrap().contains("not JSON"));
    ok(&world, &["connect", "status"]);
}

#[test]
fn skills_on_disk_are_kept_in_step() {
    let world = World::new();
    world.skill("s/alpha", "Do the first thing.");
    world.write("s/alpha/scripts/run.sh", "echo 1\n");
    world.skill("s/beta", "Do the second thing.");
    world.ok(&["import", "s"]);
    let folder = world.path("project/.agents/skills");
    let names = || {
        let all = tree(&folder).into_iter().map(|(name, _, _)| name);
        all.filter(|name| name != ".repertoire.json").collect::<Vec<_>>()
    };
    let made = ask(&world, &["connect", "codex", "--yes", "--skills"]);
    assert_eq!(made["skills"]["written"], json!(["alpha", "beta"]));
    assert_eq!(names(), ["alpha/SKILL.md", "alpha/scripts/run.sh", "beta/SKILL.md"]);
    let exact = |name: &str| {
        std::fs::read(folder.join(name)).unwrap() == std::fs::read(world.path("s").join(name)).unwrap()
    };
    assert!(exact("alpha/SKILL.md") && exact("alpha/scripts/run.sh"));
    assert_eq!(ask(&world, &["connect", "sync"])["changed"], json!(false));

    world.ok(&["skill", "edit", "beta", "--description", "Do it better."]);
    world.skill("s/gamma", "Do the third thing.");
    world.ok(&["import", "s/gamma"]);
    world.ok(&["disable", "alpha"]);
    let shown = ok(&world, &["connect", "sync", "--dry-run"]);
    for line in ["~ beta, revision 1 becomes 2", "+ gamma, revision 1", "- alpha"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert_eq!(names().len(), 3, "only shown");
    ok(&world, &["connect", "sync"]);
    assert_eq!(names(), ["beta/SKILL.md", "gamma/SKILL.md"]);
    assert!(std::fs::read_to_string(folder.join("beta/SKILL.md")).unwrap().contains("Do it better."));
    assert!(!folder.join("alpha").exists());

    // What is gone from disk comes back; that costs nobody anything.
    std::fs::remove_dir_all(folder.join("gamma")).unwrap();
    ok(&world, &["connect", "sync"]);
    assert_eq!(names().len(), 2);
    let claude = ask(&world, &["connect", "claude-code", "--yes", "--skills"]);
    assert_eq!(claude["skills"]["written"], json!(["beta", "gamma"]));
    assert!(world.path("project/.claude/skills/beta/SKILL.md").is_file());
}

#[test]
fn what_a_person_changed_or_made_is_spared() {
    let world = World::new();
    for name in ["changed", "extended", "gone", "mine", "same", "whole"] {
        world.skill(&format!("s/{name}"), "Do a thing.");
    }
    world.ok(&["import", "s"]);
    let skills = "project/.agents/skills";
    world.write(&format!("{skills}/mine/SKILL.md"), "my own\n");
    let same = std::fs::read(world.path("s/same/SKILL.md")).unwrap();
    world.write(&format!("{skills}/same/SKILL.md"), same);
    let made = ask(&world, &["connect", "gemini", "--yes", "--skills"]);
    assert_eq!(made["skills"]["written"], json!(["changed", "extended", "gone", "whole"]));
    assert_eq!(made["skills"]["spared"], json!([{"name": "mine", "why": "it is not from the library"}]));

    world.write(&format!("{skills}/changed/SKILL.md"), "changed by me\n");
    world.write(&format!("{skills}/extended/notes.md"), "a note of mine\n");
    world.write(&format!("{skills}/gone/SKILL.md"), "kept by me\n");
    for name in ["changed", "extended", "whole"] {
        world.ok(&["skill", "edit", name, "--description", "Do it better."]);
    }
    world.ok(&["remove", "gone", "--yes"]);
    let done = run(&world, &["connect", "sync", "--json"]);
    let value: Value = serde_json::from_str(&done.out).unwrap();
    let spared: Vec<_> =
        value["items"][0]["spared"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(spared, ["changed", "extended", "mine", "gone"]);
    assert_eq!(value["items"][0]["written"], json!(["whole"]));
    assert!(done.err.contains("`changed` is left alone: it was changed here"), "{done:?}");
    let text = |name: &str| read(&world.path(&format!("{skills}/{name}"))).unwrap();
    assert_eq!(text("changed/SKILL.md"), "changed by me\n");
    assert_eq!(text("extended/notes.md"), "a note of mine\n");
    assert!(!text("extended/SKILL.md").contains("better"), "a skill is replaced whole or not at all");
    assert_eq!(
        (text("gone/SKILL.md").as_str(), text("mine/SKILL.md").as_str()),
        ("kept by me\n", "my own\n")
    );

    ok(&world, &["connect", "undo", "gemini", "--yes"]);
    let left: Vec<_> = tree(&world.path(skills)).into_iter().map(|(name, _, _)| name).collect();
    assert_eq!(
        left,
        ["changed/SKILL.md", "extended/SKILL.md", "extended/notes.md", "gone/SKILL.md", "mine/SKILL.md"]
    );

    let forced = run(&world, &["connect", "gemini", "--yes", "--skills", "--force"]);
    assert!(
        forced.err.contains("`extended` is left alone: it holds more than a skill: notes.md"),
        "{forced:?}"
    );
    assert!(text("changed/SKILL.md").contains("better") && text("mine/SKILL.md").contains("Do a thing."));
    assert_eq!(text("extended/notes.md"), "a note of mine\n", "nothing goes that no bundle holds");
    assert_eq!(text("gone/SKILL.md"), "kept by me\n", "it was never recorded again");
}

#[test]
fn a_folder_that_two_hosts_read_goes_with_the_last() {
    let world = World::new();
    world.skill("s/alpha", "Do a thing.");
    world.ok(&["import", "s"]);
    ok(&world, &["connect", "codex", "--yes", "--skills"]);
    ok(&world, &["connect", "cursor", "--yes", "--skills"]);
    ok(&world, &["connect", "undo", "codex", "--yes"]);
    assert!(world.path("project/.agents/skills/alpha/SKILL.md").is_file());
    ok(&world, &["connect", "undo", "cursor", "--yes"]);
    assert!(!world.path("project/.agents").exists());
    assert_eq!(run(&world, &["connect", "sync"]).code, 3);
}

#[test]
fn a_folder_that_is_a_link_to_the_other_is_one_folder() {
    let world = World::new();
    world.skill("s/alpha", "Do a thing.");
    world.ok(&["import", "s"]);
    std::fs::create_dir_all(world.path("project/.agents/skills")).unwrap();
    std::fs::create_dir_all(world.path("project/.claude")).unwrap();
    std::os::unix::fs::symlink("../.agents/skills", world.path("project/.claude/skills")).unwrap();
    ok(&world, &["connect", "claude-code", "--yes", "--skills"]);
    assert_eq!(ask(&world, &["connect", "codex", "--yes", "--skills"])["skills"]["unchanged"], json!(1));
    world.ok(&["disable", "alpha"]);
    ok(&world, &["connect", "sync"]);
    assert!(!world.path("project/.agents/skills/alpha").exists());
}

#[test]
fn skills_of_one_person_stay_out_of_a_project() {
    let world = World::new();
    world.skill("s/ours", "Do a thing of ours.");
    world.ok(&["import", "s"]);
    world.skill("t/mine", "Do a thing of mine.");
    world.ok(&["import", "t", "--scope", "user"]);
    let made = ask(&world, &["connect", "codex", "--yes", "--skills"]);
    assert_eq!(
        (&made["skills"]["written"], &made["skills"]["left_out"]),
        (&json!(["ours"]), &json!(["mine"]))
    );
    let made = ask(&world, &["connect", "codex", "--yes", "--skills", "--personal"]);
    assert_eq!(made["skills"]["written"], json!(["mine"]));
    assert_eq!(ask(&world, &["connect", "sync"])["changed"], json!(false), "it is remembered");
    let home = ask(&world, &["connect", "codex", "--yes", "--skills", "--scope", "user"]);
    assert_eq!(home["skills"]["written"], json!(["mine", "ours"]));
}

#[test]
fn a_folder_follows_one_library() {
    let world = World::new();
    world.skill("s/alpha", "Do a thing.");
    let data = world.path("other");
    let data = data.to_str().unwrap();
    world.ok(&["import", "s", "--data", data]);
    ok(&world, &["connect", "codex", "--yes", "--skills", "--data", data]);
    let done = run(&world, &["connect", "sync"]);
    assert_eq!(done.code, 5, "{done:?}");
    assert!(done.err.contains(&format!("connect sync --data {data}")), "{done:?}");
    assert!(world.path("project/.agents/skills/alpha/SKILL.md").is_file());
    ok(&world, &["connect", "sync", "--data", data]);
}

#[test]
fn links_and_records_of_strangers_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.skill("s/alpha", "Do a thing.");
    world.ok(&["import", "s"]);
    let outside = World::new();
    let kept = outside.write("alpha/SKILL.md", "not yours\n");
    std::fs::create_dir_all(world.path("project/.agents/skills")).unwrap();
    symlink(outside.path("alpha"), world.path("project/.agents/skills/alpha")).unwrap();
    let made = ask(&world, &["connect", "codex", "--yes", "--skills"]);
    assert_eq!(made["skills"]["spared"][0]["name"], "alpha");
    ok(&world, &["connect", "codex", "--yes", "--skills", "--force"]);
    assert_eq!(read(&kept).as_deref(), Some("not yours\n"));
    std::fs::create_dir_all(world.path("project/.claude")).unwrap();
    symlink(outside.path(""), world.path("project/.claude/skills")).unwrap();
    assert_eq!(run(&world, &["connect", "claude-code", "--yes", "--skills"]).code, 5);
    std::fs::remove_file(world.path("project/.claude/skills")).unwrap();
    let record = json!({
        "version": 1, "hosts": ["codex"], "library": [], "personal": false,
        "skills": {"../../../secret": {"revision": 1, "digest": "", "files": {"SKILL.md": ""}}},
    });
    world.write("project/.agents/skills/.repertoire.json", record.to_string());
    assert_eq!(run(&world, &["connect", "sync"]).code, 6);
    world.write("project/.agents/skills/.repertoire.json", "{}");
    assert_eq!(run(&world, &["connect", "sync"]).code, 6);
    assert_eq!(std::fs::read_dir(outside.path("")).unwrap().count(), 1);
}
