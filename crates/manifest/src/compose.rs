//! From fields to a bundle that every client takes: a strict `SKILL.md` and, only if needed, a sidecar.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{
    Bundle, BundleError, BundleFile, BundlePath, Language, Manifest, Policy, Procedure, SIDECAR_FILE,
    SKILL_FILE, SkillName,
};

use crate::limits::Limits;
use crate::reading::{ManifestError, read};
use crate::sidecar::{self, Sidecar};
use crate::yaml::write as yaml;

#[cfg(test)]
mod tests;

/// Everything a person or an agent says about a new skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Its name.
    pub name: SkillName,
    /// What it does and when to use it.
    pub description: String,
    /// For people.
    pub title: Option<String>,
    /// The Markdown; `body_template` has a start.
    pub body: String,
    /// For filters.
    pub tags: Vec<String>,
    /// An icon's name.
    pub icon: Option<String>,
    /// Requests it can serve.
    pub example_prompts: Vec<String>,
    /// The name of the skill it overlays.
    pub extends: Option<String>,
    /// Tools it commonly uses.
    pub suggested_tools: Vec<String>,
    /// The licence.
    pub license: Option<String>,
    /// What it needs around it.
    pub compatibility: Option<String>,
    /// The procedure facet and its source code, which goes to the procedure's file.
    pub procedure: Option<(Procedure, Arc<[u8]>)>,
    /// The policy facet.
    pub policy: Option<Policy>,
    /// Other files.
    pub files: BTreeMap<BundlePath, BundleFile>,
}

/// Why a draft makes no bundle.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ComposeError {
    /// The description is empty.
    #[error("a skill needs a description; say what it does and when to use it")]
    NoDescription,
    /// A field is longer than the standard allows.
    #[error("`{field}` has {count} characters; the limit is {limit}")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its length in characters.
        count: usize,
        /// The largest length.
        limit: usize,
    },
    /// A file stands where `SKILL.md`, the sidecar or the procedure goes.
    #[error("`{0}` is written from the draft's fields; leave it out of the files")]
    Reserved(String),
    /// The files do not fit together.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A field is not valid in the sidecar.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A field does not survive being written and read; it names the field.
    #[error("`{0}` cannot be written as it is; remove control characters and white space at its ends")]
    Unfaithful(&'static str),
}

impl Draft {
    /// A draft with a name and a description, and nothing else.
    pub fn new(name: SkillName, description: impl Into<String>) -> Self {
        Self {
            name,
            description: description.into(),
            title: None,
            body: String::new(),
            tags: Vec::new(),
            icon: None,
            example_prompts: Vec::new(),
            extends: None,
            suggested_tools: Vec::new(),
            license: None,
            compatibility: None,
            procedure: None,
            policy: None,
            files: BTreeMap::new(),
        }
    }

    /// Writes the bundle, and reads it again to be sure that it says what the draft says.
    pub fn compose(self) -> Result<Bundle, ComposeError> {
        self.check()?;
        let wanted = self.manifest();
        let mut files = self.files.clone();
        let mut put = |path: &str, file: BundleFile| match BundlePath::parse(path) {
            Ok(path) if files.contains_key(&path) => Err(ComposeError::Reserved(path.to_string())),
            Ok(path) => {
                files.insert(path, file);
                Ok(())
            }
            Err(_) => Err(ComposeError::Reserved(path.to_owned())),
        };
        put(SKILL_FILE, BundleFile::new(self.skill_file().into_bytes()))?;
        if let Some(text) = sidecar::write(&self.sidecar()) {
            put(SIDECAR_FILE, BundleFile::new(text.into_bytes()))?;
        }
        if let Some((procedure, source)) = &self.procedure {
            let executable = procedure.language == Language::Shell;
            put(procedure.file.as_str(), BundleFile { content: Arc::clone(source), executable })?;
        }
        let bundle = Bundle::new(files)?;
        let limits = Limits { max_skill_file_bytes: u64::MAX, ..Limits::default() };
        let found = read(&bundle, &limits)?.manifest;
        first_difference(&wanted, &found).map_or(Ok(bundle), |field| Err(ComposeError::Unfaithful(field)))
    }

    fn check(&self) -> Result<(), ComposeError> {
        if self.description.trim().is_empty() {
            return Err(ComposeError::NoDescription);
        }
        let texts = [
            ("description", Some(&self.description), 1024),
            ("compatibility", self.compatibility.as_ref(), 500),
        ];
        for (field, text, limit) in texts {
            let count = text.map_or(0, |text| text.trim().chars().count());
            if count > limit {
                return Err(ComposeError::TooLong { field, count, limit });
            }
        }
        Ok(())
    }

    fn sidecar(&self) -> Sidecar {
        let list = |items: &Vec<String>| (!items.is_empty()).then(|| items.clone());
        Sidecar {
            title: self.title.clone(),
            tags: list(&self.tags),
            icon: self.icon.clone(),
            example_prompts: list(&self.example_prompts),
            extends: self.extends.clone(),
            suggested_tools: list(&self.suggested_tools),
            files: None,
            procedure: self.procedure.as_ref().map(|(procedure, _)| procedure.clone()),
            policy: self.policy.clone(),
        }
    }

    fn skill_file(&self) -> String {
        let mut out = String::from("---\n");
        yaml::field(&mut out, 0, "name", self.name.as_str());
        yaml::field(&mut out, 0, "description", self.description.trim());
        for (field, text) in [("license", &self.license), ("compatibility", &self.compatibility)] {
            if let Some(text) = text {
                yaml::field(&mut out, 0, field, text.trim());
            }
        }
        out.push_str("---\n");
        let body = crate::frontmatter::split::body_text(&self.body);
        if !body.is_empty() {
            out.push('\n');
            out.push_str(body);
            out.push('\n');
        }
        out
    }

    /// What reading the bundle must give.
    fn manifest(&self) -> Manifest {
        let text = |text: &Option<String>| text.as_ref().map(|text| text.trim().to_owned());
        Manifest {
            declared_name: Some(self.name.as_str().to_owned()),
            description: self.description.trim().to_owned(),
            license: text(&self.license),
            compatibility: text(&self.compatibility),
            allowed_tools: None,
            metadata: Vec::new(),
            body: crate::frontmatter::split::body_text(&self.body).to_owned(),
            title: self.title.clone(),
            tags: self.tags.clone(),
            icon: self.icon.clone(),
            example_prompts: self.example_prompts.clone(),
            extends: self.extends.clone(),
            suggested_tools: self.suggested_tools.clone(),
            file_descriptions: BTreeMap::new(),
            procedure: self.procedure.as_ref().map(|(procedure, _)| procedure.clone()),
            policy: self.policy.clone(),
        }
    }
}

/// The first field in which two manifests differ.
pub(crate) fn first_difference(left: &Manifest, right: &Manifest) -> Option<&'static str> {
    let fields = [
        ("name", left.declared_name == right.declared_name),
        ("description", left.description == right.description),
        ("license", left.license == right.license),
        ("compatibility", left.compatibility == right.compatibility),
        ("allowed-tools", left.allowed_tools == right.allowed_tools),
        ("metadata", left.metadata == right.metadata),
        ("body", left.body == right.body),
        ("title", left.title == right.title),
        ("tags", left.tags == right.tags),
        ("icon", left.icon == right.icon),
        ("example_prompts", left.example_prompts == right.example_prompts),
        ("extends", left.extends == right.extends),
        ("suggested_tools", left.suggested_tools == right.suggested_tools),
        ("procedure", left.procedure == right.procedure),
        ("policy", left.policy == right.policy),
    ];
    fields.into_iter().find(|(_, same)| !same).map(|(field, _)| field)
}

/// A body to start from: title, instructions, examples, references.
pub fn body_template(title: &str, description: &str) -> String {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let description = description.trim();
    format!(
        "# {title}\n\n{description}\n\n\
         ## Instructions\n\n1. Say the first step here.\n2. Say what a good result looks like.\n\n\
         ## Examples\n\n- A request this skill serves, and what it then does.\n\n\
         ## References\n\n- Files in `references/` that hold details.\n"
    )
}
