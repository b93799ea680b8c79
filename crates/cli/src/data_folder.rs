//! The data folder: who may work in it, and how to reach the server that does.
//!
//! Whoever writes to the database of a data folder holds its lock: a server for as long as it runs, a command for as
//! long as it takes. So a server's caches stay exact, and two commands never meet.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::client::http_client;
use crate::config::Secret;
use crate::disk::{private_folder, write_private};
use crate::exit::{Exit, Failure, Outcome};

/// How long a command waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it looks.
const PAUSE: Duration = Duration::from_millis(25);

/// A data folder.
#[derive(Debug, Clone)]
pub(crate) struct DataFolder(PathBuf);

/// The right to work in a data folder; it ends with the value, or with the process.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// A server that works in a data folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunningServer {
    pub(crate) url: String,
    pub(crate) pid: u32,
    /// Whether it serves beside an agent host that started it.
    #[serde(default)]
    pub(crate) bridge: bool,
}

/// What came of asking for the lock.
pub(crate) enum Claim {
    /// It is ours.
    Held(Lock),
    /// A server has it, which we can talk to.
    Serving(RunningServer, Secret),
}

impl DataFolder {
    /// The folder at a path, made if it is not there.
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        private_folder(path)?;
        Ok(Self(path.to_path_buf()))
    }

    /// The folder at a path, where a library is in it.
    pub(crate) fn existing(path: &Path) -> Outcome<Self> {
        let folder = Self(path.to_path_buf());
        if folder.database().is_file() {
            return Ok(folder);
        }
        Err(Failure::unavailable(format!("there is no library in `{}`", path.display()))
            .hint("is its disk there? `repertoire serve` makes a new library"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The database file.
    pub(crate) fn database(&self) -> PathBuf {
        self.0.join("repertoire.db")
    }

    /// Where a session with the running server is kept.
    pub(crate) fn session_file(&self) -> PathBuf {
        self.0.join("local.session")
    }

    fn server_file(&self) -> PathBuf {
        self.0.join("server.json")
    }

    fn token_file(&self) -> PathBuf {
        self.0.join("local.token")
    }

    /// Where the id of the token in `token_file` is kept until it is revoked, also after its server was killed.
    fn token_id_file(&self) -> PathBuf {
        self.0.join("local.token-id")
    }

    /// The lock, if nobody has it.
    pub(crate) fn try_lock(&self) -> Outcome<Option<Lock>> {
        let path = self.0.join("lock");
        let failed = |error: std::io::Error| Failure::file("lock", &path, &error);
        let file = File::options().create(true).write(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {
                // Whoever left these behind is gone.
                self.forget_server();
                Ok(Some(Lock { _file: file }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// The lock, or the server that has it; waits a while for another command.
    pub(crate) async fn claim(&self) -> Outcome<Claim> {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(lock) = self.try_lock()? {
                return Ok(Claim::Held(lock));
            }
            if let Some((server, token)) = self.server()
                && answers(&server.url).await
            {
                return Ok(Claim::Serving(server, token));
            }
            if Instant::now() >= end {
                let message = format!("another command is working in `{}`", self.0.display());
                return Err(
                    Failure::new(Exit::Unavailable, "busy", message).hint("try again when it is done")
                );
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The server that works here, as it described itself.
    pub(crate) fn server(&self) -> Option<(RunningServer, Secret)> {
        let server = serde_json::from_slice(&std::fs::read(self.server_file()).ok()?).ok()?;
        let token = std::fs::read_to_string(self.token_file()).ok()?;
        Some((server, Secret::new(token.trim())))
    }

    /// Describes the server that works here from now on.
    pub(crate) fn announce(&self, server: &RunningServer, token: &Secret) -> Outcome {
        write_private(&self.token_file(), token.reveal().as_bytes())?;
        let text = serde_json::to_vec(server).map_err(|error| Failure::internal(error.to_string()))?;
        write_private(&self.server_file(), &text)
    }

    /// The token that a server here made and nobody revoked.
    pub(crate) fn token_left(&self) -> Option<String> {
        std::fs::read_to_string(self.token_id_file()).ok().map(|id| id.trim().to_owned())
    }

    /// Notes which token a server here made.
    pub(crate) fn note_token(&self, id: &str) -> Outcome {
        write_private(&self.token_id_file(), id.as_bytes())
    }

    /// The token was revoked.
    pub(crate) fn forget_token(&self) {
        // What is not there needs no removing.
        let _ = std::fs::remove_file(self.token_id_file());
    }

    /// Takes the description away.
    pub(crate) fn forget_server(&self) {
        for file in [self.server_file(), self.token_file(), self.session_file()] {
            // What is not there needs no removing.
            let _ = std::fs::remove_file(file);
        }
    }
}

async fn answers(url: &str) -> bool {
    let client = http_client(url, |builder| builder.timeout(Duration::from_secs(2)).no_proxy());
    let Ok(client) = client else { return false };
    client.get(format!("{url}/healthz")).send().await.is_ok_and(|response| response.status().is_success())
}
