//! The library through the door: putting in, reading, changing, reviewing.

use std::collections::BTreeSet;

use model::Role;
use serde_json::{Value, json};
use testkit::app::skill_md;

use crate::api::{Api, delete, get, id, patch, post, put, zip};

fn names(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_skill_of_fields_is_written_and_read_back() {
    let api = Api::new().await;
    let procedure = json!({"code": "def add(x: int):\n    return x + 1\n", "function": "add",
        "parameters": [{"name": "x", "type": "integer"}]});
    let body = json!({"name": "Add_One", "description": "Adds one.", "instructions": "# Add\n", "tags": ["math", "b"],
        "icon": "plus", "example_prompts": ["add one to 3"], "suggested_tools": ["python"], "license": "MIT",
        "procedure": procedure, "policy": {"always": true, "forbidden_tools": ["rm"]}, "label": "1.0.0",
        "files": [{"path": "data.bin", "content_base64": "AAEC/w=="}]});
    let made = api.ok(201, post("/skills").json(body)).await.json();
    assert_eq!(made["outcome"], "created");
    let skill = api.ok(200, get(&format!("/skills/{}", id(&made["skill"])))).await.json();
    assert_eq!((&skill["name"], &skill["title"]), (&json!("add-one"), &json!("Add_One")));
    assert_eq!(skill["tags"], json!(["b", "math"]));
    assert_eq!(skill["facets"], json!(["instructions", "procedure", "policy"]));
    assert_eq!(skill["procedure"]["file"], "scripts/main.py");
    assert_eq!(skill["policy"]["forbidden_tools"], json!(["rm"]));
    assert_eq!((&skill["license"], &skill["shown"]["label"]), (&json!("MIT"), &json!("1.0.0")));
    let paths: Vec<_> = skill["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["SKILL.md", "data.bin", "repertoire.yaml", "scripts/main.py"]);
    let bytes = api.ok(200, get(&format!("/skills/{}/files/data.bin", id(&skill)))).await.body;
    assert_eq!(bytes.as_ref(), [0, 1, 2, 255]);
}

#[tokio::test]
async fn a_skill_of_files_keeps_every_byte() {
    let api = Api::new().await;
    let text = "---\r\nname: exact\r\ndescription:   Spaces and\ttabs stay.\r\n---\r\nBody without an end";
    let files = json!([{"path": "SKILL.md", "content": text}, {"path": "run.sh", "content": "#!/bin/sh\n", "executable": true}]);
    let made = api.ok(201, post("/skills").json(json!({"files": files, "folder": "exact"}))).await.json();
    let path = format!("/skills/{}", id(&made["skill"]));
    assert_eq!(api.ok(200, get(&format!("{path}/files/SKILL.md"))).await.text(), text);
    let listed = api.ok(200, get(&format!("{path}/files"))).await.json();
    assert_eq!(
        (&listed["items"][1]["path"], &listed["items"][1]["executable"]),
        (&json!("run.sh"), &json!(true))
    );
}

#[tokio::test]
async fn a_file_is_shown_with_what_it_is_for() {
    let api = Api::new().await;
    let files = json!([{"path": "SKILL.md", "content": skill_md("told", "See the patterns.")},
        {"path": "references/patterns.md", "content": "# Patterns"},
        {"path": "repertoire.yaml", "content": "files:\n  references/patterns.md: Patterns that worked before\n"}]);
    let made = api.ok(201, post("/skills").json(json!({"files": files}))).await.json();
    for path in [format!("/skills/{}", id(&made["skill"])), format!("/skills/{}/files", id(&made["skill"]))] {
        let shown = api.ok(200, get(&path)).await.json();
        let list = shown.get("files").unwrap_or_else(|| &shown["items"]);
        assert_eq!(list[1]["description"], "Patterns that worked before");
        assert_eq!(list[0]["description"], Value::Null);
    }
}

#[tokio::test]
async fn an_edit_touches_what_it_names() {
    let api = Api::new().await;
    let body = json!({"name": "one", "description": "First.", "instructions": "Body.", "icon": "star", "license": "MIT"});
    let made = api.ok(201, post("/skills").json(body)).await.json();
    let path = format!("/skills/{}", id(&made["skill"]));
    let change = json!({"description": "Second.", "icon": null, "files": [{"path": "a.md", "content": "A"}], "message": "why"});
    let edited = api.ok(200, patch(&path).json(&change)).await.json();
    assert_eq!((&edited["outcome"], &edited["skill"]["revision"]), (&json!("revised"), &json!(2)));
    let now = api.ok(200, get(&path)).await.json();
    assert_eq!(
        (&now["description"], &now["icon"], &now["license"]),
        (&json!("Second."), &json!(null), &json!("MIT"))
    );
    assert_eq!(now["instructions"].as_str().unwrap().trim(), "Body.");
    let same = api.ok(200, patch(&path).json(json!({"description": "Second."}))).await.json();
    assert_eq!((&same["outcome"], &same["skill"]["version"]), (&json!("unchanged"), &json!(2)));
    api.ok(200, patch(&path).json(json!({"files": [{"path": "a.md", "delete": true}]}))).await;
    api.ok(404, get(&format!("{path}/files/a.md"))).await;
    api.ok(200, get(&format!("{path}/files/a.md?revision=2"))).await;
}

#[tokio::test]
async fn files_are_put_and_removed_one_by_one() {
    let api = Api::new().await;
    let path = format!("/skills/{}", id(&api.skill("one").await));
    let file = format!("{path}/files/deep/er/data%20file.txt");
    let done = api
        .ok(200, put(&format!("{file}?executable=true&message=why&label=1.0.0")).bytes("text/plain", "x"))
        .await;
    assert_eq!(done.json()["skill"]["revision"], 2);
    assert_eq!(api.ok(200, get(&file)).await.text(), "x");
    let revision = api.ok(200, get(&format!("{path}/revisions"))).await.json()["items"][0].clone();
    assert_eq!((&revision["message"], &revision["label"]), (&json!("why"), &json!("1.0.0")));
    api.ok(200, delete(&file)).await;
    api.ok(404, get(&file)).await;
    // A new name in the frontmatter is a new name of the skill.
    api.ok(200, put(&format!("{path}/files/SKILL.md")).bytes("text/markdown", skill_md("renamed", "Do.")))
        .await;
    assert_eq!(api.ok(200, get(&path)).await.json()["name"], "renamed");
}

#[tokio::test]
async fn an_archive_goes_out_as_it_came_in() {
    let api = Api::new().await;
    let odd = b"---\nname: odd\ndescription: Odd bytes.\n---\n\n\n trailing  \r\n";
    let binary: Vec<u8> = (0..=255).collect();
    let archive = zip(&[
        ("odd/SKILL.md", &odd[..]),
        ("odd/a/b.bin", &binary),
        ("even/SKILL.md", skill_md("even", "Do.").as_bytes()),
    ]);
    let done =
        api.ok(200, post("/skills/import?source=pack.zip&message=first").zip(archive.clone())).await.json();
    assert_eq!((&done["committed"], &done["folders"]), (&json!(true), &json!(["even", "odd"])));
    let skill = done["results"][1]["published"]["skill"].clone();
    assert_eq!(
        (&skill["name"], &skill["source"], &skill["origin"]),
        (&json!("odd"), &json!("pack.zip/odd"), &json!("imported"))
    );
    let bundle = api.ok(200, get(&format!("/skills/{}/bundle", id(&skill)))).await.body;
    let mut out = zip::ZipArchive::new(std::io::Cursor::new(bundle.to_vec())).unwrap();
    let mut read = |path: &str| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut out.by_name(path).unwrap(), &mut bytes).unwrap();
        bytes
    };
    assert_eq!((read("odd/SKILL.md"), read("odd/a/b.bin")), (odd.to_vec(), binary));
    let again = api.ok(200, post("/skills/import?source=pack.zip").zip(archive)).await.json();
    assert_eq!(again["results"][0]["published"]["outcome"], "unchanged");
    // What was exported is the same skill again, and replacing a bundle by itself changes nothing.
    let same = api.ok(200, put(&format!("/skills/{}/bundle", id(&skill))).zip(bundle.to_vec())).await.json();
    assert_eq!((&same["outcome"], &same["skill"]["digest"]), (&json!("unchanged"), &skill["digest"]));
    let verdict = api.ok(200, post("/skills/validate").zip(bundle.to_vec())).await.json();
    assert_eq!(
        (&verdict["accepted"], verdict["clients"].as_array().unwrap().is_empty()),
        (&json!(true), false)
    );
}

#[tokio::test]
async fn a_taken_name_goes_as_asked() {
    let api = Api::new().await;
    let first = api.skill("one").await;
    let ask =
        |how: &str| post("/skills").json(json!({"name": "one", "description": "Other.", "on_conflict": how}));
    let skipped = api.ok(200, ask("skip")).await.json();
    assert_eq!((&skipped["outcome"], &skipped["skill"]["revision"]), (&json!("skipped"), &json!(1)));
    let renamed = api.ok(201, ask("rename")).await.json();
    assert!(renamed["skill"]["name"].as_str().unwrap().starts_with("one-"));
    let revised = api.ok(200, ask("new_revision")).await.json();
    assert_eq!((&revised["outcome"], &revised["skill"]["id"]), (&json!("revised"), &first["id"]));
}

#[tokio::test]
async fn history_is_compared_labelled_and_restored() {
    let api = Api::new().await;
    let path = format!("/skills/{}", id(&api.skill("one").await));
    api.ok(200, patch(&path).json(json!({"instructions": "Second.\n"}))).await;
    let diff = api.ok(200, get(&format!("{path}/diff?from=1"))).await.json();
    assert_eq!(
        (&diff["files"][0]["path"], &diff["files"][0]["change"]),
        (&json!("SKILL.md"), &json!("modified"))
    );
    assert!(diff["files"][0]["unified"].as_str().unwrap().contains("+Second."));
    api.ok(200, put(&format!("{path}/revisions/1/label")).json(json!({"label": "1.0.0"}))).await;
    let old = api.ok(200, get(&format!("{path}/revisions/1.0.0"))).await.json();
    assert_eq!((&old["shown"]["number"], &old["revision"]), (&json!(1), &json!(2)));
    let restored =
        api.ok(200, post(&format!("{path}/restore")).json(json!({"revision": "1.0.0"}))).await.json();
    assert_eq!(
        (&restored["skill"]["revision"], &restored["skill"]["digest"]),
        (&json!(3), &old["shown"]["digest"])
    );
    let revisions = api.ok(200, get(&format!("{path}/revisions?limit=2"))).await.json();
    assert_eq!(revisions["items"][0]["number"], 3);
    let rest = format!("{path}/revisions?limit=2&cursor={}", revisions["next_cursor"].as_str().unwrap());
    let rest = api.ok(200, get(&rest)).await.json();
    assert_eq!((&rest["items"][0]["number"], &rest["next_cursor"]), (&json!(1), &json!(null)));
    let cleared =
        api.ok(200, put(&format!("{path}/revisions/1/label")).json(json!({"label": null}))).await.json();
    assert_eq!(cleared["label"], json!(null));
}

#[tokio::test]
async fn pages_show_every_skill_once_in_every_order() {
    let api = Api::new().await;
    let items: Vec<Value> = (0..120)
        .map(
            |n| json!({"name": format!("skill-{n:03}"), "description": "d", "tags": [format!("t{}", n % 3)]}),
        )
        .collect();
    api.ok(200, post("/skills/bulk").json(json!({"items": items}))).await;
    for sort in ["name", "updated", "created"] {
        let (mut seen, mut pages, mut cursor) = (BTreeSet::new(), 0, String::new());
        loop {
            let page =
                api.ok(200, get(&format!("/skills?limit=50&count=true&sort={sort}{cursor}"))).await.json();
            assert_eq!(page["total"], 120);
            for name in names(&page) {
                assert!(seen.insert(name.to_owned()), "{name} twice by {sort}");
            }
            pages += 1;
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!((seen.len(), pages), (120, 3), "{sort}");
    }
    let tags = api.ok(200, get("/tags")).await.json();
    assert_eq!(tags["items"][0], json!({"tag": "t0", "count": 40}));
    assert_eq!(api.ok(200, get("/skills?tag=t0&count=true")).await.json()["total"], 40);
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    api.agent(json!({"name": "helper"})).await;
    api.skill("shared").await;
    let bodies = [
        json!({"name": "mine", "description": "Growth of revenue.", "tags": ["money"]}),
        json!({"name": "draft", "description": "d", "draft": true}),
        json!({"name": "off", "description": "d", "enabled": false}),
        json!({"name": "asked", "description": "d", "scope": "workspace"}),
        json!({"name": "helpers", "description": "d", "scope": "agent_user", "agent": "helper"}),
        json!({"name": "code", "description": "d", "procedure": {"code": "print(1)"}}),
    ];
    for body in bodies {
        api.ok_as(&alice, 201, post("/skills").json(body)).await;
    }
    let table: [(&str, &[&str]); 11] = [
        ("", &["asked", "code", "draft", "helpers", "mine", "off", "shared"]),
        ("q=revenue+growth", &["mine"]),
        ("tag=money", &["mine"]),
        ("status=draft", &["draft"]),
        ("enabled=false", &["off"]),
        ("origin=admin", &["shared"]),
        ("scope=workspace", &["asked", "shared"]),
        ("agent=helper", &["helpers"]),
        ("facet=procedure", &["code"]),
        ("waiting=true", &["asked", "draft"]),
        ("name=Mine", &["mine"]),
    ];
    for (query, wanted) in table {
        let page = api.ok_as(&alice, 200, get(&format!("/skills?{query}"))).await.json();
        assert_eq!(names(&page), wanted, "{query}");
    }
    let of_alice = api.ok(200, get("/skills?user=alice&nearest=false")).await.json();
    assert!(!names(&of_alice).contains(&"shared"));
}

#[tokio::test]
async fn a_name_means_the_nearest_usable_skill() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let shared = api.skill("revenue-growth").await;
    let own = json!({"name": "revenue-growth", "description": "Mine.", "scope": "user"});
    let own = api.ok_as(&alice, 201, post("/skills").json(own)).await.json()["skill"].clone();
    let resolve = get("/skills/resolve?name=Revenue_Growth");
    assert_eq!(api.ok(200, resolve.clone()).await.json()["id"], shared["id"]);
    assert_eq!(api.ok_as(&alice, 200, resolve.clone()).await.json()["id"], own["id"]);
    api.ok_as(&alice, 200, post(&format!("/skills/{}/disable", id(&own)))).await;
    assert_eq!(api.ok_as(&alice, 200, resolve).await.json()["id"], shared["id"]);
    api.ok(404, get("/skills/resolve?name=unheard-of")).await;
}

#[tokio::test]
async fn a_skill_goes_through_review() {
    let api = Api::new().await;
    let (alice, rita) = (api.user("alice", &[]).await, api.user("rita", &[Role::Reviewer]).await);
    let made = json!({"name": "one", "description": "d", "scope": "workspace", "draft": true});
    let made = api.ok_as(&alice, 201, post("/skills").json(made)).await.json()["skill"].clone();
    let path = format!("/skills/{}", id(&made));
    let step = |word: &str| post(&format!("{path}/{word}"));
    assert_eq!(made["status"], "draft");
    let submitted = api.ok_as(&alice, 200, step("submit").json(json!({"reason": "ready"}))).await.json();
    assert_eq!(
        (&submitted["skill"]["status"], &submitted["changed"]),
        (&json!("pending_approval"), &json!(true))
    );
    api.refused(step("approve").bearer(&alice), 403, "forbidden").await;
    let rejected = api.ok_as(&rita, 200, step("reject").json(json!({"reason": "too short"}))).await.json();
    assert_eq!(rejected["skill"]["status_reason"], "too short");
    api.ok_as(&alice, 200, step("reopen")).await;
    // The very content that was rejected does not come in again; a mended one does.
    api.refused(step("submit").bearer(&alice), 409, "rejected_content").await;
    api.ok_as(&alice, 200, patch(&path).json(json!({"instructions": "Longer.\n"}))).await;
    api.ok_as(&alice, 200, step("submit")).await;
    let approved = api.ok_as(&rita, 200, step("approve?only_if=pending")).await.json();
    assert_eq!(
        (&approved["skill"]["status"], &approved["skill"]["usable"]),
        (&json!("active"), &json!(true))
    );
    // Nothing to say is said in three ways, and nothing to do changes nothing.
    for ask in [step("approve"), step("approve").json(json!({})), step("approve").json(Value::Null)] {
        assert_eq!(api.ok_as(&rita, 200, ask).await.json()["changed"], false);
    }
    api.refused(step("approve?only_if=pending").bearer(&rita), 400, "not_pending").await;
    for (word, enabled) in [("disable", false), ("enable", true)] {
        assert_eq!(api.ok_as(&rita, 200, step(word)).await.json()["skill"]["enabled"], enabled);
    }
    let own =
        api.ok_as(&alice, 201, post("/skills").json(json!({"name": "own", "description": "d"}))).await.json();
    let promote = post(&format!("/skills/{}/promote", id(&own["skill"]))).json(json!({"to": "workspace"}));
    let asked = api.ok_as(&alice, 200, promote).await.json();
    assert_eq!(asked["skill"]["promotion"]["kind"], "workspace");
    let granted = api.ok_as(&rita, 200, post(&format!("/skills/{}/approve", id(&own["skill"])))).await.json();
    assert_eq!(
        (&granted["skill"]["scope"]["kind"], &granted["skill"]["promotion"]),
        (&json!("workspace"), &json!(null))
    );
}

#[tokio::test]
async fn a_reviewer_sees_what_waits_and_what_it_would_replace() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let me = api.ok_as(&alice, 200, get("/me")).await.json()["user"]["id"].clone();
    let memory = json!({"enabled": true, "require_skill_approval": true, "approver": "admin"});
    let agent = api.agent(json!({"name": "strict", "procedural_memory": memory})).await["id"].clone();
    let through = |ask: crate::api::Ask| ask.header("repertoire-agent", "strict");
    let made = json!({"name": "one", "description": "d", "instructions": "First.\n"});
    let made = api.ok_as(&alice, 201, through(post("/skills").json(made))).await.json()["skill"].clone();
    let path = format!("/skills/{}", id(&made));
    assert_eq!((&made["revision"], &made["approved_revision"]), (&json!(1), &json!(null)));
    api.ok(200, post(&format!("{path}/approve"))).await;
    let change = json!({"instructions": "Second.\n", "message": "mend it"});
    api.ok_as(&alice, 200, through(patch(&path).json(change))).await;
    let session = api.ok_as(&alice, 201, post("/sessions")).await.json()["id"].clone();
    let proposal = json!({"name": "learned", "description": "d", "instructions": "i", "session_id": session});
    api.ok_as(&alice, 201, post("/skills/propose").json(proposal)).await;
    let queue = api.ok(200, get("/skills?waiting=true&count=true")).await.json();
    assert_eq!((&queue["total"], names(&queue)), (&json!(2), vec!["learned", "one"]));
    let [learned, waits] = queue["items"].as_array().unwrap().as_slice() else { panic!("{queue}") };
    assert_eq!((&learned["created_in"], &learned["approved_revision"]), (&session, &json!(null)));
    assert_eq!((&learned["status"], &learned["created_by"]), (&json!("draft"), &me));
    assert_eq!(waits["status"], "pending_approval");
    assert_eq!((&waits["revision"], &waits["approved_revision"]), (&json!(2), &json!(1)));
    assert_eq!((&waits["updated_by"], &waits["created_through"]), (&me, &agent));
    let shown = api.ok(200, get(&path)).await.json()["shown"].clone();
    assert_eq!((&shown["number"], &shown["author_id"], &shown["agent_id"]), (&json!(2), &me, &agent));
    assert_eq!(shown["message"], "mend it");
    let diff = api.ok(200, get(&format!("{path}/diff?from={}", waits["approved_revision"]))).await.json();
    let text = diff["files"][0]["unified"].as_str().unwrap();
    assert!(text.contains("-First.") && text.contains("+Second."), "{text}");
    let approved = api.ok(200, post(&format!("{path}/approve"))).await.json()["skill"].clone();
    assert_eq!((&approved["revision"], &approved["approved_revision"]), (&json!(2), &json!(2)));
}

#[tokio::test]
async fn the_revision_whose_policy_is_in_force_is_told() {
    let api = Api::new().await;
    let policy =
        json!({"name": "guard", "description": "d", "policy": {"always": true, "forbidden_tools": ["rm"]}});
    let made = api.ok(201, post("/skills").json(policy)).await.json()["skill"].clone();
    assert_eq!(made["enforced_revision"], 1);
    let plain = api.skill("plain").await;
    assert_eq!((&plain["enforced_revision"], &plain["approved_revision"]), (&json!(null), &json!(1)));
}

#[tokio::test]
async fn files_are_examined_as_an_archive_is() {
    let api = Api::new().await;
    let skill_file = "---\nname: Notes\ndescription: Writes notes.\n---\n\nWrite.\n";
    let sidecar = "title: Notes\ncolour: red\n";
    let files = [("notes/SKILL.md", skill_file), ("notes/repertoire.yaml", sidecar)];
    let in_archive = api.ok(200, post("/skills/validate").zip(zip(&files))).await.json();
    let listed: Vec<Value> = files
        .iter()
        .map(|(path, content)| json!({"path": path.trim_start_matches("notes/"), "content": content}))
        .collect();
    let body = json!({"files": listed, "folder": "notes"});
    let before = api.app.snapshot().await;
    let as_files = api.ok(200, post("/skills/validate").json(&body)).await.json();
    assert_eq!(as_files, in_archive);
    assert_eq!(before.changes(&api.app.snapshot().await), Vec::<String>::new());
    let found = as_files["findings"].as_array().unwrap();
    let in_sidecar = found.iter().find(|finding| finding["file"] == "repertoire.yaml");
    assert_eq!(in_sidecar.unwrap()["line"], 2, "{as_files}");
    let broken = json!({"files": [{"path": "SKILL.md", "content": "---\nname: a\n: :\n---\n"}]});
    let broken = api.ok(200, post("/skills/validate").json(broken)).await.json();
    assert_eq!(
        (&broken["accepted"], &broken["problem"]["code"]),
        (&json!(false), &json!("invalid_manifest"))
    );
    let encoded = json!({"files": [{"path": "SKILL.md", "content_base64": "LS0tCm5hbWU6IGEKZGVzY3JpcHRpb246IEIuCi0tLQo="}]});
    assert_eq!(api.ok(200, post("/skills/validate").json(encoded)).await.json()["accepted"], true);
}

#[tokio::test]
async fn uses_and_words_are_counted() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let path = format!("/skills/{}", id(&api.skill("one").await));
    for success in [true, true, false] {
        api.ok_as(&alice, 200, post(&format!("{path}/uses")).json(json!({"success": success}))).await;
    }
    let statistics = api.ok(200, get(&path)).await.json()["statistics"].clone();
    assert_eq!((&statistics["execution_count"], &statistics["failure_count"]), (&json!(3), &json!(1)));
    let word = |helpful| post(&format!("{path}/feedback")).json(json!({"helpful": helpful, "comment": "hm"}));
    api.ok_as(&alice, 200, word(false)).await;
    let now = api.ok_as(&alice, 200, word(true)).await.json();
    assert_eq!((&now["helpful_count"], &now["unhelpful_count"]), (&json!(1), &json!(0)));
    assert_eq!(api.ok(200, get(&format!("{path}/feedback"))).await.json()["items"][0]["comment"], "hm");
}

#[tokio::test]
async fn a_deleted_skill_can_be_brought_back_while_the_window_is_open() {
    let api = Api::new().await;
    api.ok(200, patch("/workspace").json(json!({"undelete_window_hours": 1}))).await;
    let skill = api.skill("one").await;
    let path = format!("/skills/{}", id(&skill));
    let gone = api.ok(200, delete(&format!("{path}?reason=mistake"))).await.json();
    assert_eq!((&gone["deleted"], &gone["message"]), (&json!(true), &json!("Skill 'one' has been deleted.")));
    api.ok(404, get(&path)).await;
    assert_eq!(names(&api.ok(200, get("/skills?deleted=true")).await.json()), ["one"]);
    api.ok(200, post(&format!("{path}/undelete"))).await;
    assert_eq!(api.ok(200, get(&path)).await.json()["digest"], skill["digest"]);
}

#[tokio::test]
async fn a_proposal_waits_with_a_card_for_the_conversation() {
    let api = Api::new().await;
    let session = api.ok(201, post("/sessions")).await.json()["id"].clone();
    let body = json!({"name": "CRM_flow", "description": "Fills in contacts.", "instructions": "Look it up.",
        "example_queries": ["complete this contact"], "suggested_tools": ["crm"], "session_id": session});
    let made = api.ok(201, post("/skills/propose").json(&body)).await.json();
    assert_eq!(made["message"], "Skill proposal created. Awaiting user confirmation.");
    let skill = &made["skill"];
    assert_eq!(
        (&skill["name"], &skill["title"], &skill["status"]),
        (&json!("crm-flow"), &json!("CRM_flow"), &json!("draft"))
    );
    assert_eq!((&skill["scope"]["kind"], &skill["origin"]), (&json!("user"), &json!("learned")));
    let card = &made["artifact"];
    assert_eq!(
        (&card["type"], &card["title"]),
        (&json!("skill_proposal"), &json!("Skill Proposal: CRM_flow"))
    );
    let again = api.ok(200, post("/skills/propose").json(&body)).await.json();
    assert_eq!((&again["outcome"], &again["skill"]["id"]), (&json!("unchanged"), &skill["id"]));
    let shown = api.ok(200, get(&format!("/sessions/{}", session.as_str().unwrap()))).await.json();
    assert_eq!(shown["proposed_skills"][0]["name"], "CRM_flow", "{shown}");
    for session in ["mine", "019b8d62-7a80-7e89-af30-963784ae0865"] {
        let bad = json!({"name": "x", "description": "d", "instructions": "i", "session_id": session});
        api.refused(post("/skills/propose").json(bad).bearer(&api.admin), 404, "not_found").await;
    }
}
