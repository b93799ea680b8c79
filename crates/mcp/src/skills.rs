//! Skills over MCP: the skills extension, and what resources and prompts share with it.

use app::skills::{Detail, ListSkills};
use app::{Context, Cursor, Error, PageRequest, SkillRecord};
use model::{Caller, SKILL_FILE, SkillName};
use rmcp::ErrorData;
use rmcp::model::Resource;
use serde_json::{Map, Value, json};

use crate::failure::{invalid, protocol};
use crate::uri::{SkillUri, kept_name};

/// The name of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/skills";
/// How long a list may be taken for fresh. What one caller sees is not for others.
pub(crate) const TTL_MS: u64 = 5_000;
/// How many skills a page has; each is read with its files.
const PAGE: u32 = 50;
/// How many resources or prompts a page has.
pub(crate) const LIST_PAGE: u32 = 200;

/// A page of the skills that a caller can use, the nearest of each name.
pub(crate) async fn page(
    cx: &Context,
    caller: &Caller,
    cursor: Option<String>,
    limit: u32,
) -> Result<app::Page<SkillRecord>, Error> {
    let page = PageRequest { limit, after: cursor.map(Cursor) };
    let request = ListSkills { nearest: true, page, ..ListSkills::default() };
    Ok(app::skills::list(cx, caller, request).await?.0)
}

/// A skill as it is served: its content, what its author wrote above it, and where its files are.
pub(crate) struct Served {
    pub detail: Detail,
    pub uri: SkillUri,
    /// The frontmatter, where every reader of YAML reads the same and its name is one of the standard.
    pub frontmatter: Option<Map<String, Value>>,
}

impl Served {
    fn new(detail: Detail) -> Self {
        let kept = detail.record.skill.name.as_str();
        let frontmatter = app::frontmatter(&detail.skill_file).filter(|fields| {
            let name = fields.get("name").and_then(Value::as_str);
            let described = fields.get("description").and_then(Value::as_str);
            name.is_some_and(|name| SkillName::parse(name).is_ok()) && described.is_some()
        });
        let declared = frontmatter.as_ref().and_then(|fields| fields.get("name")).and_then(Value::as_str);
        Self { uri: SkillUri::new(kept, declared), frontmatter, detail }
    }

    /// The path that an address means in this skill.
    pub(crate) fn path_of(&self, uri: &str) -> Option<String> {
        let kept = SkillUri::new(self.detail.record.skill.name.as_str(), None);
        let path = self.uri.path_of(uri);
        // `skill://KEPT/SKILL.md` is also understood where the skill calls itself otherwise.
        path.filter(|path| path.is_empty() || self.has(path)).or_else(|| kept.path_of(uri))
    }

    fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.detail.files.iter().any(|file| {
            let file = file.path.as_str();
            file == path || file.starts_with(&folder)
        })
    }

    /// Its entry in the extension's lists.
    fn entry(&self) -> Option<Value> {
        let frontmatter = self.frontmatter.clone()?;
        let resources = self.detail.files.iter().map(|file| {
            json!({
                "uri": self.uri.of(file.path.as_str()),
                "digest": file.digest.to_string(),
                "size": file.size,
            })
        });
        Some(json!({
            "uri": self.uri.of(SKILL_FILE),
            "frontmatter": frontmatter,
            "resources": resources.collect::<Vec<_>>(),
        }))
    }
}

/// The skill of a record, at the revision that the caller uses.
pub(crate) async fn served(cx: &Context, caller: &Caller, record: &SkillRecord) -> Result<Served, Error> {
    Ok(Served::new(app::skills::read_in_use(cx, caller, record.skill.id).await?))
}

/// The skill that an address means to a caller.
pub(crate) async fn at(cx: &Context, caller: &Caller, uri: &str) -> Result<Served, Error> {
    let unknown = || Error::NotFound { what: "resource", which: uri.chars().take(200).collect() };
    let name = kept_name(uri).ok_or_else(unknown)?;
    let record = app::skills::resolve(cx, caller, name).await.map_err(|error| match error {
        Error::NotFound { .. } => unknown(),
        error => error,
    })?;
    served(cx, caller, &record).await
}

/// `skills/list`.
pub(crate) async fn list(cx: &Context, caller: &Caller, params: Option<&Value>) -> Result<Value, ErrorData> {
    let cursor = text(params, "cursor")?;
    let page = page(cx, caller, cursor, PAGE).await.map_err(|error| protocol(&error))?;
    let mut skills = Vec::new();
    for record in &page.items {
        match served(cx, caller, record).await {
            Ok(served) => skills.extend(served.entry()),
            // It was removed since the page was read.
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(protocol(&error)),
        }
    }
    let mut result = json!({
        "resultType": "complete", "skills": skills, "ttlMs": TTL_MS, "cacheScope": "private",
    });
    if let (Some(next), Some(fields)) = (page.next, result.as_object_mut()) {
        fields.insert("nextCursor".to_owned(), Value::String(next.0));
    }
    Ok(result)
}

/// `skills/get`.
pub(crate) async fn get(cx: &Context, caller: &Caller, params: Option<&Value>) -> Result<Value, ErrorData> {
    let uri = text(params, "uri")?.ok_or_else(|| invalid("`uri` is missing"))?;
    let unknown = || invalid(format!("there is no skill `{}`", uri.chars().take(200).collect::<String>()));
    let served = at(cx, caller, &uri).await.map_err(|error| match error {
        Error::NotFound { .. } => unknown(),
        error => protocol(&error),
    })?;
    let entry = served.entry().filter(|entry| entry.get("uri").and_then(Value::as_str) == Some(&uri));
    let entry = entry.ok_or_else(unknown)?;
    Ok(json!({ "resultType": "complete", "skill": entry, "ttlMs": TTL_MS, "cacheScope": "private" }))
}

/// `resources/directory/read`.
pub(crate) async fn directory(
    cx: &Context,
    caller: &Caller,
    params: Option<&Value>,
) -> Result<Value, ErrorData> {
    let uri = text(params, "uri")?.ok_or_else(|| invalid("`uri` is missing"))?;
    let no_folder = || invalid(format!("there is no folder `{}`", uri.chars().take(200).collect::<String>()));
    let served = at(cx, caller, &uri).await.map_err(|error| match error {
        Error::NotFound { .. } => no_folder(),
        error => protocol(&error),
    })?;
    let path = served.path_of(&uri).ok_or_else(no_folder)?;
    let inside = if path.is_empty() { String::new() } else { format!("{path}/") };
    let mut resources: Vec<Resource> = Vec::new();
    for file in &served.detail.files {
        let Some(rest) = file.path.as_str().strip_prefix(&inside) else { continue };
        let resource = match rest.split_once('/') {
            Some((folder, _)) => {
                let uri = served.uri.of(&format!("{inside}{folder}"));
                Resource::new(uri, folder).with_mime_type("inode/directory")
            }
            None => Resource::new(served.uri.of(file.path.as_str()), rest)
                .with_mime_type(model::media_type(rest))
                .with_size(file.size),
        };
        if resources.last().is_none_or(|last| last.uri != resource.uri) {
            resources.push(resource);
        }
    }
    if resources.is_empty() {
        return Err(no_folder());
    }
    Ok(json!({ "resultType": "complete", "resources": resources, "ttlMs": TTL_MS, "cacheScope": "private" }))
}

fn text(params: Option<&Value>, name: &str) -> Result<Option<String>, ErrorData> {
    match params.and_then(|params| params.get(name)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid(format!("`{name}` must be a string"))),
    }
}
