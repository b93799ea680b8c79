//! Inputs made to hurt: each is read, fixed and judged in bounded time, and none panics.

#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::format_push_string,
    reason = "helpers of tests"
)]

use std::time::{Duration, Instant};

use model::{Bundle, BundleFile, BundlePath};
use repertoire_manifest::{Changes, Limits, edit, fix, read, verdicts};

/// Far above what any of these takes, far below what a quadratic step would.
const PATIENCE: Duration = Duration::from_secs(20);

fn survives(attack: &str, skill: &[u8], sidecar: Option<&[u8]>) {
    let started = Instant::now();
    let file = |path: &str, bytes: &[u8]| {
        BundlePath::parse(path).map(|path| (path, BundleFile::new(bytes.to_vec())))
    };
    let files = [("SKILL.md", Some(skill)), ("repertoire.yaml", sidecar)];
    let files = files.into_iter().filter_map(|(path, bytes)| file(path, bytes?).ok()).collect();
    let bundle = Bundle::new(files).unwrap();
    let limits = Limits::default();
    let _ = read(&bundle, &limits);
    let _ = verdicts(&bundle, Some("x"));
    let fixed = fix(&bundle, Some("x"));
    let changes = Changes { description: Some("new".to_owned()), tags: Some(vec![]), ..Changes::default() };
    let _ = edit(&fixed.bundle, &changes, &limits);
    let _ = edit(&bundle, &changes, &limits);
    assert!(started.elapsed() < PATIENCE, "{attack} took {:?}", started.elapsed());
}

/// A frontmatter of about this many bytes made of one repeated text.
fn filled(unit: &str, bytes: usize) -> Vec<u8> {
    format!("---\nname: a\ndescription: d\n{}\n---\nbody\n", unit.repeat(bytes / unit.len())).into_bytes()
}

#[test]
fn yaml_that_nests_or_repeats_without_end() {
    for unit in
        ["[", "{", "- ", "a: {", "? ", "\"", "'", "|", "&a ", "*a ", "!!", "%", "\t", "#", ": ", "-\n", "  "]
    {
        survives(unit, &filled(unit, 200_000), Some(unit.repeat(100_000 / unit.len()).as_bytes()));
    }
}

#[test]
fn too_many_fields() {
    let lines =
        |count: usize, value: &str| (0..count).map(|n| format!("k{n}: {value}\n")).collect::<String>();
    survives("good fields", &filled(&lines(4000, "v"), 60_000), None);
    survives("broken fields", &filled(&lines(60_000, "v: w"), 900_000), None);
    survives("one field again and again", &filled("tags: [a]\n", 100_000), None);
    survives("sidecar fields", b"---\nname: a\ndescription: d\n---\n", Some(lines(20_000, "v").as_bytes()));
}

#[test]
fn laughing_aliases() {
    let laughs = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n";
    survives("aliases", format!("---\n{laughs}---\n").as_bytes(), Some(laughs.as_bytes()));
}

#[test]
fn lines_and_delimiters_without_end() {
    survives("hyphens", "---\n".repeat(250_000).as_bytes(), None);
    survives("one line", &vec![b'-'; 1_000_000], None);
    survives("carriage returns", &vec![b'\r'; 1_000_000], None);
    survives("keys", "name:\n".repeat(160_000).as_bytes(), None);
    survives("unclosed", format!("---\n{}", "name: x: y\n".repeat(90_000)).as_bytes(), None);
    survives("fence", format!("```\n{}", "---\n".repeat(200_000)).as_bytes(), None);
    survives("dotted metadata", dotted().as_bytes(), None);
    survives("not text", &[0xff; 1000], Some(&[0xff; 1000]));
}

fn dotted() -> String {
    let mut text = String::from("---\nname: a\ndescription: d\nmetadata:\n");
    for depth in 1..28 {
        text.push_str(&format!("{}{}:\n", " ".repeat(depth), "k".repeat(900)));
    }
    for n in 0..2000 {
        text.push_str(&format!("{}l{n}: v\n", " ".repeat(28)));
    }
    text.push_str("---\n");
    text
}
