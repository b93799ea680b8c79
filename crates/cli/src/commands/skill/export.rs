//! `export`: the library's skills as folders, byte for byte.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use clap::Args;
use manifest::{Limits, read_zip};
use model::{AgentId, Bundle, BundlePath, ScopeKind, SkillId, SkillName, UserId};
use serde_json::{Value, json};

use crate::client::{Client, Pick, Reference, Skill, api, find_skill};
use crate::disk::{Known, Overwrite, replace_folder, strangers, write_folder, write_shared};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Progress, line};
use crate::session::Session;

/// How much of an archive is unpacked, whatever the server sends.
const MAX_BYTES: u64 = 1 << 30;
/// In how many earlier revisions a file is looked for that the folder holds and the skill does not.
const EARLIER: usize = 50;

/// What to export, and where to.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct ExportArgs {
    /// Which: NAME, ID, NAME@REVISION or NAME@LABEL
    #[arg(value_name = "SKILL", required_unless_present = "all")]
    skills: Vec<Reference>,
    /// Every skill you can see
    #[arg(long, conflicts_with = "skills")]
    all: bool,
    /// The folder to write into
    #[arg(long, value_name = "DIR", default_value = ".")]
    to: PathBuf,
    /// Write archives instead of folders
    #[arg(long)]
    zip: bool,
    /// Put each skill where it was imported from, below the folder
    #[arg(long, conflicts_with = "zip")]
    by_source: bool,
    /// Replace skills that are there
    #[arg(long)]
    force: bool,
}

/// One skill to write.
struct Job {
    skill: Skill,
    revision: Option<String>,
    target: PathBuf,
}

impl ExportArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome<Exit> {
        let output = session.output;
        let (written, failed) = session.work(async |client| self.write(client, output).await).await?;
        let value = json!({"written": written, "failed": failed});
        output.result(&value, || match written.as_slice() {
            [one] => format!("wrote {}", line(&super::text_of(one, "path"))),
            many => format!("wrote {} skills to {}", many.len(), self.to.display()),
        })?;
        for one in failed.iter().take(20) {
            output.note(&format!(
                "failed: {}: {}",
                super::text_of(one, "name"),
                line(&super::text_of(one, "why"))
            ));
        }
        Ok(if failed.is_empty() { Exit::Ok } else { Exit::Findings })
    }

    async fn write(&self, client: &Client, output: Output) -> Outcome<(Vec<Value>, Vec<Value>)> {
        let jobs = self.jobs(client).await?;
        let single = jobs.len() == 1;
        let progress = Progress::new(output, jobs.len(), "exporting");
        let (mut written, mut failed) = (Vec::new(), Vec::new());
        for (place, job) in jobs.iter().enumerate() {
            // Those inside come right behind.
            let behind = jobs.get(place + 1..).unwrap_or_default().iter();
            let inside = behind.map_while(|other| other.target.strip_prefix(&job.target).ok());
            let inside = inside.filter_map(|path| path.to_str().map(str::to_owned)).collect();
            let done = self.write_one(client, job, inside).await;
            progress.add(1);
            match done {
                Ok(()) => {
                    written.push(json!({"name": job.skill.name, "path": job.target.display().to_string()}));
                }
                Err(failure) if single => return Err(failure),
                Err(failure) => failed.push(json!({"name": job.skill.name, "why": failure.message})),
            }
        }
        progress.finish();
        Ok((written, failed))
    }

    async fn write_one(&self, client: &Client, job: &Job, inside: BTreeSet<String>) -> Outcome {
        let archive = archive(client, &job.skill.id, job.revision.as_deref()).await?;
        if self.zip {
            let overwrite = if self.force { Overwrite::Yes } else { Overwrite::No };
            return write_shared(&job.target, &archive, overwrite);
        }
        let bundle = unpack(&archive)?;
        if !self.force {
            return write_folder(&job.target, &bundle);
        }
        let is_folder = std::fs::symlink_metadata(&job.target).is_ok_and(|found| found.is_dir());
        let known = if is_folder { known(client, job, &bundle, inside).await? } else { Known::default() };
        replace_folder(&job.target, &bundle, &known)
    }

    async fn jobs(&self, client: &Client) -> Outcome<Vec<Job>> {
        let mut wanted = Vec::new();
        if self.all {
            for item in client.all(api("GET", &["skills"]), None).await? {
                let skill: Skill =
                    serde_json::from_value(item).map_err(|error| Failure::internal(error.to_string()))?;
                check_names(&skill)?;
                wanted.push((skill, None));
            }
        } else {
            for reference in &self.skills {
                let skill = find_skill(client, &reference.skill, Pick::Nearest).await?;
                check_names(&skill)?;
                wanted.push((skill, reference.revision.clone()));
            }
        }
        let mut taken = HashSet::new();
        let mut jobs: Vec<Job> = wanted
            .into_iter()
            .map(|(skill, revision)| {
                let target = self.to.join(self.place(&skill, &mut taken));
                Job { skill, revision, target }
            })
            .collect();
        // A skill inside another one's folder comes after it.
        jobs.sort_by(|one, other| one.target.cmp(&other.target));
        Ok(jobs)
    }

    /// Where a skill goes, relative to the folder; no two go to one place.
    fn place(&self, skill: &Skill, taken: &mut HashSet<PathBuf>) -> PathBuf {
        let ending = if self.zip { ".zip" } else { "" };
        let source = skill.source.as_deref().filter(|_| self.by_source);
        // A source is foreign text: only one that is a sound path is followed.
        let source =
            source.and_then(|source| BundlePath::parse(source).ok()).map(|path| PathBuf::from(path.as_str()));
        let owner = [&skill.scope.user_id, &skill.scope.agent_id].into_iter().flatten().next();
        let short =
            |id: &String| id.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect::<String>();
        let scoped = match owner {
            Some(owner) => format!("{}@{}-{}{ending}", skill.name, skill.scope.kind, short(owner)),
            None => format!("{}@{}{ending}", skill.name, skill.scope.kind),
        };
        let choices = source.into_iter().chain([
            PathBuf::from(format!("{}{ending}", skill.name)),
            PathBuf::from(scoped),
            PathBuf::from(format!("{}@{}{ending}", skill.name, skill.id)),
        ]);
        let mut last = PathBuf::from(&skill.id);
        for choice in choices {
            if taken.insert(choice.clone()) {
                return choice;
            }
            last = choice;
        }
        last
    }
}

/// Refuses a skill whose names are not what names are: they become those of folders, and a server may say anything.
fn check_names(skill: &Skill) -> Outcome {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::invalid(format!("the server names a skill that cannot be written to disk: {error}"))
    };
    SkillName::parse(&skill.name).map_err(|error| wrong(&error))?;
    SkillId::parse(&skill.id).map_err(|error| wrong(&error))?;
    ScopeKind::parse(&skill.scope.kind).map_err(|error| wrong(&error))?;
    let owners = (&skill.scope.user_id, &skill.scope.agent_id);
    owners.0.as_deref().map(UserId::parse).transpose().map_err(|error| wrong(&error))?;
    owners.1.as_deref().map(AgentId::parse).transpose().map_err(|error| wrong(&error))?;
    Ok(())
}

/// What may stand in a skill's folder: other skills, and files as an earlier revision has them.
async fn known(client: &Client, job: &Job, bundle: &Bundle, inside: BTreeSet<String>) -> Outcome<Known> {
    let holds =
        |folder: &String| bundle.files().any(|(path, _)| Path::new(path.as_str()).starts_with(folder));
    let apart = inside.into_iter().filter(|folder| !holds(folder)).collect();
    let mut known = Known { files: BTreeSet::new(), apart };
    for number in (1..=job.skill.revision).rev().take(EARLIER) {
        if strangers(&job.target, bundle, &known)?.is_empty() {
            break;
        }
        let earlier = stored_bundle(client, &job.skill.id, Some(&number.to_string())).await?;
        let same = earlier.files().filter(|(path, file)| {
            std::fs::read(job.target.join(path.as_str())).is_ok_and(|found| found == *file.content)
        });
        known.files.extend(same.map(|(path, _)| path.to_string()));
    }
    Ok(known)
}

async fn archive(client: &Client, skill: &str, revision: Option<&str>) -> Outcome<Bytes> {
    let request = api("GET", &["skills", skill, "bundle"]).query("revision", revision);
    Ok(client.send(request).await?.body)
}

/// The files of a skill in the library.
pub(crate) async fn stored_bundle(client: &Client, skill: &str, revision: Option<&str>) -> Outcome<Bundle> {
    unpack(&archive(client, skill, revision).await?)
}

/// The one skill of an archive that the server made.
fn unpack(archive: &[u8]) -> Outcome<Bundle> {
    let unreadable = |why: String| Failure::internal(format!("the server's archive cannot be read: {why}"));
    // What the library holds was let in within its own limits, and packs as small as it does; only memory is bounded.
    let limits = Limits {
        max_files: usize::MAX,
        max_file_bytes: MAX_BYTES,
        max_bundle_bytes: MAX_BYTES,
        max_skill_file_bytes: MAX_BYTES,
        max_archive_bytes: u64::MAX,
        max_archive_entries: usize::MAX,
        max_expansion: u64::MAX,
    };
    let unpacked = read_zip(archive, &limits).map_err(|error| unreadable(error.to_string()))?;
    let mut files = std::collections::BTreeMap::new();
    for (path, file) in unpacked.tree.files() {
        // All files stand in one folder, named after the skill.
        let inner = path.as_str().split_once('/').map_or(path.as_str(), |(_, inner)| inner);
        let inner = BundlePath::parse(inner).map_err(|error| unreadable(error.to_string()))?;
        files.insert(inner, file.clone());
    }
    Bundle::new(files).map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_server_makes_up_are_refused() {
        let id = "0199a000-0000-7000-8000-000000000001";
        let skill = |name: &str, id: &str, kind: &str, user: Option<&str>| -> Skill {
            serde_json::from_value(json!({
                "id": id, "name": name, "title": "", "description": "", "origin": "", "status": "",
                "scope": {"kind": kind, "user_id": user}, "enabled": true, "usable": true, "revision": 1,
                "digest": "", "tags": [], "facets": [], "created_at": "", "updated_at": "",
            }))
            .unwrap()
        };
        check_names(&skill("tool", id, "user", Some(id))).unwrap();
        for (name, id, kind, user) in [
            ("/etc/cron.d", id, "workspace", None),
            ("../../.config/autostart", id, "workspace", None),
            ("..", id, "workspace", None),
            ("tool", "../x", "workspace", None),
            ("tool", id, "/../x", None),
            ("tool", id, "user", Some("x/../../y")),
        ] {
            let refused = check_names(&skill(name, id, kind, user)).unwrap_err();
            assert_eq!(refused.exit, Exit::Invalid, "{name} {id} {kind} {user:?}");
        }
    }
}
