//! Small libraries made of a few words, so that things meet.

use model::{AgentId, Facets, Origin, Scope, SkillId, Status, UserId};
use proptest::prelude::*;
use repertoire_search::{Document, Index, Prepared, View};
use uuid::Uuid;

const WORDS: [&str; 24] = [
    "invoice",
    "payment",
    "refund",
    "interest",
    "loan",
    "image",
    "resize",
    "crop",
    "photo",
    "weather",
    "forecast",
    "rain",
    "python",
    "test",
    "deploy",
    "kubernetes",
    "email",
    "draft",
    "translate",
    "summary",
    "report",
    "chart",
    "sales",
    "growth",
];

/// A skill that owns its text.
#[derive(Debug, Clone)]
pub(crate) struct Skill {
    pub(crate) id: u128,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) examples: Vec<String>,
    pub(crate) body: String,
    pub(crate) scope: Scope,
    pub(crate) status: Status,
    pub(crate) enabled: bool,
}

impl Skill {
    pub(crate) fn new(id: u128, name: &str, description: &str) -> Self {
        Self {
            id,
            name: name.to_owned(),
            description: description.to_owned(),
            tags: Vec::new(),
            examples: Vec::new(),
            body: String::new(),
            scope: Scope::Workspace,
            status: Status::Active,
            enabled: true,
        }
    }

    pub(crate) fn id(&self) -> SkillId {
        SkillId::new(Uuid::from_u128(self.id))
    }

    pub(crate) fn prepared(&self) -> Prepared {
        Prepared::new(&Document {
            id: self.id(),
            name: &self.name,
            title: &self.name,
            description: &self.description,
            tags: &self.tags,
            examples: &self.examples,
            body: &self.body,
            scope: self.scope,
            status: self.status,
            enabled: self.enabled,
            origin: Origin::User,
            facets: Facets::default(),
        })
    }

    pub(crate) fn is_usable(&self) -> bool {
        self.status == Status::Active && self.enabled
    }

    pub(crate) fn is_visible(&self, view: View) -> bool {
        let (user, agent) = (self.scope.user(), self.scope.agent());
        match view {
            View::All => true,
            View::User(own) => user.is_none_or(|user| user == own),
            View::Place(own, through) => {
                user.is_none_or(|user| user == own) && agent.is_none_or(|agent| Some(agent) == through)
            }
        }
    }
}

pub(crate) fn user(number: u8) -> UserId {
    UserId::new(Uuid::from_u128(1_000 + u128::from(number)))
}

pub(crate) fn agent(number: u8) -> AgentId {
    AgentId::new(Uuid::from_u128(2_000 + u128::from(number)))
}

pub(crate) fn index(skills: &[Skill]) -> Index {
    let mut index = Index::default();
    for skill in skills {
        index.put(&skill.prepared());
    }
    index
}

pub(crate) fn phrase() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), 1..6).prop_map(|words| words.join(" "))
}

fn scope() -> impl Strategy<Value = Scope> {
    (0_u8..4, 0_u8..2, 0_u8..2).prop_map(|(kind, agent_number, user_number)| match kind {
        0 => Scope::Workspace,
        1 => Scope::Agent(agent(agent_number)),
        2 => Scope::User(user(user_number)),
        _ => Scope::AgentUser(agent(agent_number), user(user_number)),
    })
}

pub(crate) fn view() -> impl Strategy<Value = View> {
    (0_u8..4, 0_u8..2, 0_u8..2).prop_map(|(kind, agent_number, user_number)| match kind {
        0 => View::All,
        1 => View::User(user(user_number)),
        2 => View::Place(user(user_number), None),
        _ => View::Place(user(user_number), Some(agent(agent_number))),
    })
}

/// Skills whose names are taken once in a scope, as the store sees to it.
pub(crate) fn library() -> impl Strategy<Value = Vec<Skill>> {
    let status = prop::sample::select(&[Status::Active, Status::Active, Status::Active, Status::Draft][..]);
    let skill = (
        prop::sample::select(&WORDS[..]),
        phrase(),
        prop::collection::vec(prop::sample::select(&WORDS[..]), 0..3),
        prop::collection::vec(phrase(), 0..3),
        scope(),
        status,
        prop::bool::weighted(0.9),
    );
    prop::collection::vec(skill, 0..40).prop_map(|skills| {
        let mut taken = std::collections::HashSet::new();
        (1..)
            .zip(skills)
            .map(|(id, (name, description, tags, examples, scope, status, enabled))| Skill {
                id,
                name: name.to_owned(),
                description,
                tags: tags.into_iter().map(str::to_owned).collect(),
                examples,
                body: String::new(),
                scope,
                status,
                enabled,
            })
            .filter(|skill| taken.insert((skill.scope, skill.name.clone())))
            .collect()
    })
}
