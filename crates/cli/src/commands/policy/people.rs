//! The names behind the ids in answers.

use std::collections::HashMap;

use serde_json::Value;

use super::super::skill::text_of;
use crate::client::{Client, api};

/// Handles of people and names of agents, as far as the caller may see them.
#[derive(Default)]
pub(super) struct People(HashMap<String, String>);

impl People {
    pub(super) async fn of(client: &Client) -> Self {
        let mut names = HashMap::new();
        for (resource, key) in [("users", "handle"), ("agents", "name")] {
            // Who may not list them reads ids.
            let items = client.all(api("GET", &[resource]), None).await.unwrap_or_default();
            names.extend(items.iter().map(|item| (text_of(item, "id"), text_of(item, key))));
        }
        Self(names)
    }

    /// The name behind an id that stands under a key; the id where it is not known, `-` where there is none.
    pub(super) fn name(&self, value: &Value, key: &str) -> String {
        match text_of(value, key) {
            id if id.is_empty() => "-".to_owned(),
            id => self.0.get(&id).cloned().unwrap_or(id),
        }
    }
}
