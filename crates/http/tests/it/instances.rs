//! The instance dialect: every endpoint, with every status it answers.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use app::ExecutionSettings;
use model::{Role, TokenScope};
use serde_json::{Value, json};
use testkit::runner::returned;
use testkit::{FakeRunner, TestApp};

use crate::api::{Answer, Api, Ask, ask, delete, get, id, patch, post, put};

const CODE: &str = "def add_numbers(a, b):\n    return a + b\n";
const SKILLS: &str = "//instances/default/skills";
const PROVIDER: &str = "//instances/default/providers/FoundationaLLM.Skill/skills";
const AGENTS: &str = "//instances/default/providers/FoundationaLLM.Agent/agents";

/// A runner that reads code as well as it must here: the first function, with integers for parameters.
fn reader() -> FakeRunner {
    FakeRunner::new(|execution| {
        let source = execution.program.parameters["source"].as_str().unwrap_or_default();
        let head = source.lines().find_map(|line| line.strip_prefix("def ")?.split_once('('));
        let told = match head {
            _ if source.contains("{{{") => json!({"problem": {"message": "invalid syntax", "line": 1}}),
            Some((function, rest)) => {
                let names = rest.split(')').next().unwrap().split(',').map(str::trim);
                let parameters: Vec<Value> = names
                    .filter(|name| !name.is_empty())
                    .map(|name| json!({"name": name, "type": "integer", "required": true}))
                    .collect();
                json!({"function": function, "parameters": parameters, "summary": null, "notes": []})
            }
            None => json!({"function": null, "parameters": [], "summary": null, "notes": []}),
        };
        Ok(returned(&execution, told))
    })
}

/// An instance with two agents with procedural memory, two users, and a skill of Alice on one of the agents.
struct World {
    api: Api,
    alice: String,
    bob: String,
    /// The skill's id in words.
    skill: String,
}

impl World {
    async fn new() -> Self {
        let mut app = TestApp::new().await;
        app.on_runner(&Arc::new(reader()), ExecutionSettings::default());
        let api = Api::of(app).await;
        for name in ["analyst", "builder"] {
            api.agent(json!({"name": name, "procedural_memory": {"enabled": true}})).await;
        }
        let (alice, bob) = (api.user("alice@example.com", &[]).await, api.user("bob", &[]).await);
        let made = api.ok_as(&alice, 201, post(SKILLS).json(adder("analyst"))).await.json();
        Self { api, alice, bob, skill: id(&made) }
    }

    fn own(&self) -> String {
        format!("{SKILLS}/{}", self.skill)
    }

    fn managed(&self) -> String {
        format!("{PROVIDER}/{}", self.skill)
    }
}

fn agent(name: &str) -> String {
    format!("/instances/default/providers/FoundationaLLM.Agent/agents/{name}")
}

fn adder(on: &str) -> Value {
    json!({"name": "add_numbers", "description": "Adds two numbers. Use for sums.", "code": CODE,
        "tags": ["math"], "example_prompts": ["what is 1 plus 2"], "owner_agent_object_id": agent(on)})
}

/// Sends it; it must be refused in the dialect's shape and leave every row as it was.
async fn denied(api: &Api, ask: Ask, status: u16, code: &str) -> Answer {
    let before = api.app.snapshot().await;
    let answer = api.send(ask).await;
    let body = answer.json();
    assert_eq!((answer.status, &body["error"]["code"]), (status, &json!(code)), "{}", answer.text());
    assert_eq!(body["status"], status, "{body}");
    assert!(body["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(before.changes(&api.app.snapshot().await), Vec::<String>::new());
    answer
}

fn names(answer: &Answer) -> Vec<String> {
    let listed = answer.json();
    listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

/// Who may.
#[derive(PartialEq, Eq)]
enum Who {
    Member,
    Admin,
    /// The owner, and admins; to others it is forbidden.
    Owner,
}

/// Every operation, once.
fn operations(skill: &str) -> Vec<(&'static str, Ask, Who)> {
    use Who::{Admin, Member, Owner};
    let (own, managed) = (format!("{SKILLS}/{skill}"), format!("{PROVIDER}/{skill}"));
    let nested = format!("{AGENTS}/analyst/skills");
    let (below, search) = (format!("{nested}/{skill}"), format!("{PROVIDER}/search"));
    let wanted = json!({"query": "sum", "agent_object_id": "analyst", "user_id": "alice@example.com"});
    let described = json!({"description": "Sums."});
    vec![
        ("list_own_skills", get(SKILLS), Member),
        ("put_own_skill", post(SKILLS).json(adder("builder")), Member),
        ("review_skill", get(&own), Owner),
        ("approve_own_skill", post(&format!("{own}/approve")), Owner),
        ("record_execution", post(&format!("{own}/execute")).json(json!({"success": true})), Owner),
        ("remove_own_skill", delete(&own), Owner),
        ("list_skills", get(PROVIDER), Admin),
        ("search_skills", post(&search).json(wanted), Owner),
        ("read_skill", get(&managed), Admin),
        ("put_skill", put(&managed).json(described.clone()), Admin),
        ("delete_skill", delete(&managed), Admin),
        ("approve_skill", post(&format!("{managed}/approve")), Admin),
        ("reject_skill", post(&format!("{managed}/reject")), Admin),
        ("list_agents", get(AGENTS), Member),
        ("read_agent", get(&format!("{AGENTS}/analyst")), Member),
        ("put_agent", put(&format!("{AGENTS}/analyst")).json(json!({})), Admin),
        ("list_agent_skills", get(&nested), Admin),
        ("read_agent_skill", get(&below), Admin),
        ("put_agent_skill", put(&below).json(described), Admin),
        ("delete_agent_skill", delete(&below), Admin),
    ]
}

fn document() -> Value {
    serde_json::from_str(&repertoire_http::instances_openapi_json()).unwrap()
}

#[test]
fn the_document_is_the_committed_one() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let now = repertoire_http::instances_openapi_json() + "\n";
    let committed = std::fs::read_to_string(docs.join("openapi-instances.json")).unwrap_or_default();
    if now != committed {
        std::fs::write(docs.join("openapi-instances.json.new"), now).unwrap();
        panic!("the document changed; look at docs/openapi-instances.json.new and move it over the other");
    }
}

#[tokio::test]
async fn the_server_serves_the_document() {
    let api = Api::new().await;
    let served = api.send(get("//instances/openapi.json")).await;
    assert_eq!((served.status, served.json()), (200, document()));
}

#[test]
fn every_operation_is_described_and_has_an_unauthorised_case() {
    let mut there = BTreeSet::new();
    for (path, item) in document()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let told = format!("{method} {path}");
            assert!(there.insert(operation["operationId"].as_str().unwrap().to_owned()), "{told}");
            assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{told}");
            for status in ["400", "401", "403", "404", "409", "413", "415", "422", "503"] {
                let shape = &operation["responses"][status]["content"]["application/json"]["schema"];
                assert_eq!(shape["$ref"], "#/components/schemas/ErrorView", "{told} {status}");
            }
        }
    }
    let listed: BTreeSet<_> = operations("x").into_iter().map(|(id, ..)| id.to_owned()).collect();
    assert_eq!(listed, there);
}

#[tokio::test]
async fn without_an_identity_nothing_is_done() {
    let world = World::new().await;
    for (_, ask, _) in operations(&world.skill) {
        let answer = denied(&world.api, ask.clone(), 401, "unauthenticated").await;
        assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"repertoire\"");
        denied(&world.api, ask.bearer("rpt_made_up"), 401, "unauthenticated").await;
    }
    // Whether there is such an instance is not told either.
    denied(&world.api, get("//instances/nowhere/skills"), 401, "unauthenticated").await;
}

#[tokio::test]
async fn another_instance_is_not_there() {
    let world = World::new().await;
    let there = world.api.app.workspace("other").await;
    let olga = world.api.app.user_in(&there, "olga", Role::ALL).await;
    let olga = world.api.token(&olga, TokenScope::ALL).await;
    for (_, ask, _) in operations(&world.skill) {
        let answer = denied(&world.api, ask.bearer(&olga), 404, "not_found").await;
        assert_eq!(answer.json()["error"]["message"], "there is no instance `default`");
    }
    let admin = &world.api.admin;
    denied(&world.api, get("//instances/nowhere/skills").bearer(admin), 404, "not_found").await;
    let of_other = there.workspace.to_string();
    let answer =
        denied(&world.api, get(&format!("//instances/{of_other}/skills")).bearer(admin), 404, "not_found")
            .await;
    assert!(answer.text().contains(&of_other) && !answer.text().contains("other"), "{}", answer.text());
}

#[tokio::test]
async fn a_member_manages_nobody_elses_skills() {
    let world = World::new().await;
    for (id, ask, who) in operations(&world.skill) {
        let ask = ask.bearer(&world.bob);
        if who == Who::Member {
            let answer = world.api.send(ask).await;
            assert!(matches!(answer.status, 200 | 201), "{id}: {}", answer.text());
            assert!(!answer.text().contains("alice"), "{id} shows someone else's");
        } else {
            denied(&world.api, ask, 403, "forbidden").await;
        }
    }
}

#[tokio::test]
async fn an_instance_is_a_workspace_by_name_or_id() {
    let world = World::new().await;
    let me = world.api.ok(200, get("/workspace")).await.json();
    for instance in ["default", "Default", &id(&me)] {
        let listed = world.api.ok_as(&world.alice, 200, get(&format!("//instances/{instance}/skills"))).await;
        assert_eq!(names(&listed), ["add_numbers"]);
    }
}

#[tokio::test]
async fn a_skill_has_the_fields_of_the_design() {
    let world = World::new().await;
    let listed = world.api.ok_as(&world.alice, 200, get(SKILLS)).await.json();
    let mut skill = listed[0].clone();
    assert_eq!(skill, world.api.ok(200, get(&world.managed())).await.json());
    let fields = skill.as_object_mut().unwrap();
    for volatile in ["uuid", "created_on", "updated_on"] {
        assert!(fields.remove(volatile).unwrap().is_string());
    }
    let parameter = |name: &str| json!({"name": name, "type": "integer", "description": null, "required": true, "default_value": null});
    let path = format!("/instances/default/providers/FoundationaLLM.Skill/skills/{}", world.skill);
    let wanted = json!({
        "type": "FoundationaLLM.Skill/skills", "id": "add_numbers_analyst_alice", "object_id": path,
        "name": "add_numbers", "display_name": "add_numbers", "description": "Adds two numbers. Use for sums.",
        "example_prompts": ["what is 1 plus 2"], "tags": ["math"], "code": CODE,
        "parameters": [parameter("a"), parameter("b")], "owner_agent_object_id": agent("analyst"),
        "owner_user_id": "alice@example.com", "status": "Active", "execution_count": 0, "success_rate": 1.0,
        "version": 1, "created_by": "alice@example.com", "updated_by": "alice@example.com",
    });
    assert_eq!(skill, wanted);
    let mut review = world.api.ok_as(&world.alice, 200, get(&world.own())).await.json();
    assert!(review.as_object_mut().unwrap().remove("created_on").unwrap().is_string());
    let wanted = json!({
        "skill_object_id": path, "skill_id": "add_numbers_analyst_alice", "name": "add_numbers",
        "description": "Adds two numbers. Use for sums.", "code": CODE,
        "parameters": [parameter("a"), parameter("b")], "status": "Active", "execution_count": 0,
        "success_rate": 1.0,
    });
    assert_eq!(review, wanted);
}

#[tokio::test]
async fn a_skill_is_found_under_every_spelling_of_its_id() {
    let world = World::new().await;
    let uuid = world.api.ok_as(&world.alice, 200, get(SKILLS)).await.json()[0]["uuid"].clone();
    for text in ["add_numbers_analyst_alice", "add-numbers_analyst_alice", uuid.as_str().unwrap()] {
        let found = world.api.ok_as(&world.alice, 200, get(&format!("{SKILLS}/{text}"))).await.json();
        assert_eq!(found["name"], "add_numbers", "{text}");
    }
    for text in ["add_numbers_builder_alice", "nothing", "0190b5a0-0000-7000-8000-000000000000"] {
        denied(&world.api, get(&format!("{SKILLS}/{text}")).bearer(&world.alice), 404, "not_found").await;
        denied(&world.api, delete(&format!("{SKILLS}/{text}")).bearer(&world.alice), 404, "not_found").await;
    }
}

#[tokio::test]
async fn a_foreign_skill_is_forbidden_or_hidden() {
    let world = World::new().await;
    for ask in [get(&world.own()), delete(&world.own()), post(&format!("{}/approve", world.own()))] {
        denied(&world.api, ask.bearer(&world.bob), 403, "forbidden").await;
    }
    world.api.ok(200, patch("/workspace").json(json!({"hide_existence": true}))).await;
    for ask in [get(&world.own()), delete(&world.own()), post(&format!("{}/approve", world.own()))] {
        denied(&world.api, ask.bearer(&world.bob), 404, "not_found").await;
    }
}

#[tokio::test]
async fn own_skills_are_listed_by_agent() {
    let world = World::new().await;
    let api = &world.api;
    api.ok_as(&world.bob, 201, post(SKILLS).json(adder("analyst"))).await;
    let mut more = adder("builder");
    more["name"] = json!("sum_up");
    api.ok_as(&world.alice, 201, post(SKILLS).json(more)).await;
    assert_eq!(names(&api.ok_as(&world.alice, 200, get(SKILLS)).await), ["add_numbers", "sum_up"]);
    for text in [agent("builder"), "builder".to_owned()] {
        let listed = api.ok_as(&world.alice, 200, get(&format!("{SKILLS}?agentObjectId={text}"))).await;
        assert_eq!(names(&listed), ["sum_up"], "{text}");
    }
    for (text, status, code) in [
        ("nobody", 404, "not_found"),
        ("/instances/other/providers/FoundationaLLM.Agent/agents/analyst", 404, "not_found"),
        ("/instances/default/agents/analyst", 400, "invalid_request"),
    ] {
        let ask = get(&format!("{SKILLS}?agentObjectId={text}")).bearer(&world.alice);
        denied(api, ask, status, code).await;
    }
    let all = api.ok(200, get(PROVIDER)).await.json();
    let mut owners: Vec<_> =
        all.as_array().unwrap().iter().map(|one| one["owner_user_id"].to_string()).collect();
    owners.sort();
    assert_eq!(owners, ["\"alice@example.com\"", "\"alice@example.com\"", "\"bob\""]);
    // An admin's own list is their own as well.
    assert_eq!(names(&api.ok(200, get(SKILLS)).await), Vec::<String>::new());
}

#[tokio::test]
async fn posting_again_is_a_new_version_and_the_same_is_none() {
    let world = World::new().await;
    let again = world.api.ok_as(&world.alice, 200, post(SKILLS).json(adder("analyst"))).await.json();
    assert_eq!((&again["changed"], &again["version"]), (&json!(false), &json!(1)));
    let mut other = adder("analyst");
    other["code"] = json!("def add_numbers(a, b, c):\n    return a + b + c\n");
    let revised = world.api.ok_as(&world.alice, 200, post(SKILLS).json(other)).await.json();
    assert_eq!((&revised["changed"], &revised["version"]), (&json!(true), &json!(2)));
    assert_eq!(revised["parameters"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn an_agent_keeps_no_more_skills_of_a_user_than_it_may() {
    let world = World::new().await;
    let settings = json!({"procedural_memory_settings": {"max_skills_per_user": 1}});
    world.api.ok(200, put(&format!("{AGENTS}/analyst")).json(settings)).await;
    let mut more = adder("analyst");
    more["name"] = json!("sum_up");
    denied(&world.api, post(SKILLS).json(&more).bearer(&world.alice), 409, "limit_reached").await;
    world.api.ok_as(&world.bob, 201, post(SKILLS).json(more)).await;
}

#[tokio::test]
async fn through_an_agent_a_skill_is_put_on_that_agent() {
    let world = World::new().await;
    let mut body = adder("builder");
    body.as_object_mut().unwrap().remove("owner_agent_object_id");
    let through = |ask: Ask| ask.header("repertoire-agent", "builder");
    let made = world.api.ok_as(&world.alice, 201, through(post(SKILLS).json(body))).await.json();
    assert_eq!(made["owner_agent_object_id"], agent("builder"));
    // There, what is on another agent is not one's own; and an agent approves nothing.
    let listed = world.api.ok_as(&world.alice, 200, through(get(SKILLS))).await.json();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &made["id"]));
    denied(&world.api, through(get(&world.own())).bearer(&world.alice), 403, "forbidden").await;
    let approve = post(&format!("{SKILLS}/{}/approve", id(&made)));
    denied(&world.api, through(approve).bearer(&world.alice), 403, "forbidden").await;
    let nobody = get(SKILLS).header("repertoire-agent", "nobody").bearer(&world.alice);
    denied(&world.api, nobody, 404, "not_found").await;
}

#[tokio::test]
async fn what_is_posted_must_make_a_skill() {
    let world = World::new().await;
    let post = |change: Value| {
        let mut body = adder("analyst");
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        post(SKILLS).json(body).bearer(&world.alice)
    };
    for (change, status, code) in [
        (json!({"name": null}), 400, "invalid_request"),
        (json!({"name": "!!!"}), 422, "invalid_name"),
        (json!({"description": null}), 400, "invalid_request"),
        (json!({"code": null}), 400, "invalid_request"),
        (json!({"code": "this is not valid python code {{{"}), 422, "invalid_code"),
        (json!({"owner_agent_object_id": null}), 400, "invalid_request"),
        (json!({"owner_agent_object_id": "nobody"}), 404, "not_found"),
        (json!({"owner_user_id": "bob"}), 403, "forbidden"),
        (json!({"parameters": [{"name": "a", "type": "quux"}]}), 400, "invalid_request"),
        (json!({"tags": 5}), 400, "invalid_request"),
    ] {
        denied(&world.api, post(change), status, code).await;
    }
    let plain = ask("POST", SKILLS).bytes("text/plain", "x").bearer(&world.alice);
    denied(&world.api, plain, 415, "unsupported_media_type").await;
    let other = ask("PATCH", SKILLS).bearer(&world.alice);
    denied(&world.api, other, 405, "method_not_allowed").await;
}

#[tokio::test]
async fn approving_what_is_in_changes_nothing() {
    let world = World::new().await;
    let (api, approve) = (&world.api, format!("{}/approve", world.own()));
    let kept = api.ok_as(&world.alice, 200, post(&approve)).await.json();
    assert_eq!((&kept["changed"], &kept["status"]), (&json!(false), &json!("Active")));
    let strict = post(&format!("{approve}?only_if=pending")).bearer(&world.alice);
    denied(api, strict, 400, "not_pending").await;
    let odd = post(&format!("{approve}?only_if=never")).bearer(&world.alice);
    denied(api, odd, 400, "invalid_request").await;
    for (status, way) in [("Disabled", "enable"), ("Rejected", "reopen"), ("Archived", "reopen")] {
        let put = put(&world.managed()).json(json!({"status": status}));
        assert_eq!(api.ok(200, put).await.json()["status"], status);
        let answer = denied(api, post(&approve).bearer(&world.alice), 409, "invalid_transition").await;
        assert!(answer.text().contains(way), "{}", answer.text());
        let uuid = api.ok(200, get(&world.managed())).await.json()["uuid"].as_str().unwrap().to_owned();
        api.ok(200, post(&format!("/skills/{uuid}/{way}"))).await;
        if way == "reopen" {
            api.ok(200, post(&format!("{}/approve", world.managed()))).await;
        }
    }
}

#[tokio::test]
async fn what_waits_is_approved_by_its_owner_or_refused_by_an_admin() {
    let world = World::new().await;
    let api = &world.api;
    let settings = json!({"procedural_memory_settings": {"require_skill_approval": true}});
    api.ok(200, put(&format!("{AGENTS}/builder")).json(settings)).await;
    let made = api.ok_as(&world.alice, 201, post(SKILLS).json(adder("builder"))).await.json();
    assert_eq!(made["status"], "PendingApproval");
    let approve = format!("{SKILLS}/{}/approve?only_if=pending", id(&made));
    let approved = api.ok_as(&world.alice, 200, post(&approve)).await.json();
    assert_eq!((&approved["changed"], &approved["status"]), (&json!(true), &json!("Active")));
    let reject = post(&format!("{PROVIDER}/{}/reject", id(&made))).json(json!({"reason": "unsafe"}));
    denied(api, reject.clone().bearer(&world.alice), 403, "forbidden").await;
    let rejected = api.ok(200, reject).await.json();
    assert_eq!((&rejected["changed"], &rejected["status"]), (&json!(true), &json!("Rejected")));
    // What was refused does not come in again.
    denied(api, post(SKILLS).json(adder("analyst")).bearer(&world.bob), 409, "rejected_content").await;
    // Who approves may be set to be an admin.
    let native = api.ok(200, get("/agents?name=builder")).await.json()["items"][0].clone();
    let memory = json!({"enabled": true, "require_skill_approval": true, "approver": "admin"});
    let body = json!({"name": "builder", "procedural_memory": memory});
    api.ok(200, put(&format!("/agents/{}", id(&native))).json(body)).await;
    let mut more = adder("builder");
    more["name"] = json!("sum_up");
    let made = api.ok_as(&world.alice, 201, post(SKILLS).json(more)).await.json();
    let approve = post(&format!("{SKILLS}/{}/approve", id(&made)));
    denied(api, approve.clone().bearer(&world.alice), 403, "forbidden").await;
    assert_eq!(api.ok(200, approve).await.json()["status"], "Active");
}

#[tokio::test]
async fn a_skill_is_removed_for_good() {
    let world = World::new().await;
    let api = &world.api;
    let gone = api.ok_as(&world.alice, 200, delete(&world.own())).await.json();
    let wanted =
        json!({"message": "Skill 'add_numbers' has been removed.", "skill_id": world.skill, "deleted": true});
    assert_eq!(gone, wanted);
    denied(api, delete(&world.own()).bearer(&world.alice), 404, "not_found").await;
    denied(api, get(&world.own()).bearer(&world.alice), 404, "not_found").await;
    assert_eq!(names(&api.ok_as(&world.alice, 200, get(SKILLS)).await), Vec::<String>::new());
    for path in [world.own(), world.managed(), format!("{AGENTS}/analyst/skills/{}", world.skill)] {
        api.ok_as(&world.alice, 201, post(SKILLS).json(adder("analyst"))).await;
        let answer = api.ok(204, delete(&path).header("prefer", "wait=5, return=minimal")).await;
        assert_eq!((answer.body.len(), answer.header("preference-applied").as_str()), (0, "return=minimal"));
    }
}

#[tokio::test]
async fn executions_elsewhere_are_counted() {
    let world = World::new().await;
    let (api, path) = (&world.api, format!("{}/execute", world.own()));
    for (success, count, rate) in [(true, 1, 1.0), (false, 2, 0.5)] {
        let told = api.ok_as(&world.alice, 200, post(&path).json(json!({"success": success}))).await.json();
        assert_eq!(told, json!({"skill_id": world.skill, "execution_count": count, "success_rate": rate}));
    }
    let review = api.ok_as(&world.alice, 200, get(&world.own())).await.json();
    assert_eq!((&review["execution_count"], &review["success_rate"]), (&json!(2), &json!(0.5)));
    denied(api, post(&path).json(json!({})).bearer(&world.alice), 400, "invalid_request").await;
}

#[tokio::test]
async fn an_admin_puts_skills_in_for_others() {
    let world = World::new().await;
    let api = &world.api;
    let mut body = adder("builder");
    body["owner_user_id"] = json!("bob");
    body["display_name"] = json!("Add Numbers");
    let path = format!("{PROVIDER}/add_numbers_builder_bob");
    let made = api.ok(201, put(&path).json(&body)).await.json();
    assert_eq!((&made["id"], &made["name"]), (&json!("add-numbers_builder_bob"), &json!("add_numbers")));
    assert_eq!((&made["display_name"], &made["created_by"]), (&json!("Add Numbers"), &json!("admin")));
    assert_eq!(names(&api.ok_as(&world.bob, 200, get(SKILLS)).await), ["add_numbers"]);
    // The whole resource as it was read changes nothing.
    let read = api.ok(200, get(&path)).await.json();
    let same = api.ok(200, put(&path).json(&read)).await.json();
    assert_eq!((&same["changed"], &same["version"]), (&json!(false), &json!(1)));
    // Instructions that were made of it follow.
    let told = api.ok(200, put(&path).json(json!({"description": "Sums up."}))).await.json();
    let native = api.ok(200, get(&format!("/skills/{}", told["uuid"].as_str().unwrap()))).await.json();
    let instructions = native["instructions"].as_str().unwrap();
    assert!(instructions.contains("Sums up.") && !instructions.contains("Adds two"), "{instructions}");
    let code = "def add_numbers(a, b, c):\n    return a + b + c\n";
    let changed = api.ok(200, put(&path).json(json!({"code": code, "tags": ["sums"]}))).await.json();
    assert_eq!((&changed["code"], &changed["version"]), (&json!(code), &json!(3)));
    assert_eq!(changed["parameters"].as_array().unwrap().len(), 3);
    assert_eq!((&changed["tags"], &changed["display_name"]), (&json!(["sums"]), &json!("Add Numbers")));
    assert_eq!(changed["example_prompts"], json!(["what is 1 plus 2"]));
    let given = json!({"parameters": [{"name": "a", "type": "float", "default_value": 1.5}]});
    let changed = api.ok(200, put(&path).json(given)).await.json();
    let wanted =
        json!({"name": "a", "type": "number", "description": null, "required": false, "default_value": 1.5});
    assert_eq!(changed["parameters"], json!([wanted]));
}

#[tokio::test]
async fn a_put_goes_to_any_status_that_can_be_reached() {
    let world = World::new().await;
    let (api, path) = (&world.api, world.managed());
    for status in ["disabled", "Active", "Rejected", "Archived", "DRAFT", "pending_approval", "active"] {
        let told = api.ok(200, put(&path).json(json!({"status": status}))).await.json();
        let folded = told["status"].as_str().unwrap().to_lowercase();
        assert_eq!(folded, status.to_lowercase().replace('_', ""), "{told}");
    }
    denied(api, put(&path).json(json!({"status": "Lost"})).bearer(&api.admin), 400, "invalid_request").await;
    let both = json!({"status": "Draft", "description": "Changed."});
    denied(api, put(&path).json(both).bearer(&api.admin), 409, "invalid_transition").await;
    let mut body = adder("builder");
    body["owner_user_id"] = json!("bob");
    body["status"] = json!("Disabled");
    let made = api.ok(201, put(&format!("{PROVIDER}/add_numbers_builder_bob")).json(body)).await.json();
    assert_eq!(made["status"], "Disabled");
}

#[tokio::test]
async fn a_new_skill_is_put_where_it_shall_stand() {
    let world = World::new().await;
    for (number, status) in
        ["PendingApproval", "Rejected", "Archived", "Draft", "Disabled", "Active"].iter().enumerate()
    {
        let mut body = adder("builder");
        body["name"] = json!(format!("new_{number}"));
        body["owner_user_id"] = json!("bob");
        body["status"] = json!(status);
        let path = format!("{PROVIDER}/new_{number}_builder_bob");
        assert_eq!(world.api.ok(201, put(&path).json(body)).await.json()["status"], *status);
    }
}

#[tokio::test]
async fn a_put_is_done_as_a_whole_or_not_at_all() {
    let world = World::new().await;
    let api = &world.api;
    let strict = json!({"enabled": true, "require_skill_approval": true, "approver": "two_person"});
    api.agent(json!({"name": "strict", "procedural_memory": strict})).await;
    let path = format!("{PROVIDER}/add_numbers_strict_bob");
    let mut body = adder("strict");
    body["owner_user_id"] = json!("bob");
    let active = || {
        let mut body = body.clone();
        body["status"] = json!("Active");
        body
    };
    // Whoever writes it is not the second person.
    denied(api, put(&path).json(active()).bearer(&api.admin), 403, "forbidden").await;
    let made = api.ok(201, put(&path).json(&body)).await.json();
    assert_eq!(made["status"], "PendingApproval");
    let both = json!({"status": "Active", "description": "Changed."});
    denied(api, put(&path).json(both).bearer(&api.admin), 403, "forbidden").await;
    let second = api.user("second", &[Role::Admin]).await;
    api.ok_as(&second, 200, put(&path).json(json!({"status": "Active"}))).await;
    // What was read is put back with a change: that waits again.
    let mut read = api.ok(200, get(&path)).await.json();
    assert_eq!(read["status"], "Active");
    read["description"] = json!("Changed.");
    let put_back = api.ok(200, put(&path).json(&read)).await.json();
    assert_eq!((&put_back["status"], &put_back["changed"]), (&json!("PendingApproval"), &json!(true)));
}

#[tokio::test]
async fn a_put_that_makes_no_sense_is_refused() {
    let world = World::new().await;
    let api = &world.api;
    let body = |change: Value| {
        let mut body = adder("builder");
        body["owner_user_id"] = json!("bob");
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    for (path, change, status, code) in [
        ("add_numbers_builder_bob", json!({"owner_user_id": null}), 400, "invalid_request"),
        ("add_numbers_builder_bob", json!({"owner_agent_object_id": null}), 400, "invalid_request"),
        ("add_numbers_builder_bob", json!({"owner_user_id": "nobody"}), 404, "not_found"),
        ("add_numbers_builder_bob", json!({"code": "{{{"}), 422, "invalid_code"),
        ("add_numbers", json!({}), 400, "invalid_request"),
        ("0190b5a0-0000-7000-8000-000000000000", json!({}), 404, "not_found"),
        ("add_numbers_analyst_alice", json!({}), 422, "invalid_scope"),
    ] {
        let ask = put(&format!("{PROVIDER}/{path}")).json(body(change)).bearer(&api.admin);
        denied(api, ask, status, code).await;
    }
    for change in [json!({"name": "other"}), json!({"status": 1})] {
        denied(api, put(&world.managed()).json(change).bearer(&api.admin), 400, "invalid_request").await;
    }
}

#[tokio::test]
async fn search_finds_what_one_user_has_on_one_agent() {
    let world = World::new().await;
    let api = &world.api;
    let search = format!("{PROVIDER}/search");
    let wanted = |more: Value| {
        let mut body = json!({"query": "add two numbers", "agent_object_id": agent("analyst"), "user_id": "alice@example.com"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(&search).json(body)
    };
    let found = api.ok_as(&world.alice, 200, wanted(json!({}))).await.json();
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(found[0]["skill"]["id"], "add_numbers_analyst_alice");
    assert!((0.7..=1.0).contains(&found[0]["similarity"].as_f64().unwrap()), "{found}");
    for none in [
        json!({"query": "image processing"}),
        json!({"agent_object_id": agent("builder")}),
        json!({"tags": ["music"]}),
        json!({"min_similarity": 1.0, "query": "sums"}),
    ] {
        assert_eq!(api.ok_as(&world.alice, 200, wanted(none)).await.json(), json!([]));
    }
    api.ok(200, put(&world.managed()).json(json!({"status": "Disabled"}))).await;
    for (filter, count) in [
        (json!({}), 0),
        (json!({"status_filter": "Active"}), 0),
        (json!({"status_filter": "Disabled"}), 1),
        (json!({"status_filter": null}), 1),
        (json!({"status_filter": "PendingApproval"}), 0),
    ] {
        let found = api.ok(200, wanted(filter.clone())).await.json();
        assert_eq!(found.as_array().unwrap().len(), count, "{filter}");
        // Who is no admin always gets active ones.
        assert_eq!(api.ok_as(&world.alice, 200, wanted(filter)).await.json(), json!([]));
    }
    denied(api, wanted(json!({})).bearer(&world.bob), 403, "forbidden").await;
    for (change, status, code) in [
        (json!({"query": null}), 400, "invalid_request"),
        (json!({"agent_object_id": null}), 400, "invalid_request"),
        (json!({"user_id": null}), 400, "invalid_request"),
        (json!({"max_results": 0}), 400, "invalid_request"),
        (json!({"min_similarity": 2}), 400, "invalid_request"),
        (json!({"status_filter": "Lost"}), 400, "invalid_request"),
        (json!({"user_id": "nobody"}), 404, "not_found"),
    ] {
        denied(api, wanted(change).bearer(&api.admin), status, code).await;
    }
}

#[tokio::test]
async fn an_agents_settings_come_back_unchanged() {
    let world = World::new().await;
    let (api, path) = (&world.api, format!("{AGENTS}/MAA-02"));
    let made = api.ok(201, put(&path).json(json!({"type": "agent", "workflow": {"x": 1}}))).await.json();
    assert_eq!((&made["name"], &made["display_name"]), (&json!("maa-02"), &json!("MAA-02")));
    assert_eq!(
        (&made["object_id"], &made["procedural_memory_settings"]),
        (&json!(agent("maa-02")), &json!(null))
    );
    let settings = json!({"enabled": true, "auto_register_skills": false, "require_skill_approval": true,
        "max_skills_per_user": 7, "skill_search_threshold": 0.85, "prefer_skills": false});
    let put_settings =
        |settings: &Value| put(&path).json(json!({"name": "MAA-02", "procedural_memory_settings": settings}));
    assert_eq!(api.ok(200, put_settings(&settings)).await.json()["procedural_memory_settings"], settings);
    assert_eq!(api.ok_as(&world.bob, 200, get(&path)).await.json()["procedural_memory_settings"], settings);
    // What the dialect does not know stays.
    let native = api.ok(200, get("/agents?name=maa-02")).await.json()["items"][0].clone();
    let mut body = json!({"name": "maa-02", "title": native["title"], "discovery": "list", "procedural_memory": settings});
    body["procedural_memory"]["approver"] = json!("two_person");
    api.ok(200, put(&format!("/agents/{}", id(&native))).json(body)).await;
    api.ok(200, put_settings(&json!({"max_skills_per_user": 8}))).await;
    let native = api.ok(200, get("/agents?name=maa-02")).await.json()["items"][0].clone();
    let memory = &native["procedural_memory"];
    assert_eq!((&memory["approver"], &memory["max_skills_per_user"]), (&json!("two_person"), &json!(8)));
    assert_eq!((&memory["skill_search_threshold"], &native["discovery"]), (&json!(0.85), &json!("list")));
    for (settings, message) in [
        (json!({"skill_search_threshold": 1.5}), "Skill search threshold must be between 0.0 and 1.0"),
        (json!({"max_skills_per_user": -1}), "Max skills per user must be 0 or greater (0 = unlimited)"),
    ] {
        let answer = denied(api, put_settings(&settings).bearer(&api.admin), 422, "invalid_settings").await;
        assert_eq!(answer.json()["error"]["message"], message);
    }
    assert_eq!(
        api.ok(200, put_settings(&json!(null))).await.json()["procedural_memory_settings"],
        json!(null)
    );
    assert_eq!(names(&api.ok(200, get(AGENTS)).await), ["analyst", "builder", "maa-02"]);
    denied(api, get(&format!("{AGENTS}/nobody")).bearer(&api.admin), 404, "not_found").await;
    denied(api, put(&format!("{AGENTS}/!!!")).json(json!({})).bearer(&api.admin), 422, "invalid_name").await;
    let other = put(&path).json(json!({"name": "other"})).bearer(&api.admin);
    denied(api, other, 400, "invalid_request").await;
}

#[tokio::test]
async fn an_agents_skills_stand_below_it_too() {
    let world = World::new().await;
    let (api, below) = (&world.api, format!("{AGENTS}/analyst/skills"));
    let one = format!("{below}/{}", world.skill);
    assert_eq!(names(&api.ok(200, get(&below)).await), ["add_numbers"]);
    assert_eq!(api.ok(200, get(&one)).await.json(), api.ok(200, get(&world.managed())).await.json());
    assert_eq!(names(&api.ok(200, get(&format!("{AGENTS}/builder/skills"))).await), Vec::<String>::new());
    let elsewhere = format!("{AGENTS}/builder/skills/{}", world.skill);
    for ask in [get(&elsewhere), delete(&elsewhere)] {
        denied(api, ask.bearer(&api.admin), 404, "not_found").await;
    }
    denied(api, put(&elsewhere).json(json!({})).bearer(&api.admin), 422, "invalid_scope").await;
    let mut body = adder("analyst");
    body["owner_user_id"] = json!("bob");
    body["owner_agent_object_id"] = json!(null);
    api.ok(201, put(&format!("{below}/add_numbers_analyst_bob")).json(body)).await;
    assert_eq!(names(&api.ok(200, get(&below)).await), ["add_numbers", "add_numbers"]);
    api.ok(200, delete(&one)).await;
    assert_eq!(names(&api.ok(200, get(&below)).await), ["add_numbers"]);
}

#[tokio::test]
async fn a_sandbox_that_is_not_there_is_said_to_be_unavailable() {
    let mut app = TestApp::new().await;
    let broken = FakeRunner::new(|_| Err(sandbox::Error::Failed("no jail".to_owned())));
    app.on_runner(&Arc::new(broken), ExecutionSettings::default());
    let api = Api::of(app).await;
    api.agent(json!({"name": "analyst"})).await;
    let answer =
        denied(&api, post(SKILLS).json(adder("analyst")).bearer(&api.admin), 503, "sandbox_unavailable")
            .await;
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn a_store_that_fails_is_said_to_be_unavailable() {
    let world = World::new().await;
    world.api.app.fail_commits(true);
    denied(&world.api, delete(&world.own()).bearer(&world.alice), 503, "unavailable").await;
    world.api.app.fail_commits(false);
    world.api.ok_as(&world.alice, 200, delete(&world.own())).await;
}
