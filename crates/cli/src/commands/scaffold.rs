//! `repertoire init`: a new skill on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use manifest::{Draft, body_template};
use model::{Bundle, BundleFile, BundlePath, SkillName, slugify};
use serde_json::json;

use crate::disk::{Overwrite, write_folder, write_program, write_shared};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::Output;

/// A skill to start.
#[derive(Args)]
pub(crate) struct InitArgs {
    /// Its name, which is also the folder's; this folder's own name when left out
    name: Option<String>,
    /// What it does and when to use it
    #[arg(long)]
    description: Option<String>,
    /// Give it a procedure in this language: code that `repertoire run` runs
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    procedure: Option<ProcedureArg>,
    /// Make the folder in here
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
    /// Replace files of the same names
    #[arg(long)]
    force: bool,
}

/// The language of a procedure.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "lowercase")]
pub(crate) enum ProcedureArg {
    Python,
    Javascript,
    Shell,
}

impl ProcedureArg {
    /// The files of a procedure to start from: its declaration, and its code.
    fn files(self) -> [(&'static str, &'static str, bool); 2] {
        match self {
            Self::Python => [
                ("repertoire.yaml", include_str!("scaffold/python.yaml"), false),
                ("scripts/main.py", include_str!("scaffold/main.py"), false),
            ],
            Self::Javascript => [
                ("repertoire.yaml", include_str!("scaffold/javascript.yaml"), false),
                ("scripts/main.js", include_str!("scaffold/main.js"), false),
            ],
            Self::Shell => [
                ("repertoire.yaml", include_str!("scaffold/shell.yaml"), false),
                ("scripts/main.sh", include_str!("scaffold/main.sh"), true),
            ],
        }
    }

    /// A bundle with the procedure in it.
    fn add_to(self, bundle: &Bundle) -> Outcome<Bundle> {
        let wrong = |error: &dyn std::fmt::Display| Failure::internal(error.to_string());
        let mut files: BTreeMap<BundlePath, BundleFile> =
            bundle.files().map(|(path, file)| (path.clone(), file.clone())).collect();
        for (path, content, executable) in self.files() {
            let path = BundlePath::parse(path).map_err(|error| wrong(&error))?;
            files.insert(path, BundleFile { content: content.as_bytes().into(), executable });
        }
        Bundle::new(files).map_err(|error| wrong(&error))
    }
}

impl InitArgs {
    pub(crate) fn run(self, output: Output) -> Outcome<Exit> {
        let (name, folder) = match &self.name {
            Some(text) => {
                let name = SkillName::parse(text).map_err(|error| {
                    let failure = Failure::usage(error.to_string());
                    match slugify(text) {
                        Some(slug) => failure.hint(format!("try `repertoire init {slug}`")),
                        None => failure,
                    }
                })?;
                let folder = self.into.join(name.as_str());
                (name, folder)
            }
            None => own_folder(&self.into)?,
        };
        let description = self.description.unwrap_or_else(|| {
            "Say what this skill does, and when an agent should use it. Name the words people would say."
                .to_owned()
        });
        let mut draft = Draft::new(name.clone(), description.clone());
        draft.body = body_template(&title(name.as_str()), &description);
        let mut bundle = draft.compose().map_err(|error| Failure::invalid(error.to_string()))?;
        if let Some(language) = self.procedure {
            bundle = language.add_to(&bundle)?;
        }
        let overwrite = if self.force { Overwrite::Yes } else { Overwrite::No };
        if self.name.is_some() && !self.force {
            write_folder(&folder, &bundle)?;
        } else {
            for (path, file) in bundle.files() {
                let write = if file.executable { write_program } else { write_shared };
                write(&folder.join(path.as_str()), &file.content, overwrite)?;
            }
        }
        let file = folder.join("SKILL.md");
        let value = json!({"name": name.as_str(), "file": file.display().to_string()});
        output.result(&value, || {
            let (file, folder) = (file.display(), folder.display());
            let run = self.procedure.map(|_| format!(", then `repertoire run {name}`")).unwrap_or_default();
            format!(
                "made {file}\nnext: write it, check it with `repertoire validate {folder}`, then `repertoire import {folder}`{run}"
            )
        })?;
        Ok(Exit::Ok)
    }
}

/// `init` without a name makes the current folder a skill.
fn own_folder(folder: &Path) -> Outcome<(SkillName, PathBuf)> {
    let real = folder.canonicalize().map_err(|error| Failure::file("read", folder, &error))?;
    let own = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = SkillName::parse(own).map_err(|_| {
        Failure::usage(format!("the folder's name `{own}` cannot be the name of a skill"))
            .hint("name it: `repertoire init NAME`")
    })?;
    Ok((name, folder.to_path_buf()))
}

fn title(name: &str) -> String {
    let mut words = name.replace('-', " ");
    if let Some(first) = words.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_procedure_to_start_from_is_valid() {
        for language in [ProcedureArg::Python, ProcedureArg::Javascript, ProcedureArg::Shell] {
            let name = SkillName::parse("start").unwrap();
            let plain = Draft::new(name, "A start.").compose().unwrap();
            let bundle = language.add_to(&plain).unwrap();
            let reading = manifest::read(&bundle, &manifest::Limits::default()).unwrap();
            assert!(reading.findings.is_empty(), "{:?}", reading.findings);
            assert!(reading.manifest.procedure.is_some_and(|procedure| !procedure.parameters.is_empty()));
        }
    }
}
