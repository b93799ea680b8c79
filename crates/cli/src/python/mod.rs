//! Python environments of this machine: the one that is there, and profiles in the data folder.
//!
//! A profile is a virtual environment at `DATA/python/NAME` with a `profile.toml`, which is written last: a folder
//! without one is still being built, or was left behind.

mod build;

pub(crate) use build::{Request, build, version};

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Settings;
use crate::exit::{Failure, Outcome};

/// The file that makes a folder a profile.
const PROFILE_FILE: &str = "profile.toml";
/// The longest name; as in `repertoire.yaml`.
const LONGEST_NAME: usize = 64;

/// What is known of a profile.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Description {
    /// The version of its Python.
    pub(crate) version: String,
    /// Modules that are imported ahead of time.
    pub(crate) preload: Vec<String>,
    /// How many packages it has.
    pub(crate) packages: u64,
    /// The digest of the requirements it was built from.
    pub(crate) requirements_digest: String,
}

/// The place of the profiles.
pub(crate) struct Profiles(PathBuf);

/// A folder among the profiles.
pub(crate) enum Entry {
    /// A whole profile.
    Ready(Description),
    /// One that another command is building.
    Building,
    /// What a build that was cut off left behind.
    Broken,
}

impl Profiles {
    /// The profiles of these settings.
    pub(crate) fn of(settings: &Settings) -> Self {
        Self(settings.library.data.value.join("python"))
    }

    /// Where a profile stands.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Every folder, by name.
    pub(crate) fn list(&self) -> Outcome<Vec<(String, Entry)>> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Failure::file("read", &self.0, &error)),
        };
        let mut found = Vec::new();
        for entry in entries.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if let (true, Ok(name)) = (is_folder, entry.file_name().into_string())
                && check_name(&name).is_ok()
            {
                let state = self.state(&name)?;
                found.push((name, state));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// What stands at a name that is taken.
    pub(crate) fn state(&self, name: &str) -> Outcome<Entry> {
        let text = fs::read_to_string(self.folder(name).join(PROFILE_FILE));
        if let Some(description) = text.ok().and_then(|text| toml::from_str(&text).ok()) {
            return Ok(Entry::Ready(description));
        }
        Ok(if self.lock(name)?.is_some() { Entry::Broken } else { Entry::Building })
    }

    /// The right to build or remove a profile, unless another command has it.
    fn lock(&self, name: &str) -> Outcome<Option<File>> {
        let path = self.0.join(format!(".{name}.lock"));
        let failed = |error: std::io::Error| Failure::file("lock", &path, &error);
        let file = File::options().create(true).write(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// The same, where it must be had.
    fn need_lock(&self, name: &str) -> Outcome<File> {
        self.lock(name)?.ok_or_else(|| {
            Failure::conflict(format!("another command is building the profile `{name}`"))
                .hint("wait until it is done")
        })
    }

    /// Removes a profile, whole or broken.
    pub(crate) fn remove(&self, name: &str) -> Outcome {
        check_name(name)?;
        let folder = self.folder(name);
        if !folder.is_dir() {
            return Err(Failure::not_found(format!("there is no Python profile `{name}`"))
                .hint("`repertoire python list` shows those there are"));
        }
        let _lock = self.need_lock(name)?;
        // Without its description it is no profile any more, whatever becomes of the rest.
        let _ = fs::remove_file(folder.join(PROFILE_FILE));
        fs::remove_dir_all(&folder).map_err(|error| Failure::file("remove", &folder, &error))?;
        let _ = fs::remove_file(self.0.join(format!(".{name}.lock")));
        Ok(())
    }

    /// What the sandbox is given: the machine's own Python, if there is one, and every whole profile.
    pub(crate) fn for_sandbox(&self, settings: &Settings) -> Outcome<Vec<sandbox::Profile>> {
        let own = settings.sandbox.python().map(|python| sandbox::Profile {
            name: sandbox::DEFAULT_PROFILE.to_owned(),
            python,
            preload: settings.sandbox.preload.value.clone(),
        });
        let made = self.list()?.into_iter().filter_map(|(name, entry)| match entry {
            Entry::Ready(description) => Some(sandbox::Profile {
                python: interpreter(&self.folder(&name)),
                name,
                preload: description.preload,
            }),
            Entry::Building | Entry::Broken => None,
        });
        Ok(own.into_iter().chain(made).collect())
    }
}

/// The interpreter of a virtual environment.
fn interpreter(folder: &Path) -> PathBuf {
    folder.join("bin/python")
}

/// A name as `repertoire.yaml` can write it, and that does not mean the machine's own Python.
pub(crate) fn check_name(name: &str) -> Outcome {
    let valid = name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'));
    if !valid {
        let shown: String = name.chars().take(80).collect();
        return Err(Failure::usage(format!("`{shown}` cannot be the name of a profile"))
            .hint("use a-z, 0-9, `.`, `_` and `-`, at most 64 of them"));
    }
    if name == sandbox::DEFAULT_PROFILE {
        return Err(Failure::usage("the profile `default` is the machine's own Python")
            .hint("choose another name, or set `sandbox.python` in the configuration"));
    }
    Ok(())
}

/// The bytes of a folder's files.
pub(crate) fn size_of(folder: &Path) -> u64 {
    let mut total = 0;
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => waiting.push(entry.path()),
                Ok(metadata) => total += metadata.len(),
                Err(_) => {}
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_inside_its_folder() {
        for good in ["data", "py3.12", "a_b-c", "0"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "default", "..", ".hidden", "a/b", "Data", "-x", &"a".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_folder_without_its_description_is_no_profile() {
        let folder = tempfile::tempdir().unwrap();
        let profiles = Profiles(folder.path().to_path_buf());
        fs::create_dir(folder.path().join("half")).unwrap();
        assert!(matches!(profiles.state("half").unwrap(), Entry::Broken));
        let held = profiles.lock("half").unwrap().unwrap();
        assert!(matches!(profiles.state("half").unwrap(), Entry::Building));
        assert!(profiles.remove("half").is_err(), "someone works on it");
        drop(held);
        profiles.remove("half").unwrap();
        assert!(profiles.list().unwrap().is_empty());
    }
}
