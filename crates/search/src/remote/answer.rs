//! What an embedder answers, and whether it can be believed.

use serde::Deserialize;
use serde_json::Value;

use crate::Vector;

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

/// One vector a text, in the order of the texts; otherwise what is wrong, without a word of the answer.
pub(super) fn read(body: &[u8], expected: Expected) -> Result<Vec<Vector>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|_| {
        "its answer is not a list of embeddings; check that the base URL speaks OpenAI's dialect".to_owned()
    })?;
    let Some(items) = answer.data else {
        return Err("its answer has no `data`; check the base URL and the model".to_owned());
    };
    let mut places: Vec<Option<Vec<f32>>> = vec![None; expected.texts];
    for Item { index, embedding } in items {
        let sent = expected.texts;
        let place = places
            .get_mut(index)
            .ok_or_else(|| format!("it answers for another text than the {sent} that were sent"))?;
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

/// What a server says went wrong. It may repeat what it was sent, so it is looked at and never shown.
pub(super) fn message(body: &[u8]) -> String {
    let said = serde_json::from_slice::<Value>(body).ok().and_then(|answer| said(&answer));
    said.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned())
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
