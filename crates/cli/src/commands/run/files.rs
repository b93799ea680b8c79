//! Files that go into a run, and files that come out of one.
//!
//! What comes out was named by untrusted code: it is written below the folder that was asked for, through no link, over
//! nothing.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::disk::{Overwrite, write_shared};
use crate::exit::{Failure, Outcome};

/// Files of this machine for the work folder: `PATH`, or `PATH=NAME`.
pub(super) fn inputs(files: &[String]) -> Outcome<Vec<Value>> {
    files.iter().map(|text| input(text)).collect()
}

fn input(text: &str) -> Outcome<Value> {
    let whole = Path::new(text);
    let (path, name) = match text.rsplit_once('=') {
        Some((path, name)) if !whole.exists() && !name.is_empty() => (Path::new(path), name.to_owned()),
        _ => (whole, whole.file_name().unwrap_or_default().to_string_lossy().into_owned()),
    };
    let content = std::fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
    Ok(json!({"path": name, "content_base64": STANDARD.encode(content)}))
}

/// What became of the files a run made.
pub(super) struct Written {
    /// Where each one stands now.
    pub(super) files: Vec<PathBuf>,
    /// Why some do not stand anywhere.
    pub(super) refused: Vec<String>,
}

/// Writes the files of a run below a folder.
pub(super) fn write(run: &Value, folder: &Path, overwrite: Overwrite) -> Outcome<Written> {
    let mut written = Written { files: Vec::new(), refused: Vec::new() };
    std::fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    for file in run.get("files").and_then(Value::as_array).into_iter().flatten() {
        let path = file.get("path").and_then(Value::as_str).unwrap_or_default();
        let content = file.get("content_base64").and_then(Value::as_str);
        let Some(content) = content.and_then(|text| STANDARD.decode(text).ok()) else {
            written.refused.push(format!("`{path}` is too large to come with the answer"));
            continue;
        };
        match place(folder, path) {
            Some(target) => {
                write_shared(&target, &content, overwrite)?;
                written.files.push(target);
            }
            None => written.refused.push(format!("`{path}` would leave the folder")),
        }
    }
    Ok(written)
}

/// Where a file goes, if that is inside the folder and not through a link.
fn place(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut target = folder.to_path_buf();
    for part in path.split('/') {
        let plain = !matches!(part, "" | "." | "..") && !part.contains('\0');
        let linked = target != folder && target.is_symlink();
        if !plain || linked {
            return None;
        }
        target.push(part);
    }
    (!target.is_symlink()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_outside_the_folder_nor_through_a_link() {
        let world = tempfile::tempdir().unwrap();
        let folder = world.path().join("out");
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(world.path(), folder.join("link")).unwrap();
        std::os::unix::fs::symlink(world.path().join("x"), folder.join("file")).unwrap();
        let paths = ["../a", "/etc/a", "b/../../a", "link/a", "file", "", ".", "a//b", "good/a.txt"];
        let files: Vec<_> =
            paths.iter().map(|path| json!({"path": path, "content_base64": "aGk="})).collect();
        let written = write(&json!({"files": files}), &folder, Overwrite::Yes).unwrap();
        assert_eq!(written.files, [folder.join("good/a.txt")]);
        assert_eq!(written.refused.len(), paths.len() - 1);
        assert_eq!(std::fs::read_dir(world.path()).unwrap().count(), 1);
        let again = write(&json!({"files": files}), &folder, Overwrite::No);
        assert!(again.is_err(), "nothing is overwritten unasked");
    }

    #[test]
    fn a_file_can_be_renamed_on_its_way_in() {
        let world = tempfile::tempdir().unwrap();
        let odd = world.path().join("a=b.csv");
        std::fs::write(&odd, "hi").unwrap();
        let name = |text: &str| input(text).unwrap()["path"].as_str().unwrap().to_owned();
        assert_eq!(name(odd.to_str().unwrap()), "a=b.csv");
        assert_eq!(name(&format!("{}=in/data.csv", odd.display())), "in/data.csv");
        assert!(input("/not/there").is_err());
    }
}
