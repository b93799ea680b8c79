//! The acceptance tests of procedural memory's first design, T1 to T10: the real binary, the real sandbox, over HTTP.
//! What an agent does goes through the interpreter, everything else through the instance dialect.

use serde_json::{Value, json};
use testkit::postgres::Cluster;

use crate::api::Api;
use crate::world::{Server, World};

const SKILLS: &str = "/instances/default/skills";
const PROVIDER: &str = "/instances/default/providers/FoundationaLLM.Skill/skills";
const AGENTS: &str = "/instances/default/providers/FoundationaLLM.Agent/agents";

const FACTORIAL: &str = "import math\nmath.factorial(10)";
const COMPOUND: &str = "\
def compound_interest_calculator(principal: float, rate: float, time: float, frequency: int = 12):
    return principal * (1 + rate / frequency) ** (frequency * time)
";
const DESCRIPTION: &str =
    "Calculates compound interest: what a principal grows to at a rate of interest over time.";
const HELLO: &str = "print('Hello World')";

/// A server with Alice, Bob, and the agents `agent-1` and `agent-2` with procedural memory.
struct Stage {
    admin: Api,
    alice: Api,
    bob: Api,
    server: Server,
    _world: World,
}

impl Stage {
    async fn new() -> Self {
        let world = World::new();
        let server = world.serve();
        Self::on(world, server).await
    }

    async fn on(world: World, server: Server) -> Self {
        let admin = Api::wholly(&world, &server, "admin");
        let user = |handle: &str| {
            world.ok(&["user", "add", handle]);
            Api::wholly(&world, &server, handle)
        };
        let (alice, bob) = (user("alice@example.com"), user("bob@example.com"));
        let stage = Self { admin, alice, bob, server, _world: world };
        for agent in ["agent-1", "agent-2"] {
            stage.settings(agent, json!({"enabled": true})).await;
        }
        stage
    }

    /// Saves an agent's settings of procedural memory; gives what it answers.
    async fn settings(&self, agent: &str, settings: Value) -> Value {
        let body = json!({"name": agent, "procedural_memory_settings": settings});
        let answer = self.admin.put(&format!("{AGENTS}/{agent}"), &body).await;
        assert!(matches!(answer.status, 200 | 201), "{}", answer.text());
        serde_json::from_slice(&answer.body).unwrap()
    }
}

fn register(name: &str, description: &str, code: &str) -> Value {
    json!({"operation": "register_skill", "skill_name": name, "skill_description": description, "prompt": code})
}

fn uses(name: &str, parameters: &Value) -> Value {
    json!({"operation": "use_skill", "skill_name": name, "skill_parameters": parameters})
}

fn search(words: &str) -> Value {
    json!({"operation": "search_skills", "prompt": words})
}

/// Does it through the interpreter, and it must work.
async fn does(api: &Api, agent: &str, call: Value) -> Value {
    let answer = api.interpret(agent, &call).await.expect(200);
    assert_eq!((&answer["failed"], &answer["error"]), (&json!(false), &json!(null)), "{answer}");
    answer
}

/// Does it through the interpreter, and it must fail with this code; gives what it says.
async fn fails(api: &Api, agent: &str, call: Value, code: &str) -> String {
    let answer = api.interpret(agent, &call).await.expect(200);
    assert_eq!((&answer["failed"], &answer["error"]["code"]), (&json!(true), &json!(code)), "{answer}");
    answer["text"].as_str().unwrap().to_owned()
}

/// The names of the skills a search finds.
async fn finds(api: &Api, agent: &str, words: &str) -> Vec<String> {
    let answer = does(api, agent, search(words)).await;
    let found = answer["skills"].as_array().unwrap();
    found.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

/// One's own skills, as the dialect lists them.
async fn own(api: &Api) -> Vec<Value> {
    api.get(SKILLS).await.expect(200).as_array().unwrap().clone()
}

fn amounts() -> Value {
    json!({"principal": 1000, "rate": 0.05, "time": 10, "frequency": 12})
}

#[tokio::test]
async fn t1_without_procedural_memory_the_tool_executes_as_before() {
    let stage = Stage::new().await;
    does(&stage.alice, "agent-1", register("factorial", "Computes the factorial of a number.", FACTORIAL))
        .await;
    for (agent, settings) in [("off", json!({"enabled": false})), ("unset", json!(null))] {
        stage.settings(agent, settings).await;
        let answer = does(&stage.alice, agent, json!({"prompt": FACTORIAL})).await;
        assert_eq!(answer["result"], 3_628_800, "{answer}");
        assert_eq!((answer.get("artifacts"), answer.get("skills")), (None, None), "{answer}");
        // The parameters for skills are not looked at, and a wish to search is a prompt like any other.
        for more in [
            json!({"operation": "search_skills", "prompt": FACTORIAL}),
            json!({"operation": "use_skill", "skill_name": "factorial", "prompt": FACTORIAL}),
            json!({"operation": "register_skill", "skill_name": "x", "skill_description": "y", "prompt": FACTORIAL}),
        ] {
            let answer = does(&stage.alice, agent, more).await;
            assert_eq!(
                (&answer["operation"], &answer["result"]),
                (&json!("execute"), &json!(3_628_800)),
                "{answer}"
            );
            assert_eq!((answer.get("artifacts"), answer.get("skills")), (None, None), "{answer}");
        }
        let answer =
            stage.alice.interpret(agent, &json!({"prompt": "Search for factorial skills"})).await.expect(200);
        assert_eq!((&answer["operation"], answer.get("skills")), (&json!("execute"), None), "{answer}");
        let listed = stage.alice.get(&format!("{SKILLS}?agentObjectId={AGENTS}/{agent}")).await.expect(200);
        assert_eq!(listed, json!([]));
    }
    // Nor does executing search or save where procedural memory is on.
    let answer = does(&stage.alice, "agent-2", json!({"prompt": FACTORIAL})).await;
    assert_eq!((&answer["result"], &answer["artifacts"]), (&json!(3_628_800), &json!([])), "{answer}");
}

#[tokio::test]
async fn t2_settings_are_saved_and_come_back() {
    let stage = Stage::new().await;
    let path = format!("{AGENTS}/agent-3");
    let read = async || stage.admin.get(&path).await.expect(200)["procedural_memory_settings"].clone();
    let defaults = json!({"enabled": true, "auto_register_skills": true, "require_skill_approval": false,
        "max_skills_per_user": 0, "skill_search_threshold": 0.8, "prefer_skills": true});
    stage.settings("agent-3", json!({"enabled": true})).await;
    assert_eq!(read().await, defaults);
    let others = json!({"enabled": true, "auto_register_skills": false, "require_skill_approval": true,
        "max_skills_per_user": 25, "skill_search_threshold": 0.85, "prefer_skills": false});
    assert_eq!(stage.settings("agent-3", others.clone()).await["procedural_memory_settings"], others);
    assert_eq!(read().await, others);
    stage.admin.put(&path, &json!({"description": "Changed."})).await.expect(200);
    assert_eq!(read().await, others);
    stage.alice.put(&path, &json!({})).await.denied(403, "forbidden");
}

#[tokio::test]
async fn t3_a_registered_skill_is_saved_shown_and_listed() {
    let stage = Stage::new().await;
    let answer =
        does(&stage.alice, "agent-1", register("compound_interest_calculator", DESCRIPTION, COMPOUND)).await;
    let text = answer["text"].as_str().unwrap();
    assert!(
        text.starts_with("Skill 'compound_interest_calculator' has been saved and is ready to use."),
        "{text}"
    );
    let artifact = &answer["artifacts"][0];
    assert_eq!(answer["artifacts"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(
        (&artifact["type"], &artifact["title"]),
        (&json!("skill_saved"), &json!("Skill Saved: compound_interest_calculator"))
    );
    let metadata = &artifact["metadata"];
    let wanted = json!({"skill_object_id": artifact["filepath"], "skill_name": "compound_interest_calculator",
        "skill_description": DESCRIPTION, "skill_code": COMPOUND, "skill_status": "Active",
        "agent_object_id": format!("{AGENTS}/agent-1"), "user_id": "alice@example.com"});
    assert_eq!(*metadata, wanted);
    let listed = own(&stage.alice).await;
    let [skill] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!(
        (&skill["object_id"], &skill["name"]),
        (&artifact["filepath"], &json!("compound_interest_calculator"))
    );
    assert_eq!((&skill["status"], &skill["version"]), (&json!("Active"), &json!(1)));
    // The object id is a path under which it is managed, and its id one under which it is reviewed.
    let managed = stage.admin.get(artifact["filepath"].as_str().unwrap()).await.expect(200);
    assert_eq!(managed, *skill);
    let path = format!("{SKILLS}/{}", skill["id"].as_str().unwrap());
    let review = stage.alice.get(&path).await.expect(200);
    assert_eq!((&review["code"], &review["description"]), (&json!(COMPOUND), &json!(DESCRIPTION)));
    let names: Vec<_> =
        review["parameters"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["principal", "rate", "time", "frequency"]);
    // What its buttons do: approving keeps it, rejecting removes it.
    let kept = stage.alice.post(&format!("{path}/approve"), &json!({})).await.expect(200);
    assert_eq!((&kept["changed"], &kept["status"]), (&json!(false), &json!("Active")));
    assert_eq!(stage.alice.delete(&path).await.expect(200)["deleted"], true);
    assert_eq!(own(&stage.alice).await, Vec::<Value>::new());
}

#[tokio::test]
async fn t4_a_skill_is_found_by_what_it_is_for() {
    let stage = Stage::new().await;
    does(&stage.alice, "agent-1", register("compound_interest_calculator", DESCRIPTION, COMPOUND)).await;
    let answer = does(&stage.alice, "agent-1", search("interest calculation")).await;
    let [found] = answer["skills"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(
        (&found["name"], &found["description"]),
        (&json!("compound_interest_calculator"), &json!(DESCRIPTION))
    );
    let similarity = found["similarity"].as_f64().unwrap();
    assert!((0.7..=1.0).contains(&similarity), "{found}");
    assert_eq!(found["parameters"].as_array().unwrap().len(), 4, "{found}");
    let none = does(&stage.alice, "agent-1", search("image processing")).await;
    assert_eq!(none["skills"], json!([]), "{none}");
    assert!(none["text"].as_str().unwrap().to_lowercase().contains("no "), "{none}");
    assert_eq!(finds(&stage.bob, "agent-1", "interest calculation").await, Vec::<String>::new());
    // The dialect's own search says the same.
    let query = |words: &str| json!({"query": words, "user_id": "alice@example.com", "agent_object_id": format!("{AGENTS}/agent-1")});
    let path = format!("{PROVIDER}/search");
    let found = stage.alice.post(&path, &query("interest calculation")).await.expect(200);
    assert_eq!(found[0]["skill"]["name"], "compound_interest_calculator", "{found}");
    assert!((found[0]["similarity"].as_f64().unwrap() - similarity).abs() < 1e-9, "{found}");
    assert_eq!(stage.alice.post(&path, &query("image processing")).await.expect(200), json!([]));
    stage.bob.post(&path, &query("interest calculation")).await.denied(403, "forbidden");
}

#[tokio::test]
async fn t5_a_skill_that_is_used_runs_is_shown_and_counted() {
    let stage = Stage::new().await;
    does(&stage.alice, "agent-1", register("compound_interest_calculator", DESCRIPTION, COMPOUND)).await;
    let id = own(&stage.alice).await[0]["id"].as_str().unwrap().to_owned();
    let count = async || {
        stage.alice.get(&format!("{SKILLS}/{id}")).await.expect(200)["execution_count"].as_u64().unwrap()
    };
    assert_eq!(count().await, 0);
    let answer = does(&stage.alice, "agent-1", uses("compound_interest_calculator", &amounts())).await;
    assert!((answer["result"].as_f64().unwrap() - 1647.01).abs() < 0.005, "{answer}");
    let [artifact] = answer["artifacts"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(
        (&artifact["type"], &artifact["title"]),
        (&json!("skill_used"), &json!("Skill Used: compound_interest_calculator"))
    );
    let metadata = &artifact["metadata"];
    assert_eq!(
        (&metadata["execution_count"], &metadata["success_rate"]),
        (&json!(1), &json!(1.0)),
        "{metadata}"
    );
    assert_eq!((&metadata["skill_code"], &metadata["skill_status"]), (&json!(COMPOUND), &json!("Active")));
    assert_eq!(count().await, 1);
    // Either spelling of the name means it, and a default need not be given.
    let fewer = json!({"principal": 1000, "rate": 0.05, "time": 10});
    let again = does(&stage.alice, "agent-1", uses("compound-interest-calculator", &fewer)).await;
    assert_eq!(again["result"], answer["result"]);
    assert_eq!(count().await, 2);
}

#[tokio::test]
async fn t6_a_skill_that_needs_approval_waits_for_it() {
    let stage = Stage::new().await;
    stage.settings("agent-1", json!({"enabled": true, "require_skill_approval": true})).await;
    let answer =
        does(&stage.alice, "agent-1", register("pending_test_skill", "Prints a greeting.", HELLO)).await;
    assert!(answer["text"].as_str().unwrap().contains("is pending approval"), "{answer}");
    let artifact = &answer["artifacts"][0];
    assert_eq!(artifact["metadata"]["skill_status"], "PendingApproval", "{artifact}");
    assert_eq!(own(&stage.alice).await[0]["status"], "PendingApproval");
    let told =
        fails(&stage.alice, "agent-1", uses("pending_test_skill", &json!({})), "skill_not_active").await;
    assert!(told.contains("PendingApproval"), "{told}");
    assert_eq!(finds(&stage.alice, "agent-1", "print a greeting").await, Vec::<String>::new());
    // The agent cannot let it in, nor can another user; the owner can, by the path that the artifact shows.
    let id = artifact["filepath"].as_str().unwrap().rsplit('/').next().unwrap();
    let path = format!("{SKILLS}/{id}/approve?only_if=pending");
    stage.bob.post(&path, &json!({})).await.denied(403, "forbidden");
    let approved = stage.alice.post(&path, &json!({})).await.expect(200);
    assert_eq!((&approved["changed"], &approved["status"]), (&json!(true), &json!("Active")));
    let used = does(&stage.alice, "agent-1", uses("pending_test_skill", &json!({}))).await;
    assert_eq!(used["stdout"], "Hello World\n", "{used}");
    // Or an admin does.
    does(&stage.bob, "agent-1", register("pending_test_skill", "Prints a greeting.", HELLO)).await;
    let id = own(&stage.bob).await[0]["id"].as_str().unwrap().to_owned();
    let approved = stage.admin.post(&format!("{PROVIDER}/{id}/approve"), &json!({})).await.expect(200);
    assert_eq!(approved["status"], "Active");
    does(&stage.bob, "agent-1", uses("pending_test_skill", &json!({}))).await;
}

#[tokio::test]
async fn t7_a_skill_that_is_removed_is_gone() {
    let stage = Stage::new().await;
    does(&stage.alice, "agent-1", register("reject_test", "Prints a greeting.", HELLO)).await;
    does(&stage.alice, "agent-1", uses("reject_test", &json!({}))).await;
    let path = format!("{SKILLS}/{}", own(&stage.alice).await[0]["id"].as_str().unwrap());
    let gone = stage.alice.delete(&path).await.expect(200);
    assert_eq!(
        (&gone["deleted"], &gone["message"]),
        (&json!(true), &json!("Skill 'reject_test' has been removed."))
    );
    assert_eq!(own(&stage.alice).await, Vec::<Value>::new());
    stage.alice.get(&path).await.denied(404, "not_found");
    stage.alice.delete(&path).await.denied(404, "not_found");
    fails(&stage.alice, "agent-1", uses("reject_test", &json!({})), "not_found").await;
    // One that was never used goes as well, before it is ever approved.
    stage.settings("agent-1", json!({"enabled": true, "require_skill_approval": true})).await;
    does(&stage.alice, "agent-1", register("reject_test", "Prints a greeting.", HELLO)).await;
    stage.alice.delete(&path).await.expect(200);
    assert_eq!(own(&stage.alice).await, Vec::<Value>::new());
    // An admin's refusal keeps the record.
    does(&stage.alice, "agent-1", register("reject_test", "Prints a greeting.", HELLO)).await;
    let id = own(&stage.alice).await[0]["id"].as_str().unwrap().to_owned();
    let reason = json!({"reason": "It greets nobody."});
    let refused = stage.admin.post(&format!("{PROVIDER}/{id}/reject"), &reason).await.expect(200);
    assert_eq!(refused["status"], "Rejected");
    let told = fails(&stage.alice, "agent-1", uses("reject_test", &json!({})), "skill_not_active").await;
    assert!(told.contains("Rejected"), "{told}");
}

#[tokio::test]
async fn t8_a_skill_belongs_to_one_user_on_one_agent() {
    let stage = Stage::new().await;
    let name = "compound_interest_calculator";
    does(&stage.alice, "agent-1", register(name, DESCRIPTION, COMPOUND)).await;
    let words = "interest calculation";
    assert_eq!(finds(&stage.alice, "agent-1", words).await, [name]);
    assert_eq!(finds(&stage.alice, "agent-2", words).await, Vec::<String>::new());
    assert_eq!(finds(&stage.bob, "agent-1", words).await, Vec::<String>::new());
    for (api, agent) in [(&stage.alice, "agent-2"), (&stage.bob, "agent-1")] {
        fails(api, agent, uses(name, &amounts()), "not_found").await;
    }
    // Bob has one of his own under the same name; both are kept, and each runs their own.
    let simple =
        "def compound_interest_calculator(principal, rate, time, frequency=1):\n    return 'of bob'\n";
    does(&stage.bob, "agent-1", register(name, DESCRIPTION, simple)).await;
    assert_eq!(does(&stage.bob, "agent-1", uses(name, &amounts())).await["result"], "of bob");
    let result = does(&stage.alice, "agent-1", uses(name, &amounts())).await["result"].as_f64();
    assert!((result.unwrap() - 1647.01).abs() < 0.005);
    let all = stage.admin.get(PROVIDER).await.expect(200);
    let mut owners: Vec<_> =
        all.as_array().unwrap().iter().map(|one| one["owner_user_id"].as_str().unwrap()).collect();
    owners.sort_unstable();
    assert_eq!(owners, ["alice@example.com", "bob@example.com"], "{all}");
    for skill in all.as_array().unwrap() {
        assert_eq!(skill["owner_agent_object_id"], format!("{AGENTS}/agent-1"), "{skill}");
    }
    assert_eq!(own(&stage.bob).await.len(), 1);
    stage.bob.get(PROVIDER).await.denied(403, "forbidden");
}

#[tokio::test]
async fn t9_the_endpoints_of_people() {
    let stage = Stage::new().await;
    does(&stage.alice, "agent-1", register("first_skill", "Prints a greeting.", HELLO)).await;
    does(&stage.alice, "agent-2", register("second_skill", "Prints another greeting.", HELLO)).await;
    let names = |listed: &Value| -> Vec<Value> {
        listed.as_array().unwrap().iter().map(|one| one["name"].clone()).collect()
    };
    assert_eq!(names(&stage.alice.get(SKILLS).await.expect(200)), ["first_skill", "second_skill"]);
    let filtered = stage.alice.get(&format!("{SKILLS}?agentObjectId={AGENTS}/agent-2")).await.expect(200);
    assert_eq!(names(&filtered), ["second_skill"]);
    let path = format!("{SKILLS}/{}", filtered[0]["id"].as_str().unwrap());
    let review = stage.alice.get(&path).await.expect(200);
    let fields = [
        "skill_object_id",
        "name",
        "description",
        "code",
        "parameters",
        "status",
        "created_on",
        "execution_count",
        "success_rate",
    ];
    for field in fields {
        assert!(!review[field].is_null(), "{field}: {review}");
    }
    stage.bob.get(&path).await.denied(403, "forbidden");
    stage.bob.delete(&path).await.denied(403, "forbidden");
    stage.alice.get(&format!("{SKILLS}/no_such_skill")).await.denied(404, "not_found");
    let approved = stage.alice.post(&format!("{path}/approve"), &json!({})).await.expect(200);
    assert_eq!((&approved["status"], &approved["name"]), (&json!("Active"), &json!("second_skill")));
    stage.alice.post(&format!("{path}/approve?only_if=pending"), &json!({})).await.denied(400, "not_pending");
    stage.alice.delete(&path).await.expect(200);
    assert_eq!(names(&stage.alice.get(SKILLS).await.expect(200)), ["first_skill"]);
    let nobody = reqwest::get(format!("{}{SKILLS}", stage.server.url)).await.unwrap();
    assert_eq!(nobody.status().as_u16(), 401);
}

#[tokio::test]
async fn t10_errors_are_told_and_break_nothing() {
    let stage = Stage::new().await;
    let told = fails(&stage.alice, "agent-1", uses("nonexistent_skill_12345", &json!({})), "not_found").await;
    assert!(told.contains("nonexistent_skill_12345"), "{told}");
    let invalid = "this is not valid python code {{{";
    fails(&stage.alice, "agent-1", register("broken", "Is broken.", invalid), "invalid_code").await;
    assert_eq!(own(&stage.alice).await, Vec::<Value>::new());
    // The same name again: other code is a new version, the same code none.
    does(&stage.alice, "agent-1", register("duplicate_test", "Counts.", "print(1)")).await;
    let second = does(&stage.alice, "agent-1", register("duplicate_test", "Counts.", "print(2)")).await;
    assert!(second["text"].as_str().unwrap().contains("version 2"), "{second}");
    does(&stage.alice, "agent-1", register("duplicate_test", "Counts.", "print(2)")).await;
    let listed = own(&stage.alice).await;
    let [skill] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((&skill["version"], &skill["code"]), (&json!(2), &json!("print(2)")));
    // An endless loop ends, as code and as a skill, and the next request works.
    let world = World::new();
    let server = Server::start_in(&world, &[], &[("REPERTOIRE_SANDBOX_WALL_SECONDS", "1")]);
    let hasty = Stage::on(world, server).await;
    let endless = "while True: pass";
    fails(&hasty.alice, "agent-1", json!({"prompt": endless}), "time_limit").await;
    does(&hasty.alice, "agent-1", register("endless", "Never ends.", endless)).await;
    fails(&hasty.alice, "agent-1", uses("endless", &json!({})), "time_limit").await;
    let skill = own(&hasty.alice).await[0].clone();
    assert_eq!((&skill["execution_count"], &skill["success_rate"]), (&json!(1), &json!(0.0)), "{skill}");
    let answer = does(&hasty.alice, "agent-1", json!({"prompt": FACTORIAL})).await;
    assert_eq!(answer["result"], 3_628_800);
}

#[tokio::test]
async fn t10_a_database_that_is_down_is_said_to_be_unavailable() {
    let cluster = Cluster::start();
    let url = cluster.create_database("acceptance");
    let world = World::new();
    world.write(".config/repertoire/config.toml", format!("database = \"{url}\"\n"));
    let server = world.serve();
    let stage = Stage::on(world, server).await;
    does(&stage.alice, "agent-1", register("first_skill", "Prints a greeting.", HELLO)).await;
    let path = format!("{SKILLS}/{}", own(&stage.alice).await[0]["id"].as_str().unwrap());
    cluster.kill();
    let call = uses("first_skill", &json!({}));
    let (listed, read, deleted, called) = tokio::join!(
        stage.alice.get(SKILLS),
        stage.alice.get(&path),
        stage.alice.delete(&path),
        stage.alice.interpret("agent-1", &call)
    );
    for answer in [listed, read, deleted] {
        assert!(answer.headers.contains_key("retry-after"), "{}", answer.text());
        let told = answer.denied(503, "unavailable");
        assert!(told.contains("database"), "{told}");
    }
    called.refused(503, "unavailable");
    cluster.restart();
    assert_eq!(own(&stage.alice).await.len(), 1, "nothing was removed");
    stage.alice.delete(&path).await.expect(200);
}
