//! Running skills over the wire.

use std::time::Duration;

use sandbox::{Captured, Ending, Failure, FailureCode, Outcome, Usage, Visit};
use serde_json::json;
use testkit::FakeRunner;
use testkit::runner::{ended, returned};

use crate::api::{Api, get, id, post};

async fn api() -> (Api, String) {
    let runner = FakeRunner::new(|execution| {
        let number = |name: &str| execution.program.parameters[name].as_i64().unwrap();
        if number("a") < 0 {
            let failure = Failure {
                code: FailureCode::Raised,
                kind: "ValueError".to_owned(),
                message: "negative".to_owned(),
                file: Some("scripts/main.py".to_owned()),
                line: Some(1),
                traceback: "scripts/main.py, line 1".to_owned(),
            };
            return Ok(ended(&execution, Ending::Failed(failure)));
        }
        let sum = number("a") + number("b");
        execution.folder.clone().unwrap().write("sum.txt", sum.to_string().as_bytes())?;
        let usage = Usage { wall: Duration::from_micros(1_500), cpu: None, memory: Some(1 << 20) };
        let stdout = Captured { bytes: b"adding\n".to_vec(), truncated: false };
        let visits = vec![Visit { host: "example.org:443".to_owned(), allowed: false }];
        Ok(Outcome { stdout, visits, usage, ..returned(&execution, json!({ "sum": sum })) })
    });
    let api = Api::on_runner(runner).await;
    let skill = id(&api.adder(json!({})).await);
    (api, skill)
}

#[tokio::test]
async fn a_run_is_answered_whole_and_remembered_at_its_location() {
    let (api, skill) = api().await;
    let request = json!({"parameters": {"a": 2, "b": 3}, "redact": ["b"]});
    let answer = api.ok(201, post(&format!("/skills/{skill}/runs")).json(request)).await;
    let mut ran = answer.json();
    assert_eq!(answer.header("location"), format!("/api/v1/runs/{}", id(&ran)));
    let path = format!("/runs/{}", id(&ran));
    let remembered = api.ok(200, get(&path)).await.json();
    for (field, value) in remembered.as_object().unwrap() {
        assert_eq!(&ran[field], value, "{field}");
    }
    assert_eq!(remembered.get("result"), None);
    let digest = ran["output_digest"].as_str().unwrap().to_owned();
    assert!(digest.starts_with("sha256:"), "{digest}");
    let fields = ran.as_object_mut().unwrap();
    for field in ["id", "user_id", "started_at", "output_digest"] {
        fields.remove(field).unwrap();
    }
    let expected = json!({
        "skill_id": skill, "skill_name": "adder", "revision": 1, "agent_id": null,
        "status": "succeeded", "result": {"sum": 5}, "stdout": "adding\n", "stdout_truncated": false,
        "stderr": "", "stderr_truncated": false, "error": null, "limits_hit": [],
        "files": [{"path": "sum.txt", "size": 1, "media_type": "text/plain", "content_base64": "NQ=="}],
        "files_truncated": false, "visits": [{"host": "example.org:443", "allowed": false}],
        "parameters": {"a": 2, "b": "[redacted]"}, "duration_ms": 1.5, "cpu_ms": null,
        "memory_bytes": 1_048_576, "result_size": 9,
    });
    assert_eq!(ran, expected);
}

#[tokio::test]
async fn code_that_fails_is_a_run_and_moves_the_statistics() {
    let (api, skill) = api().await;
    for a in [1, -1] {
        api.ok(201, post(&format!("/skills/{skill}/runs")).json(json!({"parameters": {"a": a}}))).await;
    }
    let runs = api.ok(200, get(&format!("/skills/{skill}/runs?status=failed"))).await.json();
    let error = json!({"code": "code_error", "type": "ValueError", "message": "negative",
        "file": "scripts/main.py", "line": 1});
    assert_eq!((runs["items"].as_array().unwrap().len(), &runs["items"][0]["error"]), (1, &error));
    let statistics = api.ok(200, get(&format!("/skills/{skill}/statistics"))).await.json();
    assert_eq!(statistics["total"]["execution_count"], 2);
    let revision = &statistics["revisions"][0];
    assert_eq!(
        (&revision["revision"], &revision["successes"], &revision["failures"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(revision["success_rate"], 0.5);
    let skill = api.ok(200, get(&format!("/skills/{skill}"))).await.json();
    assert_eq!(skill["statistics"]["execution_count"], 2);
}

#[tokio::test]
async fn a_check_tells_whether_a_skill_repeats() {
    let (api, skill) = api().await;
    let request = json!({"times": 3, "parameters": {"a": 1}});
    let told = api.ok(200, post(&format!("/skills/{skill}/runs/check")).json(request)).await.json();
    assert_eq!((&told["deterministic"], &told["times"]), (&json!(true), &json!(3)));
    assert_eq!(told["output_digests"][0]["count"], 3);
    assert_eq!(told["first_difference"], json!(null));
    assert_eq!(api.ok(200, get("/runs?limit=2")).await.json()["items"].as_array().unwrap().len(), 2);
    let before = json!({"before": "2100-01-01T00:00:00Z"});
    assert_eq!(api.ok(200, post("/runs/prune").json(before)).await.json(), json!({"removed": 3}));
}

#[tokio::test]
async fn the_state_of_the_sandbox_is_never_given_again() {
    let (api, _) = api().await;
    let idle = api.ok(200, get("/sandbox")).await.json();
    assert_eq!(
        (&idle["available"], &idle["reason"], &idle["running"]),
        (&json!(true), &json!(null), &json!(0))
    );
    assert_eq!(idle["protections"][0]["name"], "fake");
    assert_eq!(idle["limits"]["wall_ms"], 30_000);
    let _running = api.app.cx.queue.enter(&api.app.admin().await).await.unwrap();
    assert_eq!(api.ok(200, get("/sandbox")).await.json()["running"], 1);
}

#[tokio::test]
async fn limits_and_hosts_of_a_procedure_and_an_agent_are_shown_as_they_were_given() {
    let (api, _) = api().await;
    let limits = json!({"wall_ms": 1_500, "cpu_ms": null, "memory_bytes": 67_108_864, "processes": 4,
        "open_files": null, "folder_bytes": null, "folder_files": null, "output_bytes": null, "result_bytes": 1_000});
    let procedure = json!({"code": "x = 1", "limits": limits, "network": ["example.org"]});
    let skill = id(&api.adder(json!({"name": "limited", "procedure": procedure})).await);
    let shown = api.ok(200, get(&format!("/skills/{skill}"))).await.json();
    assert_eq!(shown["procedure"]["limits"], limits);
    assert_eq!(shown["procedure"]["network"], json!(["example.org"]));
    let agent = api.agent(json!({"name": "bot", "run_limits": limits})).await;
    assert_eq!(agent["run_limits"], limits);
}
