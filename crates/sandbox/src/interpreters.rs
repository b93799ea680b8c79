//! What a Python profile is on this machine: its interpreter, and the folders it needs to be readable.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::Profile;

/// A Python that starts.
#[derive(Debug, Clone)]
pub(crate) struct Interpreter {
    pub(crate) python: PathBuf,
    pub(crate) readable: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Told {
    executable: PathBuf,
    folders: Vec<PathBuf>,
    version: (u32, u32),
}

const QUESTION: &str = "import sys, json, os
real = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
folders = [sys.prefix, sys.base_prefix, sys.exec_prefix, real, *sys.path]
print(json.dumps({'executable': sys.executable, 'folders': [f for f in folders if os.path.isdir(f)],
                  'version': sys.version_info[:2]}))";

const OLDEST: (u32, u32) = (3, 9);

/// Asks an interpreter about itself. It belongs to the machine's owner and is trusted.
pub(crate) fn ask(profile: &Profile, hidden: &[PathBuf]) -> Result<Interpreter, String> {
    let output = Command::new(&profile.python)
        .args(["-I", "-c", QUESTION])
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} does not start: {error}", profile.python.display()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().last().unwrap_or("it ended at once").to_owned());
    }
    let told: Told = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{} is not Python: {error}", profile.python.display()))?;
    if told.version < OLDEST {
        return Err(format!("Python {}.{} is too old; 3.9 is needed", told.version.0, told.version.1));
    }
    let mut readable: Vec<PathBuf> = Vec::new();
    for folder in told.folders {
        if !readable.iter().any(|known| folder.starts_with(known)) {
            check(&folder, hidden)?;
            readable.push(folder);
        }
    }
    Ok(Interpreter { python: told.executable, readable })
}

/// A folder that holds more than an installation must not become readable.
fn check(folder: &Path, hidden: &[PathBuf]) -> Result<(), String> {
    let too_much =
        ["/", "/home", "/root", "/etc", "/var", "/tmp", "/srv", "/opt", "/proc", "/sys", "/dev", "/run"];
    let is_home = folder.parent() == Some(Path::new("/home"));
    if is_home || too_much.iter().any(|much| folder == Path::new(much)) || !folder.is_absolute() {
        return Err(format!(
            "its packages stand in {}, which cannot be opened to untrusted code; make a virtual environment",
            folder.display()
        ));
    }
    // What lies around the data is shown without it. This would be shown empty, and the interpreter would not start.
    if folder.canonicalize().is_ok_and(|real| hidden.contains(&real)) {
        return Err(format!(
            "its packages stand in {}, which is the server's own; make a virtual environment elsewhere",
            folder.display()
        ));
    }
    Ok(())
}
