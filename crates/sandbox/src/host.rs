//! Functions of the program that embeds the sandbox, for the code to call: the only way it can ask for anything.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

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

/// Answers the calls of one execution, until it is over. A call that is being done then is not waited for: its answer
/// is for nobody.
pub(crate) struct Answering {
    stream: UnixStream,
}

impl Answering {
    /// Begins; gives the end that goes to the code.
    pub(crate) fn start(module: HostModule) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut stream = ours.try_clone()?;
        std::thread::Builder::new().name("sandbox-host".to_owned()).stack_size(512 << 10).spawn(
            move || {
                for _ in 0..MOST_CALLS {
                    if answer(&mut stream, &module).is_err() {
                        break;
                    }
                }
                // Whoever asks on is told by the end of the stream.
                let _ = stream.shutdown(std::net::Shutdown::Both);
            },
        )?;
        Ok((Self { stream: ours }, theirs.into()))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_end_of_an_execution_does_not_wait_for_a_call_that_is_being_done() {
        const SOON: Duration = Duration::from_secs(20);
        let (begins, begun) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let (begins, released) = (Mutex::new(begins), Mutex::new(released));
        let call = move |_: HostCall| {
            begins.lock().unwrap().send(()).unwrap();
            let _ = released.lock().unwrap().recv();
            Ok(Value::Null)
        };
        let module =
            HostModule { name: "host".to_owned(), functions: vec!["wait".to_owned()], call: Arc::new(call) };
        let (answering, end) = Answering::start(module).unwrap();
        let mut code = UnixStream::from(end);
        let asked = br#"{"function": "wait"}"#;
        code.write_all(&u32::try_from(asked.len()).unwrap().to_be_bytes()).unwrap();
        code.write_all(asked).unwrap();
        begun.recv_timeout(SOON).unwrap();
        let (ends, ended) = mpsc::channel();
        std::thread::spawn(move || {
            drop(answering);
            ends.send(()).unwrap();
        });
        ended.recv_timeout(SOON).expect("the end waits for the call");
        drop(release);
        assert_eq!(code.read(&mut [0; 4]).unwrap(), 0, "nobody is answered");
    }
}
