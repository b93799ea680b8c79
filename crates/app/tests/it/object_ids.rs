//! The words and paths by which procedural memory's first design names things, and artifacts, which carry them.

use app::Code;
use app::artifacts::{Artifact, ArtifactKind};
use app::object_ids::{find_skill, of_skill};
use app::skills::{CreateSkill, set_enabled};
use model::{ProceduralMemory, Scope};
use serde_json::json;
use testkit::app::{spec, spec_with};
use testkit::{CallerExt, TestApp};

fn titled(title: &str) -> CreateSkill {
    spec_with(model::slugify(title).unwrap().as_str(), |draft| {
        draft.title = Some(title.to_owned());
        draft.body = format!("Do {title}.");
    })
}

#[tokio::test]
async fn an_id_has_the_parts_that_the_scope_has() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let alice = app.user("Zoiner.Tejada@example.com", &[]).await;
    let agent = app.agent_with("maa-02", ProceduralMemory::default()).await;
    let name = "calculate_revenue_growth";
    let scopes = [
        (Scope::AgentUser(agent.id, alice.user), "calculate_revenue_growth_maa-02_zoinertejada"),
        (Scope::User(alice.user), "calculate_revenue_growth_zoinertejada"),
        (Scope::Agent(agent.id), "calculate_revenue_growth_maa-02"),
        (Scope::Workspace, "calculate_revenue_growth"),
    ];
    for (scope, id) in scopes {
        let record = app.put(&admin, CreateSkill { scope: Some(scope), ..titled(name) }).await.record;
        let called = of_skill(&app.cx, &record.skill).await.unwrap();
        assert_eq!((called.name.as_str(), called.id.as_str()), (name, id));
        assert_eq!(
            called.object_id,
            format!("/instances/default/providers/FoundationaLLM.Skill/skills/{id}")
        );
        assert_eq!(
            called.agent_object_id.as_deref(),
            scope.agent().map(|_| "/instances/default/providers/FoundationaLLM.Agent/agents/maa-02")
        );
        assert_eq!(called.user.is_some(), scope.user().is_some());
        for text in [id.to_owned(), id.replace("calculate_revenue", "Calculate-Revenue")] {
            assert_eq!(find_skill(&app.cx, &admin, &text).await.unwrap(), record.skill.id, "{text}");
        }
        let uuid = record.skill.id.to_string();
        assert_eq!(find_skill(&app.cx, &admin, &uuid).await.unwrap(), record.skill.id);
    }
    for text in ["", "_", "calculate", "calculate_revenue_growth_bob", "x".repeat(5_000).as_str()] {
        app.refuses(Code::NotFound, find_skill(&app.cx, &admin, text)).await;
    }
}

#[tokio::test]
async fn only_a_title_that_is_a_spelling_of_the_name_in_one_word_is_the_name() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    for (title, name) in [
        ("Growth_Rate", "Growth_Rate"),
        ("Growth of Sales", "growth-of-sales"),
        ("growth-plain", "growth-plain"),
    ] {
        let record = app.put(&alice, titled(title)).await.record;
        assert_eq!(of_skill(&app.cx, &record.skill).await.unwrap().name, name);
    }
}

#[tokio::test]
async fn of_several_skills_with_one_id_the_callers_own_is_meant() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (ab, a_b) = (app.user("ab", &[]).await, app.user("a.b@example.com", &[]).await);
    let bob = app.user("bob", &[]).await;
    let first = app.skill(&ab, "growth").await.skill.id;
    let second = app.skill(&a_b, "growth").await.skill.id;
    assert_eq!(find_skill(&app.cx, &ab, "growth_ab").await.unwrap(), first);
    assert_eq!(find_skill(&app.cx, &a_b, "growth_ab").await.unwrap(), second);
    let error = app.refuses(Code::InvalidRequest, find_skill(&app.cx, &admin, "growth_ab")).await;
    assert!(error.to_string().contains(&first.to_string()), "{error}");
    // Who may see none of them learns no more than that there is one.
    let found = find_skill(&app.cx, &bob, "growth_ab").await.unwrap();
    app.refuses(Code::Forbidden, app::skills::read(&app.cx, &bob, found)).await;
}

#[tokio::test]
async fn an_artifact_shows_the_fields_of_its_kind() {
    let app = TestApp::new().await;
    let alice = app.user("alice@example.com", &[]).await;
    let agent = app.agent_with("helper", ProceduralMemory::default()).await;
    let through = alice.through(&agent);
    let record = app.put(&through, spec("growth")).await.record;
    let path = "/instances/default/providers/FoundationaLLM.Skill/skills/growth_helper_alice";
    let mut metadata = json!({
        "skill_object_id": path,
        "skill_name": "growth",
        "skill_description": "Does growth when asked to.",
        "skill_code": "x = 1",
        "skill_status": "Active",
        "agent_object_id": "/instances/default/providers/FoundationaLLM.Agent/agents/helper",
        "user_id": "alice@example.com",
    });
    for (kind, word, title) in [
        (ArtifactKind::SkillSaved, "skill_saved", "Skill Saved: growth"),
        (ArtifactKind::SkillProposal, "skill_proposal", "Skill Proposal: growth"),
        (ArtifactKind::SkillUsed, "skill_used", "Skill Used: growth"),
    ] {
        if kind == ArtifactKind::SkillUsed {
            metadata["execution_count"] = json!(0);
            metadata["success_rate"] = json!(1.0);
        }
        let artifact = Artifact::new(&app.cx, kind, &record, "x = 1".to_owned()).await.unwrap();
        let fields = serde_json::Value::Object(artifact.fields());
        let wanted = json!({
            "id": artifact.id, "title": title, "type": word, "filepath": path,
            "skill_id": record.skill.id.to_string(), "metadata": metadata,
        });
        assert_eq!(fields, wanted);
    }
    set_enabled(&app.cx, &through, record.skill.id, false, None).await.unwrap();
    let off = app.stored(&record).await;
    let artifact = Artifact::new(&app.cx, ArtifactKind::SkillSaved, &off, String::new()).await.unwrap();
    assert_eq!(artifact.skill_status, "Disabled");
}
