//! PostgreSQL for tests: a database of its own for each test, or a whole server to kill.
//!
//! The work is done by `scripts/postgres`, which people can run by hand as well.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, Hasher as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A server that belongs to one test. Dropped, it is stopped and removed.
pub struct Cluster {
    folder: TempDir,
    url: String,
}

impl Cluster {
    /// Starts a fresh server.
    pub fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("repertoire-pg-").tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))
            .expect("an open folder");
        let url = script([OsStr::new("start"), folder.path().as_os_str()]);
        Self { folder, url }
    }

    /// The address of a database on it; `postgres` is always there.
    pub fn url(&self, database: &str) -> String {
        with_database(&self.url, database)
    }

    /// Makes a database and gives its address.
    pub fn create_database(&self, name: &str) -> String {
        psql(&self.url, &format!("CREATE DATABASE {name}"));
        self.url(name)
    }

    /// Ends every process of the server at once, as a power cut would.
    pub fn kill(&self) {
        script([OsStr::new("kill"), self.folder.path().as_os_str()]);
    }

    /// Starts it again after [`Cluster::kill`], at the same address.
    pub fn restart(&self) {
        let url = script([OsStr::new("start"), self.folder.path().as_os_str()]);
        assert_eq!(url, self.url, "the server came back at another address");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        script([OsStr::new("kill"), self.folder.path().as_os_str()]);
    }
}

/// A database that belongs to one test, on the server that `TEST_DATABASE_URL` names. Dropped, it is removed.
pub struct Database {
    server: String,
    name: String,
}

impl Database {
    /// Makes an empty database.
    pub fn fresh() -> Self {
        let server = environment("TEST_DATABASE_URL")
            .expect("TEST_DATABASE_URL is not set: run `make test`, which starts a PostgreSQL and sets it");
        let name = format!("test_{:016x}", RandomState::new().build_hasher().finish());
        psql(&server, &format!("CREATE DATABASE {name}"));
        Self { server, name }
    }

    /// Its address.
    pub fn url(&self) -> String {
        with_database(&self.server, &self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        psql(&self.server, &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

#[allow(clippy::disallowed_methods, reason = "tests are configured by the environment that `make test` sets")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Runs `scripts/postgres` and gives what it prints.
fn script<const N: usize>(arguments: [&OsStr; N]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/postgres");
    run(Command::new(script).args(arguments))
}

fn psql(url: &str, statement: &str) {
    let bin = environment("REPERTOIRE_PG_BIN").unwrap_or_else(|| script([OsStr::new("bin")]));
    let path = PathBuf::from(bin).join("psql");
    run(Command::new(path).args(["--no-psqlrc", "--quiet", "--command", statement, url]));
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {errors}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The same server's address with another database.
fn with_database(url: &str, database: &str) -> String {
    let (address, parameters) = url.split_once('?').map_or((url, None), |(url, rest)| (url, Some(rest)));
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end =
        address.get(authority..).and_then(|rest| rest.find('/')).map_or(address.len(), |at| authority + at);
    let server = address.get(..end).unwrap_or(address);
    match parameters {
        Some(parameters) => format!("{server}/{database}?{parameters}"),
        None => format!("{server}/{database}"),
    }
}

#[cfg(test)]
mod tests {
    use super::with_database;

    #[test]
    fn the_database_in_an_address_is_replaced() {
        for (url, expected) in [
            ("postgres://u@h:1/postgres", "postgres://u@h:1/x"),
            ("postgres://u@h:1", "postgres://u@h:1/x"),
            (
                "postgres://u:p%2F@h/a?sslmode=disable&options=/",
                "postgres://u:p%2F@h/x?sslmode=disable&options=/",
            ),
        ] {
            assert_eq!(with_database(url, "x"), expected);
        }
    }
}
