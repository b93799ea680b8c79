//! What use cases need from outside: time, randomness, and a way to copy the database.

use std::path::Path;

use async_trait::async_trait;
use model::Timestamp;
use store::StoreError;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// This moment, to the microsecond.
    fn now(&self) -> Timestamp;
}

/// Makes unpredictable bytes.
pub trait Random: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// Copies the whole database to a file, consistently, while it is in use.
#[async_trait]
pub trait Backup: Send + Sync {
    /// Writes a new SQLite file; it must not exist yet.
    async fn write(&self, file: &Path) -> Result<(), StoreError>;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)] // this is the one place that reads the clock
    fn now(&self) -> Timestamp {
        let now = Timestamp::now_utc();
        // What no database can keep must not enter the program.
        now.replace_nanosecond(now.microsecond() * 1_000).unwrap_or(now)
    }
}

/// The randomness of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsRandom;

impl Random for OsRandom {
    fn fill(&self, buffer: &mut [u8]) {
        #[allow(clippy::expect_used)] // without randomness there is no safe way on, not even an error answer
        getrandom::fill(buffer).expect("the operating system must provide randomness");
    }
}
