//! Backups, their return, and the doctor.

use crate::world::World;

#[test]
fn a_backup_of_a_working_server_comes_back_whole() {
    let world = World::new();
    world.skill("one", "The first. Use when one is asked for.");
    let server = world.serve();
    world.ok(&["import", "one"]);
    world.ok(&["backup", "copy.db"]);
    assert_eq!(world.run(&["backup", "copy.db"]).code, 5, "a backup is not overwritten unasked");
    assert_eq!(world.run(&["--data", ".local/share/repertoire", "restore", "copy.db"]).code, 5);
    server.stop();

    let bytes = std::fs::read(world.path("copy.db")).unwrap();
    let restored = world.ok(&["--data", "fresh", "restore", "copy.db"]);
    assert!(restored.contains("restored"), "{restored}");
    assert_eq!(std::fs::read(world.path("copy.db")).unwrap(), bytes, "the backup itself is left alone");
    world.ok(&["--data", "fresh", "export", "one", "--to", "out"]);
    assert_eq!(
        std::fs::read(world.path("out/one/SKILL.md")).unwrap(),
        std::fs::read(world.path("one/SKILL.md")).unwrap()
    );
    assert!(world.ok(&["--data", "fresh", "audit", "verify"]).contains("whole"));
    let again = world.run(&["--data", "fresh", "restore", "copy.db"]);
    assert_eq!(again.code, 5, "{}", again.err);
    assert!(again.err.contains("[not_empty]"), "{}", again.err);
}

#[test]
fn what_is_no_backup_is_not_restored() {
    let world = World::new();
    world.write("empty.db", "");
    world.write("notes.db", "these are my notes ".repeat(100));
    world.write("cut.db", "SQLite format 3\0");
    for file in ["empty.db", "notes.db", "cut.db"] {
        let before = std::fs::read(world.path(file)).unwrap();
        let refused = world.run(&["--data", "fresh", "restore", file]);
        assert_eq!(refused.code, 6, "{file}: {refused:?}");
        assert!(refused.err.contains("[invalid_backup]"), "{refused:?}");
        assert_eq!(std::fs::read(world.path(file)).unwrap(), before);
        assert!(!world.path("fresh/repertoire.db").exists(), "{file}");
    }
}

#[test]
fn the_audit_log_is_exported_line_by_line() {
    let world = World::new();
    world.ok(&["skill", "create", "one", "--description", "The first"]);
    let log = world.ok(&["audit", "export"]);
    let entries: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1]["verb"], "skill.create");
    assert!(world.ok(&["audit", "list", "--verb", "skill."]).contains("one"));
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let world = World::new();
    assert!(world.ok(&["doctor"]).contains("is not there yet"));
    world.ok(&["list"]);
    let healthy = world.ok(&["doctor"]);
    for check in ["version", "data folder", "disk space", "database", "python3"] {
        assert!(healthy.contains(check), "{check}: {healthy}");
    }
    let mut command = world.command(&["--server", "http://127.0.0.1:9", "doctor"]);
    command.env("REPERTOIRE_TOKEN", "rpt_x");
    let sick = crate::world::finish(&mut command);
    assert_eq!(sick.code, 1);
    assert!(sick.out.contains("fail") && sick.out.contains("→"), "{}", sick.out);
}

#[test]
fn deleted_skills_come_back_where_the_workspace_allows_it() {
    let world = World::new();
    world.ok(&["skill", "create", "one", "--description", "The first"]);
    world.ok(&["workspace", "set", "--undelete-window", "24"]);
    world.ok(&["skill", "delete", "one", "--yes"]);
    assert!(world.ok(&["skill", "list", "--deleted"]).contains("one"));
    world.ok(&["skill", "undelete", "one"]);
    assert!(world.ok(&["list"]).contains("one"));
}
