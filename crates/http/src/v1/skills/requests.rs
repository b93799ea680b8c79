//! What requests about skills look like, and how they are read.

use std::collections::BTreeMap;
use std::sync::Arc;

use app::skills::{Content, CreateSkill, OnConflict, bundle_from_files, written_name};
use app::{Change, Changes, Code, Context, Draft};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Bundle, BundleFile, BundlePath, Caller, Label, Origin, SkillName};
use serde::Deserialize;
use utoipa::ToSchema;

use super::super::names;
use super::super::views::{PolicyView, ProcedureRequest};
use crate::bounds::{nullable, nullable_within, within};
use crate::problem::Problem;

/// A file, as text or as base64.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileRequest {
    /// Its path in the bundle.
    #[serde(deserialize_with = "within::<1, 500, _, _>")]
    #[schema(min_length = 1, max_length = 500)]
    path: String,
    /// Its text.
    content: Option<String>,
    /// Its bytes.
    #[schema(content_encoding = "base64")]
    content_base64: Option<String>,
    #[serde(default)]
    executable: bool,
    /// Remove it instead; only when editing.
    #[serde(default)]
    delete: bool,
}

/// The bundle that these files make.
pub(crate) fn bundle_of(files: Vec<FileRequest>) -> Result<Bundle, Problem> {
    let files = files.into_iter().map(FileRequest::read).collect::<Result<_, _>>()?;
    Ok(bundle_from_files(files)?)
}

impl FileRequest {
    /// A file to put.
    fn read(self) -> Result<(String, BundleFile), Problem> {
        if self.delete {
            return Err(Problem::bad_request(format!("`{}` cannot be put and deleted", self.path)));
        }
        let content: Arc<[u8]> = match (self.content, self.content_base64) {
            (Some(text), None) => Arc::from(text.into_bytes()),
            (None, Some(encoded)) => STANDARD
                .decode(encoded.as_bytes())
                .map(Arc::from)
                .map_err(|_| Problem::bad_request(format!("the bytes of `{}` are not base64", self.path)))?,
            _ => {
                let detail = format!("the file `{}` needs either `content` or `content_base64`", self.path);
                return Err(Problem::bad_request(detail));
            }
        };
        Ok((self.path, BundleFile { content, executable: self.executable }))
    }
}

/// Where a skill comes from.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OriginWord {
    User,
    Agent,
    Learned,
    Admin,
    Connector,
    Static,
    Provider,
    Imported,
}

impl From<OriginWord> for Origin {
    fn from(word: OriginWord) -> Self {
        match word {
            OriginWord::User => Self::User,
            OriginWord::Agent => Self::Agent,
            OriginWord::Learned => Self::Learned,
            OriginWord::Admin => Self::Admin,
            OriginWord::Connector => Self::Connector,
            OriginWord::Static => Self::Static,
            OriginWord::Provider => Self::Provider,
            OriginWord::Imported => Self::Imported,
        }
    }
}

/// What to do when the name is taken.
#[derive(Deserialize, ToSchema, Clone, Copy, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnConflictWord {
    #[default]
    Error,
    #[serde(alias = "new_version")]
    NewRevision,
    Skip,
    Rename,
}

impl From<OnConflictWord> for OnConflict {
    fn from(word: OnConflictWord) -> Self {
        match word {
            OnConflictWord::Error => Self::Error,
            OnConflictWord::NewRevision => Self::NewRevision,
            OnConflictWord::Skip => Self::Skip,
            OnConflictWord::Rename => Self::Rename,
        }
    }
}

/// A skill to put in: either `files` with a `SKILL.md` among them, or fields from which one is written.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "release-notes", "description": "Writes release notes from merged changes.",
    "instructions": "# Release notes\n\n1. List the merged changes.\n", "tags": ["release"]}))]
pub(crate) struct CreateSkillRequest {
    /// Its name. Needed with fields; with files it replaces the name they declare.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
    /// What it does and when to use it.
    #[serde(default, deserialize_with = "within::<1, 1024, _, _>")]
    #[schema(min_length = 1, max_length = 1024)]
    description: Option<String>,
    #[serde(default, deserialize_with = "within::<1, 255, _, _>")]
    #[schema(min_length = 1, max_length = 255)]
    title: Option<String>,
    /// The Markdown behind the frontmatter.
    instructions: Option<String>,
    #[serde(default, deserialize_with = "within::<0, 50, _, _>")]
    #[schema(max_items = 50)]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "within::<1, 255, _, _>")]
    #[schema(min_length = 1, max_length = 255)]
    icon: Option<String>,
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[schema(max_items = 100)]
    example_prompts: Option<Vec<String>>,
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    extends: Option<String>,
    #[serde(default, deserialize_with = "within::<0, 500, _, _>")]
    #[schema(max_items = 500)]
    suggested_tools: Option<Vec<String>>,
    #[serde(default, deserialize_with = "within::<0, 500, _, _>")]
    #[schema(max_length = 500)]
    license: Option<String>,
    #[serde(default, deserialize_with = "within::<0, 500, _, _>")]
    #[schema(max_length = 500)]
    compatibility: Option<String>,
    procedure: Option<ProcedureRequest>,
    policy: Option<PolicyView>,
    /// Files, stored byte for byte.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_items = 2000)]
    files: Option<Vec<FileRequest>>,
    /// The name of the folder the files stood in.
    #[serde(default, deserialize_with = "within::<0, 255, _, _>")]
    #[schema(max_length = 255)]
    folder: Option<String>,
    /// `workspace`, `agent`, `user` or `agent_user`; the caller's nearest sensible one when left out.
    #[schema(pattern = "^(workspace|agent|user|agent_user)$")]
    scope: Option<String>,
    /// The agent that owns it, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// The user who owns it, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[schema(min_length = 1, max_length = 128)]
    user: Option<String>,
    origin: Option<OriginWord>,
    /// Start as a draft.
    #[serde(default)]
    draft: bool,
    /// Start switched on; true when left out.
    enabled: Option<bool>,
    /// Where it is imported from; a second import from there finds it again.
    #[serde(default, deserialize_with = "within::<1, 1000, _, _>")]
    #[schema(min_length = 1, max_length = 1000)]
    source: Option<String>,
    /// A semantic version for the revision.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[schema(
        max_length = 64,
        pattern = "^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?$"
    )]
    label: Option<String>,
    /// Why.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    message: String,
    #[serde(default)]
    on_conflict: OnConflictWord,
}

impl CreateSkillRequest {
    pub(crate) async fn read(self, cx: &Context, caller: &Caller) -> Result<CreateSkill, Problem> {
        let scope =
            names::scope(cx, caller, self.scope.as_deref(), self.agent.as_deref(), self.user.as_deref())
                .await?;
        let label = self.label.as_deref().map(label).transpose()?;
        let origin = self.origin.map(Origin::from);
        let (draft, enabled, source) = (self.draft, self.enabled.unwrap_or(true), self.source.clone());
        let (message, on_conflict) = (self.message.clone(), self.on_conflict.into());
        let (content, name) = self.content()?;
        Ok(CreateSkill {
            name,
            scope,
            origin,
            draft,
            enabled,
            source,
            label,
            message,
            on_conflict,
            ..CreateSkill::new(content)
        })
    }

    fn content(self) -> Result<(Content, Option<SkillName>), Problem> {
        let name = self.name.as_deref().map(written_name).transpose()?;
        let files: Vec<(String, BundleFile)> =
            self.files.into_iter().flatten().map(FileRequest::read).collect::<Result<_, _>>()?;
        if files.iter().any(|(path, _)| path.eq_ignore_ascii_case(model::SKILL_FILE)) {
            let fields = [
                self.description.is_some(),
                self.title.is_some(),
                self.instructions.is_some(),
                self.tags.is_some(),
                self.icon.is_some(),
                self.example_prompts.is_some(),
                self.extends.is_some(),
                self.suggested_tools.is_some(),
                self.license.is_some(),
                self.compatibility.is_some(),
                self.procedure.is_some(),
                self.policy.is_some(),
            ];
            if fields.contains(&true) {
                return Err(Problem::bad_request(
                    "with a `SKILL.md` among the files, it says all; leave the fields out",
                ));
            }
            let bundle = bundle_from_files(files)?;
            return Ok((Content::Bundle { bundle, folder: self.folder }, name.map(|written| written.name)));
        }
        let (Some(written), Some(description)) = (name, self.description) else {
            return Err(Problem::bad_request(
                "a skill needs `name` and `description`, or `files` with a `SKILL.md`",
            ));
        };
        let mut draft = Draft::new(written.name, description);
        draft.title = self.title.or(written.title);
        draft.body = self.instructions.unwrap_or_default();
        draft.tags = self.tags.unwrap_or_default();
        draft.icon = self.icon;
        draft.example_prompts = self.example_prompts.unwrap_or_default();
        draft.extends = self.extends;
        draft.suggested_tools = self.suggested_tools.unwrap_or_default();
        draft.license = self.license;
        draft.compatibility = self.compatibility;
        draft.policy = self.policy.map(PolicyView::read).transpose()?;
        for (path, file) in files {
            let path = bundle_path(&path)?;
            if draft.files.insert(path.clone(), file).is_some() {
                return Err(twice(&path));
            }
        }
        if let Some(procedure) = self.procedure {
            let (procedure, code) = procedure.read()?;
            let code = code.ok_or_else(|| Problem::bad_request("a procedure needs `code`"))?;
            draft.procedure = Some((procedure, Arc::from(code.into_bytes())));
        }
        Ok((Content::Draft(Box::new(draft)), None))
    }
}

pub(crate) fn bundle_path(text: &str) -> Result<BundlePath, Problem> {
    BundlePath::parse(text).map_err(|error| Problem::with_code(Code::InvalidPath, error.to_string()))
}

fn twice(path: &BundlePath) -> Problem {
    Problem::with_code(Code::InvalidPath, format!("the file `{path}` is there twice"))
}

pub(crate) fn label(text: &str) -> Result<Label, Problem> {
    Label::parse(text).map_err(|error| Problem::bad_request(error.to_string()))
}

#[allow(clippy::option_option)] // three states: absent, null, given
fn change<T>(given: Option<Option<T>>) -> Change<T> {
    match given {
        None => Change::Keep,
        Some(None) => Change::Remove,
        Some(Some(value)) => Change::Set(value),
    }
}

/// What to change about a skill. What is left out stays; `null` removes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(clippy::option_option)]
#[schema(example = json!({"description": "Writes release notes.", "icon": null,
    "files": [{"path": "notes.md", "content": "More.\n"}], "message": "say more"}))]
pub(crate) struct EditSkillRequest {
    /// Its new name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
    #[serde(default, deserialize_with = "within::<1, 1024, _, _>")]
    #[schema(min_length = 1, max_length = 1024)]
    description: Option<String>,
    instructions: Option<String>,
    #[serde(default, deserialize_with = "nullable_within::<1, 255, _, _>")]
    #[schema(min_length = 1, max_length = 255)]
    title: Option<Option<String>>,
    #[serde(default, deserialize_with = "nullable_within::<1, 255, _, _>")]
    #[schema(min_length = 1, max_length = 255)]
    icon: Option<Option<String>>,
    #[serde(default, deserialize_with = "nullable_within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    extends: Option<Option<String>>,
    #[serde(default, deserialize_with = "nullable_within::<0, 500, _, _>")]
    #[schema(max_length = 500)]
    license: Option<Option<String>>,
    #[serde(default, deserialize_with = "nullable_within::<0, 500, _, _>")]
    #[schema(max_length = 500)]
    compatibility: Option<Option<String>>,
    #[serde(default, deserialize_with = "nullable_within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    allowed_tools: Option<Option<String>>,
    #[serde(default, deserialize_with = "within::<0, 50, _, _>")]
    #[schema(max_items = 50)]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[schema(max_items = 100)]
    example_prompts: Option<Vec<String>>,
    #[serde(default, deserialize_with = "within::<0, 500, _, _>")]
    #[schema(max_items = 500)]
    suggested_tools: Option<Vec<String>>,
    #[serde(default, deserialize_with = "nullable")]
    procedure: Option<Option<ProcedureRequest>>,
    #[serde(default, deserialize_with = "nullable")]
    policy: Option<Option<PolicyView>>,
    /// Files to put or, with `delete`, to remove.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_items = 2000)]
    files: Vec<FileRequest>,
    /// A semantic version for the new revision.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[schema(
        max_length = 64,
        pattern = "^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?$"
    )]
    pub(crate) label: Option<String>,
    /// Why.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    pub(crate) message: String,
    /// The revision this change was made on; 409 when another is current.
    #[schema(minimum = 1)]
    pub(crate) expected_revision: Option<u32>,
}

impl EditSkillRequest {
    pub(crate) fn changes(self) -> Result<Changes, Problem> {
        let mut files = BTreeMap::new();
        for file in self.files {
            let path = bundle_path(&file.path)?;
            let has_content = file.content.is_some() || file.content_base64.is_some();
            let content = if file.delete && !has_content { None } else { Some(file.read()?.1) };
            if files.insert(path.clone(), content).is_some() {
                return Err(twice(&path));
            }
        }
        let procedure = match self.procedure {
            None => Change::Keep,
            Some(None) => Change::Remove,
            Some(Some(request)) => {
                let (procedure, code) = request.read()?;
                if let Some(code) = code {
                    let file = BundleFile::new(code.into_bytes());
                    if files.insert(procedure.file.clone(), Some(file)).is_some() {
                        return Err(twice(&procedure.file));
                    }
                }
                Change::Set(procedure)
            }
        };
        let policy = match self.policy {
            None => Change::Keep,
            Some(None) => Change::Remove,
            Some(Some(view)) => Change::Set(view.read()?),
        };
        Ok(Changes {
            name: self.name.as_deref().map(written_name).transpose()?.map(|written| written.name),
            description: self.description,
            body: self.instructions,
            license: change(self.license),
            compatibility: change(self.compatibility),
            allowed_tools: change(self.allowed_tools),
            title: change(self.title),
            icon: change(self.icon),
            extends: change(self.extends),
            tags: self.tags,
            example_prompts: self.example_prompts,
            suggested_tools: self.suggested_tools,
            procedure,
            policy,
            files,
        })
    }
}
