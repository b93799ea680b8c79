//! `repertoire backup` and `repertoire restore`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::client::api;
use crate::data_folder::DataFolder;
use crate::disk::Overwrite;
use crate::exit::{Exit, Failure, Outcome};
use crate::session::Session;
use crate::wiring::{self, Target};

/// Where to write a backup.
#[derive(Args)]
pub(crate) struct BackupArgs {
    /// The file to write: an SQLite database, whatever the library's own is
    file: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
}

impl BackupArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        if self.file.exists() && !self.force {
            return Err(Failure::conflict(format!("`{}` is there already", self.file.display()))
                .hint("pass --force to replace it"));
        }
        let overwrite = if self.force { Overwrite::Yes } else { Overwrite::No };
        let size = session
            .work(async |client| client.download(api("GET", &["backup"]), &self.file, overwrite).await)
            .await?;
        let value = json!({"file": self.file.display().to_string(), "bytes": size});
        session.output.result(&value, || format!("wrote {size} bytes to {}", self.file.display()))
    }
}

/// What to restore.
#[derive(Args)]
pub(crate) struct RestoreArgs {
    /// The backup file
    file: PathBuf,
}

impl RestoreArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let library = &session.settings.library;
        if library.server.value.is_some() {
            return Err(Failure::usage("a backup is restored where the library is, not through a server")
                .hint("run it there with --data DIR or --database URL"));
        }
        let (copied, place) = if let Some(url) = &library.database.value {
            (wiring::restore(&self.file, Target::Postgres(url)).await?, "the database".to_owned())
        } else {
            let folder = DataFolder::open(&library.data.value)?;
            let _lock = folder.try_lock()?.ok_or_else(|| {
                let message = format!("`{}` is in use", folder.path().display());
                Failure::new(Exit::Conflict, "data_folder_in_use", message).hint("end the server first")
            })?;
            let place = folder.path().display().to_string();
            (wiring::restore(&self.file, Target::Folder(&folder)).await?, place)
        };
        let total: u64 = copied.rows.iter().map(|(_, rows)| rows).sum();
        let tables: serde_json::Map<_, _> =
            copied.rows.iter().map(|(table, rows)| ((*table).to_owned(), json!(rows))).collect();
        session.output.result(&json!({"rows": total, "tables": tables}), || {
            format!("restored {total} rows into {place}")
        })
    }
}
