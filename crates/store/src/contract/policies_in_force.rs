//! How readers of policies keep in step.

use std::sync::Arc;

use model::{Facets, Skill, Status};

use super::World;
use super::samples::{moment, number};
use crate::{ChangeCursor, Store, Which};

fn in_force(skill: Skill) -> Skill {
    let facets = Facets { policy: true, ..skill.facets };
    Skill { facets, enforced: Some(skill.revision), ..skill }
}

pub async fn policy_changes_begin_with_what_may_be_in_force(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (plain, policy) = (world.skill("plain"), in_force(world.skill("policy")));
    let pending =
        Skill { status: Status::PendingApproval, enforced: None, ..in_force(world.skill("pending")) };
    // An older revision is in force while a newer one waits.
    let edited =
        Skill { status: Status::PendingApproval, revision: number(2), ..in_force(world.skill("edited")) };
    world.add(&[&plain, &pending]).await;
    world.add(&[&policy]).await;
    world.add(&[&edited]).await;
    let mut tx = world.read().await;
    let changes =
        tx.policy_changes(world.workspace, Which::Enforced, ChangeCursor::default(), 10).await.unwrap();
    let skills: Vec<Skill> = changes.iter().map(|change| change.skill.clone()).collect();
    assert_eq!(skills, [policy, edited]);
    let first =
        changes.first().map(|first| ChangeCursor { change: first.change, skill: Some(first.skill.id) });
    let rest = tx.policy_changes(world.workspace, Which::Enforced, first.unwrap(), 10).await.unwrap();
    assert_eq!(rest, changes[1..]);
    let one = tx.policy_changes(world.workspace, Which::Enforced, ChangeCursor::default(), 1).await.unwrap();
    assert_eq!(one, changes[..1]);
    assert!(changes.is_sorted_by(|left, right| left.change < right.change));
    assert_eq!(changes.last().map(|change| change.change), tx.last_change(world.workspace).await.unwrap());
}

pub async fn policy_changes_go_on_with_every_skill(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let policy = in_force(world.skill("policy"));
    world.add(&[&policy, &world.skill("untouched")]).await;
    let here = world.read().await.last_change(world.workspace).await.unwrap().unwrap();
    let names = async |after: u64| -> Vec<(String, bool)> {
        let after = ChangeCursor { change: after, skill: None };
        let changes =
            world.read().await.policy_changes(world.workspace, Which::All, after, 10).await.unwrap();
        let told = |skill: Skill| (skill.name.to_string(), skill.deleted_at.is_some());
        changes.into_iter().map(|change| told(change.skill)).collect()
    };
    assert_eq!(names(here).await, []);
    // Out of force, and out altogether: who stands here must hear of it.
    let out = Skill { enforced: None, status: Status::Archived, version: 2, ..policy.clone() };
    world.update(&out).await;
    assert_eq!(names(here).await, [("policy".to_owned(), false)]);
    let gone = Skill { deleted_at: Some(moment(9)), version: 3, ..out };
    world.update(&gone).await;
    assert_eq!(names(here).await, [("policy".to_owned(), true)]);
    world.add(&[&world.skill("new")]).await;
    assert_eq!(names(here).await, [("policy".to_owned(), true), ("new".to_owned(), false)]);
    let mut tx = world.begin().await;
    assert!(tx.purge_skill(world.workspace, gone.id).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(names(here).await, [("new".to_owned(), false)]);
    let purged = world.read().await.purged_since(world.workspace, here).await.unwrap();
    assert_eq!(purged, [gone.id]);
}
