//! Any text as an expression: no panic, the same answer each time, and an answer soon.
#![no_main]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use policy::constraints::{Attempt, Context, Expression, Situation, ToolCall, Variables};
use serde_json::{Value, json};

/// The longest that compiling and evaluating may take. The fuzzer's checks make it many times slower than the product.
const LONGEST: Duration = Duration::from_secs(10);

static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    let context = json!({
        "role": "admin",
        "n": 3,
        "big": u64::MAX,
        "least": i64::MIN,
        "half": 0.5,
        "none": null,
        "yes": true,
        "list": [1, 2, 3, "vier", [5], { "six": 6 }],
        "map": { "a": 1, "b": { "c": "d" } },
        "text": "Straße \u{1f600} ".repeat(40),
        "numbers": (0..200).collect::<Vec<_>>()
    });
    context.as_object().cloned().unwrap()
});

static ARGUMENTS: LazyLock<Value> = LazyLock::new(
    || json!({ "command": "git push --force origin main", "path": "/etc/passwd", "list": ["a", "b"], "n": 0 }),
);

fuzz_target!(|source: &str| {
    let started = Instant::now();
    if let Ok(expression) = Expression::compile(source, Variables::Activation) {
        let ask = || expression.holds_for(&Situation::new("Review the pull request", &CONTEXT));
        assert_eq!(ask(), ask());
    }
    if let Ok(expression) = Expression::compile(source, Variables::Check) {
        let call = ToolCall::new("Bash", &ARGUMENTS);
        let ask = || expression.admits(&Attempt::new(call, &CONTEXT));
        assert_eq!(ask(), ask());
    }
    assert!(started.elapsed() < LONGEST, "it took {:?}", started.elapsed());
});
