//! Makes a bundle as strict as it can be without touching its body: what `validate --fix` does.
//!
//! It never leaves out what somebody wrote. What cannot be written again in full stays as it is, and is named.

use model::{Bundle, SIDECAR_FILE, SKILL_FILE, SkillName, slugify};

use crate::clients::reference_errors;
use crate::edit::{Change, Changes, edit, lines, replace};
use crate::finding::shown;
use crate::frontmatter::split::{Shape, body_text};
use crate::frontmatter::{self, Fields, Frontmatter, our_name, standard_name};
use crate::limits::Limits;
use crate::sidecar;
use crate::yaml::{Entry, Node, Value, write as yaml};

/// A bundle after the repair, with each change in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixed {
    /// The bundle; the same as before when nothing was to do.
    pub bundle: Bundle,
    /// What was changed, and what could not be.
    pub changes: Vec<String>,
}

/// Repairs the frontmatter; the body and all other files stay as they are.
pub fn fix(bundle: &Bundle, folder: Option<&str>) -> Fixed {
    let folder = folder.and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    let mut fixed = Fixed { bundle: bundle.clone(), changes: Vec::new() };
    if std::str::from_utf8(bundle.skill_file().1).is_err() {
        fixed.changes.push("left `SKILL.md` as it is: it is not UTF-8 text".to_owned());
        return fixed;
    }
    fixed.rename();
    if !is_strict(&fixed.bundle, folder) {
        fixed.rewrite(folder);
    }
    fixed.report_length();
    fixed
}

/// Whether the reference takes it, and would also understand all of it.
fn is_strict(bundle: &Bundle, folder: Option<&str>) -> bool {
    !is_cut(bundle) && reference_errors(bundle, folder).is_empty()
}

/// How much the reference has against it, the name of its folder aside.
fn problems(bundle: &Bundle) -> usize {
    reference_errors(bundle, None).len() + usize::from(is_cut(bundle))
}

/// Whether the reference would take three hyphens inside the frontmatter for its end.
fn is_cut(bundle: &Bundle) -> bool {
    let text = String::from_utf8_lossy(bundle.skill_file().1);
    let yaml = frontmatter::split::split(&text).yaml;
    text.get(yaml).is_some_and(|yaml| yaml.contains("---"))
}

/// What becomes of one field.
enum Fate {
    /// Its lines stay, if they are strict.
    Keep(Entry),
    /// It becomes one text.
    Text(&'static str, String),
}

/// Where one field goes.
enum Verdict {
    /// It stays at the top level.
    Stays(Fate),
    /// It goes under `metadata` as this text.
    Moves(String),
    /// It went to the sidecar.
    Gone,
}

impl Fixed {
    fn rename(&mut self) {
        if self.bundle.skill_file().0 == SKILL_FILE {
            return;
        }
        let mut files = self.bundle.clone().into_files();
        let renamed = model::BundlePath::parse(SKILL_FILE).ok().and_then(|path| {
            let file = files.remove("skill.md")?;
            files.insert(path, file);
            Bundle::new(files).ok()
        });
        if let Some(bundle) = renamed {
            self.bundle = bundle;
            self.changes.push("renamed `skill.md` to `SKILL.md`".to_owned());
        }
    }

    fn rewrite(&mut self, folder: Option<&str>) {
        let original = String::from_utf8_lossy(self.bundle.skill_file().1).into_owned();
        let front = frontmatter::read(&original);
        if let Some(finding) = front.findings.iter().find(|finding| LOSSES.contains(&finding.code)) {
            let at = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
            let words =
                format!("left `SKILL.md` as it is, since something would be lost: {at}{}", finding.message);
            self.changes.push(words);
            return;
        }
        let fields = Fields::read(&front, &mut Vec::new());
        self.note_shape(&original, &front);
        let mut fates = Vec::new();
        let mut moved = Vec::new();
        for entry in &front.entries {
            match self.judge(entry, &front.entries, &fields) {
                Verdict::Stays(fate) => fates.push(fate),
                Verdict::Moves(text) => moved.push((entry.key.clone(), text)),
                Verdict::Gone => {}
            }
        }
        let body = original.get(front.split.body.clone()).unwrap_or_default();
        moved.extend(self.name(&mut fates, &fields, folder));
        self.describe(&mut fates, body);
        self.drop_empty_metadata(&mut fates);
        merge_metadata(&mut fates, moved);
        self.note_style(&fates);
        let few = front.intact && front.entries.len() <= MAX_CAREFUL;
        let careful = few.then(|| careful(&original, &front, &fates)).flatten();
        let with = |text: String| replace(self.bundle.clone(), SKILL_FILE, text).ok();
        let whole = with(whole(&original, &front, &fates));
        let best = whole.as_ref().map_or(usize::MAX, problems);
        if let Some(bundle) = careful.and_then(with).filter(|bundle| problems(bundle) <= best) {
            self.bundle = bundle;
        } else if let Some(bundle) = whole {
            self.bundle = bundle;
            let words = "wrote the whole frontmatter again in strict YAML, without its comments";
            self.changes.push(words.to_owned());
        }
    }

    fn note_shape(&mut self, text: &str, front: &Frontmatter) {
        let lead = text.get(front.split.lead.clone()).unwrap_or_default();
        if lead.starts_with('\u{feff}') {
            self.changes.push("removed the byte order mark".to_owned());
        }
        if front.split.shape != Shape::Absent && !lead.trim_start_matches('\u{feff}').is_empty() {
            self.changes.push("removed what stood before the frontmatter".to_owned());
        }
        let words = match front.split.shape {
            Shape::Closed => return,
            Shape::Dots | Shape::Unclosed => "closed the frontmatter with `---`",
            Shape::Unopened => "opened the frontmatter with `---`",
            Shape::Absent => "added frontmatter",
        };
        self.changes.push(words.to_owned());
    }

    fn judge(&mut self, entry: &Entry, all: &[Entry], fields: &Fields) -> Verdict {
        let (own, is_whole) = Fields::of(entry);
        if let Some(name) = standard_name(&entry.key).filter(|name| counts(name, entry, all)) {
            if entry.key != name {
                self.changes.push(format!("spelled `{}` as `{name}`", shown(&entry.key)));
            }
            return Verdict::Stays(self.standard(name, entry, own, is_whole));
        }
        if let Some(name) = our_name(&entry.key) {
            let mut same = all.iter().filter(|other| our_name(&other.key) == Some(name));
            let (counts, is_whole) = if is_list(name) {
                (true, same.all(|other| Fields::of(other).1))
            } else {
                (same.next().is_some_and(|first| std::ptr::eq(first, entry)), is_whole)
            };
            if counts && !is_whole {
                self.changes
                    .push(format!("left `{}` where it is: repertoire.yaml cannot hold all of it", entry.key));
                return Verdict::Stays(Fate::Keep(entry.clone()));
            }
            if counts && let Some(words) = self.move_to_sidecar(name, &own.ours(name), fields.ours(name)) {
                self.changes.push(format!("{words} `{}`", entry.key));
                return Verdict::Gone;
            }
        }
        let acts = CLIENT_FIELDS.contains(&entry.key.as_str());
        let note = if acts { "; claude-code reads it only at the top" } else { "" };
        self.changes.push(format!("moved `{}` under `metadata`{note}", shown(&entry.key)));
        Verdict::Moves(text_of(&entry.value))
    }

    fn standard(&mut self, name: &'static str, entry: &Entry, own: Fields, is_whole: bool) -> Fate {
        let keep = || Fate::Keep(Entry { key: name.to_owned(), ..entry.clone() });
        let text = match name {
            "metadata" => return keep(),
            "name" => own.name,
            "description" => own.description,
            "license" => own.license,
            "compatibility" => own.compatibility,
            _ => own.allowed_tools,
        };
        let is_scalar = matches!(entry.value.value, Value::Scalar { .. });
        if is_scalar && entry.key == name && !entry.value.fancy {
            return keep();
        }
        if !is_whole {
            self.changes.push(format!("left `{name}` as it is: it is too long for one text"));
            return keep();
        }
        if !is_scalar {
            self.changes.push(format!("wrote `{name}` as one text"));
        } else if entry.value.fancy {
            self.changes.push(format!("quoted `{name}`"));
        }
        Fate::Text(name, text.unwrap_or_default())
    }

    /// Moves one of our fields to the sidecar, and says so; nothing when the sidecar refuses it or says something
    /// else. `all` is what every spelling of the field says together.
    fn move_to_sidecar(&mut self, name: &str, own: &[String], all: Vec<String>) -> Option<&'static str> {
        if own.is_empty() {
            return Some("removed, since it was empty:");
        }
        if let Some(known) = said_by_sidecar(&self.bundle, name) {
            let has_all = own.iter().all(|item| known.contains(item));
            return has_all.then_some("removed, since repertoire.yaml has the same:");
        }
        let text = || all.first().cloned().map_or(Change::Keep, Change::Set);
        let mut changes = Changes::default();
        match name {
            "title" => changes.title = text(),
            "icon" => changes.icon = text(),
            "extends" => changes.extends = text(),
            "tags" => changes.tags = Some(all),
            "example_prompts" => changes.example_prompts = Some(all),
            _ => changes.suggested_tools = Some(all),
        }
        self.bundle = edit(&self.bundle, &changes, &Limits::default()).ok()?;
        Some("moved to repertoire.yaml:")
    }

    /// Puts the name that it should have; the one it had when that was more than a name, with where it goes.
    fn name(
        &mut self,
        fates: &mut Vec<Fate>,
        fields: &Fields,
        folder: Option<&str>,
    ) -> Option<(String, String)> {
        if fates.iter().any(|fate| fate.key() == "name" && fate.is_structure()) {
            return None;
        }
        let declared = fields.name.as_deref();
        let slug = |text: &str| SkillName::parse(text).ok().or_else(|| slugify(text));
        let wanted = match (folder, declared) {
            (Some(folder), _) if SkillName::parse(folder).is_ok() => folder.to_owned(),
            (_, Some(declared))
                if folder.is_none_or(|folder| folder == declared) && is_unicode_name(declared) =>
            {
                return None;
            }
            (folder, declared) => {
                let name = declared.and_then(slug).or_else(|| folder.and_then(slug));
                match name {
                    Some(name) => name.as_str().to_owned(),
                    None => return None,
                }
            }
        };
        if declared == Some(wanted.as_str()) {
            return None;
        }
        self.changes.push(match declared {
            Some(declared) => format!("renamed `{}` to `{wanted}`", shown(declared)),
            None => format!("added the name `{wanted}`"),
        });
        let prose = declared.filter(|text| {
            !is_unicode_name(text) && slugify(text).is_none_or(|slug| slug.as_str() != wanted)
        });
        put_first(fates, "name", wanted, 0);
        let prose = prose?.to_owned();
        self.changes.push("kept the old name under `metadata`".to_owned());
        Some(("name".to_owned(), prose))
    }

    fn describe(&mut self, fates: &mut Vec<Fate>, body: &str) {
        let says = |fate: &Fate| fate.is_structure() || !fate.text().trim().is_empty();
        let present = fates.iter().any(|fate| fate.key() == "description" && says(fate));
        if present {
            return;
        }
        if let Some(description) = frontmatter::summary(body_text(body)) {
            self.changes.push("took the description from the body".to_owned());
            put_first(fates, "description", description, 1);
        }
    }

    fn drop_empty_metadata(&mut self, fates: &mut Vec<Fate>) {
        let count = fates.len();
        fates.retain(|fate| !matches!(fate, Fate::Keep(entry) if yaml::is_empty(&entry.value)));
        if fates.len() < count {
            self.changes.push("removed `metadata`, which was empty".to_owned());
        }
    }

    fn note_style(&mut self, fates: &[Fate]) {
        for fate in fates {
            if let Fate::Keep(entry) = fate
                && entry.value.fancy
            {
                let empty = if has_empty(&entry.value) { ", without its empty lists and maps" } else { "" };
                self.changes.push(format!("wrote `{}` in block style{empty}", shown(&entry.key)));
            }
        }
    }

    fn report_length(&mut self) {
        let text = String::from_utf8_lossy(self.bundle.skill_file().1).into_owned();
        let fields = Fields::read(&frontmatter::read(&text), &mut Vec::new());
        let count = fields.description.map_or(0, |text| text.chars().count());
        if count > 1024 {
            self.changes
                .push(format!("left the description at {count} characters; shorten it to 1024 yourself"));
        }
    }
}

/// Findings on what a rewritten frontmatter would leave out.
const LOSSES: [&str; 4] = ["field_duplicate", "line_ignored", "field_dropped", "fields_too_many"];

/// Whether it is this entry that readers take for the field of the standard: the exact spelling, else the last.
fn counts(name: &str, entry: &Entry, all: &[Entry]) -> bool {
    if all.iter().any(|other| other.key == name) {
        return entry.key == name;
    }
    let last = all.iter().rfind(|other| standard_name(&other.key) == Some(name));
    last.is_some_and(|last| std::ptr::eq(last, entry))
}

/// Whether a field of ours holds a list, whose spellings are read together.
fn is_list(name: &str) -> bool {
    matches!(name, "tags" | "example_prompts" | "suggested_tools")
}

/// What the sidecar says about a field of ours, if anything; a text is a list of one.
fn said_by_sidecar(bundle: &Bundle, name: &str) -> Option<Vec<String>> {
    let file = bundle.get(SIDECAR_FILE)?;
    let (sidecar, _) = sidecar::read(&String::from_utf8_lossy(&file.content), bundle);
    let one = |text: Option<String>| text.map(|text| vec![text]);
    match name {
        "title" => one(sidecar.title),
        "icon" => one(sidecar.icon),
        "extends" => one(sidecar.extends),
        "tags" => sidecar.tags,
        "example_prompts" => sidecar.example_prompts,
        _ => sidecar.suggested_tools,
    }
}

/// The most fields that are changed in place; each costs a parse.
const MAX_CAREFUL: usize = 100;

/// Fields that one client acts on when they stand at the top level.
const CLIENT_FIELDS: [&str; 8] = [
    "when_to_use",
    "argument-hint",
    "disable-model-invocation",
    "user-invocable",
    "model",
    "context",
    "agent",
    "hooks",
];

impl Fate {
    fn key(&self) -> &str {
        match self {
            Self::Keep(entry) => &entry.key,
            Self::Text(key, _) => key,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Keep(entry) => entry.value.text().unwrap_or_default(),
            Self::Text(_, text) => text,
        }
    }

    /// Whether it is a list or a map with something in it.
    fn is_structure(&self) -> bool {
        let Self::Keep(entry) = self else { return false };
        !matches!(entry.value.value, Value::Scalar { .. }) && !yaml::is_empty(&entry.value)
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Keep(entry) => yaml::node(out, 0, &entry.key, &entry.value),
            Self::Text(key, text) => yaml::field(out, 0, key, text),
        }
    }
}

fn put_first(fates: &mut Vec<Fate>, key: &'static str, text: String, at: usize) {
    fates.retain(|fate| fate.key() != key);
    fates.insert(at.min(fates.len()), Fate::Text(key, text));
}

/// Whether the reference would take this name, letters of other scripts included.
fn is_unicode_name(name: &str) -> bool {
    let letters = name.chars().all(|c| c == '-' || (c.is_alphanumeric() && !c.is_uppercase()));
    letters && !name.is_empty() && !name.starts_with('-') && !name.ends_with('-') && !name.contains("--")
}

fn has_empty(node: &Node) -> bool {
    match &node.value {
        Value::Scalar { .. } => false,
        Value::List(items) => items.is_empty() || items.iter().any(has_empty),
        Value::Map(entries) => entries.is_empty() || entries.iter().any(|entry| has_empty(&entry.value)),
    }
}

/// A value as one text: itself, or JSON.
fn text_of(node: &Node) -> String {
    match &node.value {
        Value::Scalar { .. } => node.text().unwrap_or_default().to_owned(),
        _ => node.to_exact_json().to_string(),
    }
}

fn merge_metadata(fates: &mut Vec<Fate>, moved: Vec<(String, String)>) {
    if moved.is_empty() {
        return;
    }
    let at = fates.iter().position(|fate| fate.key() == "metadata");
    let mut entries = match at.map(|at| fates.remove(at)) {
        Some(Fate::Keep(Entry { value: Node { value: Value::Map(entries), .. }, .. })) => entries,
        Some(Fate::Keep(kept)) if !yaml::is_empty(&kept.value) => {
            vec![entry("metadata", text_of(&kept.value))]
        }
        _ => Vec::new(),
    };
    for (mut key, text) in moved {
        while entries.iter().any(|entry| entry.key == key) {
            key = format!("frontmatter-{key}");
        }
        entries.push(entry(&key, text));
    }
    let value = Node { value: Value::Map(entries), line: 0, span: 0..0, fancy: false };
    let metadata = Entry { key: "metadata".to_owned(), line: 0, start: 0, value };
    fates.insert(at.unwrap_or(fates.len()).min(fates.len()), Fate::Keep(metadata));
}

fn entry(key: &str, text: String) -> Entry {
    let value = Node { value: Value::Scalar { text, plain: false }, line: 0, span: 0..0, fancy: false };
    Entry { key: key.to_owned(), line: 0, start: 0, value }
}

/// The text with only those fields rewritten that need it; comments stay.
fn careful(original: &str, front: &Frontmatter, fates: &[Fate]) -> Option<String> {
    let source = original.get(front.split.yaml.clone())?;
    let mut text = source.to_owned();
    for entry in &front.entries {
        let gone = !fates.iter().any(|fate| fate.key() == entry.key);
        if gone {
            text = lines::put(&text, |key| key == entry.key, None)?;
        }
    }
    for fate in fates {
        let same = |entry: &&Entry| matches!(fate, Fate::Keep(kept) if kept == *entry);
        let kept = front.entries.iter().find(same).is_some_and(|entry| !entry.value.fancy);
        if !kept {
            let mut lines_ = String::new();
            fate.write(&mut lines_);
            text = lines::put(&text, |key| key == fate.key(), Some(&lines_))?;
        }
    }
    Some(assemble(original, front, &text))
}

/// The text with every field rewritten; comments go.
fn whole(original: &str, front: &Frontmatter, fates: &[Fate]) -> String {
    let mut text = String::new();
    for fate in fates {
        fate.write(&mut text);
    }
    let text = lines::with_breaks(&text, lines::line_break(original));
    assemble(original, front, &text)
}

fn assemble(original: &str, front: &Frontmatter, yaml_text: &str) -> String {
    let breaks = lines::line_break(original);
    let body = original.get(front.split.body.clone()).unwrap_or_default();
    let gap = if yaml_text.is_empty() || yaml_text.ends_with(['\n', '\r']) { "" } else { breaks };
    format!("---{breaks}{yaml_text}{gap}---{breaks}{body}")
}
