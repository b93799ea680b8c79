//! Skills that execute in a server: the real binary, the real sandbox, over HTTP.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::api::{Answer, Api, eventually};
use crate::processes::{below, is_alive, is_running, marked_seconds};
use crate::world::{Server, World};

const COMPOUND_INTEREST: &str = "\
def compound_interest_calculator(principal, rate, time, frequency):
    return principal * (1 + rate / frequency) ** (frequency * time)
";

const SLEEPS: &str = "\
import subprocess
def sleeps(seconds):
    subprocess.run(['sleep', seconds])
";

const FETCHES: &str = "\
import urllib.error, urllib.request
def fetches(urls):
    answers = []
    for url in urls:
        try:
            answers.append(urllib.request.urlopen(url).read().decode())
        except urllib.error.URLError as error:
            answers.append(f'refused: {error}')
    return answers
";

fn calling(function: &str, code: &str) -> Value {
    json!({"function": function, "code": code})
}

/// Starts a run that nobody waits for yet.
fn begin(api: &Api, skill: &str, parameters: Value) -> tokio::task::JoinHandle<Answer> {
    let (api, path) = (api.clone(), format!("/api/v1/skills/{skill}/runs"));
    tokio::spawn(async move { api.post(&path, &json!({"parameters": parameters})).await })
}

/// Takes a request, whatever it is; who answers it decides when.
async fn take(listener: &TcpListener) -> TcpStream {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(socket.read_u8().await.unwrap());
    }
    socket
}

async fn answer(mut socket: TcpStream, body: &str) {
    let length = body.len();
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    socket.write_all(answer.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn a_skill_that_was_registered_runs_and_is_counted() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let number = |name: &str| json!({"name": name, "type": "number", "required": true});
    let parameters = ["principal", "rate", "time", "frequency"].map(number);
    let procedure = json!({"language": "python", "function": "compound_interest_calculator",
        "code": COMPOUND_INTEREST, "parameters": parameters});
    let id = api.skill("compound_interest_calculator", &procedure).await;
    let count = async || {
        api.get(&format!("/api/v1/skills/{id}")).await.expect(200)["statistics"]["execution_count"].clone()
    };
    assert_eq!(count().await, 0);
    let given = json!({"principal": 1000, "rate": 0.05, "time": 10, "frequency": 12});
    let answer = api.post(&format!("/api/v1/skills/{id}/runs"), &json!({"parameters": given})).await;
    let location = answer.headers["location"].to_str().unwrap().to_owned();
    let run = answer.expect(201);
    assert_eq!(run["status"], "succeeded", "{run}");
    assert!((run["result"].as_f64().unwrap() - 1647.01).abs() < 0.005, "{run}");
    assert_eq!(count().await, 1);
    let record = api.get(&location).await.expect(200);
    assert_eq!((&record["id"], &record["parameters"]), (&run["id"], &given), "{record}");
    let wrong = json!({"parameters": {"principal": "much", "rate": 0.05, "time": 10}});
    let told =
        api.post(&format!("/api/v1/skills/{id}/runs"), &wrong).await.refused(422, "invalid_parameters");
    assert!(told.contains("`principal`") && told.contains("`frequency`"), "{told}");
    assert_eq!(count().await, 1, "a refusal is no execution");
}

#[tokio::test]
async fn an_endless_skill_ends_and_the_next_request_works() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let endless = api.skill("endless", &calling("main", "def main():\n    while True: pass\n")).await;
    let quick = api.skill("quick", &calling("main", "def main():\n    return 'done'\n")).await;
    let path = format!("/api/v1/skills/{endless}/runs");
    let run = api.post(&path, &json!({"limits": {"wall_ms": 300}})).await.expect(201);
    assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!("time_limit")), "{run}");
    assert_eq!(run["limits_hit"], json!(["time_limit"]));
    assert_eq!(api.run(&quick, json!({})).await["result"], "done");
    let skill = api.get(&format!("/api/v1/skills/{endless}")).await.expect(200);
    assert_eq!(skill["statistics"]["failure_count"], 1, "{skill}");
}

#[tokio::test]
async fn code_reaches_nobody_unless_it_may() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let code = format!(
        "\
import socket
def tries():
    told = []
    for address in [('127.0.0.1', {port}), ('8.8.8.8', 53), ('localhost', {port})]:
        try:
            socket.create_connection(address, timeout=2)
            told.append('connected')
        except OSError:
            told.append('failed')
    return told
"
    );
    let id = api.skill("tries", &calling("tries", &code)).await;
    let run = api.run(&id, json!({})).await;
    assert_eq!(run["result"], json!(["failed", "failed", "failed"]), "{run}");
    let local = format!("127.0.0.1:{port}");
    let mut asks = calling("fetches", FETCHES);
    asks["network"] = json!([local]);
    let asks = api.skill("asks", &asks).await;
    let urls = json!({"parameters": {"urls": [format!("http://{local}/")]}});
    let told =
        api.post(&format!("/api/v1/skills/{asks}/runs"), &urls).await.refused(403, "network_not_allowed");
    assert!(told.contains(&local) && told.contains("allowed_hosts"), "{told}");
    let runs = api.get(&format!("/api/v1/skills/{asks}/runs")).await.expect(200);
    assert_eq!(runs["items"], json!([]), "what was refused did not run");
    let pending = tokio::time::timeout(std::time::Duration::ZERO, listener.accept()).await;
    assert!(pending.is_err(), "somebody came through");
}

#[tokio::test]
async fn a_host_that_is_granted_is_reached_and_no_other() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let [local, elsewhere] = [&listener, &other].map(|one| one.local_addr().unwrap().to_string());
    world.write(".config/repertoire/config.toml", format!("[sandbox]\nallowed_hosts = [\"{local}\"]\n"));
    let yaml = format!("language: python\nfile: scripts/main.py\nfunction: fetches\nnetwork: [\"{local}\"]")
        .replace('\n', "\n  ");
    world.skill("fetches", "Fetches pages. Use when pages are to be fetched.");
    world.write("fetches/repertoire.yaml", format!("procedure:\n  {yaml}\n"));
    world.write("fetches/scripts/main.py", FETCHES);
    world.ok(&["import", "fetches"]);
    let server = world.serve();
    let api = Api::new(&world, &server);
    let id = api.get("/api/v1/skills?name=fetches").await.expect(200)["items"][0]["id"].clone();
    let urls =
        [format!("http://{local}/page"), format!("http://{elsewhere}/"), "http://example.org/".to_owned()];
    let running = begin(&api, id.as_str().unwrap(), json!({"urls": urls}));
    answer(take(&listener).await, "hello").await;
    let run = running.await.unwrap().expect(201);
    let answers = run["result"].as_array().unwrap_or_else(|| panic!("{run}"));
    assert_eq!(answers[0], "hello", "{run}");
    assert!(answers[1..].iter().all(|told| told.as_str().unwrap().starts_with("refused")), "{run}");
    let visit = |host: &str, allowed: bool| json!({"host": host, "allowed": allowed});
    let wanted = [visit(&local, true), visit(&elsewhere, false), visit("example.org:80", false)];
    assert_eq!(run["visits"], json!(wanted), "{run}");
    let pending = tokio::time::timeout(std::time::Duration::ZERO, other.accept()).await;
    assert!(pending.is_err(), "somebody came through");
    // Code of a session gets none of it.
    let code = format!("import urllib.request\nurllib.request.urlopen('http://{local}/', timeout=2)");
    assert_eq!(api.python(None, &code).await["status"], "failed");
}

/// Starts Python in every way that puts the current folder on the search path, and says what was printed.
const STARTS_PYTHON: &str = "\
import multiprocessing, subprocess, sys, work
CODE = 'import json; print(\"own\")'
def starts_python():
    printed = []
    def start(arguments, given=None):
        done = subprocess.run(['python3', *arguments], input=given, capture_output=True, text=True)
        printed.append(done.stdout + done.stderr)
    start(['-c', CODE])
    start([], CODE)
    start(['-m', 'json.tool'], '[]')
    process = multiprocessing.get_context('spawn').Process(target=work.act)
    process.start()
    process.join()
    return printed
";

#[tokio::test]
async fn code_planted_by_a_session_does_not_run_inside_a_skill_that_reaches_a_host() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let local = listener.local_addr().unwrap().to_string();
    let host = tokio::spawn(async move {
        loop {
            answer(take(&listener).await, "for the skill only").await;
        }
    });
    world.skill("starts", "Starts Python. Use when Python is to be started.");
    let procedure = "language: python\n  file: main.py\n  function: starts_python";
    world.write("starts/repertoire.yaml", format!("procedure:\n  {procedure}\n  network: [\"{local}\"]\n"));
    world.write("starts/main.py", STARTS_PYTHON);
    world.write("starts/work.py", "def act():\n    import json\n");
    world.ok(&["import", "starts"]);
    let server = Server::start_in(&world, &[], &[("REPERTOIRE_SANDBOX_ALLOWED_HOSTS", local.as_str())]);
    let api = Api::new(&world, &server);
    let id = api.get("/api/v1/skills?name=starts").await.expect(200)["items"][0]["id"].clone();
    let planted = format!("import urllib.request\nprint(urllib.request.urlopen('http://{local}/').read())\n");
    let plant = format!("open('/mnt/data/json.py', 'w').write({planted:?})");
    let session = api.python(None, &plant).await["session_id"].clone();
    let path = format!("/api/v1/skills/{}/runs", id.as_str().unwrap());
    let run = api.post(&path, &json!({"session_id": session})).await.expect(201);
    assert_eq!(run["result"], json!(["own\n", "own\n", "[]\n"]), "{run}");
    assert_eq!(run["visits"], json!([]), "{run}");
    host.abort();
}

#[tokio::test]
async fn who_finds_the_queue_full_is_told_when_to_come_back() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let local = listener.local_addr().unwrap().to_string();
    let variables = [
        ("REPERTOIRE_SANDBOX_CONCURRENCY", "1"),
        ("REPERTOIRE_SANDBOX_WAITING", "1"),
        ("REPERTOIRE_SANDBOX_ALLOWED_HOSTS", local.as_str()),
    ];
    let server = Server::start_in(&world, &[], &variables);
    let api = Api::new(&world, &server);
    let mut procedure = calling("fetches", FETCHES);
    procedure["network"] = json!([local]);
    let id = api.skill("fetches", &procedure).await;
    let urls = json!({"urls": [format!("http://{local}/")]});
    let first = begin(&api, &id, urls.clone());
    let first_is_running = take(&listener).await;
    let second = begin(&api, &id, urls.clone());
    eventually("the second waits", async || {
        let sandbox = api.get("/api/v1/sandbox").await.expect(200);
        (&sandbox["running"], &sandbox["waiting"]) == (&json!(1), &json!(1))
    })
    .await;
    let third = begin(&api, &id, urls).await.unwrap();
    assert!(third.headers["retry-after"].to_str().unwrap().parse::<u32>().unwrap() > 0);
    third.refused(429, "busy");
    answer(first_is_running, "first").await;
    assert_eq!(first.await.unwrap().expect(201)["result"], json!(["first"]));
    answer(take(&listener).await, "second").await;
    assert_eq!(second.await.unwrap().expect(201)["result"], json!(["second"]));
    let runs = api.get(&format!("/api/v1/skills/{id}/runs")).await.expect(200);
    assert_eq!(runs["items"].as_array().unwrap().len(), 2, "who was sent away did not run");
}

#[tokio::test]
async fn a_run_whose_caller_goes_away_is_ended_and_remembered() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let id = api.skill("sleeps", &calling("sleeps", SLEEPS)).await;
    let seconds = marked_seconds();
    let running = begin(&api, &id, json!({"seconds": seconds}));
    eventually("the code runs", async || is_running(&seconds)).await;
    running.abort();
    eventually("the code is gone", async || !is_running(&seconds)).await;
    eventually("the run is remembered", async || {
        let runs = api.get(&format!("/api/v1/skills/{id}/runs?error_code=stopped")).await.expect(200);
        runs["items"][0]["status"] == "failed"
    })
    .await;
    let skill = api.get(&format!("/api/v1/skills/{id}")).await.expect(200);
    assert_eq!(skill["statistics"]["failure_count"], 1, "{skill}");
}

#[tokio::test]
async fn a_killed_server_leaves_no_process() {
    let world = World::new();
    let mut server = world.serve();
    let api = Api::new(&world, &server);
    let id = api.skill("sleeps", &calling("sleeps", SLEEPS)).await;
    let (seconds, more_seconds) = (marked_seconds(), marked_seconds());
    let run = begin(&api, &id, json!({"seconds": seconds}));
    let code = json!({"language": "shell", "code": format!("setsid sleep {more_seconds} &\nwait\n")});
    let session = tokio::spawn(async move { api.post("/code/execute", &code).await });
    eventually("the code runs", async || is_running(&seconds) && is_running(&more_seconds)).await;
    let family = below(server.pid());
    assert!(family.len() > 2, "{family:?}");
    server.signal("-KILL");
    server.wait();
    eventually("all are gone", async || !family.iter().any(is_alive)).await;
    assert!(!is_running(&seconds) && !is_running(&more_seconds));
    assert!(run.await.is_err() && session.await.is_err(), "nobody was answered");
}

#[tokio::test]
async fn a_server_that_is_to_end_does_not_wait_for_code_to_end_by_itself() {
    let world = World::new();
    let mut server = world.serve();
    let api = Api::new(&world, &server);
    let id = api.skill("sleeps", &calling("sleeps", SLEEPS)).await;
    let seconds = marked_seconds();
    let run = begin(&api, &id, json!({"seconds": seconds}));
    eventually("the code runs", async || is_running(&seconds)).await;
    server.signal("-TERM");
    let run = run.await.unwrap().expect(201);
    assert_eq!(run["error"]["code"], "stopped", "{run}");
    assert_eq!(server.wait(), 0);
    assert!(!is_running(&seconds));
}
