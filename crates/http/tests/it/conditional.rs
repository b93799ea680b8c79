//! Reads and writes on a condition, and requests that are sent twice.

use serde_json::json;

use crate::api::{Api, delete, get, id, patch, post, put};

#[tokio::test]
async fn a_known_answer_is_not_sent_again() {
    let api = Api::new().await;
    let skill = format!("/skills/{}", id(&api.skill("one").await));
    let agent = format!("/agents/{}", id(&api.agent(json!({"name": "helper"})).await));
    for path in [skill, agent] {
        let first = api.ok(200, get(&path)).await;
        let tag = first.header("etag");
        assert!(tag.starts_with("\"1-"), "{tag}");
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            let again = api.ok(304, get(&path).header("if-none-match", &known)).await;
            assert_eq!((again.body.len(), again.header("etag")), (0, tag.clone()));
        }
        api.ok(200, get(&path).header("if-none-match", "\"1\"")).await;
    }
}

#[tokio::test]
async fn what_changes_without_the_version_changes_the_tag() {
    let api = Api::new().await;
    let skill = id(&api.skill("one").await);
    let path = format!("/skills/{skill}");
    let mut tag = api.ok(200, get(&path)).await.header("etag");
    let agent = id(&api.agent(json!({"name": "helper"})).await);
    let assign = put(&format!("/agents/{agent}/skills/{skill}"));
    for act in [post(&format!("{path}/uses")).json(json!({"success": true})), assign] {
        api.ok(200, act).await;
        let now = api.ok(200, get(&path).header("if-none-match", &tag)).await;
        assert_eq!(now.json()["version"], 1);
        // The version is the same, so the change that was prepared before still fits.
        tag = now.header("etag");
    }
    api.ok(200, patch(&path).header("if-match", &tag).json(json!({"title": "T"}))).await;
}

#[tokio::test]
async fn a_write_on_the_version_that_was_read_goes_through_once() {
    let api = Api::new().await;
    let skill = format!("/skills/{}", id(&api.skill("one").await));
    let agent = format!("/agents/{}", id(&api.agent(json!({"name": "helper"})).await));
    let edits = [
        patch(&skill).json(json!({"title": "T"})),
        put(&agent).json(json!({"name": "helper", "title": "T"})),
    ];
    for (path, edit) in [skill.clone(), agent].iter().zip(edits) {
        let tag = api.ok(200, get(path)).await.header("etag");
        let edit = edit.header("if-match", &tag);
        let written = api.ok(200, edit.clone()).await;
        assert_eq!(written.header("etag"), "\"2\"");
        api.refused(edit.bearer(&api.admin), 412, "precondition_failed").await;
    }
    api.ok(200, patch(&skill).header("if-match", "*").json(json!({"title": "U"}))).await;
    api.ok(200, post(&format!("{skill}/disable")).header("if-match", "\"3\"")).await;
    api.refused(delete(&skill).header("if-match", "\"3\"").bearer(&api.admin), 412, "precondition_failed")
        .await;
    api.ok(200, delete(&skill).header("if-match", "\"4\"")).await;
}

#[tokio::test]
async fn the_same_request_under_a_key_is_done_once() {
    let api = Api::new().await;
    let make =
        post("/skills").header("idempotency-key", "abc").json(json!({"name": "one", "description": "d"}));
    let first = api.ok(201, make.clone()).await;
    assert_eq!(first.header("idempotent-replay"), "");
    let before = api.app.snapshot().await;
    let again = api.ok(201, make).await;
    assert_eq!(again.header("idempotent-replay"), "true");
    assert_eq!(again.json()["skill"], first.json()["skill"]);
    assert_eq!(before.changes(&api.app.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_short_answer_to_a_delete_has_no_body() {
    let api = Api::new().await;
    let skill = format!("/skills/{}", id(&api.skill("one").await));
    let answer = api.ok(204, delete(&skill).header("prefer", "return=minimal")).await;
    assert!(answer.body.is_empty());
    api.ok(404, get(&skill)).await;
}
