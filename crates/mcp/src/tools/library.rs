//! Writing, reading and switching skills, by name.

use app::SkillRecord;
use app::skills::by_name::{self, NewSkill};
use app::skills::{ListSkills, Operation, Rewrite, RewriteSkill};
use model::{Status, Toolset};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, Done, Effect, Shape, Stop, ToolKind};

/// How many skills one list gives at most. A model that needs more has a search.
const MOST: usize = 1_000;

fn name_only(description: &'static str, output: Value) -> Shape {
    Shape {
        description,
        input: json!({
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"]
        }),
        output,
    }
}

fn versioned() -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "version": {"type": "integer"}}
    })
}

fn switched() -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "enabled": {"type": "boolean"}}
    })
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

pub(crate) const LIST_SKILLS: ToolKind = ToolKind {
    name: "list_skills",
    aliases: &[],
    toolset: Toolset::Library,
    needs_memory: false,
    effect: Effect::Reads,
    shape: |_| Shape {
        description: "List skills with what each is for.",
        input: json!({
            "type": "object",
            "properties": {
                "tag": {"type": "string"},
                "include_disabled": {"type": "boolean", "default": false}
            }
        }),
        output: json!({
            "type": "object",
            "properties": {"skills": {"type": "array", "items": {"type": "object"}}},
            "required": ["skills"]
        }),
    },
    call: |call| Box::pin(list_skills(call)),
};

#[derive(Deserialize, Default)]
#[serde(default)]
struct ListArguments {
    tag: Option<String>,
    include_disabled: bool,
}

fn shown(record: &SkillRecord) -> Value {
    let skill = &record.skill;
    json!({
        "name": skill.name.as_str(),
        "title": skill.title,
        "description": skill.description,
        "tags": skill.tags,
        "source": by_name::source(skill.origin),
        "version": skill.revision.get(),
    })
}

async fn list_skills(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: ListArguments = call.read()?;
    let caller = &call.asking.caller;
    let request = ListSkills {
        tag: arguments.tag,
        nearest: true,
        or_disabled: arguments.include_disabled,
        ..ListSkills::default()
    };
    let skills = app::skills::list_all(call.cx, caller, request, MOST).await?;
    let skills = skills.iter().map(|record| {
        let mut skill = shown(record);
        if let (false, Some(fields)) = (record.skill.enabled, skill.as_object_mut()) {
            fields.insert("enabled".to_owned(), json!(false));
        }
        skill
    });
    let skills: Vec<Value> = skills.collect();
    Ok(Done::with(json!({ "skills": skills })))
}

pub(crate) const READ_SKILL: ToolKind = ToolKind {
    name: "read_skill",
    aliases: &["load_skill", "learned_skills_load", "skills_load"],
    toolset: Toolset::Library,
    needs_memory: false,
    effect: Effect::Reads,
    shape: |_| {
        let output = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "title": {"type": "string"},
                "description": {"type": "string"},
                "content": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "source": {"type": "string"},
                "version": {"type": "integer"}
            }
        });
        name_only("Read the whole text of a skill.", output)
    },
    call: |call| Box::pin(read_skill(call)),
};

async fn read_skill(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: Named = call.read()?;
    let detail = by_name::read(call.cx, &call.asking.caller, &arguments.name).await?;
    let mut skill = shown(&detail.record);
    if let Some(fields) = skill.as_object_mut() {
        fields.insert("content".to_owned(), json!(detail.manifest.body));
    }
    Ok(Done::with(skill))
}

pub(crate) const CREATE_SKILL: ToolKind = ToolKind {
    name: "create_skill",
    aliases: &[],
    toolset: Toolset::Library,
    needs_memory: false,
    effect: Effect::Adds,
    shape: |_| Shape {
        description: "Save a procedure as a skill.",
        input: json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Lower case with hyphens"},
                "title": {"type": "string"},
                "description": {"type": "string", "description": "What it does and when to use it"},
                "content": {"type": "string", "description": "Markdown"},
                "tags": {"type": "array", "items": {"type": "string"}}
            },
            "required": ["name", "title", "description", "content"]
        }),
        output: versioned(),
    },
    call: |call| Box::pin(create_skill(call)),
};

#[derive(Deserialize)]
struct CreateArguments {
    name: String,
    title: String,
    description: String,
    content: String,
    #[serde(default)]
    tags: Vec<String>,
}

async fn create_skill(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: CreateArguments = call.read()?;
    let CreateArguments { name, title, description, content, tags } = arguments;
    let new = NewSkill { name, title, description, content, tags };
    let published = by_name::create(call.cx, &call.asking.caller, new).await?;
    Ok(version(&published.record))
}

fn version(record: &SkillRecord) -> Done {
    let skill = &record.skill;
    let mut told = json!({ "name": skill.name.as_str(), "version": skill.revision.get() });
    if let (true, Some(fields)) = (skill.status != Status::Active, told.as_object_mut()) {
        fields.insert("status".to_owned(), json!(skill.status.as_str()));
    }
    Done::with(told)
}

pub(crate) const UPDATE_SKILL: ToolKind = ToolKind {
    name: "update_skill",
    aliases: &[],
    toolset: Toolset::Library,
    needs_memory: false,
    effect: Effect::Changes,
    shape: |_| Shape {
        description: "Change a skill. Operations on its text: replace all by content; find_replace; append or \
            prepend content; delete the text in content. Without one only title, description and tags change.",
        input: json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "title": {"type": "string"},
                "description": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}, "description": "Replace all tags"},
                "operation": {"type": "string", "enum": ["replace", "find_replace", "append", "prepend", "delete"]},
                "content": {"type": "string"},
                "find": {"type": "string", "description": "Exact text"},
                "replace": {"type": "string"},
                "replace_all": {"type": "boolean", "default": false}
            },
            "required": ["name"]
        }),
        output: versioned(),
    },
    call: |call| Box::pin(update_skill(call)),
};

#[derive(Deserialize)]
struct UpdateArguments {
    name: String,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    operation: Option<String>,
    content: Option<String>,
    find: Option<String>,
    replace: Option<String>,
    #[serde(default)]
    replace_all: bool,
}

async fn update_skill(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: UpdateArguments = call.read()?;
    let UpdateArguments { name, title, description, tags, operation, content, find, replace, replace_all } =
        arguments;
    let rewrite = match operation {
        Some(operation) => {
            Some(Rewrite::try_from(Operation { operation, content, find, replace, replace_all })?)
        }
        None if content.is_some() || find.is_some() || replace.is_some() => {
            return Err(Stop::Refused("say which `operation` changes the text".to_owned()));
        }
        None => None,
    };
    let request = RewriteSkill { rewrite, title, description, tags };
    let published = by_name::rewrite(call.cx, &call.asking.caller, &name, request).await?;
    Ok(version(&published.record))
}

pub(crate) const DELETE_SKILL: ToolKind = ToolKind {
    name: "delete_skill",
    aliases: &[],
    toolset: Toolset::Library,
    needs_memory: false,
    effect: Effect::Changes,
    shape: |_| {
        name_only(
            "Delete a skill for good.",
            json!({ "type": "object", "properties": {"deleted": {"type": "boolean"}} }),
        )
    },
    call: |call| Box::pin(delete_skill(call)),
};

async fn delete_skill(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: Named = call.read()?;
    let deleted = by_name::delete(call.cx, &call.asking.caller, &arguments.name, None).await?;
    Ok(Done::with(json!({ "deleted": deleted })))
}

pub(crate) const ENABLE_SKILL: ToolKind = ToolKind {
    name: "enable_skill",
    aliases: &[],
    toolset: Toolset::Library,
    needs_memory: false,
    effect: Effect::Changes,
    shape: |_| name_only("Turn a skill on.", switched()),
    call: |call| Box::pin(switch(call, true)),
};

pub(crate) const DISABLE_SKILL: ToolKind = ToolKind {
    name: "disable_skill",
    aliases: &[],
    toolset: Toolset::Library,
    needs_memory: false,
    effect: Effect::Changes,
    shape: |_| name_only("Turn a skill off; it is kept.", switched()),
    call: |call| Box::pin(switch(call, false)),
};

async fn switch(call: &Call<'_>, enabled: bool) -> Result<Done, Stop> {
    let arguments: Named = call.read()?;
    let reviewed = by_name::set_enabled(call.cx, &call.asking.caller, &arguments.name, enabled).await?;
    let skill = &reviewed.record.skill;
    Ok(Done::with(json!({ "name": skill.name.as_str(), "enabled": skill.enabled })))
}
