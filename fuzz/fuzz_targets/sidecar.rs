//! Any bytes as `repertoire.yaml`: no panic; what reads can be composed again and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::{Draft, Level, Limits, ManifestError, read};
use model::{Bundle, BundleFile, BundlePath, SkillName};

fuzz_target!(|data: &[u8]| {
    let file =
        |path: &str, content: &[u8]| (BundlePath::parse(path).unwrap(), BundleFile::new(content.to_vec()));
    let files = [
        file("SKILL.md", b"---\nname: a\ndescription: d\n---\nbody\n"),
        file("run.py", b"x = 1\n"),
        file("repertoire.yaml", data),
    ];
    let bundle = Bundle::new(files.into()).unwrap();
    let reading = match read(&bundle, &Limits::default()) {
        Ok(reading) => reading,
        Err(ManifestError::Sidecar(reading)) => {
            assert!(reading.findings.iter().any(|finding| finding.level == Level::Error));
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let manifest = reading.manifest;
    let mut draft = Draft::new(SkillName::parse("a").unwrap(), "d");
    draft.body = manifest.body.clone();
    draft.title = manifest.title.clone();
    draft.tags = manifest.tags.clone();
    draft.icon = manifest.icon.clone();
    draft.example_prompts = manifest.example_prompts.clone();
    draft.extends = manifest.extends.clone();
    draft.suggested_tools = manifest.suggested_tools.clone();
    draft.policy = manifest.policy.clone();
    // The other two files are written by the draft itself.
    if let Some(procedure) = &manifest.procedure
        && procedure.file.as_str() == "run.py"
    {
        draft.procedure = Some((procedure.clone(), b"x = 1\n".as_slice().into()));
    } else if manifest.procedure.is_some() {
        return;
    }
    let again = draft.compose().expect("what was read can be written");
    assert_eq!(read(&again, &Limits::default()).unwrap().manifest, manifest);
});
