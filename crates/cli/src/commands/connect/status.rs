//! `repertoire connect status`.

use std::path::Path;

use serde_json::{Value, json};

use super::shelf::Shelf;
use super::{settings, skills};
use crate::commands::hook;
use crate::exit::Outcome;
use crate::hosts::{Reach, ToolHost, leads_to_us};
use crate::output::Table;
use crate::session::Session;

/// Says for every host what it has of us, and where that is set.
pub(super) fn run(session: &Session) -> Outcome {
    let mut rows = Vec::new();
    for host in ToolHost::ALL {
        for reach in [Reach::User, Reach::Project] {
            rows.extend(row(host, reach));
        }
    }
    session.output.result(&json!({"items": rows}), || {
        let mut table = Table::new(&["host", "scope", "state", "hooks", "skills", "file"]);
        for row in &rows {
            let text = |name: &str| match row.get(name) {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Null) | None => "-".to_owned(),
                Some(other) => other.to_string(),
            };
            table.row([
                text("host"),
                text("scope"),
                text("state"),
                text("hooks"),
                text("skills"),
                text("file"),
            ]);
        }
        session.output.table(&table)
    })
}

/// A host's row; there is none where we cannot look.
fn row(host: ToolHost, reach: Reach) -> Option<Value> {
    let (_, hooks, _) = hook::state(host.hooks(), reach);
    let skills = skills(host, reach).and_then(Shelf::open);
    let skills =
        skills.map_or_else(|failure| json!(failure.message), |shelf| json!(shelf.count_for(host.as_str())));
    let (file, state, entries) = match settings(host, reach) {
        Ok(None) => return None,
        Err(failure) => (None, failure.message.clone(), Vec::new()),
        Ok(Some(place)) => {
            let found = place.read().and_then(|text| {
                let found = text.map(|text| host.form().list(&text)).transpose();
                found.map_err(|why| place.unreadable(&why))
            });
            let (state, entries) = match found {
                Err(failure) => (failure.message.clone(), Vec::new()),
                Ok(found) => state(found.unwrap_or_default()),
            };
            (Some(place.shown()), state, entries)
        }
    };
    Some(json!({
        "host": host.as_str(), "scope": reach.as_str(), "file": file, "state": state, "entries": entries,
        "hooks": hooks, "skills": skills,
    }))
}

fn state(found: Vec<(String, Value)>) -> (String, Vec<Value>) {
    let ours: Vec<_> = found.into_iter().filter(|(_, entry)| leads_to_us(entry)).collect();
    let is_gone = |entry: &Value| {
        entry.get("command").and_then(Value::as_str).is_some_and(|program| !Path::new(program).is_file())
    };
    let state = match ours.as_slice() {
        [] => "off",
        all if all.iter().any(|(_, entry)| is_gone(entry)) => "broken: its program is gone",
        _ => "connected",
    };
    let entries = ours.into_iter().map(|(name, entry)| json!({"name": name, "entry": entry})).collect();
    (state.to_owned(), entries)
}
