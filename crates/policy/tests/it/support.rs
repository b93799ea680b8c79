//! Short ways to write policies and calls.

use std::sync::Arc;

use model::{Activation, Validator};
use repertoire_policy::constraints::{
    Context, Declared, Identity, Metadata, Policy, Resolution, ToolCall, Usage, Verdict, judge, resolve,
};
use serde_json::{Value, json};

pub(crate) type Shared = Arc<dyn Policy>;

pub(crate) fn metadata(id: &str, priority: i64) -> Metadata {
    Metadata { id: id.to_owned(), name: format!("The {id}"), priority, ..Metadata::default() }
}

pub(crate) fn identity(id: &str) -> Identity {
    Identity { id: id.to_owned(), name: format!("The {id}"), version: None }
}

pub(crate) fn always() -> model::Policy {
    model::Policy {
        activation: Activation { always: true, ..Activation::default() },
        ..model::Policy::default()
    }
}

pub(crate) fn declared(id: &str, priority: i64, policy: &model::Policy) -> Shared {
    let policy = model::Policy { priority, ..policy.clone() };
    Arc::new(Declared::compile(identity(id), &policy).unwrap())
}

pub(crate) fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(crate) fn allowing(id: &str, priority: i64, tools: &[&str]) -> Shared {
    declared(id, priority, &model::Policy { allowed_tools: Some(texts(tools)), ..always() })
}

pub(crate) fn forbidding(id: &str, priority: i64, tools: &[&str]) -> Shared {
    declared(id, priority, &model::Policy { forbidden_tools: texts(tools), ..always() })
}

pub(crate) fn validating(id: &str, priority: i64, expression: &str) -> Shared {
    let validators = vec![Validator::Expression(expression.to_owned())];
    declared(id, priority, &model::Policy { validators, ..always() })
}

pub(crate) fn object(value: Value) -> Context {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is not an object"),
    }
}

pub(crate) fn resolved(policies: &[Shared]) -> Resolution {
    resolve(policies, "a task", &Context::new())
}

pub(crate) fn asked(resolution: &Resolution, tool: &str) -> Verdict {
    asked_with(resolution, tool, &json!({}))
}

pub(crate) fn asked_with(resolution: &Resolution, tool: &str, arguments: &Value) -> Verdict {
    judge(resolution, ToolCall::new(tool, arguments), &Context::new(), Usage::default())
}
