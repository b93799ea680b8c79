//! The audit chain of a workspace.

use std::sync::Arc;

use model::{Actor, AuditEntry, WorkspaceId};
use time::Duration;

use super::World;
use super::samples::{self, audit_entry};
use crate::{AuditFilter, AuditHead, NewAuditEntry, Store, StoreError};

async fn append(world: &World, workspace: WorkspaceId, entries: Vec<NewAuditEntry>) -> Vec<AuditEntry> {
    let mut tx = world.store.begin(workspace).await.unwrap();
    let mut sealed = Vec::new();
    for entry in entries {
        sealed.push(tx.append_audit(workspace, entry).await.unwrap());
    }
    tx.commit().await.unwrap();
    sealed
}

/// Reads the whole chain and checks that it is one.
pub(super) async fn checked_chain(store: &dyn Store, workspace: WorkspaceId) -> Vec<AuditEntry> {
    let mut tx = store.read().await.unwrap();
    let chain = tx.audit_after(workspace, 0, u32::MAX).await.unwrap();
    let mut previous = AuditEntry::GENESIS;
    for (entry, sequence) in chain.iter().zip(1..) {
        assert_eq!(entry.sequence, sequence);
        assert_eq!(entry.previous, previous);
        assert_eq!(entry.hash, entry.computed_hash());
        previous = entry.hash;
    }
    let head = AuditHead { sequence: chain.len() as u64, hash: previous };
    assert_eq!(tx.audit_head(workspace).await.unwrap(), Some(head));
    chain
}

pub async fn a_chain_starts_empty(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    assert_eq!(checked_chain(&*world.store, world.workspace).await, []);
    let mut tx = world.read().await;
    assert_eq!(tx.audit_before(world.workspace, &AuditFilter::default(), None, 10).await.unwrap(), []);
    assert_eq!(tx.audit_head(samples::workspace_id()).await.unwrap(), None);
}

pub async fn entries_are_dense_and_sealed(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut full = audit_entry("skill.update", "1");
    full.actor = Actor { user: Some(world.ada), agent: Some(samples::agent_id()) };
    full.detail = r#"{"fields":["title"],"ü":"\u0000"}"#.to_owned();
    full.at = samples::moment(1) + Duration::nanoseconds(999);
    let plain = audit_entry("skill.create", "");
    let sealed = append(&world, world.workspace, vec![plain.clone(), full.clone(), plain.clone()]).await;
    let more = append(&world, world.workspace, vec![plain]).await;
    let chain = checked_chain(&*world.store, world.workspace).await;
    assert_eq!(chain.len(), 4);
    assert_eq!(chain[3..], more);
    assert_eq!(chain[..3], sealed);
    assert_eq!((&chain[1].actor, &chain[1].detail), (&full.actor, &full.detail));
    assert_eq!(chain[1].at, samples::moment(1));
}

pub async fn chains_of_workspaces_are_apart(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    append(&world, world.workspace, vec![audit_entry("skill.create", "a"), audit_entry("skill.delete", "a")])
        .await;
    append(&world, other, vec![audit_entry("skill.create", "b")]).await;
    assert_eq!(checked_chain(&*world.store, world.workspace).await.len(), 2);
    let chain = checked_chain(&*world.store, other).await;
    assert_eq!(chain.len(), 1);
    assert_eq!(chain[0].subject.id, "b");
}

async fn ten(world: &World) -> Vec<AuditEntry> {
    let entries = (0..10).map(|n| audit_entry("skill.create", &n.to_string())).collect();
    append(world, world.workspace, entries).await
}

pub async fn entries_are_read_forwards_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let entries = ten(&world).await;
    let mut tx = world.read().await;
    let mut read = Vec::new();
    loop {
        let after = read.last().map_or(0, |entry: &AuditEntry| entry.sequence);
        let page = tx.audit_after(world.workspace, after, 3).await.unwrap();
        assert!(page.len() <= 3);
        if page.is_empty() {
            break;
        }
        read.extend(page);
        assert!(read.len() < 100, "the pages do not end");
    }
    assert_eq!(read, entries);
}

pub async fn entries_are_read_backwards_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut entries = ten(&world).await;
    entries.reverse();
    let mut tx = world.read().await;
    let mut read: Vec<AuditEntry> = Vec::new();
    loop {
        let before = read.last().map(|entry| entry.sequence);
        let page = tx.audit_before(world.workspace, &AuditFilter::default(), before, 4).await.unwrap();
        if page.is_empty() {
            break;
        }
        read.extend(page);
        assert!(read.len() < 100, "the pages do not end");
    }
    assert_eq!(read, entries);
}

pub async fn entries_are_filtered_by_each_field(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let by = |user, verb: &str, kind: &str, id: &str| {
        let mut entry = audit_entry(verb, id);
        entry.actor.user = user;
        entry.subject.kind = kind.to_owned();
        entry
    };
    let (ada, bob) = (Some(world.ada), Some(world.bob));
    append(
        &world,
        world.workspace,
        vec![
            by(ada, "skill.create", "skill", "x"),
            by(bob, "skill.delete", "skill", "x"),
            by(ada, "skills.import", "skill", "y"),
            by(None, "agent.create", "agent", "x"),
        ],
    )
    .await;
    let text = |text: &str| Some(text.to_owned());
    let none = AuditFilter::default();
    for (filter, expected) in [
        (AuditFilter { verb: text("skill.create"), ..none.clone() }, &[1][..]),
        (AuditFilter { verb: text("skill."), ..none.clone() }, &[2, 1]),
        (AuditFilter { verb: text("skill"), ..none.clone() }, &[]),
        (AuditFilter { verb: text("s%l."), ..none.clone() }, &[]),
        (AuditFilter { except: text("skill.create"), ..none.clone() }, &[4, 3, 2]),
        (AuditFilter { subject_kind: text("agent"), ..none.clone() }, &[4]),
        (AuditFilter { subject_id: text("x"), ..none.clone() }, &[4, 2, 1]),
        (AuditFilter { user: ada, ..none.clone() }, &[3, 1]),
        (
            AuditFilter {
                except: None,
                verb: text("skill."),
                subject_kind: text("skill"),
                subject_id: text("x"),
                user: bob,
            },
            &[2],
        ),
    ] {
        let mut tx = world.read().await;
        let found = tx.audit_before(world.workspace, &filter, None, 10).await.unwrap();
        let places: Vec<_> = found.iter().map(|entry| entry.sequence).collect();
        assert_eq!(places, expected, "{filter:?}");
        let found = tx.audit_before(world.workspace, &filter, Some(2), 10).await.unwrap();
        assert!(found.iter().all(|entry| entry.sequence == 1));
    }
}

pub async fn a_rolled_back_entry_leaves_no_gap(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    append(&world, world.workspace, vec![audit_entry("skill.create", "a")]).await;
    let mut tx = world.begin().await;
    tx.append_audit(world.workspace, audit_entry("skill.create", "never")).await.unwrap();
    drop(tx);
    append(&world, world.workspace, vec![audit_entry("skill.create", "b")]).await;
    let chain = checked_chain(&*world.store, world.workspace).await;
    assert_eq!(chain.iter().map(|entry| entry.subject.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

pub async fn a_chain_of_no_workspace_is_refused(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut tx = world.begin().await;
    let refused = tx.append_audit(samples::workspace_id(), audit_entry("skill.create", "a")).await;
    assert!(matches!(refused, Err(StoreError::NoWorkspace)), "{refused:?}");
}
