//! Settings files of other programs: where they really are, and what changes in them.
//!
//! A file is read once, changed in memory, shown, and then written in one step; whoever changed it in between wins.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::Reach;
use crate::config::{Environment as _, ProcessEnvironment};
use crate::disk::rewrite_file;
use crate::exit::{Failure, Outcome};

/// A file or folder that belongs to another program.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// As people name it.
    file: PathBuf,
    /// Where it really is.
    pub(crate) real: PathBuf,
}

impl Place {
    /// The place below the home folder or the project's, which links must not leave.
    pub(crate) fn find(reach: Reach, at: impl FnOnce(&Path) -> PathBuf) -> Outcome<Self> {
        let base = match reach {
            Reach::User => ProcessEnvironment.get("HOME").map(PathBuf::from).ok_or_else(|| {
                Failure::usage("there is no home folder").hint("set HOME, or choose the project's settings")
            })?,
            Reach::Project => std::env::current_dir()
                .map_err(|error| Failure::usage(format!("cannot say which folder this is: {error}")))?,
        };
        let file = at(&base);
        let real = real_path(&file)?;
        let moved = !file.starts_with(&base);
        let base = base.canonicalize().map_err(|error| Failure::file("find", &base, &error))?;
        if !moved && !real.starts_with(&base) {
            let message =
                format!("`{}` leads to `{}`, outside `{}`", file.display(), real.display(), base.display());
            return Err(Failure::conflict(message).hint("put a file in the place of the link, and try again"));
        }
        Ok(Self { file, real })
    }

    /// The text of the file, if there is one.
    pub(crate) fn read(&self) -> Outcome<Option<String>> {
        match std::fs::read_to_string(&self.real) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(self.unreadable("it is not UTF-8")),
            Err(error) => Err(Failure::file("read", &self.file, &error)),
        }
    }

    pub(crate) fn shown(&self) -> String {
        self.file.display().to_string()
    }

    pub(crate) fn unreadable(&self, why: &str) -> Failure {
        Failure::invalid(format!("`{}` is left as it is: {why}", self.file.display()))
            .hint("mend it, and try again")
    }
}

/// What becomes of a file; `None` is no file.
#[derive(Debug)]
struct Edit {
    place: Place,
    before: Option<String>,
    after: Option<String>,
}

/// Changes to files that are shown before they are made. Changes to one file follow each other.
#[derive(Debug, Default)]
pub(crate) struct Edits(Vec<Edit>);

impl Edits {
    /// Notes what becomes of a file, and says whether that is a change.
    pub(crate) fn change(
        &mut self,
        place: &Place,
        act: impl FnOnce(Option<&str>) -> Result<Option<String>, String>,
    ) -> Outcome<bool> {
        let known = self.0.iter().position(|edit| edit.place.real == place.real);
        let before = match known.and_then(|index| self.0.get(index)) {
            Some(edit) => edit.after.clone(),
            None => place.read()?,
        };
        let after = act(before.as_deref()).map_err(|why| place.unreadable(&why))?;
        let changed = before != after;
        match known.and_then(|index| self.0.get_mut(index)) {
            Some(edit) => edit.after = after,
            None => self.0.push(Edit { place: place.clone(), before, after }),
        }
        Ok(changed)
    }

    /// What changes, as people read it; nothing where nothing does.
    pub(crate) fn difference(&self) -> String {
        self.changed().map(Edit::difference).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changed().next().is_none()
    }

    /// Makes the changes.
    pub(crate) fn write(&self) -> Outcome {
        self.changed().try_for_each(Edit::write)
    }

    fn changed(&self) -> impl Iterator<Item = &Edit> {
        self.0.iter().filter(|edit| edit.before != edit.after)
    }
}

impl Edit {
    fn difference(&self) -> String {
        let name = self.place.shown();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (before, after) = (text(&self.before), text(&self.after));
        TextDiff::from_lines(&before, &after)
            .unified_diff()
            .context_radius(2)
            .header(&name, &name)
            .to_string()
    }

    fn write(&self) -> Outcome {
        let Place { file, real } = &self.place;
        if self.place.read()? != self.before {
            let message = format!("`{}` was changed by someone else at the same time", file.display());
            return Err(Failure::conflict(message).hint("try again"));
        }
        match &self.after {
            Some(text) => rewrite_file(real, text.as_bytes()),
            None => std::fs::remove_file(real).map_err(|error| Failure::file("remove", real, &error)),
        }
    }
}

/// Where a file really is, links followed; it need not be there, nor the folders it will be in.
fn real_path(file: &Path) -> Outcome<PathBuf> {
    match file.canonicalize() {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::file("find", file, &error)),
        Err(_) => {}
    }
    if std::fs::symlink_metadata(file).is_ok() {
        return Err(Failure::conflict(format!("`{}` is a link that leads nowhere", file.display()))
            .hint("remove it, and try again"));
    }
    match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) => Ok(real_path(folder)?.join(name)),
        _ => Ok(file.to_owned()),
    }
}
