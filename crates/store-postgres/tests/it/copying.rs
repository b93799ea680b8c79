//! Moving a whole database between SQLite and PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::{
    Assignment, Decision, Digest, EntryKind, Feedback, GovernedRun, Membership, PolicyRef, ProceduralMemory,
    RevisionStatistics, Role, Roles, Scope, SessionEntry, SignIn, SignInLink, Skill, SkillUse, Statistics,
    Token, TokenScopes,
};
use store::contract::{World, samples};
use store::{ChangeCursor, KeyClaim, Store, StoreError};
use store_sql::{Driver, SqlStore, TABLES, copy};
use store_sqlite::{SqliteDriver, SqliteStore};
use tempfile::TempDir;
use testkit::postgres::Database;

use crate::open_at;

async fn sqlite(folder: &TempDir, name: &str) -> Arc<SqliteStore> {
    Arc::new(SqlStore::new(SqliteDriver::open(&folder.path().join(name)).await.unwrap()))
}

/// Every row of every table, in a form that can be compared.
async fn content(driver: &dyn Driver) -> Vec<(&'static str, Vec<String>)> {
    let mut connection = driver.snapshot().await.unwrap();
    let mut content = Vec::new();
    for &table in TABLES {
        let rows = connection.query(format!("SELECT * FROM {table}").into(), vec![]).await.unwrap();
        let mut rows: Vec<_> = rows.into_iter().map(|row| format!("{:?}", row.rest())).collect();
        rows.sort();
        content.push((table, rows));
    }
    content
}

/// Something in every table, and in some more than is copied at a time.
async fn fill(store: Arc<dyn Store>) -> World {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let mut agent = world.add_agent("agent").await;
    fill_skills(&world).await;
    let record =
        world.read().await.skill_named(world.workspace, Scope::Workspace, &samples::name("skill-7")).await;
    let skill = record.unwrap().unwrap().skill;
    agent.version = 2;
    agent.procedural_memory = Some(ProceduralMemory::default());
    agent.run_limits.wall_ms = Some(1_500);
    agent.assignments = vec![Assignment { skill: skill.id, pin: Some(samples::number(3)) }];
    let roles: Roles = [Role::Admin, Role::Member].into_iter().collect();
    let (digest, expires_at) = (Digest::of(b"secret"), samples::moment(1_000));
    let (user, workspace, created_at) = (world.ada, world.workspace, samples::moment(3));
    let created_by = Some(world.bob);
    let mut tx = world.begin().await;
    tx.update_agent(&agent).await.unwrap();
    tx.put_membership(&Membership { workspace, user, roles, created_at }).await.unwrap();
    tx.put_membership(&Membership { workspace: other, user, roles: Roles::NONE, created_at }).await.unwrap();
    tx.insert_token(&Token {
        id: samples::token_id(),
        digest,
        workspace,
        user,
        agent: None,
        name: "laptop".to_owned(),
        scopes: TokenScopes::ALL,
        created_by,
        created_at,
        expires_at: None,
        revoked_at: Some(expires_at),
    })
    .await
    .unwrap();
    let id = samples::sign_in_id();
    tx.insert_sign_in(&SignIn { id, digest, user, workspace, created_by, created_at, expires_at })
        .await
        .unwrap();
    tx.insert_sign_in_link(&SignInLink { digest, user, workspace, created_by, expires_at }).await.unwrap();
    let claim = KeyClaim {
        workspace,
        user,
        key: "k".to_owned(),
        fingerprint: digest,
        subject: "s".to_owned(),
        at: created_at,
    };
    tx.claim_key(&claim).await.unwrap();
    tx.put_rejection(workspace, &digest, skill.id, created_at).await.unwrap();
    tx.insert_run(&samples::run(&skill, user)).await.unwrap();
    let at = created_at;
    let one =
        SkillUse { skill: skill.id, user, agent: None, at, success: true, run: Some(Duration::from_secs(1)) };
    tx.count_use(workspace, &one).await.unwrap();
    let policy = PolicyRef { id: "guard".to_owned(), skill: skill.id, revision: samples::number(1), digest };
    let run = GovernedRun { host: Some("h".to_owned()), ..samples::governed_run(workspace, user) };
    tx.insert_governed_run(&run).await.unwrap();
    let decision =
        Decision { run: Some(run.id), policies: vec![policy], ..samples::decision(workspace, user) };
    tx.insert_decisions(workspace, 1, &[decision, samples::decision(workspace, user)]).await.unwrap();
    let session = samples::session(workspace, user);
    tx.insert_session(&session).await.unwrap();
    let entry = SessionEntry {
        number: 1,
        kind: EntryKind::ToolResult,
        speaker: None,
        tool: Some("execute".to_owned()),
        call: None,
        text: "Grüße".to_owned(),
        data: Some("data".into()),
        failed: true,
        at: created_at,
    };
    tx.insert_session_entries(workspace, session.id, &[entry]).await.unwrap();
    let vectors = [(digest, vec![0, 255, 7]), (Digest::of(b"other"), vec![])];
    tx.put_vectors(workspace, skill.id, "embedder", &vectors).await.unwrap();
    let purged = world.skill("purged");
    assert!(tx.insert_skill(&purged).await.unwrap());
    assert!(tx.purge_skill(workspace, purged.id).await.unwrap());
    tx.commit().await.unwrap();
    world
}

async fn fill_skills(world: &World) {
    let workspace = world.workspace;
    let mut tx = world.begin().await;
    for n in 0..1_234_u32 {
        let mut skill = world.skill(&format!("skill-{n}"));
        skill.tags = vec![format!("tag {}", n % 7), "ünïcode".to_owned()];
        skill.deleted_at = n.is_multiple_of(5).then(|| samples::moment(i64::from(n)));
        skill.icon = n.is_multiple_of(2).then(|| "rocket".to_owned());
        assert!(tx.insert_skill(&skill).await.unwrap());
        tx.append_audit(workspace, samples::audit_entry("skill.create", &skill.id.to_string()))
            .await
            .unwrap();
        if n.is_multiple_of(3) {
            let recent_success_rate = n.is_multiple_of(2).then(|| f64::from(n) / 7.0);
            let statistics =
                Statistics { use_count: u64::from(n), recent_success_rate, ..Statistics::default() };
            tx.put_statistics(workspace, skill.id, &statistics).await.unwrap();
        }
        let feedback = Feedback {
            skill: skill.id,
            user: world.bob,
            helpful: n > 5,
            comment: None,
            at: samples::moment(2),
        };
        tx.put_feedback(workspace, &feedback).await.unwrap();
    }
    tx.commit().await.unwrap();
    for n in 0..30_u32 {
        let skill = Skill { scope: Scope::User(world.bob), ..world.skill(&format!("with-files-{n}")) };
        world.add(&[&skill]).await;
        let bytes: Vec<u8> = (0..=255).cycle().skip(n as usize).take(5_000).collect();
        world
            .add_revision(&skill, 1, &[("SKILL.md", format!("# {n}").as_bytes()), ("data.bin", &bytes)])
            .await;
        let statistics = RevisionStatistics::new(samples::number(1));
        let statistics = statistics.after_execution(n > 5, Duration::from_millis(1), samples::moment(4));
        let mut tx = world.begin().await;
        tx.put_revision_statistics(workspace, skill.id, &statistics).await.unwrap();
        tx.commit().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_survives_the_way_to_postgresql_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::fresh();
    let (first, second) = (sqlite(&folder, "first.db").await, sqlite(&folder, "second.db").await);
    let between = open_at(&database.url(), 5).await;
    let world = fill(Arc::clone(&first) as Arc<dyn Store>).await;

    let there = copy(first.driver(), between.driver()).await.unwrap();
    let back = copy(between.driver(), second.driver()).await.unwrap();

    assert_eq!(there, back);
    assert!(there.rows.iter().all(|(_, rows)| *rows > 0), "{there:?}");
    let (before, after) = (content(first.driver()).await, content(second.driver()).await);
    for ((table, before), (_, after)) in before.iter().zip(&after) {
        assert!(before == after, "{table} is not what it was");
    }
    let history = async |store: &dyn Store| {
        let mut tx = store.read().await.unwrap();
        let last = tx.last_change(world.workspace).await.unwrap().unwrap();
        (last, tx.changed_skills(world.workspace, ChangeCursor::default(), 10_000).await.unwrap())
    };
    let (last, changed) = history(&*first).await;
    assert!(last > 30 && changed.len() > 1_234);
    for store in [Arc::clone(&between) as Arc<dyn Store>, second] {
        assert!(history(&*store).await == (last, changed.clone()));
        let world = World { store, ..world };
        world.add(&[&world.skill("one-more")]).await;
        assert_eq!(history(&*world.store).await.0, last + 1);
    }
    between.close().await;
}

#[tokio::test]
async fn a_target_that_is_not_empty_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::fresh();
    let source = sqlite(&folder, "source.db").await;
    World::new(Arc::clone(&source) as Arc<dyn Store>).await;
    let target = open_at(&database.url(), 5).await;
    let mut tx = target.begin_installation().await.unwrap();
    // In a table that comes late in the order.
    assert!(tx.insert_user(&samples::user("someone")).await.unwrap());
    tx.commit().await.unwrap();
    for (from, to) in
        [(source.driver() as &dyn Driver, target.driver() as &dyn Driver), (target.driver(), source.driver())]
    {
        let before = content(to).await;
        let refused = copy(from, to).await;
        assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
        assert_eq!(content(to).await, before);
    }
    target.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_of_postgresql_is_consistent_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::fresh();
    let source = open_at(&database.url(), 5).await;
    let world = Arc::new(World::new(Arc::clone(&source) as Arc<dyn Store>).await);
    let stop = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn(write(Arc::clone(&world), Arc::clone(&stop)));
    while world.read().await.count_skills(&world.query()).await.unwrap() < 10 {
        tokio::task::yield_now().await;
    }
    for n in 0..4 {
        let target = sqlite(&folder, &format!("copy-{n}.db")).await;
        copy(source.driver(), target.driver()).await.unwrap();
        let copied = World { store: target, ..*world };
        let mut tx = copied.read().await;
        let skills = tx.count_skills(&copied.query()).await.unwrap();
        assert_eq!(tx.audit_head(copied.workspace).await.unwrap().unwrap().sequence, skills);
        assert_eq!(tx.audit_after(copied.workspace, 0, u32::MAX).await.unwrap().len() as u64, skills);
    }
    stop.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    source.close().await;
}

/// Adds a skill and an entry a round; a copy must see both or neither.
async fn write(world: Arc<World>, stop: Arc<AtomicBool>) {
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let mut tx = world.begin().await;
        assert!(tx.insert_skill(&world.skill(&format!("skill-{n}"))).await.unwrap());
        tx.append_audit(world.workspace, samples::audit_entry("skill.create", "x")).await.unwrap();
        tx.commit().await.unwrap();
    }
}
