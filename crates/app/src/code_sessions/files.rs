//! The files of a session: putting them in, seeing them, taking them out. Every path is one that the code in the
//! session may have laid traps on; only the work folder itself resolves it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use manifest::read_zip;
use model::{Caller, CodeSessionId};
use policy::access::{self, Act};
use sandbox::{FileEntry, FileProblem, Folder, Limits};

use super::{CodeSession, Kept};
use crate::bounds::limits_of;
use crate::skills::archive_error;
use crate::{Code, Context, Error};

/// A file takes its bytes in blocks of this size.
const BLOCK: u64 = 4096;

/// A file in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Where, relative to the work folder.
    pub path: String,
    /// Its size.
    pub size: u64,
}

impl From<&FileEntry> for SessionFile {
    fn from(entry: &FileEntry) -> Self {
        Self { path: entry.path.clone(), size: entry.size }
    }
}

/// A file, or an archive of files, for a session.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// Where it goes; for an archive the folder its files go to, which may be empty.
    pub path: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether it is a zip archive whose files are meant.
    pub unpack: bool,
}

/// Files for a session.
#[derive(Debug, Clone)]
pub struct UploadFiles {
    /// The session; a new one when left out.
    pub session: Option<CodeSessionId>,
    /// The files. All of them go in, or none.
    pub files: Vec<NewFile>,
}

/// The files that went into a session.
#[derive(Debug, Clone)]
pub struct Uploaded {
    /// The session.
    pub session: CodeSession,
    /// The files.
    pub files: Vec<SessionFile>,
}

/// Puts files into a session; those that are there are replaced.
pub async fn upload(cx: &Context, caller: &Caller, request: UploadFiles) -> Result<Uploaded, Error> {
    access::decide(caller, Act::UseCodeSession)?;
    if request.files.is_empty() {
        return Err(Error::invalid(Code::InvalidRequest, "there is no file to upload"));
    }
    if let Some(id) = request.session {
        cx.code_sessions.find(cx, caller, id)?;
    }
    let limits = limits_of(cx, caller).await?;
    let files = unpack(cx, request.files, &limits).await?;
    let (occupied, discard) = cx.code_sessions.enter(cx, caller, request.session, &limits).await?;
    let folder = occupied.folder();
    let files = blocking(move || put_all(&folder, &files, &limits)).await?;
    if let Some(discard) = discard {
        discard.keep();
    }
    Ok(Uploaded { session: occupied.in_use().shown(), files })
}

/// Files that were made outside of any session, in one of their own from now on, if there is room.
pub async fn keep_files(cx: &Context, caller: &Caller, files: Vec<(String, Vec<u8>)>) -> Result<Kept, Error> {
    access::decide(caller, Act::UseCodeSession)?;
    if files.is_empty() {
        return Ok(Kept::NoFiles);
    }
    let limits = limits_of(cx, caller).await?;
    let folder = cx.runner.open_folder(limits.folder_bytes, limits.folder_files).await?;
    let files: Files = files.into_iter().map(|(path, content)| (path, content.into())).collect();
    let writing = folder.clone();
    blocking(move || put_all(&writing, &files, &limits)).await?;
    Ok(cx.code_sessions.adopt(cx, caller, CodeSessionId::new(cx.id()), folder).await)
}

type Files = BTreeMap<String, Arc<[u8]>>;

/// Every file by its path; the first hostile one refuses them all.
async fn unpack(cx: &Context, files: Vec<NewFile>, limits: &Limits) -> Result<Files, Error> {
    let mut all = Files::new();
    for file in files {
        if !file.unpack {
            insert(&mut all, &file.path, file.content.into())?;
            continue;
        }
        let _turn = cx.code_sessions.unpacking().acquire().await.ok();
        let archive_limits = archive_limits(cx, limits);
        let content = file.content;
        let unpacked = blocking(move || read_zip(&content, &archive_limits).map_err(archive_error)).await?;
        for (path, inner) in unpacked.tree.files() {
            let path = if file.path.is_empty() { path.to_string() } else { format!("{}/{path}", file.path) };
            insert(&mut all, &path, Arc::clone(&inner.content))?;
        }
    }
    check_folders(&all)?;
    Ok(all)
}

fn insert(all: &mut Files, path: &str, content: Arc<[u8]>) -> Result<(), Error> {
    Folder::check(path)?;
    match all.insert(path.to_owned(), content) {
        None => Ok(()),
        Some(_) => Err(Error::invalid(Code::InvalidPath, format!("the file `{path}` is there twice"))),
    }
}

/// The folders above a path, nearest last.
fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(end, _)| path.get(..end))
}

fn check_folders(files: &Files) -> Result<(), Error> {
    for path in files.keys() {
        if let Some(file) = folders_above(path).find(|folder| files.contains_key(*folder)) {
            let message = format!("`{file}` is both a file and a folder");
            return Err(Error::invalid(Code::InvalidPath, message));
        }
    }
    Ok(())
}

/// Whatever fits into a work folder may come in an archive; what looks like a bomb may not.
fn archive_limits(cx: &Context, limits: &Limits) -> manifest::Limits {
    manifest::Limits {
        max_files: usize::try_from(limits.folder_files).unwrap_or(usize::MAX),
        max_file_bytes: limits.folder_bytes,
        max_bundle_bytes: limits.folder_bytes,
        max_skill_file_bytes: limits.folder_bytes,
        max_archive_bytes: limits.folder_bytes,
        ..cx.limits.clone()
    }
}

/// Writes all files, or none: new ones first, so that what was there is replaced only when all else is done.
fn put_all(folder: &Folder, files: &Files, limits: &Limits) -> Result<Vec<SessionFile>, Error> {
    let (there, _) = folder.list(usize::try_from(limits.folder_files).unwrap_or(usize::MAX))?;
    let there: BTreeMap<_, _> = there.iter().map(|entry| (entry.path.as_str(), entry.size)).collect();
    check_room(&there, files, limits)?;
    let (replacing, new): (Vec<_>, Vec<_>) =
        files.iter().partition(|(path, _)| there.contains_key(path.as_str()));
    for (at, (path, content)) in new.iter().enumerate() {
        if let Err(error) = folder.write(path, content) {
            for (path, _) in new.iter().take(at) {
                // It was written a moment ago; if it is gone already, so much the better.
                let _ = folder.remove(path);
            }
            return Err(error.into());
        }
    }
    for (path, content) in replacing {
        folder.write(path, content)?;
    }
    Ok(files
        .iter()
        .map(|(path, content)| SessionFile { path: path.clone(), size: content.len() as u64 })
        .collect())
}

/// Refuses files that do not fit, before any is written.
fn check_room(there: &BTreeMap<&str, u64>, files: &Files, limits: &Limits) -> Result<(), Error> {
    let sizes = there.iter().map(|(path, size)| (*path, *size));
    let mut after: BTreeMap<&str, u64> = sizes.collect();
    after.extend(files.iter().map(|(path, content)| (path.as_str(), content.len() as u64)));
    let blocks = after.values().map(|size| size.checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX));
    let bytes = blocks.fold(0, u64::saturating_add);
    let folders: BTreeSet<&str> = after.keys().flat_map(|path| folders_above(path)).collect();
    let entries = (after.len() + folders.len()) as u64;
    if bytes > limits.folder_bytes || entries > limits.folder_files {
        let message = format!(
            "the files do not fit into the session: it holds {} bytes and {} files and folders; remove some first",
            limits.folder_bytes, limits.folder_files
        );
        return Err(Error::invalid(Code::TooLarge, message));
    }
    match files.keys().find(|path| folders.contains(path.as_str())) {
        Some(path) => Err(wrong(path, FileProblem::NotPlain)),
        None => Ok(()),
    }
}

fn wrong(path: &str, problem: FileProblem) -> Error {
    Error::Sandbox(sandbox::Error::File { path: path.to_owned(), problem })
}

/// The files of a session by path, and whether there are more than are listed.
pub async fn list_files(
    cx: &Context,
    caller: &Caller,
    id: CodeSessionId,
) -> Result<(CodeSession, Vec<SessionFile>, bool), Error> {
    access::decide(caller, Act::ReadCodeSession)?;
    let in_use = cx.code_sessions.find(cx, caller, id)?;
    let (folder, most) = (in_use.folder(), most_listed(cx));
    let (files, truncated) = blocking(move || Ok(folder.list(most)?)).await?;
    Ok((in_use.shown(), files.iter().map(SessionFile::from).collect(), truncated))
}

fn most_listed(cx: &Context) -> usize {
    usize::try_from(cx.execution.limits.folder_files).unwrap_or(usize::MAX)
}

/// Which file to give out.
#[derive(Debug, Clone)]
pub struct DownloadFile {
    /// The session.
    pub session: CodeSessionId,
    /// Where it is.
    pub path: String,
}

/// A file to read from.
#[derive(Debug)]
pub struct Downloaded {
    /// The file; reading from it may wait for a disk.
    pub file: std::fs::File,
    /// Its size at this moment.
    pub size: u64,
}

/// A file of a session.
pub async fn download(cx: &Context, caller: &Caller, request: DownloadFile) -> Result<Downloaded, Error> {
    access::decide(caller, Act::ReadCodeSession)?;
    let in_use = cx.code_sessions.find(cx, caller, request.session)?;
    let (folder, most) = (in_use.folder(), cx.execution.limits.folder_bytes);
    blocking(move || {
        let (file, size) = folder.open(&request.path)?;
        // A file full of holes says it has more than any folder holds.
        if size > most {
            return Err(wrong(&request.path, FileProblem::TooLarge));
        }
        Ok(Downloaded { file, size })
    })
    .await
}

/// Removes a file of a session, or without a path everything in its folder; how many files that were.
pub async fn delete_files(
    cx: &Context,
    caller: &Caller,
    id: CodeSessionId,
    path: Option<String>,
) -> Result<(CodeSession, u64), Error> {
    access::decide(caller, Act::UseCodeSession)?;
    let limits = limits_of(cx, caller).await?;
    let (occupied, _) = cx.code_sessions.enter(cx, caller, Some(id), &limits).await?;
    let folder = occupied.folder();
    let removed = if let Some(path) = path {
        blocking(move || Ok(folder.remove(&path)?)).await?;
        1
    } else {
        let most = most_listed(cx);
        let (files, _) = blocking(move || Ok(folder.list(most)?)).await?;
        // What code left there may have any name, mode and depth; a new folder has none of it.
        occupied.replace_folder(cx.runner.open_folder(limits.folder_bytes, limits.folder_files).await?);
        files.len() as u64
    };
    Ok((occupied.in_use().shown(), removed))
}

/// Work on a folder, away from those who must not wait.
async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(act).await;
    done.unwrap_or_else(|error| Err(Error::Sandbox(sandbox::Error::Failed(error.to_string()))))
}
