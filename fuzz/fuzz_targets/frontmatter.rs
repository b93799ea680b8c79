//! Any bytes as `SKILL.md`: no panic; what reads has a description and a name; a fix keeps the meaning and is final.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::{Limits, choose_name, fix, read, verdicts};
use model::{Bundle, BundleFile, BundlePath};

fuzz_target!(|data: &[u8]| {
    let path = BundlePath::parse("SKILL.md").unwrap();
    let bundle = Bundle::new([(path, BundleFile::new(data.to_vec()))].into()).unwrap();
    let limits = Limits::default();
    assert_eq!(verdicts(&bundle, Some("my-skill")).len(), 10);
    let Ok(before) = read(&bundle, &limits) else { return };
    assert!(!before.manifest.description.trim().is_empty());
    let lines = data.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    for finding in &before.findings {
        assert!(finding.line.is_none_or(|line| line >= 1 && line as usize <= lines + 1), "{finding}");
    }
    let (name, _) = choose_name(&before.manifest, Some("my-skill"));
    assert!(!name.as_str().is_empty());

    let fixed = fix(&bundle, Some("my-skill"));
    let after = read(&fixed.bundle, &limits).expect("a fixed bundle reads").manifest;
    assert_eq!(before.manifest.description, after.description);
    assert_eq!(before.manifest.body, after.body);
    assert_eq!(before.manifest.tags, after.tags);
    assert_eq!(fix(&fixed.bundle, Some("my-skill")).bundle, fixed.bundle);
});
