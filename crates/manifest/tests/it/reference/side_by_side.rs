//! Ours beside the real tool, over the golden cases, a corpus of real skills, and mutations of their frontmatters.
//!
//! `REPERTOIRE_TEST_PYTHON` names a Python that has `skills-ref`; `REPERTOIRE_CORPUS` a directory of skills.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use repertoire_manifest::reference::{UNREADABLE, read_properties, validate};
use serde_json::Value;

use super::golden::cases;
use super::mutations::{assemble, mutate};
use super::skill;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference_side_by_side.py");
const MUTATIONS: usize = 5000;
const SHOWN: usize = 10;

/// What the reference or we say about one skill; `None` is a crash.
#[derive(PartialEq)]
struct Verdict {
    errors: Option<Vec<String>>,
    properties: Option<String>,
}

#[allow(clippy::disallowed_methods)]
fn path_from_environment(name: &str) -> Option<PathBuf> {
    std::env::var(name).ok().filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn python() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let python = path_from_environment("REPERTOIRE_TEST_PYTHON");
    if python.is_none() {
        SAID.call_once(|| {
            say("side by side with the reference: not run, REPERTOIRE_TEST_PYTHON names no Python with skills-ref");
        });
    }
    python
}

fn corpus() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let corpus = path_from_environment("REPERTOIRE_CORPUS");
    if corpus.is_none() {
        SAID.call_once(|| {
            say("side by side with the reference: no real skills, REPERTOIRE_CORPUS names no directory");
        });
    }
    corpus
}

/// Writes past the capture of the test harness, which hides the output of tests that pass.
fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap();
}

#[test]
fn golden_cases_agree_with_the_reference() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    for (number, case) in cases().iter().enumerate() {
        write_skill(directory.path(), number, &case.directory_name, &case.content);
    }
    compare(&python, directory.path());
}

#[test]
fn real_skills_agree_with_the_reference() {
    let Some(python) = python() else { return };
    let Some(corpus) = corpus() else { return };
    compare(&python, &corpus);
}

#[test]
fn mutated_frontmatters_agree_with_the_reference() {
    let Some(python) = python() else { return };
    let mut contents: Vec<String> = cases().into_iter().map(|case| case.content).collect();
    contents.extend(
        corpus()
            .iter()
            .flat_map(|corpus| skill_files_below(corpus))
            .filter_map(|file| fs::read_to_string(file).ok()),
    );
    compare_contents(&python, &mutate(&contents, MUTATIONS));
}

#[test]
fn assembled_frontmatters_agree_with_the_reference() {
    let Some(python) = python() else { return };
    compare_contents(&python, &assemble(MUTATIONS));
}

fn compare_contents(python: &Path, contents: &[String]) {
    let directory = tempfile::tempdir().unwrap();
    for (number, content) in contents.iter().enumerate() {
        write_skill(directory.path(), number, "my-skill", content);
    }
    compare(python, directory.path());
}

/// Names that no file system takes are tried with another directory; the name rules are pinned elsewhere.
fn write_skill(root: &Path, number: usize, directory_name: &str, content: &str) {
    let usable = directory_name != ".." && directory_name.len() < 256 && !directory_name.contains('/');
    let directory = root.join(number.to_string()).join(if usable { directory_name } else { "my-skill" });
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("SKILL.md"), content).unwrap();
}

fn skill_files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.file_name().is_some_and(|name| name == "SKILL.md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Asks the reference about every skill below the directory, and fails with the first differences.
fn compare(python: &Path, root: &Path) {
    let output = Command::new(python).arg(SCRIPT).arg(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut compared = 0;
    let mut differences = Vec::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let path = line["path"].as_str().unwrap();
        let (ours, theirs) = (our_verdict(path), their_verdict(&line));
        compared += 1;
        if ours != theirs {
            differences.push(show(path, &ours, &theirs));
        }
    }
    assert!(compared > 0, "nothing to compare below {}", root.display());
    differences.sort();
    let shown = differences.iter().take(SHOWN).map(String::as_str).collect::<String>();
    assert!(differences.is_empty(), "{} of {compared} differ:\n{shown}", differences.len());
}

fn our_verdict(path: &str) -> Verdict {
    let directory = Path::new(path);
    let bytes =
        fs::read(directory.join("SKILL.md")).or_else(|_| fs::read(directory.join("skill.md"))).unwrap();
    let mut target = skill(directory.file_name().unwrap().to_str().unwrap(), &bytes);
    target.path = path;
    let crashed = |error: &String| error.starts_with(UNREADABLE);
    let errors = validate(target);
    let properties = match read_properties(target) {
        Ok(properties) => Some(properties.to_json()),
        Err(error) if crashed(&error) => None,
        Err(error) => Some(format!("Error: {error}")),
    };
    Verdict { errors: (!errors.iter().any(crashed)).then_some(errors), properties }
}

fn their_verdict(line: &Value) -> Verdict {
    let errors = line["errors"].as_array();
    Verdict {
        errors: errors.map(|errors| errors.iter().map(|e| e.as_str().unwrap().to_owned()).collect()),
        properties: line["properties"].as_str().map(str::to_owned),
    }
}

fn show(path: &str, ours: &Verdict, theirs: &Verdict) -> String {
    let content = fs::read(Path::new(path).join("SKILL.md")).unwrap_or_default();
    let content = String::from_utf8_lossy(&content);
    let frontmatter = content.split("---").nth(1).unwrap_or_default();
    let mut out = format!("\n=== {path}\n{frontmatter:?}\n");
    for (who, verdict) in [("ours", ours), ("reference", theirs)] {
        writeln!(out, "--- {who}\n{:#?}", verdict.errors).unwrap();
        if ours.errors == theirs.errors {
            writeln!(out, "{}", verdict.properties.as_deref().unwrap_or("crash")).unwrap();
        }
    }
    out
}
