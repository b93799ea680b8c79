//! `validate --fix`: repairs frontmatter in place.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use manifest::{Limits, fix};
use model::Bundle;
use serde_json::json;
use similar::TextDiff;

use crate::disk::{Found, Overwrite, write_shared};
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

fn write(folder: &Path, before: &Bundle, after: &Bundle, changed: &[String]) -> Outcome {
    for path in changed {
        let place = folder.join(path);
        let failed = |error: std::io::Error| Failure::file("write", &place, &error);
        match after.get(path) {
            Some(file) => {
                write_shared(&place, &file.content, Overwrite::Yes)?;
                if file.executable {
                    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).map_err(failed)?;
                }
            }
            // On a file system that ignores case the old name is the new file.
            None if after.get("SKILL.md").is_some() && is_one_file(folder) && before.get(path).is_some() => {}
            None => fs::remove_file(&place).map_err(failed)?,
        }
    }
    Ok(())
}

fn is_one_file(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |name: &str| fs::metadata(folder.join(name)).map(|metadata| metadata.ino()).ok();
    matches!((inode("SKILL.md"), inode("skill.md")), (Some(one), Some(other)) if one == other)
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
