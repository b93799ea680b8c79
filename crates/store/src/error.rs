//! What can go wrong in a database, sorted by what a caller can do about it.

/// What can go wrong in a database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached or is shutting down; trying again later may help.
    #[error("the database is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Two transactions got in each other's way; trying again at once helps.
    #[error("the database is busy")]
    Busy(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A unique or foreign key stood in the way; the transaction is over.
    #[error("the change clashes with what is stored")]
    Conflict(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The workspace to write in does not exist.
    #[error("there is no such workspace")]
    NoWorkspace,
    /// What is stored cannot be read back; the database was changed by something else.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
    /// The database refused a statement of ours.
    #[error("the database refused a statement")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}
