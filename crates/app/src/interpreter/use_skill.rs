//! Uses a skill: runs it, or gives its instructions where it has nothing to run.

use model::{Caller, SkillId};

use super::execute::check_files;
use super::skill::{Loaded, by_name, load};
use super::text::{self, Output};
use super::{Answer, Call, Failure, Operation, named};
use crate::artifacts::{Artifact, ArtifactKind};
use crate::code_sessions::{Kept, SessionFile, keep_files};
use crate::runs::{self, Contents, Ran, RunSkill};
use crate::{Code, Context, Error, SkillRecord, skills};

/// Uses the skill that a call names.
pub(super) async fn use_skill(cx: &Context, caller: &Caller, call: &Call) -> Result<Answer, Error> {
    let name = named("use_skill", "skill_name", call.skill_name.as_deref())?;
    let record = by_name(cx, caller, name).await?;
    use_found(cx, caller, call, record).await
}

/// Uses a skill that was found.
pub(super) async fn use_found(
    cx: &Context,
    caller: &Caller,
    call: &Call,
    record: SkillRecord,
) -> Result<Answer, Error> {
    check_files(cx, caller, call).await?;
    let loaded = load(cx, caller, record).await?;
    if loaded.manifest.procedure.is_some() {
        run(cx, caller, call, loaded).await
    } else {
        instruct(cx, caller, loaded).await
    }
}

async fn instruct(cx: &Context, caller: &Caller, loaded: Loaded) -> Result<Answer, Error> {
    let id = loaded.record.skill.id;
    skills::record_use(cx, caller, id, true).await?;
    let text = format!(
        "{}\nIt has nothing to run. Follow its instructions:\n\n{}\n\n{}",
        used(&loaded),
        loaded.manifest.body,
        tell_the_user(&loaded.name)
    );
    let artifacts = vec![artifact(cx, id, &loaded).await?];
    Ok(Answer { text, artifacts, ..Answer::new(Operation::UseSkill) })
}

async fn run(cx: &Context, caller: &Caller, call: &Call, loaded: Loaded) -> Result<Answer, Error> {
    let id = loaded.record.skill.id;
    let request = RunSkill {
        parameters: call.skill_parameters.clone(),
        session: call.code_session,
        contents: if call.code_session.is_some() { Contents::Omitted } else { Contents::Inline },
        audience: call.audience.clone(),
        ..RunSkill::default()
    };
    let ran = runs::execute_admitted(cx, caller, id, request).await;
    let ran = ran.map_err(|error| explained(&loaded, error))?;
    let artifacts = vec![artifact(cx, id, &loaded).await?];
    let stdout = ran.stdout.text();
    let stderr = ran.stderr.text();
    let files: Vec<SessionFile> =
        ran.files.iter().map(|file| SessionFile { path: file.path.clone(), size: file.size }).collect();
    let failure = failure(&ran);
    let told = Output {
        result: Some(&ran.result),
        stdout: &stdout,
        stderr: &stderr,
        files: &files,
        error: failure.as_ref().map(|failure| text::error("", &failure.message, None, failure.line)),
    };
    let mut text = format!("{}\n{}", used(&loaded), text::output(&told));
    let result = ran.result.clone();
    let (code_session, place) = place(cx, caller, call, ran).await?;
    text.extend(place.map(|place| format!("\n{place}")));
    text.extend(["\n\n".to_owned(), tell_the_user(&loaded.name)]);
    Ok(Answer {
        text,
        failure,
        result,
        stdout,
        stderr,
        files,
        code_session,
        artifacts,
        ..Answer::new(Operation::UseSkill)
    })
}

fn used(loaded: &Loaded) -> String {
    format!("Used skill '{}': {}", loaded.name, loaded.record.skill.description)
}

fn tell_the_user(name: &str) -> String {
    format!("Tell the user that you used the existing skill '{name}', and what for.")
}

/// Parameters that do not fit are told with the name of the skill and all that it takes.
fn explained(loaded: &Loaded, error: Error) -> Error {
    if error.code() != Code::InvalidParameters {
        return error;
    }
    let takes = loaded.manifest.procedure.as_ref().map(|procedure| text::parameters(&procedure.parameters));
    let message = format!(
        "The skill '{}' was not run: {error}. Give these in `skill_parameters`:\n{}",
        loaded.name,
        takes.unwrap_or_default().trim_end()
    );
    Error::invalid(Code::InvalidParameters, message)
}

fn failure(ran: &Ran) -> Option<Failure> {
    let error = ran.run.error.as_ref()?;
    Some(Failure {
        code: error.code.clone(),
        message: text::error(&error.kind, &error.message, None, None),
        line: error.line,
    })
}

/// Where the files of a run are from now on.
async fn place(
    cx: &Context,
    caller: &Caller,
    call: &Call,
    ran: Ran,
) -> Result<(Option<model::CodeSessionId>, Option<String>), Error> {
    if let Some(session) = call.code_session {
        let place = (!ran.files.is_empty()).then(|| text::place(session));
        return Ok((Some(session), place));
    }
    let lost = ran.files.iter().filter(|file| file.content.is_none()).count();
    let files = ran.files.into_iter().filter_map(|file| Some((file.path, file.content?))).collect();
    let kept = keep_files(cx, caller, files).await?;
    let mut place = text::kept(&kept);
    if lost > 0 {
        let told = format!("{lost} of the files are too large to be kept; run it in a code session instead.");
        place = Some(place.map(|place| format!("{place} {told}")).unwrap_or(told));
    }
    match kept {
        Kept::Session { session, .. } => Ok((Some(session.id), place)),
        Kept::NoFiles | Kept::NoRoom => Ok((None, place)),
    }
}

/// What people are shown, with the statistics after the use.
async fn artifact(cx: &Context, id: SkillId, loaded: &Loaded) -> Result<Artifact, Error> {
    let workspace = loaded.record.skill.workspace;
    // One that was purged meanwhile is shown as it was.
    let now = cx.read().await?.skill(workspace, id).await?;
    let record = now.as_ref().unwrap_or(&loaded.record);
    Artifact::new(cx, ArtifactKind::SkillUsed, record, loaded.code.clone()).await
}
