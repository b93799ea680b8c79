//! Changes parts of a bundle and leaves every other byte as it was.
//!
//! Each edit is read back before it is handed out: a bundle that does not say what was asked is never returned.

pub(crate) mod lines;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use model::{
    Bundle, BundleError, BundleFile, BundlePath, Manifest, Policy, Procedure, SIDECAR_FILE, SkillName,
};

use crate::compose::first_difference;
use crate::frontmatter::split::{Shape, body_text, lines as split_lines, split};
use crate::frontmatter::{self, our_name, standard_name};
use crate::limits::Limits;
use crate::reading::{ManifestError, read};
use crate::sidecar::{self, Sidecar};
use crate::yaml::write as yaml;

/// What to do with one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// Leave it.
    #[default]
    Keep,
    /// Set it to this.
    Set(T),
    /// Take it away.
    Remove,
}

/// What to change in a bundle; the default changes nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// The declared name.
    pub name: Option<SkillName>,
    /// The description.
    pub description: Option<String>,
    /// The Markdown behind the frontmatter.
    pub body: Option<String>,
    /// The licence.
    pub license: Change<String>,
    /// What it needs around it.
    pub compatibility: Change<String>,
    /// The tools the standard pre-approves.
    pub allowed_tools: Change<String>,
    /// For people.
    pub title: Change<String>,
    /// An icon's name.
    pub icon: Change<String>,
    /// The name of the skill it overlays.
    pub extends: Change<String>,
    /// For filters; empty takes them away.
    pub tags: Option<Vec<String>>,
    /// Requests it can serve; empty takes them away.
    pub example_prompts: Option<Vec<String>>,
    /// Tools it commonly uses; empty takes them away.
    pub suggested_tools: Option<Vec<String>>,
    /// The procedure facet; its file is changed through `files`.
    pub procedure: Change<Procedure>,
    /// The policy facet.
    pub policy: Change<Policy>,
    /// Files to put, or with `None` to take away; done before the fields.
    pub files: BTreeMap<BundlePath, Option<BundleFile>>,
}

/// Why an edit was not made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The files would make no bundle.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The bundle would not be readable, or is not now.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The field would not read back as asked; the bundle's own text is in the way.
    #[error("`{0}` cannot be changed in place; edit the file by hand")]
    Unfaithful(&'static str),
}

/// Makes the changes, or returns an error and no bundle.
pub fn edit(bundle: &Bundle, changes: &Changes, limits: &Limits) -> Result<Bundle, EditError> {
    let mut files = bundle.clone().into_files();
    for (path, file) in &changes.files {
        match file {
            Some(file) => files.insert(path.clone(), file.clone()),
            None => files.remove(path),
        };
    }
    let bundle = Bundle::new(files)?;
    let before = match read(&bundle, limits) {
        Ok(reading) => reading.manifest,
        Err(ManifestError::Sidecar(reading)) => reading.manifest,
        Err(ManifestError::NoDescription { .. })
            if changes.description.is_some() || changes.body.is_some() =>
        {
            Manifest::default()
        }
        Err(error) => return Err(error.into()),
    };
    let bundle = edit_sidecar(edit_skill_file(bundle, changes)?, changes)?;
    let found = read(&bundle, limits)?.manifest;
    let wanted = changes.applied_to(before, &found, &bundle);
    first_difference(&wanted, &found).map_or(Ok(bundle), |field| Err(EditError::Unfaithful(field)))
}

impl<T: Clone> Change<T> {
    fn applied_to(&self, value: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Set(new) => *value = Some(new.clone()),
            Self::Remove => *value = None,
        }
    }
}

impl Changes {
    /// What reading must give. A description that nobody declared follows the body.
    fn applied_to(&self, mut manifest: Manifest, found: &Manifest, bundle: &Bundle) -> Manifest {
        let text = |change: &Change<String>, value: &mut Option<String>| {
            change.trimmed().applied_to(value);
        };
        if let Some(name) = &self.name {
            manifest.declared_name = Some(name.as_str().to_owned());
        }
        match &self.description {
            Some(description) => description.trim().clone_into(&mut manifest.description),
            None if !declares_description(bundle) => manifest.description.clone_from(&found.description),
            None => {}
        }
        if let Some(body) = &self.body {
            body_text(body).clone_into(&mut manifest.body);
        }
        text(&self.license, &mut manifest.license);
        text(&self.compatibility, &mut manifest.compatibility);
        text(&self.allowed_tools, &mut manifest.allowed_tools);
        self.title.applied_to(&mut manifest.title);
        self.icon.applied_to(&mut manifest.icon);
        self.extends.applied_to(&mut manifest.extends);
        let list = |change: &Option<Vec<String>>, value: &mut Vec<String>| {
            if let Some(items) = change {
                value.clone_from(items);
            }
        };
        list(&self.tags, &mut manifest.tags);
        list(&self.example_prompts, &mut manifest.example_prompts);
        list(&self.suggested_tools, &mut manifest.suggested_tools);
        self.procedure.applied_to(&mut manifest.procedure);
        self.policy.applied_to(&mut manifest.policy);
        manifest
    }

    /// The fields of `SKILL.md` to set or remove.
    fn skill_fields(&self) -> Vec<(&'static str, Change<String>)> {
        let set = |text: Option<String>| text.map_or(Change::Keep, Change::Set);
        vec![
            ("name", set(self.name.as_ref().map(|name| name.as_str().to_owned()))),
            ("description", set(self.description.clone()).trimmed()),
            ("license", self.license.trimmed()),
            ("compatibility", self.compatibility.trimmed()),
            ("allowed-tools", self.allowed_tools.trimmed()),
        ]
    }

    /// The new text of a field of the sidecar that holds one text.
    fn sidecar_text(&self, field: &str) -> Option<&str> {
        let change = match field {
            "title" => &self.title,
            "icon" => &self.icon,
            "extends" => &self.extends,
            _ => return None,
        };
        if let Change::Set(text) = change { Some(text) } else { None }
    }

    /// The fields of the sidecar to set, with their lines, or to remove.
    fn sidecar_fields(&self) -> Vec<(&'static str, Change<String>)> {
        let lines = |field: &'static str, sidecar: Sidecar| {
            (field, sidecar::field_text(&sidecar, field).map_or(Change::Remove, Change::Set))
        };
        let mut fields = Vec::new();
        for (field, change) in [("title", &self.title), ("icon", &self.icon), ("extends", &self.extends)] {
            let text = match change {
                Change::Keep => continue,
                Change::Set(text) => Some(text.clone()),
                Change::Remove => None,
            };
            let sidecar =
                Sidecar { title: text.clone(), icon: text.clone(), extends: text, ..Sidecar::default() };
            fields.push(lines(field, sidecar));
        }
        let lists = [
            ("tags", &self.tags),
            ("example_prompts", &self.example_prompts),
            ("suggested_tools", &self.suggested_tools),
        ];
        for (field, items) in lists {
            let Some(items) = items else { continue };
            let items = (!items.is_empty()).then(|| items.clone());
            let sidecar = Sidecar {
                tags: items.clone(),
                example_prompts: items.clone(),
                suggested_tools: items,
                ..Sidecar::default()
            };
            fields.push(lines(field, sidecar));
        }
        if self.procedure != Change::Keep {
            let mut sidecar = Sidecar::default();
            self.procedure.applied_to(&mut sidecar.procedure);
            fields.push(lines("procedure", sidecar));
        }
        if self.policy != Change::Keep {
            let mut sidecar = Sidecar::default();
            self.policy.applied_to(&mut sidecar.policy);
            fields.push(lines("policy", sidecar));
        }
        fields
    }
}

impl Change<String> {
    fn trimmed(&self) -> Self {
        match self {
            Self::Set(text) => Self::Set(text.trim().to_owned()),
            other => other.clone(),
        }
    }
}

fn declares_description(bundle: &Bundle) -> bool {
    let text = String::from_utf8_lossy(bundle.skill_file().1).into_owned();
    let frontmatter = frontmatter::read(&text);
    frontmatter::Fields::read(&frontmatter, &mut Vec::new()).description.is_some()
}

fn edit_skill_file(bundle: Bundle, changes: &Changes) -> Result<Bundle, EditError> {
    let (path, bytes) = bundle.skill_file();
    let path = path.to_owned();
    let Ok(original) = std::str::from_utf8(bytes) else { return Ok(bundle) };
    let mut text = original.to_owned();
    for (field, change) in changes.skill_fields() {
        text = match change {
            Change::Keep => continue,
            Change::Set(new) => set_field(&text, field, &new),
            Change::Remove => remove_fields(&text, |key| standard_name(key) == Some(field)),
        }
        .ok_or(EditError::Unfaithful(field))?;
    }
    for (field, change) in changes.sidecar_fields() {
        if change == Change::Remove {
            let ours = |key: &str| our_name(key) == Some(field);
            text = remove_fields(&text, ours).ok_or(EditError::Unfaithful(field))?;
        }
    }
    if let Some(body) = &changes.body {
        text = set_body(&text, body);
    }
    if text == original {
        return Ok(bundle);
    }
    replace(bundle, &path, text)
}

fn set_field(text: &str, field: &str, new: &str) -> Option<String> {
    let parts = split(text);
    if parts.shape == Shape::Absent {
        let mut block = String::from("---\n");
        yaml::field(&mut block, 0, field, new);
        block.push_str("---\n");
        let block = lines::with_breaks(&block, lines::line_break(text));
        return Some(format!("{block}{}", text.get(parts.body)?));
    }
    let yaml_text = text.get(parts.yaml.clone())?;
    let is_key = |key: &str| standard_name(key) == Some(field);
    let new_yaml = lines::put_text(yaml_text, field, is_key, new)
        .or_else(|| lines::put_text(&block_style(yaml_text)?, field, is_key, new))?;
    lines::splice(text, parts.yaml, &new_yaml)
}

fn remove_fields(text: &str, is_key: impl Fn(&str) -> bool) -> Option<String> {
    let parts = split(text);
    let yaml_text = text.get(parts.yaml.clone())?;
    let new_yaml = lines::put(yaml_text, &is_key, None)
        .or_else(|| lines::put(&block_style(yaml_text)?, &is_key, None))?;
    lines::splice(text, parts.yaml, &new_yaml)
}

/// A map that was written in braces, one field a line.
fn block_style(text: &str) -> Option<String> {
    let root = crate::yaml::parse(text).ok()?.root?;
    let crate::yaml::Value::Map(entries) = &root.value else { return None };
    let mut out = String::new();
    for entry in entries {
        yaml::node(&mut out, 0, &entry.key, &entry.value);
    }
    Some(out)
}

fn set_body(text: &str, body: &str) -> String {
    let parts = split(text);
    let breaks = lines::line_break(text);
    let old = text.get(parts.body.clone()).unwrap_or_default();
    let blank_end =
        split_lines(old, 0).find(|line| !line.of(old).trim().is_empty()).map_or(old.len(), |line| line.start);
    let blank = old.get(..blank_end).unwrap_or_default();
    let mut out = text.get(..parts.body.start).unwrap_or_default().to_owned();
    if !out.is_empty() && parts.shape != Shape::Absent && !out.ends_with(['\n', '\r']) {
        out.push_str(breaks);
    }
    if matches!(parts.shape, Shape::Unclosed | Shape::Unopened) && !out.trim_end().ends_with("---") {
        out.push_str("---");
        out.push_str(breaks);
    }
    let body = body_text(body);
    if !body.is_empty() {
        out.push_str(if blank.is_empty() && parts.shape != Shape::Absent { breaks } else { blank });
        out.push_str(body);
        out.push_str(breaks);
    }
    out
}

fn edit_sidecar(bundle: Bundle, changes: &Changes) -> Result<Bundle, EditError> {
    let fields = changes.sidecar_fields();
    let file = bundle.get(SIDECAR_FILE).map(|file| file.content.clone()).unwrap_or_default();
    let Ok(original) = std::str::from_utf8(&file) else { return Ok(bundle) };
    let mut text = original.to_owned();
    for (field, change) in fields {
        let put = |text: &str| match &change {
            Change::Keep => Some(text.to_owned()),
            Change::Set(lines) => match changes.sidecar_text(field) {
                Some(new) => lines::put_text(text, field, |key| key == field, new),
                None => lines::put(text, |key| key == field, Some(lines)),
            },
            Change::Remove => lines::put(text, |key| key == field, None),
        };
        text = put(&text).or_else(|| put(&block_style(&text)?)).ok_or(EditError::Unfaithful(field))?;
    }
    if text == original {
        return Ok(bundle);
    }
    if text.trim().is_empty() {
        let mut files = bundle.into_files();
        files.remove(SIDECAR_FILE);
        return Ok(Bundle::new(files)?);
    }
    replace(bundle, SIDECAR_FILE, text)
}

/// The bundle with one file's text replaced; its executable bit stays.
pub(crate) fn replace(bundle: Bundle, path: &str, text: String) -> Result<Bundle, EditError> {
    let mut files = bundle.into_files();
    let Ok(path) = BundlePath::parse(path) else { return Ok(Bundle::new(files)?) };
    let executable = files.get(&path).is_some_and(|file| file.executable);
    files.insert(path, BundleFile { content: text.into_bytes().into(), executable });
    Ok(Bundle::new(files)?)
}
