//! Agents and the skills assigned to them.

use std::sync::Arc;

use model::{Approver, Assignment, Discovery, ProceduralMemory, ProposalMode, RunLimits, Scope, Toolset};

use super::World;
use super::samples::{self, name, number};
use crate::{Store, StoreError, Written};

pub async fn an_agent_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (first, second) = (world.skill("first"), world.skill("second"));
    world.add(&[&first, &second]).await;
    let plain = samples::agent(world.workspace, "plain");
    let mut full = samples::agent(world.workspace, "full");
    full.description = "Löst \"Fälle\"\nund mehr".to_owned();
    full.procedural_memory = Some(ProceduralMemory {
        enabled: true,
        auto_register_skills: false,
        require_skill_approval: true,
        max_skills_per_user: 7,
        skill_search_threshold: 0.123_456_789,
        prefer_skills: false,
        approver: Approver::TwoPerson,
        proposal_mode: ProposalMode::OnRequest,
    });
    full.discovery = Discovery::Hybrid;
    full.discovery_token_budget = 123;
    full.assignments = vec![
        Assignment { skill: second.id, pin: Some(number(3)) },
        Assignment { skill: first.id, pin: None },
    ];
    full.run_limits = RunLimits {
        wall_ms: Some(1_500),
        processes: Some(1),
        memory_bytes: Some(RunLimits::MAX),
        ..RunLimits::default()
    };
    full.toolsets = vec![Toolset::Memory, Toolset::Interpreter];
    full.version = 5;
    full.updated_at = samples::moment(77);
    let mut tx = world.begin().await;
    for agent in [&plain, &full] {
        assert!(tx.insert_agent(agent).await.unwrap());
    }
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    for agent in [plain, full] {
        assert_eq!(tx.agent(world.workspace, agent.id).await.unwrap().as_ref(), Some(&agent));
        assert_eq!(tx.agent_by_name(world.workspace, &agent.name).await.unwrap(), Some(agent));
    }
    assert_eq!(tx.agent(world.workspace, samples::agent_id()).await.unwrap(), None);
    assert_eq!(tx.agent_by_name(world.workspace, &name("nobody")).await.unwrap(), None);
}

pub async fn a_taken_agent_name_is_refused_and_the_transaction_goes_on(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let first = samples::agent(world.workspace, "helper");
    let mut second = samples::agent(world.workspace, "helper");
    second.assignments = vec![Assignment { skill: skill.id, pin: None }];
    let mut tx = world.begin().await;
    assert!(tx.insert_agent(&first).await.unwrap());
    assert!(!tx.insert_agent(&second).await.unwrap());
    assert!(tx.insert_agent(&samples::agent(world.workspace, "other")).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.agents(world.workspace, None, 10).await.unwrap().len(), 2);
    assert_eq!(tx.agent_by_name(world.workspace, &first.name).await.unwrap(), Some(first));
    assert_eq!(tx.assigned_agents(world.workspace, skill.id).await.unwrap(), []);
}

pub async fn the_same_agent_name_may_stand_in_another_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let other = world.add_workspace("other").await;
    let here = world.add_agent("helper").await;
    let there = samples::agent(other, "helper");
    let mut tx = world.store.begin(other).await.unwrap();
    assert!(tx.insert_agent(&there).await.unwrap());
    assert_eq!(tx.agent(other, here.id).await.unwrap(), None);
    assert!(!tx.delete_agent(other, here.id).await.unwrap());
    assert_eq!(tx.agents(other, None, 10).await.unwrap(), [there]);
    tx.commit().await.unwrap();
    assert_eq!(world.read().await.agents(world.workspace, None, 10).await.unwrap(), [here]);
}

pub async fn agents_are_listed_by_name_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for name in ["b", "a-b", "ab", "a", "9"] {
        world.add_agent(name).await;
    }
    let mut names = Vec::new();
    let mut after = None;
    loop {
        let page = world.read().await.agents(world.workspace, after.as_ref(), 2).await.unwrap();
        assert!(page.len() <= 2);
        let Some(last) = page.last() else { break };
        after = Some(last.name.clone());
        names.extend(page.into_iter().map(|agent| agent.name.to_string()));
        assert!(names.len() < 100, "the pages do not end");
    }
    assert_eq!(names, ["9", "a", "a-b", "ab", "b"]);
}

pub async fn updating_an_agent_replaces_it_with_its_assignments(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (first, second) = (world.skill("first"), world.skill("second"));
    world.add(&[&first, &second]).await;
    let mut agent = world.add_agent("helper").await;
    let untouched = world.add_agent("other").await;
    let mut tx = world.begin().await;
    for (version, skills) in [(2, vec![first.id, second.id]), (3, vec![second.id]), (4, vec![])] {
        agent.version = version;
        agent.name = name(&format!("helper-{version}"));
        agent.title = format!("Title {version}");
        agent.description = format!("Description {version}");
        agent.procedural_memory = (version == 3).then(ProceduralMemory::default);
        agent.discovery = Discovery::ALL[usize::try_from(version).unwrap() - 2];
        agent.discovery_token_budget = 1_000 + u32::try_from(version).unwrap();
        agent.toolsets = (version == 3).then_some(Toolset::Library).into_iter().collect();
        agent.run_limits.cpu_ms = (version < 4).then_some(version);
        agent.updated_at = samples::moment(10);
        agent.assignments = skills.into_iter().map(|skill| Assignment { skill, pin: None }).collect();
        assert_eq!(tx.update_agent(&agent).await.unwrap(), Written::Done);
        assert_eq!(tx.agent(world.workspace, agent.id).await.unwrap().as_ref(), Some(&agent));
    }
    tx.commit().await.unwrap();
    assert_eq!(world.read().await.agents(world.workspace, None, 10).await.unwrap(), [agent, untouched]);
}

pub async fn a_stale_agent_changes_nothing(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let agent = world.add_agent("helper").await;
    let mut tx = world.begin().await;
    for version in [0, 1, 3] {
        let mut stale = agent.clone();
        stale.version = version;
        stale.title = "Never".to_owned();
        stale.assignments = vec![Assignment { skill: skill.id, pin: None }];
        assert_eq!(tx.update_agent(&stale).await.unwrap(), Written::Stale);
    }
    let mut unknown = samples::agent(world.workspace, "unknown");
    unknown.version = 2;
    assert_eq!(tx.update_agent(&unknown).await.unwrap(), Written::Stale);
    tx.commit().await.unwrap();
    assert_eq!(world.read().await.agents(world.workspace, None, 10).await.unwrap(), [agent]);
}

pub async fn a_removed_agent_takes_its_assignments_along(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let skill = world.skill("skill");
    world.add(&[&skill]).await;
    let mut agent = samples::agent(world.workspace, "helper");
    agent.assignments = vec![Assignment { skill: skill.id, pin: None }];
    let mut tx = world.begin().await;
    assert!(tx.insert_agent(&agent).await.unwrap());
    assert_eq!(tx.assigned_agents(world.workspace, skill.id).await.unwrap(), [name("helper")]);
    assert!(tx.delete_agent(world.workspace, agent.id).await.unwrap());
    assert!(!tx.delete_agent(world.workspace, agent.id).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.agent(world.workspace, agent.id).await.unwrap(), None);
    assert_eq!(tx.assigned_agents(world.workspace, skill.id).await.unwrap(), []);
    assert!(tx.skill(world.workspace, skill.id).await.unwrap().is_some());
}

pub async fn an_agent_that_owns_skills_is_not_removed(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let agent = world.add_agent("helper").await;
    let mut skill = world.skill("skill");
    skill.scope = Scope::Agent(agent.id);
    world.add(&[&skill]).await;
    let mut tx = world.begin().await;
    let refused = tx.delete_agent(world.workspace, agent.id).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    drop(tx);
    let mut tx = world.begin().await;
    assert!(tx.purge_skill(world.workspace, skill.id).await.unwrap());
    assert!(tx.delete_agent(world.workspace, agent.id).await.unwrap());
    tx.commit().await.unwrap();
}

pub async fn assigning_an_unknown_skill_is_a_conflict(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mut agent = samples::agent(world.workspace, "helper");
    agent.assignments = vec![Assignment { skill: samples::skill_id(), pin: None }];
    let refused = world.begin().await.insert_agent(&agent).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    assert_eq!(world.read().await.agent(world.workspace, agent.id).await.unwrap(), None);
}
