//! Users and their places in workspaces.

use std::sync::Arc;

use model::{Handle, Membership, Role, Roles, UserId};

use super::{World, samples};
use crate::Store;

fn membership(world: &World, user: UserId, roles: &[Role]) -> Membership {
    Membership {
        workspace: world.workspace,
        user,
        roles: roles.iter().copied().collect(),
        created_at: samples::moment(7),
    }
}

pub async fn a_user_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let mut user = samples::user("ada@example.org");
    user.operator = true;
    user.disabled = true;
    let mut tx = store.begin_installation().await.unwrap();
    assert_eq!(tx.count_users().await.unwrap(), 0);
    assert!(tx.insert_user(&user).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.user(user.id).await.unwrap().as_ref(), Some(&user));
    assert_eq!(tx.user_by_handle(&user.handle).await.unwrap(), Some(user));
    assert_eq!(tx.user(samples::user_id()).await.unwrap(), None);
    assert_eq!(tx.user_by_handle(&Handle::parse("ada").unwrap()).await.unwrap(), None);
    assert_eq!(tx.count_users().await.unwrap(), 1);
}

pub async fn a_taken_handle_is_refused_and_the_transaction_goes_on(store: Arc<dyn Store>) {
    let first = samples::user("ada");
    let mut tx = store.begin_installation().await.unwrap();
    assert!(tx.insert_user(&first).await.unwrap());
    assert!(!tx.insert_user(&samples::user("ada")).await.unwrap());
    assert!(tx.insert_user(&samples::user("bob")).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.count_users().await.unwrap(), 2);
    assert_eq!(tx.user_by_handle(&first.handle).await.unwrap(), Some(first));
}

pub async fn updating_a_user_keeps_id_and_handle(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let bob = world.read().await.user(world.bob).await.unwrap().unwrap();
    let mut user = world.add_user("carol").await;
    user.display_name = "Carol C.".to_owned();
    user.operator = true;
    user.disabled = true;
    let mut changed = user.clone();
    changed.handle = Handle::parse("never").unwrap();
    let mut tx = world.store.begin_installation().await.unwrap();
    tx.update_user(&changed).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.user(user.id).await.unwrap(), Some(user));
    assert_eq!(tx.user(world.bob).await.unwrap(), Some(bob));
}

pub async fn a_second_membership_replaces_the_roles(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let first = membership(&world, world.ada, &[Role::Admin, Role::Member]);
    let mut second = membership(&world, world.ada, &[Role::Reviewer, Role::PolicyAdmin]);
    let mut tx = world.begin().await;
    tx.put_membership(&first).await.unwrap();
    assert_eq!(tx.membership(world.workspace, world.ada).await.unwrap().as_ref(), Some(&first));
    second.created_at = samples::moment(8);
    tx.put_membership(&second).await.unwrap();
    tx.commit().await.unwrap();
    let stored = world.read().await.membership(world.workspace, world.ada).await.unwrap().unwrap();
    assert_eq!(stored.roles, second.roles);
    assert_eq!(world.read().await.membership(world.workspace, world.bob).await.unwrap(), None);
    let mut tx = world.begin().await;
    let none = Membership { roles: Roles::NONE, ..first };
    tx.put_membership(&none).await.unwrap();
    assert!(tx.membership(world.workspace, world.ada).await.unwrap().unwrap().roles.is_empty());
}

pub async fn members_are_listed_by_handle_and_only_of_their_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let mut tx = world.store.begin_installation().await.unwrap();
    let in_both = membership(&world, world.bob, &[Role::Member]);
    let elsewhere = Membership { workspace: other, created_at: samples::moment(9), ..in_both.clone() };
    let ada = membership(&world, world.ada, &[Role::Admin]);
    for membership in [&in_both, &elsewhere, &ada] {
        tx.put_membership(membership).await.unwrap();
    }
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    let members = tx.members(world.workspace).await.unwrap();
    let handles: Vec<_> = members.iter().map(|(user, _)| user.handle.as_str()).collect();
    assert_eq!(handles, ["ada", "bob"]);
    assert_eq!(members[0].1, ada);
    assert_eq!(members[1].0.id, world.bob);
    assert_eq!(tx.members(other).await.unwrap().len(), 1);
    assert_eq!(tx.memberships_of(world.bob).await.unwrap(), [in_both, elsewhere]);
}

pub async fn a_removed_member_is_gone_and_cannot_be_removed_twice(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut tx = world.begin().await;
    tx.put_membership(&membership(&world, world.ada, &[Role::Member])).await.unwrap();
    tx.put_membership(&membership(&world, world.bob, &[Role::Member])).await.unwrap();
    assert!(tx.delete_membership(world.workspace, world.ada).await.unwrap());
    assert!(!tx.delete_membership(world.workspace, world.ada).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.membership(world.workspace, world.ada).await.unwrap(), None);
    assert_eq!(tx.members(world.workspace).await.unwrap().len(), 1);
    assert_eq!(tx.memberships_of(world.ada).await.unwrap(), []);
    assert!(tx.user(world.ada).await.unwrap().is_some());
}
