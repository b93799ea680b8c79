//! Skills to fill a library with.

use serde_json::{Value, json};

const TOPICS: [&str; 12] = [
    "invoices",
    "pull requests",
    "sales reports",
    "log files",
    "meeting notes",
    "database schemas",
    "press releases",
    "unit tests",
    "customer letters",
    "spreadsheets",
    "release notes",
    "incident reports",
];
const VERBS: [&str; 8] =
    ["Review", "Write", "Summarise", "Translate", "Check", "Compare", "Format", "Explain"];

/// A skill of ordinary size: about 3 kB of instructions.
pub(crate) fn skill(prefix: &str, n: usize) -> Value {
    let verb = VERBS.get(n % VERBS.len()).copied().unwrap_or_default();
    let topic = TOPICS.get((n / VERBS.len()) % TOPICS.len()).copied().unwrap_or_default();
    let step = format!(
        "{verb} the {topic} with care, one part after the other, and say what you left out and why.\n"
    );
    let body = (1..=24).map(|line| format!("{line}. {step}")).collect::<Vec<_>>().concat();
    json!({
        "name": format!("{prefix}-{n}"),
        "title": format!("{verb} {topic} {n}"),
        "description": format!("{verb} {topic}. Use when someone asks for help with {topic}."),
        "instructions": format!("# {verb} {topic}\n\n{body}"),
        "tags": [topic.replace(' ', "-"), verb.to_lowercase()],
        "example_prompts": [format!("{verb} these {topic}"), format!("can you help me with {topic}?")],
    })
}

/// A skill that adds two numbers.
pub(crate) fn procedure() -> Value {
    let parameter = |name: &str| json!({"name": name, "type": "number"});
    json!({
        "name": "add-numbers",
        "description": "Adds two numbers. Use when someone asks for a sum.",
        "instructions": "# Add numbers\n\nRun it with `a` and `b`.\n",
        "procedure": {
            "language": "python",
            "code": "def add(a, b):\n    return a + b\n",
            "function": "add",
            "parameters": [parameter("a"), parameter("b")],
        },
    })
}
