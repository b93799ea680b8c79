//! Workspaces.

use std::sync::Arc;

use model::WorkspaceSettings;

use super::samples::{self, name};
use crate::Store;

pub async fn a_workspace_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let mut workspace = samples::workspace("acme");
    workspace.settings =
        WorkspaceSettings { hide_existence: true, undelete_window_hours: 72, draft_expiry_days: u32::MAX };
    let mut tx = store.begin_installation().await.unwrap();
    assert!(tx.insert_workspace(&workspace).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.workspace(workspace.id).await.unwrap().as_ref(), Some(&workspace));
    assert_eq!(tx.workspace_by_name(&workspace.name).await.unwrap(), Some(workspace));
    assert_eq!(tx.workspace(samples::workspace_id()).await.unwrap(), None);
    assert_eq!(tx.workspace_by_name(&name("other")).await.unwrap(), None);
}

pub async fn a_taken_workspace_name_is_refused_and_the_transaction_goes_on(store: Arc<dyn Store>) {
    let (first, second, third) =
        (samples::workspace("acme"), samples::workspace("acme"), samples::workspace("other"));
    let mut tx = store.begin_installation().await.unwrap();
    assert!(tx.insert_workspace(&first).await.unwrap());
    assert!(!tx.insert_workspace(&second).await.unwrap());
    assert!(tx.insert_workspace(&third).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(store.read().await.unwrap().workspaces().await.unwrap(), [first, third]);
}

pub async fn updating_a_workspace_replaces_title_and_settings_only(store: Arc<dyn Store>) {
    let (mut workspace, other) = (samples::workspace("acme"), samples::workspace("other"));
    let mut tx = store.begin_installation().await.unwrap();
    assert!(tx.insert_workspace(&workspace).await.unwrap());
    assert!(tx.insert_workspace(&other).await.unwrap());
    workspace.title = "Renamed".to_owned();
    workspace.settings.hide_existence = true;
    workspace.settings.undelete_window_hours = 1;
    workspace.settings.draft_expiry_days = 2;
    let mut changed = workspace.clone();
    changed.name = name("never");
    changed.created_at = samples::moment(99);
    tx.update_workspace(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(store.read().await.unwrap().workspaces().await.unwrap(), [workspace, other]);
}

pub async fn workspaces_are_listed_by_name(store: Arc<dyn Store>) {
    let mut tx = store.begin_installation().await.unwrap();
    for name in ["b", "a-b", "ab", "a", "1"] {
        assert!(tx.insert_workspace(&samples::workspace(name)).await.unwrap());
    }
    let names: Vec<_> = tx.workspaces().await.unwrap().into_iter().map(|w| w.name.to_string()).collect();
    assert_eq!(names, ["1", "a", "a-b", "ab", "b"]);
}
