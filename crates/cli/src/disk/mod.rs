//! Folders on disk to and from bundles.
//!
//! What stands on a disk is hostile: symbolic links and special files are never opened, and nothing is written
//! outside the folder that was asked for, nor half.

mod fingerprint;
mod walk;
mod write;

pub(crate) use fingerprint::{Fingerprint, fingerprint};
pub(crate) use walk::{Found, Scan, Skipped, scan};
pub(crate) use write::{
    Known, Overwrite, replace_folder, rewrite_file, some_of, strangers, write_file, write_folder, write_like,
    write_program, write_shared,
};

use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use crate::exit::{Failure, Outcome};

/// Makes a folder that only its owner can enter; an existing one stays as it is.
pub(crate) fn private_folder(path: &Path) -> Outcome {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| Failure::file("create", path, &error))
}

/// A new folder for what is gone soon, which only its owner can enter.
pub(crate) fn scratch_folder() -> Outcome<tempfile::TempDir> {
    let private = std::fs::Permissions::from_mode(0o700);
    let made = tempfile::Builder::new().permissions(private).tempdir();
    made.map_err(|error| Failure::file("use", &std::env::temp_dir(), &error))
}

/// Writes a file that only its owner can read, in one step.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Outcome {
    write_file(path, content, Overwrite::Yes)
}
