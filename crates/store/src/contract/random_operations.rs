//! Random operations, played on the store and on a map: both must list the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{AgentId, Facets, Origin, Scope, ScopeKind, Skill, SkillId, Status, UserId};

use super::World;
use super::random::Random;
use super::samples::{moment, name};
use crate::{Facet, SkillCursor, SkillFilter, SkillOrder, SkillQuery, Store, Visibility, Written};

const SEEDS: u64 = 6;
const STEPS: usize = 60;
const NAMES: [&str; 5] = ["alpha", "beta", "beta-2", "gamma", "a-b"];
const WORDS: [&str; 6] = ["Alpha", "BETA", "a_b", "50%", "ü", ""];
const TAGS: [&str; 3] = ["red", "Red", "green"];

/// What the store should know: all skills by id, and nothing clever.
struct Model {
    skills: BTreeMap<SkillId, Skill>,
    users: Vec<UserId>,
    agents: Vec<AgentId>,
}

impl Model {
    fn scope(&self, random: &mut Random) -> Scope {
        let (agent, user) = (random.pick(&self.agents), random.pick(&self.users));
        random.pick(&[
            Scope::Workspace,
            Scope::Agent(agent),
            Scope::User(user),
            Scope::AgentUser(agent, user),
        ])
    }

    fn skill(&self, world: &World, random: &mut Random) -> Skill {
        let mut skill = world.skill(random.pick(&NAMES));
        skill.scope = self.scope(random);
        skill.promotion = random.once_in(6).then_some(Scope::Workspace);
        skill.origin = random.pick(Origin::ALL);
        skill.status = if random.once_in(2) { Status::Active } else { random.pick(Status::ALL) };
        skill.enabled = !random.once_in(4);
        skill.title =
            format!("{} {}", random.pick(&WORDS), random.pick(&["a_b", "50%", "Über", "axb", "500"]));
        skill.tags = TAGS.iter().filter(|_| random.once_in(3)).map(|&tag| tag.to_owned()).collect();
        let [instructions, procedure, policy] = [0; 3].map(|_| random.once_in(2));
        skill.facets = Facets { instructions, procedure, policy };
        skill.created_at = moment(random.below(4).try_into().unwrap());
        skill.updated_at = moment(random.below(4).try_into().unwrap());
        skill
    }

    fn is_free(&self, skill: &Skill) -> bool {
        skill.deleted_at.is_some()
            || !self.skills.values().any(|other| {
                other.id != skill.id
                    && other.deleted_at.is_none()
                    && other.scope == skill.scope
                    && other.name == skill.name
            })
    }

    fn query(&self, world: &World, random: &mut Random) -> SkillQuery {
        let visibility = match random.below(3) {
            0 => Visibility::All,
            1 => Visibility::Of { user: random.pick(&self.users), agent: None },
            _ => Visibility::Of { user: random.pick(&self.users), agent: Some(random.pick(&self.agents)) },
        };
        let mut filter = SkillFilter { deleted: random.once_in(8), ..SkillFilter::default() };
        for _ in 0..random.below(3) {
            match random.below(11) {
                0 => filter.words.push(random.pick(&WORDS).to_owned()),
                1 => filter.tag = Some(random.pick(&TAGS).to_owned()),
                2 => filter.status = random.maybe(Status::ALL),
                3 => filter.enabled = random.maybe(&[true, false]),
                4 => filter.origin = random.maybe(Origin::ALL),
                5 => filter.scope = random.maybe(ScopeKind::ALL),
                6 => filter.agent = random.maybe(&self.agents),
                7 => filter.user = random.maybe(&self.users),
                8 => filter.facet = random.maybe(&[Facet::Instructions, Facet::Procedure, Facet::Policy]),
                9 => filter.name = Some(name(random.pick(&NAMES))),
                _ => filter.waiting = true,
            }
        }
        filter.nearest = random.once_in(4);
        filter.or_disabled = random.once_in(2);
        let order = random.pick(&[SkillOrder::Name, SkillOrder::Updated, SkillOrder::Created]);
        SkillQuery { visibility, filter, order, ..world.query() }
    }

    /// What the query should find, in order.
    fn list(&self, query: &SkillQuery) -> Vec<Skill> {
        let mut found: Vec<_> =
            self.skills.values().filter(|skill| self.matches(query, skill)).cloned().collect();
        match query.order {
            SkillOrder::Name => found.sort_by_key(|skill| (skill.name.clone(), skill.id)),
            SkillOrder::Updated => found.sort_by_key(|skill| std::cmp::Reverse((skill.updated_at, skill.id))),
            SkillOrder::Created => found.sort_by_key(|skill| std::cmp::Reverse((skill.created_at, skill.id))),
        }
        found
    }

    fn matches(&self, query: &SkillQuery, skill: &Skill) -> bool {
        let filter = &query.filter;
        let text =
            format!("{}\n{}\n{}\n{}", skill.name, skill.title, skill.description, skill.tags.join(" "))
                .to_lowercase();
        let has_facet = match filter.facet {
            None => true,
            Some(Facet::Instructions) => skill.facets.instructions,
            Some(Facet::Procedure) => skill.facets.procedure,
            Some(Facet::Policy) => skill.facets.policy,
        };
        let waits =
            matches!(skill.status, Status::Draft | Status::PendingApproval) || skill.promotion.is_some();
        sees(query.visibility, skill)
            && filter.deleted == skill.deleted_at.is_some()
            && filter.words.iter().all(|word| text.contains(&word.to_lowercase()))
            && filter.tag.as_ref().is_none_or(|tag| skill.tags.contains(tag))
            && filter.status.is_none_or(|status| skill.status == status)
            && filter.enabled.is_none_or(|enabled| skill.enabled == enabled)
            && filter.origin.is_none_or(|origin| skill.origin == origin)
            && filter.scope.is_none_or(|scope| skill.scope.kind() == scope)
            && filter.agent.is_none_or(|agent| skill.scope.agent() == Some(agent))
            && filter.user.is_none_or(|user| skill.scope.user() == Some(user))
            && filter.name.as_ref().is_none_or(|name| skill.name == *name)
            && has_facet
            && (!filter.waiting || waits)
            && (!filter.nearest || self.is_nearest(query, skill))
    }

    fn is_nearest(&self, query: &SkillQuery, skill: &Skill) -> bool {
        let counts = |skill: &Skill| {
            let on = Skill { enabled: skill.enabled || query.filter.or_disabled, ..skill.clone() };
            on.is_usable()
        };
        let place = |skill: &Skill| (skill.enabled, skill.scope.nearness());
        counts(skill)
            && !self.skills.values().any(|other| {
                counts(other)
                    && other.name == skill.name
                    && sees(query.visibility, other)
                    && place(other) > place(skill)
            })
    }
}

fn sees(visibility: Visibility, skill: &Skill) -> bool {
    match visibility {
        Visibility::All => true,
        Visibility::Of { user, agent } => {
            skill.scope.user().is_none_or(|owner| owner == user)
                && agent.is_none_or(|agent| skill.scope.agent().is_none_or(|owner| owner == agent))
        }
    }
}

/// Plays one random change on both; leaves out what would end the transaction.
async fn change(world: &World, model: &mut Model, random: &mut Random) {
    let ids: Vec<_> = model.skills.keys().copied().collect();
    let mut tx = world.begin().await;
    if ids.is_empty() || random.once_in(2) {
        let skill = model.skill(world, random);
        assert_eq!(tx.insert_skill(&skill).await.unwrap(), model.is_free(&skill));
        if model.is_free(&skill) {
            model.skills.insert(skill.id, skill);
        }
    } else if random.once_in(8) {
        let id = random.pick(&ids);
        assert!(tx.purge_skill(world.workspace, id).await.unwrap());
        model.skills.remove(&id);
    } else {
        let old = model.skills[&random.pick(&ids)].clone();
        let mut new = Skill { id: old.id, version: old.version + 1, ..model.skill(world, random) };
        new.deleted_at = random.once_in(4).then(|| moment(9));
        if random.once_in(5) {
            new.version += 1;
            assert_eq!(tx.update_skill(&new).await.unwrap(), Written::Stale);
        } else if model.is_free(&new) {
            assert_eq!(tx.update_skill(&new).await.unwrap(), Written::Done);
            model.skills.insert(new.id, new);
        }
    }
    tx.commit().await.unwrap();
}

async fn compare(world: &World, model: &Model, random: &mut Random, place: &str) {
    let mut query = model.query(world, random);
    let expected = model.list(&query);
    let mut tx = world.read().await;
    assert_eq!(tx.count_skills(&query).await.unwrap(), expected.len() as u64, "{place}: {query:?}");
    query.limit = random.pick(&[2, 3, 50]);
    let mut found: Vec<Skill> = Vec::new();
    loop {
        let page = tx.skills(&query).await.unwrap();
        let Some(last) = page.last().map(|record| record.skill.clone()) else { break };
        found.extend(page.into_iter().map(|record| record.skill));
        assert!(found.len() <= expected.len(), "{place}: {query:?} finds too much");
        query.after = Some(match query.order {
            SkillOrder::Name => SkillCursor::Name(last.name, last.id),
            SkillOrder::Updated => SkillCursor::Time(last.updated_at, last.id),
            SkillOrder::Created => SkillCursor::Time(last.created_at, last.id),
        });
    }
    assert!(found == expected, "{place}: {query:?}\nfound {found:#?}\nexpected {expected:#?}");
}

pub async fn random_operations_agree_with_a_simple_model(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let agents = vec![world.add_agent("one").await.id, world.add_agent("two").await.id];
    let users = vec![world.ada, world.bob];
    let mut model = Model { skills: BTreeMap::new(), users, agents };
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        for step in 0..STEPS {
            change(&world, &mut model, &mut random).await;
            for _ in 0..2 {
                compare(&world, &model, &mut random, &format!("seed {seed}, step {step}")).await;
            }
        }
    }
}
