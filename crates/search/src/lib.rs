//! Finds skills by plain words.
//!
//! A search joins two views of the same text: the words themselves (stemmed, weighed by field and by how rare they are)
//! and their meaning (a table of vectors that the program carries, or another embedder). A fitted model makes of both
//! one similarity between 0 and 1, which means the same in every library, so that a gate such as 0.7 makes sense.
//!
//! What a skill scores depends on the query and on the skill alone, so one skill more never changes the order of the
//! others. Its similarity also depends on the two best among those the caller can see. What the caller cannot see does
//! not enter anywhere.

mod document;
mod embedder;
pub mod evaluation;
mod found;
mod index;
mod lexicon;
mod probes;
mod query;
mod ranking;
mod remote;
mod shelf;
mod space;
mod table;
mod vectors;
mod words;

pub use document::{Document, Prepared, Vectors};
pub use embedder::{EmbedError, Embedder};
pub use found::{Hit, MatchedWord, Why};
pub use index::{Filter, Index, View, Wanted};
pub use lexicon::Field;
pub use probes::{probes, scale_of};
pub use query::Query;
pub use ranking::{Scale, Signals};
pub use remote::{RemoteEmbedder, RemoteSettings};
pub use table::{embed, warm_up};
pub use vectors::Vector;
