//! Pages of skills: together they show everything once.

use std::sync::Arc;

use model::{Skill, SkillId};

use super::World;
use super::samples::{self, moment};
use crate::{SkillCursor, SkillOrder, SkillQuery, SkillRecord, Store};

fn cursor(order: SkillOrder, record: &SkillRecord) -> SkillCursor {
    let skill = &record.skill;
    match order {
        SkillOrder::Name => SkillCursor::Name(skill.name.clone(), skill.id),
        SkillOrder::Updated => SkillCursor::Time(skill.updated_at, skill.id),
        SkillOrder::Created => SkillCursor::Time(skill.created_at, skill.id),
    }
}

/// The ids of all pages of this size.
async fn pages(world: &World, order: SkillOrder, limit: u32) -> Vec<SkillId> {
    let mut query = SkillQuery { order, limit, ..world.query() };
    let mut ids = Vec::new();
    let mut tx = world.read().await;
    loop {
        let page = tx.skills(&query).await.unwrap();
        assert!(page.len() <= limit as usize);
        let Some(last) = page.last() else { return ids };
        query.after = Some(cursor(order, last));
        ids.extend(page.iter().map(|record| record.skill.id));
        assert!(ids.len() < 100, "the pages do not end");
    }
}

/// Stores skills whose names and moments go in different orders.
async fn shuffled(world: &World) -> Vec<Skill> {
    let skills: Vec<_> = (0..13_i64)
        .map(|n| Skill {
            created_at: moment(n * 5 % 13),
            updated_at: moment(100 + n * 7 % 13),
            ..world.skill(&format!("s{}", n * 3 % 13))
        })
        .collect();
    world.add(&skills.iter().collect::<Vec<_>>()).await;
    skills
}

async fn covers_everything_once<K: Ord>(
    store: Arc<dyn Store>,
    order: SkillOrder,
    key: fn(&Skill) -> K,
    newest_first: bool,
) {
    let world = World::new(store).await;
    let mut skills = shuffled(&world).await;
    skills.sort_by_key(key);
    if newest_first {
        skills.reverse();
    }
    let expected: Vec<_> = skills.iter().map(|skill| skill.id).collect();
    for limit in [1, 2, 5, 13, 14] {
        assert_eq!(pages(&world, order, limit).await, expected, "pages of {limit}");
    }
}

pub async fn pages_by_name_cover_everything_once(store: Arc<dyn Store>) {
    covers_everything_once(store, SkillOrder::Name, |skill| skill.name.clone(), false).await;
}

pub async fn pages_by_change_cover_everything_once(store: Arc<dyn Store>) {
    covers_everything_once(store, SkillOrder::Updated, |skill| skill.updated_at, true).await;
}

pub async fn pages_by_creation_cover_everything_once(store: Arc<dyn Store>) {
    covers_everything_once(store, SkillOrder::Created, |skill| skill.created_at, true).await;
}

pub async fn equal_keys_are_told_apart_by_id(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut ids = Vec::new();
    for n in 0..7 {
        let user = world.add_user(&format!("user{n}")).await.id;
        let scope = model::Scope::User(user);
        // Ids that differ in every byte, and not in the order in which they are stored.
        let id = SkillId::new(uuid::Uuid::from_u128(
            0x0101_0101_0101_0101_0101_0101_0101_0101 * (n * 53 % 7 * 37),
        ));
        world.add(&[&Skill { id, scope, ..world.skill("same") }]).await;
        ids.push(id);
    }
    ids.sort();
    for limit in [1, 2, 3, 7] {
        assert_eq!(pages(&world, SkillOrder::Name, limit).await, ids);
        for order in [SkillOrder::Updated, SkillOrder::Created] {
            let mut found = pages(&world, order, limit).await;
            found.reverse();
            assert_eq!(found, ids);
        }
    }
}

pub async fn names_sort_by_their_bytes(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let names = ["1", "10", "2", "a", "a-b", "a0", "ab", "b"];
    for name in names.iter().rev() {
        world.add(&[&world.skill(name)]).await;
    }
    assert_eq!(world.names(&world.query()).await, names);
}

pub async fn a_page_goes_on_after_a_row_that_is_gone(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for name in ["a", "b", "c"] {
        world.add(&[&world.skill(name)]).await;
    }
    let after = Some(SkillCursor::Name(samples::name("b"), samples::skill_id()));
    let found = world.read().await.skills(&SkillQuery { after, ..world.query() }).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].skill.name, samples::name("c"));
}
