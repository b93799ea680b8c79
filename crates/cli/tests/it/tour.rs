//! The tour a newcomer takes, on this machine and through a server: the same commands, the same answers.

use std::os::unix::fs::PermissionsExt as _;

use crate::world::{World, finish, tree};

/// Takes the tour with these words in front of every command.
fn tour(world: &World, place: &[&str]) {
    let with =
        |args: &[&str]| -> Vec<String> { place.iter().chain(args).map(|&arg| arg.to_owned()).collect() };
    let run = |args: &[&str]| {
        let all = with(args);
        world.run(&all.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let ok = |args: &[&str]| run(args).expect_ok(args);

    ok(&["init", "notes", "--description", "Writes release notes. Use when a changelog is asked for."]);
    ok(&["validate", "notes"]);
    assert_eq!(ok(&["validate", "notes", "--reference"]), "Valid skill: notes\n");
    let script = world.write("notes/scripts/run.sh", "#!/bin/sh\necho hi\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.write("notes/assets/logo.bin", [0, 159, 146, 150, 255]);

    assert!(ok(&["import", "notes"]).contains("1 created"));
    assert!(ok(&["list"]).contains("notes"));
    assert!(ok(&["search", "changelog"]).contains("notes"));
    let shown = ok(&["skill", "show", "notes"]);
    assert!(shown.contains("Writes release notes") && shown.contains("scripts/run.sh"), "{shown}");
    assert!(
        ok(&["skill", "files", "notes"])
            .lines()
            .any(|line| line.starts_with('x') && line.ends_with("run.sh"))
    );
    assert!(ok(&["skill", "use", "notes"]).starts_with("<skill_content name=\"notes\">"));

    ok(&["skill", "edit", "notes", "--title", "Release notes", "--tag", "writing", "-m", "a title"]);
    let editor = world.write(
        "editor.sh",
        "printf '\\nMore.\\n' >> \"$1\"\ntest \"$(ls -ld \"$(dirname \"$1\")\" | cut -c1-10)\" = drwx------\n",
    );
    let args = with(&["skill", "edit", "notes", "-m", "more"]);
    let mut command = world.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    command.env("EDITOR", format!("sh {}", editor.display()));
    assert!(finish(&mut command).expect_ok(&[]).contains("revision 3"));
    let broken = world.write("broken.sh", "printf 'An hour of writing' >> \"$1\"\nexit 3\n");
    let args = with(&["skill", "edit", "notes"]);
    let mut command = world.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    command.env("EDITOR", format!("sh {}", broken.display())).env("TMPDIR", world.path(""));
    let failed = finish(&mut command);
    assert_eq!(failed.code, 2, "{failed:?}");
    let kept = failed.err.split_once("your text is in ").unwrap().1.split(';').next().unwrap();
    assert!(std::fs::read_to_string(kept).unwrap().ends_with("An hour of writing"), "{failed:?}");
    let mut command = world.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let failed = finish(command.env("EDITOR", "false"));
    assert!(failed.code == 2 && !failed.err.contains("your text"), "{failed:?}");
    ok(&["skill", "edit", "notes", "--file", "references/a.md", "--from", "editor.sh"]);
    let diff = ok(&["skill", "diff", "notes", "--from", "1"]);
    assert!(diff.contains("+More.") && diff.contains("references/a.md"), "{diff}");
    let log = ok(&["skill", "log", "notes"]);
    assert_eq!(log.lines().count(), 5, "{log}");
    assert!(log.contains("a title") && log.contains("admin"), "{log}");
    assert!(ok(&["tags"]).contains("writing"));

    ok(&["skill", "label", "notes@2", "1.2.0"]);
    assert!(ok(&["skill", "show", "notes@1.2.0", "--brief"]).contains("2 (1.2.0)"));
    ok(&["skill", "restore", "notes@1"]);
    ok(&["export", "notes", "--to", "out"]);
    assert_eq!(tree(&world.path("notes")), tree(&world.path("out/notes")));
    assert_eq!(run(&["export", "notes", "--to", "out"]).code, 5, "nothing is overwritten unasked");
    ok(&["export", "notes@3", "--to", "out", "--force"]);
    assert_ne!(tree(&world.path("notes")), tree(&world.path("out/notes")));
    ok(&["export", "--all", "--to", "zips", "--zip"]);
    assert!(world.path("zips/notes.zip").is_file());

    ok(&["disable", "notes"]);
    assert_eq!(run(&["skill", "use", "notes"]).code, 5);
    ok(&["enable", "notes"]);
    ok(&["skill", "rate", "notes", "up", "--comment", "good"]);
    ok(&["skill", "archive", "notes", "--reason", "old"]);
    ok(&["skill", "reopen", "notes"]);
    ok(&["skill", "approve", "notes"]);
    ok(&[
        "agent",
        "create",
        "writer",
        "--memory",
        "true",
        "--require-approval",
        "true",
        "--discovery",
        "search",
    ]);
    ok(&["agent", "assign", "writer", "notes@1.2.0"]);
    let agent = ok(&["agent", "show", "writer"]);
    assert!(agent.contains("1. notes@2") && agent.contains("require skill approval  yes"), "{agent}");
    assert!(agent.contains("toolsets                  default"), "{agent}");
    ok(&["agent", "set", "writer", "--search-threshold", "0.7", "--toolset", "memory,library"]);
    let agent = ok(&["agent", "show", "writer"]);
    assert!(agent.contains("toolsets                  memory, library"), "{agent}");
    ok(&["agent", "set", "writer", "--toolset", "default"]);
    assert!(ok(&["agent", "show", "writer"]).contains("toolsets                  default"));
    assert!(ok(&["agent", "show", "writer"]).contains("1. notes@2"), "other settings stay");
    ok(&["agent", "unassign", "writer", "notes"]);
    ok(&["agent", "delete", "writer", "--yes"]);

    assert_eq!(run(&["remove", "notes"]).code, 2, "nothing is deleted unasked");
    ok(&["remove", "notes", "--yes"]);
    assert_eq!(run(&["skill", "show", "notes"]).code, 3);
    assert!(ok(&["audit", "verify"]).contains("whole"));
}

#[test]
fn the_tour_on_this_machine() {
    tour(&World::new(), &[]);
}

#[test]
fn the_tour_through_a_server() {
    let world = World::new();
    let server = world.serve();
    let scopes = ["--scope", "read", "--scope", "write", "--scope", "review", "--scope", "admin"];
    let args: Vec<_> = ["token", "create", "tour"].into_iter().chain(scopes).collect();
    let token = world.ok(&args).trim().to_owned();
    world.ok(&["login", "--server", &server.url, "--token", &token]);
    tour(&world, &["--server", &server.url]);
    server.stop();
}
