//! A home folder of its own, the binary, and a server to talk to.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take before a test fails.
const DEADLINE: Duration = Duration::from_mins(1);

/// A machine with nothing on it.
pub(crate) struct World {
    folder: TempDir,
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes a skill.
    pub(crate) fn skill(&self, folder: &str, description: &str) {
        let name = folder.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n");
        self.write(&format!("{folder}/SKILL.md"), text);
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_repertoire"));
        command.args(args).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.folder.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Done {
        finish(&mut self.command(args))
    }

    /// Runs a command that must succeed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        self.run(args).expect_ok(args)
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let args: Vec<_> = args.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.ok(&args)).unwrap()
    }

    /// Starts a server on the data folder of this machine.
    pub(crate) fn serve(&self) -> Server {
        Server::start(self, &[])
    }
}

pub(crate) fn finish(command: &mut Command) -> Done {
    let output = command.output().unwrap();
    Done {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Done {
    pub(crate) fn expect_ok(self, args: &[&str]) -> String {
        assert_eq!(self.code, 0, "{args:?}\n{}\n{}", self.out, self.err);
        self.out
    }
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    lines: Receiver<String>,
    pub(crate) url: String,
    pub(crate) greeting: Vec<String>,
}

impl Server {
    pub(crate) fn start(world: &World, more: &[&str]) -> Self {
        Self::start_in(world, more, &[])
    }

    /// Starts it with these variables in its environment.
    pub(crate) fn start_in(world: &World, more: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::launch(world, more, |command| {
            command.envs(variables.iter().copied());
        })
    }

    /// Starts it where a process may have this many files open.
    pub(crate) fn start_with_open_files(world: &World, files: u32) -> Self {
        Self::launch(world, &[], |command| {
            let (program, home) = (command.get_program().to_owned(), world.folder.path());
            let args: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
            let mut limited = Command::new("sh");
            limited
                .args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &files.to_string()])
                .arg(program)
                .args(args);
            limited.current_dir(home).env_clear().env("HOME", home).stdin(Stdio::null());
            limited.env("PATH", std::env::var_os("PATH").unwrap_or_default());
            *command = limited;
        })
    }

    fn launch(world: &World, more: &[&str], prepare: impl FnOnce(&mut Command)) -> Self {
        let ready = world.path("ready");
        let _ = std::fs::remove_file(&ready);
        let mut args = vec!["serve", "--listen", "127.0.0.1:0", "--ready-file", ready.to_str().unwrap()];
        args.extend(more);
        if !more.contains(&"--metrics-listen") {
            args.extend(["--metrics-listen", "off"]);
        }
        let mut command = world.command(&args);
        prepare(&mut command);
        command.stderr(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut server = Self { child, lines, url: String::new(), greeting: Vec::new() };
        server.greeting = server.until("listening");
        server.url = format!("http://{}", std::fs::read_to_string(&ready).unwrap());
        server
    }

    /// The lines it says until one has this word in it.
    pub(crate) fn until(&mut self, word: &str) -> Vec<String> {
        let end = Instant::now() + DEADLINE;
        let mut seen = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("no `{word}` in {seen:#?}"));
            let found = line.contains(word);
            seen.push(line);
            if found {
                return seen;
            }
        }
    }

    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    /// The one-time link it printed.
    pub(crate) fn link(&self) -> String {
        let link = self.greeting.iter().find(|line| line.contains("/sign-in?link="));
        link.unwrap_or_else(|| panic!("no link in {:#?}", self.greeting)).trim().to_owned()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for the end, and gives back the exit code.
    pub(crate) fn wait(&mut self) -> i32 {
        let end = Instant::now() + DEADLINE;
        // Its standard error closes when it ends.
        while let Ok(_) | Err(RecvTimeoutError::Timeout) =
            self.lines.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            assert!(Instant::now() < end, "the server does not end");
        }
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    pub(crate) fn stop(mut self) {
        self.signal("-TERM");
        assert_eq!(self.wait(), 0);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Every file below a folder with its bytes and whether it may be executed.
pub(crate) fn tree(folder: &Path) -> Vec<(String, Vec<u8>, bool)> {
    use std::os::unix::fs::PermissionsExt as _;
    fn walk(folder: &Path, prefix: &str, into: &mut Vec<(String, Vec<u8>, bool)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), into);
            } else {
                let mode = entry.metadata().unwrap().permissions().mode();
                into.push((name, std::fs::read(entry.path()).unwrap(), mode & 0o111 != 0));
            }
        }
    }
    let mut files = Vec::new();
    walk(folder, "", &mut files);
    files.sort();
    files
}
