//! What a database file is good for: reopening, copying, restoring.

use std::sync::Arc;

use store::contract::{World, samples};
use store::{SkillFilter, Store, StoreError};
use store_sql::{Driver as _, copy};

use crate::open_at;

#[tokio::test]
async fn what_was_committed_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    let store = open_at(&file).await;
    let world = World::new(Arc::clone(&store) as Arc<dyn Store>).await;
    world.add(&[&world.skill("kept")]).await;
    let mut open = world.begin().await;
    for n in 0..100 {
        assert!(open.insert_skill(&world.skill(&format!("never-{n}"))).await.unwrap());
    }
    // What a crash would leave behind now.
    let crashed = tempfile::tempdir().unwrap();
    for name in ["test.db", "test.db-wal"] {
        std::fs::copy(folder.path().join(name), crashed.path().join(name)).unwrap();
    }
    drop(open);
    store.close().await;
    for file in [file, crashed.path().join("test.db")] {
        let again = World { store: open_at(&file).await, ..world };
        assert_eq!(again.found(SkillFilter::default()).await, ["kept"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_file_can_be_opened_by_several_at_once() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("test.db");
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                let file = file.clone();
                tokio::spawn(async move { open_at(&file).await.check().await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(&folder.path().join("test.db")).await;
    let mut reader = store.read().await.unwrap();
    let refused = reader.insert_user(&samples::user("carol")).await;
    assert!(matches!(refused, Err(StoreError::Refused(_))), "{refused:?}");
    assert_eq!(store.read().await.unwrap().count_users().await.unwrap(), 0);
}

/// Adds a skill and an entry a round until told to stop; each copy must see both or neither.
async fn write(world: Arc<World>, stop: Arc<std::sync::atomic::AtomicBool>) {
    for n in 0.. {
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return;
        }
        let mut tx = world.begin().await;
        assert!(tx.insert_skill(&world.skill(&format!("skill-{n}"))).await.unwrap());
        tx.append_audit(world.workspace, samples::audit_entry("skill.create", "x")).await.unwrap();
        tx.commit().await.unwrap();
    }
}

async fn check_copy(world: &World, store: Arc<dyn Store>) {
    let world = World { store, ..*world };
    let mut tx = world.read().await;
    let skills = tx.count_skills(&world.query()).await.unwrap();
    let chain = tx.audit_after(world.workspace, 0, u32::MAX).await.unwrap();
    assert_eq!(chain.len() as u64, skills);
    let head = tx.audit_head(world.workspace).await.unwrap().unwrap();
    assert_eq!(head.sequence, skills);
    assert_eq!(chain.last().map(|entry| entry.hash), Some(head.hash));
    drop(tx);
    world.add(&[&world.skill("goes-on")]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_are_consistent_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(&folder.path().join("test.db")).await;
    let world = Arc::new(World::new(Arc::clone(&store) as Arc<dyn Store>).await);
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writer = tokio::spawn(write(Arc::clone(&world), Arc::clone(&stop)));
    while world.read().await.count_skills(&world.query()).await.unwrap() < 20 {
        tokio::task::yield_now().await;
    }
    for n in 0..5 {
        let file = folder.path().join(format!("copy-{n}.db"));
        store.driver().copy_to(&file).await.unwrap();
        check_copy(&world, open_at(&file).await).await;
        let target = open_at(&folder.path().join(format!("target-{n}.db"))).await;
        copy(store.driver(), target.driver()).await.unwrap();
        check_copy(&world, target).await;
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    writer.await.unwrap();
}

#[tokio::test]
async fn only_its_owner_reads_a_database_and_its_copies() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(&folder.path().join("test.db")).await;
    World::new(Arc::clone(&store) as Arc<dyn Store>).await;
    store.driver().copy_to(&folder.path().join("copy.db")).await.unwrap();
    let modes: std::collections::BTreeMap<_, _> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().permissions().mode() & 0o777)
        })
        .collect();
    assert!(modes.contains_key("copy.db") && modes.contains_key("test.db-wal"), "{modes:?}");
    assert!(modes.values().all(|mode| *mode == 0o600), "{modes:?}");
}

#[tokio::test]
async fn a_copy_to_a_file_that_is_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(&folder.path().join("test.db")).await;
    let file = folder.path().join("it's a copy.db");
    store.driver().copy_to(&file).await.unwrap();
    assert!(store.driver().copy_to(&file).await.is_err());
    open_at(&file).await.check().await.unwrap();
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "these are my notes, and they are long enough to hold a header ".repeat(20))
        .unwrap();
    let before = std::fs::read(&file).unwrap();
    let refused = repertoire_store_sqlite::SqliteDriver::open(&file).await.map(drop);
    assert!(matches!(refused, Err(StoreError::Refused(_))), "{refused:?}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn a_library_is_told_from_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("empty.db"), "").unwrap();
    std::fs::write(at("notes.txt"), "these are my notes ".repeat(100)).unwrap();
    let store = open_at(&at("nobody.db")).await;
    for name in ["missing.db", "empty.db", "notes.txt", "nobody.db"] {
        assert!(!repertoire_store_sqlite::SqliteDriver::is_library(&at(name)).await, "{name}");
    }
    assert!(!at("missing.db").exists());
    assert_eq!(std::fs::metadata(at("empty.db")).unwrap().len(), 0);
    World::new(store as Arc<dyn Store>).await;
    assert!(repertoire_store_sqlite::SqliteDriver::is_library(&at("nobody.db")).await);
}

#[tokio::test]
async fn a_database_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    let store = open_at(&file).await;
    let mut tx = store.driver().begin().await.unwrap();
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'later', TRUE, x'00', 0)";
    tx.execute(later.into(), vec![]).await.unwrap();
    tx.commit().await.unwrap();
    store.close().await;
    let refused = repertoire_store_sqlite::SqliteDriver::open(&file).await.map(drop);
    assert!(matches!(refused, Err(StoreError::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn a_snapshot_does_not_move() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(&folder.path().join("test.db")).await;
    let world = World::new(Arc::clone(&store) as Arc<dyn Store>).await;
    let mut snapshot = store.driver().snapshot().await.unwrap();
    let count = "SELECT COUNT(*) FROM skills";
    let before = snapshot.query(count.into(), vec![]).await.unwrap().remove(0).rest();
    world.add(&[&world.skill("later")]).await;
    assert_eq!(snapshot.query(count.into(), vec![]).await.unwrap().remove(0).rest(), before);
}
