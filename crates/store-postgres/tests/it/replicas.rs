//! Several servers of ours on one database.

use std::sync::Arc;
use std::time::Duration;

use model::Skill;
use store::contract::{World, samples};
use store::{SkillFilter, Store, StoreError};
use testkit::postgres::Database;
use tokio::time::timeout;

use crate::open_at;

const SOON: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_database_can_be_opened_by_several_at_once() {
    let database = Database::fresh();
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let url = database.url();
            tokio::spawn(async move {
                let store = open_at(&url, 2).await;
                store.check().await.unwrap();
                store.close().await;
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workspaces_do_not_wait_for_each_other() {
    let database = Database::fresh();
    let store = open_at(&database.url(), 4).await;
    let world = World::new(Arc::clone(&store) as Arc<dyn Store>).await;
    let other = world.add_workspace("other").await;
    let mut here = world.begin().await;
    assert!(here.insert_skill(&world.skill("here")).await.unwrap());
    timeout(SOON, world.add(&[&samples::skill(other, world.ada, "there")])).await.unwrap();
    here.commit().await.unwrap();
    assert_eq!(world.found(SkillFilter::default()).await, ["here"]);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_that_wait_leave_connections_to_others() {
    let database = Database::fresh();
    let store = open_at(&database.url(), 3).await;
    let world = Arc::new(World::new(Arc::clone(&store) as Arc<dyn Store>).await);
    let other = world.add_workspace("other").await;
    let first = world.begin().await;
    let waiting: Vec<_> = (0..20)
        .map(|n| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.add(&[&world.skill(&format!("s{n}"))]).await })
        })
        .collect();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    timeout(SOON, world.add(&[&samples::skill(other, world.ada, "there")])).await.unwrap();
    timeout(SOON, world.found(SkillFilter::default())).await.unwrap();
    drop(first);
    for task in waiting {
        task.await.unwrap();
    }
    assert_eq!(world.found(SkillFilter::default()).await.len(), 20);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_lose_no_update_of_each_other() {
    let database = Database::fresh();
    let stores = [open_at(&database.url(), 4).await, open_at(&database.url(), 4).await];
    let world = World::new(Arc::clone(&stores[0]) as Arc<dyn Store>).await;
    let skill = world.skill("counter");
    world.add(&[&skill]).await;
    let tasks: Vec<_> = (0..16)
        .map(|n| {
            let (store, workspace, id) = (Arc::clone(&stores[n % 2]), world.workspace, skill.id);
            tokio::spawn(async move {
                for _ in 0..5 {
                    let mut tx = store.begin(workspace).await?;
                    let skill = tx.skill(workspace, id).await?.unwrap().skill;
                    let next = Skill { version: skill.version + 1, ..skill };
                    assert_eq!(tx.update_skill(&next).await?, store::Written::Done);
                    tx.append_audit(workspace, samples::audit_entry("skill.update", "x")).await?;
                    tx.commit().await?;
                }
                Ok::<_, StoreError>(())
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(world.stored(skill.id).await.unwrap().skill.version, 81);
    let chain = world.read().await.audit_after(world.workspace, 0, 1_000).await.unwrap();
    assert!(chain.iter().zip(1..).all(|(entry, place)| entry.sequence == place));
    assert_eq!(chain.len(), 80);
    for store in stores {
        store.close().await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let refused = repertoire_store_postgres::PostgresDriver::open("postgres://nobody@127.0.0.1:1/x", 2).await;
    assert!(matches!(refused.map(drop), Err(StoreError::Unavailable(_))));
    let refused = repertoire_store_postgres::PostgresDriver::open("not an address", 2).await;
    assert!(refused.is_err());
}
