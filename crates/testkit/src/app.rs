//! The use cases on a fresh SQLite file, with a clock and randomness that a test holds in its hands.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use app::agents::AgentSpec;
use app::identity::{self, Secret};
use app::skills::{self, Content, CreateSkill, Published};
use app::users::AddUser;
use app::{Backup, Clock, Code, Context, Draft, Error, ExecutionSettings, Limits, Random, SkillRecord};
use async_trait::async_trait;
use model::{
    Agent, AuditEntry, Bundle, BundleFile, BundlePath, Caller, Digest, Handle, ProceduralMemory, Role,
    SkillName, Timestamp, TokenScope, WorkspaceId,
};
use store::StoreError;
use store_sql::{Driver as _, SqlStore, TABLES, Value};
use store_sqlite::SqliteDriver;
use time::Duration;

use crate::FakeRunner;
use crate::faults::Faulty;
use crate::statements::Watched;

/// A store on SQLite that panics at a statement which does not keep to its workspace.
pub type TestStore = SqlStore<Watched<Faulty<SqliteDriver>>>;

/// The moment at which every test begins.
pub const START: Timestamp = time::macros::datetime!(2026-01-05 09:00 UTC);

/// A clock that stands still until a test moves it.
pub struct TestClock(Mutex<Timestamp>);

impl TestClock {
    /// Lets time pass.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

/// Bytes that look random and are the same in every run (`SplitMix64`).
pub struct TestRandom(Mutex<u64>);

impl Random for TestRandom {
    fn fill(&self, buffer: &mut [u8]) {
        let mut state = self.0.lock().unwrap();
        for chunk in buffer.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            chunk.copy_from_slice(&mixed.to_le_bytes()[..chunk.len()]);
        }
    }
}

struct SqliteBackup(Arc<TestStore>);

#[async_trait]
impl Backup for SqliteBackup {
    async fn write(&self, file: &Path) -> Result<(), StoreError> {
        self.0.driver().0.driver.copy_to(file).await
    }
}

/// An installation with the workspace `default` and its operator `admin`, on a database of its own.
pub struct TestApp {
    /// What the use cases are called with.
    pub cx: Context,
    /// The time.
    pub clock: Arc<TestClock>,
    /// The link that signs the first admin in.
    pub first_link: Secret,
    store: Arc<TestStore>,
    folder: tempfile::TempDir,
}

impl TestApp {
    /// An installation with the usual limits.
    pub async fn new() -> Self {
        Self::with_limits(Limits::default()).await
    }

    /// An installation with these limits.
    pub async fn with_limits(limits: Limits) -> Self {
        let (cx, clock, store, folder) = empty(limits).await;
        let first_link = app::workspaces::set_up(&cx).await.unwrap().expect("the database is new");
        Self { cx, clock, first_link, store, folder }
    }

    /// The same installation with another runner and these settings of execution.
    pub fn on_runner(&mut self, runner: &Arc<FakeRunner>, settings: ExecutionSettings) {
        self.cx = self.cx.clone().with_runner(Arc::clone(runner) as Arc<dyn app::Runner>, settings);
    }

    /// The folder of the database; it goes when the test ends.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// This moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A user of the workspace `default`.
    pub async fn caller(&self, handle: &str) -> Caller {
        self.caller_in(handle, "default").await
    }

    /// A user in a workspace.
    pub async fn caller_in(&self, handle: &str, workspace: &str) -> Caller {
        identity::by_handle(&self.cx, &Handle::parse(handle).unwrap(), &name(workspace), None).await.unwrap()
    }

    /// The operator, in the workspace `default`.
    pub async fn admin(&self) -> Caller {
        self.caller("admin").await
    }

    /// Adds a user to the workspace `default`.
    pub async fn user(&self, handle: &str, roles: &[Role]) -> Caller {
        let admin = self.admin().await;
        self.user_in(&admin, handle, roles).await
    }

    /// Adds a user to the workspace of another.
    pub async fn user_in(&self, admin: &Caller, handle: &str, roles: &[Role]) -> Caller {
        let request =
            AddUser { handle: Handle::parse(handle).unwrap(), display_name: None, roles: roles.to_vec() };
        let member = app::users::add(&self.cx, admin, request).await.unwrap();
        Caller { user: member.user.id, roles: member.roles, reach: model::Reach::Member, ..admin.clone() }
    }

    /// Makes a workspace; the operator, in it.
    pub async fn workspace(&self, workspace: &str) -> Caller {
        let admin = self.admin().await;
        app::workspaces::create(&self.cx, &admin, &name(workspace), None).await.unwrap();
        self.caller_in("admin", workspace).await
    }

    /// Makes an agent without procedural memory in the workspace `default`.
    pub async fn agent(&self, agent: &str) -> Agent {
        let admin = self.admin().await;
        app::agents::create(&self.cx, &admin, AgentSpec::new(name(agent))).await.unwrap()
    }

    /// Makes an agent whose procedural memory is on, with these settings, in the workspace `default`.
    pub async fn agent_with(&self, agent: &str, settings: ProceduralMemory) -> Agent {
        let admin = self.admin().await;
        let procedural_memory = Some(ProceduralMemory { enabled: true, ..settings });
        let spec = AgentSpec { procedural_memory, ..AgentSpec::new(name(agent)) };
        app::agents::create(&self.cx, &admin, spec).await.unwrap()
    }

    /// Puts a skill in; it must go in.
    pub async fn put(&self, caller: &Caller, request: CreateSkill) -> Published {
        skills::create(&self.cx, caller, request, None).await.unwrap()
    }

    /// Puts a short skill of this name into the caller's default scope.
    pub async fn skill(&self, caller: &Caller, name: &str) -> SkillRecord {
        self.put(caller, spec(name)).await.record
    }

    /// A skill as it is stored now.
    pub async fn stored(&self, record: &SkillRecord) -> SkillRecord {
        let mut tx = self.cx.store.read().await.unwrap();
        tx.skill(record.skill.workspace, record.skill.id).await.unwrap().expect("the skill is stored")
    }

    /// The audit log of a workspace, oldest first, whoever may read it.
    pub async fn audit(&self, workspace: WorkspaceId) -> Vec<AuditEntry> {
        let mut tx = self.cx.store.read().await.unwrap();
        let (mut entries, mut last) = (Vec::new(), 0);
        loop {
            let batch = tx.audit_after(workspace, last, 1_000).await.unwrap();
            let Some(end) = batch.last() else { return entries };
            last = end.sequence;
            entries.extend(batch);
        }
    }

    /// Runs a statement behind the program's back.
    pub async fn tamper(&self, sql: &'static str, arguments: &[i64]) -> u64 {
        let mut connection = self.store.driver().0.begin().await.unwrap();
        let arguments = arguments.iter().map(|&number| Value::Int(number)).collect();
        let touched = connection.execute(sql.into(), arguments).await.unwrap();
        connection.commit().await.unwrap();
        touched
    }

    /// From now on every commit fails, as on a full disk; or none any more.
    pub fn fail_commits(&self, fail: bool) {
        self.store.driver().0.fail_commits(fail);
    }

    /// From now on reads whose statement contains this fail, or none any more.
    pub fn fail_reads(&self, of: Option<&'static str>) {
        self.store.driver().0.fail_reads(of);
    }

    /// How many reads failed so far.
    pub fn failed_reads(&self) -> usize {
        self.store.driver().0.failed_reads()
    }

    /// Every row of every table.
    pub async fn snapshot(&self) -> Snapshot {
        let mut connection = self.store.driver().0.snapshot().await.unwrap();
        let mut tables = BTreeMap::new();
        for &table in TABLES {
            // Every transaction is counted there, also one that changes nothing.
            let columns = if table == "audit_heads" { "workspace_id, sequence, hash" } else { "*" };
            let rows =
                connection.query(format!("SELECT {columns} FROM {table}").into(), vec![]).await.unwrap();
            let mut rows: Vec<_> =
                rows.into_iter().map(|row| Digest::of(format!("{:?}", row.rest()).as_bytes())).collect();
            rows.sort_unstable();
            tables.insert(table, rows);
        }
        Snapshot(tables)
    }

    /// Something that must be refused with this code and leave every row as it was.
    pub async fn refuses<T>(&self, code: Code, act: impl Future<Output = Result<T, Error>>) -> Error {
        let before = self.snapshot().await;
        let error =
            act.await.err().unwrap_or_else(|| panic!("{} was expected, but it was done", code.as_str()));
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(before.changes(&self.snapshot().await), Vec::<String>::new(), "{error}");
        error
    }

    /// Something that must succeed and leave every row as it was.
    pub async fn leaves_alone<T>(&self, act: impl Future<Output = Result<T, Error>>) -> T {
        let before = self.snapshot().await;
        let done = act.await.unwrap();
        assert_eq!(before.changes(&self.snapshot().await), Vec::<String>::new());
        done
    }

    /// Something that must succeed and write exactly these verbs into the workspace's log.
    pub async fn logs<T>(
        &self,
        workspace: WorkspaceId,
        verbs: &[&str],
        act: impl Future<Output = Result<T, Error>>,
    ) -> T {
        let before = self.audit(workspace).await.len();
        let done = act.await.unwrap();
        let after = self.audit(workspace).await;
        let written: Vec<_> = after[before..].iter().map(|entry| entry.verb.0.as_str()).collect();
        assert_eq!(written, verbs);
        done
    }
}

/// A context on an empty database, before anything was set up.
pub async fn empty(limits: Limits) -> (Context, Arc<TestClock>, Arc<TestStore>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let driver = SqliteDriver::open(&folder.path().join("test.sqlite")).await.unwrap();
    let store = Arc::new(SqlStore::new(Watched(Faulty::new(driver))));
    let clock = Arc::new(TestClock(Mutex::new(START)));
    let cx = Context::new(
        Arc::clone(&store) as Arc<dyn store::Store>,
        Arc::clone(&clock) as Arc<dyn Clock>,
        Arc::new(TestRandom(Mutex::new(1))),
        Arc::new(SqliteBackup(Arc::clone(&store))),
        limits,
    )
    .with_runner(Arc::new(FakeRunner::default()), ExecutionSettings::default());
    (cx, clock, store, folder)
}

/// Opens a copy of a database.
pub async fn open(file: &Path) -> Arc<dyn store::Store> {
    Arc::new(SqlStore::new(SqliteDriver::open(file).await.unwrap()))
}

/// The digests of all rows, by table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<&'static str, Vec<Digest>>);

impl Snapshot {
    /// The tables that differ, with how many rows they have here and there.
    pub fn changes(&self, other: &Self) -> Vec<String> {
        let differ = |table: &&str| self.0[*table] != other.0[*table];
        let told = |table| format!("{table}: {} rows, then {}", self.0[table].len(), other.0[table].len());
        TABLES.iter().filter(|table| differ(table)).map(|table| told(*table)).collect()
    }

    /// How many rows a table has.
    pub fn rows(&self, table: &str) -> usize {
        self.0[table].len()
    }
}

/// The same caller in other circumstances.
pub trait CallerExt {
    /// Through an agent.
    fn through(&self, agent: &Agent) -> Caller;
    /// With a token of these scopes.
    fn scoped(&self, scopes: &[TokenScope]) -> Caller;
}

impl CallerExt for Caller {
    fn through(&self, agent: &Agent) -> Caller {
        Caller { agent: Some(agent.id), ..self.clone() }
    }

    fn scoped(&self, scopes: &[TokenScope]) -> Caller {
        Caller { token_scopes: scopes.iter().copied().collect(), ..self.clone() }
    }
}

/// A name that is known to be one.
pub fn name(text: &str) -> SkillName {
    SkillName::parse(text).unwrap()
}

/// A short skill of this name, made from fields.
pub fn spec(skill: &str) -> CreateSkill {
    spec_with(skill, |draft| draft.body = format!("Do {skill} step by step."))
}

/// A skill of this name, made from fields that the test fills in.
pub fn spec_with(skill: &str, fill: impl FnOnce(&mut Draft)) -> CreateSkill {
    let mut draft = Draft::new(name(skill), format!("Does {skill} when asked to."));
    fill(&mut draft);
    CreateSkill::new(Content::Draft(Box::new(draft)))
}

/// The text of a `SKILL.md`.
pub fn skill_md(skill: &str, body: &str) -> String {
    format!("---\nname: {skill}\ndescription: Does {skill} when asked to.\n---\n\n{body}\n")
}

/// A bundle of these files.
pub fn bundle<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Bundle {
    let files = files
        .iter()
        .map(|(path, bytes)| (BundlePath::parse(path).unwrap(), BundleFile::new(bytes.as_ref().to_vec())));
    Bundle::new(files.collect()).unwrap()
}

/// A skill made from files as they are.
pub fn files_spec<B: AsRef<[u8]>>(files: &[(&str, B)]) -> CreateSkill {
    CreateSkill::new(Content::Bundle { bundle: bundle(files), folder: None })
}
