//! Nothing that was acknowledged is ever lost: the real binary is killed at random moments while eight clients write.
//!
//! Each client keeps a ledger of what it was told. A write that was acknowledged must be there afterwards; a write
//! whose answer never came may be there or not, but whole.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use testkit::postgres::Cluster;
use tokio::sync::watch;

const CLIENTS: usize = 8;
const KILLS: usize = 20;
/// A kill that meets an idle server proves nothing: each waits until this many more writes were acknowledged.
const WRITES_BETWEEN_KILLS: u64 = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_loses_no_acknowledged_write() {
    let folder = tempfile::tempdir().unwrap();
    hammer(folder.path(), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_loses_no_acknowledged_write() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::start();
    hammer(folder.path(), Some(&cluster)).await;
}

async fn hammer(folder: &Path, cluster: Option<&Cluster>) {
    let database = cluster.map(|cluster| cluster.create_database("crash"));
    let token = create_token(folder, database.as_deref());
    let mut random = Random::new();
    let mut server = Server::start(folder, database.as_deref());
    let (addresses, address) = watch::channel(server.address.clone());
    let acknowledged = Arc::new(AtomicU64::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let writer = Writer {
                number,
                token: token.clone(),
                address: address.clone(),
                acknowledged: Arc::clone(&acknowledged),
                stop: Arc::clone(&stop),
                client: Client::builder().timeout(Duration::from_secs(20)).build().unwrap(),
                ledger: BTreeMap::new(),
                made: 0,
            };
            tokio::spawn(writer.write())
        })
        .collect();
    for kill in 0..KILLS {
        wait_for_writes(&acknowledged, WRITES_BETWEEN_KILLS).await;
        tokio::time::sleep(Duration::from_micros(random.below(40_000))).await;
        // Once, in the middle, the database itself goes first.
        if let Some(cluster) = cluster.filter(|_| kill == KILLS / 2) {
            cluster.kill();
            cluster.restart();
            wait_for_writes(&acknowledged, WRITES_BETWEEN_KILLS).await;
        }
        server.kill();
        server = Server::start(folder, database.as_deref());
        addresses.send_replace(server.address.clone());
    }
    wait_for_writes(&acknowledged, WRITES_BETWEEN_KILLS).await;
    stop.store(true, Ordering::Release);
    let mut checked = 0;
    for client in clients {
        checked += check(&server.address, &token, client.await.unwrap()).await;
    }
    assert!(
        checked >= KILLS * usize::try_from(WRITES_BETWEEN_KILLS).unwrap() / 4,
        "only {checked} skills checked"
    );
    let chain = get(&Client::new(), &server.address, &token, "/api/v1/audit/verification").await;
    assert_eq!(chain["problems"], json!([]), "the audit chain broke");
    assert!(chain["entries"].as_u64().unwrap() >= acknowledged.load(Ordering::Acquire));
    server.kill();
}

async fn wait_for_writes(acknowledged: &AtomicU64, more: u64) {
    let (wanted, deadline) =
        (acknowledged.load(Ordering::Acquire) + more, Instant::now() + Duration::from_mins(1));
    while acknowledged.load(Ordering::Acquire) < wanted {
        assert!(Instant::now() < deadline, "no write was acknowledged for a minute");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// What a client knows of one of its skills.
#[derive(Debug, Clone)]
struct Known {
    /// What was acknowledged last, if anything was.
    acknowledged: Option<State>,
    /// What was asked for since, without an answer.
    asked: Vec<State>,
}

#[derive(Debug, Clone, PartialEq)]
struct State {
    description: String,
    enabled: bool,
}

impl State {
    fn of(skill: &Value) -> Self {
        Self {
            description: skill["description"].as_str().unwrap().to_owned(),
            enabled: skill["enabled"].as_bool().unwrap(),
        }
    }
}

struct Writer {
    number: usize,
    token: String,
    address: watch::Receiver<String>,
    acknowledged: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    client: Client,
    ledger: BTreeMap<String, Known>,
    made: usize,
}

impl Writer {
    /// Creates, edits and switches skills of its own until told to stop; gives back what it was told.
    async fn write(mut self) -> BTreeMap<String, Known> {
        let mut random = Random::seeded(self.number as u64 + 1);
        while !self.stop.load(Ordering::Acquire) {
            let settled: Vec<_> =
                self.ledger.iter().filter(|(_, known)| known.acknowledged.is_some()).collect();
            let pick = usize::try_from(random.below(settled.len().max(1) as u64)).unwrap();
            let old =
                settled.get(pick).map(|(name, known)| ((*name).clone(), known.acknowledged.clone().unwrap()));
            match (random.below(3), old) {
                (0, Some((name, state))) => self.switch(&name, state).await,
                (1, Some((name, state))) => self.edit(&name, state).await,
                _ => self.create().await,
            }
        }
        self.ledger
    }

    async fn create(&mut self) {
        self.made += 1;
        let name = format!("client-{}-{}", self.number, self.made);
        let state = State { description: format!("first words of {name}"), enabled: true };
        let body = json!({"name": name, "description": state.description, "instructions": "Do it."});
        self.ask(&name, state, "POST", "/api/v1/skills".to_owned(), Some(body)).await;
    }

    async fn edit(&mut self, name: &str, state: State) {
        self.made += 1;
        let state = State { description: format!("words number {} of {name}", self.made), ..state };
        let Some(id) = self.id_of(name).await else { return };
        let body = json!({"description": state.description});
        self.ask(name, state, "PATCH", format!("/api/v1/skills/{id}"), Some(body)).await;
    }

    async fn switch(&mut self, name: &str, state: State) {
        let state = State { enabled: !state.enabled, ..state };
        let verb = if state.enabled { "enable" } else { "disable" };
        let Some(id) = self.id_of(name).await else { return };
        self.ask(name, state, "POST", format!("/api/v1/skills/{id}/{verb}"), None).await;
    }

    async fn id_of(&self, name: &str) -> Option<String> {
        let url = format!("http://{}/api/v1/skills?name={name}", *self.address.borrow());
        let answer = self.client.get(url).bearer_auth(&self.token).send().await.ok()?;
        let list: Value = answer.json().await.ok()?;
        Some(list["items"][0]["id"].as_str()?.to_owned())
    }

    /// Sends a write. What is asked for goes into the ledger before it is sent, and becomes fact when acknowledged.
    async fn ask(&mut self, name: &str, state: State, method: &str, path: String, body: Option<Value>) {
        let known =
            self.ledger.entry(name.to_owned()).or_insert(Known { acknowledged: None, asked: Vec::new() });
        known.asked.push(state.clone());
        let url = format!("http://{}{path}", *self.address.borrow());
        let mut request = self.client.request(method.parse().unwrap(), url).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let Ok(answer) = request.send().await else { return self.wait_for_another_server().await };
        let status = answer.status();
        // An acknowledgement whose body broke off is none: the client cannot know.
        let Ok(body) = answer.json::<Value>().await else { return self.wait_for_another_server().await };
        if status.is_success() {
            let told = State::of(&body["skill"]);
            // What was asked for without an answer may have happened as well, so only this request's part is sure.
            let sure = told.description == state.description || told.enabled == state.enabled;
            assert!(sure, "{name}: asked for {state:?}, told {told:?}");
            *known = Known { acknowledged: Some(told), asked: Vec::new() };
            self.acknowledged.fetch_add(1, Ordering::AcqRel);
        } else {
            // The database was down, or the name is there although nobody told us so.
            let expected = matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::CONFLICT);
            assert!(expected, "{method} {path}: {status} {body}");
        }
    }

    /// Killed in between: the next server has another address.
    async fn wait_for_another_server(&mut self) {
        let _ = tokio::time::timeout(Duration::from_millis(50), self.address.changed()).await;
    }
}

/// Compares a ledger with what the server has; gives how many skills were compared.
async fn check(address: &str, token: &str, ledger: BTreeMap<String, Known>) -> usize {
    let client = Client::new();
    let mut compared = 0;
    for (name, known) in ledger {
        let list = get(&client, address, token, &format!("/api/v1/skills?name={name}")).await;
        let stored = list["items"].get(0).map(State::of);
        let allowed =
            known.acknowledged.iter().chain(&known.asked).any(|state| stored.as_ref() == Some(state));
        let may_be_missing = known.acknowledged.is_none() && stored.is_none();
        assert!(allowed || may_be_missing, "{name}: told {known:?}, found {stored:?}");
        if let Some(stored) = stored {
            compared += 1;
            let id = list["items"][0]["id"].as_str().unwrap();
            let detail = get(&client, address, token, &format!("/api/v1/skills/{id}")).await;
            assert_eq!(detail["revision"], detail["shown"]["number"], "{name} has half a revision");
            let text = detail["skill_file"].as_str().unwrap();
            assert!(text.contains(&stored.description), "{name}: the file is of another revision");
        }
    }
    compared
}

async fn get(client: &Client, address: &str, token: &str, path: &str) -> Value {
    let answer = client.get(format!("http://{address}{path}")).bearer_auth(token).send().await.unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
    answer.json().await.unwrap()
}

fn command(folder: &Path, database: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_repertoire"));
    command.arg("--data").arg(folder.join("data"));
    if let Some(database) = database {
        command.args(["--database", database]);
    }
    command
}

fn create_token(folder: &Path, database: Option<&str>) -> String {
    let output = command(folder, database)
        .args([
            "--json",
            "token",
            "create",
            "crash-test",
            "--scope",
            "read",
            "--scope",
            "write",
            "--scope",
            "admin",
        ])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no token: {}", String::from_utf8_lossy(&output.stderr)));
    answer["secret"].as_str().unwrap().to_owned()
}

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path, database: Option<&str>) -> Self {
        let ready = folder.join("ready");
        let _ = std::fs::remove_file(&ready);
        #[allow(clippy::zombie_processes)] // `Drop` waits for it; the other way out fails the test
        let child = command(folder, database)
            .args([
                "--quiet",
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--metrics-listen",
                "off",
                "--log-level",
                "error",
            ])
            .arg("--ready-file")
            .arg(&ready)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            if let Ok(address) = std::fs::read_to_string(&ready)
                && !address.is_empty()
            {
                return Self { child, address: address.trim().to_owned() };
            }
            assert!(Instant::now() < deadline, "the server did not start");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// SIGKILL: no chance to finish anything.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Random enough for moments and choices; a new seed each run, for the moments to differ.
struct Random(u64);

impl Random {
    fn new() -> Self {
        use std::hash::{BuildHasher as _, Hasher as _};
        let seed = std::collections::hash_map::RandomState::new().build_hasher().finish();
        eprintln!("moments of death from seed {seed}");
        Self::seeded(seed)
    }

    fn seeded(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
