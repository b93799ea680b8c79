//! The interpreter through the door. What it does is tested where it is done, on real code.

use model::ProceduralMemory;
use sandbox::Captured;
use serde_json::{Value, json};
use testkit::FakeRunner;
use testkit::runner::returned;

use crate::api::{Answer, Api, Ask, get, post};

fn interpret(body: Value) -> Ask {
    post("/interpreter").json(body)
}

/// A door on programs that print, and on a reader of Python that finds `adds(a)`.
async fn api() -> Api {
    let api = Api::on_runner(FakeRunner::new(|execution| {
        if execution.program.main == "reader.py" {
            let parameter =
                json!({"name": "a", "type": "integer", "required": true, "description": "A number."});
            let read = json!({"function": "adds", "parameters": [parameter], "summary": null, "notes": []});
            return Ok(returned(&execution, read));
        }
        let stdout = Captured { bytes: b"told\n".to_vec(), truncated: false };
        Ok(sandbox::Outcome { stdout, ..returned(&execution, json!(3)) })
    }))
    .await;
    api.app.agent_with("on", ProceduralMemory::default()).await;
    api.app.agent("off").await;
    api
}

async fn through(api: &Api, agent: &str, body: Value) -> Answer {
    api.ok(200, interpret(body).header("repertoire-agent", agent)).await
}

#[tokio::test]
async fn an_agent_with_memory_saves_finds_and_uses_a_skill() {
    let api = api().await;
    let description = "Adds numbers, also large ones.";
    let register = json!({"operation": "register_skill", "prompt": "def adds(a): return a + 1",
        "skill_name": "adds", "skill_description": description});
    let saved = through(&api, "on", register).await.json();
    assert!(saved["text"].as_str().unwrap().starts_with("Skill 'adds' has been saved and is ready to use."));
    assert_eq!((&saved["operation"], &saved["failed"]), (&json!("register_skill"), &json!(false)));
    let [artifact] = saved["artifacts"].as_array().unwrap().as_slice() else { panic!("{saved}") };
    assert_eq!((&artifact["type"], &artifact["title"]), (&json!("skill_saved"), &json!("Skill Saved: adds")));
    assert_eq!(artifact["filepath"], artifact["metadata"]["skill_object_id"]);
    let skill = api.ok(200, get(&format!("/skills/{}", artifact["skill_id"].as_str().unwrap()))).await.json();
    assert_eq!(skill["name"], "adds");
    assert_eq!(saved.get("skills"), None);

    let search = json!({"operation": "search_skills", "prompt": "add numbers"});
    let found = through(&api, "on", search).await.json();
    let [skill] = found["skills"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!((&skill["name"], &skill["description"]), (&json!("adds"), &json!(description)));
    let parameter = json!({"name": "a", "type": "integer", "description": "A number.", "required": true});
    assert_eq!(skill["parameters"], json!([parameter]));

    let mut fields = skill.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>();
    fields.sort_unstable();
    assert_eq!(fields, ["description", "name", "parameters", "similarity"]);
    let request = json!({"operation": "use_skill", "skill_name": "adds", "skill_parameters": {"a": 2},
        "session_id": "", "conversation_id": "", "file_names": null, "code": null});
    let used = through(&api, "on", request).await.json();
    assert_eq!((&used["result"], &used["stdout"]), (&json!(3), &json!("told\n")));
    assert_eq!(used["artifacts"][0]["metadata"]["execution_count"], 1);
}

#[tokio::test]
async fn to_an_agent_without_memory_there_are_no_skills() {
    let api = api().await;
    for operation in ["execute", "search_skills", "use_skill", "register_skill", "auto", "dance"] {
        let body =
            json!({"operation": operation, "prompt": "1 + 2", "skill_name": "x", "skill_parameters": {}});
        let answer = through(&api, "off", body).await;
        let wanted = json!({
            "operation": "execute", "text": "Result: 3\nPrinted:\ntold", "failed": false, "error": null,
            "result": 3, "stdout": "told\n", "stderr": "", "files": [], "session_id": null, "call_id": null,
        });
        assert_eq!(answer.json(), wanted);
    }
}

#[tokio::test]
async fn a_call_that_failed_is_no_failed_request() {
    let api = api().await;
    let unknown = api.ok(200, interpret(json!({"operation": "dance"}))).await.json();
    assert_eq!((&unknown["failed"], &unknown["operation"]), (&json!(true), &Value::Null));
    assert_eq!((&unknown["error"]["code"], &unknown["artifacts"]), (&json!("unknown_operation"), &json!([])));
    let missing = json!({"operation": "use_skill", "skill_name": "nothing"});
    let missing = api.ok(200, interpret(missing)).await.json();
    assert_eq!((&missing["error"]["code"], &missing["error"]["line"]), (&json!("not_found"), &Value::Null));
    assert_eq!(missing["error"]["message"], "There is no skill named 'nothing'.");
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_refused() {
    let api = api().await;
    let interpret = |body| interpret(body).bearer(&api.admin);
    api.refused(interpret(json!({"prompt": "1", "colour": "red"})), 400, "invalid_request").await;
    api.refused(interpret(json!({"prompt": 1})), 400, "invalid_request").await;
    for field in ["session_id", "conversation_id"] {
        api.refused(interpret(json!({"prompt": "1", field: "nothing"})), 404, "not_found").await;
    }
}
