//! What an embedder answers, and whether it can be believed.

use serde::Deserialize;
use serde_json::Value;

use crate::Vector;

/// How much of a server's message is kept.
const LONGEST_MESSAGE: usize = 300;

#[derive(Deserialize)]
struct Answer {
    data: Option<Vec<Item>>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

/// What is asked of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    pub(super) texts: usize,
    /// What we asked for.
    pub(super) dimensions: Option<usize>,
    /// What earlier answers had.
    pub(super) earlier: Option<usize>,
}

/// One vector a text, in the order of the texts; otherwise what is wrong. `clean` makes foreign text fit to be shown.
pub(super) fn read(
    body: &[u8],
    expected: Expected,
    clean: impl Fn(&str) -> String,
) -> Result<Vec<Vector>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| {
        let error = clean(&error.to_string());
        format!(
            "its answer is not a list of embeddings ({error}); check that the base URL speaks OpenAI's dialect"
        )
    })?;
    let Some(items) = answer.data else {
        let message = clean(&message(body));
        return Err(format!("its answer has no `data`: {message}; check the base URL and the model"));
    };
    let mut places: Vec<Option<Vec<f32>>> = vec![None; expected.texts];
    for Item { index, embedding } in items {
        let sent = expected.texts;
        let place = places
            .get_mut(index)
            .ok_or_else(|| format!("it answers for text {index} where {sent} were sent"))?;
        if place.replace(embedding).is_some() {
            return Err(format!("it answers twice for text {index}"));
        }
    }
    let mut dimensions = expected.earlier;
    let mut vectors = Vec::with_capacity(places.len());
    for (index, place) in places.into_iter().enumerate() {
        let numbers = place.ok_or_else(|| format!("its answer has no vector for text {index}"))?;
        check_dimensions(numbers.len(), expected.dimensions, dimensions)?;
        dimensions = Some(numbers.len());
        let vector = Vector::new(&numbers).ok_or_else(|| {
            format!("its vector for text {index} is all zeros or holds what is not a number; check the model")
        })?;
        vectors.push(vector);
    }
    Ok(vectors)
}

fn check_dimensions(found: usize, asked: Option<usize>, earlier: Option<usize>) -> Result<(), String> {
    match (asked, earlier) {
        (Some(asked), _) if asked != found => Err(format!(
            "it gives {found} dimensions where {asked} were asked for; \
             set `dimensions` to {found}, or leave it out"
        )),
        (_, Some(earlier)) if earlier != found => Err(changed(found, earlier)),
        _ => Ok(()),
    }
}

/// What to say when dimensions change from answer to answer.
pub(super) fn changed(found: usize, earlier: usize) -> String {
    format!(
        "it gives {found} dimensions after it gave {earlier}; another model answers under the same name, \
         so name the model exactly and embed all skills anew"
    )
}

/// What a server says went wrong, in one short line.
pub(super) fn message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let said = serde_json::from_slice::<Value>(body).ok().and_then(|answer| said(&answer));
    let said = said.unwrap_or_else(|| text.into_owned());
    let words: Vec<&str> = said
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() { "(no message)".to_owned() } else { words.join(" ") }
}

/// The beginning of a message.
pub(super) fn shortened(message: &str) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    }
}

/// Servers put their message in different places.
fn said(answer: &Value) -> Option<String> {
    let places = ["/error/message", "/error", "/message", "/detail", "/errors"];
    let found = places.iter().find_map(|place| answer.pointer(place).filter(|found| !found.is_null()))?;
    Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

/// Whether a message complains about how much was sent.
pub(super) fn complains_of_length(message: &str) -> bool {
    let message = message.to_lowercase();
    let holds = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let of_what = ["token", "context", "input", "length", "text", "batch"];
    let how = [
        "too long",
        "too large",
        "too many",
        "exceed",
        "maximum",
        "at most",
        "less than",
        "longer than",
        "split into",
    ];
    holds(&of_what) && holds(&how) && !message.contains("dimension")
}
