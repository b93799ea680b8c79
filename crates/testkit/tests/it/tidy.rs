//! Which crate may know which, where the heavy dependencies live, and how a file looks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What each crate of ours may depend on, of ours.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("manifest", &["model"]),
    ("policy", &["model"]),
    ("sandbox", &[]),
    ("search", &["model"]),
    ("store", &["model"]),
    ("store-sql", &["model", "store"]),
    ("store-sqlite", &["model", "store", "store-sql"]),
    ("store-postgres", &["model", "store", "store-sql"]),
    ("app", &["model", "manifest", "policy", "sandbox", "search", "store"]),
    ("http", &["model", "app"]),
    ("mcp", &["model", "app"]),
    (
        "cli",
        &[
            "model",
            "manifest",
            "sandbox",
            "store",
            "store-sql",
            "store-sqlite",
            "store-postgres",
            "app",
            "door-http",
            "door-mcp",
        ],
    ),
    ("testkit", &["model", "sandbox", "store", "store-sql", "store-sqlite", "store-postgres", "app"]),
];

/// The one home of a dependency with consequences.
const HOMES: &[(&str, &[&str])] = &[
    ("sqlx", &["store-sqlite", "store-postgres"]),
    ("axum", &["http", "mcp"]),
    ("rmcp", &["mcp"]),
    ("rust-embed", &["http"]),
    ("utoipa", &["http"]),
    ("clap", &["cli"]),
    ("rquickjs", &["sandbox"]),
    ("reqwest", &["cli", "search"]),
    ("tiktoken-rs", &["app"]),
    ("cel", &["policy"]),
    ("serde-saphyr", &["manifest"]),
    ("zip", &["manifest"]),
];

/// Crates that may neither wait, nor look around.
const PURE: &[&str] = &["model", "manifest", "policy"];
const IMPURE: &[&str] = &[
    "async fn",
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "SystemTime",
    "Instant::now",
    "now_utc",
    "tokio::",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The names in a section of a crate's manifest.
fn dependencies(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
    text.lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn read_sources(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = Vec::new();
    sources(folder, &mut found);
    found.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
        || path.file_name().is_some_and(|name| name == "tests.rs")
}

#[test]
fn arrows_between_crates_go_one_way() {
    let known: Vec<_> = ARROWS.iter().map(|(name, _)| *name).chain(["door-http", "door-mcp"]).collect();
    for entry in std::fs::read_dir(crates()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let allowed = ARROWS.iter().find(|(known, _)| *known == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("say in ARROWS what `{name}` may depend on"));
        for dependency in dependencies(&name).iter().filter(|dependency| known.contains(&dependency.as_str()))
        {
            assert!(allowed.contains(&dependency.as_str()), "`{name}` must not depend on `{dependency}`");
        }
    }
}

#[test]
fn heavy_dependencies_stay_in_their_homes() {
    for (name, _) in ARROWS {
        for dependency in dependencies(name) {
            if let Some((_, homes)) = HOMES.iter().find(|(known, _)| *known == dependency) {
                assert!(homes.contains(name), "`{dependency}` belongs in {homes:?}, not in `{name}`");
            }
        }
    }
}

#[test]
fn pure_crates_do_not_look_around() {
    for name in PURE {
        for (path, text) in read_sources(&crates().join(name).join("src")) {
            // What stands behind the tests' mark, or in a tests file, may read golden files.
            let code = text.split("#[cfg(test)]").next().unwrap();
            if is_test(&path) {
                continue;
            }
            for word in IMPURE {
                assert!(!code.contains(word), "{} names `{word}`", path.display());
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_and_stays_readable() {
    let mut long = Vec::new();
    for (path, text) in read_sources(&crates()) {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        assert!(first.starts_with("//!"), "{} does not open with what it is", path.display());
        let unfinished = ["// TODO", "// FIXME", "todo!(", "unimplemented!("];
        if !path.ends_with("tidy.rs") {
            for word in unfinished {
                assert!(!text.contains(word), "{} contains `{word}`", path.display());
            }
        }
        let lines = text.split("#[cfg(test)]\nmod tests {").next().unwrap().lines().count();
        if lines > 500 && !is_test(&path) {
            long.push(format!("{}: {lines} lines", path.display()));
        }
    }
    assert!(long.is_empty(), "split these: {long:#?}");
}
