//! What was found, for people.

use serde_json::Value;

use super::text_of;
use crate::output::{Output, Paint, Table, line};

/// A line for each skill and, if wanted, why below it.
pub(super) fn found(output: Output, items: &[Value], explain: bool) -> String {
    let mut table = Table::new(&["similarity", "name", "description"]);
    for item in items {
        let skill = item.get("skill").unwrap_or(&Value::Null);
        let similarity = number(item, "similarity").unwrap_or_default();
        table.row([format!("{similarity:.2}"), text_of(skill, "name"), text_of(skill, "description")]);
    }
    let rendered = output.table(&table);
    let mut lines = rendered.lines();
    let mut told: Vec<String> = lines.next().map(str::to_owned).into_iter().collect();
    for (shown, item) in lines.zip(items) {
        told.push(shown.to_owned());
        let alike = item.get("alike").and_then(Value::as_array).map_or(0, Vec::len);
        if alike > 0 {
            told.push(below(output, &format!("{alike} more nearly the same")));
        }
        if explain {
            told.push(below(output, &text_of(item, "why")));
            told.extend(
                item.get("breakdown")
                    .map(breakdown)
                    .unwrap_or_default()
                    .iter()
                    .map(|part| below(output, part)),
            );
        }
    }
    told.join("\n")
}

fn below(output: Output, text: &str) -> String {
    format!("            {}", output.paint(Paint::Dim, &line(text)))
}

fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key).and_then(Value::as_f64)
}

/// Two digits; nothing is never negative.
fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

fn breakdown(breakdown: &Value) -> Vec<String> {
    let list = |value: &Value, key: &str| {
        let list = value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
    };
    let matched = breakdown.get("words").and_then(Value::as_array).cloned().unwrap_or_default();
    let matched: Vec<_> =
        matched.iter().map(|word| format!("{} ({})", text_of(word, "word"), list(word, "fields"))).collect();
    let missing = list(breakdown, "missing");
    let mut lines = Vec::new();
    if !matched.is_empty() {
        lines.push(format!("words: {}", matched.join(", ")));
    }
    if !missing.is_empty() {
        lines.push(format!("not there: {missing}"));
    }
    let two = |key: &str| number(breakdown, key).map(rounded);
    let mut numbers = vec![
        format!("words match {}", two("lexical").unwrap_or_default()),
        format!("words covered {}", two("covered").unwrap_or_default()),
    ];
    numbers.extend(two("cosine").map(|cosine| format!("meaning {cosine}")));
    if let Some(example) = breakdown.get("example").filter(|example| example.is_object()) {
        let cosine = rounded(number(example, "cosine").unwrap_or_default());
        numbers.push(format!("example {cosine} “{}”", text_of(example, "prompt")));
    }
    lines.push(numbers.join(", "));
    lines
}
