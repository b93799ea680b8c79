//! Uses of skills by day.

use std::sync::Arc;
use std::time::Duration as Time;

use model::{AgentId, Day, Scope, Skill, SkillUse, Statistics, Status, Timestamp, Uses};
use time::Duration;
use time::macros::{date, datetime};

use super::World;
use super::samples::{self, moment};
use crate::{SkillRecord, SkillUses, Store, StoreError, UseQuery, Visibility};

const MONDAY: Day = date!(2026 - 03 - 02);
const NOON: Timestamp = datetime!(2026-03-02 12:00 UTC);

/// A use on a day after Monday, at noon.
fn used(world: &World, skill: &Skill, day: i64, success: bool) -> SkillUse {
    let at = NOON + Duration::days(day);
    SkillUse { skill: skill.id, user: world.ada, agent: None, at, success, run: None }
}

fn ran(world: &World, skill: &Skill, day: i64, millis: u64) -> SkillUse {
    SkillUse { run: Some(Time::from_millis(millis)), ..used(world, skill, day, true) }
}

async fn count(world: &World, uses: &[SkillUse]) {
    let mut tx = world.begin().await;
    for one in uses {
        tx.count_use(world.workspace, one).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// The week that begins on Monday, as an admin sees it.
fn week(world: &World) -> UseQuery {
    UseQuery {
        workspace: world.workspace,
        visibility: Visibility::All,
        since: MONDAY,
        until: MONDAY + Duration::days(6),
        user: None,
        agent: None,
    }
}

async fn total(world: &World, query: &UseQuery) -> u64 {
    let days = world.read().await.uses_by_day(query).await.unwrap();
    days.into_iter().map(|(_, uses)| uses.count).sum()
}

fn names(records: &[SkillRecord]) -> Vec<&str> {
    records.iter().map(|record| record.skill.name.as_str()).collect()
}

pub async fn uses_add_up_by_day(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (one, two) = (world.skill("one"), world.skill("two"));
    world.add(&[&one, &two]).await;
    let last_moment =
        SkillUse { at: datetime!(2026-03-02 23:59:59.999999 UTC), ..used(&world, &one, 0, true) };
    let elsewhere = SkillUse { at: datetime!(2026-03-05 01:00 +02:00), ..used(&world, &one, 0, true) };
    let by_bob = SkillUse { user: world.bob, ..ran(&world, &one, 0, 5) };
    let uses = [
        used(&world, &one, 0, true),
        used(&world, &one, 0, false),
        ran(&world, &one, 0, 1_500),
        by_bob,
        last_moment,
        used(&world, &two, 0, false),
        elsewhere,
        used(&world, &one, 4, false),
    ];
    count(&world, &uses).await;
    let days = world.read().await.uses_by_day(&week(&world)).await.unwrap();
    let monday = Uses { count: 6, successes: 4, runs: 2, run_time: Time::from_millis(1_505) };
    let single = |successes| Uses { count: 1, successes, ..Uses::default() };
    let wanted = [(MONDAY, monday), (date!(2026 - 03 - 04), single(1)), (date!(2026 - 03 - 06), single(0))];
    assert_eq!(days, wanted);
    let skills = world.read().await.uses_by_skill(&week(&world)).await.unwrap();
    let of_one = Uses { count: 7, successes: 5, runs: 2, run_time: Time::from_millis(1_505) };
    let wanted = [(one.id, of_one), (two.id, single(0))].map(|(skill, uses)| SkillUses { skill, uses });
    assert_eq!(skills, wanted);
}

pub async fn uses_are_narrowed_to_days_user_and_agent(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let agent = samples::agent_id();
    let through = |day| SkillUse { agent: Some(agent), ..used(&world, &skill, day, true) };
    let by_bob = SkillUse { user: world.bob, ..through(3) };
    count(&world, &[used(&world, &skill, -1, true), through(0), through(6), by_bob, through(7)]).await;
    let week = week(&world);
    assert_eq!(total(&world, &week).await, 3);
    assert_eq!(total(&world, &UseQuery { until: MONDAY, ..week.clone() }).await, 1);
    assert_eq!(total(&world, &UseQuery { since: MONDAY + Duration::days(1), ..week.clone() }).await, 2);
    assert_eq!(total(&world, &UseQuery { user: Some(world.bob), ..week.clone() }).await, 1);
    assert_eq!(total(&world, &UseQuery { agent: Some(agent), ..week.clone() }).await, 3);
    assert_eq!(total(&world, &UseQuery { agent: Some(samples::agent_id()), ..week.clone() }).await, 0);
    let both = UseQuery { user: Some(world.ada), agent: Some(agent), ..week.clone() };
    assert_eq!(total(&world, &both).await, 2);
    assert_eq!(total(&world, &UseQuery { since: week.until, until: week.since, ..week }).await, 0);
}

pub async fn uses_of_what_is_not_seen_are_not_counted(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let shared = world.skill("shared");
    let own = Skill { scope: Scope::User(world.bob), ..world.skill("own") };
    let deleted = Skill { deleted_at: Some(moment(9)), ..world.skill("deleted") };
    world.add(&[&shared, &own, &deleted]).await;
    count(&world, &[&shared, &own, &deleted].map(|skill| used(&world, skill, 1, false))).await;
    let seen_by = |user| UseQuery { visibility: Visibility::Of { user, agent: None }, ..week(&world) };
    for (query, wanted) in [(week(&world), 2), (seen_by(world.bob), 2), (seen_by(world.ada), 1)] {
        assert_eq!(total(&world, &query).await, wanted, "{query:?}");
        let mut tx = world.read().await;
        assert_eq!(tx.uses_by_skill(&query).await.unwrap().len() as u64, wanted, "{query:?}");
        let agents = tx.uses_by_agent(&query, 10).await.unwrap();
        assert_eq!(agents.iter().map(|agent| agent.uses.count).collect::<Vec<_>>(), [wanted], "{query:?}");
        let other = UseQuery { since: MONDAY + Duration::days(2), ..query };
        assert_eq!(tx.unused_skills(&other, 10).await.unwrap().len() as u64, wanted);
    }
}

pub async fn used_skills_come_with_the_most_used_first(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skills = ["b", "a", "c", "never"].map(|name| world.skill(name));
    world.add(&skills.each_ref()).await;
    let [b, a, c, _] = &skills;
    let uses = [a, b, c, c].map(|skill| used(&world, skill, 2, true));
    count(&world, &uses).await;
    count(&world, &[SkillUse { user: world.bob, ..used(&world, c, 3, false) }]).await;
    let told = |found: Vec<SkillUses>| {
        found.into_iter().map(|one| (one.skill, one.uses.count, one.uses.successes)).collect::<Vec<_>>()
    };
    let mut tx = world.read().await;
    let found = tx.uses_by_skill(&week(&world)).await.unwrap();
    assert_eq!(told(found), [(c.id, 3, 2), (a.id, 1, 1), (b.id, 1, 1)]);
    let of_bob = UseQuery { user: Some(world.bob), ..week(&world) };
    assert_eq!(told(tx.uses_by_skill(&of_bob).await.unwrap()), [(c.id, 1, 0)]);
}

pub async fn unused_skills_come_with_the_longest_unused_first(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let made = |name: &str, days: i64| Skill { created_at: NOON - Duration::days(days), ..world.skill(name) };
    let (new, old, once) = (made("new", 1), made("old", 50), made("once", 90));
    let (told, later) = (made("told", 60), made("later", 70));
    let off = Skill { enabled: false, ..made("off", 80) };
    let draft = Skill { status: Status::Draft, ..made("draft", 80) };
    let lively = made("lively", 80);
    world.add(&[&new, &old, &once, &told, &later, &off, &draft, &lively]).await;
    let last =
        |days: i64| Statistics { last_used_at: Some(NOON + Duration::days(days)), ..Statistics::default() };
    let mut tx = world.begin().await;
    tx.put_statistics(world.workspace, once.id, &last(-20)).await.unwrap();
    // A use that no day knows of, and one behind the week.
    tx.put_statistics(world.workspace, told.id, &last(3)).await.unwrap();
    tx.put_statistics(world.workspace, later.id, &last(7)).await.unwrap();
    tx.commit().await.unwrap();
    count(&world, &[used(&world, &lively, 6, false)]).await;
    let mut tx = world.read().await;
    let unused = tx.unused_skills(&week(&world), 10).await.unwrap();
    assert_eq!(names(&unused), ["old", "once", "new", "later"]);
    assert_eq!(names(&tx.unused_skills(&week(&world), 1).await.unwrap()), ["old"]);
    let of_bob = UseQuery { user: Some(world.bob), ..week(&world) };
    let unused = tx.unused_skills(&of_bob, 10).await.unwrap();
    assert_eq!(names(&unused), ["lively", "old", "once", "new", "told", "later"]);
}

pub async fn uses_through_agents_are_told_with_their_names(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let helper = world.add_agent("helper").await;
    let gone = samples::agent_id();
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let by = |agent: Option<AgentId>, success| SkillUse { agent, ..used(&world, &skill, 0, success) };
    let (through, alone) = (by(Some(helper.id), true), by(None, true));
    count(
        &world,
        &[alone.clone(), alone.clone(), by(None, false), through.clone(), through, by(Some(gone), true)],
    )
    .await;
    let mut tx = world.read().await;
    let agents = tx.uses_by_agent(&week(&world), 10).await.unwrap();
    let told: Vec<_> = agents
        .iter()
        .map(|one| {
            (one.agent, one.name.as_ref().map(model::SkillName::as_str), one.uses.count, one.uses.successes)
        })
        .collect();
    assert_eq!(told, [(None, None, 3, 2), (Some(helper.id), Some("helper"), 2, 2), (Some(gone), None, 1, 1)]);
    assert_eq!(tx.uses_by_agent(&week(&world), 1).await.unwrap(), agents[..1]);
}

pub async fn skills_are_counted_by_status(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let with = |name: &str, status| Skill { status, ..world.skill(name) };
    let own = Skill { scope: Scope::User(world.bob), ..with("own", Status::Draft) };
    let deleted = Skill { deleted_at: Some(moment(9)), ..world.skill("deleted") };
    let (draft, archived) = (with("draft", Status::Draft), with("archived", Status::Archived));
    world.add(&[&world.skill("a"), &world.skill("b"), &draft, &archived, &own, &deleted]).await;
    let mut tx = world.read().await;
    for (visibility, drafts) in [(Visibility::All, 2), (Visibility::Of { user: world.ada, agent: None }, 1)] {
        let mut counts = tx.count_by_status(world.workspace, visibility).await.unwrap();
        counts.sort_by_key(|(status, _)| status.as_str());
        assert_eq!(counts, [(Status::Active, 2), (Status::Archived, 1), (Status::Draft, drafts)]);
    }
}

pub async fn pruning_forgets_the_days_before_one(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let by_bob = SkillUse { user: world.bob, ..used(&world, &skill, 0, true) };
    count(&world, &[used(&world, &skill, 0, true), by_bob, used(&world, &skill, 1, true)]).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.prune_days(world.workspace, MONDAY).await.unwrap(), 0);
    assert_eq!(tx.prune_days(world.workspace, MONDAY + Duration::DAY).await.unwrap(), 2);
    tx.commit().await.unwrap();
    assert_eq!(total(&world, &week(&world)).await, 1);
}

pub async fn days_go_with_their_skill(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    count(&world, &[used(&world, &skill, 0, true), used(&world, &other, 0, true)]).await;
    let mut tx = world.begin().await;
    assert!(tx.purge_skill(world.workspace, skill.id).await.unwrap());
    assert_eq!(tx.prune_days(world.workspace, MONDAY + Duration::DAY).await.unwrap(), 1);
}

pub async fn a_use_is_of_a_skill_and_of_no_other_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, unknown) = (world.skill("skill"), world.skill("unknown"));
    world.add(&[&skill]).await;
    let one = used(&world, &unknown, 0, true);
    let refused = world.begin().await.count_use(world.workspace, &one).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    count(&world, &[used(&world, &skill, 0, true)]).await;
    let other = world.add_workspace("other").await;
    let elsewhere = UseQuery { workspace: other, ..week(&world) };
    let mut tx = world.store.begin(other).await.unwrap();
    assert_eq!(tx.uses_by_day(&elsewhere).await.unwrap(), []);
    assert_eq!(tx.uses_by_agent(&elsewhere, 10).await.unwrap(), []);
    assert_eq!(tx.uses_by_skill(&elsewhere).await.unwrap(), []);
    assert_eq!(tx.unused_skills(&elsewhere, 10).await.unwrap(), []);
    assert_eq!(tx.count_by_status(other, Visibility::All).await.unwrap(), []);
    assert_eq!(tx.prune_days(other, MONDAY + Duration::days(9)).await.unwrap(), 0);
}
