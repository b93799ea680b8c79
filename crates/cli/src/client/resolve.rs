//! What a person means by a skill's name.

use serde_json::Value;

use super::{Client, Skill, api};
use crate::exit::{Exit, Failure, Outcome};

/// `NAME`, `ID`, `NAME@3` or `NAME@1.2.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) skill: String,
    pub(crate) revision: Option<String>,
}

impl std::str::FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (skill, revision) = match text.rsplit_once('@') {
            Some((skill, revision)) => (skill, Some(revision.to_owned())),
            None => (text, None),
        };
        if skill.is_empty() || revision.as_deref() == Some("") {
            return Err("write NAME, ID, NAME@REVISION or NAME@LABEL".to_owned());
        }
        Ok(Self { skill: skill.to_owned(), revision })
    }
}

impl Reference {
    /// The same, where a revision makes no sense.
    pub(crate) fn whole(&self) -> Outcome<&str> {
        match &self.revision {
            None => Ok(&self.skill),
            Some(revision) => Err(Failure::usage(format!(
                "this is about the whole skill `{}`, not `@{revision}`",
                self.skill
            ))),
        }
    }
}

/// Which skill of several with one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    /// The nearest, as an agent would get it: for looking.
    Nearest,
    /// There must be only one: for changing.
    Only,
    /// Among those that were deleted.
    Deleted,
}

/// The skill with this name or id.
pub(crate) async fn find_skill(client: &Client, text: &str, pick: Pick) -> Outcome<Skill> {
    if is_id(text) && pick != Pick::Deleted {
        return client.read(api("GET", &["skills", text])).await;
    }
    let deleted = (pick == Pick::Deleted).then_some("true");
    let name = if is_id(text) { None } else { Some(text) };
    let listed =
        client.all(api("GET", &["skills"]).query("name", name).query("deleted", deleted), None).await;
    let skills: Vec<Skill> = match listed {
        Ok(items) => items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect(),
        // What cannot be a name may still be a way to write one.
        Err(failure) if failure.exit == Exit::Usage || failure.exit == Exit::Invalid => Vec::new(),
        Err(failure) => return Err(failure),
    };
    let skills: Vec<Skill> = skills.into_iter().filter(|skill| name.is_some() || skill.id == text).collect();
    match skills.as_slice() {
        [only] => return Ok(only.clone()),
        [] => {}
        several => return among(client, text, several, pick).await,
    }
    if pick != Pick::Deleted
        && let Ok(skill) =
            client.read::<Skill>(api("GET", &["skills", "resolve"]).query("name", Some(text))).await
    {
        return Ok(skill);
    }
    Err(unknown(client, text, pick).await)
}

async fn among(client: &Client, text: &str, several: &[Skill], pick: Pick) -> Outcome<Skill> {
    if pick == Pick::Nearest
        && let Ok(nearest) =
            client.read::<Skill>(api("GET", &["skills", "resolve"]).query("name", Some(text))).await
    {
        return Ok(nearest);
    }
    let mut failure = Failure::new(
        Exit::Usage,
        "ambiguous_name",
        format!("`{text}` is the name of {} skills; name one by its id", several.len()),
    );
    failure.findings = several
        .iter()
        .map(|skill| format!("{}  {} scope, {}, {}", skill.id, skill.scope.kind, skill.state(), skill.title))
        .collect();
    Err(failure)
}

async fn unknown(client: &Client, text: &str, pick: Pick) -> Failure {
    let what = if pick == Pick::Deleted { "deleted skill" } else { "skill" };
    let failure = Failure::not_found(format!("there is no {what} `{text}`"));
    let near = client.json(api("GET", &["skills"]).query("q", Some(text)).query("limit", Some("3"))).await;
    let names: Vec<String> = near
        .ok()
        .and_then(|page| page.get("items").and_then(Value::as_array).cloned())
        .unwrap_or_default()
        .iter()
        .filter_map(|item| item.get("name").and_then(Value::as_str).map(|name| format!("`{name}`")))
        .collect();
    match names.as_slice() {
        [] => failure.hint("`repertoire skill list` shows what there is"),
        names => failure.hint(format!("did you mean {}?", names.join(", "))),
    }
}

fn is_id(text: &str) -> bool {
    model::SkillId::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_may_name_a_revision() {
        let read = |text: &str| text.parse::<Reference>().map(|one| (one.skill, one.revision));
        assert_eq!(read("a"), Ok(("a".into(), None)));
        assert_eq!(read("a@3"), Ok(("a".into(), Some("3".into()))));
        assert_eq!(read("a@1.2.0"), Ok(("a".into(), Some("1.2.0".into()))));
        assert!(read("a@").is_err() && read("@3").is_err() && read("").is_err());
    }
}
