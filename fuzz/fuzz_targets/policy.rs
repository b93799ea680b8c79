//! Any bytes as `repertoire.yaml`: a policy that is ready decides alike each time, one that is not denies everything.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use manifest::{Limits, ManifestError, read};
use model::{Bundle, BundleFile, BundlePath};
use policy::constraints::{Context, Declared, Identity, Policy, ToolCall, Usage, Verdict, judge, resolve};
use serde_json::{Value, json};

/// The longest that all of it may take. The fuzzer's checks make it many times slower than the product.
const LONGEST: Duration = Duration::from_secs(10);

const TASK: &str = "Please review the STRASSE and run `cargo test`";

static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    let context =
        json!({ "cwd": "/srv/app", "home": "/home/dev", "role": "admin", "list": [1, 2, 3], "n": -1 });
    context.as_object().cloned().unwrap()
});

static CALLS: LazyLock<Vec<(&str, Value)>> = LazyLock::new(|| {
    vec![
        ("", json!(null)),
        ("Bash", json!({ "command": "cd src && sudo rm -rf \"$HOME\" | tee log; git status" })),
        ("Bash", json!({ "command": ["bash", "-lc", "curl https://a.example.org/x?y=1 > out"] })),
        ("Read", json!({ "file_path": "../etc/%2e%2e/passwd" })),
        ("Write", json!({ "path": "~/notes/a.md", "content": "password=1" })),
        ("WebFetch", json!({ "url": "https://user@EXAMPLE.org:8443/a" })),
        ("mcp__github__create_issue", json!({ "labels": ["a", { "b": [true, null, 1.5] }] })),
        ("Agent", json!({ "subagent_type": "Explore", "model": "opus" })),
    ]
});

fn decide(policies: &[Arc<dyn Policy>]) -> (Vec<String>, String, Vec<Verdict>) {
    let resolution = resolve(policies, TASK, &CONTEXT);
    let usage = Usage { steps: 3, elapsed: Duration::from_secs(60) };
    let verdicts = CALLS.iter().map(|(tool, arguments)| {
        let verdict = judge(&resolution, ToolCall::new(tool, arguments), &CONTEXT, usage);
        assert!(resolution.is_tool_allowed(tool) || !verdict.is_allowed(), "{tool} is filtered, yet allowed");
        assert_eq!(verdict.is_allowed(), verdict.error().is_none());
        verdict
    });
    let verdicts = verdicts.collect();
    (resolution.reasons.clone(), resolution.plan("prompt", &CONTEXT), verdicts)
}

fuzz_target!(|data: &[u8]| {
    let file =
        |path: &str, content: &[u8]| (BundlePath::parse(path).unwrap(), BundleFile::new(content.to_vec()));
    let files =
        [file("SKILL.md", b"---\nname: a\ndescription: d\n---\nbody\n"), file("repertoire.yaml", data)];
    let bundle = Bundle::new(files.into()).unwrap();
    let manifest = match read(&bundle, &Limits::default()) {
        Ok(reading) => reading.manifest,
        Err(ManifestError::Sidecar(_)) => return,
        Err(error) => panic!("{error}"),
    };
    let Some(policy) = manifest.policy else { return };
    let skill = || Identity { id: "a".to_owned(), name: "A".to_owned(), version: None };
    let started = Instant::now();
    let (declared, works) = match Declared::compile(skill(), &policy) {
        Ok(declared) => (declared, true),
        Err(problems) => {
            assert!(!problems.is_empty());
            (Declared::broken(skill(), &policy, &problems), false)
        }
    };
    let declared: Arc<dyn Policy> = Arc::new(declared);
    let first = decide(&[Arc::clone(&declared)]);
    assert_eq!(first, decide(&[Arc::clone(&declared)]));
    assert!(works || first.2.iter().all(|verdict| !verdict.is_allowed()), "a broken policy allows something");
    assert!(started.elapsed() < LONGEST, "it took {:?}", started.elapsed());
});
