//! Any `SKILL.md`, sidecar and new values, separated by NUL: an edit says what was asked, or is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::{Change, Changes, Limits, edit, read};
use model::{Bundle, BundleFile, BundlePath};

fuzz_target!(|text: &str| {
    let mut parts = text.splitn(6, '\0').map(str::to_owned);
    let Some(skill) = parts.next() else { return };
    let mut files = vec![("SKILL.md", skill)];
    files.extend(parts.next().filter(|text| !text.is_empty()).map(|text| ("repertoire.yaml", text)));
    let files = files
        .into_iter()
        .map(|(path, text)| (BundlePath::parse(path).unwrap(), BundleFile::new(text.into_bytes())));
    let bundle = Bundle::new(files.collect()).unwrap();
    let limits = Limits::default();
    let changes = Changes {
        description: parts.next().filter(|text| !text.is_empty()),
        title: parts.next().map_or(Change::Remove, Change::Set),
        body: parts.next().filter(|text| !text.is_empty()),
        license: parts.next().map_or(Change::Keep, Change::Set),
        ..Changes::default()
    };
    let Ok(edited) = edit(&bundle, &changes, &limits) else { return };
    let manifest = read(&edited, &limits).expect("an edited bundle reads").manifest;
    if let Some(description) = &changes.description {
        assert_eq!(manifest.description, description.trim());
    }
    match &changes.title {
        Change::Set(title) => assert_eq!(manifest.title.as_ref(), Some(title)),
        _ => assert_eq!(manifest.title, None),
    }
    assert_eq!(edit(&edited, &Changes::default(), &limits).expect("nothing to do"), edited);
});
