//! Writes bundles to folders: first beside the place, then into it with one rename.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use model::Bundle;

use crate::exit::{Failure, Outcome};

/// Whether something that stands in the way is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overwrite {
    Yes,
    No,
}

/// Writes a bundle as a folder, whole or not at all.
pub(crate) fn write_folder(target: &Path, bundle: &Bundle, overwrite: Overwrite) -> Outcome {
    let failed = |error: std::io::Error| Failure::file("write", target, &error);
    let parent = parent_of(target);
    fs::create_dir_all(parent).map_err(failed)?;
    let exists = fs::symlink_metadata(target).is_ok();
    if exists && overwrite == Overwrite::No {
        return Err(in_the_way(target));
    }
    // In the same folder, so that the rename stays within one file system.
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
    if exists {
        // What stood there goes with the stage.
        fs::rename(target, stage.path().join("old")).map_err(failed)?;
    }
    fs::rename(&fresh, target).map_err(failed)
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
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Err(in_the_way(target)),
        Err(error) => Err(failed(error.error)),
    }
}

fn parent_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

fn in_the_way(target: &Path) -> Failure {
    Failure::conflict(format!("`{}` is there already", target.display())).hint("pass --force to replace it")
}
