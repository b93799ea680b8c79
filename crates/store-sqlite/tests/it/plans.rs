//! How SQLite goes about the lists that everyone looks at: along an index, without sorting.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use model::{Scope, Skill};
use repertoire_store_sqlite::SqliteDriver;
use store::contract::{World, samples};
use store::{
    ChangeCursor, DecisionFilter, GovernedRunFilter, OpenSession, RunFilter, SessionFilter, SkillFilter,
    SkillOrder, SkillQuery, Store, StoreError, UseQuery, Visibility,
};
use store_sql::{Connection, Driver, Row, Sql, SqlStore, Value};

const SKILLS: usize = 3_000;

type Statements = Arc<Mutex<Vec<(Sql, Vec<Value>)>>>;

/// A driver that remembers what was asked.
struct Remembering(SqliteDriver, Statements);

struct RememberingConnection(Box<dyn Connection>, Statements);

#[async_trait]
impl Driver for Remembering {
    async fn read(&self) -> Result<Box<dyn Connection>, StoreError> {
        Ok(Box::new(RememberingConnection(self.0.read().await?, Arc::clone(&self.1))))
    }

    async fn begin(&self) -> Result<Box<dyn Connection>, StoreError> {
        self.0.begin().await
    }

    async fn snapshot(&self) -> Result<Box<dyn Connection>, StoreError> {
        self.0.snapshot().await
    }

    fn generation(&self) -> Option<u64> {
        self.0.generation()
    }

    async fn close(&self) {
        self.0.close().await;
    }
}

#[async_trait]
impl Connection for RememberingConnection {
    async fn execute(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<u64, StoreError> {
        self.0.execute(sql, arguments).await
    }

    async fn query(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        self.1.lock().unwrap().push((sql.clone(), arguments.clone()));
        self.0.query(sql, arguments).await
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        self.0.commit().await
    }
}

struct Library {
    world: World,
    store: Arc<SqlStore<Remembering>>,
    statements: Statements,
    _folder: tempfile::TempDir,
}

impl Library {
    /// Many skills, half of them one user's own, as they are in a busy workspace.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let driver = SqliteDriver::open(&folder.path().join("test.db")).await.unwrap();
        let statements = Statements::default();
        let store = Arc::new(SqlStore::new(Remembering(driver, Arc::clone(&statements))));
        let world = World::new(Arc::clone(&store) as Arc<dyn Store>).await;
        let mut tx = world.begin().await;
        for n in 0..SKILLS {
            let scope = if n % 2 == 0 { Scope::Workspace } else { Scope::User(world.bob) };
            let mut skill = Skill { scope, ..world.skill(&format!("skill-{}", n * 7919 % SKILLS)) };
            skill.created_at = samples::moment(i64::try_from(n).unwrap());
            skill.updated_at = samples::moment(i64::try_from(n * 31 % SKILLS).unwrap());
            skill.tags = vec![format!("tag-{}", n % 50)];
            assert!(tx.insert_skill(&skill).await.unwrap());
        }
        tx.commit().await.unwrap();
        Self { world, store, statements, _folder: folder }
    }

    /// The plan of the statements that one call sends.
    async fn plan(&self, query: &SkillQuery) -> String {
        self.statements.lock().unwrap().clear();
        self.store.read().await.unwrap().skills(query).await.unwrap();
        self.explained().await
    }

    /// The plan of the statement that was sent last.
    async fn explained(&self) -> String {
        let (sql, arguments) = self.statements.lock().unwrap().pop().unwrap();
        let mut connection = self.store.driver().0.read().await.unwrap();
        let rows = connection.query(format!("EXPLAIN QUERY PLAN {sql}").into(), arguments).await.unwrap();
        let detail = |row: Row| match row.rest().pop() {
            Some(Value::Text(text)) => text,
            other => panic!("no plan: {other:?}"),
        };
        rows.into_iter().map(detail).collect::<Vec<_>>().join("\n")
    }

    async fn analyze(&self) {
        let mut connection = self.store.driver().begin().await.unwrap();
        connection.execute("ANALYZE".into(), vec![]).await.unwrap();
        connection.commit().await.unwrap();
    }
}

#[tokio::test]
async fn lists_go_along_an_index_and_are_not_sorted() {
    let library = Library::new().await;
    let world = &library.world;
    let agent = Some(samples::agent_id());
    let visibilities = [
        Visibility::All,
        Visibility::Of { user: world.ada, agent: None },
        Visibility::Of { user: world.ada, agent },
    ];
    for analyzed in [false, true] {
        if analyzed {
            library.analyze().await;
        }
        for (order, index) in [
            (SkillOrder::Name, "skills_by_name"),
            (SkillOrder::Updated, "skills_by_change"),
            (SkillOrder::Created, "skills_by_creation"),
        ] {
            for visibility in visibilities {
                let mut query = SkillQuery { visibility, order, limit: 50, ..world.query() };
                let first = library.plan(&query).await;
                let id = samples::skill_id();
                query.after = Some(match order {
                    SkillOrder::Name => store::SkillCursor::Name(samples::name("skill-5"), id),
                    _ => store::SkillCursor::Time(samples::moment(500), id),
                });
                let later = library.plan(&query).await;
                for plan in [first, later] {
                    assert!(plan.contains(&format!("SEARCH s USING INDEX {index} ")), "{order:?}: {plan}");
                    assert!(!plan.contains("TEMP B-TREE"), "{order:?}: {plan}");
                }
            }
        }
    }
}

#[tokio::test]
async fn short_lists_are_not_looked_for_among_all_skills() {
    let library = Library::new().await;
    let world = &library.world;
    let waiting = SkillFilter { waiting: true, ..SkillFilter::default() };
    let deleted = SkillFilter { deleted: true, ..SkillFilter::default() };
    let mine = SkillFilter { user: Some(world.bob), ..SkillFilter::default() };
    let pending = SkillFilter { status: Some(model::Status::PendingApproval), ..SkillFilter::default() };
    for analyzed in [false, true] {
        if analyzed {
            library.analyze().await;
        }
        for (filter, index) in [
            (&waiting, "skills_waiting"),
            (&deleted, "skills_deleted"),
            (&mine, "skills_by_user"),
            (&pending, "skills_by_status"),
        ] {
            let plan = library.plan(&SkillQuery { filter: filter.clone(), limit: 50, ..world.query() }).await;
            assert!(plan.contains(&format!("SEARCH s USING INDEX {index} ")), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}

#[tokio::test]
async fn the_nearest_are_found_by_name() {
    let library = Library::new().await;
    let world = &library.world;
    library.analyze().await;
    let filter = SkillFilter { nearest: true, ..SkillFilter::default() };
    let visibility = Visibility::Of { user: world.ada, agent: Some(samples::agent_id()) };
    let plan = library.plan(&SkillQuery { filter, visibility, limit: 50, ..world.query() }).await;
    let by_name = |line: &str| line.starts_with("SEARCH n USING") && line.ends_with("AND name=?)");
    assert!(plan.lines().any(by_name), "{plan}");
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
}

#[tokio::test]
async fn runs_are_listed_along_an_index_and_not_sorted() {
    let library = Library::new().await;
    let world = &library.world;
    let skill = world.skill("run-often");
    world.add(&[&skill]).await;
    let mut tx = world.begin().await;
    for n in 0..2_000 {
        let started_at = samples::moment(n);
        tx.insert_run(&model::Run { started_at, ..samples::run(&skill, world.ada) }).await.unwrap();
    }
    tx.commit().await.unwrap();
    let all = RunFilter::default;
    for analyzed in [false, true] {
        if analyzed {
            library.analyze().await;
        }
        for (filter, index) in [
            (all(), "runs_by_time"),
            (RunFilter { since: Some(samples::moment(9)), ..all() }, "runs_by_time"),
            (RunFilter { skill: Some(skill.id), ..all() }, "runs_by_skill"),
            (RunFilter { user: Some(world.bob), ..all() }, "runs_by_user"),
        ] {
            for after in [None, Some((samples::moment(500), samples::run(&skill, world.ada).id))] {
                let mut tx = library.store.read().await.unwrap();
                tx.runs(world.workspace, &filter, after, 50).await.unwrap();
                drop(tx);
                let plan = library.explained().await;
                assert!(plan.contains(&format!("SEARCH runs USING INDEX {index} ")), "{filter:?}: {plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{filter:?}: {plan}");
            }
        }
    }
}

#[tokio::test]
async fn changes_are_read_along_an_index_and_not_sorted() {
    let library = Library::new().await;
    let workspace = library.world.workspace;
    for analyzed in [false, true] {
        if analyzed {
            library.analyze().await;
        }
        for skill in [None, Some(samples::skill_id())] {
            let mut tx = library.store.read().await.unwrap();
            tx.changed_skills(workspace, ChangeCursor { change: 1, skill }, 50).await.unwrap();
            drop(tx);
            let plan = library.explained().await;
            assert!(plan.contains("SEARCH s USING INDEX skills_by_change_number "), "{plan}");
            assert!(plan.contains("SEARCH f USING "), "{plan}");
            assert!(plan.contains("SEARCH b USING "), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
        let mut tx = library.store.read().await.unwrap();
        tx.purged_since(workspace, 1).await.unwrap();
        drop(tx);
        let plan = library.explained().await;
        assert!(plan.contains("purged_skills_by_change_number "), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        let ids: Vec<_> = (0..20).map(|_| samples::skill_id()).collect();
        let mut tx = library.store.read().await.unwrap();
        tx.skills_by_id(workspace, &ids).await.unwrap();
        drop(tx);
        let plan = library.explained().await;
        assert!(plan.contains("(workspace_id=? AND id=?)"), "{plan}");
        let mut tx = library.store.read().await.unwrap();
        tx.vectors(workspace, "embedder", &ids).await.unwrap();
        drop(tx);
        let plan = library.explained().await;
        assert!(plan.contains("(workspace_id=? AND skill_id=? AND embedder=?)"), "{plan}");
    }
}

#[tokio::test]
async fn decisions_are_listed_along_an_index_and_not_sorted() {
    let library = Library::new().await;
    let world = &library.world;
    let agent = samples::agent_id();
    let run = samples::governed_run(world.workspace, world.ada).id;
    let policy = |n: u32| model::PolicyRef {
        id: format!("policy-{n}"),
        skill: samples::skill_id(),
        revision: samples::number(n + 1),
        digest: model::Digest::of(&n.to_be_bytes()),
    };
    let sets: Vec<Vec<model::PolicyRef>> = (0..3).map(|n| vec![policy(n)]).collect();
    let decision = |n: usize| model::Decision {
        at: samples::moment(i64::try_from(n).unwrap()),
        agent: n.is_multiple_of(10).then_some(agent),
        run: n.is_multiple_of(50).then_some(run),
        policies: sets[n % 3].clone(),
        ..samples::decision(world.workspace, world.ada)
    };
    let mut tx = world.begin().await;
    for seal in 0..50 {
        let decisions: Vec<_> = (0..100).map(|n| decision(seal * 100 + n)).collect();
        tx.insert_decisions(world.workspace, seal as u64, &decisions).await.unwrap();
    }
    tx.commit().await.unwrap();
    let all = DecisionFilter::default;
    for analyzed in [false, true] {
        if analyzed {
            library.analyze().await;
        }
        for (filter, index) in [
            (all(), "decisions_by_time"),
            (DecisionFilter { since: Some(samples::moment(9)), ..all() }, "decisions_by_time"),
            (DecisionFilter { user: Some(world.bob), ..all() }, "decisions_by_user"),
            (DecisionFilter { agent: Some(agent), ..all() }, "decisions_by_agent"),
            (DecisionFilter { run: Some(run), ..all() }, "decisions_by_run"),
            (DecisionFilter { cause: Some("forbidden".to_owned()), ..all() }, "decisions_by_cause"),
        ] {
            for after in [None, Some((samples::moment(500), decision(0).id))] {
                let mut tx = library.store.read().await.unwrap();
                tx.decisions(world.workspace, &filter, after, 50).await.unwrap();
                drop(tx);
                let plan = library.explained().await;
                assert!(plan.contains(&format!("SEARCH d USING INDEX {index} ")), "{filter:?}: {plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{filter:?}: {plan}");
            }
        }
        let mut tx = library.store.read().await.unwrap();
        tx.sealed_decisions(world.workspace, 3, 4).await.unwrap();
        drop(tx);
        let plan = library.explained().await;
        assert!(plan.contains("SEARCH d USING INDEX decisions_by_seal "), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}

#[tokio::test]
async fn sessions_are_listed_and_found_along_an_index_and_not_sorted() {
    let library = Library::new().await;
    let world = &library.world;
    let mut tx = world.begin().await;
    for n in 0..2_000 {
        let session = model::Session {
            key: (n % 2 == 0).then(|| format!("s-{}", n % 500)),
            created_at: samples::moment(n),
            updated_at: samples::moment(n),
            outcome: (n % 100 != 0).then_some(model::SessionOutcome::Succeeded),
            ..samples::session(world.workspace, world.ada)
        };
        tx.insert_session(&session).await.unwrap();
    }
    tx.commit().await.unwrap();
    for analyzed in [false, true] {
        if analyzed {
            library.analyze().await;
        }
        for (user, index) in [(None, "sessions_by_time"), (Some(world.bob), "sessions_by_user")] {
            let filter = SessionFilter { user, ..SessionFilter::default() };
            library.store.read().await.unwrap().sessions(world.workspace, &filter, None, 50).await.unwrap();
            along(&library.explained().await, index);
        }
        for key in [None, Some("s-1")] {
            let used_since = Some(samples::moment(9));
            let which =
                OpenSession { user: world.ada, agent: None, key, used_since, most_entries: Some(99_000) };
            library.store.read().await.unwrap().open_session(world.workspace, which).await.unwrap();
            along(&library.explained().await, "sessions_by_key");
        }
        for user in [None, Some(world.bob)] {
            let mut tx = library.store.read().await.unwrap();
            tx.sessions_used_since(world.workspace, user, samples::moment(1_990), 50).await.unwrap();
            drop(tx);
            along(&library.explained().await, "sessions_by_use");
        }
    }
}

fn along(plan: &str, index: &str) {
    assert!(plan.contains(&format!("SEARCH sessions USING INDEX {index} ")), "{plan}");
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
}

#[tokio::test]
async fn governed_runs_are_listed_along_an_index_and_not_sorted() {
    let library = Library::new().await;
    let world = &library.world;
    let mut tx = world.begin().await;
    for n in 0..2_000 {
        let run = model::GovernedRun {
            session: Some(format!("s-{}", n % 500)),
            started_at: samples::moment(n),
            finished_at: (n % 100 != 0).then(|| samples::moment(n + 1)),
            ..samples::governed_run(world.workspace, world.ada)
        };
        tx.insert_governed_run(&run).await.unwrap();
    }
    tx.commit().await.unwrap();
    let all = GovernedRunFilter::default;
    let session = GovernedRunFilter {
        user: Some(world.ada),
        session: Some("s-1".to_owned()),
        open: Some(true),
        ..all()
    };
    let abandoned =
        GovernedRunFilter { open: Some(true), untouched_since: Some(samples::moment(9)), ..all() };
    for analyzed in [false, true] {
        if analyzed {
            library.analyze().await;
        }
        for (filter, index) in [
            (all(), "governed_runs_by_time"),
            (GovernedRunFilter { user: Some(world.bob), ..all() }, "governed_runs_by_user"),
            (session.clone(), "governed_runs_by_session"),
            (abandoned.clone(), "governed_runs_by_end"),
        ] {
            let mut tx = library.store.read().await.unwrap();
            tx.governed_runs(world.workspace, &filter, None, 50).await.unwrap();
            drop(tx);
            let plan = library.explained().await;
            assert!(
                plan.contains(&format!("SEARCH governed_runs USING INDEX {index} ")),
                "{filter:?}: {plan}"
            );
            assert!(!plan.contains("TEMP B-TREE"), "{filter:?}: {plan}");
        }
    }
}

#[tokio::test]
async fn uses_are_read_along_their_days() {
    let library = Library::new().await;
    let world = &library.world;
    let skills = world.read().await.skills(&SkillQuery { limit: 50, ..world.query() }).await.unwrap();
    let day = samples::moment(0).date();
    let mut tx = world.begin().await;
    for n in 0..2_000_u32 {
        let record = &skills[n as usize % skills.len()];
        let one = model::SkillUse {
            skill: record.skill.id,
            user: world.ada,
            agent: None,
            at: samples::moment(i64::from(n) * 3_600),
            success: true,
            run: None,
        };
        tx.count_use(world.workspace, &one).await.unwrap();
    }
    tx.commit().await.unwrap();
    let query = UseQuery {
        workspace: world.workspace,
        visibility: Visibility::All,
        since: day,
        until: day + time::Duration::days(2),
        user: None,
        agent: None,
    };
    library.analyze().await;
    let read = async || library.store.read().await.unwrap();
    let by_day = "(workspace_id=? AND day>? AND day<?)";
    read().await.uses_by_day(&query).await.unwrap();
    let plan = library.explained().await;
    assert!(plan.contains(by_day), "{plan}");
    read().await.uses_by_skill(&query).await.unwrap();
    let plan = library.explained().await;
    assert!(plan.contains(by_day), "{plan}");
    read().await.uses_by_agent(&query, 50).await.unwrap();
    let plan = library.explained().await;
    assert!(plan.contains(by_day), "{plan}");
    let of_ada = UseQuery { user: Some(world.ada), ..query.clone() };
    read().await.unused_skills(&of_ada, 50).await.unwrap();
    let plan = library.explained().await;
    assert!(plan.contains(by_day), "{plan}");
    read().await.unused_skills(&query, 50).await.unwrap();
    let plan = library.explained().await;
    assert!(
        plan.contains("skill_days_by_skill (workspace_id=? AND skill_id=? AND day>? AND day<?)"),
        "{plan}"
    );
}
