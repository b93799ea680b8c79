//! An embedder behind a URL that speaks `OpenAI`'s dialect: `POST {base}/embeddings`.
//!
//! It sends texts and believes nothing that comes back before it is checked. The key goes to the one host it is for,
//! and into no error, name or `Debug` output. Nor does anything that the server says: it may repeat what it was sent,
//! which is not for everybody who reads an error. An error holds our own words and the status code.

mod answer;
mod call;
mod settings;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use self::call::{Call, Refusal};
pub use self::settings::RemoteSettings;
use crate::{EmbedError, Embedder, Vector};

/// The most characters of one request, unless a single text has more.
const MOST_CHARACTERS: usize = 200_000;
/// How often a text that is too long for the model is cut in half.
const MOST_CUTS: u32 = 8;
/// What is sent for a text without content: `OpenAI` refuses empty input, and a place in the answer must not be lost.
const NOTHING: &str = ".";

/// An embedder behind a URL.
#[derive(Clone)]
pub struct RemoteEmbedder {
    name: Arc<str>,
    call: Arc<Call>,
    batch: usize,
    /// Over all attempts at one request, and the waits between them.
    patience: Duration,
    query_patience: Duration,
    /// What the first answer had, for all that come later.
    dimensions: Arc<OnceLock<usize>>,
}

impl RemoteEmbedder {
    /// Checks the settings; asks nobody yet.
    pub fn new(settings: RemoteSettings) -> Result<Self, EmbedError> {
        settings.check()?;
        let endpoint = settings::shown(&settings.endpoint()?);
        let base = endpoint.strip_suffix("/embeddings").unwrap_or(&endpoint);
        let dimensions = settings.dimensions.map_or("default".to_owned(), |number| number.to_string());
        Ok(Self {
            name: format!("openai:{base}/{}/{dimensions}", settings.model).into(),
            batch: settings.batch,
            patience: settings.deadline,
            query_patience: settings.query_timeout,
            dimensions: Arc::default(),
            call: Arc::new(Call::new(settings)?),
        })
    }

    /// The same embedder for one who waits for the answer: `query_timeout` is all the time it takes.
    #[must_use]
    pub fn for_queries(&self) -> Self {
        Self { patience: self.query_patience, ..self.clone() }
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.patience
    }

    /// One request for a single text, which is cut when it is too long.
    async fn embed_one(&self, text: &str) -> Result<Vec<Vector>, EmbedError> {
        let deadline = self.deadline();
        let mut text = text;
        let mut cuts = 0;
        loop {
            let answer = self.call.embed(&[text], self.dimensions.get().copied(), deadline).await;
            let Err(Refusal::TooLong(why)) = answer else { return self.keep(answer) };
            let half = first_half(text);
            if cuts == MOST_CUTS || half.len() >= text.len() {
                let characters = text.chars().count();
                return Err(EmbedError::Unusable(format!(
                    "{why} even when it is cut to {characters} characters; shorten the description or use a model \
                     that takes longer texts"
                )));
            }
            cuts += 1;
            text = half;
        }
    }

    /// One request; what is too long in it is sought by halves.
    async fn embed_batch(&self, batch: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let mut vectors = Vec::with_capacity(batch.len());
        let mut left = vec![batch];
        while let Some(texts) = left.pop() {
            if let &[text] = texts {
                vectors.extend(self.embed_one(text).await?);
                continue;
            }
            match self.call.embed(texts, self.dimensions.get().copied(), self.deadline()).await {
                Err(Refusal::TooLong(_)) => {
                    let (first, second) = texts.split_at(texts.len() / 2);
                    left.extend([second, first]);
                }
                other => vectors.extend(self.keep(other)?),
            }
        }
        Ok(vectors)
    }

    /// Remembers the dimensions of an answer that was sound.
    fn keep(&self, answer: Result<Vec<Vector>, Refusal>) -> Result<Vec<Vector>, EmbedError> {
        let vectors = answer.map_err(EmbedError::from)?;
        let found = vectors.first().map_or(0, Vector::dimensions);
        // Another request may have been first in the meantime.
        let known = *self.dimensions.get_or_init(|| found);
        if found != known {
            return Err(EmbedError::Unusable(answer::changed(found, known)));
        }
        Ok(vectors)
    }
}

#[async_trait]
impl Embedder for RemoteEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    /// One vector a text, in their order. A text without content gets the vector of `.`; one that is too long for the
    /// model gets the vector of its beginning, as much as the model takes.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
        let texts: Vec<&str> = texts.iter().map(|text| something(text)).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in batches(&texts, self.batch) {
            vectors.extend(self.embed_batch(batch).await?);
        }
        Ok(vectors)
    }
}

impl std::fmt::Debug for RemoteEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteEmbedder").field("name", &self.name).finish_non_exhaustive()
    }
}

fn something(text: &str) -> &str {
    if text.trim().is_empty() { NOTHING } else { text }
}

fn first_half(text: &str) -> &str {
    let half = text.get(..text.floor_char_boundary(text.len() / 2)).unwrap_or_default();
    something(half)
}

/// Runs of texts that fit into one request.
fn batches<'a, 'b>(texts: &'b [&'a str], most: usize) -> Vec<&'b [&'a str]> {
    let mut batches = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let mut characters = 0_usize;
        let fitting = rest.iter().take(most).take_while(|text| {
            characters = characters.saturating_add(text.chars().count());
            characters <= MOST_CHARACTERS
        });
        let (batch, later) = rest.split_at(fitting.count().max(1));
        batches.push(batch);
        rest = later;
    }
    batches
}
