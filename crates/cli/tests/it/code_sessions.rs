//! Code sessions: the real binary, the real sandbox, over HTTP.

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::api::{Api, eventually};
use crate::processes::{is_running, marked_seconds};
use crate::world::{Server, World};

fn session_of(answer: &Value) -> String {
    answer["session_id"].as_str().unwrap_or_else(|| panic!("no session in {answer}")).to_owned()
}

/// Code that sleeps for so many seconds in a process of its own.
fn sleeping(seconds: &str) -> String {
    format!("import subprocess\nsubprocess.run(['sleep', '{seconds}'])\n")
}

/// Every request that names a session.
async fn all_uses(api: &Api, session: &str) -> Vec<crate::api::Answer> {
    let which = json!({"session_id": session, "path": "a.txt"});
    vec![
        api.post("/code/execute", &json!({"session_id": session, "code": "1"})).await,
        api.send(&format!("/files/upload?session_id={session}&path=a.txt"), "x").await,
        api.get(&format!("/files/download?session_id={session}&path=a.txt")).await,
        api.post("/files/download", &which).await,
        api.get(&format!("/files/list?session_id={session}")).await,
        api.post("/files/delete", &which).await,
        api.delete(&format!("/code/sessions/{session}")).await,
    ]
}

#[tokio::test]
async fn files_stay_in_their_session_and_are_in_no_other() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let code = "open('/mnt/data/kept.txt', 'w').write('kept')\nopen('/tmp/lost.txt', 'w').write('lost')\n";
    let made = api.python(None, code).await;
    assert_eq!(made["files"][0]["path"], "kept.txt", "{made}");
    let session = session_of(&made);
    let look = "import os\n[os.listdir('/mnt/data'), os.path.exists('/tmp/lost.txt')]";
    assert_eq!(api.python(Some(&session), look).await["result"], json!([["kept.txt"], false]));
    let shell = json!({"session_id": session, "language": "shell", "code": "cat kept.txt"});
    assert_eq!(api.post("/code/execute", &shell).await.expect(200)["stdout"], "kept");
    let other = api.python(None, look).await;
    assert_eq!(other["result"], json!([[], false]), "{other}");
    assert_ne!(session_of(&other), session);
}

#[tokio::test]
async fn a_session_is_there_for_its_own_caller_only() {
    let world = World::new();
    let server = world.serve();
    let (api, bob) = (Api::new(&world, &server), Api::of(&world, &server, "bob"));
    let session = session_of(&api.send("/files/upload?path=a.txt", "secret").await.expect(200));
    for answer in all_uses(&bob, &session).await {
        let told = answer.refused(404, "not_found");
        assert!(!told.contains("secret"), "{told}");
    }
    assert_eq!(bob.get("/code/sessions").await.expect(200)["items"], json!([]));
    assert_eq!(api.get("/code/sessions").await.expect(200)["items"][0]["id"], session);
    assert_eq!(api.files(&session).await, ["a.txt"], "nothing of it happened");
}

#[tokio::test]
async fn a_session_that_ended_says_how_to_begin_anew() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let ended = session_of(&api.python(None, "1").await);
    assert_eq!(api.delete(&format!("/code/sessions/{ended}")).await.status, 204);
    let survivor = session_of(&api.python(None, "1").await);
    for unknown in [ended.as_str(), "0198c7a4-0000-7000-8000-000000000000", "nonsense"] {
        for answer in all_uses(&api, unknown).await {
            let told = answer.refused(404, "not_found");
            assert!(told.contains("30 min") && told.contains("leave the id out"), "{told}");
        }
    }
    server.stop();
    let server = world.serve();
    let api = Api::of(&world, &server, "anyone");
    api.get(&format!("/files/list?session_id={survivor}")).await.refused(404, "not_found");
}

#[tokio::test]
async fn what_is_uploaded_is_worked_on_and_downloaded() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let made = api.send("/files/upload?path=in/prices.csv", "name,price\na,1.5\nb,2.25\n").await.expect(200);
    let session = session_of(&made);
    let code = "\
import csv
with open('/mnt/data/in/prices.csv') as rows:
    total = sum(float(row['price']) for row in csv.DictReader(rows))
with open('/mnt/data/total.html', 'w') as file:
    file.write(f'<b>{total}</b>')
total
";
    let executed = api.python(Some(&session), code).await;
    assert_eq!((&executed["status"], &executed["result"]), (&json!("succeeded"), &json!(3.75)), "{executed}");
    assert_eq!(executed["files"][0]["path"], "total.html", "only what it made: {executed}");
    let download = format!("/files/download?session_id={session}&path=");
    let got = api.get(&format!("{download}total.html")).await;
    assert_eq!((got.status, got.text().as_str()), (200, "<b>3.75</b>"));
    assert_eq!(got.headers["content-type"], "application/octet-stream", "no browser shows it");
    assert!(got.headers["content-disposition"].to_str().unwrap().starts_with("attachment"));
    assert_eq!(api.files(&session).await, ["in/prices.csv", "total.html"]);
    let delete = |path: Option<&str>| json!({"session_id": session, "path": path});
    assert_eq!(api.post("/files/delete", &delete(Some("total.html"))).await.expect(200)["removed"], 1);
    api.get(&format!("{download}total.html")).await.refused(404, "not_found");
    api.python(Some(&session), "open('/mnt/data/more.txt', 'w').close()").await;
    assert_eq!(api.post("/files/delete", &delete(None)).await.expect(200)["removed"], 2);
    assert_eq!(api.files(&session).await, Vec::<String>::new());
    let left = api.python(Some(&session), "import os\nos.listdir('/mnt/data')").await;
    assert_eq!(left["result"], json!([]), "the code sees it too");
}

#[tokio::test]
async fn ending_a_session_ends_its_code() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let session = session_of(&api.python(None, "1").await);
    let seconds = marked_seconds();
    let body = json!({"session_id": session, "code": sleeping(&seconds)});
    let running = tokio::spawn({
        let api = api.clone();
        async move { api.post("/code/execute", &body).await }
    });
    eventually("the code runs", async || is_running(&seconds)).await;
    assert_eq!(api.get("/code/sessions").await.expect(200)["items"][0]["in_use"], true);
    assert_eq!(api.delete(&format!("/code/sessions/{session}")).await.status, 204);
    running.await.unwrap().refused(404, "not_found");
    eventually("the code is gone", async || !is_running(&seconds)).await;
    assert_eq!(api.get("/code/sessions").await.expect(200)["items"], json!([]));
}

#[tokio::test]
async fn code_whose_caller_goes_away_is_ended() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let session = session_of(&api.python(None, "1").await);
    let seconds = marked_seconds();
    let body = json!({"session_id": session, "code": sleeping(&seconds)});
    let running = tokio::spawn({
        let api = api.clone();
        async move { api.post("/code/execute", &body).await }
    });
    eventually("the code runs", async || is_running(&seconds)).await;
    running.abort();
    eventually("the code is gone", async || !is_running(&seconds)).await;
    assert_eq!(api.python(Some(&session), "2").await["result"], 2, "the session goes on");
}

#[tokio::test]
async fn what_code_leaves_running_ends_with_it() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let seconds = marked_seconds();
    let code =
        format!("import subprocess\nsubprocess.Popen(['sleep', '{seconds}'], start_new_session=True).pid");
    assert_eq!(api.python(None, &code).await["status"], "succeeded");
    eventually("the process is gone", async || !is_running(&seconds)).await;
    let code =
        format!("setsid sleep {seconds} > /dev/null 2>&1 &\nsetsid setsid sleep {seconds} &\necho done\n");
    let executed = api.post("/code/execute", &json!({"language": "shell", "code": code})).await.expect(200);
    assert_eq!(executed["stdout"], "done\n", "{executed}");
    eventually("the processes are gone", async || !is_running(&seconds)).await;
}

#[tokio::test]
async fn nobody_has_more_sessions_than_their_share() {
    let world = World::new();
    let variables =
        [("REPERTOIRE_SANDBOX_SESSIONS_PER_CALLER", "2"), ("REPERTOIRE_SANDBOX_SESSIONS_TOTAL", "3")];
    let server = Server::start_in(&world, &[], &variables);
    let (api, bob) = (Api::new(&world, &server), Api::of(&world, &server, "bob"));
    let first = session_of(&api.python(None, "1").await);
    session_of(&api.send("/files/upload?path=a.txt", "a").await.expect(200));
    let told = api.post("/code/execute", &json!({"code": "1"})).await.refused(409, "limit_reached");
    assert!(told.contains("2 code sessions"), "{told}");
    api.send("/files/upload?path=a.txt", "a").await.refused(409, "limit_reached");
    bob.python(None, "1").await;
    let busy = bob.post("/code/execute", &json!({"code": "1"})).await;
    assert!(busy.headers["retry-after"].to_str().unwrap().parse::<u32>().unwrap() > 0);
    busy.refused(429, "busy");
    assert_eq!(api.delete(&format!("/code/sessions/{first}")).await.status, 204);
    bob.python(None, "1").await;
}

#[tokio::test]
async fn a_full_work_folder_is_named_and_can_be_emptied() {
    let world = World::new();
    let variables = [("REPERTOIRE_SANDBOX_DISK_MB", "2"), ("REPERTOIRE_SANDBOX_FILES", "20")];
    let server = Server::start_in(&world, &[], &variables);
    let api = Api::new(&world, &server);
    let full = api.python(None, "open('/mnt/data/a', 'wb').write(bytes(3 << 20))").await;
    assert_eq!(
        (&full["error"]["code"], &full["limits_hit"]),
        (&json!("disk_limit"), &json!(["disk_limit"])),
        "{full}"
    );
    assert!(full["error"]["message"].as_str().unwrap().contains("2 MiB"), "{full}");
    let session = session_of(&full);
    let upload = format!("/files/upload?session_id={session}&path=b");
    api.send(&upload, vec![0; 3 << 20]).await.refused(413, "too_large");
    api.post("/files/delete", &json!({"session_id": session})).await.expect(200);
    let many = "for n in range(100):\n    open(f'/mnt/data/{n}', 'w').close()\n";
    assert_eq!(api.python(Some(&session), many).await["error"]["code"], "disk_limit");
    api.post("/files/delete", &json!({"session_id": session})).await.expect(200);
    api.send(&upload, vec![7; 1 << 20]).await.expect(200);
    let size = api.python(Some(&session), "import os\nos.path.getsize('/mnt/data/b')").await;
    assert_eq!(size["result"], 1 << 20, "{size}");
}

fn archive(write: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("fine.txt", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"fine").unwrap();
    write(&mut writer);
    writer.finish().unwrap().into_inner()
}

/// An archive with a file of this name, which no writer would let through.
fn with_name(name: &str) -> Vec<u8> {
    let plain = "q".repeat(name.len());
    let mut bytes = archive(|writer| writer.start_file(&plain, SimpleFileOptions::default()).unwrap());
    let places: Vec<_> = bytes
        .windows(plain.len())
        .enumerate()
        .filter(|(_, at)| *at == plain.as_bytes())
        .map(|(at, _)| at)
        .collect();
    for at in places {
        bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
    }
    bytes
}

#[tokio::test]
async fn a_hostile_archive_is_refused_whole() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let session = session_of(&api.send("/files/upload?path=mine.txt", "mine").await.expect(200));
    let deflated = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let outside = world.path("outside.txt").display().to_string();
    let hostile = [
        ("climbs", with_name("../../../../outside.txt")),
        ("is absolute", with_name(&outside)),
        ("has a drive", with_name("C:\\outside.txt")),
        (
            "has a link",
            archive(|zip| zip.add_symlink("x", "/etc/passwd", SimpleFileOptions::default()).unwrap()),
        ),
        (
            "is a bomb",
            archive(|zip| {
                zip.start_file("x", deflated).unwrap();
                zip.write_all(&vec![0; 64 << 20]).unwrap();
            }),
        ),
        ("is none", b"PK\x03\x04 no archive".to_vec()),
    ];
    for (what, bytes) in hostile {
        for query in [format!("session_id={session}&unpack=true"), "unpack=true&path=d".to_owned()] {
            let answer = api.send(&format!("/files/upload?{query}"), bytes.clone()).await;
            assert!([413, 422].contains(&answer.status), "{what}: {} {}", answer.status, answer.text());
        }
        assert_eq!(api.files(&session).await, ["mine.txt"], "{what}");
    }
    let sessions = api.get("/code/sessions").await.expect(200);
    assert_eq!(sessions["items"].as_array().unwrap().len(), 1, "none is left behind: {sessions}");
    assert!(!world.path("outside.txt").exists());
    let query = format!("/files/upload?session_id={session}&unpack=true&path=d");
    api.send(&query, archive(|_| ())).await.expect(200);
    assert_eq!(api.files(&session).await, ["d/fine.txt", "mine.txt"]);
}

#[tokio::test]
async fn a_link_that_code_laid_leads_nowhere() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let victim = world.write("victim.txt", "untouched");
    let code = format!(
        "\
import os
os.symlink('/etc/passwd', '/mnt/data/users')
os.symlink('/etc', '/mnt/data/etc')
os.symlink({:?}, '/mnt/data/out')
os.mkfifo('/mnt/data/pipe')
open('/mnt/data/plain', 'w').write('plain')
",
        world.path("").display().to_string()
    );
    let session = session_of(&api.python(None, &code).await);
    assert_eq!(api.files(&session).await, ["plain"]);
    for path in ["users", "etc/passwd", "out/victim.txt", "pipe", "../../etc/passwd", "/etc/passwd"] {
        let answer = api.get(&format!("/files/download?session_id={session}&path={path}")).await;
        answer.refused(422, "invalid_path");
    }
    let upload = format!("/files/upload?session_id={session}&path=");
    api.send(&format!("{upload}out/victim.txt"), "hit").await.refused(422, "invalid_path");
    api.send(&format!("{upload}users"), "replaced").await.expect(200);
    let read = api.python(Some(&session), "import os\n[os.path.islink('users'), open('users').read()]").await;
    assert_eq!(read["result"], json!([false, "replaced"]), "{read}");
    assert_eq!(std::fs::read_to_string(victim).unwrap(), "untouched");
}

#[tokio::test]
async fn file_names_are_told_as_they_are() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    let names =
        ["a\nb.txt", "c\u{1b}[31m\u{7}.csv", "\"quoted\"; x=\r\ny", "ünïcode 日本.txt", "\u{202e}fdp.exe"];
    let code = "for name in names:\n    open('/mnt/data/' + name, 'w').write(name)\n";
    let body = json!({"code": code, "parameters": {"names": names}});
    let made = api.post("/code/execute", &body).await;
    assert!(!made.body.contains(&0x1b), "no terminal is told what to do: {}", made.text());
    let made = made.expect(200);
    let session = session_of(&made);
    let mut sorted = names.map(str::to_owned);
    sorted.sort();
    assert_eq!(api.files(&session).await, sorted);
    for name in names {
        let got = api.post("/files/download", &json!({"session_id": session, "path": name})).await;
        assert_eq!((got.status, got.text().as_str()), (200, name));
        assert!(got.headers["content-disposition"].to_str().unwrap().starts_with("attachment; filename="));
        let delete = json!({"session_id": session, "path": name});
        assert_eq!(api.post("/files/delete", &delete).await.expect(200)["removed"], 1);
    }
}

/// Looks everywhere for a secret of which it knows two halves, so that it does not find what it was told.
const SEARCH: &str = r"
import os

found = []

def look(where, content):
    at = content.find(left)
    while at >= 0:
        if content[at + len(left):].startswith(right):
            found.append(where)
            return
        at = content.find(left, at + 1)

def read(path):
    try:
        with open(path, 'rb') as file:
            return file.read(1 << 20)
    except OSError:
        return b''

left, right = left.encode(), right.encode()
for name, value in os.environb.items():
    look('os.environ', name + b'=' + value)
for pid in [entry for entry in os.listdir('/proc') if entry.isdigit()] + ['self', 'thread-self']:
    for file in ['environ', 'cmdline']:
        look(f'/proc/{pid}/{file}', read(f'/proc/{pid}/{file}'))
    for root in ['root', 'cwd', 'cwd/../..']:
        if os.path.exists(f'/proc/{pid}/{root}{data}'):
            found.append(f'/proc/{pid}/{root}')
if os.path.exists(data):
    found.append(data)
for folder, folders, files in os.walk('/'):
    if folder == '/':
        folders[:] = [one for one in folders if one not in ('proc', 'sys')]
    found.extend(f'{folder}/{file}' for file in files if file in names)
with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
    for line in maps.read().splitlines():
        span, mode = line.split()[:2]
        if mode.startswith('rw'):
            start, end = (int(part, 16) for part in span.split('-'))
            try:
                memory.seek(start)
                look('memory ' + line, memory.read(end - start))
            except (OSError, OverflowError, ValueError):
                pass
found
";

#[tokio::test]
async fn nothing_of_the_server_is_found_by_code() {
    let world = World::new();
    let (left, right) = ("qx7left", "right9zk");
    let secret = format!("{left}{right}");
    let server =
        Server::start_in(&world, &[], &[("DATABASE_PASSWORD", &secret), ("REPERTOIRE_NOTE", &secret)]);
    let api = Api::new(&world, &server);
    let data = world.path(".local/share/repertoire");
    let names = ["repertoire.db", "local.token", "server.json"];
    assert!(names.iter().all(|name| data.join(name).is_file()));
    let parameters = json!({"left": left, "right": right, "data": data, "names": names});
    let searched =
        api.post("/code/execute", &json!({"code": SEARCH, "parameters": parameters})).await.expect(200);
    assert_eq!((&searched["error"], &searched["result"]), (&Value::Null, &json!([])), "{searched}");
    let shell =
        json!({"language": "shell", "code": "env\ncat /proc/*/environ /proc/*/cmdline 2>/dev/null\ntrue"});
    let executed = api.post("/code/execute", &shell).await.expect(200);
    let told = executed["stdout"].as_str().unwrap();
    assert!(told.contains("PATH=") && !told.contains(left), "{executed}");
    // The search does find what is there.
    let told = SEARCH.replace("import os\n", "import os\nos.environ['TOLD'] = left + right\n");
    let searched =
        api.post("/code/execute", &json!({"code": told, "parameters": parameters})).await.expect(200);
    let found = searched["result"].to_string();
    assert!(found.contains("os.environ") && found.contains("memory"), "{searched}");
}

#[tokio::test]
async fn code_lists_and_reads_the_skills_of_its_caller_and_changes_none() {
    let world = World::new();
    let server = world.serve();
    let api = Api::new(&world, &server);
    api.skill("adds", &json!({"function": "f", "code": "def f(a):\n    return a\n"})).await;
    let list = "import skills\n[skill['name'] for skill in skills.list()]";
    assert_eq!(api.python(None, list).await["result"], json!(["adds"]));
    let tagged = "import skills\nskills.list(tag='none has this')";
    assert_eq!(api.python(None, tagged).await["result"], json!([]));
    let read = api.python(None, "import skills\nskills.read('adds')").await;
    assert_eq!(read["result"]["name"], "adds", "{read}");
    assert!(read["result"]["content"].is_string(), "{read}");
    let javascript = json!({"language": "javascript", "code": "export default skills.read('adds').name"});
    assert_eq!(api.post("/code/execute", &javascript).await.expect(200)["result"], "adds");
    let unknown = api.python(None, "import skills\nskills.read('unknown')").await;
    assert!(unknown["error"]["message"].as_str().unwrap().contains("unknown"), "{unknown}");
    let more = "import skills\n[name for name in dir(skills) if not name.startswith('_')]";
    assert_eq!(api.python(None, more).await["result"], json!(["list", "read"]));
    let bob = Api::of(&world, &server, "bob");
    assert_eq!(bob.python(None, list).await["result"], json!(["adds"]), "it is the workspace's");
}
