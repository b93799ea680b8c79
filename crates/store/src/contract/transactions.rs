//! Transactions: all or nothing, one writer a workspace, and no trouble under load.

use std::sync::Arc;

use model::{Skill, SkillId, WorkspaceId};

use super::World;
use super::audit::checked_chain;
use super::samples::{self, audit_entry};
use crate::{SkillFilter, Store, StoreError, Written};

const TASKS: usize = 32;
const ROUNDS: usize = 5;

pub async fn what_is_not_committed_is_rolled_back(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (kept, never) = (world.skill("kept"), world.skill("never"));
    world.add(&[&kept]).await;
    let mut tx = world.begin().await;
    assert!(tx.insert_skill(&never).await.unwrap());
    assert!(tx.purge_skill(world.workspace, kept.id).await.unwrap());
    drop(tx);
    let mut tx = world.store.begin_installation().await.unwrap();
    assert!(tx.insert_user(&samples::user("carol")).await.unwrap());
    drop(tx);
    assert_eq!(world.found(SkillFilter::default()).await, ["kept"]);
    assert_eq!(world.read().await.count_users().await.unwrap(), 2);
    world.add(&[&never]).await;
}

pub async fn an_open_transaction_is_not_seen_and_blocks_no_reader(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut tx = world.begin().await;
    assert!(tx.insert_skill(&world.skill("skill")).await.unwrap());
    assert_eq!(world.found(SkillFilter::default()).await.len(), 0);
    let mut reader = world.read().await;
    assert_eq!(reader.count_skills(&world.query()).await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(reader.count_skills(&world.query()).await.unwrap(), 1);
    reader.commit().await.unwrap();
}

pub async fn a_transaction_sees_its_own_writes(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    let mut tx = world.begin().await;
    assert!(tx.insert_skill(&skill).await.unwrap());
    assert_eq!(tx.count_skills(&world.query()).await.unwrap(), 1);
    assert_eq!(tx.update_skill(&Skill { version: 2, ..skill.clone() }).await.unwrap(), Written::Done);
    assert_eq!(tx.skill(world.workspace, skill.id).await.unwrap().unwrap().skill.version, 2);
}

pub async fn an_unknown_workspace_cannot_be_begun(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for _ in 0..40 {
        let refused = world.store.begin(samples::workspace_id()).await.map(drop);
        assert!(matches!(refused, Err(StoreError::NoWorkspace)), "{refused:?}");
    }
    world.add(&[&world.skill("skill")]).await;
}

pub async fn a_transaction_that_met_an_error_cannot_be_committed(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (first, second) = (world.skill("first"), world.skill("second"));
    world.add(&[&first]).await;
    let mut tx = world.begin().await;
    assert!(tx.insert_skill(&second).await.unwrap());
    let clash = Skill { name: first.name.clone(), version: 2, ..second.clone() };
    assert!(matches!(tx.update_skill(&clash).await, Err(StoreError::Conflict(_))));
    assert!(tx.skill(world.workspace, first.id).await.is_err());
    assert!(tx.commit().await.is_err());
    assert_eq!(world.found(SkillFilter::default()).await, ["first"]);
    world.add(&[&second]).await;
}

/// Counts one up: reads, decides, writes, and leaves an entry.
async fn increment(store: &dyn Store, workspace: WorkspaceId, id: SkillId) -> Result<(), StoreError> {
    let mut tx = store.begin(workspace).await?;
    let record = tx.skill(workspace, id).await?.unwrap();
    let mut statistics = record.statistics;
    statistics.use_count += 1;
    tx.put_statistics(workspace, id, &statistics).await?;
    let version = record.skill.version + 1;
    assert_eq!(tx.update_skill(&Skill { version, ..record.skill }).await?, Written::Done);
    tx.append_audit(workspace, audit_entry("skill.update", &id.to_string())).await?;
    tx.commit().await
}

async fn increment_often(
    store: Arc<dyn Store>,
    workspace: WorkspaceId,
    id: SkillId,
) -> Result<(), StoreError> {
    for _ in 0..ROUNDS {
        increment(&*store, workspace, id).await?;
    }
    Ok(())
}

async fn check_total(store: &dyn Store, workspace: WorkspaceId, id: SkillId, total: usize) {
    let record = store.read().await.unwrap().skill(workspace, id).await.unwrap().unwrap();
    assert_eq!(record.statistics.use_count, total as u64);
    assert_eq!(record.skill.version, 1 + total as u64);
    assert_eq!(checked_chain(store, workspace).await.len(), total);
}

pub async fn concurrent_writers_lose_nothing_and_the_chain_stays_dense(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("counter");
    world.add(&[&skill]).await;
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| tokio::spawn(increment_often(Arc::clone(&world.store), world.workspace, skill.id)))
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    check_total(&*world.store, world.workspace, skill.id, TASKS * ROUNDS).await;
}

pub async fn concurrent_writers_of_many_workspaces_all_finish(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut counters = Vec::new();
    for n in 0..4 {
        let workspace = world.add_workspace(&format!("w{n}")).await;
        let skill = samples::skill(workspace, world.ada, "counter");
        world.add(&[&skill]).await;
        counters.push((workspace, skill.id));
    }
    let tasks: Vec<_> = (0..TASKS)
        .map(|n| {
            let (workspace, id) = counters[n % counters.len()];
            tokio::spawn(increment_often(Arc::clone(&world.store), workspace, id))
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    for &(workspace, id) in &counters {
        check_total(&*world.store, workspace, id, TASKS / counters.len() * ROUNDS).await;
    }
}

pub async fn readers_and_writers_together_meet_no_error(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("counter");
    world.add(&[&skill]).await;
    let query = world.query();
    let readers: Vec<_> = (0..TASKS)
        .map(|_| {
            let (store, query, id) = (Arc::clone(&world.store), query.clone(), skill.id);
            tokio::spawn(async move {
                let mut seen = 0;
                for _ in 0..ROUNDS * 2 {
                    let mut tx = store.read().await?;
                    let record = tx.skill(query.workspace, id).await?.unwrap();
                    assert!(record.skill.version >= seen, "what was committed is gone");
                    seen = record.skill.version;
                    assert_eq!(tx.skills(&query).await?.len(), 1);
                }
                Ok::<_, StoreError>(())
            })
        })
        .collect();
    let writers: Vec<_> = (0..4)
        .map(|_| tokio::spawn(increment_often(Arc::clone(&world.store), world.workspace, skill.id)))
        .collect();
    for task in readers.into_iter().chain(writers) {
        task.await.unwrap().unwrap();
    }
    check_total(&*world.store, world.workspace, skill.id, 4 * ROUNDS).await;
}

/// Lets other tasks run so many times.
async fn wait(turns: usize) {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
}

pub async fn a_begin_given_up_halfway_holds_nothing(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for turns in 0..60 {
        tokio::select! {
            biased;
            tx = world.store.begin(world.workspace) => drop(tx.unwrap()),
            () = wait(turns * turns / 10) => {}
        }
        tokio::select! {
            biased;
            tx = world.store.read() => drop(tx.unwrap()),
            () = wait(turns) => {}
        }
    }
    world.add(&[&world.skill("skill")]).await;
    assert_eq!(world.found(SkillFilter::default()).await, ["skill"]);
}

pub async fn a_task_that_is_aborted_holds_nothing(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("counter");
    world.add(&[&skill]).await;
    let mut finished = 0;
    for turns in 0..60 {
        let (store, workspace, id) = (Arc::clone(&world.store), world.workspace, skill.id);
        let task = tokio::spawn(async move { increment(&*store, workspace, id).await });
        wait(turns * turns).await;
        task.abort();
        match task.await {
            Ok(result) => {
                result.unwrap();
                finished += 1;
            }
            Err(error) => assert!(error.is_cancelled(), "{error}"),
        }
    }
    increment(&*world.store, world.workspace, skill.id).await.unwrap();
    // A commit that was under way may have happened; half of one never.
    let total = checked_chain(&*world.store, world.workspace).await.len();
    assert!(total > finished);
    check_total(&*world.store, world.workspace, skill.id, total).await;
}

pub async fn the_generation_counts_commits_and_only_them(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let Some(before) = world.store.generation() else { return };
    drop(world.begin().await);
    world.found(SkillFilter::default()).await;
    world.read().await.commit().await.unwrap();
    assert_eq!(world.store.generation(), Some(before));
    world.add(&[&world.skill("skill")]).await;
    assert!(world.store.generation() > Some(before));
}

pub async fn a_closed_store_is_unavailable(store: Arc<dyn Store>) {
    store.check().await.unwrap();
    store.close().await;
    for refused in
        [store.check().await, store.read().await.map(drop), store.begin_installation().await.map(drop)]
    {
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    }
}
