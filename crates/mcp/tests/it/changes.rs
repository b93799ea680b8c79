//! Hosts are told of changes, and of nothing else.

use std::time::Duration;

use model::Role;
use serde_json::json;

use crate::world::{Host, LegacyHost, Stream, World};

const PATIENCE: Duration = Duration::from_secs(10);

async fn listen(host: &Host, what: &str) -> Stream {
    let request = host.request("subscriptions/listen", json!({ "notifications": { what: true } }));
    let mut stream = Stream::new(host.send(request).await);
    assert_eq!(stream.next().await["method"], "notifications/subscriptions/acknowledged");
    stream
}

#[tokio::test]
async fn a_change_right_after_the_acknowledgement_is_never_lost() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let host = world.host(&admin).await;
    for round in 0..30 {
        let mut stream = listen(&host, "resourcesListChanged").await;
        world.app.skill(&admin, &format!("skill-{round}")).await;
        let told = tokio::time::timeout(PATIENCE, stream.next()).await.expect("told in time");
        assert_eq!(told["method"], "notifications/resources/list_changed", "round {round}");
    }
}

#[tokio::test]
async fn another_persons_skills_drafts_and_counters_are_no_news() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let mia = world.app.user("mia@example.com", &[Role::Member]).await;
    let tom = world.app.user("tom@example.com", &[Role::Member]).await;
    let shared = world.app.skill(&admin, "shared").await;
    let mut stream = listen(&world.host(&tom).await, "resourcesListChanged").await;
    world.app.skill(&mia, "mias").await;
    app::skills::record_use(&world.app.cx, &admin, shared.skill.id, true).await.unwrap();
    let draft = app::skills::CreateSkill { draft: true, ..testkit::app::spec("not-yet") };
    world.app.put(&tom, draft).await;
    let quiet = tokio::time::timeout(Duration::from_millis(600), stream.next()).await;
    assert!(quiet.is_err(), "{quiet:?}");
    world.app.skill(&tom, "toms").await;
    let told = tokio::time::timeout(PATIENCE, stream.next()).await.expect("told in time");
    assert_eq!(told["method"], "notifications/resources/list_changed");
}

#[tokio::test]
async fn tools_change_with_the_settings_of_the_agent() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let host = world.agent_host("").await;
    let mut stream = listen(&host, "toolsListChanged").await;
    // Skills are no news to who listens for tools.
    world.app.skill(&admin, "greet").await;
    let agent = app::agents::find(&world.app.cx, &admin, &testkit::app::name("helper")).await.unwrap();
    let spec = app::agents::AgentSpec {
        procedural_memory: agent.procedural_memory.clone(),
        toolsets: vec![model::Toolset::Library],
        ..app::agents::AgentSpec::new(agent.name.clone())
    };
    app::agents::update(&world.app.cx, &admin, agent.id, spec, None).await.unwrap();
    let told = tokio::time::timeout(PATIENCE, stream.next()).await.expect("told in time");
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert_eq!(host.tools().await.first().map(String::as_str), Some("list_skills"));
}

#[tokio::test]
async fn a_change_is_told_when_the_database_can_be_read_again() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let host = world.agent_host("").await;
    let mut stream = listen(&host, "resourcesListChanged").await;
    let mut told = async |name: &str| {
        world.app.skill(&admin, name).await;
        tokio::time::timeout(PATIENCE, stream.next()).await.expect("told in time")
    };
    told("before").await;
    world.app.fail_reads(Some("FROM agents"));
    let failed = async {
        while world.app.failed_reads() == 0 {
            tokio::task::yield_now().await;
        }
        world.app.fail_reads(None);
    };
    let (told, ()) = tokio::join!(told("meanwhile"), failed);
    assert_eq!(told["method"], "notifications/resources/list_changed");
}

#[tokio::test]
async fn a_host_whose_token_was_revoked_is_told_no_more() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let mia = world.app.user("mia@example.com", &[Role::Member]).await;
    let mut stream = listen(&world.host(&mia).await, "resourcesListChanged").await;
    world.revoke_tokens(&mia).await;
    world.app.skill(&admin, "hers-no-more").await;
    let last = tokio::time::timeout(PATIENCE, stream.next()).await.expect("ended in time");
    assert_eq!(last["result"]["resultType"], "complete", "{last}");
}

#[tokio::test]
async fn a_door_that_closes_ends_the_streams() {
    let world = World::new().await;
    let host = world.host(&world.app.admin().await).await;
    let mut stream = listen(&host, "resourcesListChanged").await;
    let (last, ()) = tokio::join!(tokio::time::timeout(PATIENCE, stream.next()), world.mcp.stop());
    let last = last.expect("ended in time");
    assert_eq!(last["result"]["resultType"], "complete", "{last}");
}

#[tokio::test]
async fn a_session_that_says_twice_that_it_is_ready_is_told_once() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let host = LegacyHost::introduced(&world.host(&admin).await).await;
    host.ready().await;
    host.ready().await;
    let mut stream = host.stream().await;
    for round in 0..5 {
        world.app.skill(&admin, &format!("skill-{round}")).await;
        for list in ["resources", "prompts"] {
            let told = tokio::time::timeout(PATIENCE, stream.next()).await.expect("told in time");
            assert_eq!(told["method"], format!("notifications/{list}/list_changed"), "round {round}");
        }
        let quiet = tokio::time::timeout(Duration::from_millis(300), stream.next()).await;
        assert!(quiet.is_err(), "{quiet:?}");
    }
}
