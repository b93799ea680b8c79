//! How many watches a user has open in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::UserId;

use crate::Error;

/// Watches of one user at a time.
const MOST: usize = 16;
/// When somebody who has that many may ask again.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// The open watches, by user. Clones count the same ones.
#[derive(Clone)]
pub struct Places {
    open: Arc<Mutex<HashMap<UserId, usize>>>,
    most: usize,
}

/// One of them; it is free again when this is dropped.
pub struct Place {
    places: Places,
    user: UserId,
}

impl Default for Places {
    fn default() -> Self {
        Self::of(MOST)
    }
}

impl Places {
    /// So many for each user.
    pub fn of(most: usize) -> Self {
        Self { open: Arc::default(), most }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<UserId, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for this user, if one is free.
    pub fn enter(&self, user: UserId) -> Result<Place, Error> {
        let mut open = self.open();
        let own = open.entry(user).or_default();
        if *own >= self.most {
            return Err(Error::TooManyWatches { most: self.most, retry_after: RETRY_AFTER });
        }
        *own += 1;
        Ok(Place { places: self.clone(), user })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.places.open();
        if let Some(own) = open.get_mut(&self.user) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                open.remove(&self.user);
            }
        }
    }
}
