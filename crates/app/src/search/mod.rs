//! Search: the right skill for a request in plain words, or honestly none.
//!
//! Each process keeps an index of every workspace it was asked about. Before a search the index is brought to where the
//! store is, so what was written before (by any process) is found. Nothing of the index is stored: after a crash it is
//! made again from the skills.

mod catalogue;
mod discover;
mod embed;
mod find;
mod form;
mod token_count;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use model::{Timestamp, WorkspaceId};
use search::Scale;

use catalogue::Catalogue;

pub use catalogue::refresh_all;
pub use discover::{Discover, Discovered, DiscoveredSkill, discover};
pub use embed::{SearchStatus, embed_missing, status};
pub use find::{FoundSkill, SearchResult, SearchSkills, find};
pub use form::{LearnedPlace, PromptFormat};
pub use search::{
    EmbedError, Embedder, Field, Filter, MatchedWord, RemoteEmbedder, RemoteSettings, Signals, Vector, Why,
    evaluation, warm_up,
};

pub(crate) use discover::choose;
pub(crate) use find::through;
pub(crate) use form::{Form, Learned};
pub use token_count::count_tokens;

/// Where the meaning of words comes from.
#[derive(Clone, Default)]
pub enum Meaning {
    /// The table that the program carries.
    #[default]
    BuiltIn,
    /// Nowhere: only the words themselves count.
    None,
    /// An embedder elsewhere; the built-in table where it has not come to yet or does not answer.
    Other {
        /// Embeds skills, in the background.
        skills: Arc<dyn Embedder>,
        /// The same for requests, for which somebody waits.
        requests: Arc<dyn Embedder>,
    },
}

/// What vectors of queries take in memory, at most.
const QUERY_BYTES: u64 = 32 << 20;
/// What a query takes beside its text and its vector, about.
const QUERY_OVERHEAD: usize = 200;

type KnownQueries = moka::sync::Cache<String, Vector>;

fn known_queries() -> KnownQueries {
    let weigh = |text: &String, vector: &Vector| {
        u32::try_from(text.len() + vector.dimensions() + QUERY_OVERHEAD).unwrap_or(u32::MAX)
    };
    moka::sync::Cache::builder().max_capacity(QUERY_BYTES).weigher(weigh).build()
}

/// The indexes of this process. Cheap to clone.
#[derive(Clone, Default)]
pub struct Engine(Arc<Inner>);

#[derive(Default)]
struct Inner {
    meaning: Meaning,
    /// How the other embedder's cosines are to be read, once that was found out.
    scale: RwLock<Option<Scale>>,
    catalogues: Mutex<HashMap<WorkspaceId, Arc<Catalogue>>>,
    /// What last went wrong with the other embedder before it came to any skill.
    failure: Mutex<Option<EmbedError>>,
    /// Until when requests are not sent to the other embedder, because it did not answer one.
    resting: Mutex<Option<Timestamp>>,
    /// Vectors of queries that the other embedder made a moment ago.
    queries: Option<KnownQueries>,
}

impl Engine {
    /// An engine without any index yet.
    pub fn new(meaning: Meaning) -> Self {
        let queries = matches!(meaning, Meaning::Other { .. }).then(known_queries);
        Self(Arc::new(Inner { meaning, queries, ..Inner::default() }))
    }

    fn catalogue(&self, workspace: WorkspaceId) -> Arc<Catalogue> {
        let mut catalogues = self.0.catalogues.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(catalogues.entry(workspace).or_default())
    }

    fn other(&self) -> Option<&Arc<dyn Embedder>> {
        match &self.0.meaning {
            Meaning::Other { skills, .. } => Some(skills),
            Meaning::BuiltIn | Meaning::None => None,
        }
    }

    fn scale(&self) -> Option<Scale> {
        *self.0.scale.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_scale(&self, scale: Scale) {
        *self.0.scale.write().unwrap_or_else(PoisonError::into_inner) = Some(scale);
    }

    /// The name of the other embedder, if there is one.
    pub fn embedder(&self) -> Option<&str> {
        self.other().map(|embedder| embedder.name())
    }

    /// What last went wrong with the other embedder in any workspace; nothing once it works everywhere.
    pub fn failure(&self) -> Option<EmbedError> {
        let catalogues = self.0.catalogues.lock().unwrap_or_else(PoisonError::into_inner);
        self.own_failure().or_else(|| catalogues.values().find_map(|catalogue| catalogue.failure()))
    }

    /// What last went wrong with the other embedder before it came to any skill.
    fn own_failure(&self) -> Option<EmbedError> {
        self.0.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_resting(&self, now: Timestamp) -> bool {
        self.0.resting.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| now < until)
    }

    fn rest(&self, until: Timestamp) {
        *self.0.resting.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    fn set_failure(&self, failure: Option<EmbedError>) {
        *self.0.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_queries_are_bounded_by_bytes() {
        let known = known_queries();
        let vector = Vector::new(&vec![1.0; 60_000]).unwrap();
        for number in 0..1_000 {
            known.insert(number.to_string(), vector.clone());
        }
        known.run_pending_tasks();
        assert!((100..560).contains(&known.entry_count()), "{}", known.entry_count());
    }
}
