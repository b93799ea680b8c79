//! Writes bundles to folders: first beside the place, then into it with one rename.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use model::Bundle;
use tempfile::TempDir;

use crate::exit::{Failure, Outcome};

/// Whether something that stands in the way is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overwrite {
    Yes,
    No,
}

/// What a folder may hold that is replaced, beside the files of the new bundle.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Files that an earlier bundle had there, and that can go.
    pub(crate) files: BTreeSet<String>,
    /// Folders inside that are skills of their own, and stay.
    pub(crate) apart: BTreeSet<String>,
}

/// Writes a bundle as a new folder, whole or not at all.
pub(crate) fn write_folder(target: &Path, bundle: &Bundle) -> Outcome {
    if fs::symlink_metadata(target).is_ok() {
        return Err(in_the_way(target));
    }
    let stage = stage(target, bundle)?;
    fs::rename(stage.path().join("new"), target).map_err(|error| Failure::file("write", target, &error))
}

/// Writes a bundle in the place of a folder, whole or not at all. A folder that holds what no bundle does is left alone,
/// and so is one that cannot be replaced.
pub(crate) fn replace_folder(target: &Path, bundle: &Bundle, known: &Known) -> Outcome {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => return write_folder(target, bundle),
        Ok(found) if !found.is_dir() => {
            return Err(Failure::conflict(format!("`{}` is not a folder", target.display()))
                .hint("move it away first"));
        }
        _ => {}
    }
    let more = strangers(target, bundle, known)?;
    if !more.is_empty() {
        let message = format!("`{}` holds more than a skill: {}", target.display(), some_of(&more));
        return Err(Failure::conflict(message).hint("move that away first"));
    }
    let failed = |error: std::io::Error| Failure::file("write", target, &error);
    let stage = stage(target, bundle)?;
    // What stood there goes with the stage.
    let old = stage.path().join("old");
    fs::rename(target, &old).map_err(failed)?;
    let Err(error) = take_place(&stage.path().join("new"), &old, target, &known.apart) else { return Ok(()) };
    if fs::rename(&old, target).is_ok() {
        return Err(failed(error));
    }
    let kept = stage.keep().join("old");
    Err(failed(error).hint(format!("what was there is in `{}`", kept.display())))
}

/// Puts a new folder where an old one was, with what stays of it; or changes nothing.
fn take_place(fresh: &Path, old: &Path, target: &Path, apart: &BTreeSet<String>) -> std::io::Result<()> {
    let mut moved = Vec::new();
    let mut moving = || {
        for inner in apart.iter().filter(|inner| old.join(inner).is_dir()) {
            let place = fresh.join(inner);
            fs::create_dir_all(parent_of(&place))?;
            fs::rename(old.join(inner), place)?;
            moved.push(inner);
        }
        fs::rename(fresh, target)
    };
    let done = moving();
    if done.is_err() {
        for inner in moved.into_iter().rev() {
            fs::rename(fresh.join(inner), old.join(inner))?;
        }
    }
    done
}

/// What is in a folder, and in no bundle: it would be lost with the folder.
pub(crate) fn strangers(folder: &Path, bundle: &Bundle, known: &Known) -> Outcome<Vec<String>> {
    let mut files: BTreeSet<&str> = bundle.files().map(|(path, _)| path.as_str()).collect();
    files.extend(known.files.iter().map(String::as_str));
    let mut found = Vec::new();
    look(folder, "", &files, &known.apart, &mut found)
        .map_err(|error| Failure::file("read", folder, &error))?;
    found.sort();
    Ok(found)
}

fn look(
    folder: &Path,
    above: &str,
    files: &BTreeSet<&str>,
    apart: &BTreeSet<String>,
    into: &mut Vec<String>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = format!("{above}{}", name.to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() && (apart.contains(&path) || name == "__pycache__") {
            continue;
        }
        let inside = format!("{path}/");
        let is_above = files.range(inside.as_str()..).next().is_some_and(|file| file.starts_with(&inside))
            || apart.range(inside.clone()..).next().is_some_and(|other| other.starts_with(&inside));
        if kind.is_dir() && is_above {
            look(&entry.path(), &inside, files, apart, into)?;
        } else if kind.is_dir() {
            // An empty folder is no loss.
            into.extend(fs::read_dir(entry.path())?.next().map(|_| inside));
        } else if !(kind.is_file() && files.contains(path.as_str())) && name != ".DS_Store" {
            into.push(path);
        }
    }
    Ok(())
}

/// The first of them, in words.
pub(crate) fn some_of(paths: &[String]) -> String {
    let shown = paths.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if paths.len() > 3 { format!("{shown} and {} more", paths.len() - 3) } else { shown }
}

/// A bundle as the folder `new` in a folder beside its place, so that a rename stays within one file system.
fn stage(target: &Path, bundle: &Bundle) -> Outcome<TempDir> {
    let failed = |error: std::io::Error| Failure::file("write", target, &error);
    let parent = parent_of(target);
    fs::create_dir_all(parent).map_err(failed)?;
    let stage = tempfile::Builder::new().prefix(".repertoire-").tempdir_in(parent).map_err(failed)?;
    let fresh = stage.path().join("new");
    fs::create_dir(&fresh).map_err(failed)?;
    for (path, file) in bundle.files() {
        let place = fresh.join(path.as_str());
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut out = File::create_new(&place).map_err(failed)?;
        out.write_all(&file.content).map_err(failed)?;
        let mode = if file.executable { 0o755 } else { 0o644 };
        out.set_permissions(fs::Permissions::from_mode(mode)).map_err(failed)?;
    }
    Ok(stage)
}

/// Writes one file in one step, readable to its owner only.
pub(crate) fn write_file(target: &Path, content: &[u8], overwrite: Overwrite) -> Outcome {
    write_with_mode(target, content, overwrite, 0o600)
}

/// Writes one file in one step, readable to everyone.
pub(crate) fn write_shared(target: &Path, content: &[u8], overwrite: Overwrite) -> Outcome {
    write_with_mode(target, content, overwrite, 0o644)
}

/// Writes one program in one step: readable to everyone, and executable.
pub(crate) fn write_program(target: &Path, content: &[u8], overwrite: Overwrite) -> Outcome {
    write_with_mode(target, content, overwrite, 0o755)
}

/// Writes one new file in one step, for those who can read another one.
pub(crate) fn write_like(target: &Path, content: &[u8], other: &Path) -> Outcome {
    let mode = fs::metadata(other).map_or(0o644, |known| known.permissions().mode() & 0o666);
    write_with_mode(target, content, Overwrite::No, mode)
}

/// Writes one file in one step with the mode it has; a new one is readable to everyone.
pub(crate) fn rewrite_file(target: &Path, content: &[u8]) -> Outcome {
    let mode = fs::metadata(target).map_or(0o644, |known| known.permissions().mode() & 0o7777);
    write_with_mode(target, content, Overwrite::Yes, mode)
}

fn write_with_mode(target: &Path, content: &[u8], overwrite: Overwrite, mode: u32) -> Outcome {
    let failed = |error: std::io::Error| Failure::file("write", target, &error);
    let parent = parent_of(target);
    fs::create_dir_all(parent).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(parent).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode)).map_err(failed)?;
    let persisted = match overwrite {
        Overwrite::Yes => file.persist(target),
        Overwrite::No => file.persist_noclobber(target),
    };
    match persisted {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(in_the_way(target)),
        Err(error) => Err(failed(error.error)),
    }
}

fn parent_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

fn in_the_way(target: &Path) -> Failure {
    Failure::conflict(format!("`{}` is there already", target.display())).hint("pass --force to replace it")
}

#[cfg(test)]
mod tests {
    use model::{BundleFile, BundlePath};

    use super::*;

    fn bundle(files: &[(&str, &str)]) -> Bundle {
        let files = files.iter().map(|(path, text)| {
            let content = text.as_bytes().into();
            (BundlePath::parse(path).unwrap(), BundleFile { content, executable: false })
        });
        Bundle::new(files.collect()).unwrap()
    }

    fn read(folder: &Path, name: &str) -> Option<String> {
        fs::read_to_string(folder.join(name)).ok()
    }

    #[test]
    fn a_folder_that_holds_more_than_a_skill_is_left_alone() {
        let world = tempfile::tempdir().unwrap();
        let target = world.path().join("skill");
        let first = bundle(&[("SKILL.md", "one"), ("scripts/a.py", "a")]);
        let next = bundle(&[("SKILL.md", "two")]);
        write_folder(&target, &first).unwrap();
        assert!(write_folder(&target, &next).is_err());
        fs::create_dir_all(target.join(".git/refs")).unwrap();
        fs::write(target.join("notes.md"), "mine").unwrap();
        let refused = replace_folder(&target, &next, &Known::default()).unwrap_err();
        assert!(refused.message.ends_with("a skill: .git/, notes.md, scripts/"), "{}", refused.message);
        assert_eq!(read(&target, "SKILL.md").as_deref(), Some("one"));

        fs::remove_dir_all(target.join(".git")).unwrap();
        fs::remove_file(target.join("notes.md")).unwrap();
        std::os::unix::fs::symlink("/", target.join("scripts/link")).unwrap();
        let known = Known { files: BTreeSet::from(["scripts/a.py".to_owned()]), ..Known::default() };
        let refused = replace_folder(&target, &next, &known).unwrap_err();
        assert!(refused.message.ends_with("a skill: scripts/link"), "{}", refused.message);
        fs::remove_file(target.join("scripts/link")).unwrap();
        fs::create_dir(target.join("empty")).unwrap();
        replace_folder(&target, &next, &known).unwrap();
        assert_eq!(read(&target, "SKILL.md").as_deref(), Some("two"));
        assert!(!target.join("scripts").exists());

        let link = world.path().join("link");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(replace_folder(&link, &first, &Known::default()).is_err());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(world.path()).unwrap().count(), 2, "nothing is left beside them");
    }

    #[test]
    fn skills_inside_stay_and_what_cannot_be_replaced_is_put_back() {
        let world = tempfile::tempdir().unwrap();
        let target = world.path().join("skill");
        write_folder(&target, &bundle(&[("SKILL.md", "one"), ("a/inner/SKILL.md", "inner")])).unwrap();
        let known = Known { apart: BTreeSet::from(["a/inner".to_owned()]), ..Known::default() };
        replace_folder(&target, &bundle(&[("SKILL.md", "two")]), &known).unwrap();
        let now = || (read(&target, "SKILL.md"), read(&target, "a/inner/SKILL.md"));
        assert_eq!(now(), (Some("two".to_owned()), Some("inner".to_owned())));
        // A file stands where the inner skill's folder would be.
        replace_folder(&target, &bundle(&[("SKILL.md", "three"), ("a", "file")]), &known).unwrap_err();
        assert_eq!(now(), (Some("two".to_owned()), Some("inner".to_owned())));
        assert_eq!(fs::read_dir(world.path()).unwrap().count(), 1);
    }
}
