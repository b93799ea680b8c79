//! Every `SKILL.md` of a real collection reads without a panic, and each refusal has its reason.
//!
//! `REPERTOIRE_CORPUS` names an unpacked collection; without it the small fixtures of this folder stand in.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::{Bundle, BundleFile, BundlePath};
use repertoire_manifest::{Finding, Level, Limits, choose_name, read};

/// A skill of the collection: the name of its folder, and the bundle of its one file.
pub(crate) struct Sample {
    pub(crate) folder: String,
    pub(crate) bundle: Bundle,
}

pub(crate) fn samples() -> Vec<Sample> {
    let root = std::env::var_os("REPERTOIRE_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"), PathBuf::from);
    let mut found = Vec::new();
    walk(&root, &mut found);
    assert!(!found.is_empty(), "no SKILL.md under {}", root.display());
    found
}

fn walk(folder: &Path, found: &mut Vec<Sample>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, found);
        } else if path.file_name().is_some_and(|name| name == "SKILL.md") {
            let content = std::fs::read(&path).unwrap();
            let files = [(BundlePath::parse("SKILL.md").unwrap(), BundleFile::new(content))];
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            found.push(Sample { folder: name, bundle: Bundle::new(files.into()).unwrap() });
        }
    }
}

fn lower_case(finding: &Finding) -> bool {
    !finding.message.ends_with('.') && !finding.message.starts_with(char::is_uppercase)
}

#[test]
fn every_skill_reads_or_has_a_reason() {
    let limits = Limits::default();
    let samples = samples();
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut clean = 0;
    for Sample { folder, bundle } in &samples {
        match read(bundle, &limits) {
            Ok(reading) => {
                assert!(!reading.manifest.description.trim().is_empty(), "{folder}");
                let (name, _) = choose_name(&reading.manifest, Some(folder));
                assert!(!name.as_str().is_empty());
                clean += usize::from(reading.findings.iter().all(|finding| finding.level == Level::Info));
                for finding in &reading.findings {
                    assert!(lower_case(finding), "{finding}");
                    *codes.entry(finding.code).or_default() += 1;
                }
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                *refused.entry(error.code()).or_default() += 1;
            }
        }
    }
    let count: usize = refused.values().sum();
    println!(
        "{} read, {count} refused {refused:?}, {clean} without a warning; findings {codes:?}",
        samples.len() - count
    );
    assert!(count * 100 <= samples.len(), "more than one in a hundred refused: {refused:?}");
}
