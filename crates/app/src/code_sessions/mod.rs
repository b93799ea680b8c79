//! Code sessions: work folders that outlive executions, each of one caller.
//!
//! They live in the memory of this process, and end when they are idle or told to. What a session holds is reached
//! only by the person, agent and workspace it was made for; to everyone else it is not there.

mod execute;
mod expire;
mod files;
mod open;
mod skills_module;

pub use execute::{CodeError, ExecuteCode, Executed, execute};
pub(crate) use execute::{execute_admitted, execute_passing};
pub(crate) use expire::expire;
pub use files::{
    DownloadFile, Downloaded, NewFile, SessionFile, UploadFiles, Uploaded, delete_files, download,
    keep_files, list_files, upload,
};
pub use open::{Kept, Occupied, SessionSettings, Sessions};

use model::{Caller, CodeSessionId, Timestamp};
use policy::access::{self, Act};

use crate::{Context, Error};

/// A code session, as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSession {
    /// Its id.
    pub id: CodeSessionId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Timestamp,
    /// When it ends if nobody uses it.
    pub expires_at: Timestamp,
    /// Whether it is used at this moment.
    pub in_use: bool,
}

/// The caller's sessions, oldest first.
pub fn list(cx: &Context, caller: &Caller) -> Result<Vec<CodeSession>, Error> {
    access::decide(caller, Act::ReadCodeSession)?;
    Ok(cx.code_sessions.of(cx, caller))
}

/// Ends a session, with what is being executed in it. Its files are gone.
pub fn end(cx: &Context, caller: &Caller, id: CodeSessionId) -> Result<(), Error> {
    access::decide(caller, Act::UseCodeSession)?;
    cx.code_sessions.end(cx, caller, id)
}

/// A session's work folder, for one execution in it; the next one waits until this is dropped. Whoever also needs a
/// place in the queue asks for it afterwards, so that nobody holds a place while they wait for a session.
pub async fn folder_of(cx: &Context, caller: &Caller, id: CodeSessionId) -> Result<Occupied, Error> {
    access::decide(caller, Act::UseCodeSession)?;
    cx.code_sessions.find(cx, caller, id)?.occupy(cx).await
}
