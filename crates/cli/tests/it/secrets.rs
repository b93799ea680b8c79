//! Secrets in commands, tasks and results do not reach the disk. All keys here are made up.

use std::path::Path;

use serde_json::json;

use crate::api::Api;
use crate::world::{World, tree};

/// A key as it leaks: made up, of a valid form.
fn key() -> String {
    format!("ghp_{}", "q7Rk2Wz9Lm4Tn8Vb3Xc5Jd1Hg6Fs0PyQ7rK2".chars().take(36).collect::<String>())
}

const PASSWORD: &str = "tulips-for-ada-42";

/// A policy that refuses commands with a key in them, and quotes the command in its reason.
const NO_KEYS: &str = "\
policy:
  scope: security
  activation: {always: true}
  forbidden_tools: ['Bash(curl:*)']
";

#[track_caller]
fn assert_nowhere(folder: &Path, secrets: &[&str]) {
    for (path, bytes, _) in tree(folder) {
        for secret in secrets {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "`{secret}` is in {path}");
        }
    }
}

#[tokio::test]
async fn a_secret_that_agents_use_reaches_neither_disk_nor_backup_nor_log() {
    let world = World::new();
    world.skill("no-keys", "Bounds what agents may do. Use never; it holds by itself.");
    world.write("no-keys/repertoire.yaml", NO_KEYS);
    world.ok(&["import", "no-keys"]);
    let server = world.serve();
    let api = Api::new(&world, &server);
    let key = key();
    let command = format!("curl -H 'Authorization: Bearer {key}' https://h && PGPASSWORD={PASSWORD} psql");
    let task = format!("Push with {key}; the password is {PASSWORD}");

    let body = json!({"task": task, "tool": "Bash", "arguments": {"command": command}});
    let judged = api.post("/api/v1/governance/judge", &body).await.expect(200);
    assert_eq!(judged["allowed"], false, "{judged}");
    let started =
        api.post("/api/v1/governance/runs", &json!({"task": task, "context": {"note": command}})).await;
    let run = started.expect(201)["run"]["id"].as_str().unwrap().to_owned();
    let step = json!({"tool": "Bash", "arguments": {"command": command}});
    api.post(&format!("/api/v1/governance/runs/{run}/judge"), &step).await.expect(200);

    let session = api.post("/api/v1/sessions", &json!({"title": task})).await.expect(201);
    let id = session["id"].as_str().unwrap();
    let entries = json!({"entries": [
        {"kind": "message", "role": "user", "text": task},
        {"kind": "message", "role": "system", "text": "You are an agent."},
        {"kind": "tool_call", "tool": "Bash", "call_id": "1", "data": {"command": command}},
        {"kind": "tool_result", "tool": "Bash", "call_id": "1", "text": format!("sent {key} and {PASSWORD}")},
        {"kind": "tool_result", "tool": "code_interpreter", "call_id": "2",
         "text": "Used skill 'a'\n\nTell the user that you used the existing skill 'a', and what for."},
    ]});
    api.post(&format!("/api/v1/sessions/{id}/entries"), &entries).await.expect(200);
    let todos = json!({"todos": [{"id": "1", "content": task, "status": "pending"}]});
    api.put(&format!("/api/v1/sessions/{id}/todos"), &todos).await.expect(200);
    let skill = world.json(&["skill", "show", "no-keys"])["id"].as_str().unwrap().to_owned();
    let feedback = json!({"helpful": false, "comment": task});
    api.post(&format!("/api/v1/skills/{skill}/feedback"), &feedback).await.expect(200);

    // What is shown says what it was.
    let log = world.ok(&["policy", "log", "--json"]);
    let shown = world.ok(&["session", "show", id, "--json"]);
    for text in [&log, &shown] {
        assert!(!text.contains(&key) && !text.contains(PASSWORD), "{text}");
        assert!(text.contains("[redacted: GitHub token]") && text.contains("[redacted: password]"), "{text}");
    }
    let kept = api.get(&format!("/api/v1/sessions/{id}/entries")).await.expect(200);
    let entry = |n: usize| kept["items"][n].clone();
    assert_eq!((&entry(0)["internal"], &entry(1)["internal"]), (&json!(false), &json!(true)));
    assert_eq!(
        (&entry(3)["display_text"], &entry(4)["display_text"]),
        (&json!(null), &json!("Used skill 'a'"))
    );

    world.ok(&["backup", "copy.db"]);
    assert!(world.ok(&["audit", "verify"]).contains("whole"));
    server.stop();
    let copy = world.path("copies");
    std::fs::create_dir(&copy).unwrap();
    std::fs::rename(world.path("copy.db"), copy.join("copy.db")).unwrap();
    assert_nowhere(&copy, &[&key, PASSWORD]);
    assert_nowhere(&world.path(".local/share/repertoire"), &[&key, PASSWORD]);
}
