//! Any text as paths: what parses cannot leave its folder, and splitting a tree loses nothing that belongs to a skill.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::FileTree;
use model::{BundleFile, BundlePath};

fuzz_target!(|text: &str| {
    let mut tree = FileTree::new();
    let mut wanted = 0;
    for line in text.split('\n').take(50) {
        let Ok(path) = BundlePath::parse(line) else { continue };
        assert_eq!(path.as_str(), line);
        let parts: Vec<_> = std::path::Path::new(line).components().collect();
        assert!(parts.iter().all(|part| matches!(part, std::path::Component::Normal(_))), "{line:?}");
        assert_eq!(parts.len(), line.split('/').count());
        assert!(!line.contains(['\\', '\0', ':']) && !line.starts_with('/'));
        assert!(!path.collision_key().is_empty());
        wanted += usize::from(tree.insert(path, BundleFile::new(*b"x")).is_ok());
    }
    let has_root = tree.get("SKILL.md").is_some() || tree.get("skill.md").is_some();
    let found = tree.split();
    let count: usize =
        found.iter().filter_map(|found| found.bundle.as_ref().ok()).map(|bundle| bundle.files().len()).sum();
    assert!(count <= wanted);
    if has_root && found.iter().all(|found| found.bundle.is_ok()) {
        assert_eq!(count, wanted);
    }
});
