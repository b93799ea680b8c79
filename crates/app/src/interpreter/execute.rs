//! Executes code, and nothing else.

use std::collections::BTreeSet;

use model::{Caller, Language};

use super::text::{self, Output};
use super::{Answer, Call, Failure, Operation};
use crate::code_sessions::{self, ExecuteCode, Executed, Kept, list_files};
use crate::{Code, Context, Error};

/// Where code finds its files; names may be given with it or without.
const FOLDER: &str = "/mnt/data/";
/// How many files of a session are named to someone who asks for others.
const MOST_NAMED: usize = 20;

/// Executes the code of a call, or its prompt.
pub(super) async fn execute(cx: &Context, caller: &Caller, call: &Call) -> Result<Answer, Error> {
    check_files(cx, caller, call).await?;
    let request = ExecuteCode {
        session: call.code_session,
        code: call.source().to_owned(),
        language: Language::Python,
        parameters: serde_json::Map::new(),
        timeout: None,
        profile: None,
        audience: call.audience.clone(),
    };
    let (executed, kept) = if call.code_session.is_some() {
        (code_sessions::execute_admitted(cx, caller, request).await?, None)
    } else {
        let (executed, kept) = code_sessions::execute_passing(cx, caller, request).await?;
        (executed, Some(kept))
    };
    Ok(answer(executed, kept.as_ref()))
}

fn answer(executed: Executed, kept: Option<&Kept>) -> Answer {
    let failure = executed.error.map(|error| Failure {
        message: text::error(&error.kind, &error.message, None, None),
        code: error.code.to_owned(),
        line: error.line,
    });
    let told = Output {
        result: Some(&executed.result),
        stdout: &executed.stdout,
        stderr: &executed.stderr,
        files: &executed.files,
        error: failure.as_ref().map(|failure| text::error("", &failure.message, None, failure.line)),
    };
    let mut text = text::output(&told);
    let place = match kept {
        None if executed.files.is_empty() => None,
        None => Some(text::place(executed.session.id)),
        Some(kept) => text::kept(kept),
    };
    if let Some(place) = place {
        text.extend(["\n", place.as_str()]);
    }
    let code_session = match kept {
        None | Some(Kept::Session { .. }) => Some(executed.session.id),
        Some(Kept::NoFiles | Kept::NoRoom) => None,
    };
    Answer {
        text,
        failure,
        result: executed.result,
        stdout: executed.stdout,
        stderr: executed.stderr,
        files: executed.files,
        code_session,
        ..Answer::new(Operation::Execute)
    }
}

/// Refuses a call that names files which are not in its code session.
pub(super) async fn check_files(cx: &Context, caller: &Caller, call: &Call) -> Result<(), Error> {
    if call.file_names.is_empty() {
        return Ok(());
    }
    let quoted = |names: &[&str]| {
        let told: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
        told.join(", ")
    };
    let wanted: Vec<&str> =
        call.file_names.iter().map(|name| name.strip_prefix(FOLDER).unwrap_or(name)).collect();
    let Some(session) = call.code_session else {
        let message = format!(
            "the files {} are not there: put them into a code session first, and give its `session_id`",
            quoted(&wanted)
        );
        return Err(Error::invalid(Code::NotFound, message));
    };
    let (_, files, _) = list_files(cx, caller, session).await?;
    let there: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let missing: Vec<&str> = wanted.into_iter().filter(|name| !there.contains(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let has: Vec<&str> = there.into_iter().collect();
    let has = if has.is_empty() { "no files".to_owned() } else { quoted(&has) };
    let message = format!("the code session has no file {}; it has {has}", quoted(&missing));
    Err(Error::invalid(Code::NotFound, message))
}
