//! Functions of the program that embeds the sandbox, for the code to call: the only way it can ask for anything.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Bytes of one call; and of one answer.
const MOST_ASKED: usize = 256 << 10;
const MOST_ANSWERED: usize = 8 << 20;
/// Calls of one execution.
const MOST_CALLS: usize = 1_000;

/// A module of functions that the code may import and call.
#[derive(Clone)]
pub struct HostModule {
    /// Its name in the code.
    pub name: String,
    /// Its functions.
    pub functions: Vec<String>,
    /// Does a call; an error is raised in the code, with this text.
    pub call: Arc<dyn Fn(HostCall) -> Result<Value, String> + Send + Sync>,
}

impl std::fmt::Debug for HostModule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HostModule").field("name", &self.name).finish_non_exhaustive()
    }
}

/// One call of the code. Whatever it says is untrusted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct HostCall {
    /// The function.
    pub function: String,
    /// Its arguments by position.
    #[serde(default)]
    pub arguments: Vec<Value>,
    /// Its arguments by name.
    #[serde(default)]
    pub named: Map<String, Value>,
}

/// What the code is told of the module.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HostNames {
    pub(crate) name: String,
    pub(crate) functions: Vec<String>,
}

/// Answers the calls of one execution, until it is over.
pub(crate) struct Answering {
    stream: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl Answering {
    /// Begins; gives the end that goes to the code.
    pub(crate) fn start(module: HostModule) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut stream = ours.try_clone()?;
        let thread = std::thread::Builder::new()
            .name("sandbox-host".to_owned())
            .stack_size(512 << 10)
            .spawn(move || {
                for _ in 0..MOST_CALLS {
                    if answer(&mut stream, &module).is_err() {
                        break;
                    }
                }
                // Whoever asks on is told by the end of the stream.
                let _ = stream.shutdown(std::net::Shutdown::Both);
            })?;
        Ok((Self { stream: ours, thread: Some(thread) }, theirs.into()))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn answer(stream: &mut UnixStream, module: &HostModule) -> io::Result<()> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > MOST_ASKED {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut asked = vec![0; length];
    stream.read_exact(&mut asked)?;
    let said = match serde_json::from_slice::<HostCall>(&asked) {
        Ok(call) if module.functions.contains(&call.function) => (module.call)(call),
        Ok(call) => Err(format!("there is no function `{}` in `{}`", call.function, module.name)),
        Err(error) => Err(format!("the call cannot be read: {error}")),
    };
    let mut said = serde_json::to_vec(&said)?;
    if said.len() > MOST_ANSWERED {
        said = serde_json::to_vec(&Err::<Value, _>("the answer is too large"))?;
    }
    let length = u32::try_from(said.len()).unwrap_or_default();
    stream.write_all(&length.to_be_bytes())?;
    stream.write_all(&said)
}
