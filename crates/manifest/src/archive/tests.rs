//! Each attack on the unpacker has a test of its name; honest archives come back as they were.

use proptest::prelude::*;

use super::*;

type Options = SimpleFileOptions;

fn options() -> Options {
    SimpleFileOptions::default()
}

fn mode(mode: u32) -> Options {
    options().system(System::Unix).external_attributes(mode << 16)
}

fn zip(entries: &[(&str, &[u8], Options)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content, options) in entries {
        writer.start_file(*name, *options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The archive with one text replaced by another of the same length, wherever it stands.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(from.len()).position(|window| window == from) {
        at += found;
        bytes[at..at + to.len()].copy_from_slice(to);
        at += to.len();
    }
    bytes
}

fn named(name: &[u8]) -> Vec<u8> {
    let placeholder = "q".repeat(name.len());
    patched(zip(&[(&placeholder, b"x", options())]), placeholder.as_bytes(), name)
}

fn code(bytes: &[u8]) -> &'static str {
    read_zip(bytes, &Limits::default()).map_or_else(|error| error.code(), |_| "fine")
}

#[test]
fn path_traversal() {
    for name in ["../x", "a/../../x", "a/..", "./x", "a//b", "a/./b", "../SKILL.md"] {
        assert_eq!(code(&named(name.as_bytes())), "path_traversal", "{name}");
    }
}

#[test]
fn absolute_paths_and_drives() {
    for name in ["/etc/passwd", "C:/x", "c:\\x", "\\\\host\\share"] {
        assert_eq!(code(&named(name.as_bytes())), "path_absolute", "{name}");
    }
}

#[test]
fn backslashes_nul_and_reserved_names() {
    for name in ["a\\..\\x", "a\0b", "CON", "aux.md", "ab:c", "x\u{202e}y", "x."] {
        assert_eq!(code(&named(name.as_bytes())), "path_invalid", "{name:?}");
    }
}

#[test]
fn symbolic_links() {
    let link = zip(&[("SKILL.md", b"/etc/passwd", mode(0o120_777))]);
    assert_eq!(code(&link), "archive_link");
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("x", "../../etc", options()).unwrap();
    assert_eq!(code(&writer.finish().unwrap().into_inner()), "archive_link");
}

#[test]
fn symbolic_links_under_another_system() {
    let link = zip(&[(
        "SKILL.md",
        b"/etc/passwd",
        options().system(System::Dos).external_attributes(0o120_777 << 16),
    )]);
    assert_eq!(code(&link), "archive_link");
}

#[test]
fn devices_pipes_and_sockets() {
    for kind in [0o020_644, 0o060_644, 0o010_644, 0o140_644, 0o040_755] {
        assert_eq!(code(&zip(&[("x", b"", mode(kind))])), "archive_special_file", "{kind:o}");
    }
}

#[test]
fn setuid_and_setgid() {
    for bits in [0o104_755, 0o102_755, 0o106_755] {
        assert_eq!(code(&zip(&[("x", b"", mode(bits))])), "archive_setuid", "{bits:o}");
    }
}

#[test]
fn duplicate_entries() {
    let two = zip(&[("aaa", b"one", options()), ("bbb", b"two", options())]);
    assert_eq!(code(&patched(two, b"bbb", b"aaa")), "path_duplicate");
}

#[test]
fn case_and_unicode_collisions() {
    let pairs = [("SKILL.md", "skill.md"), ("a/B", "a/b"), ("é", "e\u{301}"), ("Straße/A", "straße/a")];
    for (one, two) in pairs {
        assert_eq!(code(&zip(&[(one, b"1", options()), (two, b"2", options())])), "path_collision", "{one}");
    }
}

#[test]
fn a_file_that_is_also_a_folder() {
    assert_eq!(code(&zip(&[("a", b"1", options()), ("A/b", b"2", options())])), "path_file_and_folder");
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a", options()).unwrap();
    writer.add_directory("a/", options()).unwrap();
    assert_eq!(code(&writer.finish().unwrap().into_inner()), "path_file_and_folder");
}

#[test]
fn bomb_by_ratio() {
    let zeros = vec![0; 5 * 1024 * 1024];
    let deflated = options().compression_method(CompressionMethod::Deflated);
    assert_eq!(code(&zip(&[("x", &zeros, deflated)])), "archive_bomb");
}

#[test]
fn bomb_by_total_and_file_size() {
    let limits = Limits { max_bundle_bytes: 100, max_file_bytes: 80, ..Limits::default() };
    let one = zip(&[("x", &[7; 81], options())]);
    assert!(matches!(read_zip(&one, &limits), Err(ArchiveError::Limit(LimitError::File { .. }))));
    let two = zip(&[("x", &[7; 60], options()), ("y", &[7; 60], options())]);
    assert!(matches!(read_zip(&two, &limits), Err(ArchiveError::Limit(LimitError::Bundle { .. }))));
}

#[test]
fn bomb_whose_header_lies_about_its_size() {
    let deflated = options().compression_method(CompressionMethod::Deflated);
    let content = vec![0; 4 * 1024 * 1024];
    let honest = zip(&[("x", &content, deflated)]);
    let size = 4 * 1024 * 1024_u32;
    let lying = patched(honest, &size.to_le_bytes(), &10_u32.to_le_bytes());
    assert_eq!(code(&lying), "archive_damaged");
}

#[test]
fn bomb_by_entries() {
    let names: Vec<String> = (0..30).map(|n| format!("f{n}")).collect();
    let entries: Vec<_> = names.iter().map(|name| (name.as_str(), b"x".as_slice(), options())).collect();
    let bytes = zip(&entries);
    let few = Limits { max_archive_entries: 29, ..Limits::default() };
    assert!(matches!(read_zip(&bytes, &few), Err(ArchiveError::TooManyEntries { count: 30, limit: 29 })));
    let files = Limits { max_files: 29, ..Limits::default() };
    assert!(matches!(read_zip(&bytes, &files), Err(ArchiveError::Limit(LimitError::Files { .. }))));
    let small = Limits { max_archive_bytes: 10, ..Limits::default() };
    assert!(matches!(read_zip(&bytes, &small), Err(ArchiveError::TooLarge { .. })));
}

#[test]
fn bomb_by_overlapping_entries() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a", options()).unwrap();
    writer.write_all(&[1; 100]).unwrap();
    writer.shallow_copy_file("a", "b").unwrap();
    assert_eq!(code(&writer.finish().unwrap().into_inner()), "archive_overlap");
}

#[test]
fn headers_that_contradict_each_other() {
    let mut bytes = zip(&[("safe.md", b"x", options())]);
    let local = bytes.windows(7).position(|window| window == b"safe.md").unwrap();
    bytes[local..local + 7].copy_from_slice(b"evil.sh");
    assert_eq!(code(&bytes), "archive_inconsistent");
}

#[test]
fn encrypted_entries() {
    let mut bytes = zip(&[("x", b"secret", options())]);
    for header in [&b"PK\x03\x04"[..], &b"PK\x01\x02"[..]] {
        let at = bytes.windows(4).position(|window| window == header).unwrap();
        bytes[at + if header[2] == 3 { 6 } else { 8 }] |= 1;
    }
    assert_eq!(code(&bytes), "archive_encrypted");
}

#[test]
fn unsupported_methods() {
    let mut bytes = zip(&[("x", b"text", options().compression_method(CompressionMethod::Stored))]);
    for header in [&b"PK\x03\x04"[..], &b"PK\x01\x02"[..]] {
        let at = bytes.windows(4).position(|window| window == header).unwrap();
        bytes[at + if header[2] == 3 { 8 } else { 10 }] = 12;
    }
    assert_eq!(code(&bytes), "archive_method");
}

#[test]
fn damaged_archives() {
    for bytes in [b"".as_slice(), b"PK", b"not a zip at all", &[0; 100]] {
        assert_eq!(code(bytes), "archive_damaged");
    }
    let mut bytes =
        zip(&[("x", b"some content here", options().compression_method(CompressionMethod::Stored))]);
    let at = bytes.windows(4).position(|window| window == b"some").unwrap();
    bytes[at] ^= 1;
    assert_eq!(code(&bytes), "archive_damaged");
}

#[test]
fn an_archive_in_the_archive_is_only_a_file() {
    let inner = zip(&[("../evil", b"x", options())]);
    let outer = zip(&[("SKILL.md", b"x", options()), ("a.zip", &inner, options())]);
    assert_eq!(
        read_zip(&outer, &Limits::default()).unwrap().tree.get("a.zip").unwrap().content.as_ref(),
        inner
    );
}

#[test]
fn litter_is_skipped_and_reported() {
    let bytes = zip(&[
        ("a/SKILL.md", b"x", options()),
        ("__MACOSX/a/._SKILL.md", b"x", options()),
        ("a/.DS_Store", b"x", options()),
        ("a/.hidden", b"x", options()),
    ]);
    let unpacked = read_zip(&bytes, &Limits::default()).unwrap();
    let paths: Vec<_> = unpacked.tree.files().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["a/.hidden", "a/SKILL.md"]);
    assert_eq!(unpacked.findings.len(), 1);
    assert!(unpacked.findings[0].message.contains("and 1 more"), "{}", unpacked.findings[0].message);
}

#[test]
fn folders_and_the_executable_bit() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_directory("a/", options()).unwrap();
    writer.start_file("a/run.sh", mode(0o100_755)).unwrap();
    writer.start_file("a/SKILL.md", mode(0o100_644)).unwrap();
    let unpacked = read_zip(&writer.finish().unwrap().into_inner(), &Limits::default()).unwrap();
    let modes: Vec<_> = unpacked.tree.files().map(|(path, file)| (path.as_str(), file.executable)).collect();
    assert_eq!(modes, [("a/SKILL.md", false), ("a/run.sh", true)]);
}

#[test]
fn a_top_folder_cannot_escape() {
    let bundle =
        Bundle::new([(BundlePath::parse("SKILL.md").unwrap(), BundleFile::new(*b"x"))].into()).unwrap();
    assert!(matches!(write_zip(&bundle, Some("../x")), Err(ArchiveError::Path(_))));
}

fn any_bundle() -> impl Strategy<Value = Bundle> {
    let file = (proptest::collection::vec(any::<u8>(), 0..300), any::<bool>())
        .prop_map(|(content, executable)| BundleFile { content: content.into(), executable });
    let path = "([a-z]{1,4}/){0,2}[a-z]{5,8}(\\.md)?";
    (proptest::collection::btree_map(path, file.clone(), 0..6), file).prop_map(|(files, skill)| {
        let mut files: BTreeMap<BundlePath, BundleFile> = files
            .into_iter()
            .filter_map(|(path, file)| Some((BundlePath::parse(&path).ok()?, file)))
            .collect();
        files.insert(BundlePath::parse("SKILL.md").unwrap(), skill);
        Bundle::new(files).unwrap()
    })
}

proptest! {
    #[test]
    fn a_bundle_survives_packing(bundle in any_bundle(), top in proptest::option::of("[a-z]{1,8}")) {
        let bytes = write_zip(&bundle, top.as_deref()).unwrap();
        prop_assert_eq!(&bytes, &write_zip(&bundle, top.as_deref()).unwrap());
        let mut found = read_zip(&bytes, &Limits::default()).unwrap().tree.split();
        prop_assert_eq!(found.len(), 1);
        let found = found.remove(0);
        prop_assert_eq!(found.folder, top.unwrap_or_default());
        let again = found.bundle.unwrap();
        prop_assert_eq!(again.digest(), bundle.digest());
        prop_assert_eq!(again, bundle);
    }

    #[test]
    fn noise_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0_usize..300, byte: u8) {
        let _ = read_zip(&bytes, &Limits::default());
        let mut near = zip(&[("SKILL.md", b"hello", options()), ("a/b", b"x", mode(0o100_755))]);
        let at = at % near.len();
        near[at] = byte;
        let _ = read_zip(&near, &Limits::default());
    }
}
