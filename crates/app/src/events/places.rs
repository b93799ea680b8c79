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
#[derive(Clone, Default)]
pub(crate) struct Places(Arc<Mutex<HashMap<UserId, usize>>>);

/// One of them; it is free again when this is dropped.
pub(super) struct Place {
    places: Places,
    user: UserId,
}

impl Places {
    fn open(&self) -> MutexGuard<'_, HashMap<UserId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, user: UserId) -> Result<Place, Error> {
        let mut open = self.open();
        let own = open.entry(user).or_default();
        if *own >= MOST {
            return Err(Error::TooManyWatches { most: MOST, retry_after: RETRY_AFTER });
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
