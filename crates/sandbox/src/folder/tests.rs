//! Work folders, with what untrusted code may have put into them.

use std::os::unix::fs::symlink;

use super::*;

fn folder() -> (tempfile::TempDir, Folder) {
    let place = tempfile::tempdir().unwrap();
    let directory = std::fs::File::open(place.path()).unwrap();
    (place, Folder::on(directory.into()))
}

fn problem_of<T>(result: Result<T, Error>) -> FileProblem {
    match result {
        Err(Error::File { problem, .. }) => problem,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was done"),
    }
}

#[test]
fn what_is_written_is_listed_read_and_removed() {
    let (_place, folder) = folder();
    assert!(folder.is_empty());
    folder.write("a/b.txt", b"one").unwrap();
    folder.write("a/b.txt", b"two").unwrap();
    let (files, truncated) = folder.list(10).unwrap();
    assert_eq!((files.len(), truncated), (1, false));
    assert_eq!((files[0].path.as_str(), files[0].size), ("a/b.txt", 3));
    assert_eq!(folder.read("a/b.txt", 3).unwrap(), b"two");
    assert_eq!(problem_of(folder.read("a/b.txt", 2)), FileProblem::TooLarge);
    folder.remove("a/b.txt").unwrap();
    assert_eq!(problem_of(folder.read("a/b.txt", 3)), FileProblem::Missing);
}

#[test]
fn a_list_stops_where_it_is_told() {
    let (_place, folder) = folder();
    for name in ["a", "b", "c"] {
        folder.write(name, b"").unwrap();
    }
    let (files, truncated) = folder.list(2).unwrap();
    assert_eq!((files.len(), truncated), (2, true));
}

#[test]
fn no_path_leaves_the_folder() {
    let (_place, folder) = folder();
    let long = "x".repeat(256);
    let deep = vec!["d"; 33].join("/");
    for path in ["..", "../x", "a/../../x", "/etc/passwd", "", "a//b", "a/./b", "a\0b", &long, &deep] {
        assert_eq!(problem_of(folder.write(path, b"x")), FileProblem::Path, "{path}");
        assert_eq!(problem_of(folder.read(path, 9)), FileProblem::Path, "{path}");
        assert_eq!(problem_of(folder.remove(path)), FileProblem::Path, "{path}");
    }
}

#[test]
fn links_are_not_followed_whatever_they_point_at() {
    let (place, folder) = folder();
    symlink("/etc/passwd", place.path().join("file")).unwrap();
    symlink("/etc", place.path().join("folder")).unwrap();
    symlink("/proc/self/fd/0", place.path().join("magic")).unwrap();
    assert_eq!(problem_of(folder.read("file", 1 << 20)), FileProblem::Path);
    assert_eq!(problem_of(folder.read("folder/passwd", 1 << 20)), FileProblem::Path);
    assert_eq!(problem_of(folder.read("magic", 1 << 20)), FileProblem::Path);
    assert_eq!(problem_of(folder.write("folder/x", b"x")), FileProblem::Path);
    assert!(folder.list(10).unwrap().0.is_empty());
    folder.write("file", b"mine").unwrap();
    assert_eq!(folder.read("file", 9).unwrap(), b"mine");
    assert!(!std::fs::read("/etc/passwd").unwrap().starts_with(b"mine"));
}

#[test]
fn pipes_and_folders_are_not_read_as_files() {
    let (place, folder) = folder();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path().join("pipe"),
        FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    std::fs::create_dir(place.path().join("folder")).unwrap();
    assert_eq!(problem_of(folder.read("pipe", 9)), FileProblem::NotPlain);
    assert_eq!(problem_of(folder.read("folder", 9)), FileProblem::NotPlain);
    assert_eq!(problem_of(folder.write("folder", b"x")), FileProblem::NotPlain);
    assert_eq!(problem_of(folder.remove("folder")), FileProblem::NotPlain);
}

#[test]
fn names_that_are_not_text_are_left_out() {
    use std::os::unix::ffi::OsStrExt;
    let (place, folder) = folder();
    std::fs::write(place.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), b"x").unwrap();
    std::fs::write(place.path().join("new\nline"), b"x").unwrap();
    let (files, _) = folder.list(10).unwrap();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].path, "new\nline");
}
