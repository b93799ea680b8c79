//! Signed-in browsers and the links that sign them in.

use async_trait::async_trait;
use model::{Digest, SignIn, SignInId, SignInLink, Timestamp, UserId};

use crate::StoreError;

/// What we may ask about sign-ins.
#[async_trait]
pub trait SignInTx {
    /// Adds a sign-in.
    async fn insert_sign_in(&mut self, sign_in: &SignIn) -> Result<(), StoreError>;
    /// The sign-in whose cookie has this digest.
    async fn sign_in_by_digest(&mut self, digest: &Digest) -> Result<Option<SignIn>, StoreError>;
    /// Ends a sign-in.
    async fn delete_sign_in(&mut self, id: SignInId) -> Result<(), StoreError>;
    /// Ends every sign-in of a user.
    async fn delete_sign_ins_of(&mut self, user: UserId) -> Result<(), StoreError>;
    /// Adds a link.
    async fn insert_sign_in_link(&mut self, link: &SignInLink) -> Result<(), StoreError>;
    /// Uses a link up: gives it back once, and never again.
    async fn take_sign_in_link(&mut self, digest: &Digest) -> Result<Option<SignInLink>, StoreError>;
    /// Removes sign-ins and links that ended before this moment.
    async fn delete_expired_sign_ins(&mut self, now: Timestamp) -> Result<u64, StoreError>;
}
