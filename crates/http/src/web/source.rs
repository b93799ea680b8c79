//! Where the files of the app come from: the program itself, or a folder.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rust_embed::RustEmbed;

/// The app as it stood in `ui/dist` when the program was built; nothing if it was not built then. A debug build reads
/// the folder each time.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Embedded;

/// Where the files of the web app come from.
#[derive(Debug, Clone)]
pub struct WebApp(Source);

#[derive(Debug, Clone)]
enum Source {
    Nowhere,
    Program,
    Folder(PathBuf),
}

/// The folder holds no web app.
#[derive(Debug, thiserror::Error)]
#[error("there is no web app in `{}`: it has no index.html", .0.display())]
pub struct NoWebApp(PathBuf);

impl WebApp {
    /// No app: pages are answered with how to get it.
    pub fn none() -> Self {
        Self(Source::Nowhere)
    }

    /// The app that this program carries, if it does.
    pub fn embedded() -> Self {
        Self(Source::Program)
    }

    /// The app in a folder, which is read at each request.
    pub fn in_folder(folder: &Path) -> Result<Self, NoWebApp> {
        if folder.join(FileName::INDEX.0).is_file() {
            Ok(Self(Source::Folder(folder.to_owned())))
        } else {
            Err(NoWebApp(folder.to_owned()))
        }
    }

    /// Whether there is an app.
    pub fn is_there(&self) -> bool {
        match &self.0 {
            Source::Nowhere => false,
            Source::Program => Embedded::get(FileName::INDEX.0).is_some(),
            Source::Folder(_) => true,
        }
    }

    /// The bytes of a file.
    pub(super) async fn read(&self, name: FileName<'_>) -> Option<Bytes> {
        match &self.0 {
            Source::Nowhere => None,
            Source::Program => Embedded::get(name.0).map(|file| match file.data {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes),
            }),
            Source::Folder(folder) => {
                let path = folder.join(name.0);
                let read = tokio::fs::read(&path).await;
                let missing = [ErrorKind::NotFound, ErrorKind::IsADirectory, ErrorKind::NotADirectory];
                read.inspect_err(|error| {
                    if !missing.contains(&error.kind()) {
                        tracing::error!(error = %error, file.path = %path.display(), "a file of the web app cannot be read");
                    }
                })
                .ok()
                .map(Bytes::from)
            }
        }
    }
}

/// The name of a file of the app: words of letters, digits and `-_.@+~` with slashes between them, none of which begins
/// with a dot. Hence it leads nowhere but into the folder that it is looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileName<'a>(&'a str);

impl<'a> FileName<'a> {
    /// The document that stands for every page.
    pub(super) const INDEX: FileName<'static> = FileName("index.html");

    /// The name that a path of a request asks for. It is taken as it was sent: no name of ours has to be escaped.
    pub(super) fn parse(path: &'a str) -> Option<Self> {
        let name = path.strip_prefix('/')?;
        let is_word = |word: &str| {
            !word.is_empty()
                && !word.starts_with('.')
                && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@+~".contains(&byte))
        };
        name.split('/').all(is_word).then_some(Self(name))
    }

    pub(super) fn as_str(self) -> &'a str {
        self.0
    }

    /// Whether another build would give another name to other bytes.
    pub(super) fn is_hashed(self) -> bool {
        self.0.starts_with("assets/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_but_down() {
        for good in ["/index.html", "/assets/index-Bx_1.js", "/assets/deep/er.woff2", "/a@2x.png"] {
            assert_eq!(FileName::parse(good).map(FileName::as_str), good.strip_prefix('/'), "{good}");
        }
        for bad in [
            "",
            "/",
            "//",
            "/a/",
            "//etc/passwd",
            "/..",
            "/../a",
            "/a/../b",
            "/a/..",
            "/.",
            "/.env",
            "/a/.git/b",
            "/%2e%2e/a",
            "/..%2fa",
            "/a\\b",
            "/a b",
            "/a\0b",
            "/C:/a",
            "/ä",
        ] {
            assert_eq!(FileName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_folder_without_a_document_is_no_app() {
        let folder = tempfile::tempdir().unwrap();
        let told = WebApp::in_folder(folder.path()).unwrap_err().to_string();
        assert!(told.contains("index.html") && told.contains(folder.path().to_str().unwrap()), "{told}");
        std::fs::write(folder.path().join("index.html"), "").unwrap();
        assert!(WebApp::in_folder(folder.path()).unwrap().is_there());
    }
}
