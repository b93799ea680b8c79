//! Folders and archives into the library, friendly and hostile ones.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::world::{World, tree};

fn fixture(world: &World) {
    world.skill("tree/one", "The first. Use when one is asked for.");
    world.skill("tree/group/two", "The second. Use when two is asked for.");
    world.skill("tree/group/two/inner", "Inside another. Use when inner is asked for.");
    world.write("tree/group/two/references/long.md", "a reference\r\nwith its own line ends");
    world.skill("tree/other/one", "Another first. Use when one is asked for, elsewhere.");
    world.write("tree/one/node_modules/x.js", "not part of it");
    world.write("tree/one/.git/config", "not part of it either");
    world.write("tree/README.md", "outside every skill");
}

#[test]
fn a_second_import_changes_nothing_and_an_export_gives_the_tree_back() {
    let world = World::new();
    fixture(&world);
    let first = world.json(&["import", "tree", "--report", "report.jsonl"]);
    assert_eq!(first["counts"]["created"], 4, "{first}");
    assert_eq!(first["renamed"], 1, "two are called one");
    let report = std::fs::read_to_string(world.path("report.jsonl")).unwrap();
    assert_eq!(report.lines().count(), 4);
    let second = world.json(&["import", "tree"]);
    assert_eq!(second["counts"]["unchanged"], 4, "{second}");
    world.write("tree/one/more.md", "more");
    assert_eq!(world.json(&["import", "tree"])["counts"]["revised"], 1);

    world.ok(&["export", "--all", "--by-source", "--to", "out"]);
    let mut wanted = tree(&world.path("tree"));
    wanted.retain(|(path, ..)| {
        !path.contains("node_modules") && !path.contains(".git/") && path != "README.md"
    });
    assert_eq!(tree(&world.path("out/tree")), wanted);
    let again = world.run(&["export", "--all", "--by-source", "--to", "out"]);
    assert_eq!(again.code, 1, "nothing is overwritten unasked: {}", again.err);
    world.ok(&["export", "--all", "--by-source", "--to", "out", "--force"]);
    assert_eq!(tree(&world.path("out/tree")), wanted);
}

#[test]
fn an_export_by_force_loses_nothing_that_the_library_does_not_hold() {
    let world = World::new();
    world.skill("src/tool", "Do a thing. Use when a thing is to be done.");
    world.write("src/tool/scripts/old.py", "old");
    world.ok(&["import", "src/tool"]);
    std::fs::remove_dir_all(world.path("src/tool/scripts")).unwrap();
    world.write("src/tool/new.md", "new");
    world.ok(&["import", "src/tool"]);
    let export = ["export", "tool", "--to", "out", "--force"];
    world.ok(&["export", "tool@1", "--to", "out"]);
    world.ok(&export);
    assert_eq!(
        tree(&world.path("out/tool")),
        tree(&world.path("src/tool")),
        "an earlier revision makes room"
    );

    world.write("out/tool/.git/HEAD", "ref: refs/heads/main");
    world.write("out/tool/SKILL.md", "changed");
    let before = tree(&world.path("out"));
    let refused = world.run(&export);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(refused.err.contains("holds more than a skill: .git/"), "{refused:?}");
    assert_eq!(tree(&world.path("out")), before);

    world.write("app/main.py", "mine");
    world.write("app/SKILL.md", "mine");
    assert_eq!(world.run(&["init", "app"]).code, 5);
    world.ok(&["init", "app", "--force"]);
    assert_eq!(std::fs::read_to_string(world.path("app/main.py")).unwrap(), "mine");
    assert!(std::fs::read_to_string(world.path("app/SKILL.md")).unwrap().contains("name: app"));
}

#[test]
fn a_source_can_be_looked_at_first() {
    let world = World::new();
    fixture(&world);
    let listed = world.ok(&["add", "tree", "--list"]);
    assert!(listed.contains("tree/group/two/inner"), "{listed}");
    assert_eq!(world.ok(&["list"]), "");
    world.ok(&["add", "tree", "--skill", "two"]);
    assert_eq!(world.json(&["list"])["items"].as_array().unwrap().len(), 1);
}

#[test]
fn two_agents_with_the_same_skill_keep_their_own() {
    let world = World::new();
    world.skill(".claude/skills/pdf", "Reads PDF files, as one agent knows it.");
    world.skill(".codex/skills/pdf", "Reads PDF files, as another agent knows it.");
    world.ok(&["import", ".claude/skills"]);
    assert_eq!(world.json(&["import", ".codex/skills"])["counts"]["created"], 1);
    assert_eq!(world.json(&["import", ".claude/skills", ".codex/skills"])["counts"]["unchanged"], 2);
}

#[test]
fn an_archive_is_a_source_too() {
    let world = World::new();
    fixture(&world);
    world.ok(&["import", "tree/group/two", "--skill", "two"]);
    world.ok(&["export", "two", "--zip"]);
    world.ok(&["remove", "two", "-y"]);
    assert!(world.ok(&["install", "two.zip"]).contains("1 created"));
    world.ok(&["export", "two", "--to", "out"]);
    let files: Vec<_> = tree(&world.path("out/two")).into_iter().map(|(path, ..)| path).collect();
    assert_eq!(files, ["SKILL.md", "references/long.md"]);
    world.write("broken.zip", "this is no archive");
    assert_eq!(world.run(&["import", "broken.zip"]).code, 6);
}

#[test]
fn a_hostile_folder_gives_nothing_away() {
    let world = World::new();
    world.skill("bad/skill", "Looks\u{1b}[31m harmless\u{202e}. Use when asked.");
    world.write("secret.txt", "the secret");
    symlink(world.path("secret.txt"), world.path("bad/skill/link.txt")).unwrap();
    symlink("/", world.path("bad/skill/root")).unwrap();
    symlink(world.path("bad"), world.path("bad/loop")).unwrap();
    assert!(Command::new("mkfifo").arg(world.path("bad/skill/pipe")).status().unwrap().success());
    std::fs::write(world.path("bad/skill").join(OsStr::from_bytes(b"\xff.md")), "x").unwrap();
    world.skill("bad/huge", "Is too large. Use never.");
    std::fs::File::create(world.path("bad/huge/zeros")).unwrap().set_len(11 * 1024 * 1024).unwrap();
    world.skill("bad/odd", "Has a file that no other system can hold.");
    world.write("bad/odd/a:b.txt", "x");

    let done = world.run(&["import", "bad", "--json"]);
    assert_eq!(done.code, 1);
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(report["counts"]["created"], 1, "{report}");
    assert_eq!(report["counts"]["refused"], 2, "{report}");
    let left_out: Vec<_> =
        report["left_out"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(left_out, ["skill/link.txt", "skill/pipe", "skill/root", "skill/\u{fffd}.md"], "{report}");
    world.ok(&["export", "skill", "--to", "out"]);
    assert_eq!(tree(&world.path("out/skill")).len(), 1);

    for args in [&["list"][..], &["skill", "show", "skill"], &["validate", "bad/skill"]] {
        let shown = world.ok(args);
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{args:?}: {shown:?}");
    }
}

#[test]
fn commands_at_the_same_time_wait_for_each_other() {
    let world = World::new();
    world.ok(&["list"]);
    let names: Vec<_> = (0..6).map(|n| format!("skill-{n}")).collect();
    for name in &names {
        world.skill(name, "One of many. Use when many are asked for.");
    }
    let running: Vec<_> =
        names.iter().map(|name| world.command(&["import", name, "--quiet"]).spawn().unwrap()).collect();
    for mut one in running {
        assert!(one.wait().unwrap().success());
    }
    assert_eq!(world.json(&["list"])["items"].as_array().unwrap().len(), 6);
}
