//! What is odd about a policy by itself.

use model::{PolicyPlace, Validator};

use super::super::expression::{Expression, Truth, Variables};
use super::super::{Declared, ToolSet};
use super::Remark;

pub(super) fn remarks(new: &Declared) -> Vec<Remark> {
    let mut remarks = activation(new);
    remarks.extend(lists(new));
    remarks.extend(validators(new));
    remarks
}

fn activation(new: &Declared) -> Vec<Remark> {
    let activation = &new.source().activation;
    let place = |field| PolicyPlace::of("activation").field(field);
    let pointless =
        |field, message: String| Remark::info("policy_activation_pointless", message).at(place(field));
    let truth = new.when().map(Expression::truth);
    let mut remarks = Vec::new();
    if activation.always {
        let parts = [("keywords", !new.keywords().is_empty()), ("when", new.when().is_some())];
        for (field, _) in parts.into_iter().filter(|(_, there)| *there) {
            remarks.push(pointless(field, format!("`{field}` is never needed: the policy is always active")));
        }
        return remarks;
    }
    let never = |message: &str| Remark::warning("policy_never_active", message);
    match truth {
        None if new.keywords().is_empty() => {
            let message =
                "this policy is never active; add `activation` with `always: true`, `keywords` or `when`";
            remarks.push(never(message).at(PolicyPlace::of("activation")));
        }
        Some(Truth::False) if new.keywords().is_empty() => {
            let message = "this policy is never active: `when` is never true";
            remarks.push(never(message).at(place("when")));
        }
        Some(Truth::False) => {
            remarks.push(pointless("when", "`when` is never true; only the keywords count".to_owned()));
        }
        Some(Truth::True) => {
            let message = "`when` is always true; write `always: true`".to_owned();
            remarks.push(pointless("when", message));
            if !new.keywords().is_empty() {
                let message = "`keywords` is never needed: `when` is always true".to_owned();
                remarks.push(pointless("keywords", message));
            }
        }
        Some(Truth::Fails) => {
            let message =
                "`when` can never be evaluated, so that the policy is always active, without what it adds";
            remarks.push(Remark::warning("policy_condition", message).at(place("when")));
        }
        Some(Truth::NeverTrue) => {
            let message = "`when` is never true; the policy is active only where it cannot be evaluated";
            remarks.push(Remark::warning("policy_condition", message).at(place("when")));
        }
        Some(Truth::Depends) | None => {}
    }
    remarks.extend(keywords(new));
    remarks
}

/// Keywords that contain another one, which is found wherever they are.
fn keywords(new: &Declared) -> Vec<Remark> {
    let words = new.keywords();
    let written = &new.source().activation.keywords;
    let shorter = |index: usize, word: &String| {
        words.iter().enumerate().position(|(other, known)| {
            other != index && word.contains(known.as_str()) && (known != word || other < index)
        })
    };
    let remark = |(index, word): (usize, &String)| {
        let (long, short) = (written.get(index)?, written.get(shorter(index, word)?)?);
        let message = format!("keyword `{long}` is never needed: `{short}` is found wherever it is");
        let place = PolicyPlace::of("activation").field("keywords").item(index + 1);
        Some(Remark::info("policy_activation_pointless", message).at(place))
    };
    words.iter().enumerate().filter_map(remark).collect()
}

fn lists(new: &Declared) -> Vec<Remark> {
    let Some(own) = new.demands() else { return Vec::new() };
    let mut remarks = Vec::new();
    let allowed = new.source().allowed_tools.as_deref();
    if allowed.is_some_and(<[String]>::is_empty) {
        let message = "no tool can be used while this policy is active";
        remarks.push(Remark::info("policy_no_tool_left", message).at(PolicyPlace::of("allowed_tools")));
    }
    for (index, entry) in allowed.unwrap_or_default().iter().enumerate() {
        let entry = entry.trim();
        if let Some(rule) = own.forbidden_tools.covering(entry) {
            let message = format!("`{entry}` can never be used: the policy itself forbids `{rule}`");
            let place = PolicyPlace::of("allowed_tools").item(index + 1);
            remarks.push(Remark::warning("policy_tool_unusable", message).at(place));
        }
    }
    remarks.extend(redundant("allowed_tools", allowed.unwrap_or_default(), ToolSet::covers));
    let forbids = |set: &ToolSet, entry: &str| set.forbidding(entry).is_some();
    remarks.extend(redundant("forbidden_tools", &new.source().forbidden_tools, forbids));
    remarks
}

/// Entries that another entry of the same list covers; of two that are the same, the later one.
fn redundant(field: &'static str, list: &[String], covers: fn(&ToolSet, &str) -> bool) -> Vec<Remark> {
    let entries: Vec<(&str, ToolSet)> =
        list.iter().map(|text| (text.trim(), ToolSet::read([text]).0)).collect();
    let mut remarks = Vec::new();
    for (index, (entry, set)) in entries.iter().enumerate() {
        let covering = entries.iter().enumerate().find(|(other, (text, known))| {
            *other != index && covers(known, entry) && (*other < index || !covers(set, text))
        });
        if let Some((_, (wider, _))) = covering {
            let message = format!("`{entry}` adds nothing: `{wider}` is in the list too");
            let place = PolicyPlace::of(field).item(index + 1);
            remarks.push(Remark::info("policy_entry_redundant", message).at(place));
        }
    }
    remarks
}

fn validators(new: &Declared) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (index, validator) in new.source().validators.iter().enumerate() {
        let Validator::Expression(source) = validator else { continue };
        let Ok(expression) = Expression::compile(source, Variables::Check) else { continue };
        let place = PolicyPlace::of("validators").item(index + 1);
        let code = "policy_validator_constant";
        remarks.extend(match expression.truth() {
            Truth::Depends => None,
            Truth::True => Some(Remark::info(code, "this expression lets every call pass").at(place)),
            Truth::False | Truth::NeverTrue => {
                Some(Remark::warning(code, "this expression lets no call pass").at(place))
            }
            Truth::Fails => {
                let message = "this expression can never be evaluated, so that no call passes";
                Some(Remark::warning(code, message).at(place))
            }
        });
    }
    remarks
}
