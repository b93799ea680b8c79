//! `validate --reference`: the words of the reference validator, to the letter.

use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use manifest::reference::{Target, TargetKind, validate};

use crate::exit::{Exit, Failure, Outcome};
use crate::output::Output;

/// Judges each path and prints what the reference prints.
pub(super) fn run(paths: &[PathBuf], output: Output) -> Outcome<Exit> {
    let mut exit = Exit::Ok;
    for path in paths {
        if !path.exists() {
            return Err(Failure::usage(format!("path `{}` does not exist", path.display())));
        }
        let mut shown = python_path(path);
        if path.is_file() && is_skill_file(path) {
            shown = python_path(shown.parent().unwrap_or_else(|| Path::new("")));
        }
        let errors = judge(&shown);
        if errors.is_empty() {
            output.print(&format!("Valid skill: {}", shown.display()))?;
        } else {
            exit = Exit::Findings;
            let mut err = std::io::stderr().lock();
            // Nothing sensible is left to do when standard error is closed.
            let _ = writeln!(err, "Validation failed for {}:", shown.display());
            for error in errors {
                let _ = writeln!(err, "  - {error}");
            }
        }
    }
    Ok(exit)
}

fn judge(path: &Path) -> Vec<String> {
    let kind = match std::fs::metadata(path) {
        Err(_) => TargetKind::Missing,
        Ok(metadata) if metadata.is_dir() => TargetKind::Directory,
        Ok(_) => TargetKind::NotADirectory,
    };
    let bytes = ["SKILL.md", "skill.md"].into_iter().find_map(|name| {
        let file = path.join(name);
        file.is_file().then(|| std::fs::read(file).ok()).flatten()
    });
    let text = path.to_string_lossy();
    let name = match path.components().next_back() {
        Some(Component::Normal(name)) => name.to_string_lossy().into_owned(),
        Some(Component::ParentDir) => "..".to_owned(),
        _ => String::new(),
    };
    validate(Target { path: &text, kind, directory_name: &name, skill_file: bytes.as_deref() })
}

fn is_skill_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase() == "skill.md")
}

/// A path as Python's `Path` writes it: without `.` parts, and `.` for nothing.
fn python_path(path: &Path) -> PathBuf {
    let parts: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    if parts.as_os_str().is_empty() { PathBuf::from(".") } else { parts }
}
