//! Saves code as a skill of the agent and its user.

use std::fmt::Write as _;
use std::sync::Arc;

use model::{
    BundlePath, Caller, Language, Parameter, ProceduralMemory, Procedure, RunLimits, Scope, SkillName,
    slugify,
};
use policy::access::{self, Act};

use super::python::{PythonCode, read_python};
use super::{Answer, Call, Operation, named, text};
use crate::artifacts::{Artifact, ArtifactKind};
use crate::skills::{Content, CreateSkill, OnConflict, Outcome, create};
use crate::{Code, Context, Draft, Error, SkillRecord, object_ids};

/// Where the code of a registered skill stands in its bundle.
const FILE: &str = "scripts/main.py";

/// Saves the code of a call as a skill.
pub(super) async fn register(
    cx: &Context,
    caller: &Caller,
    memory: &ProceduralMemory,
    call: &Call,
) -> Result<Answer, Error> {
    let written = named("register_skill", "skill_name", call.skill_name.as_deref())?;
    let description = named("register_skill", "skill_description", call.skill_description.as_deref())?;
    let code = call.source();
    named("register_skill", "code", Some(code))?;
    if caller.agent.is_some() && !memory.auto_register_skills && !memory.require_skill_approval {
        let message = "this agent saves no skills: `auto_register_skills` is off; ask an admin to put it in";
        return Err(Error::invalid(Code::Forbidden, message));
    }
    let name = slugify(written).ok_or_else(|| {
        let message = format!("`{written}` has nothing a name could be made of; use letters and digits");
        Error::invalid(Code::InvalidName, message)
    })?;
    let scope = match caller.agent {
        Some(agent) => Scope::AgentUser(agent, caller.user),
        None => Scope::User(caller.user),
    };
    access::decide(caller, Act::CreateSkill(scope))?;
    let read = read_python(cx, caller, code, written).await?;
    let request = CreateSkill {
        scope: Some(scope),
        session: call.session,
        message: "Registered through the interpreter.".to_owned(),
        on_conflict: OnConflict::NewRevision,
        ..CreateSkill::new(Content::Draft(Box::new(draft(name, written, description, code, &read)?)))
    };
    let published = create(cx, caller, request, None).await?;
    let record = published.record;
    let saved = published.outcome != Outcome::Unchanged;
    let text = told(&record, published.outcome, &read);
    let mut artifacts = Vec::new();
    if saved {
        artifacts.push(Artifact::new(cx, ArtifactKind::SkillSaved, &record, code.to_owned()).await?);
    }
    Ok(Answer { text, artifacts, ..Answer::new(Operation::RegisterSkill) })
}

/// The content of a skill made of code.
pub(crate) fn draft(
    name: SkillName,
    written: &str,
    description: &str,
    code: &str,
    read: &PythonCode,
) -> Result<Draft, Error> {
    let file = BundlePath::parse(FILE).map_err(|error| Error::invalid(Code::InvalidPath, error))?;
    let procedure = Procedure {
        language: Language::Python,
        file,
        function: read.function.clone(),
        parameters: read.parameters.clone(),
        profile: None,
        limits: RunLimits::default(),
        network: Vec::new(),
    };
    let body = body(written, description, read);
    let title = (written != name.as_str()).then(|| written.to_owned());
    let source: Arc<[u8]> = code.as_bytes().into();
    Ok(Draft { title, body, procedure: Some((procedure, source)), ..Draft::new(name, description) })
}

/// Instructions for clients that know nothing of procedures: what it does, with what, and how to call it.
pub(crate) fn body(written: &str, description: &str, read: &PythonCode) -> String {
    let mut body = format!("# {written}\n\n{description}\n");
    if let Some(summary) = read.summary.as_ref().filter(|summary| *summary != description) {
        let _ = write!(body, "\n{summary}\n");
    }
    if !read.parameters.is_empty() {
        let _ = write!(body, "\n## Parameters\n\n{}", text::parameters(&read.parameters));
    }
    body.push_str("\n## How to run it\n\n");
    match &read.function {
        Some(function) => {
            let _ = writeln!(body, "Call `{}` in `{FILE}`.", signature(function, &read.parameters));
        }
        None => {
            let _ = writeln!(body, "Run `python3 {FILE}`.");
        }
    }
    body
}

/// A function as it is called.
pub(super) fn signature(function: &str, parameters: &[Parameter]) -> String {
    let told = parameters.iter().map(|parameter| match &parameter.default {
        Some(default) => format!("{}={default}", parameter.name),
        None if !parameter.required => format!("{}=…", parameter.name),
        None => parameter.name.clone(),
    });
    format!("{function}({})", told.collect::<Vec<_>>().join(", "))
}

fn told(record: &SkillRecord, outcome: Outcome, read: &PythonCode) -> String {
    let skill = &record.skill;
    let name = object_ids::written_name(skill);
    let state = match object_ids::status_word(skill) {
        "Active" => "is ready to use.".to_owned(),
        "PendingApproval" => "is pending approval.".to_owned(),
        other => format!("cannot be used yet: its status is {other}."),
    };
    if outcome == Outcome::Unchanged {
        return format!(
            "Skill '{name}' is already saved with this very code; nothing was changed. It {state}"
        );
    }
    let mut text = format!("Skill '{name}' has been saved and {state}");
    if outcome == Outcome::Revised {
        let _ = write!(text, " It is version {} now.", skill.revision);
    }
    if !read.parameters.is_empty() {
        let _ = write!(text, "\nIts parameters:\n{}", text::parameters(&read.parameters).trim_end());
    }
    for note in &read.notes {
        let _ = write!(text, "\nNote: {note}.");
    }
    let _ =
        write!(text, "\n\nTell the user that you created the reusable skill '{name}', and what it is for.");
    text
}
