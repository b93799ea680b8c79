//! Where the meaning of words comes from when skills are searched.

use serde::Deserialize;

use super::sources::{Environment, Number};
use super::{Layer, Secret, Setting, Source, pick, pick_optional};
use crate::exit::{Failure, Outcome};

/// The most dimensions a vector may have.
const MOST_DIMENSIONS: u64 = 16_384;

/// What a source says on `[search]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SearchLayer {
    pub(crate) embedder: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) dimensions: Option<Number>,
    pub(crate) key: Option<Secret>,
}

impl SearchLayer {
    /// What the environment says: `REPERTOIRE_SEARCH_` and the key in capitals.
    pub(super) fn of_environment(environment: &dyn Environment) -> Self {
        let get = |key: &str| environment.get(&format!("REPERTOIRE_SEARCH_{key}"));
        Self {
            embedder: get("EMBEDDER"),
            url: get("URL"),
            model: get("MODEL"),
            dimensions: get("DIMENSIONS").map(Number::Text),
            key: get("KEY").map(Secret::new),
        }
    }
}

/// What makes vectors of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmbedderKind {
    /// The table that the program carries.
    BuiltIn,
    /// Nothing: only the words count.
    None,
    /// A server with an `/embeddings` endpoint in `OpenAI`'s dialect.
    OpenAi,
}

impl EmbedderKind {
    const ALL: [Self; 3] = [Self::BuiltIn, Self::None, Self::OpenAi];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::None => "none",
            Self::OpenAi => "openai",
        }
    }
}

/// How skills are searched.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) embedder: Setting<EmbedderKind>,
    pub(crate) url: Setting<Option<String>>,
    pub(crate) model: Setting<Option<String>>,
    pub(crate) dimensions: Setting<Option<usize>>,
    pub(crate) key: Setting<Option<Secret>>,
}

impl Search {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let search = Self {
            embedder: embedder(layers)?,
            url: pick_optional(layers, |layer| layer.search.url.clone()),
            model: pick_optional(layers, |layer| layer.search.model.clone()),
            dimensions: dimensions(layers)?,
            key: pick_optional(layers, |layer| layer.search.key.clone()),
        };
        search.validate()?;
        Ok(search)
    }

    fn validate(&self) -> Outcome {
        if let Some(url) = &self.url.value {
            let parsed = reqwest::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            parsed.ok_or_else(|| {
                Failure::usage(format!("`search.url` is `{url}`, which is not an http(s) URL"))
            })?;
        }
        if self.embedder.value != EmbedderKind::OpenAi {
            return Ok(());
        }
        for (name, value) in [("url", &self.url.value), ("model", &self.model.value)] {
            if value.as_deref().is_none_or(|text| text.trim().is_empty()) {
                return Err(Failure::usage(format!("the embedder `openai` needs `search.{name}`")).hint(
                    "such as url = \"https://api.openai.com/v1\", model = \"text-embedding-3-small\"",
                ));
            }
        }
        Ok(())
    }

    /// Every setting as text with where it comes from.
    pub(crate) fn rows(&self) -> Vec<(String, String, Source)> {
        fn row<T: ToString>(name: &str, setting: &Setting<Option<T>>) -> (String, String, Source) {
            let shown = setting.value.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
            (format!("search.{name}"), shown, setting.source)
        }
        let kind = self.embedder.value.as_str().to_owned();
        vec![
            ("search.embedder".to_owned(), kind, self.embedder.source),
            row("url", &self.url),
            row("model", &self.model),
            row("dimensions", &self.dimensions),
            row("key", &self.key),
        ]
    }
}

fn embedder(layers: &[(Source, Layer)]) -> Outcome<Setting<EmbedderKind>> {
    let usual = EmbedderKind::BuiltIn.as_str().to_owned();
    let said = pick(layers, usual, |layer| layer.search.embedder.clone());
    let known = EmbedderKind::ALL.into_iter().find(|kind| kind.as_str() == said.value);
    let value = known.ok_or_else(|| {
        Failure::usage(format!("`search.embedder` is `{}`", said.value))
            .hint("it is built-in, none or openai")
    })?;
    Ok(Setting { value, source: said.source })
}

fn dimensions(layers: &[(Source, Layer)]) -> Outcome<Setting<Option<usize>>> {
    let said = pick_optional(layers, |layer| layer.search.dimensions.clone());
    let Some(number) = said.value else { return Ok(Setting { value: None, source: said.source }) };
    let number = match number {
        Number::Whole(number) => Some(number),
        Number::Text(text) => text.trim().parse().ok(),
        Number::Fraction(_) => None,
    };
    let value = number.filter(|number| (1..=MOST_DIMENSIONS).contains(number));
    let value = value.and_then(|number| usize::try_from(number).ok()).ok_or_else(|| {
        Failure::usage(format!("`search.dimensions` is not a whole number from 1 to {MOST_DIMENSIONS}"))
    })?;
    Ok(Setting { value: Some(value), source: said.source })
}
