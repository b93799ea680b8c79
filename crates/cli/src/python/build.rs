//! Builds a profile where it will stand: a virtual environment cannot be moved.

use std::ffi::OsStr;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::Command;

use super::{Description, Entry, PROFILE_FILE, Profiles, check_name, interpreter};
use crate::disk::{Overwrite, private_folder, write_shared};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Paint, line};

/// How many of the last lines of a failed step are shown.
const LAST_LINES: usize = 12;
/// Runs a program whose files everybody may read: inside the sandbox it is somebody else who does.
const READABLE: &str = "umask 022 && exec \"$0\" \"$@\"";
/// What a new environment is asked about itself; its arguments are modules it should have.
const ABOUT: &str = "import importlib.metadata as m, importlib.util as u, json, platform, sys
def has(name):
    try: return u.find_spec(name) is not None
    except ImportError: return False
names = {d.metadata['Name'] for d in m.distributions()} - {'pip', 'setuptools', 'wheel'}
print(json.dumps({'version': platform.python_version(), 'packages': len(names),
    'missing': [name for name in sys.argv[1:] if not has(name)]}))";

/// A profile to build.
pub(crate) struct Request {
    /// Its name.
    pub(crate) name: String,
    /// The interpreter to start from.
    pub(crate) python: PathBuf,
    /// The requirements, as pip reads them.
    pub(crate) requirements: PathBuf,
    /// Modules that were asked for by name; without, the usual ones where they are installed.
    pub(crate) preload: Option<Vec<String>>,
    /// The usual ones.
    pub(crate) usual_preload: Vec<String>,
}

#[derive(Deserialize)]
struct About {
    version: String,
    packages: u64,
    missing: Vec<String>,
}

/// Builds a profile; when a step fails, nothing of it stays.
pub(crate) async fn build(profiles: &Profiles, request: &Request, output: Output) -> Outcome<Description> {
    let name = &request.name;
    check_name(name)?;
    let requirements = std::fs::read(&request.requirements)
        .map_err(|error| Failure::file("read", &request.requirements, &error))?;
    private_folder(&profiles.0)?;
    let _lock = profiles.need_lock(name)?;
    let folder = profiles.folder(name);
    if folder.exists() {
        if let Entry::Ready(_) = profiles.state(name)? {
            return Err(Failure::conflict(format!("there is a Python profile `{name}` already"))
                .hint(format!("`repertoire python remove {name}` removes it")));
        }
        std::fs::remove_dir_all(&folder).map_err(|error| Failure::file("remove", &folder, &error))?;
    }
    std::fs::DirBuilder::new()
        .mode(0o755)
        .create(&folder)
        .map_err(|error| Failure::file("create", &folder, &error))?;
    let unfinished = Unfinished(Some(folder.clone()));
    let built = tokio::select! {
        built = fill(&folder, request, output) => built?,
        _ = tokio::signal::ctrl_c() => return Err(Failure::new(Exit::Findings, "stopped", "stopped; nothing was kept")),
    };
    let description =
        Description { requirements_digest: model::Digest::of(&requirements).to_string(), ..built };
    let text = toml::to_string(&description).map_err(|error| Failure::internal(error.to_string()))?;
    write_shared(&folder.join(PROFILE_FILE), text.as_bytes(), Overwrite::Yes)?;
    unfinished.keep();
    Ok(description)
}

/// A folder that goes again unless it is kept.
struct Unfinished(Option<PathBuf>);

impl Unfinished {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            // What cannot be removed now is removed by the next build of the same name.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

async fn fill(folder: &Path, request: &Request, output: Output) -> Outcome<Description> {
    let shown = request.python.display();
    output.note(&format!("making a virtual environment with {shown}"));
    let made = [OsStr::new("-m"), OsStr::new("venv"), folder.as_os_str()];
    step(&request.python, &made, output).await.map_err(|failure| {
        failure.hint("the interpreter needs `venv` and `ensurepip`; on Debian: apt install python3-venv")
    })?;
    let python = interpreter(folder);
    output.note(&format!("installing from {}", request.requirements.display()));
    let install =
        ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "-r"];
    let mut install: Vec<&OsStr> = install.iter().map(OsStr::new).collect();
    install.push(request.requirements.as_os_str());
    step(&python, &install, output).await?;
    let wanted = request.preload.as_ref().unwrap_or(&request.usual_preload);
    let about = about(&python, wanted).await?;
    if request.preload.is_some() && !about.missing.is_empty() {
        let missing = about.missing.join("`, `");
        return Err(Failure::invalid(format!(
            "the requirements do not bring `{missing}`, named by --preload"
        ))
        .hint("add the package to the requirements, or leave the module out"));
    }
    let preload = wanted.iter().filter(|module| !about.missing.contains(module)).cloned().collect();
    Ok(Description {
        version: about.version,
        preload,
        packages: about.packages,
        requirements_digest: String::new(),
    })
}

/// Runs one step and shows what it says.
async fn step(program: &Path, arguments: &[&OsStr], output: Output) -> Outcome {
    let cannot = |error: std::io::Error| Failure::file("run", program, &error);
    let mut child = Command::new("sh")
        .args(["-c", READABLE])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(cannot)?;
    let (said, warned) = tokio::join!(
        follow(child.stdout.take(), output, Say::Lines),
        follow(child.stderr.take(), output, Say::Nothing)
    );
    let status = child.wait().await.map_err(cannot)?;
    if status.success() {
        return Ok(());
    }
    let arguments: Vec<_> = arguments.iter().take(3).map(|part| part.to_string_lossy()).collect();
    let message = format!("`{} {}` failed ({status})", program.display(), arguments.join(" "));
    let mut failure = Failure::new(Exit::Findings, "python_build_failed", message);
    failure.findings = if warned.is_empty() { said } else { warned };
    Err(failure)
}

/// Whether lines are shown as they come.
enum Say {
    Lines,
    Nothing,
}

/// Reads a stream to its end; gives back its last lines.
async fn follow(stream: Option<impl AsyncRead + Unpin>, output: Output, say: Say) -> Vec<String> {
    let mut last = Vec::new();
    let Some(stream) = stream else { return last };
    let mut reader = BufReader::new(stream);
    let mut bytes = Vec::new();
    while matches!(reader.read_until(b'\n', &mut bytes).await, Ok(read) if read > 0) {
        let text = line(String::from_utf8_lossy(&bytes).trim_end());
        if matches!(say, Say::Lines) && !output.json {
            output.note(&output.paint(Paint::Dim, &format!("  {text}")));
        }
        if last.len() == LAST_LINES {
            last.remove(0);
        }
        last.push(text);
        bytes.clear();
    }
    last
}

async fn about(python: &Path, wanted: &[String]) -> Outcome<About> {
    let asked = Command::new(python).args(["-I", "-c", ABOUT]).args(wanted).kill_on_drop(true).output().await;
    let done = asked.map_err(|error| Failure::file("run", python, &error))?;
    serde_json::from_slice(&done.stdout).map_err(|_| {
        let said = line(String::from_utf8_lossy(&done.stderr).trim());
        Failure::new(
            Exit::Findings,
            "python_build_failed",
            format!("the new environment does not work: {said}"),
        )
    })
}

/// The version of an interpreter, if it starts.
pub(crate) async fn version(python: &Path) -> Option<String> {
    let about = about(python, &[]);
    Some(tokio::time::timeout(std::time::Duration::from_secs(10), about).await.ok()?.ok()?.version)
}
