//! Proposing skills, and saying whether one helped.

use app::skills::{self, Proposal};
use model::Toolset;
use serde::Deserialize;
use serde_json::json;

use super::{Call, Done, Effect, Shape, Stop, ToolKind};

pub(crate) const PROPOSE_SKILL: ToolKind = ToolKind {
    name: "propose_skill",
    aliases: &[],
    toolset: Toolset::Learning,
    needs_memory: true,
    effect: Effect::Adds,
    shape: |_| Shape {
        description: "Propose a procedure of this conversation as a reusable skill. The user is asked to confirm \
            before it is saved.",
        input: json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "description": {"type": "string", "description": "What it does and when to use it"},
                "instructions": {"type": "string", "description": "The procedure, in Markdown"},
                "exampleQueries": {"type": "array", "items": {"type": "string"}},
                "suggestedTools": {"type": "array", "items": {"type": "string"}}
            },
            "required": ["name", "description", "instructions"]
        }),
        output: json!({
            "type": "object",
            "properties": {
                "success": {"type": "boolean"},
                "skillId": {"type": "string"},
                "message": {"type": "string"},
                "uiAction": {"type": "object"},
                "artifacts": {"type": "array", "items": {"type": "object"}}
            }
        }),
    },
    call: |call| Box::pin(propose_skill(call)),
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProposeArguments {
    name: String,
    description: String,
    instructions: String,
    #[serde(default)]
    example_queries: Vec<String>,
    #[serde(default)]
    suggested_tools: Vec<String>,
}

async fn propose_skill(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: ProposeArguments = call.read()?;
    let proposal = Proposal {
        name: arguments.name,
        description: arguments.description,
        instructions: arguments.instructions,
        example_queries: arguments.example_queries,
        suggested_tools: arguments.suggested_tools,
        session: call.session,
    };
    let proposed = skills::propose(call.cx, &call.asking.caller, proposal).await?;
    let skill = &proposed.record.skill;
    let id = skill.id.to_string();
    let done = Done::with(json!({
        "success": true,
        "skillId": id,
        "message": proposed.message,
        "uiAction": {
            "type": "skill_proposal",
            "skillId": id,
            "name": skill.title,
            "description": skill.description,
        },
    }));
    Ok(Done { artifacts: vec![proposed.artifact], ..done })
}

pub(crate) const RECORD_FEEDBACK: ToolKind = ToolKind {
    name: "record_feedback",
    aliases: &[],
    toolset: Toolset::Learning,
    needs_memory: true,
    effect: Effect::Changes,
    shape: |_| Shape {
        description: "Say whether a skill helped.",
        input: json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "helpful": {"type": "boolean"},
                "comment": {"type": "string"}
            },
            "required": ["name", "helpful"]
        }),
        output: json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "helpful": {"type": "boolean"}}
        }),
    },
    call: |call| Box::pin(record_feedback(call)),
};

#[derive(Deserialize)]
struct FeedbackArguments {
    name: String,
    helpful: bool,
    comment: Option<String>,
}

async fn record_feedback(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: FeedbackArguments = call.read()?;
    let caller = &call.asking.caller;
    let record = skills::resolve(call.cx, caller, &arguments.name).await?;
    let FeedbackArguments { helpful, comment, .. } = arguments;
    skills::record_feedback(call.cx, caller, record.skill.id, helpful, comment).await?;
    Ok(Done::with(json!({ "name": record.skill.name.as_str(), "helpful": helpful })))
}
