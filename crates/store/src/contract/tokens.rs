//! Personal access tokens.

use std::sync::Arc;

use model::{Digest, Token, TokenScope, TokenScopes, UserId};

use super::{World, samples};
use crate::Store;

fn token(world: &World, user: UserId, seconds: i64) -> Token {
    let id = samples::token_id();
    Token {
        id,
        digest: Digest::of(id.to_string().as_bytes()),
        workspace: world.workspace,
        user,
        agent: None,
        name: "laptop".to_owned(),
        scopes: TokenScopes::ALL,
        created_by: None,
        created_at: samples::moment(seconds),
        expires_at: None,
        revoked_at: None,
    }
}

async fn add(world: &World, tokens: &[&Token]) {
    let mut tx = world.store.begin_installation().await.unwrap();
    for token in tokens {
        tx.insert_token(token).await.unwrap();
    }
    tx.commit().await.unwrap();
}

pub async fn a_token_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let agent = world.add_agent("helper").await;
    let plain = token(&world, world.ada, 1);
    let mut full = token(&world, world.ada, 2);
    full.agent = Some(agent.id);
    full.scopes = [TokenScope::Read, TokenScope::Review].into_iter().collect();
    full.created_by = Some(world.bob);
    full.expires_at = Some(samples::moment(100));
    full.revoked_at = Some(samples::moment(50));
    let mut nothing = token(&world, world.ada, 3);
    nothing.scopes = std::iter::empty().collect();
    add(&world, &[&plain, &full, &nothing]).await;
    let mut tx = world.read().await;
    for token in [&plain, &full, &nothing] {
        assert_eq!(tx.token_by_digest(&token.digest).await.unwrap().as_ref(), Some(token));
        assert_eq!(tx.token(world.workspace, token.id).await.unwrap().as_ref(), Some(token));
    }
    assert_eq!(tx.token_by_digest(&Digest::of(b"guess")).await.unwrap(), None);
}

pub async fn tokens_are_listed_newest_first_and_by_user(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (old, new, other) =
        (token(&world, world.ada, 1), token(&world, world.ada, 3), token(&world, world.bob, 2));
    add(&world, &[&old, &new, &other]).await;
    let mut tx = world.read().await;
    assert_eq!(tx.tokens(world.workspace, None).await.unwrap(), [new.clone(), other.clone(), old.clone()]);
    assert_eq!(tx.tokens(world.workspace, Some(world.ada)).await.unwrap(), [new, old]);
    assert_eq!(tx.tokens(world.workspace, Some(world.bob)).await.unwrap(), [other]);
}

pub async fn a_token_is_of_no_other_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let elsewhere = world.add_workspace("elsewhere").await;
    let token = token(&world, world.ada, 1);
    add(&world, &[&token]).await;
    let mut tx = world.store.begin(elsewhere).await.unwrap();
    assert_eq!(tx.token(elsewhere, token.id).await.unwrap(), None);
    assert_eq!(tx.tokens(elsewhere, None).await.unwrap(), []);
    assert!(!tx.revoke_token(elsewhere, token.id, samples::moment(2)).await.unwrap());
    tx.revoke_tokens_of(elsewhere, world.ada, samples::moment(2)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.read().await.token(world.workspace, token.id).await.unwrap(), Some(token));
}

pub async fn revoking_ends_a_token_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let token = token(&world, world.ada, 1);
    add(&world, &[&token]).await;
    let mut tx = world.begin().await;
    assert!(tx.revoke_token(world.workspace, token.id, samples::moment(5)).await.unwrap());
    assert!(!tx.revoke_token(world.workspace, token.id, samples::moment(6)).await.unwrap());
    assert!(!tx.revoke_token(world.workspace, samples::token_id(), samples::moment(6)).await.unwrap());
    tx.commit().await.unwrap();
    let stored = world.read().await.token_by_digest(&token.digest).await.unwrap().unwrap();
    assert_eq!(stored.revoked_at, Some(samples::moment(5)));
}

pub async fn revoking_all_of_a_user_leaves_others_and_earlier_ends_alone(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (open, other) = (token(&world, world.ada, 1), token(&world, world.bob, 2));
    let mut ended = token(&world, world.ada, 3);
    ended.revoked_at = Some(samples::moment(4));
    add(&world, &[&open, &other, &ended]).await;
    let mut tx = world.begin().await;
    tx.revoke_tokens_of(world.workspace, world.ada, samples::moment(9)).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    let mut revoked =
        async |token: &Token| tx.token(world.workspace, token.id).await.unwrap().unwrap().revoked_at;
    assert_eq!(revoked(&open).await, Some(samples::moment(9)));
    assert_eq!(revoked(&ended).await, Some(samples::moment(4)));
    assert_eq!(revoked(&other).await, None);
}

pub async fn tokens_that_ended_before_a_moment_are_forgotten(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let elsewhere = world.add_workspace("elsewhere").await;
    let made = |revoked: Option<i64>, over: Option<i64>| Token {
        revoked_at: revoked.map(samples::moment),
        expires_at: over.map(samples::moment),
        ..token(&world, world.ada, 1)
    };
    let gone = [made(Some(9), None), made(None, Some(9)), made(Some(9), Some(100)), made(Some(100), Some(9))];
    let kept = [made(None, None), made(Some(10), None), made(None, Some(10)), made(Some(100), Some(100))];
    let other = Token { workspace: elsewhere, ..made(Some(9), None) };
    add(&world, &gone.iter().chain(&kept).chain([&other]).collect::<Vec<_>>()).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.forget_tokens(world.workspace, samples::moment(10)).await.unwrap(), 4);
    assert_eq!(tx.forget_tokens(world.workspace, samples::moment(10)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    for token in &gone {
        assert_eq!(tx.token_by_digest(&token.digest).await.unwrap(), None);
    }
    for token in kept.iter().chain([&other]) {
        assert_eq!(tx.token_by_digest(&token.digest).await.unwrap().as_ref(), Some(token));
    }
}
