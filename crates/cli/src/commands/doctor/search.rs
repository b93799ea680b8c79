//! What `doctor` finds about search: the index, and an embedder elsewhere, which is tried.

use std::time::Instant;

use app::search::Embedder as _;
use serde_json::Value;

use super::{Check, Verdict};
use crate::client::{Client, api};
use crate::config::EmbedderKind;
use crate::output::count;
use crate::session::Session;
use crate::wiring;

/// The index of the library that is reached.
pub(super) async fn index(client: &Client) -> Check {
    let status = match client.json(api("GET", &["search", "status"])).await {
        Ok(status) => status,
        Err(failure) => return Check::new(Verdict::Warn, "search", failure.message.clone()),
    };
    let text = |key: &str| status.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| status.get(key).and_then(Value::as_u64);
    let skills = count(number("skills").unwrap_or_default(), "skill");
    let waiting = number("waiting").filter(|waiting| *waiting > 0);
    let waiting = waiting.map(|waiting| format!(", {waiting} still to be embedded")).unwrap_or_default();
    let refused = number("refused").filter(|refused| *refused > 0);
    let refused = refused.map(|refused| format!(", {refused} refused by it")).unwrap_or_default();
    let found = format!("{skills} indexed, embedder {}{waiting}{refused}", text("embedder"));
    match text("failure") {
        "" => Check::new(Verdict::Ok, "search", found),
        failure => Check::new(Verdict::Warn, "search", format!("{found}; {failure}"))
            .advise("search works with the built-in table until the embedder answers"),
    }
}

/// The embedder that the settings name, where it is not part of the program.
pub(super) async fn embedder(session: &Session) -> Option<Check> {
    let search = &session.settings.search;
    if search.embedder.value != EmbedderKind::OpenAi {
        return None;
    }
    let fail = |message: String| {
        Check::new(Verdict::Fail, "embedder", message)
            .advise("look at `[search]` in the configuration; until then the built-in table stands in")
    };
    let embedder = match wiring::embedder(search) {
        Ok(embedder) => embedder.for_queries(),
        Err(failure) => return Some(fail(failure.message.clone())),
    };
    let start = Instant::now();
    let asked = ["a request in plain words".to_owned()];
    Some(
        match embedder.embed(&asked).await.map(|vectors| vectors.first().map(app::search::Vector::dimensions))
        {
            Ok(Some(dimensions)) => {
                let took = start.elapsed();
                let found = format!("{} answers in {took:.0?} with {dimensions} dimensions", embedder.name());
                Check::new(Verdict::Ok, "embedder", found)
            }
            Ok(None) => fail("the embedder gave no vector".to_owned()),
            Err(error) => fail(error.to_string()),
        },
    )
}
