//! The database server dies in the middle of it all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use store::contract::{World, samples};
use store::{Store, StoreError};
use testkit::postgres::Cluster;

use crate::open_at;

/// Adds skills until the server is gone; gives the names whose commit was acknowledged.
async fn write_until_the_end(world: Arc<World>, task: usize) -> (Vec<String>, StoreError) {
    let mut acknowledged = Vec::new();
    for n in 0.. {
        let name = format!("task-{task}-{n}");
        let written = async {
            let mut tx = world.store.begin(world.workspace).await?;
            tx.insert_skill(&world.skill(&name)).await?;
            tx.append_audit(world.workspace, samples::audit_entry("skill.create", &name)).await?;
            tx.commit().await
        };
        match written.await {
            Ok(()) => acknowledged.push(name),
            Err(error) => return (acknowledged, error),
        }
    }
    unreachable!("the numbers do not end")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_and_the_store_recovers_by_itself() {
    let cluster = Cluster::start();
    let store = open_at(&cluster.create_database("crash"), 8).await;
    let world = Arc::new(World::new(Arc::clone(&store) as Arc<dyn Store>).await);
    let writers: Vec<_> =
        (0..4).map(|task| tokio::spawn(write_until_the_end(Arc::clone(&world), task))).collect();
    while world.read().await.audit_head(world.workspace).await.unwrap().unwrap().sequence < 20 {
        tokio::task::yield_now().await;
    }
    let killed = tokio::task::spawn_blocking(move || {
        cluster.kill();
        cluster
    });
    let cluster = killed.await.unwrap();
    let mut acknowledged = Vec::new();
    for writer in writers {
        let (names, error) = writer.await.unwrap();
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        acknowledged.extend(names);
    }
    let down = store.check().await;
    assert!(matches!(down, Err(StoreError::Unavailable(_))), "{down:?}");

    cluster.restart();
    let deadline = Instant::now() + Duration::from_secs(20);
    while let Err(error) = store.check().await {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        assert!(Instant::now() < deadline, "the store does not come back");
    }
    let mut tx = world.read().await;
    let stored = tx.skills(&world.query()).await.unwrap();
    for name in &acknowledged {
        assert!(stored.iter().any(|record| record.skill.name.as_str() == name), "{name} is lost");
    }
    let chain = tx.audit_after(world.workspace, 0, u32::MAX).await.unwrap();
    assert_eq!(chain.len(), stored.len());
    assert!(chain.iter().all(|entry| entry.hash == entry.computed_hash()));
    drop(tx);
    world.add(&[&world.skill("goes-on")]).await;
    store.close().await;
}
