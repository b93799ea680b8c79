//! Completes names of skills and paths of their files while a person types.

use app::{Context, Error};
use model::Caller;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use crate::failure::protocol;
use crate::resources::TEMPLATE;
use crate::skills::{self, LIST_PAGE};

/// What the value of an argument may become.
pub(crate) async fn complete(
    cx: &Context,
    caller: &Caller,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let Reference::Resource(template) = &request.r#ref else { return Ok(CompleteResult::default()) };
    if template.uri != TEMPLATE {
        return Ok(CompleteResult::default());
    }
    let begun = request.argument.value.as_str();
    let values = match request.argument.name.as_str() {
        "name" => names(cx, caller, begun).await,
        "path" => {
            let known = request.context.as_ref().and_then(|context| context.get_argument("name"));
            match known {
                Some(name) => paths(cx, caller, name, begun).await,
                None => Ok(Vec::new()),
            }
        }
        _ => Ok(Vec::new()),
    };
    let mut values = values.map_err(|error| protocol(&error))?;
    values.truncate(CompletionInfo::MAX_VALUES);
    let info = CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

async fn names(cx: &Context, caller: &Caller, begun: &str) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let page = skills::page(cx, caller, cursor, LIST_PAGE).await?;
        let names = page.items.iter().map(|record| record.skill.name.to_string());
        found.extend(names.filter(|name| name.starts_with(begun)));
        match page.next {
            Some(next) if found.len() < CompletionInfo::MAX_VALUES => cursor = Some(next.0),
            _ => return Ok(found),
        }
    }
}

async fn paths(cx: &Context, caller: &Caller, name: &str, begun: &str) -> Result<Vec<String>, Error> {
    let record = match app::skills::resolve(cx, caller, name).await {
        Ok(record) => record,
        Err(Error::NotFound { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let (_, files) =
        app::skills::files(cx, caller, record.skill.id, app::skills::RevisionRef::Current).await?;
    let paths = files.iter().map(|file| file.path.to_string());
    Ok(paths.filter(|path| path.starts_with(begun)).collect())
}
