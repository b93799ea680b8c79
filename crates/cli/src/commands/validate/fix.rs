//! `validate --fix`: repairs frontmatter in place.

use std::fs;
use std::path::{Path, PathBuf};

use manifest::{Limits, fix};
use model::Bundle;
use serde_json::json;
use similar::TextDiff;

use crate::disk::{Found, rewrite_file, write_like};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, count, line, text};

/// Repairs every skill, or shows what a repair would do.
pub(super) fn run(found: &[Found], dry_run: bool, limits: &Limits, output: Output) -> Outcome<Exit> {
    let mut exit = Exit::Ok;
    let mut all = Vec::new();
    for skill in found {
        let folder = skill.location().ok_or_else(|| {
            Failure::usage(format!("`{}` is in an archive; unpack it to repair it", skill.source))
        })?;
        let bundle = match skill.bundle(limits) {
            Ok(bundle) => bundle,
            Err(error) => {
                exit = Exit::Findings;
                output.note(&format!("{}: {}", line(&skill.source), line(&error)));
                continue;
            }
        };
        let fixed = fix(&bundle, Some(&skill.folder));
        let changed = changed_files(&bundle, &fixed.bundle);
        if !dry_run {
            write(&folder, &bundle, &fixed.bundle, &changed)?;
        }
        all.push(json!({"skill": skill.source, "files": changed, "changes": fixed.changes}));
        let silent = output.json || (changed.is_empty() && fixed.changes.is_empty());
        if !silent {
            output.print(&output.bold(&line(&skill.source)))?;
            for change in &fixed.changes {
                output.print(&format!("    {}", line(change)))?;
            }
            if dry_run {
                for path in &changed {
                    output.print(&text(&difference(&bundle, &fixed.bundle, path)))?;
                }
            }
        }
    }
    if output.json {
        output.json(&json!({"skills": all, "dry_run": dry_run}))?;
    } else {
        let touched =
            all.iter().filter(|one| one["files"].as_array().is_some_and(|files| !files.is_empty())).count();
        let verb = if dry_run { "would change" } else { "changed" };
        output.note(&format!("{verb} {touched} of {}", count(all.len() as u64, "skill")));
    }
    Ok(exit)
}

/// The files that differ, gone ones included.
fn changed_files(before: &Bundle, after: &Bundle) -> Vec<String> {
    let mut paths: Vec<String> =
        before.files().chain(after.files()).map(|(path, _)| path.to_string()).collect();
    paths.sort();
    paths.dedup();
    paths.retain(|path| before.get(path) != after.get(path));
    paths
}

/// Writes what changed. A file keeps its mode, and nothing that was not read is replaced.
fn write(folder: &Path, before: &Bundle, after: &Bundle, changed: &[String]) -> Outcome {
    let is_gone = |path: &&String| after.get(path).is_none();
    let former = |path: &String| {
        let other = changed.iter().filter(is_gone).find(|other| other.eq_ignore_ascii_case(path));
        other.filter(|_| before.get(path).is_none())
    };
    let is_new = |path: &&String| before.get(path).is_none() && former(path).is_none();
    for path in changed.iter().filter(is_new) {
        let place = folder.join(path);
        if fs::symlink_metadata(&place).is_ok() {
            let message = format!("`{}` is left as it is: it is a link, or no file", place.display());
            return Err(Failure::conflict(message).hint("put a file in its place, and try again"));
        }
    }
    // What takes something in comes before what gives it away.
    let (new, known): (Vec<_>, Vec<_>) = changed.iter().partition(is_new);
    for path in new.into_iter().chain(known) {
        let Some(file) = after.get(path) else { continue };
        let place = folder.join(path);
        if let Some(other) = former(path) {
            fs::rename(folder.join(other), &place)
                .map_err(|error| Failure::file("rename", &place, &error))?;
        }
        if is_new(&path) {
            write_like(&place, &file.content, &skill_file(folder, before))?;
        } else {
            rewrite_file(&place, &file.content)?;
        }
    }
    let renamed: Vec<_> = changed.iter().filter_map(former).collect();
    for path in changed.iter().filter(is_gone).filter(|path| !renamed.contains(path)) {
        let place = folder.join(path);
        fs::remove_file(&place).map_err(|error| Failure::file("remove", &place, &error))?;
    }
    Ok(())
}

/// The file that says what the skill is, as it is called on disk.
fn skill_file(folder: &Path, bundle: &Bundle) -> PathBuf {
    let name = bundle.files().find(|(path, _)| path.as_str().eq_ignore_ascii_case("SKILL.md"));
    folder.join(name.map_or("SKILL.md", |(path, _)| path.as_str()))
}

fn difference(before: &Bundle, after: &Bundle, path: &str) -> String {
    let read = |bundle: &Bundle| {
        bundle.get(path).map(|file| String::from_utf8_lossy(&file.content).into_owned()).unwrap_or_default()
    };
    let (old, new) = (read(before), read(after));
    TextDiff::from_lines(&old, &new)
        .unified_diff()
        .context_radius(2)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}
