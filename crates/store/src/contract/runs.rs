//! Runs, and how single revisions do.

use std::sync::Arc;
use std::time::Duration;

use model::{RevisionStatistics, Run, RunError, RunId, RunStatus, Skill, Statistics, Timestamp};
use serde_json::json;

use super::World;
use super::samples::{self, moment, number};
use crate::{RunFilter, Store, StoreError};

/// A run that says everything.
fn full(world: &World, skill: &Skill) -> Run {
    let parameters = json!({"z": 1, "a": [null, 1.5, "ü\u{0}\n"], "m": {"y": true, "b": {}}});
    Run {
        agent: Some(samples::agent_id()),
        parameters: parameters.as_object().cloned().unwrap_or_default(),
        status: RunStatus::Failed,
        error: Some(RunError {
            code: "code_error".to_owned(),
            kind: "ZeroDivisionError".to_owned(),
            message: "division by zero".to_owned(),
            file: Some("scripts/run.py".to_owned()),
            line: Some(7),
        }),
        duration: Duration::from_micros(1_234_567),
        cpu: Some(Duration::from_micros(1)),
        memory_bytes: Some(1 << 40),
        limits_hit: vec!["time_limit".to_owned(), "output_limit".to_owned()],
        result_size: 17,
        ..samples::run(skill, world.ada)
    }
}

async fn keep(world: &World, runs: &[&Run]) {
    let workspace = runs.first().map_or(world.workspace, |run| run.workspace);
    let mut tx = world.store.begin(workspace).await.unwrap();
    for run in runs {
        tx.insert_run(run).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn found(world: &World, filter: &RunFilter) -> Vec<RunId> {
    let runs = world.read().await.runs(world.workspace, filter, None, 100).await.unwrap();
    runs.into_iter().map(|run| run.id).collect()
}

fn at(run: Run, seconds: i64) -> Run {
    Run { started_at: moment(seconds), ..run }
}

pub async fn a_run_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let (plain, mut full) = (samples::run(&skill, world.bob), full(&world, &skill));
    keep(&world, &[&plain, &full]).await;
    let mut tx = world.read().await;
    assert_eq!(tx.run(world.workspace, plain.id).await.unwrap(), Some(plain));
    // Inside JSON a NUL is written as an escape, so it stays what it is.
    let stored = tx.run(world.workspace, full.id).await.unwrap();
    let names: Vec<_> = stored.iter().flat_map(|run| run.parameters.keys()).cloned().collect();
    assert_eq!(names, ["z", "a", "m"]);
    full.started_at = full.started_at.replace_nanosecond(123_456_000).unwrap();
    assert_eq!(stored, Some(full));
    assert_eq!(tx.run(world.workspace, RunId::new(skill.id.uuid())).await.unwrap(), None);
}

pub async fn a_run_is_of_no_other_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let run = samples::run(&skill, world.ada);
    keep(&world, &[&run]).await;
    let other = world.add_workspace("other").await;
    let mut tx = world.store.begin(other).await.unwrap();
    assert_eq!(tx.run(other, run.id).await.unwrap(), None);
    assert_eq!(tx.runs(other, &RunFilter::default(), None, 10).await.unwrap(), []);
    assert_eq!(tx.prune_runs(other, moment(1_000_000)).await.unwrap(), 0);
    assert_eq!(tx.revision_statistics(other, skill.id, None).await.unwrap(), []);
    tx.commit().await.unwrap();
    assert_eq!(found(&world, &RunFilter::default()).await, [run.id]);
}

pub async fn a_run_of_an_unknown_skill_is_a_conflict(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let run = samples::run(&world.skill("unknown"), world.ada);
    let refused = world.begin().await.insert_run(&run).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
}

pub async fn runs_are_listed_newest_first_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let sample = || samples::run(&skill, world.ada);
    // Two of one moment: the later id comes first.
    let (first, second, third, fourth) = (at(sample(), 1), at(sample(), 2), at(sample(), 2), at(sample(), 3));
    keep(&world, &[&third, &first, &fourth, &second]).await;
    let expected = [fourth.id, third.id, second.id, first.id];
    assert_eq!(found(&world, &RunFilter::default()).await, expected);
    let mut tx = world.read().await;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = tx.runs(world.workspace, &RunFilter::default(), after, 1).await.unwrap();
        let Some(run) = page.first() else { break };
        after = Some((run.started_at, run.id));
        seen.push(run.id);
    }
    assert_eq!(seen, expected);
}

pub async fn runs_are_filtered_by_each_field(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    let failed = at(full(&world, &skill), 1);
    let fine = at(samples::run(&skill, world.bob), 2);
    let elsewhere = at(samples::run(&other, world.ada), 3);
    keep(&world, &[&failed, &fine, &elsewhere]).await;
    let all = RunFilter::default;
    for (filter, expected) in [
        (RunFilter { skill: Some(skill.id), ..all() }, vec![fine.id, failed.id]),
        (RunFilter { user: Some(world.ada), ..all() }, vec![elsewhere.id, failed.id]),
        (RunFilter { agent: failed.agent, ..all() }, vec![failed.id]),
        (RunFilter { status: Some(RunStatus::Succeeded), ..all() }, vec![elsewhere.id, fine.id]),
        (RunFilter { error_code: Some("code_error".to_owned()), ..all() }, vec![failed.id]),
        (RunFilter { error_code: Some("time_limit".to_owned()), ..all() }, vec![]),
        (RunFilter { since: Some(moment(2)), ..all() }, vec![elsewhere.id, fine.id]),
        (RunFilter { until: Some(moment(2)), ..all() }, vec![failed.id]),
        (
            RunFilter { skill: Some(skill.id), user: Some(world.bob), since: Some(moment(0)), ..all() },
            vec![fine.id],
        ),
    ] {
        assert_eq!(found(&world, &filter).await, expected, "{filter:?}");
    }
}

pub async fn pruning_forgets_what_began_before(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let runs = [1, 2, 3].map(|seconds| at(samples::run(&skill, world.ada), seconds));
    keep(&world, &runs.each_ref()).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.prune_runs(world.workspace, moment(2)).await.unwrap(), 1);
    assert_eq!(tx.prune_runs(world.workspace, moment(2)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(found(&world, &RunFilter::default()).await, [runs[2].id, runs[1].id]);
}

fn counters(n: u32, used: Option<Timestamp>) -> RevisionStatistics {
    RevisionStatistics {
        revision: number(n),
        counters: Statistics {
            use_count: 30,
            success_count: 20,
            failure_count: 10,
            recent_success_rate: used.map(|_| 0.1 + 0.2),
            last_used_at: used,
            ..Statistics::default()
        },
        total: Duration::from_micros(1_234_567),
    }
}

pub async fn counters_of_revisions_come_back_newest_first(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    for n in [1, 2] {
        world.add_revision(&skill, n, &[]).await;
    }
    let (first, second) = (counters(1, None), counters(2, Some(moment(1))));
    let mut tx = world.begin().await;
    for statistics in [&counters(1, Some(moment(9))), &second, &first] {
        tx.put_revision_statistics(world.workspace, skill.id, statistics).await.unwrap();
    }
    let all = tx.revision_statistics(world.workspace, skill.id, None).await.unwrap();
    assert_eq!(all, [second, first.clone()]);
    assert_eq!(tx.revision_statistics(world.workspace, skill.id, Some(number(1))).await.unwrap(), [first]);
    assert_eq!(tx.revision_statistics(world.workspace, skill.id, Some(number(3))).await.unwrap(), []);
    let unknown = tx.put_revision_statistics(world.workspace, skill.id, &counters(3, None)).await;
    assert!(matches!(unknown, Err(StoreError::Conflict(_))), "{unknown:?}");
}

pub async fn purging_a_skill_takes_its_runs_and_counters_along(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (skill, other) = (world.skill("skill"), world.skill("other"));
    world.add(&[&skill, &other]).await;
    world.add_revision(&skill, 1, &[]).await;
    let (run, stays) = (samples::run(&skill, world.ada), samples::run(&other, world.ada));
    keep(&world, &[&run, &stays]).await;
    let mut tx = world.begin().await;
    tx.put_revision_statistics(world.workspace, skill.id, &counters(1, None)).await.unwrap();
    assert!(tx.purge_skill(world.workspace, skill.id).await.unwrap());
    assert_eq!(tx.revision_statistics(world.workspace, skill.id, None).await.unwrap(), []);
    tx.commit().await.unwrap();
    assert_eq!(found(&world, &RunFilter::default()).await, [stays.id]);
}
