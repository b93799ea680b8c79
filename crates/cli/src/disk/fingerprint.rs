//! What a folder holds, to know it again.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use model::Digest;

use crate::exit::{Failure, Outcome};

/// The digests of the files below a folder, by their path; of what is no plain file there is none.
pub(crate) type Fingerprint = BTreeMap<String, Option<Digest>>;

/// What a folder holds; nothing where there is none. Links are not followed.
pub(crate) fn fingerprint(folder: &Path) -> Outcome<Option<Fingerprint>> {
    let failed = |error: std::io::Error| Failure::file("read", folder, &error);
    let mut found = Fingerprint::new();
    match std::fs::symlink_metadata(folder) {
        Ok(seen) if seen.is_dir() => enter(folder, "", &mut found).map_err(failed)?,
        Ok(_) => {
            found.insert(String::new(), None);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    Ok(Some(found))
}

fn enter(folder: &Path, above: &str, into: &mut Fingerprint) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{above}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            enter(&entry.path(), &format!("{path}/"), into)?;
        } else {
            let digest = if kind.is_file() { Some(Digest::of(&std::fs::read(entry.path())?)) } else { None };
            into.insert(path, digest);
        }
    }
    Ok(())
}
