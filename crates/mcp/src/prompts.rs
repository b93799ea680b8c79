//! Each skill as a prompt, so that people can call it by name in hosts that make commands of prompts.

use app::{Context, Error};
use model::{Caller, SKILL_FILE};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::Value;

use crate::failure::{invalid, protocol};
use crate::offer::Offer;
use crate::skills::{self, LIST_PAGE, TTL_MS};

/// The one argument a prompt has.
const REQUEST: &str = "request";

/// A prompt for every skill the caller can use.
pub(crate) async fn list(
    cx: &Context,
    caller: &Caller,
    cursor: Option<String>,
) -> Result<ListPromptsResult, ErrorData> {
    let page = skills::page(cx, caller, cursor, LIST_PAGE).await.map_err(|error| protocol(&error))?;
    let prompts = page.items.iter().map(|record| {
        let skill = &record.skill;
        let request =
            PromptArgument::new(REQUEST).with_description("What to do with the skill").with_required(false);
        Prompt::new(skill.name.as_str(), Some(&skill.description), Some(vec![request]))
            .with_title(&skill.title)
    });
    let mut result = ListPromptsResult::with_all_items(prompts.collect())
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(CacheScope::Private);
    result.next_cursor = page.next.map(|cursor| cursor.0);
    Ok(result)
}

/// A skill's instructions as a message of the user.
pub(crate) async fn get(
    cx: &Context,
    caller: &Caller,
    offer: &Offer,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let unknown = |error: &Error| match error {
        Error::NotFound { .. } => invalid(error.to_string()),
        error => protocol(error),
    };
    let record = app::skills::resolve(cx, caller, &request.name).await.map_err(|error| unknown(&error))?;
    let served = skills::served(cx, caller, &record).await.map_err(|error| unknown(&error))?;
    let request =
        request.arguments.as_ref().and_then(|arguments| arguments.get(REQUEST)).and_then(Value::as_str);
    let skill = &served.detail.record.skill;
    let mut text = format!("Use the skill `{}`: {}\n\n", skill.name, skill.description);
    text.push_str(served.detail.manifest.body.trim());
    if let (Some(_), Some(how)) = (&served.detail.manifest.procedure, offer.running()) {
        text.push_str("\n\nIt has code to run: ");
        text.push_str(how);
        text.push('.');
    }
    let others = served.detail.files.iter().filter(|file| file.path.as_str() != SKILL_FILE);
    let others: Vec<_> = others.map(|file| format!("- {}", served.uri.of(file.path.as_str()))).collect();
    if !others.is_empty() {
        text.push_str("\n\nIts other files, to be read as resources when needed:\n");
        text.push_str(&others.join("\n"));
    }
    if let Some(request) = request.map(str::trim).filter(|request| !request.is_empty()) {
        text.push_str("\n\nThe request: ");
        text.push_str(request);
    }
    app::skills::count_read(cx, caller, &served.detail).await;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(&skill.description))
}
