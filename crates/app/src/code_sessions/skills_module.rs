//! The skills as a module for agents' own code: `skills.list(tag)` and `skills.read(name)`. It only reads; there is
//! no way to make or change a skill from code.

use std::sync::Arc;

use model::{Caller, Skill};
use sandbox::{HostCall, HostModule};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::skills::{ListSkills, list, read_in_use, resolve};
use crate::{Code, Context, Error, PageRequest};

/// How many skills `list` gives, and how many bytes of text. Code may call it again and again, and all of it is in
/// memory at a time.
const MOST: usize = 2_000;
const MOST_TEXT: usize = 4 << 20;

/// The module as this caller may use it: active skills, the nearest of each name.
pub(super) fn module(cx: &Context, caller: &Caller) -> HostModule {
    let (cx, caller, runtime) = (cx.clone(), caller.clone(), Handle::current());
    let call = move |call: HostCall| {
        let answered = runtime.block_on(async {
            match call.function.as_str() {
                "list" => all(&cx, &caller, argument(&call, "tag")).await,
                _ => one(&cx, &caller, argument(&call, "name")).await,
            }
        });
        answered.map_err(|error| error.to_string())
    };
    let functions = vec!["list".to_owned(), "read".to_owned()];
    HostModule { name: "skills".to_owned(), functions, call: Arc::new(call) }
}

/// An argument, by name or as the first.
fn argument(call: &HostCall, name: &str) -> Option<String> {
    call.named.get(name).or(call.arguments.first()).and_then(Value::as_str).map(str::to_owned)
}

fn shown(skill: &Skill) -> Value {
    json!({
        "name": skill.name.as_str(),
        "title": skill.title,
        "description": skill.description,
        "tags": skill.tags,
    })
}

async fn all(cx: &Context, caller: &Caller, tag: Option<String>) -> Result<Value, Error> {
    let request = ListSkills { tag, nearest: true, ..ListSkills::default() };
    let (mut found, mut text, mut after) = (Vec::new(), 0, None);
    loop {
        let page = PageRequest { limit: PageRequest::MAX, after };
        let (page, _) = list(cx, caller, ListSkills { page, ..request.clone() }).await?;
        text += page.items.iter().map(|record| length(&record.skill)).sum::<usize>();
        found.extend(page.items.iter().map(|record| shown(&record.skill)));
        if found.len() > MOST || text > MOST_TEXT {
            let message = "there are too many skills to list; give a tag, or read one by its name";
            return Err(Error::invalid(Code::InvalidRequest, message));
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(Value::Array(found)),
        }
    }
}

/// The bytes of what is shown.
fn length(skill: &Skill) -> usize {
    let tags: usize = skill.tags.iter().map(String::len).sum();
    skill.title.len() + skill.description.len() + tags
}

async fn one(cx: &Context, caller: &Caller, name: Option<String>) -> Result<Value, Error> {
    let name = name.ok_or_else(|| Error::not_found("skill", "without a name"))?;
    let record = resolve(cx, caller, &name).await?;
    let detail = read_in_use(cx, caller, record.skill.id).await?;
    let mut skill = shown(&record.skill);
    if let Some(fields) = skill.as_object_mut() {
        fields.insert("content".to_owned(), Value::String(detail.manifest.body));
    }
    Ok(skill)
}
