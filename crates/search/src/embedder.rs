//! What makes vectors of texts, where it is not the built-in table.

use async_trait::async_trait;

use crate::Vector;

/// Why an embedder gave no vectors. The words are ours: what a server answers may repeat what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// It could not be reached, or it is busy: trying again later may help.
    #[error("the embedder does not answer: {0}")]
    Unavailable(String),
    /// It refuses, or what it says makes no sense: trying again will not help.
    #[error("the embedder cannot be used: {0}")]
    Unusable(String),
}

/// Makes vectors of texts.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// What its vectors are kept under; another model or another number of dimensions is another name.
    fn name(&self) -> &str;
    /// One vector a text, in their order.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError>;
}
