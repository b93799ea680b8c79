//! Tokens that `login` keeps, one a server, in a file that only its owner can read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use serde::Deserialize;

use super::{Secret, ServerEntry};
use crate::disk::private_folder;
use crate::exit::{Failure, Outcome};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    servers: BTreeMap<String, ServerEntry>,
}

/// The stored tokens.
pub(super) fn read(path: &Path) -> Outcome<BTreeMap<String, ServerEntry>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(Failure::file("read", path, &error)),
    };
    let file: File = toml::from_str(&text)
        .map_err(|error| Failure::usage(format!("`{}`: {}", path.display(), error.message())))?;
    Ok(file.servers)
}

/// Keeps a token for a server.
pub(crate) fn store_token(path: &Path, server: &str, token: &Secret) -> Outcome {
    let mut servers = read(path)?;
    servers.insert(server.to_owned(), ServerEntry { token: token.clone() });
    write(path, &servers)
}

/// Forgets the token of a server; says whether there was one.
pub(crate) fn forget_token(path: &Path, server: &str) -> Outcome<bool> {
    let mut servers = read(path)?;
    let known = servers.remove(server).is_some();
    if known {
        write(path, &servers)?;
    }
    Ok(known)
}

fn write(path: &Path, servers: &BTreeMap<String, ServerEntry>) -> Outcome {
    let mut text = "# Written by `repertoire login`. Keep it to yourself.\n".to_owned();
    for (server, entry) in servers {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let (server, token) = (quoted(server), quoted(entry.token.reveal()));
        // A `String` takes every write.
        let _ = write!(text, "\n[servers.{server}]\ntoken = {token}\n");
    }
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    private_folder(folder)?;
    let failed = |error: std::io::Error| Failure::file("write", path, &error);
    // A new file is made readable to its owner only, and takes the old one's place in one step.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
