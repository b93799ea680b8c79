//! Any bytes as an archive: no panic; what unpacks stays inside and within its limits, and packs again unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::{Limits, read_zip, write_zip};

fuzz_target!(|data: &[u8]| {
    let limits =
        Limits { max_bundle_bytes: 2 << 20, max_file_bytes: 1 << 20, max_files: 50, ..Limits::default() };
    let Ok(unpacked) = read_zip(data, &limits) else { return };
    let size: usize = unpacked.tree.files().map(|(_, file)| file.content.len()).sum();
    assert!(size <= 2 << 20 && unpacked.tree.len() <= 50);
    for (path, _) in unpacked.tree.files() {
        let inside = std::path::Path::new(path.as_str()).components();
        assert!(inside.into_iter().all(|part| matches!(part, std::path::Component::Normal(_))), "{path}");
    }
    for found in unpacked.tree.split() {
        let Ok(bundle) = found.bundle else { continue };
        let packed = write_zip(&bundle, Some("top")).unwrap();
        let again = read_zip(&packed, &limits).unwrap().tree.split().remove(0);
        assert_eq!(again.folder, "top");
        assert_eq!(again.bundle.unwrap().digest(), bundle.digest());
    }
});
