//! Code sessions through the door: executing, files in and out, hostile archives.

use std::io::Write as _;
use std::sync::Arc;

use app::{ExecutionSettings, QueueSettings};
use sandbox::{Captured, Ending, Limit};
use serde_json::{Value, json};
use testkit::FakeRunner;
use testkit::runner::{ended, returned};
use zip::write::SimpleFileOptions;

use crate::api::{Answer, Api, Ask, delete, get, post, zip};

fn execute(body: Value) -> Ask {
    post("//code/execute").json(body)
}

fn upload(query: &str, body: impl Into<bytes::Bytes>) -> Ask {
    post(&format!("//files/upload?{query}")).bytes("application/octet-stream", body)
}

fn session(answer: &Answer) -> String {
    answer.json()["session_id"].as_str().unwrap().to_owned()
}

fn paths(answer: &Answer) -> Vec<String> {
    let view = answer.json();
    view["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

/// A door on programs that leave a file and some output.
async fn writing() -> Api {
    Api::on_runner(FakeRunner::new(|execution| {
        let folder = execution.folder.clone().unwrap();
        let source = execution.program.files[0].content.clone();
        folder.write("out/plot.png", &source)?;
        let stdout = Captured { bytes: b"told \xff".to_vec(), truncated: true };
        let parameters = Value::Object(execution.program.parameters.clone());
        Ok(sandbox::Outcome { stdout, ..returned(&execution, parameters) })
    }))
    .await
}

#[tokio::test]
async fn code_is_executed_and_leaves_its_files_for_the_next_time() {
    let api = writing().await;
    let first = api.ok(200, execute(json!({"code": "draw()", "parameters": {"a": [1]}}))).await;
    let view = first.json();
    assert_eq!((&view["status"], &view["result"]), (&json!("succeeded"), &json!({"a": [1]})));
    assert_eq!((&view["stdout"], &view["stdout_truncated"]), (&json!("told \u{fffd}"), &json!(true)));
    assert_eq!((&view["stderr"], &view["error"]), (&json!(""), &Value::Null));
    assert_eq!(view["limits_hit"], json!(["output_limit"]));
    assert_eq!(view["files"], json!([{"path": "out/plot.png", "size": 6, "media_type": "image/png"}]));
    assert_eq!(view["expires_at"], "2026-01-05T09:30:00Z");
    assert!(view["duration_ms"].as_f64().unwrap() > 0.0);
    let id = session(&first);
    let again = execute(json!({"session_id": id, "code": "x", "language": "JavaScript"}));
    assert_eq!(session(&api.ok(200, again).await), id);
    let listed = api.ok(200, get(&format!("//files/list?session_id={id}"))).await;
    assert_eq!(paths(&listed), ["out/plot.png"]);
    let sessions = api.ok(200, get("//code/sessions")).await.json();
    assert_eq!((&sessions["items"][0]["id"], &sessions["items"][0]["in_use"]), (&json!(id), &json!(false)));
    api.ok(204, delete(&format!("//code/sessions/{id}"))).await;
    assert_eq!(api.ok(200, get("//code/sessions")).await.json(), json!({"items": []}));
}

#[tokio::test]
async fn code_that_fails_is_no_failed_request() {
    let api =
        Api::on_runner(FakeRunner::new(|execution| Ok(ended(&execution, Ending::Limit(Limit::Wall))))).await;
    let body = json!({"code": "while True: pass", "timeout_seconds": 0.5});
    let view = api.ok(200, execute(body)).await.json();
    assert_eq!((&view["status"], &view["limits_hit"]), (&json!("failed"), &json!(["time_limit"])));
    let message = "stopped after 0.5 s, the time limit";
    let wanted = json!({"code": "time_limit", "type": "", "message": message, "file": null, "line": null, "traceback": ""});
    assert_eq!(view["error"], wanted);
}

#[tokio::test]
async fn a_request_that_says_too_little_is_told_what_to_say() {
    let api = Api::new().await;
    for (body, wanted) in [
        (json!({}), "there is no `code`"),
        (json!({"code": "  "}), "there is no `code`"),
        (json!({"code": "x", "language": "cobol"}), "use one of: python, javascript, shell"),
        (json!({"code": "x", "timeout_seconds": 0}), "`timeout_seconds` must be between"),
        (json!({"code": "x", "timeout_seconds": 1e99}), "`timeout_seconds` must be between"),
        (json!({"code": "x", "language": "shell", "profile": "p"}), "a `profile` goes with python"),
        (json!({"code": "x", "parameters": []}), "parameters"),
        (json!({"code": "x", "sesion_id": "y"}), "unknown field"),
    ] {
        let refused = api.refused(execute(body).bearer(&api.admin), 400, "invalid_request").await;
        assert!(refused.text().contains(wanted), "{}", refused.text());
    }
    api.ok(400, upload("", "x")).await;
    api.ok(400, post("//files/delete").json(json!({}))).await;
}

#[tokio::test]
async fn a_session_that_is_not_there_is_told_how_sessions_end() {
    let api = Api::new().await;
    let other = api.user("bob", &[]).await;
    let foreign = session(&api.ok_as(&other, 200, execute(json!({"code": "x"}))).await);
    for id in ["nonsense", "0198c7a4-0000-7000-8000-000000000000", foreign.as_str()] {
        let body = json!({"session_id": id, "path": "x"});
        for ask in [
            execute(json!({"session_id": id, "code": "x"})),
            upload(&format!("session_id={id}&path=x"), "x"),
            get(&format!("//files/list?session_id={id}")),
            get(&format!("//files/download?session_id={id}&path=x")),
            post("//files/download").json(&body),
            post("//files/delete").json(&body),
            delete(&format!("//code/sessions/{id}")),
        ] {
            let answer = api.refused(ask.bearer(&api.admin), 404, "not_found").await;
            assert!(answer.text().contains("30 min without use"), "{}", answer.text());
        }
    }
}

#[tokio::test]
async fn a_full_house_says_when_to_come_back() {
    let mut app = testkit::TestApp::new().await;
    app.cx = app.cx.clone().with_queue(QueueSettings { concurrency: 1, waiting: 0, waiting_per_caller: 0 });
    let api = Api::of(app).await;
    let admin = api.app.admin().await;
    let _running = api.app.cx.queue.enter(&admin).await.unwrap();
    let ask = execute(json!({"code": "x"})).bearer(&api.admin);
    let answer = api.refused(ask, 429, "busy").await;
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn an_installation_without_a_sandbox_says_so() {
    let broken = |_| {
        let missing = "user namespaces are off".to_owned();
        Err(sandbox::Error::Unprotected { missing })
    };
    let api = Api::on_runner(FakeRunner::new(broken)).await;
    let answer =
        api.refused(execute(json!({"code": "x"})).bearer(&api.admin), 503, "sandbox_unavailable").await;
    assert!(answer.text().contains("user namespaces are off"), "{}", answer.text());
    let none = |_| Err(sandbox::Error::NoPython { detail: "no python3".to_owned() });
    let api = Api::on_runner(FakeRunner::new(none)).await;
    api.refused(execute(json!({"code": "x"})).bearer(&api.admin), 503, "no_python").await;
    let unknown = |_| Err(sandbox::Error::UnknownProfile("p".to_owned()));
    let api = Api::on_runner(FakeRunner::new(unknown)).await;
    let ask = execute(json!({"code": "x", "profile": "p"}));
    api.refused(ask.bearer(&api.admin), 422, "unknown_profile").await;
}

#[tokio::test]
async fn what_is_uploaded_is_downloaded_again() {
    let api = Api::new().await;
    let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let made = api.ok(200, upload("path=data/all.csv", bytes.clone())).await;
    let id = session(&made);
    assert_eq!(
        made.json()["files"],
        json!([{"path": "data/all.csv", "size": 300_000, "media_type": "text/csv"}])
    );
    let url = format!("//files/download?session_id={id}&path=data/all.csv");
    let body = json!({"session_id": id, "path": "data/all.csv"});
    for ask in [get(&url), post("//files/download").json(&body)] {
        let file = api.ok(200, ask).await;
        assert_eq!(file.body.as_ref(), bytes);
        assert_eq!(file.header("content-type"), "text/csv");
        assert_eq!(file.header("content-length"), "300000");
        assert_eq!(
            file.header("content-disposition"),
            "attachment; filename=\"all.csv\"; filename*=UTF-8''all.csv"
        );
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert!(file.header("content-security-policy").starts_with("sandbox"));
    }
    let removed = api.ok(200, post("//files/delete").json(&body)).await.json();
    assert_eq!((&removed["session_id"], &removed["removed"]), (&json!(id), &json!(1)));
    let gone = api.ok(404, get(&url)).await;
    assert!(gone.text().contains("the file `data/all.csv` is not there"), "{}", gone.text());
}

#[tokio::test]
async fn a_page_in_a_session_is_a_download_that_no_browser_runs() {
    let api = Api::new().await;
    let id = session(&api.ok(200, upload("path=page.html", "<script>alert(1)</script>")).await);
    for name in ["image.svg", "code.js", "x%22%0d%0a.xml"] {
        api.ok(200, upload(&format!("session_id={id}&path={name}"), "<x/>")).await;
    }
    for name in ["page.html", "image.svg", "code.js", "x%22%0d%0a.xml"] {
        let file = api.ok(200, get(&format!("//files/download?session_id={id}&path={name}"))).await;
        assert_eq!(file.header("content-type"), "application/octet-stream", "{name}");
        assert!(file.header("content-disposition").starts_with("attachment"), "{name}");
    }
}

/// A form of these parts: a field without, a file with a name.
fn form(parts: &[(&str, Option<&str>, &str)]) -> Ask {
    let part = |(name, file, content): &(&str, Option<&str>, &str)| {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        format!("--xyz\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n")
    };
    let body: String = parts.iter().map(part).collect();
    post("//files/upload").bytes("multipart/form-data; boundary=xyz", body + "--xyz--\r\n")
}

#[tokio::test]
async fn a_form_brings_several_files() {
    let api = Api::new().await;
    let made = api.ok(200, form(&[("file", Some("a.txt"), "A"), ("other", Some("b.txt"), "B")])).await;
    assert_eq!(paths(&made), ["a.txt", "b.txt"]);
    let id = session(&made);
    let into = form(&[("file", Some("c.txt"), "C"), ("session_id", None, &id), ("path", None, "deep/er")]);
    let more = api.ok(200, into).await;
    assert_eq!((session(&more), paths(&more)), (id.clone(), vec!["deep/er/c.txt".to_owned()]));
    for bad in [
        form(&[("session_id", None, &id)]),
        form(&[("session_id", None, &id), ("colour", None, "red"), ("file", Some("x"), "X")]),
        form(&[("unpack", None, "yes"), ("file", Some("x"), "X")]),
        form(&[("path", None, ""), ("file", Some("x"), "X")]),
        form(&[("path", None, &"p/".repeat(2_049)), ("file", Some("x"), "X")]),
        post("//files/upload?path=x").bytes("Multipart/Form-Data; boundary=xyz", "--xyz\r\nbroken"),
        post("//files/upload").bytes("multipart/form-data; boundary=xyz", "--xyz\r\nbroken"),
        post("//files/upload").bytes("multipart/form-data", "x"),
    ] {
        api.refused(bad.bearer(&api.admin), 400, "invalid_request").await;
    }
    let hostile = form(&[("session_id", None, &id), ("f", Some("d.txt"), "D"), ("f", Some("../e.txt"), "E")]);
    api.refused(hostile.bearer(&api.admin), 422, "invalid_path").await;
    let listed = api.ok(200, get(&format!("//files/list?session_id={id}"))).await;
    assert_eq!(paths(&listed), ["a.txt", "b.txt", "deep/er/c.txt"]);
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let config =
        repertoire_http::HttpConfig { max_body_bytes: 1_000, ..repertoire_http::HttpConfig::default() };
    let api = Api::with(config).await;
    let large = "x".repeat(1_001);
    api.refused(upload("path=x", large.clone()).bearer(&api.admin), 413, "too_large").await;
    api.refused(form(&[("f", Some("x"), &large)]).bearer(&api.admin), 413, "too_large").await;
    assert_eq!(api.ok(200, get("//code/sessions")).await.json(), json!({"items": []}));
}

#[tokio::test]
async fn an_archive_is_unpacked_into_its_folder() {
    let api = Api::new().await;
    let archive = zip(&[("a.txt", "A"), ("d/SKILL.md", "no skill at all"), ("__MACOSX/x", "litter")]);
    let made = api.ok(200, upload("unpack=true", archive.clone())).await;
    assert_eq!(paths(&made), ["a.txt", "d/SKILL.md"]);
    let id = session(&made);
    let query = format!("session_id={id}&path=in/here&unpack=true");
    let more = api.ok(200, upload(&query, archive.clone())).await;
    assert_eq!(paths(&more), ["in/here/a.txt", "in/here/d/SKILL.md"]);
    api.refused(
        upload(&format!("session_id={id}&path=../x&unpack=true"), archive.clone()).bearer(&api.admin),
        422,
        "invalid_path",
    )
    .await;
    let as_it_is = api.ok(200, upload(&format!("session_id={id}&path=a.zip"), archive)).await;
    assert_eq!(paths(&as_it_is), ["a.zip"]);
}

/// An archive in which one text stands for another of the same length.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

fn with_entry(name: &[u8]) -> Vec<u8> {
    let placeholder = "q".repeat(name.len());
    patched(zip(&[("fine.txt", "fine"), (&placeholder, "x")]), placeholder.as_bytes(), name)
}

fn deflated(name: &str, content: &[u8], mode: u32) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("fine.txt", options).unwrap();
    writer
        .start_file(name, options.system(zip::System::Unix).external_attributes((0o100_000 | mode) << 16))
        .unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap().into_inner()
}

fn link() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.start_file("fine.txt", SimpleFileOptions::default()).unwrap();
    writer.add_symlink("x", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    writer.finish().unwrap().into_inner()
}

fn entries(count: u32) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for number in 0..count {
        writer.start_file(format!("{number}"), stored).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[tokio::test]
async fn hostile_archives_are_refused_whole() {
    let api = Api::new().await;
    let id = session(&api.ok(200, upload("path=here.txt", "here")).await);
    let lying = {
        let honest = deflated("x", &vec![0; 4 << 20], 0o644);
        patched(honest, &(4_u32 << 20).to_le_bytes(), &10_u32.to_le_bytes())
    };
    let attacks: Vec<(&str, Vec<u8>, u16, &str)> = vec![
        ("zip slip", with_entry(b"../../x"), 422, "invalid_archive"),
        ("zip slip in the middle", with_entry(b"a/../../x"), 422, "invalid_archive"),
        ("absolute path", with_entry(b"/etc/cron.d/x"), 422, "invalid_archive"),
        ("drive letter", with_entry(b"C:/x"), 422, "invalid_archive"),
        ("backslashes", with_entry(b"..\\..\\x"), 422, "invalid_archive"),
        ("nul in a name", with_entry(b"x\0y"), 422, "invalid_archive"),
        ("right-to-left name", with_entry("x\u{202e}y".as_bytes()), 422, "invalid_archive"),
        ("duplicate names", with_entry(b"fine.txt"), 422, "invalid_archive"),
        ("names that differ in case", with_entry(b"FINE.txt"), 422, "invalid_archive"),
        ("symbolic link", link(), 422, "invalid_archive"),
        ("setuid", deflated("x", b"x", 0o4755), 422, "invalid_archive"),
        ("bomb", deflated("x", &vec![0; 64 << 20], 0o644), 413, "too_large"),
        ("bomb with a lying header", lying, 422, "invalid_archive"),
        ("a hundred thousand entries", entries(100_000), 413, "too_large"),
        ("more files than a folder holds", entries(5_000), 413, "too_large"),
        ("no archive", b"PK\x03\x04 not really".to_vec(), 422, "invalid_archive"),
        ("empty", Vec::new(), 422, "invalid_archive"),
    ];
    for (attack, archive, status, code) in attacks {
        let ask = upload(&format!("session_id={id}&unpack=true"), archive.clone());
        let answer = api.send(ask.bearer(&api.admin)).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{attack}: {}", answer.text());
        // Nor does it begin a session.
        assert_eq!(
            api.send(upload("unpack=true", archive).bearer(&api.admin)).await.status,
            status,
            "{attack}"
        );
        let listed = api.ok(200, get(&format!("//files/list?session_id={id}"))).await;
        assert_eq!(paths(&listed), ["here.txt"], "{attack}");
    }
    assert_eq!(api.ok(200, get("//code/sessions")).await.json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_archive_that_does_not_fit_leaves_nothing() {
    let runner = Arc::new(FakeRunner::default());
    let mut app = testkit::TestApp::new().await;
    let limits = sandbox::Limits { folder_bytes: 64 << 10, ..sandbox::Limits::default() };
    app.on_runner(&runner, ExecutionSettings { limits, ..ExecutionSettings::default() });
    let api = Api::of(app).await;
    let half = vec![7; 40 << 10];
    let id = session(&api.ok(200, upload("path=one", half.clone())).await);
    let ask = upload(&format!("session_id={id}&unpack=true"), zip(&[("a", b"a".to_vec()), ("b", half)]));
    api.refused(ask.bearer(&api.admin), 413, "too_large").await;
    assert_eq!(paths(&api.ok(200, get(&format!("//files/list?session_id={id}"))).await), ["one"]);
}
