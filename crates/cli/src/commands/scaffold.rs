//! `repertoire init`: a new skill on disk.

use std::path::{Path, PathBuf};

use clap::Args;
use manifest::{Draft, body_template};
use model::{SkillName, slugify};
use serde_json::json;

use crate::disk::{Overwrite, write_folder};
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
    /// Make the folder in here
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
    /// Replace what is there
    #[arg(long)]
    force: bool,
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
        let bundle = draft.compose().map_err(|error| Failure::invalid(error.to_string()))?;
        let overwrite = if self.force { Overwrite::Yes } else { Overwrite::No };
        if self.name.is_some() {
            write_folder(&folder, &bundle, overwrite)?;
        } else {
            let (file, content) = bundle.skill_file();
            let path = folder.join(file);
            crate::disk::write_shared(&path, content, overwrite)?;
        }
        let file = folder.join("SKILL.md");
        let value = json!({"name": name.as_str(), "file": file.display().to_string()});
        output.result(&value, || {
            format!(
                "made {}\nnext: write it, check it with `repertoire validate {}`, then `repertoire import {}`",
                file.display(),
                folder.display(),
                folder.display()
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
