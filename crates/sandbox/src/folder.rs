//! A work folder, `/mnt/data` inside. Everything in it was made by untrusted code: no path of it is ever followed
//! out of the folder or through a link, and only plain files are read.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RawDir, ResolveFlags, fchmod, fstat, mkdirat, openat2, statat,
    unlinkat,
};
use rustix::io::Errno;

use crate::owner::{Owner, acting_as};
use crate::{Error, FileEntry, FileProblem};

const MOST_PARTS: usize = 32;
const INSIDE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// A work folder. Clones are the same folder; it goes with the last of them.
#[derive(Debug, Clone)]
pub struct Folder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: OwnedFd,
    owner: Option<Owner>,
    kept: Option<Kept>,
}

/// A folder that outlives executions, held by the jail under this number until it is dropped.
pub(crate) struct Kept {
    pub(crate) number: u64,
    pub(crate) owner_inside: u32,
    pub(crate) release: Box<dyn Fn(u64) + Send + Sync>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Kept({})", self.number)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        (self.release)(self.number);
    }
}

impl Folder {
    /// A folder of this machine as a work folder, for programs that bring their own.
    pub fn on(directory: OwnedFd) -> Self {
        Self(Arc::new(Inner { directory, owner: None, kept: None }))
    }

    pub(crate) fn owned(directory: OwnedFd, owner: Option<Owner>, kept: Option<Kept>) -> Self {
        Self(Arc::new(Inner { directory, owner, kept }))
    }

    pub(crate) fn kept(&self) -> Option<&Kept> {
        self.0.kept.as_ref()
    }

    /// The plain files in it by path, at most so many, and whether there were more.
    pub fn list(&self, most: usize) -> Result<(Vec<FileEntry>, bool), Error> {
        let mut found = Vec::new();
        let mut waiting = vec![String::new()];
        let mut truncated = false;
        while let Some(folder) = waiting.pop() {
            // It may be gone or closed to us by now; both leave nothing to list.
            let Ok(directory) = self.open_folder(&folder) else { continue };
            let Ok(mut entries) = Dir::new(directory) else { continue };
            while let Some(Ok(entry)) = entries.read() {
                let Ok(name) = entry.file_name().to_str() else { continue };
                if name == "." || name == ".." {
                    continue;
                }
                let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                let Ok(stat) =
                    entries.fd().and_then(|fd| statat(fd, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW))
                else {
                    continue;
                };
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Directory if path.split('/').count() < MOST_PARTS => waiting.push(path),
                    FileType::RegularFile if found.len() < most => found.push(FileEntry {
                        path,
                        size: u64::try_from(stat.st_size).unwrap_or_default(),
                        modified_ns: i128::from(stat.st_mtime) * 1_000_000_000
                            + i128::from(stat.st_mtime_nsec),
                    }),
                    FileType::RegularFile => truncated = true,
                    _ => {}
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((found, truncated))
    }

    /// Refuses a path that no work folder takes.
    pub fn check(path: &str) -> Result<(), Error> {
        parts(path).map(drop)
    }

    /// A plain file, to read from, and its size at this moment.
    pub fn open(&self, path: &str) -> Result<(std::fs::File, u64), Error> {
        let parts = parts(path)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = openat2(&self.0.directory, parts.join("/"), flags, Mode::empty(), INSIDE)
            .map_err(|error| problem(path, error))?;
        let stat = fstat(&file).map_err(|error| problem(path, error))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(wrong(path, FileProblem::NotPlain));
        }
        Ok((file.into(), u64::try_from(stat.st_size).unwrap_or(u64::MAX)))
    }

    /// The bytes of a plain file, if it has at most so many.
    pub fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, Error> {
        let (file, size) = self.open(path)?;
        if size > most {
            return Err(wrong(path, FileProblem::TooLarge));
        }
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(file, most.saturating_add(1)), &mut content)
            .map_err(|error| Error::Failed(error.to_string()))?;
        if content.len() as u64 > most {
            return Err(wrong(path, FileProblem::TooLarge));
        }
        Ok(content)
    }

    /// Writes a plain file, with the folders above it; one that is there is replaced.
    pub fn write(&self, path: &str, content: &[u8]) -> Result<(), Error> {
        self.write_with_mode(path, content, Mode::from_raw_mode(0o644))
    }

    pub(crate) fn write_with_mode(&self, path: &str, content: &[u8], mode: Mode) -> Result<(), Error> {
        let parts = parts(path)?;
        let written = acting_as(self.0.owner, || self.put(&parts, content, mode));
        written.map_err(|error| {
            // A file that did not fit must not stay there in part.
            if error == Errno::NOSPC {
                let _ = self.remove(path);
            }
            problem(path, error)
        })
    }

    fn put(&self, parts: &[&str], content: &[u8], mode: Mode) -> Result<(), Errno> {
        let Some((name, above)) = parts.split_last() else { return Err(Errno::INVAL) };
        let mut folder = self.0.directory.as_fd().try_clone_to_owned().map_err(|_| Errno::MFILE)?;
        for part in above {
            match mkdirat(&folder, *part, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            folder = openat2(&folder, *part, flags, Mode::empty(), INSIDE)?;
        }
        match statat(&folder, *name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
                return Err(Errno::ISDIR);
            }
            Ok(_) => unlinkat(&folder, *name, AtFlags::empty())?,
            Err(_) => {}
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat2(&folder, *name, flags, mode, INSIDE)?;
        fchmod(&file, mode)?;
        let mut rest = content;
        while !rest.is_empty() {
            let written = rustix::io::retry_on_intr(|| rustix::io::write(&file, rest))?;
            rest = rest.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) -> Result<(), Error> {
        let parts = parts(path)?;
        let Some((name, above)) = parts.split_last() else { return Err(wrong(path, FileProblem::Path)) };
        let folder = self.open_folder(&above.join("/")).map_err(|error| problem(path, error))?;
        let stat = statat(&folder, *name, AtFlags::SYMLINK_NOFOLLOW).map_err(|error| problem(path, error))?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return Err(wrong(path, FileProblem::NotPlain));
        }
        acting_as(self.0.owner, || unlinkat(&folder, *name, AtFlags::empty()))
            .map_err(|error| problem(path, error))
    }

    /// Lets its owner in again, whatever the code has made of its mode.
    pub(crate) fn reopen(&self) -> Result<(), Error> {
        let opened = acting_as(self.0.owner, || fchmod(&self.0.directory, Mode::from_raw_mode(0o700)));
        opened.map_err(|error| Error::Failed(format!("the work folder: {error}")))
    }

    /// Whether nothing at all is in it.
    pub(crate) fn is_empty(&self) -> bool {
        let Ok(folder) = self.open_folder("") else { return false };
        let mut buffer = [std::mem::MaybeUninit::uninit(); 512];
        let mut entries = RawDir::new(folder, &mut buffer);
        while let Some(Ok(entry)) = entries.next() {
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                return false;
            }
        }
        true
    }

    fn open_folder(&self, path: &str) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = if path.is_empty() { "." } else { path };
        openat2(&self.0.directory, path, flags, Mode::empty(), INSIDE)
    }
}

/// The parts of a path that stays inside, however it is resolved.
fn parts(path: &str) -> Result<Vec<&str>, Error> {
    let parts: Vec<_> = path.split('/').collect();
    let fine = |part: &&str| {
        !part.is_empty() && *part != "." && *part != ".." && part.len() <= 255 && !part.contains('\0')
    };
    if parts.len() > MOST_PARTS || !parts.iter().all(fine) {
        return Err(wrong(path, FileProblem::Path));
    }
    Ok(parts)
}

fn wrong(path: &str, problem: FileProblem) -> Error {
    Error::File { path: path.to_owned(), problem }
}

fn problem(path: &str, error: Errno) -> Error {
    let problem = match error {
        Errno::NOENT => FileProblem::Missing,
        Errno::NOSPC | Errno::DQUOT => FileProblem::Full,
        Errno::ISDIR | Errno::NXIO => FileProblem::NotPlain,
        Errno::LOOP | Errno::XDEV | Errno::NOTDIR | Errno::NAMETOOLONG => FileProblem::Path,
        Errno::ACCESS | Errno::PERM => FileProblem::Closed,
        error => return Error::Failed(format!("the work folder: {error}")),
    };
    wrong(path, problem)
}

#[cfg(test)]
mod tests;
