//! The interpreter's skills: saved, found, used, loaded, and what is refused on the way.

use app::agents::{AgentSpec, update};
use app::artifacts::ArtifactKind;
use app::code_sessions::list;
use app::interpreter::{Call, LoadFunctions, Operation, load_functions};
use app::runs::ListRuns;
use app::sessions::{self, Start};
use app::skills::{CreateSkill, Decision, ListSkills, RevisionRef, decide, export, read, set_enabled};
use app::{Code, SkillRecord};
use model::{Caller, Origin, ProceduralMemory, Scope, Status, TokenScope, Transition};
use serde_json::{Map, Value, json};
use testkit::app::{name, spec_with};
use testkit::{CallerExt as _, TestApp};

use crate::interpreter::{asks, does, fails, file, with_memory};

const COMPOUND: &str = "\
def compound_interest_calculator(principal: float, rate: float, time: float, frequency: int = 12):
    \"\"\"Computes what an amount grows to with compound interest.

    Args:
        principal: The amount at the beginning.
        rate: The yearly rate, such as 0.05.
        time: How many years.
        frequency: How often a year interest is added.
    \"\"\"
    return principal * (1 + rate / frequency) ** (frequency * time)
";
const DESCRIPTION: &str =
    "Calculates compound interest: what a principal grows to at a rate of interest over time.";

fn registers(skill: &str, description: &str, code: &str) -> Call {
    Call {
        skill_name: Some(skill.to_owned()),
        skill_description: Some(description.to_owned()),
        ..asks("register_skill", code)
    }
}

fn compound() -> Call {
    registers("compound_interest_calculator", DESCRIPTION, COMPOUND)
}

fn uses(skill: &str, parameters: &Value) -> Call {
    Call {
        skill_name: Some(skill.to_owned()),
        skill_parameters: parameters.as_object().cloned().unwrap(),
        ..asks("use_skill", "")
    }
}

fn amounts() -> Value {
    json!({"principal": 1000, "rate": 0.05, "time": 10, "frequency": 12})
}

async fn skills(app: &TestApp, caller: &Caller) -> Vec<SkillRecord> {
    app::skills::list(&app.cx, caller, ListSkills::default()).await.unwrap().0.items
}

fn metadata(answer: &app::interpreter::Answer) -> Map<String, Value> {
    assert_eq!(answer.artifacts.len(), 1, "{answer:?}");
    answer.artifacts[0].fields()["metadata"].as_object().cloned().unwrap()
}

#[tokio::test]
async fn t3_code_is_registered_as_a_skill_of_the_agent_and_its_user() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let answer = does(&app, &alice, compound()).await;
    assert_eq!(answer.operation, Some(Operation::RegisterSkill));
    let first = answer.text.lines().next().unwrap();
    assert_eq!(first, "Skill 'compound_interest_calculator' has been saved and is ready to use.");
    assert!(answer.text.contains("Tell the user that you created the reusable skill"), "{}", answer.text);
    assert!(answer.text.contains("- rate (number): The yearly rate, such as 0.05."), "{}", answer.text);
    assert_eq!(answer.artifacts[0].kind, ArtifactKind::SkillSaved);
    let path =
        "/instances/default/providers/FoundationaLLM.Skill/skills/compound_interest_calculator_helper_alice";
    let wanted = json!({
        "skill_object_id": path,
        "skill_name": "compound_interest_calculator",
        "skill_description": DESCRIPTION,
        "skill_code": COMPOUND,
        "skill_status": "Active",
        "agent_object_id": "/instances/default/providers/FoundationaLLM.Agent/agents/helper",
        "user_id": "alice@example.com",
    });
    assert_eq!(Value::Object(metadata(&answer)), wanted);

    let [record] = skills(&app, &alice).await.try_into().unwrap();
    let skill = record.skill;
    assert_eq!(skill.scope, Scope::AgentUser(alice.agent.unwrap(), alice.user));
    assert_eq!((skill.name.as_str(), skill.origin), ("compound-interest-calculator", Origin::Agent));
    assert_eq!(
        (skill.status, skill.facets.procedure, skill.facets.instructions),
        (Status::Active, true, true)
    );
    let (_, _, bundle) = export(&app.cx, &alice, skill.id, RevisionRef::Current).await.unwrap();
    let body = String::from_utf8_lossy(bundle.skill_file().1).into_owned();
    for wanted in [
        "# compound_interest_calculator",
        DESCRIPTION,
        "- frequency (integer, default 12): How often a year interest is added.",
        "Call `compound_interest_calculator(principal, rate, time, frequency=12)` in `scripts/main.py`.",
    ] {
        assert!(body.contains(wanted), "{wanted}\n{body}");
    }
}

#[tokio::test]
async fn t4_a_skill_is_found_by_those_it_belongs_to() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    does(&app, &alice, compound()).await;
    let answer = does(&app, &alice, asks("search_skills", "interest calculation")).await;
    let [found] = answer.skills.as_deref().unwrap() else { panic!("{}", answer.text) };
    assert_eq!(
        (found.name.as_str(), found.description.as_str()),
        ("compound_interest_calculator", DESCRIPTION)
    );
    assert!((0.7..=1.0).contains(&found.similarity), "{}", found.similarity);
    let parameters: Vec<_> = found.parameters.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(parameters, ["principal", "rate", "time", "frequency"]);
    assert!(answer.text.contains(&format!("(similarity {:.2})", found.similarity)), "{}", answer.text);
    assert!(answer.artifacts.is_empty());

    let bob = app.user("bob", &[]).await;
    let other_agent = app.agent_with("other", ProceduralMemory::default()).await;
    let in_person = Caller { agent: None, ..alice.clone() };
    let nobody = [
        (Caller { user: bob.user, roles: bob.roles, ..alice.clone() }, "interest calculation"),
        (bob, "interest calculation"),
        (in_person.through(&other_agent), "interest calculation"),
        (alice.clone(), "image processing"),
    ];
    for (caller, query) in nobody {
        let none = does(&app, &caller, asks("search_skills", query)).await;
        assert_eq!(none.text, "No matching skills were found.");
        assert!(none.skills.unwrap().is_empty());
    }
    fails(&app, &alice, "invalid_request", asks("search_skills", " ")).await;
}

#[tokio::test]
async fn t5_a_skill_is_used_and_counted() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    does(&app, &alice, compound()).await;
    for (count, spelling) in [(1, "compound_interest_calculator"), (2, "Compound-Interest-Calculator")] {
        let answer = does(&app, &alice, uses(spelling, &amounts())).await;
        assert!((answer.result.as_f64().unwrap() - 1647.01).abs() < 0.005, "{}", answer.text);
        assert!(answer.text.starts_with("Used skill 'compound_interest_calculator': "), "{}", answer.text);
        assert!(answer.text.contains("Result: 1647.0"), "{}", answer.text);
        assert!(answer.text.ends_with("and what for."), "{}", answer.text);
        assert_eq!(answer.artifacts[0].kind, ArtifactKind::SkillUsed);
        let shown = metadata(&answer);
        assert_eq!((&shown["execution_count"], &shown["success_rate"]), (&json!(count), &json!(1.0)));
        assert_eq!(shown["skill_code"], COMPOUND);
    }
    assert_eq!(skills(&app, &alice).await[0].statistics.execution_count(), 2);
    let runs = app::runs::list(&app.cx, &alice, ListRuns::default()).await.unwrap();
    assert_eq!(runs.items.len(), 2);
}

#[tokio::test]
async fn parameters_that_do_not_fit_run_nothing_and_are_told() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    does(&app, &alice, compound()).await;
    let wrong = uses("compound_interest_calculator", &json!({"principal": "much", "rate": 0.05}));
    let answer = fails(&app, &alice, "invalid_parameters", wrong).await;
    for wanted in [
        "'compound_interest_calculator' was not run",
        "`principal` must be",
        "`time` is missing",
        "- rate (number)",
    ] {
        assert!(answer.text.contains(wanted), "{}", answer.text);
    }
    assert!(answer.artifacts.is_empty());
    assert_eq!(skills(&app, &alice).await[0].statistics.execution_count(), 0);
}

#[tokio::test]
async fn a_skill_that_fails_was_used_all_the_same() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    does(
        &app,
        &alice,
        registers("divider", "Divides one by a number.", "def divider(n: int):\n    return 1 / n\n"),
    )
    .await;
    let answer = fails(&app, &alice, "code_error", uses("divider", &json!({"n": 0}))).await;
    assert!(
        answer.text.contains("It failed: ZeroDivisionError: division by zero (line 2)"),
        "{}",
        answer.text
    );
    let shown = metadata(&answer);
    assert_eq!((&shown["execution_count"], &shown["success_rate"]), (&json!(1), &json!(0.0)));
}

#[tokio::test]
async fn t6_a_skill_that_needs_approval_waits_for_it() {
    let settings = ProceduralMemory { require_skill_approval: true, ..ProceduralMemory::default() };
    let (app, alice) = with_memory(settings).await;
    let asked = || registers("pending_test_skill", "Says hello to the world.", "print('Hello World')");
    let answer = does(&app, &alice, asked()).await;
    assert!(answer.text.starts_with("Skill 'pending_test_skill' has been saved and is pending approval."));
    assert_eq!(metadata(&answer)["skill_status"], "PendingApproval");
    let refused = fails(&app, &alice, "skill_not_active", uses("pending_test_skill", &json!({}))).await;
    assert!(refused.text.contains("PendingApproval"), "{}", refused.text);
    let search = does(&app, &alice, asks("search_skills", "say hello to the world")).await;
    assert!(search.skills.unwrap().is_empty());

    let id = skills(&app, &alice).await[0].skill.id;
    let in_person = Caller { agent: None, ..alice.clone() };
    decide(&app.cx, &in_person, id, Decision::new(Transition::Approve)).await.unwrap();
    let used = does(&app, &alice, uses("pending_test_skill", &json!({}))).await;
    assert_eq!(used.stdout, "Hello World\n");

    let changed = registers("pending_test_skill", "Says hello to the world.", "print('Hello again')");
    let answer = does(&app, &alice, changed).await;
    assert!(answer.text.contains("is pending approval. It is version 2 now."), "{}", answer.text);
    set_enabled(&app.cx, &in_person, id, false, None).await.unwrap();
    let refused = fails(&app, &alice, "skill_not_active", uses("pending_test_skill", &json!({}))).await;
    assert!(refused.text.contains("Disabled"), "{}", refused.text);
}

#[tokio::test]
async fn t10_what_cannot_be_done_is_told_and_changes_nothing() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    does(&app, &alice, compound()).await;
    let before = app.snapshot().await;
    let missing = fails(&app, &alice, "not_found", uses("nonexistent_skill_12345", &json!({}))).await;
    assert!(
        missing.text.starts_with("There is no skill named 'nonexistent_skill_12345'."),
        "{}",
        missing.text
    );
    let near = fails(&app, &alice, "not_found", uses("compound_interest", &json!({}))).await;
    assert!(near.text.contains("Did you mean 'compound_interest_calculator'?"), "{}", near.text);
    let invalid = registers("bad", "Does nothing.", "this is not valid python code {{{");
    let invalid = fails(&app, &alice, "invalid_code", invalid).await;
    assert_eq!(invalid.failure.unwrap().line, Some(1));
    fails(&app, &alice, "invalid_name", registers("技能", "Does nothing.", "1")).await;
    for (field, asked) in [
        ("skill_name", Call { skill_name: None, ..compound() }),
        ("skill_name", uses(" ", &json!({}))),
        ("skill_description", Call { skill_description: Some(" ".to_owned()), ..compound() }),
        ("code", Call { prompt: String::new(), ..compound() }),
    ] {
        let told = fails(&app, &alice, "invalid_request", asked).await;
        assert!(told.text.contains(&format!("`{field}` is missing")), "{}", told.text);
    }
    assert_eq!(before.changes(&app.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn registering_again_is_a_new_version_or_nothing() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let version =
        |n: u32| registers("duplicate_test", "Gives its version.", &format!("def main():\n    return {n}\n"));
    does(&app, &alice, version(1)).await;
    let same = does(&app, &alice, version(1)).await;
    assert!(same.text.contains("already saved with this very code; nothing was changed"), "{}", same.text);
    assert!(same.artifacts.is_empty());
    let changed = does(&app, &alice, version(2)).await;
    assert!(changed.text.contains("It is version 2 now."), "{}", changed.text);
    let [record] = skills(&app, &alice).await.try_into().unwrap();
    assert_eq!(record.skill.revision.get(), 2);
    assert_eq!(does(&app, &alice, uses("duplicate_test", &json!({}))).await.result, json!(2));
    let code = Call { code: Some("def main():\n    return 3\n".to_owned()), ..version(0) };
    does(&app, &alice, code).await;
    assert_eq!(does(&app, &alice, uses("duplicate_test", &json!({}))).await.result, json!(3));
}

#[tokio::test]
async fn an_agent_keeps_no_more_skills_than_it_may() {
    let settings = ProceduralMemory { max_skills_per_user: 1, ..ProceduralMemory::default() };
    let (app, alice) = with_memory(settings).await;
    does(&app, &alice, compound()).await;
    let full = fails(&app, &alice, "limit_reached", registers("more", "Does more.", "1")).await;
    assert!(full.text.contains("`compound-interest-calculator`"), "{}", full.text);
    does(&app, &alice, compound()).await;
}

#[tokio::test]
async fn an_agent_that_saves_nothing_by_itself_proposes_or_refuses() {
    for (approval, saved) in [(false, false), (true, true)] {
        let settings = ProceduralMemory {
            auto_register_skills: false,
            require_skill_approval: approval,
            ..ProceduralMemory::default()
        };
        let (app, alice) = with_memory(settings).await;
        if saved {
            assert!(does(&app, &alice, compound()).await.text.contains("is pending approval"));
        } else {
            let refused = fails(&app, &alice, "forbidden", compound()).await;
            assert!(refused.text.contains("`auto_register_skills` is off"), "{}", refused.text);
        }
        assert_eq!(skills(&app, &alice).await.len(), usize::from(saved));
        let in_person = Caller { agent: None, ..alice.clone() };
        does(&app, &in_person, compound()).await;
    }
}

#[tokio::test]
async fn a_person_has_memory_too() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let alice = Caller { agent: None, ..alice };
    let answer = does(&app, &alice, compound()).await;
    assert_eq!(metadata(&answer)["agent_object_id"], Value::Null);
    let [record] = skills(&app, &alice).await.try_into().unwrap();
    assert_eq!((record.skill.scope, record.skill.origin), (Scope::User(alice.user), Origin::User));
    does(&app, &alice, uses("compound_interest_calculator", &amounts())).await;
}

#[tokio::test]
async fn a_skill_without_code_gives_its_instructions_and_is_counted() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    app.put(&alice, spec_with("tea", |draft| draft.body = "Boil water, then wait.".to_owned())).await;
    let answer = does(&app, &alice, uses("tea", &json!({}))).await;
    assert!(answer.text.contains("Boil water, then wait."), "{}", answer.text);
    let shown = metadata(&answer);
    assert_eq!((&shown["execution_count"], &shown["skill_code"]), (&json!(1), &json!("")));
}

#[tokio::test]
async fn a_skill_works_on_the_files_of_the_session_and_leaves_its_own() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let code = "def upper(path: str):\n    text = open(path).read().upper()\n    open('out.txt', 'w').write(text)\n    return text\n";
    does(&app, &alice, registers("upper", "Writes a file in capitals.", code)).await;
    let session = file(&app, &alice, "in.txt", "hello").await;
    let asked = |path: &str| Call {
        code_session: Some(session),
        file_names: vec![path.to_owned()],
        ..uses("upper", &json!({"path": path}))
    };
    fails(&app, &alice, "not_found", asked("other.txt")).await;
    let answer = does(&app, &alice, asked("in.txt")).await;
    assert_eq!((answer.result.as_str(), answer.code_session), (Some("HELLO"), Some(session)));
    assert_eq!(answer.files[0].path, "out.txt");

    let makes = "def makes():\n    open('made.txt', 'w').write('made')\n";
    does(&app, &alice, registers("makes", "Makes a file.", makes)).await;
    let answer = does(&app, &alice, uses("makes", &json!({}))).await;
    let made = answer.code_session.unwrap();
    let read = Call { code_session: Some(made), ..asks("execute", "open('made.txt').read()") };
    assert_eq!(does(&app, &alice, read).await.result, json!("made"));
    assert_eq!(list(&app.cx, &alice).unwrap().len(), 2);
}

#[tokio::test]
async fn auto_uses_a_skill_that_fits() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    does(&app, &alice, compound()).await;
    let prompt = "calculate compound interest on a principal";
    let asked = Call {
        code: Some("raise SystemExit('not this')".to_owned()),
        skill_parameters: amounts().as_object().cloned().unwrap(),
        ..asks("auto", prompt)
    };
    let answer = does(&app, &alice, asked.clone()).await;
    assert_eq!(answer.operation, Some(Operation::Auto));
    assert_eq!(answer.artifacts[0].kind, ArtifactKind::SkillUsed);
    assert!((answer.result.as_f64().unwrap() - 1647.01).abs() < 0.005);
    let missing = fails(&app, &alice, "invalid_parameters", asks("auto", prompt)).await;
    assert!(missing.text.contains("'compound_interest_calculator' was not run"), "{}", missing.text);

    let admin = app.admin().await;
    let agent = app::agents::find(&app.cx, &admin, &name("helper")).await.unwrap();
    let settings = ProceduralMemory { prefer_skills: false, enabled: true, ..ProceduralMemory::default() };
    let spec = AgentSpec { procedural_memory: Some(settings), ..AgentSpec::new(name("helper")) };
    update(&app.cx, &admin, agent.id, spec, None).await.unwrap();
    fails(&app, &alice, "exit_status", asked).await;
}

#[tokio::test]
async fn auto_executes_and_saves_what_came_along() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let nothing = fails(&app, &alice, "not_found", asks("auto", "add two numbers")).await;
    assert!(nothing.text.contains("no model connection is configured"), "{}", nothing.text);
    let code = |text: &str| Call { code: Some(text.to_owned()), ..asks("auto", "Add two numbers.") };
    let plain = does(&app, &alice, code("1 + 2")).await;
    assert_eq!((plain.result, plain.artifacts.len()), (json!(3), 0));
    let adds = Call {
        skill_name: Some("adds".to_owned()),
        ..code("def adds(a: int = 1, b: int = 2): return a + b\nadds()")
    };
    fails(&app, &alice, "code_error", Call { code: Some("1 / 0".to_owned()), ..adds.clone() }).await;
    assert!(skills(&app, &alice).await.is_empty());
    let saved = does(&app, &alice, adds.clone()).await;
    assert_eq!(saved.result, json!(3));
    assert!(saved.text.contains("Skill 'adds' has been saved and is ready to use."), "{}", saved.text);
    assert_eq!(skills(&app, &alice).await[0].skill.description, "Add two numbers.");

    let settings = ProceduralMemory { auto_register_skills: false, ..ProceduralMemory::default() };
    let (app, alice) = with_memory(settings).await;
    let told = does(&app, &alice, adds).await;
    assert!(told.text.contains("It was not saved as a skill"), "{}", told.text);
    assert!(skills(&app, &alice).await.is_empty());
}

#[tokio::test]
async fn functions_are_loaded_to_be_imported() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    does(&app, &alice, compound()).await;
    app.put(&alice, spec_with("tea", |draft| draft.body = "Boil water, then wait.".to_owned())).await;
    let load = |names: &[&str], code_session| {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        load_functions(&app.cx, &alice, LoadFunctions { names, code_session })
    };
    let missing = load(&["tea", "unknown_one", "unknown_two"], None).await.unwrap();
    assert_eq!(missing.failure.unwrap().code, "not_found");
    assert!(
        missing.text.contains("'unknown_one'") && missing.text.contains("'unknown_two'"),
        "{}",
        missing.text
    );
    assert!(list(&app.cx, &alice).unwrap().is_empty());

    let names = ["compound-interest-calculator", "tea", "compound_interest_calculator"];
    let loaded = load(&names, None).await.unwrap();
    assert_eq!(loaded.failure, None, "{}", loaded.text);
    for wanted in [
        "from compound_interest_calculator import compound_interest_calculator",
        "compound_interest_calculator(principal, rate, time, frequency=12)",
        "- rate (number): The yearly rate, such as 0.05.",
        "Boil water, then wait.",
    ] {
        assert!(loaded.text.contains(wanted), "{wanted}\n{}", loaded.text);
    }
    let session = loaded.code_session;
    let code = "from compound_interest_calculator import compound_interest_calculator as grow\n[grow(1000, 0.05, years) for years in (1, 10)]";
    let answer = does(&app, &alice, Call { code_session: session, ..asks("execute", code) }).await;
    assert!((answer.result[1].as_f64().unwrap() - 1647.01).abs() < 0.005, "{}", answer.text);
    assert!(answer.files.is_empty(), "{:?}", answer.files);
    assert_eq!(load(&["tea"], session).await.unwrap().code_session, session);
    let uses = skills(&app, &alice).await.into_iter().map(|record| record.statistics.use_count);
    assert_eq!(uses.collect::<Vec<_>>(), [1, 2]);

    let off = alice.through(&app.agent("off").await);
    let none =
        load_functions(&app.cx, &off, LoadFunctions { names: vec!["tea".to_owned()], code_session: None });
    let none = none.await.unwrap();
    assert_eq!(none.failure.unwrap().code, "not_found");
    assert!(!none.text.contains("skill"), "{}", none.text);
}

#[tokio::test]
async fn a_function_called_like_a_module_of_pythons_own_is_imported_all_the_same() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let call = Call {
        skill_name: Some("json".to_owned()),
        skill_description: Some("Says that it is no other.".to_owned()),
        ..asks("register_skill", "def json(): return 'ours'")
    };
    does(&app, &alice, call).await;
    let request = LoadFunctions { names: vec!["json".to_owned()], code_session: None };
    let loaded = load_functions(&app.cx, &alice, request).await.unwrap();
    assert!(loaded.text.contains("from skill_json import json"), "{}", loaded.text);
    let code = "from skill_json import json as ours\nimport json\n[ours(), json.dumps(1)]";
    let call = Call { code_session: loaded.code_session, ..asks("execute", code) };
    assert_eq!(does(&app, &alice, call).await.result, json!(["ours", "1"]));
}

#[tokio::test]
async fn a_pinned_agent_uses_the_revision_it_is_pinned_to() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let admin = app.admin().await;
    let version = |n: u32| {
        let source = format!("def main():\n    return {n}\n");
        let sidecar = "procedure:\n  language: python\n  file: a.py\n  function: main\n";
        let body = testkit::app::skill_md("shared", "x");
        let files = [("SKILL.md", body.as_str()), ("repertoire.yaml", sidecar), ("a.py", source.as_str())];
        CreateSkill { on_conflict: app::skills::OnConflict::NewRevision, ..testkit::app::files_spec(&files) }
    };
    let skill = app.put(&admin, version(1)).await.record.skill;
    let agent = alice.agent.unwrap();
    app::agents::assign(&app.cx, &admin, agent, skill.id, Some(skill.revision), None).await.unwrap();
    app.put(&admin, version(2)).await;
    let answer = does(&app, &alice, uses("shared", &json!({}))).await;
    assert_eq!(answer.result, json!(1));
    assert!(metadata(&answer)["skill_code"].as_str().unwrap().contains("return 1"));
    assert_eq!(read(&app.cx, &admin, skill.id).await.unwrap().record.skill.revision.get(), 2);
    app.refuses(Code::NotFound, app::skills::resolve(&app.cx, &alice, "nothing")).await;
    // What it reads is what it uses.
    let by_name = app::skills::by_name::read(&app.cx, &alice, "shared").await.unwrap();
    assert_eq!(by_name.revision.number.get(), 1);
    let in_person = Caller { agent: None, ..alice };
    let by_name = app::skills::by_name::read(&app.cx, &in_person, "shared").await.unwrap();
    assert_eq!(by_name.revision.number.get(), 2);
}

#[tokio::test]
async fn a_token_that_only_reads_can_search_and_do_nothing_else() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let reader = alice.scoped(&[TokenScope::Read]);
    does(&app, &reader, asks("search_skills", "interest calculation")).await;
    for operation in ["execute", "use_skill", "register_skill", "auto", "dance"] {
        let act = app::interpreter::call(&app.cx, &reader, asks(operation, "1 + 1"));
        app.refuses(Code::TokenScope, act).await;
    }
    let plain = alice.through(&app.agent("plain").await).scoped(&[TokenScope::Read]);
    let act = app::interpreter::call(&app.cx, &plain, asks("search_skills", "1 + 1"));
    app.refuses(Code::TokenScope, act).await;
}

#[tokio::test]
async fn a_secret_that_a_skill_is_given_is_nowhere_in_the_session() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let code = "def connect(user: str, password: str):\n    print(f'db://{user}:{password}@host')\n    return {'given': [user, password]}\n";
    does(&app, &alice, registers("connect", "Connects to the database of the shop.", code)).await;
    let session = sessions::start(&app.cx, &alice, Start::default()).await.unwrap().session.id;
    let parameters = json!({"user": "ada", "password": "hunter2\"!"});
    let call = Call { session: Some(session), ..uses("connect", &parameters) };
    let answer = does(&app, &alice, call).await;
    assert!(answer.text.contains("db://ada:hunter2\"!@host"), "the caller is told: {}", answer.text);
    let kept = sessions::entries(&app.cx, &alice, session, app::PageRequest::default()).await.unwrap();
    let texts: Vec<_> = kept.items.iter().map(|entry| entry.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("db://ada:[redacted]@host")), "{texts:?}");
    let all = format!("{:?}", kept.items);
    assert!(!all.contains("hunter2"), "{all}");
}
