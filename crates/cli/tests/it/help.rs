//! The command line is a contract: its help is locked in a file.

use crate::world::World;

/// Every command's help, the options of all commands shown once.
fn every_help(world: &World, path: &[&str], into: &mut String) {
    let args: Vec<&str> = path.iter().copied().chain(["--help"]).collect();
    let mut help = world.ok(&args);
    if !path.is_empty() {
        help.truncate(help.find("\nOptions for every command:").unwrap_or(help.len()));
    }
    into.extend(["$ repertoire ", &args.join(" "), "\n", help.trim_end(), "\n\n"]);
    let commands: Vec<String> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned))
        .filter(|name| !name.is_empty() && name != "help")
        .collect();
    for name in &commands {
        let inner: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
        every_help(world, &inner, into);
    }
}

#[test]
fn the_help_is_as_written() {
    let world = World::new();
    let mut text = format!("$ repertoire\n{}\n", world.ok(&[]));
    every_help(&world, &[], &mut text);
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/help.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &text).unwrap();
    }
    let wanted = std::fs::read_to_string(golden).unwrap();
    assert!(text == wanted, "the help changed; if that is meant, run the test with UPDATE_GOLDEN=1");
}

#[test]
fn what_needs_no_library_touches_none() {
    let world = World::new();
    assert!(world.ok(&["completions", "bash"]).contains("_repertoire"));
    assert!(world.ok(&["openapi"]).contains("\"openapi\": \"3.1"));
    assert!(world.ok(&["version"]).starts_with("repertoire "));
    assert!(world.ok(&["config", "path"]).contains("credentials"));
    assert!(world.ok(&["validate", "--schema"]).contains("\"$schema\""));
    assert_eq!(std::fs::read_dir(world.path("")).unwrap().count(), 0);
}
