//! People, tokens, agents, the audit log and backups through the door.

use model::{Role, TokenScope};
use repertoire_http::HttpConfig;
use serde_json::{Value, json};

use crate::api::{Api, delete, get, id, patch, post, put};

#[tokio::test]
async fn a_workspace_admin_gets_no_credential_of_someone_greater() {
    let api = Api::new().await;
    let there = api.app.workspace("other").await;
    let olga = api.app.user_in(&there, "olga", &[Role::Admin]).await;
    let olga = api.token(&olga, TokenScope::ALL).await;
    api.user("alice", &[Role::Admin]).await;
    // Anyone may be invited; that must not make their other workspaces, or the installation, reachable.
    for handle in ["alice", "newcomer"] {
        api.ok_as(&olga, 201, post("/users").json(json!({"handle": handle}))).await;
    }
    for (handle, allowed) in [("admin", false), ("alice", false), ("newcomer", true)] {
        let users = api.ok_as(&olga, 200, get(&format!("/users?handle={handle}"))).await.json();
        let link = post(&format!("/users/{}/sign-in-link", id(&users["items"][0])));
        let token = post("/tokens").json(json!({"name": "t", "user": handle, "scopes": ["read"]}));
        for ask in [link, token] {
            if allowed {
                api.ok_as(&olga, 201, ask).await;
            } else {
                api.refused(ask.bearer(&olga), 403, "forbidden").await;
            }
        }
    }
}

#[tokio::test]
async fn people_come_get_roles_and_go() {
    let api = Api::new().await;
    let made =
        api.ok(201, post("/users").json(json!({"handle": "Rita@Example.com", "roles": ["reviewer"]}))).await;
    let made = made.json();
    assert_eq!(
        (&made["handle"], &made["roles"]),
        (&json!("rita@example.com"), &json!(["reviewer", "member"]))
    );
    let path = format!("/users/{}", id(&made));
    let change = json!({"display_name": "Rita", "roles": []});
    assert_eq!(api.ok(200, patch(&path).json(change)).await.json()["roles"], json!(["member"]));
    assert_eq!(api.ok(200, get(&path)).await.json()["display_name"], "Rita");
    api.ok(204, delete(&path)).await;
    api.ok(404, get(&path)).await;
    assert_eq!(api.ok(200, get("/users")).await.json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_secret_is_shown_once() {
    let api = Api::new().await;
    let made =
        api.ok(201, post("/tokens").json(json!({"name": "ci", "scopes": ["read", "write"]}))).await.json();
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("rpt_"));
    assert_eq!(api.ok_as(secret, 200, get("/me")).await.json()["token_scopes"], json!(["read", "write"]));
    let listed = api.ok(200, get("/tokens?user=all")).await;
    assert!(listed.text().contains(&id(&made)) && !listed.text().contains(secret));
    let log = api.ok(200, get("/audit/export")).await;
    assert!(log.text().contains("token.create") && !log.text().contains(secret));
}

#[tokio::test]
async fn a_token_that_is_bound_to_an_agent_stays_bound() {
    let api = Api::new().await;
    for name in ["helper", "builder"] {
        api.agent(json!({"name": name})).await;
    }
    let request = json!({"name": "bound", "agent": "helper", "scopes": ["read", "write", "review", "admin"]});
    let made = api.ok(201, post("/tokens").json(request)).await.json();
    let token = made["secret"].as_str().unwrap();
    assert_eq!(api.ok_as(token, 200, get("/me")).await.json()["agent_id"], made["agent_id"]);
    api.refused(get("/me").bearer(token).header("repertoire-agent", "builder"), 404, "not_found").await;
    api.refused(post("/sign-in").json(json!({"token": token})), 400, "invalid_request").await;
    let own =
        api.ok_as(token, 201, post("/tokens").json(json!({"name": "more", "scopes": ["read"]}))).await.json();
    assert_eq!(own["agent_id"], made["agent_id"]);
}

#[tokio::test]
async fn an_agent_is_made_changed_and_removed() {
    let api = Api::new().await;
    let skills = [id(&api.skill("one").await), id(&api.skill("two").await)];
    let agent = api.agent(json!({"name": "helper", "procedural_memory": {"enabled": true}})).await;
    let path = format!("/agents/{}", id(&agent));
    assert_eq!(agent["procedural_memory"]["skill_search_threshold"], 0.8);
    api.ok(200, put(&format!("{path}/skills/{}", skills[0]))).await;
    let assigned = api
        .ok(200, put(&format!("{path}/skills/{}", skills[1])).json(json!({"pin": 1, "position": 0})))
        .await;
    let order: Vec<Value> = assigned.json()["skills"].as_array().unwrap().clone();
    assert_eq!(order[0], json!({"skill_id": skills[1], "pin": 1}));
    assert_eq!(order[1], json!({"skill_id": skills[0], "pin": null}));
    assert_eq!(api.ok(200, get(&format!("/skills/{}", skills[0]))).await.json()["agents"], json!(["helper"]));
    let left = api.ok(200, delete(&format!("{path}/skills/{}", skills[1]))).await.json();
    assert_eq!(left["skills"].as_array().unwrap().len(), 1);
    let off = api.ok(200, put(&path).json(json!({"name": "helper"}))).await.json();
    assert_eq!((&off["procedural_memory"], &off["skills"]), (&json!(null), &json!([])));
    assert_eq!(api.ok(200, get("/agents?name=Helper")).await.json()["items"][0]["id"], agent["id"]);
    api.ok(204, delete(&path)).await;
    api.ok(404, get(&path)).await;
}

#[tokio::test]
async fn the_log_is_listed_exported_and_verified() {
    let api = Api::new().await;
    for n in 0..30 {
        api.skill(&format!("skill-{n}")).await;
    }
    let (mut seen, mut cursor) = (0, String::new());
    loop {
        let page = api.ok(200, get(&format!("/audit?verb=skill.&limit=7{cursor}"))).await.json();
        seen += page["items"].as_array().unwrap().len();
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, 30);
    let export = api.ok(200, get("/audit/export")).await;
    assert_eq!(export.header("content-type"), "application/jsonl");
    let lines: Vec<Value> = export.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verified = api.ok(200, get("/audit/verification")).await.json();
    assert_eq!((&verified["valid"], &verified["entries"]), (&json!(true), &json!(lines.len())));
    assert_eq!(lines.last().unwrap()["hash"], verified["head"]);
    assert!(lines.windows(2).all(|pair| pair[1]["previous"] == pair[0]["hash"]));
    api.app.tamper("UPDATE audit_entries SET verb = 'skill.other' WHERE sequence = 5", &[]).await;
    // Behind the program's back no commit is counted, so ask in another way than before.
    let broken = api.ok(200, get("/audit/verification?")).await.json();
    assert_eq!(broken["valid"], false, "{broken}");
}

#[tokio::test]
async fn a_backup_is_a_database_with_the_same_rows() {
    use store_sql::{Driver as _, TABLES};
    let api = Api::new().await;
    api.skill("one").await;
    let backup = api.ok(200, get("/backup")).await;
    assert_eq!(backup.header("content-type"), "application/vnd.sqlite3");
    let file = api.app.folder().join("copy.sqlite");
    std::fs::write(&file, &backup.body).unwrap();
    let copy = store_sqlite::SqliteDriver::open(&file).await.unwrap();
    let mut connection = copy.read().await.unwrap();
    let there = api.app.snapshot().await;
    for &table in TABLES {
        let rows = connection.query(format!("SELECT * FROM {table}").into(), vec![]).await.unwrap();
        assert_eq!(rows.len(), there.rows(table), "{table}");
    }
}

#[tokio::test]
async fn who_asks_who_they_are_is_told_how_much_the_server_takes() {
    let config = HttpConfig { max_body_bytes: 4096, ..HttpConfig::default() };
    let api = Api::with(config).await;
    let limits = app::Limits::default();
    let wanted = json!({
        "max_files": limits.max_files, "max_file_bytes": limits.max_file_bytes,
        "max_bundle_bytes": limits.max_bundle_bytes, "max_skill_file_bytes": limits.max_skill_file_bytes,
        "max_archive_bytes": limits.max_archive_bytes, "max_archive_entries": limits.max_archive_entries,
        "max_expansion": limits.max_expansion, "max_body_bytes": 4096,
    });
    let alice = api.user("alice", &[]).await;
    assert_eq!(api.ok_as(&alice, 200, get("/me")).await.json()["limits"], wanted);
}
