//! Which policy is meant: a folder on disk, or a skill of the library.

use std::path::Path;

use manifest::Limits;
use model::Bundle;

use super::super::skill::{stored_bundle, wanted_name};
use crate::client::{Client, Pick, Reference, Skill, find_skill};
use crate::disk::{Scan, scan};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, line};

/// A policy as somebody named it.
pub(super) enum Target {
    /// Skills in a folder or an archive.
    Disk(Vec<OnDisk>),
    /// A skill of the library, or a revision of it.
    Library(Reference),
}

/// A skill on disk.
pub(super) struct OnDisk {
    /// Where it stands.
    pub(super) source: String,
    /// The name it asks for.
    pub(super) name: Option<String>,
    pub(super) bundle: Bundle,
    /// Whether there is a policy in it; one that cannot be read counts, so that somebody is told.
    has_policy: bool,
}

impl Target {
    /// The skill of this name.
    pub(super) fn in_library(text: &str) -> Outcome<Self> {
        text.parse().map(Self::Library).map_err(Failure::usage)
    }

    /// What stands at this path, or else the skill of this name.
    pub(super) fn read(text: &str, limits: &Limits, output: Output) -> Outcome<Self> {
        let path = Path::new(text);
        if !path.exists() {
            return Self::in_library(text);
        }
        let Scan { skills, skipped } = scan(path, limits)?;
        for one in skipped {
            output.note(&format!("left out {}: {}", line(&one.path), one.why));
        }
        let mut found = Vec::new();
        for skill in skills {
            let bundle = skill
                .bundle(limits)
                .map_err(|error| Failure::invalid(format!("`{}`: {error}", skill.source)))?;
            let read = manifest::read(&bundle, limits);
            let has_policy = read.map_or(true, |reading| reading.manifest.policy.is_some());
            let name = wanted_name(&bundle, &skill.folder, limits);
            found.push(OnDisk { source: skill.source, name, bundle, has_policy });
        }
        // In a tree with many skills only the policies are meant.
        if found.len() > 1 {
            found.retain(|one| one.has_policy);
        }
        if found.is_empty() {
            return Err(Failure::not_found(format!("there is no policy in `{}`", path.display()))
                .hint("a policy is a skill whose repertoire.yaml has a `policy` field"));
        }
        Ok(Self::Disk(found))
    }
}

/// The files of a skill of the library.
pub(super) async fn files_of(client: &Client, reference: &Reference) -> Outcome<(Skill, Bundle)> {
    let skill = find_skill(client, &reference.skill, Pick::Nearest).await?;
    let bundle = stored_bundle(client, &skill.id, reference.revision.as_deref()).await?;
    Ok((skill, bundle))
}

/// The skill of the library that has a name, if there is one.
pub(super) async fn of_name(client: &Client, name: &str) -> Outcome<Option<Skill>> {
    match find_skill(client, name, Pick::Only).await {
        Ok(skill) => Ok(Some(skill)),
        Err(failure) if failure.exit == Exit::NotFound => Ok(None),
        Err(failure) if failure.code == "ambiguous_name" => {
            Err(failure.hint("say which one it replaces with --replaces ID, or that it is new with --new"))
        }
        Err(failure) => Err(failure),
    }
}
