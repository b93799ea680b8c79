//! A stored decision, told plainly: who asked for what, what was decided, and by which policies.

use serde_json::Value;

use super::super::run::duration;
use super::super::skill::text_of;
use super::list::or_dash;
use super::log::decided;
use super::people::People;
use crate::output::{Output, Paint, Table, count, line, text};

/// What stands where a text is not kept.
const NOT_KEPT: &str = "not kept, only its digest: ";

/// The decision, for people.
pub(super) fn describe(output: Output, decision: &Value, people: &People) -> String {
    let mut lines = Vec::new();
    let mut put = |label: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{label:<12}{value}"));
        }
    };
    put("decided", verdict(output, decision));
    put("reason", line(&text_of(decision, "reason")));
    put("cause", line(&text_of(decision, "cause")));
    put("denied by", line(&texts(decision, "denied_by").join(", ")));
    put("tool", tool(decision));
    put("arguments", kept(decision, "arguments", "arguments_digest"));
    put("task", kept(decision, "task", "task_digest"));
    put("context", value_text(decision.get("context")));
    put("user", line(&people.name(decision, "user_id")));
    put("agent", line(&people.name(decision, "agent_id")));
    put("host", line(&or_dash(text_of(decision, "host"))));
    put("run", line(&text_of(decision, "run_id")));
    put("used before", used(decision));
    put("when", line(&text_of(decision, "at")));
    put("id", line(&text_of(decision, "id")));
    let policies = decision.get("policies").and_then(Value::as_array).cloned().unwrap_or_default();
    if policies.is_empty() {
        lines.push("\nno policy was active".to_owned());
    } else {
        lines.push(format!("\n{}", policy_table(output, &policies)));
    }
    let reasons = texts(decision, "reasons");
    if !reasons.is_empty() {
        lines.push(format!("\n{}", output.bold("why")));
        lines.extend(reasons.iter().map(|reason| format!("  {}", line(reason))));
    }
    lines.join("\n")
}

fn verdict(output: Output, decision: &Value) -> String {
    let word = decided(decision);
    match word {
        "denied" => output.paint(Paint::Red, word),
        "allowed" => output.paint(Paint::Green, word),
        _ => "which policies are active; no call was judged".to_owned(),
    }
}

fn tool(decision: &Value) -> String {
    let (tool, alias) = (text_of(decision, "tool"), text_of(decision, "alias"));
    if alias.is_empty() { line(&tool) } else { line(&format!("{tool}, which the host calls {alias}")) }
}

/// A text that is kept, or its digest.
fn kept(decision: &Value, key: &str, digest: &str) -> String {
    match (value_text(decision.get(key)), text_of(decision, digest)) {
        (text, digest) if text.is_empty() && digest.is_empty() => String::new(),
        (text, digest) if text.is_empty() => format!("{NOT_KEPT}{}", line(&digest)),
        (text, _) => text,
    }
}

/// A value on its own lines where it has several.
fn value_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(said)) => text(said).replace('\n', "\n            "),
        Some(value) => line(&value.to_string()),
    }
}

fn used(decision: &Value) -> String {
    let Some(steps) = decision.get("steps").and_then(Value::as_u64) else { return String::new() };
    let elapsed = decision.get("elapsed_ms").and_then(Value::as_f64).unwrap_or_default();
    format!("{}, {}", count(steps, "step"), duration(elapsed))
}

fn policy_table(output: Output, policies: &[Value]) -> String {
    let mut table = Table::new(&["active policy", "revision", "skill", "digest"]);
    for policy in policies {
        let revision = policy.get("revision").and_then(Value::as_u64).unwrap_or_default();
        table.row([
            text_of(policy, "id"),
            revision.to_string(),
            text_of(policy, "skill_id"),
            text_of(policy, "digest"),
        ]);
    }
    output.table(&table)
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
