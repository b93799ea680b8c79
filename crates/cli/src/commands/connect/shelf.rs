//! Skills as files in the folder that a host reads them from, kept in step with the library.
//!
//! A record beside them says what we wrote. What a person changed or made is not ours: it is neither replaced nor
//! removed unless they say so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use model::{Bundle, Digest, SkillName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::{Client, Skill, api};
use crate::commands::skill::stored_bundle;
use crate::disk::{Fingerprint, Known, fingerprint, replace_folder, rewrite_file, some_of, strangers};
use crate::exit::{Failure, Outcome};
use crate::hosts::Place;

/// The file that says what we wrote.
const RECORD: &str = ".repertoire.json";
const VERSION: u32 = 1;
/// Why a skill is spared, and what to do about it.
const CHANGED: &str = "it was changed here";
const FORCE: &str = "--force replaces it";

/// What we wrote into a folder, for whom, and from which library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: u32,
    /// The hosts that read the folder.
    hosts: BTreeSet<String>,
    /// The flags that name the library.
    library: Vec<String>,
    /// Whether skills that only one person sees are among them.
    personal: bool,
    skills: BTreeMap<String, Written>,
}

/// A skill that we wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    revision: u64,
    digest: String,
    files: BTreeMap<String, String>,
}

/// What is asked for.
pub(super) struct Wish {
    /// The flags that name the library.
    pub(super) library: Vec<String>,
    /// A host that reads the folder from now on.
    pub(super) host: Option<&'static str>,
    /// Also what only one person sees; as recorded where left out.
    pub(super) personal: Option<bool>,
    /// Replace and remove what a person changed.
    pub(super) force: bool,
}

/// A folder of skills, and what we know to have written there.
pub(super) struct Shelf {
    place: Place,
    record: Option<Record>,
}

/// What will be done to a folder.
pub(super) struct Plan {
    place: Place,
    before: Option<Record>,
    after: Option<Record>,
    steps: Vec<Step>,
    /// Skills that are only of one person, and stay out.
    left_out: Vec<String>,
    unchanged: usize,
}

enum Step {
    Write { name: String, from: Option<u64>, to: u64, bundle: Bundle, found: Option<Fingerprint> },
    Remove { name: String, files: Vec<String>, found: Option<Fingerprint> },
    Spare { name: String, why: String, way: &'static str },
}

impl Shelf {
    pub(super) fn open(place: Place) -> Outcome<Self> {
        let file = place.real.join(RECORD);
        let record = match std::fs::read(&file) {
            Ok(bytes) => {
                let record: Record =
                    serde_json::from_slice(&bytes).map_err(|error| unreadable(&file, &error.to_string()))?;
                if record.version != VERSION {
                    return Err(unreadable(&file, "another version of this program wrote it"));
                }
                Some(record)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::file("read", &file, &error)),
        };
        Ok(Self { place, record })
    }

    pub(super) fn is_kept(&self) -> bool {
        self.record.is_some()
    }

    pub(super) fn is_same_folder(&self, other: &Self) -> bool {
        self.place.real == other.place.real
    }

    /// How many skills are kept here for a host.
    pub(super) fn count_for(&self, host: &str) -> Option<usize> {
        let record = self.record.as_ref().filter(|record| record.hosts.contains(host))?;
        Some(record.skills.len())
    }

    /// What brings the folder in step with the library.
    pub(super) async fn plan(self, client: &Client, wish: &Wish) -> Outcome<Plan> {
        self.is_of(&wish.library)?;
        let before = self.record.clone();
        let known = before.as_ref();
        let personal = wish.personal.or(known.map(|known| known.personal)).unwrap_or_default();
        let mut hosts = known.map(|known| known.hosts.clone()).unwrap_or_default();
        hosts.extend(wish.host.map(str::to_owned));
        let library = wish.library.clone();
        let record = Record { version: VERSION, hosts, library, personal, skills: BTreeMap::new() };
        let mut plan = Plan::new(self.place.clone(), before.clone(), record);
        let mut wanted = BTreeSet::new();
        for item in client.all(api("GET", &["skills"]).query("nearest", Some("true")), None).await? {
            let skill: Skill =
                serde_json::from_value(item).map_err(|error| Failure::internal(error.to_string()))?;
            // It becomes the name of a folder.
            SkillName::parse(&skill.name).map_err(|error| Failure::invalid(error.to_string()))?;
            if skill.scope.user_id.is_some() && !personal {
                plan.left_out.push(skill.name);
                continue;
            }
            let written = known.and_then(|known| known.skills.get(&skill.name));
            let (step, now) = self.place_one(client, &skill, written, wish.force).await?;
            plan.add(&skill.name, step, Some(now), written);
            wanted.insert(skill.name);
        }
        for (name, written) in known.into_iter().flat_map(|known| &known.skills) {
            if !wanted.contains(name) {
                plan.add(name, Some(self.remove_one(name, written, wish.force)?), None, Some(written));
            }
        }
        Ok(plan)
    }

    /// Refuses where the skills here are those of another library.
    fn is_of(&self, library: &[String]) -> Outcome {
        let Some(known) = self.record.as_ref().filter(|known| known.library != library) else {
            return Ok(());
        };
        let words: Vec<_> = known.library.iter().map(|word| crate::hosts::quote(word)).collect();
        let command = [&["repertoire connect sync".to_owned()], words.as_slice()].concat().join(" ");
        let message = format!("the skills in `{}` are kept in step with another library", self.place.shown());
        Err(Failure::conflict(message)
            .hint(format!("name that one, as `{command}` does, or undo the connection first")))
    }

    /// What takes back what was written for a host; nothing as long as another one reads it.
    pub(super) fn plan_undo(self, host: &str, force: bool) -> Outcome<Option<Plan>> {
        let Some(known) = self.record.clone().filter(|known| known.hosts.contains(host)) else {
            return Ok(None);
        };
        let mut after = known.clone();
        after.hosts.remove(host);
        let is_last = after.hosts.is_empty();
        let mut plan = Plan::new(self.place.clone(), Some(known.clone()), after);
        for (name, written) in &known.skills {
            let step = if is_last { Some(self.remove_one(name, written, force)?) } else { None };
            plan.add(name, step, Some(written.clone()), Some(written));
        }
        plan.after = plan.after.filter(|_| !is_last);
        Ok(Some(plan))
    }

    /// What to do about a skill of the library, and how it will be recorded.
    async fn place_one(
        &self,
        client: &Client,
        skill: &Skill,
        written: Option<&Written>,
        force: bool,
    ) -> Outcome<(Option<Step>, Written)> {
        let folder = self.place.real.join(&skill.name);
        let found = fingerprint(&folder)?;
        let found = found.as_ref();
        let is_ours = found.is_none_or(|found| written.is_some_and(|written| written.owns_all(found)));
        if let Some(written) = written
            && written.digest == skill.digest
            && found.is_some_and(|found| written.is_whole(found))
        {
            return Ok((None, Written { revision: skill.revision, ..written.clone() }));
        }
        let bundle = stored_bundle(client, &skill.id, Some(&skill.revision.to_string())).await?;
        let now = Written::of(skill, &bundle);
        if found.is_some_and(|found| now.is_whole(found)) {
            return Ok((None, now));
        }
        let name = skill.name.clone();
        if !is_ours && !force {
            let why = if written.is_some() { CHANGED } else { "it is not from the library" };
            return Ok((Some(Step::Spare { name, why: why.to_owned(), way: FORCE }), now));
        }
        let known = Known { files: files_of(written), ..Known::default() };
        if let Some(why) = found.map(|_| more_than_a_skill(&folder, &bundle, &known)).transpose()?.flatten() {
            return Ok((Some(Step::Spare { name, why, way: "move that away first" }), now));
        }
        let from = written.filter(|_| found.is_some()).map(|written| written.revision);
        let found = found.cloned();
        Ok((Some(Step::Write { name, from, to: skill.revision, bundle, found }), now))
    }

    fn remove_one(&self, name: &str, written: &Written, force: bool) -> Outcome<Step> {
        let name = name.to_owned();
        // The record may have come with the project, from a stranger.
        SkillName::parse(&name)
            .map_err(|error| unreadable(&self.place.real.join(RECORD), &error.to_string()))?;
        let found = fingerprint(&self.place.real.join(&name))?;
        let there = found.clone().unwrap_or_default();
        if !force && !written.owns_all(&there) {
            return Ok(Step::Spare { name, why: CHANGED.to_owned(), way: FORCE });
        }
        let files = there.into_keys().filter(|file| written.files.contains_key(file)).collect();
        Ok(Step::Remove { name, files, found })
    }
}

impl Written {
    fn of(skill: &Skill, bundle: &Bundle) -> Self {
        let files = bundle
            .files()
            .map(|(path, file)| (path.as_str().to_owned(), Digest::of(&file.content).to_string()));
        Self { revision: skill.revision, digest: skill.digest.clone(), files: files.collect() }
    }

    /// Whether everything that is there is as we wrote it.
    fn owns_all(&self, found: &Fingerprint) -> bool {
        found.iter().all(|(path, digest)| {
            digest
                .is_some_and(|digest| self.files.get(path).is_some_and(|known| *known == digest.to_string()))
        })
    }

    /// Whether just that is there, and all of it.
    fn is_whole(&self, found: &Fingerprint) -> bool {
        self.owns_all(found) && found.len() == self.files.len()
    }
}

impl Plan {
    fn new(place: Place, before: Option<Record>, after: Record) -> Self {
        Self { place, before, after: Some(after), steps: Vec::new(), left_out: Vec::new(), unchanged: 0 }
    }

    /// Notes what becomes of a skill, and how it is recorded then; one that is spared stays recorded as it was.
    fn add(&mut self, name: &str, step: Option<Step>, now: Option<Written>, before: Option<&Written>) {
        let recorded = match &step {
            Some(Step::Spare { .. }) => before.cloned(),
            Some(Step::Remove { .. }) => None,
            Some(Step::Write { .. }) | None => now,
        };
        if let (Some(after), Some(recorded)) = (&mut self.after, recorded) {
            after.skills.insert(name.to_owned(), recorded);
        }
        match step {
            Some(step) => self.steps.push(step),
            None => self.unchanged += 1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.before == self.after && !self.steps.iter().any(Step::acts)
    }

    /// What will be done, a line each.
    pub(super) fn shown(&self) -> String {
        if self.is_empty() && self.steps.is_empty() {
            return String::new();
        }
        let mut lines = vec![format!("skills in {}", self.place.shown())];
        lines.extend(self.steps.iter().map(|step| match step {
            Step::Write { name, from: None, to, .. } => format!("  + {name}, revision {to}"),
            Step::Write { name, from: Some(from), to, .. } => {
                format!("  ~ {name}, revision {from} becomes {to}")
            }
            Step::Remove { name, .. } => format!("  - {name}"),
            Step::Spare { name, why, .. } => format!("  ! {name} is left alone: {why}"),
        }));
        lines.push(format!("  = {} as they are", self.unchanged));
        lines.join("\n") + "\n"
    }

    /// The same, for programs.
    pub(super) fn json(&self) -> Value {
        let names = |of: &dyn Fn(&Step) -> Option<&String>| -> Vec<&String> {
            self.steps.iter().filter_map(of).collect()
        };
        let spared = self.steps.iter().filter_map(|step| match step {
            Step::Spare { name, why, .. } => Some(json!({"name": name, "why": why})),
            _ => None,
        });
        let spared: Vec<_> = spared.collect();
        json!({
            "folder": self.place.shown(),
            "written": names(&|step| match step { Step::Write { name, .. } => Some(name), _ => None }),
            "removed": names(&|step| match step { Step::Remove { name, .. } => Some(name), _ => None }),
            "spared": spared,
            "left_out": self.left_out,
            "unchanged": self.unchanged,
        })
    }

    /// What a person should know afterwards.
    pub(super) fn notes(&self) -> Vec<String> {
        let spared = self.steps.iter().filter_map(|step| match step {
            Step::Spare { name, why, way } => Some(format!("`{name}` is left alone: {why}; {way}")),
            _ => None,
        });
        let left_out = (!self.left_out.is_empty()).then(|| {
            format!(
                "skills that only you see stay out of the project: {}; --personal writes them too",
                self.left_out.join(", ")
            )
        });
        spared.chain(left_out).collect()
    }

    /// Does it. Where a step fails, what was done before it is recorded.
    pub(super) fn apply(&self) -> Outcome {
        let root = &self.place.real;
        let mut record = self.half_way();
        for step in &self.steps {
            let done = self.take(step);
            if let (Err(_), Some(record)) = (&done, &record) {
                self.save(record)?;
            }
            done?;
            if let (Some(record), Step::Write { name, .. } | Step::Remove { name, .. }) = (&mut record, step)
            {
                let now = self.after.as_ref().and_then(|after| after.skills.get(name)).cloned();
                record.skills.remove(name);
                record.skills.extend(now.map(|now| (name.clone(), now)));
            }
        }
        if let Some(record) = &self.after {
            return self.save(record);
        }
        let file = root.join(RECORD);
        std::fs::remove_file(&file).map_err(|error| Failure::file("remove", &file, &error))?;
        drop_empty(root);
        root.parent().into_iter().for_each(drop_empty);
        Ok(())
    }

    /// The record before the first step: what a step is about stands in it as it was.
    fn half_way(&self) -> Option<Record> {
        let mut record = self.after.clone().or_else(|| self.before.clone())?;
        for step in &self.steps {
            if let Step::Write { name, .. } | Step::Remove { name, .. } = step {
                let before = self.before.as_ref().and_then(|before| before.skills.get(name)).cloned();
                record.skills.remove(name);
                record.skills.extend(before.map(|before| (name.clone(), before)));
            }
        }
        Some(record)
    }

    /// One step; whoever changed a folder since it was looked at wins.
    fn take(&self, step: &Step) -> Outcome {
        let (Step::Write { name, found, .. } | Step::Remove { name, found, .. }) = step else {
            return Ok(());
        };
        let folder = self.place.real.join(name);
        if fingerprint(&folder)? != *found {
            return Err(Failure::conflict(format!("`{}` was changed meanwhile", folder.display()))
                .hint("look at what it holds now, and try again"));
        }
        match step {
            Step::Write { bundle, .. } => {
                let written = self.before.as_ref().and_then(|before| before.skills.get(name));
                replace_folder(&folder, bundle, &Known { files: files_of(written), ..Known::default() })
            }
            Step::Remove { files, .. } => remove(&folder, files),
            Step::Spare { .. } => Ok(()),
        }
    }

    fn save(&self, record: &Record) -> Outcome {
        let text = serde_json::to_string_pretty(record);
        let text = text.map_err(|error| Failure::internal(error.to_string()))?;
        rewrite_file(&self.place.real.join(RECORD), format!("{text}\n").as_bytes())
    }
}

impl Step {
    fn acts(&self) -> bool {
        !matches!(self, Self::Spare { .. })
    }
}

/// The files that we wrote.
fn files_of(written: Option<&Written>) -> BTreeSet<String> {
    written.into_iter().flat_map(|written| written.files.keys().cloned()).collect()
}

/// Says what would be lost with a folder, if anything.
fn more_than_a_skill(folder: &Path, bundle: &Bundle, known: &Known) -> Outcome<Option<String>> {
    if !std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Ok(Some("it is not a folder".to_owned()));
    }
    let more = strangers(folder, bundle, known)?;
    Ok((!more.is_empty()).then(|| format!("it holds more than a skill: {}", some_of(&more))))
}

/// Removes these files of a folder, and the folders that are empty then.
fn remove(folder: &Path, files: &[String]) -> Outcome {
    let mut folders: BTreeSet<PathBuf> = BTreeSet::from([folder.to_owned()]);
    for file in files {
        let path = folder.join(file);
        std::fs::remove_file(&path).map_err(|error| Failure::file("remove", &path, &error))?;
        folders.extend(
            path.ancestors().skip(1).take_while(|above| above.starts_with(folder)).map(Path::to_owned),
        );
    }
    folders.iter().rev().for_each(|folder| drop_empty(folder));
    Ok(())
}

fn drop_empty(folder: &Path) {
    // What is not empty stays.
    let _ = std::fs::remove_dir(folder);
}

fn unreadable(file: &Path, why: &str) -> Failure {
    Failure::invalid(format!("`{}` is left as it is: {why}", file.display()))
        .hint("remove it to start anew; skills that are there already are then yours")
}

#[cfg(test)]
mod tests {
    use manifest::Draft;

    use super::*;
    use crate::hosts::Reach;

    fn bundle(name: &str) -> Bundle {
        Draft::new(SkillName::parse(name).unwrap(), "Do a thing.").compose().unwrap()
    }

    fn written(revision: u64, bundle: &Bundle) -> Written {
        let files = bundle.files();
        let files = files.map(|(path, file)| (path.to_string(), Digest::of(&file.content).to_string()));
        Written { revision, digest: String::new(), files: files.collect() }
    }

    #[test]
    fn what_changed_since_the_question_is_left_alone_and_what_was_done_is_recorded() {
        let world = tempfile::tempdir().unwrap();
        let place = Place::find(Reach::Project, |_| world.path().to_owned()).unwrap();
        let record = Record {
            version: VERSION,
            hosts: BTreeSet::from(["codex".to_owned()]),
            library: Vec::new(),
            personal: false,
            skills: BTreeMap::from([("two".to_owned(), written(1, &bundle("two")))]),
        };
        replace_folder(&place.real.join("two"), &bundle("two"), &Known::default()).unwrap();
        let mut plan =
            Plan::new(place.clone(), Some(record.clone()), Record { skills: BTreeMap::new(), ..record });
        for (name, before) in [("one", None), ("two", Some(written(1, &bundle("two"))))] {
            let found = fingerprint(&place.real.join(name)).unwrap();
            let step = Step::Write { name: name.to_owned(), from: None, to: 2, bundle: bundle(name), found };
            plan.add(name, Some(step), Some(written(2, &bundle(name))), before.as_ref());
        }
        let mine = place.real.join("two/SKILL.md");
        std::fs::write(&mine, "mine").unwrap();
        let refused = plan.apply().unwrap_err();
        assert!(refused.message.contains("was changed meanwhile"), "{}", refused.message);
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "mine");
        assert!(place.real.join("one/SKILL.md").is_file());
        let kept = Shelf::open(place.clone()).unwrap().record.unwrap();
        let revisions: Vec<_> = kept.skills.iter().map(|(name, one)| (name.as_str(), one.revision)).collect();
        assert_eq!(revisions, [("one", 2), ("two", 1)]);

        let found = fingerprint(&place.real.join("one")).unwrap();
        let files = vec!["SKILL.md".to_owned()];
        let mut plan = Plan::new(place.clone(), Some(kept.clone()), kept);
        plan.steps.push(Step::Remove { name: "one".to_owned(), files, found });
        std::fs::write(place.real.join("one/SKILL.md"), "mine too").unwrap();
        plan.apply().unwrap_err();
        assert_eq!(std::fs::read_to_string(place.real.join("one/SKILL.md")).unwrap(), "mine too");
    }
}
