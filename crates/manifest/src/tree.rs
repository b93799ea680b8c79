//! A tree of files that may hold one skill, several, or none.

use std::collections::BTreeMap;

use model::{Bundle, BundleError, BundleFile, BundlePath, SKILL_FILE};

/// Files by path, none of them twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileTree {
    files: BTreeMap<BundlePath, BundleFile>,
}

/// A path that is already in the tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is there twice")]
pub struct DuplicatePath(String);

/// A folder with a `SKILL.md`, and the bundle it makes or the reason it makes none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The folder relative to the tree's root; empty for the root itself.
    pub folder: String,
    /// The skill, or why these files are none.
    pub bundle: Result<Bundle, BundleError>,
}

impl FileTree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; a path can be taken only once.
    pub fn insert(&mut self, path: BundlePath, file: BundleFile) -> Result<(), DuplicatePath> {
        if self.files.contains_key(&path) {
            return Err(DuplicatePath(path.to_string()));
        }
        self.files.insert(path, file);
        Ok(())
    }

    /// The files in path order.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&BundlePath, &BundleFile)> {
        self.files.iter()
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&BundleFile> {
        self.files.get(path)
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Every skill in the tree, in order of folder. A file belongs to the nearest folder above it that has a
    /// `SKILL.md`; a skill inside a skill is its own; files outside all skills are left out.
    pub fn split(self) -> Vec<Found> {
        let mut skills: BTreeMap<String, BTreeMap<BundlePath, BundleFile>> = BTreeMap::new();
        for path in self.files.keys().filter(|path| is_skill_file(path)) {
            skills.entry(folder_of(path.as_str()).to_owned()).or_default();
        }
        for (path, file) in self.files {
            let Some(folder) = nearest(&skills, path.as_str()) else { continue };
            let inner = path.as_str().get(if folder.is_empty() { 0 } else { folder.len() + 1 }..);
            // A part of a valid path is a valid path.
            if let (Some(Ok(inner)), Some(files)) = (inner.map(BundlePath::parse), skills.get_mut(&folder)) {
                files.insert(inner, file);
            }
        }
        skills.into_iter().map(|(folder, files)| Found { folder, bundle: Bundle::new(files) }).collect()
    }
}

fn is_skill_file(path: &BundlePath) -> bool {
    matches!(path.file_name(), SKILL_FILE | "skill.md")
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn nearest(skills: &BTreeMap<String, BTreeMap<BundlePath, BundleFile>>, path: &str) -> Option<String> {
    let mut folder = folder_of(path);
    loop {
        if skills.contains_key(folder) {
            return Some(folder.to_owned());
        }
        if folder.is_empty() {
            return None;
        }
        folder = folder_of(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(paths: &[&str]) -> Vec<(String, Result<Vec<String>, BundleError>)> {
        let mut tree = FileTree::new();
        for path in paths {
            tree.insert(BundlePath::parse(path).unwrap(), BundleFile::new(*b"x")).unwrap();
        }
        let names = |bundle: Bundle| bundle.files().map(|(path, _)| path.to_string()).collect();
        tree.split().into_iter().map(|found| (found.folder, found.bundle.map(names))).collect()
    }

    fn skill(folder: &str, files: &[&str]) -> (String, Result<Vec<String>, BundleError>) {
        (folder.to_owned(), Ok(files.iter().map(|&file| file.to_owned()).collect()))
    }

    #[test]
    fn files_go_to_the_nearest_skill() {
        let found = split(&[
            "README.md",
            "a/SKILL.md",
            "a/scripts/x.py",
            "a/inner/skill.md",
            "a/inner/deep/y.md",
            "b/c/SKILL.md",
            "b/notes.md",
        ]);
        let wanted = [
            skill("a", &["SKILL.md", "scripts/x.py"]),
            skill("a/inner", &["deep/y.md", "skill.md"]),
            skill("b/c", &["SKILL.md"]),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_skill_at_the_root_takes_the_rest() {
        let found = split(&["SKILL.md", "x/y.md", "sub/SKILL.md", "sub/z.md"]);
        assert_eq!(found, [skill("", &["SKILL.md", "x/y.md"]), skill("sub", &["SKILL.md", "z.md"])]);
        assert_eq!(split(&["README.md", "a/b.md"]), []);
    }

    #[test]
    fn one_bad_skill_does_not_hide_the_others() {
        let found = split(&["a/SKILL.md", "a/skill.md", "b/SKILL.md"]);
        assert!(matches!(found[0].1, Err(BundleError::Collision(..))));
        assert_eq!(found[1], skill("b", &["SKILL.md"]));
    }

    #[test]
    fn a_path_is_taken_once() {
        let mut tree = FileTree::new();
        let path = BundlePath::parse("a").unwrap();
        tree.insert(path.clone(), BundleFile::new(*b"x")).unwrap();
        assert!(tree.insert(path, BundleFile::new(*b"y")).is_err());
        assert_eq!(tree.get("a").unwrap().content.as_ref(), b"x");
    }
}
