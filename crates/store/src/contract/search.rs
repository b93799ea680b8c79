//! What search reads: changes by their numbers, skills by id, vectors.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::{Digest, Skill, SkillId, Statistics, WorkspaceId};

use super::World;
use super::samples::{self, moment, number};
use crate::{ChangeCursor, ChangedSkill, Store, StoreError, StoredVector, Tx, Written};

/// The place behind a whole transaction.
fn behind(change: u64) -> ChangeCursor {
    ChangeCursor { change, skill: None }
}

async fn last(world: &World) -> u64 {
    world.read().await.last_change(world.workspace).await.unwrap().unwrap()
}

async fn changed_after(world: &World, change: u64) -> Vec<ChangedSkill> {
    world.read().await.changed_skills(world.workspace, behind(change), 1_000).await.unwrap()
}

async fn purged_after(world: &World, change: u64) -> Vec<SkillId> {
    world.read().await.purged_since(world.workspace, change).await.unwrap()
}

async fn purge(world: &World, id: SkillId) {
    let mut tx = world.begin().await;
    assert!(tx.purge_skill(world.workspace, id).await.unwrap());
    tx.commit().await.unwrap();
}

pub async fn change_numbers_grow_with_each_transaction(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let mut reader = world.read().await;
    assert_eq!(reader.last_change(samples::workspace_id()).await.unwrap(), None);
    let there = reader.last_change(other).await.unwrap();
    let mut seen = last(&world).await;
    assert!(seen > 0);
    for n in 0..5 {
        let mut tx = world.begin().await;
        let inside = tx.last_change(world.workspace).await.unwrap().unwrap();
        assert!(inside > seen);
        let skill = world.skill(&format!("skill-{n}"));
        assert!(tx.insert_skill(&skill).await.unwrap());
        assert_eq!(last(&world).await, seen, "an open transaction is seen");
        tx.commit().await.unwrap();
        assert_eq!(last(&world).await, inside);
        let changed = changed_after(&world, seen).await;
        assert_eq!(changed, [ChangedSkill { change: inside, skill, text: vec![] }]);
        seen = inside;
    }
    assert_eq!(reader.last_change(other).await.unwrap(), there);
    let mut tx = world.store.begin_installation().await.unwrap();
    assert!(tx.insert_user(&samples::user("carol")).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(last(&world).await, seen);
}

pub async fn a_rolled_back_transaction_leaves_no_trace_of_its_number(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (kept, new) = (world.skill("kept"), world.skill("new"));
    world.add(&[&kept]).await;
    let before = last(&world).await;
    let mut tx = world.begin().await;
    assert!(tx.insert_skill(&new).await.unwrap());
    assert!(tx.purge_skill(world.workspace, kept.id).await.unwrap());
    drop(tx);
    assert_eq!(last(&world).await, before);
    assert_eq!(changed_after(&world, before).await, []);
    assert_eq!(purged_after(&world, 0).await, []);
    world.add(&[&new]).await;
    assert_eq!(last(&world).await, before + 1);
    let changed = changed_after(&world, before).await;
    assert_eq!(changed, [ChangedSkill { change: before + 1, skill: new, text: vec![] }]);
}

pub async fn each_change_is_seen_from_before_it_and_not_from_after(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let untouched = world.skill("untouched");
    world.add(&[&untouched]).await;
    let added = world.skill("skill");
    let updated = Skill { version: 2, title: "New".to_owned(), ..added.clone() };
    let deleted = Skill { version: 3, deleted_at: Some(moment(9)), ..updated.clone() };
    let restored = Skill { version: 4, ..updated.clone() };
    for skill in [added, updated, deleted, restored] {
        let before = last(&world).await;
        match skill.version {
            1 => world.add(&[&skill]).await,
            _ => assert_eq!(world.update(&skill).await, Written::Done),
        }
        let change = last(&world).await;
        let expected = ChangedSkill { change, skill, text: vec![] };
        assert_eq!(changed_after(&world, before).await, [expected]);
        assert_eq!(changed_after(&world, change).await, []);
        assert_eq!(purged_after(&world, 0).await, []);
    }
    let before = last(&world).await;
    let purged = changed_after(&world, 0).await.pop().unwrap().skill.id;
    purge(&world, purged).await;
    let after = last(&world).await;
    assert_eq!(purged_after(&world, before).await, [purged]);
    assert_eq!(purged_after(&world, 0).await, [purged]);
    assert_eq!(purged_after(&world, after).await, []);
    assert_eq!(changed_after(&world, before).await, []);
    let left: Vec<_> = changed_after(&world, 0).await.into_iter().map(|changed| changed.skill).collect();
    assert_eq!(left, [untouched]);
}

pub async fn what_changes_nothing_is_no_change_of_a_skill(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    world.add_revision(&skill, 1, &[("SKILL.md", b"text")]).await;
    let before = last(&world).await;
    let mut tx = world.begin().await;
    let statistics = Statistics { use_count: 7, ..Statistics::default() };
    tx.put_statistics(world.workspace, skill.id, &statistics).await.unwrap();
    let vector = (Digest::of(b"text"), vec![1]);
    tx.put_vectors(world.workspace, skill.id, "embedder", &[vector]).await.unwrap();
    tx.set_label(world.workspace, skill.id, number(1), Some(&samples::label("1.0.0"))).await.unwrap();
    let stale = Skill { version: 9, ..skill.clone() };
    assert_eq!(tx.update_skill(&stale).await.unwrap(), Written::Stale);
    assert!(!tx.insert_skill(&world.skill("skill")).await.unwrap());
    assert!(!tx.purge_skill(world.workspace, samples::skill_id()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(last(&world).await > before);
    assert_eq!(changed_after(&world, before).await, []);
    assert_eq!(purged_after(&world, 0).await, []);
}

/// Everything behind a place, so many at a time.
async fn in_pages(tx: &mut dyn Tx, workspace: WorkspaceId, limit: u32) -> Vec<ChangedSkill> {
    let (mut found, mut cursor) = (Vec::new(), ChangeCursor::default());
    loop {
        let page = tx.changed_skills(workspace, cursor, limit).await.unwrap();
        assert!(page.len() <= limit as usize);
        let Some(end) = page.last() else { return found };
        cursor = ChangeCursor { change: end.change, skill: Some(end.skill.id) };
        found.extend(page);
    }
}

pub async fn pages_of_changes_cover_everything_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skills: Vec<_> = (0..9).map(|n| world.skill(&format!("skill-{n}"))).collect();
    // Backwards and several a transaction: neither names nor ids give the order.
    for group in skills.chunks(3).rev() {
        world.add(&group.iter().rev().collect::<Vec<_>>()).await;
    }
    let updated = Skill { version: 2, ..skills[7].clone() };
    assert_eq!(world.update(&updated).await, Written::Done);
    let mut expected: Vec<_> = [6, 8, 3, 4, 5, 0, 1, 2].map(|n: usize| skills[n].clone()).to_vec();
    expected.push(updated);
    let mut tx = world.read().await;
    for limit in [1, 2, 3, 4, 100] {
        let found = in_pages(&mut *tx, world.workspace, limit).await;
        assert!(found.is_sorted_by_key(|changed| (changed.change, changed.skill.id)));
        let found: Vec<_> = found.into_iter().map(|changed| changed.skill).collect();
        assert_eq!(found, expected, "{limit}");
    }
}

pub async fn a_changed_skill_brings_the_text_of_its_current_revision(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let upper = world.skill("upper");
    let lower = Skill { revision: number(2), ..world.skill("lower") };
    let deleted = Skill { deleted_at: Some(moment(9)), ..world.skill("deleted") };
    let without = world.skill("without");
    let beside = world.skill("beside");
    let long = world.skill("long");
    world.add(&[&upper, &lower, &deleted, &without, &beside, &long]).await;
    world.add_revision(&upper, 1, &[("SKILL.md", b"upper \xff\0"), ("a/SKILL.md", b"no")]).await;
    world.add_revision(&upper, 2, &[("SKILL.md", b"not current")]).await;
    world.add_revision(&lower, 1, &[("SKILL.md", b"old")]).await;
    world.add_revision(&lower, 2, &[("a.txt", b"no"), ("skill.md", b"lower")]).await;
    world.add_revision(&deleted, 1, &[("SKILL.md", b"deleted")]).await;
    world.add_revision(&beside, 1, &[("README.md", b"no"), ("a/skill.md", b"no")]).await;
    let text: Vec<u8> = (0..=255).cycle().take(40 << 10).collect();
    world.add_revision(&long, 1, &[("SKILL.md", &text)]).await;
    let found = changed_after(&world, 0).await;
    let texts: Vec<_> = found.iter().map(|changed| changed.text.as_slice()).collect();
    assert_eq!(texts, [b"upper \xff\0".as_slice(), b"lower", b"deleted", b"", b"", &text[..32 << 10]]);
    let expected = [upper, lower, deleted, without, beside, long];
    assert!(found.into_iter().map(|changed| changed.skill).eq(expected));
}

pub async fn changes_of_another_workspace_are_not_seen(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let (here, there) = (world.skill("same"), samples::skill(other, world.ada, "same"));
    world.add(&[&here]).await;
    let before = last(&world).await;
    world.add(&[&there]).await;
    world.add_revision(&there, 1, &[("SKILL.md", b"there")]).await;
    let gone = samples::skill(other, world.ada, "gone");
    world.add(&[&gone]).await;
    let mut tx = world.store.begin(other).await.unwrap();
    assert!(tx.purge_skill(other, gone.id).await.unwrap());
    tx.put_vectors(other, there.id, "embedder", &[(Digest::of(b"x"), vec![1])]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(last(&world).await, before);
    let found = changed_after(&world, 0).await;
    assert_eq!(found, [ChangedSkill { change: before, skill: here.clone(), text: vec![] }]);
    assert_eq!(purged_after(&world, 0).await, []);
    let mut tx = world.begin().await;
    assert_eq!(tx.skills_by_id(world.workspace, &[there.id]).await.unwrap(), []);
    assert_eq!(tx.vectors(world.workspace, "embedder", &[there.id]).await.unwrap(), []);
    assert_eq!(tx.forget_other_vectors(world.workspace, "none").await.unwrap(), 0);
    tx.put_vectors(world.workspace, there.id, "embedder", &[(Digest::of(b"y"), vec![2])]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.purged_since(other, 0).await.unwrap(), [gone.id]);
    assert_eq!(tx.vectors(other, "embedder", &[there.id]).await.unwrap().len(), 1);
}

pub async fn a_purged_id_that_is_taken_again_is_a_skill(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    for _ in 0..2 {
        let before = last(&world).await;
        purge(&world, skill.id).await;
        assert_eq!(purged_after(&world, before).await, [skill.id]);
        world.add(&[&skill]).await;
        assert_eq!(purged_after(&world, before).await, []);
        assert_eq!(changed_after(&world, before).await.len(), 1);
    }
}

pub async fn skills_are_written_in_a_transaction_of_their_workspace_only(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let (new, updated) = (world.skill("new"), Skill { version: 2, ..skill.clone() });
    let refused = |result: Result<(), StoreError>| {
        assert!(matches!(result, Err(StoreError::Refused(_))), "{result:?}");
    };
    for elsewhere in [false, true] {
        let begin = async || {
            let tx = if elsewhere { world.store.begin(other) } else { world.store.begin_installation() };
            tx.await.unwrap()
        };
        refused(begin().await.insert_skill(&new).await.map(drop));
        refused(begin().await.update_skill(&updated).await.map(drop));
        let mut tx = begin().await;
        refused(tx.purge_skill(world.workspace, skill.id).await.map(drop));
        assert!(tx.commit().await.is_err());
    }
    let found = changed_after(&world, 0).await;
    assert!(found.into_iter().map(|changed| changed.skill).eq([skill]));
}

pub async fn skills_are_found_by_their_ids(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let names: Vec<_> = (0..1_100).map(|n| format!("skill-{n}")).collect();
    let skills: Vec<_> = names.iter().map(|name| world.skill(name)).collect();
    world.add(&skills.iter().collect::<Vec<_>>()).await;
    let deleted = Skill { version: 2, deleted_at: Some(moment(9)), ..skills[3].clone() };
    assert_eq!(world.update(&deleted).await, Written::Done);
    let statistics = Statistics { use_count: 7, ..Statistics::default() };
    let mut tx = world.begin().await;
    tx.put_statistics(world.workspace, deleted.id, &statistics).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.skills_by_id(world.workspace, &[]).await.unwrap(), []);
    assert_eq!(tx.skills_by_id(world.workspace, &[samples::skill_id()]).await.unwrap(), []);
    let ids = [skills[1].id, samples::skill_id(), deleted.id];
    let mut found = tx.skills_by_id(world.workspace, &ids).await.unwrap();
    found.sort_by_key(|record| record.skill.id);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].skill, skills[1]);
    assert_eq!((&found[1].skill, found[1].statistics.use_count), (&deleted, 7));
    let ids: Vec<_> = skills.iter().map(|skill| skill.id).collect();
    for count in [5, 512, 513, 1_100] {
        let found = tx.skills_by_id(world.workspace, &ids[..count]).await.unwrap();
        assert_eq!(found.len(), count);
        let found: BTreeSet<_> = found.into_iter().map(|record| record.skill.id).collect();
        assert!(found.into_iter().eq(ids[..count].iter().copied()), "{count}");
    }
}

/// The texts of a skill with their vectors, as `put_vectors` takes them.
fn made(texts: &[&str]) -> Vec<(Digest, Vec<u8>)> {
    texts.iter().map(|text| (Digest::of(text.as_bytes()), format!("{text} \0\u{1}").into_bytes())).collect()
}

/// The vectors of some skills, in the order of skill and text.
async fn kept(world: &World, embedder: &str, skills: &[SkillId]) -> Vec<StoredVector> {
    let mut found = world.read().await.vectors(world.workspace, embedder, skills).await.unwrap();
    found.sort_by_key(|kept| (kept.skill, kept.vector.clone()));
    found
}

fn stored(skill: SkillId, texts: &[&str]) -> Vec<StoredVector> {
    let vectors = made(texts).into_iter();
    vectors.map(|(digest, vector)| StoredVector { skill, digest, vector }).collect()
}

async fn put(world: &World, skill: SkillId, embedder: &str, texts: &[&str]) {
    let mut tx = world.begin().await;
    tx.put_vectors(world.workspace, skill, embedder, &made(texts)).await.unwrap();
    tx.commit().await.unwrap();
}

pub async fn vectors_are_replaced_skill_by_skill(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (one, two) = (world.skill("one"), world.skill("two"));
    world.add(&[&one, &two]).await;
    // A text that stands in a skill twice has one vector.
    put(&world, one.id, "embedder", &["a", "b", "a"]).await;
    put(&world, two.id, "embedder", &["b"]).await;
    let both = [one.id, samples::skill_id(), two.id];
    let expected = [stored(one.id, &["a", "b"]), stored(two.id, &["b"])].concat();
    assert_eq!(kept(&world, "embedder", &both).await, expected);
    assert_eq!(kept(&world, "embedder", &[two.id]).await, stored(two.id, &["b"]));
    assert_eq!(kept(&world, "embedder", &[]).await, []);
    put(&world, one.id, "embedder", &["b", "c"]).await;
    let expected = [stored(one.id, &["b", "c"]), stored(two.id, &["b"])].concat();
    assert_eq!(kept(&world, "embedder", &both).await, expected);
    put(&world, one.id, "embedder", &[]).await;
    assert_eq!(kept(&world, "embedder", &both).await, stored(two.id, &["b"]));
}

pub async fn vectors_are_kept_by_embedder(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (one, two) = (world.skill("one"), world.skill("two"));
    world.add(&[&one, &two]).await;
    for embedder in ["small", "Small", "large"] {
        for skill in [&one, &two] {
            put(&world, skill.id, embedder, &["text", embedder]).await;
        }
    }
    assert_eq!(kept(&world, "small", &[one.id]).await, stored(one.id, &["small", "text"]));
    put(&world, one.id, "small", &["new"]).await;
    assert_eq!(kept(&world, "Small", &[one.id]).await, stored(one.id, &["Small", "text"]));
    assert_eq!(kept(&world, "unknown", &[one.id]).await, []);
    let mut tx = world.begin().await;
    assert_eq!(tx.forget_other_vectors(world.workspace, "small").await.unwrap(), 8);
    assert_eq!(tx.forget_other_vectors(world.workspace, "small").await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(kept(&world, "large", &[one.id, two.id]).await, []);
    let expected = [stored(one.id, &["new"]), stored(two.id, &["small", "text"])].concat();
    assert_eq!(kept(&world, "small", &[one.id, two.id]).await, expected);
}

pub async fn vectors_go_with_their_skill(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (gone, other) = (world.skill("gone"), world.skill("other"));
    world.add(&[&gone, &other]).await;
    for skill in [&gone, &other] {
        put(&world, skill.id, "embedder", &["text"]).await;
    }
    purge(&world, gone.id).await;
    // Who was still at work on the skill gets no error.
    put(&world, gone.id, "embedder", &["late"]).await;
    let both = [gone.id, other.id];
    assert_eq!(kept(&world, "embedder", &both).await, stored(other.id, &["text"]));
    world.add(&[&gone]).await;
    assert_eq!(kept(&world, "embedder", &both).await, stored(other.id, &["text"]));
}

/// Reads changes while they happen, as an index does; gives the number it got to.
async fn follow(world: &World, index: &mut BTreeSet<SkillId>, from: u64) -> u64 {
    let mut tx = world.read().await;
    let to = tx.last_change(world.workspace).await.unwrap().unwrap();
    let mut cursor = behind(from);
    loop {
        let page = tx.changed_skills(world.workspace, cursor, 3).await.unwrap();
        let Some(end) = page.last() else { break };
        cursor = ChangeCursor { change: end.change, skill: Some(end.skill.id) };
        index.extend(page.iter().map(|changed| changed.skill.id));
    }
    for id in tx.purged_since(world.workspace, from).await.unwrap() {
        index.remove(&id);
    }
    to
}

pub async fn a_reader_that_follows_misses_nothing_of_many_writers(store: Arc<dyn Store>) {
    let world = Arc::new(World::new(store).await);
    let writers: Vec<_> = (0..8)
        .map(|task| {
            let world = Arc::clone(&world);
            tokio::spawn(async move {
                for n in 0..10 {
                    let skill = world.skill(&format!("skill-{task}-{n}"));
                    world.add(&[&skill]).await;
                    if n % 3 == 0 {
                        purge(&world, skill.id).await;
                    }
                }
            })
        })
        .collect();
    let (mut index, mut at) = (BTreeSet::new(), 0);
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        at = follow(&world, &mut index, at).await;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    follow(&world, &mut index, at).await;
    let there: BTreeSet<_> =
        changed_after(&world, 0).await.into_iter().map(|changed| changed.skill.id).collect();
    assert_eq!(there.len(), 48);
    assert_eq!(index, there);
}
