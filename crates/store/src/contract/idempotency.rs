//! Idempotency keys.

use std::sync::Arc;

use model::Digest;

use super::World;
use super::samples::{self, moment};
use crate::{Claim, KeyClaim, Store};

fn claim(world: &World, key: &str, subject: &str) -> KeyClaim {
    KeyClaim {
        workspace: world.workspace,
        user: world.ada,
        key: key.to_owned(),
        fingerprint: Digest::of(subject.as_bytes()),
        subject: subject.to_owned(),
        at: moment(1),
    }
}

async fn make(store: &dyn Store, claim: &KeyClaim) -> Claim {
    let mut tx = store.begin(claim.workspace).await.unwrap();
    let made = tx.claim_key(claim).await.unwrap();
    tx.commit().await.unwrap();
    made
}

fn used(claim: &KeyClaim) -> Claim {
    Claim::Used { fingerprint: claim.fingerprint, subject: claim.subject.clone() }
}

pub async fn a_key_is_claimed_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (first, second) = (claim(&world, "key", "skill:1"), claim(&world, "key", "skill:2"));
    let mut tx = world.begin().await;
    assert_eq!(tx.claim_key(&first).await.unwrap(), Claim::New);
    assert_eq!(tx.claim_key(&second).await.unwrap(), used(&first));
    assert_eq!(tx.claim_key(&claim(&world, "KEY", "skill:3")).await.unwrap(), Claim::New);
    tx.commit().await.unwrap();
    assert_eq!(make(&*world.store, &second).await, used(&first));
}

pub async fn a_key_belongs_to_one_user_of_one_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let mine = claim(&world, "key", "skill:1");
    let theirs = KeyClaim { user: world.bob, ..mine.clone() };
    let elsewhere = KeyClaim { workspace: other, ..mine.clone() };
    for claim in [mine, theirs, elsewhere] {
        assert_eq!(make(&*world.store, &claim).await, Claim::New);
    }
}

pub async fn a_rolled_back_claim_is_free_again(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let first = claim(&world, "key", "skill:1");
    let mut tx = world.begin().await;
    assert_eq!(tx.claim_key(&first).await.unwrap(), Claim::New);
    drop(tx);
    assert_eq!(make(&*world.store, &claim(&world, "key", "skill:2")).await, Claim::New);
}

pub async fn of_two_claims_at_once_one_is_new(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for round in 0..5 {
        let tasks: Vec<_> = (0..4)
            .map(|n| {
                let (store, claim) =
                    (Arc::clone(&world.store), claim(&world, &format!("key {round}"), &format!("skill:{n}")));
                tokio::spawn(async move { make(&*store, &claim).await })
            })
            .collect();
        let mut new = 0;
        for task in tasks {
            new += usize::from(task.await.unwrap() == Claim::New);
        }
        assert_eq!(new, 1);
    }
}

pub async fn old_keys_are_forgotten(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let old = claim(&world, "old", "skill:1");
    let new = KeyClaim { at: moment(2), ..claim(&world, "new", "skill:2") };
    let elsewhere = KeyClaim { workspace: other, ..old.clone() };
    for claim in [&old, &new, &elsewhere] {
        assert_eq!(make(&*world.store, claim).await, Claim::New);
    }
    let mut tx = world.begin().await;
    assert_eq!(tx.forget_keys(world.workspace, moment(2)).await.unwrap(), 1);
    assert_eq!(tx.forget_keys(samples::workspace_id(), moment(2)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(make(&*world.store, &old).await, Claim::New);
    assert_eq!(make(&*world.store, &new).await, used(&new));
    assert_eq!(make(&*world.store, &elsewhere).await, used(&elsewhere));
}
