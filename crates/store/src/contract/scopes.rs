//! Who sees what, and which of several skills of one name is meant.

use std::sync::Arc;

use model::{AgentId, Scope, Skill, Status, UserId};

use super::World;
use super::samples::{self, moment};
use crate::{SkillCursor, SkillFilter, SkillQuery, Store, Visibility};

struct Scopes {
    world: World,
    one: AgentId,
    two: AgentId,
}

impl Scopes {
    /// A skill in every scope, named after it.
    async fn new(store: Arc<dyn Store>) -> Self {
        let world = World::new(store).await;
        let (one, two) = (world.add_agent("one").await.id, world.add_agent("two").await.id);
        let scopes = Self { world, one, two };
        let (ada, bob) = (scopes.world.ada, scopes.world.bob);
        for (called, scope) in [
            ("shared", Scope::Workspace),
            ("one", Scope::Agent(one)),
            ("two", Scope::Agent(two)),
            ("ada", Scope::User(ada)),
            ("bob", Scope::User(bob)),
            ("ada-one", Scope::AgentUser(one, ada)),
            ("ada-two", Scope::AgentUser(two, ada)),
            ("bob-one", Scope::AgentUser(one, bob)),
        ] {
            let tags = vec![called.to_owned()];
            scopes.world.add(&[&Skill { scope, tags, ..scopes.world.skill(called) }]).await;
        }
        scopes
    }

    async fn seen(&self, user: UserId, agent: Option<AgentId>) -> Vec<String> {
        self.world
            .names(&SkillQuery { visibility: Visibility::Of { user, agent }, ..self.world.query() })
            .await
    }
}

pub async fn a_user_sees_their_own_and_the_shared_through_any_agent(store: Arc<dyn Store>) {
    let scopes = Scopes::new(store).await;
    let world = &scopes.world;
    assert_eq!(scopes.seen(world.ada, None).await, ["ada", "ada-one", "ada-two", "one", "shared", "two"]);
    assert_eq!(scopes.seen(world.bob, None).await, ["bob", "bob-one", "one", "shared", "two"]);
    assert_eq!(scopes.seen(samples::user_id(), None).await, ["one", "shared", "two"]);
}

pub async fn through_an_agent_nothing_of_another_agent_is_seen(store: Arc<dyn Store>) {
    let scopes = Scopes::new(store).await;
    let world = &scopes.world;
    assert_eq!(scopes.seen(world.ada, Some(scopes.one)).await, ["ada", "ada-one", "one", "shared"]);
    assert_eq!(scopes.seen(world.ada, Some(scopes.two)).await, ["ada", "ada-two", "shared", "two"]);
    assert_eq!(scopes.seen(world.bob, Some(scopes.one)).await, ["bob", "bob-one", "one", "shared"]);
    assert_eq!(scopes.seen(world.bob, Some(scopes.two)).await, ["bob", "shared", "two"]);
    assert_eq!(scopes.seen(world.bob, Some(samples::agent_id())).await, ["bob", "shared"]);
}

pub async fn visibility_holds_for_lists_counts_and_tags(store: Arc<dyn Store>) {
    let scopes = Scopes::new(store).await;
    let world = &scopes.world;
    for (user, agent) in [(world.ada, None), (world.bob, Some(scopes.one)), (samples::user_id(), None)] {
        let visibility = Visibility::Of { user, agent };
        let seen = scopes.seen(user, agent).await;
        let mut tx = world.read().await;
        let tags = tx.tags(world.workspace, visibility).await.unwrap();
        assert_eq!(tags, seen.iter().map(|name| (name.clone(), 1)).collect::<Vec<_>>());
        let query = SkillQuery { visibility, ..world.query() };
        assert_eq!(tx.count_skills(&query).await.unwrap(), seen.len() as u64);
        let theirs = SkillFilter { user: Some(world.bob), ..SkillFilter::default() };
        let found = tx.skills(&SkillQuery { filter: theirs, ..query }).await.unwrap();
        assert!(found.iter().all(|record| record.skill.scope.user() == Some(user)));
    }
}

pub async fn workspaces_never_mix(store: Arc<dyn Store>) {
    let scopes = Scopes::new(store).await;
    let world = &scopes.world;
    let other = world.add_workspace("other").await;
    let foreign = Skill { tags: vec!["foreign".to_owned()], ..samples::skill(other, world.ada, "foreign") };
    world.add(&[&foreign]).await;
    let mut tx = world.read().await;
    for visibility in [Visibility::All, Visibility::Of { user: world.ada, agent: None }] {
        let query = SkillQuery { workspace: other, visibility, ..world.query() };
        let found = tx.skills(&query).await.unwrap();
        assert_eq!(found.iter().map(|record| &record.skill).collect::<Vec<_>>(), [&foreign]);
        assert_eq!(tx.count_skills(&query).await.unwrap(), 1);
        assert_eq!(tx.tags(other, visibility).await.unwrap(), [("foreign".to_owned(), 1)]);
        let here = tx.skills(&SkillQuery { visibility, ..world.query() }).await.unwrap();
        assert!(here.iter().all(|record| record.skill.workspace == world.workspace));
    }
    assert_eq!(tx.skill(world.workspace, foreign.id).await.unwrap(), None);
    assert_eq!(tx.skill_named(world.workspace, Scope::Workspace, &foreign.name).await.unwrap(), None);
}

/// Stores one skill called `same` in each of these scopes, from wide to near.
async fn ladder(store: Arc<dyn Store>) -> (World, AgentId, Vec<Skill>) {
    let world = World::new(store).await;
    let agent = world.add_agent("one").await.id;
    let rungs =
        [Scope::Workspace, Scope::Agent(agent), Scope::User(world.ada), Scope::AgentUser(agent, world.ada)];
    let skills: Vec<_> = rungs.into_iter().map(|scope| Skill { scope, ..world.skill("same") }).collect();
    world.add(&skills.iter().collect::<Vec<_>>()).await;
    (world, agent, skills)
}

fn nearest(world: &World, agent: AgentId) -> SkillQuery {
    SkillQuery {
        visibility: Visibility::Of { user: world.ada, agent: Some(agent) },
        filter: SkillFilter { nearest: true, ..SkillFilter::default() },
        ..world.query()
    }
}

async fn scopes_found(world: &World, query: &SkillQuery) -> Vec<Scope> {
    let mut tx = world.read().await;
    let found = tx.skills(query).await.unwrap();
    assert_eq!(tx.count_skills(query).await.unwrap(), found.len() as u64);
    found.into_iter().map(|record| record.skill.scope).collect()
}

pub async fn the_nearest_of_each_name_wins(store: Arc<dyn Store>) {
    let (world, agent, skills) = ladder(store).await;
    let query = nearest(&world, agent);
    for skill in skills.iter().rev() {
        assert_eq!(scopes_found(&world, &query).await, [skill.scope]);
        let mut tx = world.begin().await;
        assert!(tx.purge_skill(world.workspace, skill.id).await.unwrap());
        tx.commit().await.unwrap();
    }
    assert_eq!(scopes_found(&world, &query).await, []);
}

pub async fn what_cannot_be_used_hides_nothing(store: Arc<dyn Store>) {
    let (world, agent, skills) = ladder(store).await;
    let query = nearest(&world, agent);
    let spoil: [fn(Skill) -> Skill; 3] = [
        |skill| Skill { enabled: false, ..skill },
        |skill| Skill { status: Status::PendingApproval, ..skill },
        |skill| Skill { deleted_at: Some(moment(9)), ..skill },
    ];
    let near_to_wide: Vec<_> = skills.into_iter().rev().collect();
    for (n, spoil) in spoil.into_iter().enumerate() {
        let spoilt = spoil(Skill { version: 2, ..near_to_wide[n].clone() });
        assert_eq!(world.update(&spoilt).await, crate::Written::Done);
        assert_eq!(scopes_found(&world, &query).await, [near_to_wide[n + 1].scope]);
    }
}

pub async fn what_is_off_counts_where_nothing_of_its_name_is_on(store: Arc<dyn Store>) {
    let (world, agent, skills) = ladder(store).await;
    let filter = SkillFilter { nearest: true, or_disabled: true, ..SkillFilter::default() };
    let query = SkillQuery { filter, ..nearest(&world, agent) };
    let near_to_wide: Vec<_> = skills.into_iter().rev().collect();
    for (n, skill) in near_to_wide.iter().enumerate() {
        let off = Skill { enabled: false, version: 2, ..skill.clone() };
        assert_eq!(world.update(&off).await, crate::Written::Done);
        let shown = near_to_wide.get(n + 1).unwrap_or(&near_to_wide[0]);
        assert_eq!(scopes_found(&world, &query).await, [shown.scope]);
    }
    assert_eq!(scopes_found(&world, &nearest(&world, agent)).await, []);
    let archived = Skill { enabled: false, status: Status::Archived, version: 3, ..near_to_wide[0].clone() };
    assert_eq!(world.update(&archived).await, crate::Written::Done);
    assert_eq!(scopes_found(&world, &query).await, [near_to_wide[1].scope]);
}

pub async fn what_cannot_be_seen_hides_nothing(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (one, two) = (world.add_agent("one").await.id, world.add_agent("two").await.id);
    let other = world.add_workspace("other").await;
    for scope in [
        Scope::Workspace,
        Scope::Agent(two),
        Scope::User(world.bob),
        Scope::AgentUser(two, world.ada),
        Scope::AgentUser(one, world.bob),
    ] {
        world.add(&[&Skill { scope, ..world.skill("same") }]).await;
    }
    let elsewhere = samples::skill(other, world.ada, "same");
    world.add(&[&Skill { scope: Scope::User(world.ada), ..elsewhere }]).await;
    assert_eq!(scopes_found(&world, &nearest(&world, one)).await, [Scope::Workspace]);
}

pub async fn nearest_goes_with_other_filters_and_pages(store: Arc<dyn Store>) {
    let (world, agent, _) = ladder(store).await;
    for called in ["alpha", "zeta"] {
        world.add(&[&world.skill(called)]).await;
    }
    world.add(&[&Skill { scope: Scope::User(world.ada), ..world.skill("zeta") }]).await;
    let mut query = SkillQuery { limit: 1, ..nearest(&world, agent) };
    let mut found = Vec::new();
    let mut tx = world.read().await;
    while let Some(record) = tx.skills(&query).await.unwrap().pop() {
        query.after = Some(SkillCursor::Name(record.skill.name.clone(), record.skill.id));
        found.push((record.skill.name.to_string(), record.skill.scope));
        assert!(found.len() < 100, "the pages do not end");
    }
    assert_eq!(
        found,
        [
            ("alpha".to_owned(), Scope::Workspace),
            ("same".to_owned(), Scope::AgentUser(agent, world.ada)),
            ("zeta".to_owned(), Scope::User(world.ada)),
        ]
    );
    // The nearest is chosen first and filtered then: a filter never brings a hidden one to light.
    let shared = Some(model::ScopeKind::Workspace);
    let filter = SkillFilter { scope: shared, nearest: true, ..SkillFilter::default() };
    let query = SkillQuery { filter, ..nearest(&world, agent) };
    assert_eq!(world.names(&query).await, ["alpha"]);
}
