//! From bundle or archive to what a skill says, the way the doors use this crate.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use model::{Bundle, BundleFile, BundlePath, Language};
use repertoire_manifest::{
    Changes, Draft, Level, Limits, ManifestError, choose_name, edit, read, read_zip, write_zip,
};

fn bundle(files: &[(&str, &[u8])]) -> Bundle {
    let files = files.iter().filter_map(|(path, bytes)| Some((BundlePath::parse(path).ok()?, bytes)));
    Bundle::new(files.map(|(path, bytes)| (path, BundleFile::new(bytes.to_vec()))).collect()).unwrap()
}

#[test]
fn the_sidecar_wins_over_the_frontmatter() {
    let skill =
        b"---\nname: a\ndescription: d\ntitle: Front\ntags: [x]\nicon: i\nextends: Some Skill\n---\nbody";
    let reading = read(
        &bundle(&[("SKILL.md", skill), ("repertoire.yaml", b"title: Side\ntags: []\n")]),
        &Limits::default(),
    );
    let manifest = reading.unwrap().manifest;
    assert_eq!(manifest.title.as_deref(), Some("Side"));
    assert_eq!(manifest.tags, Vec::<String>::new());
    assert_eq!((manifest.icon.as_deref(), manifest.extends.as_deref()), (Some("i"), Some("Some Skill")));
}

#[test]
fn a_wrong_sidecar_is_an_error_that_carries_what_could_be_read() {
    let files: [(&str, &[u8]); 3] = [
        ("SKILL.md", b"---\nname: a\ndescription: d\n---\nbody"),
        ("run.py", b"x = 1"),
        ("repertoire.yaml", b"title: T\nprocedure:\n  language: python\n  file: run.py\nnope: 1\nicon: 5\n"),
    ];
    let error = read(&bundle(&files), &Limits::default()).unwrap_err();
    assert_eq!(error.code(), "sidecar_invalid");
    assert!(
        error.to_string().starts_with("`repertoire.yaml` is not valid: line 5: `nope` is not a field"),
        "{error}"
    );
    assert!(error.to_string().ends_with("(and 1 more)"), "{error}");
    assert!(error.findings().iter().all(|finding| finding.file.is_some() && finding.line.is_some()));
    let ManifestError::Sidecar(reading) = error else { panic!() };
    assert_eq!(reading.manifest.title.as_deref(), Some("T"));
    assert_eq!(reading.manifest.procedure.unwrap().language, Language::Python);
}

#[test]
fn refusals_have_codes() {
    let limits = Limits { max_skill_file_bytes: 100, ..Limits::default() };
    let long = vec![b'x'; 101];
    let table: [(&[u8], &str); 5] = [
        (b"\xff\xfe", "not_utf8"),
        (&long, "too_large"),
        (b"", "no_description"),
        (b"---\nname: a\n---\n", "no_description"),
        (b"---\ndescription:\n---\n```\ncode\n```\n", "no_description"),
    ];
    for (skill, code) in table {
        assert_eq!(read(&bundle(&[("SKILL.md", skill)]), &limits).unwrap_err().code(), code);
    }
    let good = b"---\nname: a\ndescription: d\n---\n";
    let sidecars: [(&[u8], &str); 2] = [(b"\xff", "sidecar_not_utf8"), (&long, "sidecar_too_large")];
    for (sidecar, code) in sidecars {
        let error = read(&bundle(&[("SKILL.md", good), ("repertoire.yaml", sidecar)]), &limits).unwrap_err();
        assert_eq!(error.findings()[0].code, code);
    }
}

#[test]
fn without_a_description_the_body_speaks() {
    let reading = read(&bundle(&[("skill.md", b"# Notes\n\nKeeps notes.\n")]), &Limits::default()).unwrap();
    assert_eq!(reading.manifest.description, "Keeps notes.");
    let codes: Vec<_> = reading.findings.iter().map(|finding| (finding.level, finding.code)).collect();
    let wanted = ["skill_file_spelling", "frontmatter_missing", "description_missing", "name_missing"]
        .map(|code| (Level::Warning, code));
    assert_eq!(codes, wanted);
    assert_eq!(choose_name(&reading.manifest, Some("my notes")).0.as_str(), "my-notes");
}

#[test]
fn an_uploaded_archive_gives_back_the_bytes_it_came_with() {
    let draft = |name: &str| Draft::new(model::SkillName::parse(name).unwrap(), "Does it.");
    let first = draft("first").compose().unwrap();
    let archive = write_zip(&first, Some("skills/first")).unwrap();
    let found = read_zip(&archive, &Limits::default()).unwrap().tree.split().remove(0);
    assert_eq!(found.folder, "skills/first");
    let again = found.bundle.unwrap();
    let reading = read(&again, &Limits::default()).unwrap();
    assert_eq!(
        choose_name(&reading.manifest, Some(&found.folder)),
        (model::SkillName::parse("first").unwrap(), None)
    );
    assert_eq!(again.digest(), first.digest());
    assert_eq!(edit(&again, &Changes::default(), &Limits::default()).unwrap().digest(), first.digest());
}
