//! Finds the skills below a path, or in an archive, without following a link or opening a device.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manifest::{Limits, read_zip};
use model::{Bundle, BundleFile, BundlePath};

use crate::exit::{Failure, Outcome};

/// Folders that are never part of a skill.
const LITTER: &[&str] = &[".git", "node_modules"];
/// How deep a tree is followed.
const MAX_DEPTH: usize = 32;

/// Something that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skipped {
    pub(crate) path: String,
    pub(crate) why: &'static str,
}

/// What a path holds.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) skills: Vec<Found>,
    pub(crate) skipped: Vec<Skipped>,
}

/// A skill that was found; its files are read when they are needed.
#[derive(Debug)]
pub(crate) struct Found {
    /// The folder's own name.
    pub(crate) folder: String,
    /// Where it stands: the import root's name and the path below it.
    pub(crate) source: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Files on disk, by their path in the bundle.
    Files(BTreeMap<String, PathBuf>),
    /// Files from an archive, read already.
    Read(Result<Bundle, String>),
}

/// Every skill at a path: a folder that is one, a tree with many, a `SKILL.md`, or an archive.
pub(crate) fn scan(path: &Path, limits: &Limits) -> Outcome<Scan> {
    let metadata = fs::metadata(path).map_err(|error| not_here(path, &error))?;
    if metadata.is_dir() {
        return scan_folder(path);
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    if lower == "skill.md" {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        return scan_folder(folder.unwrap_or_else(|| Path::new(".")));
    }
    let ending = lower.rsplit_once('.').map(|(_, ending)| ending);
    if metadata.is_file() && matches!(ending, Some("zip" | "skill")) {
        return scan_archive(path, name, limits);
    }
    Err(Failure::usage(format!("`{}` is neither a folder nor a .zip or .skill file", path.display())))
}

fn not_here(path: &Path, error: &std::io::Error) -> Failure {
    let failure = Failure::file("read", path, error);
    let text = path.to_string_lossy();
    let remote = text.contains("://") || text.starts_with("git@") || text.matches('/').count() == 1;
    if error.kind() == std::io::ErrorKind::NotFound && remote {
        failure.hint("sources are folders and archives on this machine; clone or download it first")
    } else {
        failure
    }
}

fn scan_folder(root: &Path) -> Outcome<Scan> {
    // `.` and `..` have no name of their own.
    let real = root.canonicalize().map_err(|error| Failure::file("read", root, &error))?;
    let own = real.file_name().and_then(|name| name.to_str()).unwrap_or("root").to_owned();
    let name = root_name(&real, &own);
    let mut walk = Walk { files: Vec::new(), folders: Vec::new(), skipped: Vec::new() };
    walk.enter(&real, "", 0).map_err(|error| Failure::file("read", root, &error))?;
    let Walk { files, folders, mut skipped } = walk;
    let mut skills: BTreeMap<String, BTreeMap<String, PathBuf>> =
        folders.into_iter().map(|folder| (folder, BTreeMap::new())).collect();
    for (relative, path) in files {
        if let Some((folder, inner)) = nearest(&skills, &relative)
            && let Some(files) = skills.get_mut(&folder)
        {
            files.insert(inner, path);
        }
    }
    // What lies outside every skill is nobody's loss.
    skipped.retain(|one| nearest(&skills, &one.path).is_some());
    let skills = skills
        .into_iter()
        .map(|(folder, files)| {
            let source = if folder.is_empty() { name.clone() } else { format!("{name}/{folder}") };
            let last = folder.rsplit('/').next().filter(|part| !part.is_empty()).unwrap_or(&own).to_owned();
            Found { folder: last, source, content: Content::Files(files) }
        })
        .collect();
    Ok(Scan { skills, skipped })
}

/// What an import root is called. Every agent keeps its skills in a folder `skills`; the one above tells them apart.
fn root_name(root: &Path, own: &str) -> String {
    let above = root.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    match above {
        Some(above) if own == "skills" => format!("{above}/{own}"),
        _ => own.to_owned(),
    }
}

/// The nearest skill folder above a file, and the file's path inside it.
fn nearest<T>(skills: &BTreeMap<String, T>, path: &str) -> Option<(String, String)> {
    let mut folder = path;
    loop {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        if skills.contains_key(folder) {
            let inner = if folder.is_empty() { path } else { path.get(folder.len() + 1..)? };
            return Some((folder.to_owned(), inner.to_owned()));
        }
        if folder.is_empty() {
            return None;
        }
    }
}

struct Walk {
    files: Vec<(String, PathBuf)>,
    folders: Vec<String>,
    skipped: Vec<Skipped>,
}

impl Walk {
    fn enter(&mut self, folder: &Path, relative: &str, depth: usize) -> std::io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let shown = join(relative, &name.to_string_lossy());
            let kind = entry.file_type()?;
            let why = match name.to_str() {
                None => Some("its name is not UTF-8"),
                Some(name) if kind.is_dir() && LITTER.contains(&name) => continue,
                Some(".DS_Store") => continue,
                Some(_) if kind.is_symlink() => Some("symbolic links are not followed"),
                Some(_) if !kind.is_dir() && !kind.is_file() => Some("it is not a regular file"),
                Some(_) if kind.is_dir() && depth >= MAX_DEPTH => Some("it lies too deep"),
                Some(_) => None,
            };
            if let Some(why) = why {
                self.skipped.push(Skipped { path: shown, why });
            } else if kind.is_dir() {
                if let Err(error) = self.enter(&entry.path(), &shown, depth + 1) {
                    let why = match error.kind() {
                        std::io::ErrorKind::PermissionDenied => "it may not be read",
                        _ => "it cannot be read",
                    };
                    self.skipped.push(Skipped { path: shown, why });
                }
            } else {
                if matches!(name.to_str(), Some("SKILL.md" | "skill.md")) {
                    self.folders.push(relative.to_owned());
                }
                self.files.push((shown, entry.path()));
            }
        }
        Ok(())
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn scan_archive(path: &Path, name: &str, limits: &Limits) -> Outcome<Scan> {
    let failed = |error: std::io::Error| Failure::file("read", path, &error);
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(limits.max_archive_bytes + 1).read_to_end(&mut bytes).map_err(failed)?;
    let unpacked = read_zip(&bytes, limits)
        .map_err(|error| Failure::invalid(format!("`{}`: {error}", path.display())))?;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    // An archive that holds one folder of its own name is that folder.
    let source = |folder: &str| match folder.split('/').next() {
        Some(top) if top == stem => folder.to_owned(),
        Some("") | None => stem.clone(),
        Some(_) => format!("{stem}/{folder}"),
    };
    let skills = unpacked
        .tree
        .split()
        .into_iter()
        .map(|found| Found {
            folder: found
                .folder
                .rsplit('/')
                .next()
                .filter(|part| !part.is_empty())
                .unwrap_or(&stem)
                .to_owned(),
            source: source(&found.folder),
            content: Content::Read(found.bundle.map_err(|error| error.to_string())),
        })
        .collect();
    Ok(Scan { skills, skipped: Vec::new() })
}

impl Found {
    /// The skill's files, or why they cannot be a skill.
    pub(crate) fn bundle(&self, limits: &Limits) -> Result<Bundle, String> {
        let files = match &self.content {
            Content::Read(bundle) => return bundle.clone(),
            Content::Files(files) => files,
        };
        if files.len() > limits.max_files {
            return Err(format!("{} files; the limit is {}", files.len(), limits.max_files));
        }
        let mut total = 0;
        let mut read = BTreeMap::new();
        for (inner, path) in files {
            let key = BundlePath::parse(inner).map_err(|error| error.to_string())?;
            let file =
                read_file(path, limits.max_file_bytes).map_err(|error| format!("`{inner}`: {error}"))?;
            total += file.content.len() as u64;
            if total > limits.max_bundle_bytes {
                return Err(format!("more than {} bytes in all files together", limits.max_bundle_bytes));
            }
            read.insert(key, file);
        }
        Bundle::new(read).map_err(|error| error.to_string())
    }

    /// Where the skill's folder stands on disk, if it was not in an archive.
    pub(crate) fn location(&self) -> Option<PathBuf> {
        match &self.content {
            Content::Read(_) => None,
            Content::Files(files) => {
                let name = ["SKILL.md", "skill.md"].into_iter().find(|name| files.contains_key(*name))?;
                files.get(name)?.parent().map(Path::to_path_buf)
            }
        }
    }
}

/// Reads a regular file, and only the one that stood there when we looked.
fn read_file(path: &Path, limit: u64) -> Result<BundleFile, String> {
    let say = |error: std::io::Error| error.to_string();
    let seen = fs::symlink_metadata(path).map_err(say)?;
    if !seen.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if seen.len() > limit {
        return Err(format!("it has {} bytes; the limit for one file is {limit}", seen.len()));
    }
    let file = File::open(path).map_err(say)?;
    let opened = file.metadata().map_err(say)?;
    if !is_same(&seen, &opened) {
        return Err("it changed while it was read".to_owned());
    }
    let mut content = Vec::with_capacity(usize::try_from(opened.len()).unwrap_or_default());
    file.take(limit + 1).read_to_end(&mut content).map_err(say)?;
    if content.len() as u64 > limit {
        return Err(format!("it has more than {limit} bytes"));
    }
    let executable = opened.permissions().mode() & 0o111 != 0;
    Ok(BundleFile { content: Arc::from(content), executable })
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.dev() == other.dev() && one.ino() == other.ino()
}
