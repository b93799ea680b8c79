//! Signed-in browsers and the links that sign them in.

use std::sync::Arc;

use model::{Digest, SignIn, SignInLink, UserId};

use super::{World, samples};
use crate::Store;

fn sign_in(world: &World, user: UserId, expires: i64) -> SignIn {
    let id = samples::sign_in_id();
    SignIn {
        id,
        digest: Digest::of(id.to_string().as_bytes()),
        user,
        workspace: world.workspace,
        created_by: (user == world.ada).then_some(world.bob),
        created_at: samples::moment(0),
        expires_at: samples::moment(expires),
    }
}

fn link(world: &World, user: UserId, expires: i64) -> SignInLink {
    SignInLink {
        digest: Digest::of(samples::sign_in_id().to_string().as_bytes()),
        user,
        workspace: world.workspace,
        created_by: (user == world.ada).then_some(world.bob),
        expires_at: samples::moment(expires),
    }
}

async fn add(world: &World, sign_ins: &[&SignIn], links: &[&SignInLink]) {
    let mut tx = world.store.begin_installation().await.unwrap();
    for sign_in in sign_ins {
        tx.insert_sign_in(sign_in).await.unwrap();
    }
    for link in links {
        tx.insert_sign_in_link(link).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn take(store: &dyn Store, digest: &Digest) -> Option<SignInLink> {
    let mut tx = store.begin_installation().await.unwrap();
    let taken = tx.take_sign_in_link(digest).await.unwrap();
    tx.commit().await.unwrap();
    taken
}

pub async fn a_sign_in_comes_back_and_ends(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (mine, theirs) = (sign_in(&world, world.ada, 10), sign_in(&world, world.bob, 10));
    add(&world, &[&mine, &theirs], &[]).await;
    let mut tx = world.store.begin_installation().await.unwrap();
    assert_eq!(tx.sign_in_by_digest(&mine.digest).await.unwrap().as_ref(), Some(&mine));
    tx.delete_sign_in(mine.id).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.sign_in_by_digest(&mine.digest).await.unwrap(), None);
    assert_eq!(tx.sign_in_by_digest(&theirs.digest).await.unwrap(), Some(theirs));
}

pub async fn ending_all_of_a_user_takes_sign_ins_and_links(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (first, second) = (sign_in(&world, world.ada, 10), sign_in(&world, world.ada, 20));
    let other = sign_in(&world, world.bob, 10);
    let (link, other_link) = (link(&world, world.ada, 10), link(&world, world.bob, 10));
    add(&world, &[&first, &second, &other], &[&link, &other_link]).await;
    let mut tx = world.store.begin_installation().await.unwrap();
    tx.delete_sign_ins_of(world.ada).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    for gone in [&first, &second] {
        assert_eq!(tx.sign_in_by_digest(&gone.digest).await.unwrap(), None);
    }
    assert_eq!(tx.sign_in_by_digest(&other.digest).await.unwrap(), Some(other));
    drop(tx);
    assert_eq!(take(&*world.store, &link.digest).await, None);
    assert_eq!(take(&*world.store, &other_link.digest).await, Some(other_link));
}

pub async fn a_link_is_taken_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let link = link(&world, world.ada, 10);
    add(&world, &[], &[&link]).await;
    assert_eq!(take(&*world.store, &Digest::of(b"guess")).await, None);
    assert_eq!(take(&*world.store, &link.digest).await.as_ref(), Some(&link));
    assert_eq!(take(&*world.store, &link.digest).await, None);
}

pub async fn of_two_takers_at_once_one_gets_the_link(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for _ in 0..10 {
        let link = link(&world, world.ada, 10);
        add(&world, &[], &[&link]).await;
        let takers: Vec<_> = (0..4)
            .map(|_| {
                let (store, digest) = (Arc::clone(&world.store), link.digest);
                tokio::spawn(async move { take(&*store, &digest).await })
            })
            .collect();
        let mut taken = 0;
        for taker in takers {
            taken += usize::from(taker.await.unwrap().is_some());
        }
        assert_eq!(taken, 1);
    }
}

pub async fn a_taken_link_comes_back_when_the_transaction_does_not_commit(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let link = link(&world, world.ada, 10);
    add(&world, &[], &[&link]).await;
    let mut tx = world.store.begin_installation().await.unwrap();
    assert!(tx.take_sign_in_link(&link.digest).await.unwrap().is_some());
    drop(tx);
    assert_eq!(take(&*world.store, &link.digest).await, Some(link));
}

pub async fn what_expired_is_removed_and_counted(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (past, now, future) =
        (sign_in(&world, world.ada, 9), sign_in(&world, world.ada, 10), sign_in(&world, world.ada, 11));
    let (old, new) = (link(&world, world.ada, 5), link(&world, world.ada, 50));
    add(&world, &[&past, &now, &future], &[&old, &new]).await;
    let mut tx = world.store.begin_installation().await.unwrap();
    assert_eq!(tx.delete_expired_sign_ins(samples::moment(10)).await.unwrap(), 3);
    assert_eq!(tx.delete_expired_sign_ins(samples::moment(10)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.sign_in_by_digest(&past.digest).await.unwrap(), None);
    assert_eq!(tx.sign_in_by_digest(&now.digest).await.unwrap(), None);
    assert_eq!(tx.sign_in_by_digest(&future.digest).await.unwrap(), Some(future));
    drop(tx);
    assert_eq!(take(&*world.store, &old.digest).await, None);
    assert_eq!(take(&*world.store, &new.digest).await, Some(new));
}
