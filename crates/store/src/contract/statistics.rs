//! Counters and feedback.

use std::sync::Arc;

use model::{Feedback, Skill, Statistics, UserId};

use super::World;
use super::samples::{self, moment};
use crate::{Store, StoreError};

fn counters() -> Statistics {
    Statistics {
        use_count: 30,
        success_count: 20,
        failure_count: 10,
        recent_success_rate: Some(0.1 + 0.2),
        last_used_at: Some(moment(60)),
        helpful_count: 0,
        unhelpful_count: 0,
    }
}

fn word(skill: &Skill, user: UserId, helpful: bool, seconds: i64) -> Feedback {
    let comment = helpful.then(|| "Gut!".to_owned());
    Feedback { skill: skill.id, user, helpful, comment, at: moment(seconds) }
}

pub async fn counters_come_back(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let whole = Statistics { recent_success_rate: Some(1.0), ..counters() };
    let large = Statistics { use_count: 1 << 53, ..counters() };
    let none = Statistics { recent_success_rate: None, last_used_at: None, ..counters() };
    for statistics in [counters(), whole, large, none, Statistics::default()] {
        let mut tx = world.begin().await;
        tx.put_statistics(world.workspace, skill.id, &statistics).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(world.stored(skill.id).await.unwrap().statistics, statistics);
    }
}

pub async fn counters_and_feedback_do_not_touch_each_other(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (counted_first, praised_first) = (world.skill("counted"), world.skill("praised"));
    world.add(&[&counted_first, &praised_first]).await;
    let given = Statistics { helpful_count: 99, unhelpful_count: 99, ..counters() };
    let mut tx = world.begin().await;
    tx.put_statistics(world.workspace, counted_first.id, &given).await.unwrap();
    tx.put_feedback(world.workspace, &word(&counted_first, world.bob, true, 1)).await.unwrap();
    tx.put_feedback(world.workspace, &word(&praised_first, world.bob, true, 1)).await.unwrap();
    tx.put_statistics(world.workspace, praised_first.id, &given).await.unwrap();
    tx.commit().await.unwrap();
    for skill in [counted_first, praised_first] {
        let expected = Statistics { helpful_count: 1, ..counters() };
        assert_eq!(world.stored(skill.id).await.unwrap().statistics, expected);
    }
}

pub async fn feedback_counts_the_latest_word_of_each_person(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    let mut tx = world.begin().await;
    for feedback in [
        word(&skill, world.ada, true, 1),
        word(&skill, world.bob, true, 2),
        word(&skill, world.ada, false, 3),
        word(&other, world.ada, true, 4),
    ] {
        tx.put_feedback(world.workspace, &feedback).await.unwrap();
    }
    tx.commit().await.unwrap();
    let statistics = world.stored(skill.id).await.unwrap().statistics;
    assert_eq!((statistics.helpful_count, statistics.unhelpful_count), (1, 1));
    assert_eq!(statistics.use_count, 0);
    assert_eq!(statistics.recent_success_rate, None);
    let statistics = world.stored(other.id).await.unwrap().statistics;
    assert_eq!((statistics.helpful_count, statistics.unhelpful_count), (1, 0));
}

pub async fn feedback_is_listed_newest_first(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let carol = world.add_user("carol").await.id;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let (first, second, third) =
        (word(&skill, world.bob, true, 1), word(&skill, carol, false, 2), word(&skill, world.ada, true, 3));
    let mut tx = world.begin().await;
    for feedback in [&second, &third, &first] {
        tx.put_feedback(world.workspace, feedback).await.unwrap();
    }
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    let all = tx.feedback(world.workspace, skill.id, 10).await.unwrap();
    assert_eq!(all, [third.clone(), second.clone(), first]);
    assert_eq!(tx.feedback(world.workspace, skill.id, 2).await.unwrap(), [third, second]);
    assert_eq!(tx.feedback(samples::workspace_id(), skill.id, 2).await.unwrap(), []);
}

pub async fn statistics_leave_the_version_alone(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let mut tx = world.begin().await;
    tx.put_statistics(world.workspace, skill.id, &counters()).await.unwrap();
    tx.put_feedback(world.workspace, &word(&skill, world.bob, true, 1)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.stored(skill.id).await.unwrap().skill, skill);
    let update = Skill { version: 2, ..skill };
    assert_eq!(world.update(&update).await, crate::Written::Done);
    assert_eq!(world.stored(update.id).await.unwrap().statistics.use_count, 30);
}

pub async fn statistics_of_an_unknown_skill_are_a_conflict(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let unknown = world.skill("unknown");
    let refused = world.begin().await.put_statistics(world.workspace, unknown.id, &counters()).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    let feedback = word(&unknown, world.bob, true, 1);
    let refused = world.begin().await.put_feedback(world.workspace, &feedback).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
}
