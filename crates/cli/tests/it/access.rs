//! Who may do what, where; and what the exit codes say.

use crate::world::World;

#[test]
fn two_users_in_two_workspaces_do_not_meet() {
    let world = World::new();
    for served in [false, true] {
        let server = served.then(|| world.serve());
        let at = |workspace: &str| format!("{workspace}-{served}");
        let (red, blue) = (at("red"), at("blue"));
        world.ok(&["workspace", "create", &red]);
        world.ok(&["workspace", "create", &blue]);
        let (ann, bob) = (at("ann"), at("bob"));
        world.ok(&["--workspace", &red, "user", "add", &ann]);
        world.ok(&["--workspace", &blue, "user", "add", &bob]);
        let as_ann = ["--workspace", red.as_str(), "--user", ann.as_str()];
        let as_bob = ["--workspace", blue.as_str(), "--user", bob.as_str()];
        let args = |who: &[&'static str]| who.to_vec();
        let own = args(&["skill", "create", "secret", "--description", "Only mine", "--scope", "user"]);
        world.ok(&[&as_ann[..], &own[..]].concat());
        assert!(world.ok(&[&as_ann[..], &["list"]].concat()).contains("secret"));
        assert_eq!(world.ok(&[&as_bob[..], &["list"]].concat()), "");
        assert_eq!(world.run(&[&as_bob[..], &["skill", "show", "secret"]].concat()).code, 3);
        // A stranger to the workspace is refused, and a member cannot manage it.
        let stranger = ["--workspace", blue.as_str(), "--user", ann.as_str(), "list"];
        assert!([3, 4].contains(&world.run(&stranger).code));
        assert_eq!(world.run(&[&as_ann[..], &["user", "add", "x"]].concat()).code, 4);
        // What a member puts in the shared scope waits for a reviewer.
        let shared = args(&["skill", "create", "shared", "--description", "For all", "--scope", "workspace"]);
        assert!(world.ok(&[&as_ann[..], &shared[..]].concat()).contains("pending_approval"));
        assert!(world.ok(&["--workspace", &red, "skill", "list", "--waiting"]).contains("shared"));
        assert!(world.ok(&["--workspace", &red, "skill", "approve", "shared"]).contains("active"));
        if let Some(server) = server {
            server.stop();
        }
    }
}

#[test]
fn one_name_in_two_scopes() {
    let world = World::new();
    let make = |scope: &str| {
        world.ok(&["skill", "create", "twice", "--description", "One of two", "--scope", scope]);
    };
    make("workspace");
    make("user");
    let shown = world.json(&["skill", "show", "twice"]);
    assert_eq!(shown["scope"]["kind"], "user", "the nearest is shown");
    let refused = world.run(&["remove", "twice", "--yes"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("[ambiguous_name]") && refused.err.contains("workspace scope"),
        "{}",
        refused.err
    );
    world.ok(&["remove", shown["id"].as_str().unwrap(), "--yes"]);
    world.ok(&["export", "--all", "--to", "out"]);
    assert!(world.path("out/twice/SKILL.md").is_file());
}

#[test]
fn exit_codes_say_what_went_wrong() {
    let world = World::new();
    world.skill("good", "Does good. Use when good is asked for.");
    world.write("empty/readme.md", "nothing here");
    world.write("sidecar.yaml", "tags: 7\nunknown: x\n");
    world.write("bad/SKILL.md", [0xff, 0xfe, 0x00]);
    world.ok(&["import", "good"]);
    let table: &[(&[&str], i32, &str)] = &[
        (&["list"], 0, ""),
        (&["import", "bad"], 1, ""),
        (&["validate", "bad"], 1, ""),
        (&["no-such-command"], 2, ""),
        (&["skill", "restore", "good"], 2, "[usage]"),
        (&["remove", "good"], 2, "[usage]"),
        (&["--server", "ftp://x", "list"], 2, "[usage]"),
        (&["skill", "list", "--status", "odd"], 2, "[invalid_request]"),
        (&["skill", "show", "nothing"], 3, "[not_found]"),
        (&["skill", "show", "good@9"], 3, "[not_found]"),
        (&["import", "empty"], 3, "[not_found]"),
        (&["import", "missing"], 3, "[not_found]"),
        (&["--workspace", "nowhere", "list"], 3, "[not_found]"),
        (&["--server", "http://127.0.0.1:9", "list"], 4, "[unauthenticated]"),
        (&["skill", "create", "good", "--description", "again"], 5, "[name_taken]"),
        (&["skill", "approve", "good", "--only-if-pending"], 5, "[not_pending]"),
        (&["skill", "create", "x", "--description", ""], 2, "[invalid_request]"),
        (
            &["skill", "edit", "good", "--file", "repertoire.yaml", "--from", "sidecar.yaml"],
            6,
            "[sidecar_invalid]",
        ),
        (&["restore", "good/SKILL.md"], 6, "[invalid_backup]"),
    ];
    for (args, code, word) in table {
        let done = world.run(args);
        assert_eq!(done.code, *code, "{args:?}\n{}\n{}", done.out, done.err);
        assert!(done.err.contains(word), "{args:?}: {}", done.err);
    }
    let mut gone = world.command(&["--server", "http://127.0.0.1:9", "list"]);
    gone.env("REPERTOIRE_TOKEN", "rpt_x");
    let done = crate::world::finish(&mut gone);
    assert_eq!(done.code, 7, "{}", done.err);
    assert!(done.err.contains("hint:"));
}

#[test]
fn errors_are_json_when_json_was_asked_for() {
    let world = World::new();
    let done = world.run(&["skill", "show", "nothing", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&done.err).unwrap();
    assert_eq!(error["error"]["code"], "not_found");
    assert_eq!(done.out, "");
}
