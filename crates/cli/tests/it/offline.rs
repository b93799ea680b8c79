//! Skills on disk, without a library.

use crate::world::World;

#[test]
fn the_reference_speaks_its_own_words() {
    let world = World::new();
    world.skill("right", "Is right. Use when right is asked for.");
    world.write("wrong/SKILL.md", "---\nname: other\ndescription: d\nextra: x\n---\n");
    let right = world.run(&["validate", "--reference", "./right/"]);
    assert_eq!((right.code, right.out.as_str(), right.err.as_str()), (0, "Valid skill: right\n", ""));
    let file = world.run(&["validate", "--reference", "right/SKILL.md"]);
    assert_eq!(file.out, "Valid skill: right\n");
    let wrong = world.run(&["validate", "--reference", "wrong"]);
    assert_eq!((wrong.code, wrong.out.as_str()), (1, ""));
    let said = "Validation failed for wrong:\n  - Unexpected fields in frontmatter: extra. Only ['allowed-tools', \
                'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.\n  - Directory name \
                'wrong' must match skill name 'other'\n";
    assert_eq!(wrong.err, said);
    assert_eq!(world.run(&["validate", "--reference", "missing"]).code, 2);
}

#[test]
fn a_repair_is_shown_first_and_then_done() {
    let world = World::new();
    world.write(
        "shabby/SKILL.md",
        "---\nname: Shabby Skill\ndescription: Use when: asked\nextra: x\n---\nBody\n",
    );
    assert!(world.run(&["validate", "--reference", "shabby"]).code == 1);
    let before = std::fs::read(world.path("shabby/SKILL.md")).unwrap();
    let shown = world.ok(&["validate", "shabby", "--fix", "--dry-run"]);
    assert!(shown.contains("+name: shabby"), "{shown}");
    assert_eq!(std::fs::read(world.path("shabby/SKILL.md")).unwrap(), before);
    world.ok(&["validate", "shabby", "--fix"]);
    assert_eq!(world.ok(&["validate", "--reference", "shabby"]), "Valid skill: shabby\n");
    let clients = world.json(&["validate", "shabby", "--clients"]);
    let verdicts = clients["skills"][0]["clients"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["outcome"] == "loads"), "{clients}");
}

#[test]
fn a_repair_keeps_modes_and_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let world = World::new();
    let text = "---\nname: shabby\ndescription: Use when asked\ntags: [a, b]\n---\nBody\n";
    let mode = |path: &str| std::fs::metadata(world.path(path)).unwrap().permissions().mode() & 0o777;
    for (folder, file, wanted) in
        [("one", "SKILL.md", 0o600), ("two", "SKILL.md", 0o664), ("three", "skill.md", 0o640)]
    {
        let file = world.write(&format!("{folder}/shabby/{file}"), text);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(wanted)).unwrap();
        world.ok(&["validate", folder, "--fix"]);
        assert_eq!(mode(&format!("{folder}/shabby/SKILL.md")), wanted, "{folder}");
        assert_eq!(
            mode(&format!("{folder}/shabby/repertoire.yaml")),
            wanted,
            "what moved is seen by the same people"
        );
        assert!(!world.path(&format!("{folder}/shabby/skill.md")).exists());
    }
    let team = world.write("team.yaml", "title: Ours\n");
    let skill = world.write("four/shabby/SKILL.md", text);
    symlink(&team, world.path("four/shabby/repertoire.yaml")).unwrap();
    let refused = world.run(&["validate", "four", "--fix"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert_eq!(std::fs::read_to_string(skill).unwrap(), text, "nothing is moved to where it cannot go");
    assert_eq!(std::fs::read_link(world.path("four/shabby/repertoire.yaml")).unwrap(), team);
}

#[test]
fn a_policy_that_could_not_be_enforced_is_found_with_its_line() {
    let world = World::new();
    world.skill("guard", "Bounds what agents may do. Use never; it holds by itself.");
    let sidecar = "policy:\n  activation:\n    when: \"context.x ==\"\n  forbidden_tools: [ok, 'Bash(']\n";
    world.write("guard/repertoire.yaml", sidecar);
    let done = world.run(&["validate", "guard"]);
    assert_eq!(done.code, 1, "{}", done.out);
    for said in ["error[policy_expression] repertoire.yaml:3:", "error[policy_pattern] repertoire.yaml:4:"] {
        assert!(done.out.contains(said), "{}", done.out);
    }
}

#[test]
fn init_makes_a_skill_here_or_in_a_folder() {
    let world = World::new();
    std::fs::create_dir(world.path("here")).unwrap();
    let done = crate::world::finish(world.command(&["init"]).current_dir(world.path("here")));
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(world.ok(&["validate", "--reference", "here"]), "Valid skill: here\n");
    assert_eq!(world.run(&["init", "here"]).code, 5, "nothing is overwritten unasked");
    let odd = world.run(&["init", "Not A Name"]);
    assert_eq!(odd.code, 2);
    assert!(odd.err.contains("repertoire init not-a-name"), "{}", odd.err);
}

#[test]
fn settings_say_where_they_come_from() {
    let world = World::new();
    world.write(
        ".config/repertoire/config.toml",
        "workspace = \"team\"\n[servers.\"https://s\"]\ntoken = \"rpt_hidden\"\n",
    );
    let mut command = world.command(&["config", "show", "--json"]);
    command.env("REPERTOIRE_DATABASE", "postgres://me:pw@db/x");
    let shown = crate::world::finish(&mut command).expect_ok(&[]);
    assert!(!shown.contains("rpt_hidden") && !shown.contains("pw"), "{shown}");
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["settings"]["workspace"]["source"], "file");
    assert_eq!(shown["settings"]["database"]["source"], "environment");
    assert_eq!(shown["settings"]["user"]["source"], "default");
    assert_eq!(shown["servers"][0], "https://s");
}
