//! The declarative form of a policy: what stands in `repertoire.yaml`, made ready once.

use std::sync::Arc;

use model::PolicyPlace;

use super::activation::fold;
use super::checks::{Built, Check};
use super::expression::{Expression, Variables};
use super::pattern::ToolSet;
use super::{Constraints, Context, Failure, Metadata, Policy, Problem, Situation, Wrong};

/// The skill a policy is declared in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// What it is called in reasons.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version, for the record.
    pub version: Option<String>,
}

impl Identity {
    fn metadata(self, policy: &model::Policy) -> Metadata {
        let Self { id, name, version } = self;
        Metadata { id, name, version, scope: policy.scope.clone(), priority: policy.priority }
    }
}

/// A declared policy, ready to be asked.
#[derive(Debug, Clone)]
pub struct Declared {
    metadata: Metadata,
    source: model::Policy,
    keywords: Vec<String>,
    when: Option<Expression>,
    constraints: Result<Arc<Constraints>, Failure>,
}

impl Declared {
    /// Makes a declared policy ready, or says everything that is wrong with it.
    pub fn compile(skill: Identity, policy: &model::Policy) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let activation = PolicyPlace::of("activation");
        let keywords: Vec<String> = policy.activation.keywords.iter().map(|word| fold(word.trim())).collect();
        for (index, _) in keywords.iter().enumerate().filter(|(_, word)| word.is_empty()) {
            let place = activation.clone().field("keywords").item(index + 1);
            problems.push(Problem::new(place, Wrong::Keyword));
        }
        let when = policy.activation.when.as_deref();
        let when = when.map(|source| Expression::compile(source, Variables::Activation)).transpose();
        let when = when.unwrap_or_else(|error| {
            problems.push(Problem::new(activation.field("when"), error));
            None
        });
        let mut tools = |list: &[String], field| {
            let (set, wrong) = ToolSet::read(list);
            let problem = |(number, error)| Problem::new(PolicyPlace::of(field).item(number), error);
            problems.extend(wrong.into_iter().map(problem));
            set
        };
        let allowed_tools = policy.allowed_tools.as_deref().map(|list| tools(list, "allowed_tools"));
        let forbidden_tools = tools(&policy.forbidden_tools, "forbidden_tools");
        if let Some(allowed) = allowed_tools.as_ref().filter(|allowed| !allowed.is_empty())
            && allowed.texts().iter().all(|entry| forbidden_tools.covers(entry))
        {
            problems.push(Problem::new(PolicyPlace::of("allowed_tools"), Wrong::AllForbidden));
        }
        if policy.max_steps == Some(0) {
            problems.push(Problem::new(PolicyPlace::of("max_steps"), Wrong::Limit));
        }
        if policy.max_execution_time.is_some_and(|time| time.is_zero()) {
            problems.push(Problem::new(PolicyPlace::of("max_execution_time"), Wrong::Limit));
        }
        let checks = compile_checks(&policy.validators, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let constraints = Constraints {
            allowed_tools,
            forbidden_tools,
            max_steps: policy.max_steps,
            max_execution_time: policy.max_execution_time,
            context: policy.context.clone(),
            checks,
        };
        let metadata = skill.metadata(policy);
        Ok(Self { metadata, source: policy.clone(), keywords, when, constraints: Ok(Arc::new(constraints)) })
    }

    /// A policy that stands in the store although it cannot be made ready: it is always active and denies every call.
    pub fn broken(skill: Identity, policy: &model::Policy, problems: &[Problem]) -> Self {
        let first = problems.first().map_or_else(|| "it cannot be read".to_owned(), ToString::to_string);
        let activation = model::Activation { always: true, ..model::Activation::default() };
        Self {
            metadata: skill.metadata(policy),
            source: model::Policy { activation, planning: None, ..policy.clone() },
            keywords: Vec::new(),
            when: None,
            constraints: Err(Failure(first)),
        }
    }

    /// What it was made of.
    pub fn source(&self) -> &model::Policy {
        &self.source
    }

    /// Its keywords, folded, in the order written.
    pub(super) fn keywords(&self) -> &[String] {
        &self.keywords
    }

    /// Its condition.
    pub(super) fn when(&self) -> Option<&Expression> {
        self.when.as_ref()
    }

    /// What it demands; `None` where it is broken.
    pub(super) fn demands(&self) -> Option<&Constraints> {
        self.constraints.as_deref().ok()
    }
}

fn compile_checks(validators: &[model::Validator], problems: &mut Vec<Problem>) -> Vec<Arc<dyn Check>> {
    let mut built: Vec<(usize, Arc<Built>)> = Vec::new();
    for (index, validator) in validators.iter().enumerate() {
        let number = index + 1;
        let place = PolicyPlace::of("validators").item(number);
        match Built::compile(validator, &place) {
            Err(wrong) => problems.extend(wrong),
            Ok(check) => {
                let against = built
                    .iter()
                    .find_map(|(other, known)| known.contradicts(&check).map(|what| (*other, what)));
                if let Some((other, what)) = against {
                    problems.push(Problem::new(place, Wrong::Contradiction { what, other }));
                }
                built.push((number, Arc::new(check)));
            }
        }
    }
    built.into_iter().map(|(_, check)| check as Arc<dyn Check>).collect()
}

impl Policy for Declared {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    fn activates(&self, situation: &Situation<'_>) -> Result<bool, Failure> {
        if self.source.activation.always || self.keywords.iter().any(|word| situation.task().contains(word)) {
            return Ok(true);
        }
        self.when.as_ref().map_or(Ok(false), |when| when.holds_for(situation))
    }

    fn constraints(&self, _context: &Context) -> Result<Arc<Constraints>, Failure> {
        self.constraints.clone()
    }

    fn plan(&self, prompt: &str, _context: &Context) -> Option<String> {
        let planning = self.source.planning.as_deref().filter(|text| !text.trim().is_empty())?;
        Some(if prompt.is_empty() { planning.to_owned() } else { format!("{prompt}\n\n{planning}") })
    }
}
