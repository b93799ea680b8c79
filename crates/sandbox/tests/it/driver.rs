//! One process a mode that holds a sandbox; all tests of the mode ask it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};

use crate::host::Host;
use crate::leavings::{Leavings, at_the_end_of_the_binary};
use crate::trial::Answer;

const DRIVER: &str = env!("CARGO_BIN_EXE_sandbox-driver");
const ORDINARY_USER: &str = "1234";

/// As whom, and with what, the sandbox runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    RootWithCgroups,
    RootWithoutCgroups,
    OrdinaryUser,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::RootWithCgroups, Self::RootWithoutCgroups, Self::OrdinaryUser];

    fn slot(self) -> &'static OnceLock<Option<Driver>> {
        static DRIVERS: [OnceLock<Option<Driver>>; 3] = [const { OnceLock::new() }; 3];
        &DRIVERS[self as usize]
    }

    /// The driver of this mode; none where the machine cannot have the mode, which is said once.
    pub(crate) fn driver(self) -> Option<&'static Driver> {
        self.slot()
            .get_or_init(|| {
                static END: Once = Once::new();
                END.call_once(at_the_end_of_the_binary);
                let driver = Driver::start(self);
                if driver.is_none() {
                    say(&format!("{self:?}: not run, this user or machine cannot have it"));
                }
                driver
            })
            .as_ref()
    }

    /// The driver of this mode, if a test has started it.
    pub(crate) fn started(self) -> Option<&'static Driver> {
        self.slot().get().and_then(Option::as_ref)
    }
}

/// A driver that runs.
pub(crate) struct Driver {
    pub(crate) host: Host,
    pub(crate) has_data_python: bool,
    pub(crate) leavings: Leavings,
    child: Mutex<Child>,
    requests: Mutex<Option<ChildStdin>>,
    waiting: Arc<Mutex<HashMap<u64, Sender<Value>>>>,
    next: AtomicU64,
}

impl Driver {
    /// Starts a driver of its own; none where the machine cannot have the mode.
    pub(crate) fn start(mode: Mode) -> Option<Self> {
        Self::start_with(mode, &json!({}))
    }

    /// The same with more profiles, and with what is hidden.
    pub(crate) fn start_with(mode: Mode, extra: &Value) -> Option<Self> {
        let root = rustix::process::geteuid().is_root();
        if !root && mode != Mode::OrdinaryUser {
            return None;
        }
        let host = Host::new();
        let leavings = Leavings::before();
        let mut child = command(mode, root, &host).spawn().expect("the driver starts");
        let mut requests = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let data_python = data_python(root && mode == Mode::OrdinaryUser);
        let mut settings = settings(mode, &host, data_python.as_deref());
        let profiles = settings["profiles"].as_array_mut().unwrap();
        profiles.extend(extra["profiles"].as_array().into_iter().flatten().cloned());
        settings["hidden"] = if extra["hidden"].is_null() { json!([]) } else { extra["hidden"].clone() };
        writeln!(requests, "{settings}").unwrap();
        let waiting: Arc<Mutex<HashMap<u64, Sender<Value>>>> = Arc::default();
        let (ready, started) = channel();
        waiting.lock().unwrap().insert(0, ready);
        let dispatching = waiting.clone();
        std::thread::spawn(move || dispatch(answers, &dispatching));
        let started = started.recv().expect("the driver answers");
        let protections = started["protections"].as_array().unwrap_or_else(|| panic!("{mode:?}: {started}"));
        let cgroups = protections.iter().any(|found| {
            found["name"].as_str().is_some_and(|name| name == "control_groups") && found["active"] == true
        });
        if mode == Mode::RootWithCgroups && !cgroups {
            drop(requests);
            let _ = child.wait();
            return None;
        }
        assert!(!cgroups || mode != Mode::RootWithoutCgroups, "control groups are off: {started}");
        Some(Self {
            host,
            has_data_python: data_python.is_some(),
            leavings,
            child: Mutex::new(child),
            requests: Mutex::new(Some(requests)),
            waiting,
            next: AtomicU64::new(1),
        })
    }

    /// Sends a request; its answer comes through the channel.
    pub(crate) fn send(&self, mut request: Value) -> (u64, Receiver<Value>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        request["id"] = json!(id);
        let (answer, waiting) = channel();
        self.waiting.lock().unwrap().insert(id, answer);
        let mut requests = self.requests.lock().unwrap();
        writeln!(requests.as_mut().expect("the driver was not ended"), "{request}")
            .expect("the driver reads");
        (id, waiting)
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&self, request: Value) -> Value {
        receive(&self.send(request).1)
    }

    /// Executes and waits.
    pub(crate) fn execute(&self, order: &Value) -> Answer {
        let answer = self.ask(json!({ "execute": order }));
        assert!(answer["error"].is_null(), "there was no execution: {}", answer["error"]);
        Answer(answer)
    }

    /// The driver's own process.
    pub(crate) fn process(&self) -> u32 {
        self.child.lock().unwrap().id()
    }

    /// Ends it politely and waits until it is gone.
    pub(crate) fn end(&self) -> bool {
        self.requests.lock().unwrap().take();
        self.child.lock().unwrap().wait().is_ok_and(|status| status.success())
    }

    /// Ends it in the middle of everything.
    pub(crate) fn kill(&self) {
        let mut child = self.child.lock().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Waits for an answer, much longer than any execution may take.
pub(crate) fn receive(waiting: &Receiver<Value>) -> Value {
    waiting.recv_timeout(Duration::from_secs(90)).expect("the driver answers in time and does not end")
}

fn dispatch(answers: BufReader<ChildStdout>, waiting: &Mutex<HashMap<u64, Sender<Value>>>) {
    for line in answers.lines() {
        let Ok(answer) =
            line.map_err(drop).and_then(|line| serde_json::from_str::<Value>(&line).map_err(drop))
        else {
            break;
        };
        let id = answer["id"].as_u64().unwrap_or(u64::MAX);
        if let Some(receiver) = waiting.lock().unwrap().remove(&id) {
            let _ = receiver.send(answer);
        }
    }
    // Whoever still waits is told by the closed channel.
    waiting.lock().unwrap().clear();
}

fn command(mode: Mode, root: bool, host: &Host) -> Command {
    let mut command = if root && mode == Mode::OrdinaryUser {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", ORDINARY_USER, "--regid", ORDINARY_USER, "--clear-groups", "--"]);
        command.arg(driver_for_everyone(host));
        command
    } else {
        Command::new(DRIVER)
    };
    command
        .arg("drive")
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TMPDIR", host.temporary())
        .env("SECRET_OF_THE_SERVER", &host.secret)
        .current_dir(host.folder())
        // By which everything it starts can be told from what others started.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// A copy of the driver where every user may read and run it.
fn driver_for_everyone(host: &Host) -> PathBuf {
    let copy = host.folder().join("sandbox-driver");
    if !copy.exists() {
        std::fs::copy(DRIVER, &copy).unwrap();
        std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o755)).unwrap();
    }
    copy
}

fn settings(mode: Mode, host: &Host, data_python: Option<&Path>) -> Value {
    let driver = match mode {
        Mode::OrdinaryUser => driver_for_everyone(host),
        _ => PathBuf::from(DRIVER),
    };
    let mut profiles = vec![json!({ "name": "default", "python": python(), "preload": [] })];
    if let Some(python) = data_python {
        profiles.push(json!({ "name": "data", "python": python, "preload": ["numpy", "pandas"] }));
    }
    json!({
        "jail_command": [driver, "jail"],
        "profiles": profiles,
        "cgroups": mode != Mode::RootWithoutCgroups,
        "spares": 2,
        "hold_open": [host.secret_file(), host.folder(), "/"],
    })
}

/// A Python that every user may run.
pub(crate) fn python() -> PathBuf {
    let of_the_system = PathBuf::from("/usr/bin/python3");
    if of_the_system.exists() { of_the_system } else { PathBuf::from("python3") }
}

/// The Python with numpy and pandas that `REPERTOIRE_TEST_DATA_PYTHON` names, if this user may read it.
fn data_python(as_another_user: bool) -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("REPERTOIRE_TEST_DATA_PYTHON")?);
    let readable = !as_another_user
        || Command::new("setpriv")
            .args(["--reuid", ORDINARY_USER, "--regid", ORDINARY_USER, "--clear-groups", "--"])
            // Through a shell: setpriv itself may still execute what that user may not.
            .args(["sh", "-c", "exec \"$0\" -c 'import numpy, pandas'"])
            .arg(&python)
            .current_dir("/")
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    if !readable {
        say("data frames as an ordinary user: not run, that user cannot read the Python that has pandas");
    }
    readable.then_some(python)
}

/// Says a line that is seen although the test passes.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
