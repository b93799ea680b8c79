//! Skills as resources: `skill://NAME/SKILL.md` and the files beside it.

use app::{Context, Error};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Caller, SKILL_FILE};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use crate::failure::protocol;
use crate::skills::{self, LIST_PAGE, TTL_MS};
use crate::uri::SkillUri;

/// The template that hosts can complete.
pub(crate) const TEMPLATE: &str = "skill://{name}/{+path}";

/// The `SKILL.md` of every skill the caller can use.
pub(crate) async fn list(
    cx: &Context,
    caller: &Caller,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ErrorData> {
    let page = skills::page(cx, caller, cursor, LIST_PAGE).await.map_err(|error| protocol(&error))?;
    let resources = page.items.iter().map(|record| {
        let skill = &record.skill;
        Resource::new(SkillUri::new(skill.name.as_str(), None).of(SKILL_FILE), skill.name.as_str())
            .with_title(&skill.title)
            .with_description(&skill.description)
            .with_mime_type("text/markdown")
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect())
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(CacheScope::Private);
    result.next_cursor = page.next.map(|cursor| cursor.0);
    Ok(result)
}

/// How the address of any file is made.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "skill-file")
        .with_title("A file of a skill")
        .with_description("SKILL.md and the files it names, by the skill's name and the path in it");
    ListResourceTemplatesResult::with_all_items(vec![template])
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// One file.
pub(crate) async fn read(cx: &Context, caller: &Caller, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = contents(cx, caller, uri).await.map_err(|error| {
        let mut told = protocol(&error);
        if let Some(data) = told.data.as_mut().and_then(serde_json::Value::as_object_mut) {
            data.insert("uri".to_owned(), uri.into());
        }
        told
    })?;
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
}

async fn contents(cx: &Context, caller: &Caller, uri: &str) -> Result<ResourceContents, Error> {
    let unknown = || Error::NotFound { what: "resource", which: uri.chars().take(200).collect() };
    let served = skills::at(cx, caller, uri).await?;
    let path = served.path_of(uri).ok_or_else(unknown)?;
    let (id, revision) = (served.detail.record.skill.id, served.detail.revision.number);
    let which = app::skills::RevisionRef::Number(revision);
    let (entry, bytes) =
        app::skills::file(cx, caller, id, which, &path).await.map_err(|error| match error {
            Error::NotFound { .. } => unknown(),
            error => error,
        })?;
    let kind = model::media_type(entry.path.file_name());
    Ok(match String::from_utf8(bytes) {
        Ok(text) => {
            let kind = if kind == "application/octet-stream" { "text/plain" } else { kind };
            ResourceContents::text(text, uri).with_mime_type(kind)
        }
        Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri).with_mime_type(kind),
    })
}
