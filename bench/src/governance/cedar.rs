//! The lists of the active policies as Cedar policies.
//!
//! One `permit` for everything; a whitelist is a `forbid ... unless`, a blacklist a `forbid ... when`.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use anyhow::Result;
use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid, PolicySet, Request,
    RestrictedExpression,
};

use super::workload::{Call, Entry, Lists};

/// What is made once.
pub(super) struct Cedar {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
    principal: EntityUid,
    action: EntityUid,
    tool: EntityTypeName,
}

impl Cedar {
    pub(super) fn new(lists: &[Lists]) -> Result<Self> {
        let mut source = "permit(principal, action, resource);\n".to_owned();
        let mut tools: HashMap<&str, HashSet<EntityUid>> = HashMap::new();
        for (number, list) in lists.iter().enumerate() {
            let whitelist = list.allowed.as_ref().map(|entries| ("allowed", "unless", entries));
            let blacklist = (!list.forbidden.is_empty()).then_some(("forbidden", "when", &list.forbidden));
            for (kind, word, entries) in whitelist.into_iter().chain(blacklist) {
                let group = format!("List::\"{kind}_{number}\"");
                let condition = condition(&group, entries);
                writeln!(source, "forbid(principal, action, resource) {word} {{ {condition} }};")?;
                let group: EntityUid = group.parse()?;
                for name in names(entries) {
                    tools.entry(name).or_default().insert(group.clone());
                }
            }
        }
        let tool: EntityTypeName = "Tool".parse()?;
        let uid = |name| EntityUid::from_type_name_and_id(tool.clone(), EntityId::new(name));
        let entities = tools.into_iter().map(|(name, groups)| Entity::new_no_attrs(uid(name), groups));
        Ok(Self {
            authorizer: Authorizer::new(),
            policies: source.parse()?,
            entities: Entities::from_entities(entities, None)?,
            principal: "Agent::\"agent\"".parse()?,
            action: "Action::\"call\"".parse()?,
            tool,
        })
    }

    /// What a caller makes of each call.
    pub(super) fn request(&self, call: &Call) -> Result<Request> {
        let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
        let name = ("tool".to_owned(), text(&call.tool));
        let command = call.command().map(|command| ("command".to_owned(), text(command)));
        let resource = EntityUid::from_type_name_and_id(self.tool.clone(), EntityId::new(&call.tool));
        let context = Context::from_pairs([name].into_iter().chain(command))?;
        Ok(Request::new(self.principal.clone(), self.action.clone(), resource, context, None)?)
    }

    pub(super) fn decide(&self, request: &Request) -> bool {
        self.authorizer.is_authorized(request, &self.policies, &self.entities).decision() == Decision::Allow
    }
}

fn names(entries: &[Entry]) -> impl Iterator<Item = &str> {
    entries.iter().filter_map(|entry| if let Entry::Name(name) = entry { Some(name.as_str()) } else { None })
}

/// Whether a call is in a list; the names of the list are the tools in its group.
fn condition(group: &str, entries: &[Entry]) -> String {
    let mut any = Vec::new();
    if names(entries).next().is_some() {
        any.push(format!("resource in {group}"));
    }
    let mut commands = Vec::new();
    for entry in entries {
        match entry {
            Entry::Name(_) => {}
            Entry::Begins(text) => any.push(format!("context.tool like \"{text}*\"")),
            Entry::Ends(text) => any.push(format!("context.tool like \"*{text}\"")),
            Entry::Has(text) => any.push(format!("context.tool like \"*{text}*\"")),
            Entry::Command(words) => {
                commands
                    .push(format!("context.command == \"{words}\" || context.command like \"{words} *\""));
            }
        }
    }
    if !commands.is_empty() {
        any.push(format!("resource == Tool::\"Bash\" && ({})", commands.join(" || ")));
    }
    any.join(" || ")
}
