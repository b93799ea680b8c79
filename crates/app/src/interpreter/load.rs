//! Puts the code of skills where code of the caller can import it.

use std::fmt::Write as _;

use model::{Caller, Language};

use super::register::signature;
use super::skill::{Loaded, by_name, load};
use super::{Answer, LoadFunctions, answered, has_memory, text};
use crate::code_sessions::{NewFile, UploadFiles, upload};
use crate::skills::count_given;
use crate::{Code, Context, Error};

/// How many skills are loaded at a time.
const MOST: usize = 50;

/// Puts skills' code into a code session and tells how to call it; of a skill without code, its instructions.
/// A skill that is not there refuses all of them.
pub async fn load_functions(cx: &Context, caller: &Caller, request: LoadFunctions) -> Result<Answer, Error> {
    answered(None, load_all(cx, caller, request).await)
}

async fn load_all(cx: &Context, caller: &Caller, request: LoadFunctions) -> Result<Answer, Error> {
    if !has_memory(cx, caller).await? {
        return Err(Error::invalid(Code::NotFound, "this agent has no functions to load"));
    }
    if request.names.is_empty() || request.names.len() > MOST {
        return Err(Error::invalid(Code::InvalidRequest, format!("name 1 to {MOST} skills")));
    }
    let mut skills: Vec<Loaded> = Vec::new();
    let mut missing = Vec::new();
    for name in &request.names {
        match by_name(cx, caller, name).await {
            Ok(record) if skills.iter().any(|known| known.record.skill.id == record.skill.id) => {}
            Ok(record) => skills.push(load(cx, caller, record).await?),
            Err(error) if matches!(error.code(), Code::NotFound | Code::SkillNotActive) => {
                missing.push(error);
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(first) = missing.first() {
        let told: Vec<String> = missing.iter().map(ToString::to_string).collect();
        return Err(Error::invalid(first.code(), format!("{} Nothing was loaded.", told.join(" "))));
    }
    let files: Vec<NewFile> = skills.iter().filter_map(module_file).collect();
    let mut text = skills.iter().map(told).collect::<Vec<_>>().join("\n\n");
    let mut answer = Answer::empty();
    answer.code_session = request.code_session;
    if !files.is_empty() {
        let uploaded = upload(cx, caller, UploadFiles { session: request.code_session, files }).await?;
        let session = uploaded.session.id;
        let _ = write!(text, "\n\nExecute code with `session_id` {session} to import them.");
        answer.files = uploaded.files;
        answer.code_session = Some(session);
    }
    answer.text = text;
    let ids: Vec<_> = skills.iter().map(|loaded| loaded.record.skill.id).collect();
    count_given(cx, caller, &ids).await;
    Ok(answer)
}

/// The name of a skill as a module. One word alone could be a module or a keyword of Python's own.
fn module(loaded: &Loaded) -> String {
    let name = loaded.record.skill.name.as_str().replace('-', "_");
    let plain = name.contains('_') && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain { name } else { format!("skill_{name}") }
}

fn is_python(loaded: &Loaded) -> bool {
    loaded.manifest.procedure.as_ref().is_some_and(|procedure| procedure.language == Language::Python)
}

fn module_file(loaded: &Loaded) -> Option<NewFile> {
    let content = loaded.code.clone().into_bytes();
    is_python(loaded).then(|| NewFile { path: format!("{}.py", module(loaded)), content, unpack: false })
}

fn told(loaded: &Loaded) -> String {
    let (name, description) = (&loaded.name, &loaded.record.skill.description);
    let mut told = format!("{name}: {description}");
    let Some(procedure) = &loaded.manifest.procedure else {
        let _ = write!(told, "\nIt has no code. Its instructions:\n\n{}", loaded.manifest.body);
        return told;
    };
    if !is_python(loaded) {
        let _ = write!(told, "\nIt is written in {}, and cannot be imported.", procedure.language);
        return told;
    }
    match &procedure.function {
        Some(function) => {
            let _ = write!(
                told,
                "\nfrom {} import {function}\n{}\n{}",
                module(loaded),
                signature(function, &procedure.parameters),
                text::parameters(&procedure.parameters)
            );
        }
        None => {
            let _ = write!(told, "\nimport {}  # a script: importing it runs it", module(loaded));
        }
    }
    if loaded.has_modules {
        told.push_str("\nIt has modules of its own, which are not loaded; it fails here if it needs them.");
    }
    told.trim_end().to_owned()
}
