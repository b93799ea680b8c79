//! The parser and the schema say the same about the same documents.

use std::time::Duration;

use model::{
    Activation, Bundle, BundleFile, BundlePath, HostPattern, Language, Parameter, ParameterType, Policy,
    Procedure, RunLimits, Validator,
};
use serde_json::json;

use super::{Sidecar, read, sidecar_schema, write};
use crate::finding::{Finding, Level};

fn bundle() -> Bundle {
    let file = |path: &str| (BundlePath::parse(path).unwrap(), BundleFile::new(*b"x"));
    Bundle::new([file("SKILL.md"), file("scripts/run.py"), file("run.sh")].into()).unwrap()
}

fn errors(text: &str) -> Vec<Finding> {
    let (_, findings) = read(text, &bundle());
    findings.into_iter().filter(|finding| finding.level == Level::Error).collect()
}

const GOOD: [&str; 21] = [
    "",
    "# only a comment\n",
    "title: Code Review",
    "title: '123'\ntags: [a, b]\nicon: broom\nexample_prompts: []\nextends: other-skill\nsuggested_tools: [grep]",
    "procedure: {language: python, file: scripts/run.py}",
    "procedure:\n  language: shell\n  file: run.sh\n  parameters:\n  - {name: a, type: string}",
    "procedure: {language: python, file: scripts/run.py, parameters: [{name: PATH, type: string}]}",
    "procedure:\n  language: python\n  file: scripts/run.py\n  function: main\n  profile: data-1.0\n  parameters:\n  \
     - name: n\n    type: integer\n    description: how many\n    required: false\n    default: 3\n  \
     - {name: any, type: any, default: null}\n  - {name: o, type: object, default: {a: 1}}",
    "procedure:\n  language: python\n  file: scripts/run.py\n  limits: {wall_seconds: 1.5, cpu_seconds: 2, memory_mb: 64,\n    \
     processes: 4, open_files: 32, disk_mb: 0.5, files: 10, output_kb: 64, result_kb: 1}\n  \
     network: [example.org, 'example.org:8080', '*.example.com', 10.0.0.1]",
    "procedure: {language: python, file: scripts/run.py, limits: {}, network: []}",
    "procedure: {language: shell, file: run.sh, limits: {wall_seconds: 86400}}",
    "files: {scripts/run.py: what it does, gone.md: 'was here'}",
    "policy: {}",
    "policy:\n  activation: {always: true}\n  allowed_tools: []\n  forbidden_tools: [rm]",
    "policy:\n  scope: security\n  priority: -5\n  activation: {keywords: [deploy], when: 'task.size() > 3'}\n  \
     max_steps: 10\n  max_execution_time: 5m\n  context: {a: {b: [1, null]}}\n  planning: think",
    "policy: {max_execution_time: 90}",
    "policy: {max_execution_time: 500ms}",
    "policy:\n  validators:\n  - expression: args.size() < 3\n  - argument_deny: 'rm -rf'\n  \
     - path_prefix: [/data]\n  - host_allow: [example.com]\n  - argument_size: 100",
    "title: yes",
    "\u{feff}title: marked",
    "title: x\r\ntags:\r\n  - a\r\n",
];

const BAD: [(&str, &str, u32); 58] = [
    ("- a", "sidecar_type", 1),
    ("procedure:\n  language: shell\n  file: run.sh\n  limits: 3", "sidecar_type", 4),
    ("procedure:\n  language: shell\n  file: run.sh\n  limits:\n    seconds: 3", "sidecar_unknown_field", 5),
    ("procedure:\n  language: shell\n  file: run.sh\n  limits:\n    wall_seconds: 0", "sidecar_value", 5),
    ("procedure:\n  language: shell\n  file: run.sh\n  limits:\n    wall_seconds: 5s", "sidecar_type", 5),
    ("procedure:\n  language: shell\n  file: run.sh\n  limits:\n    memory_mb: 9000000", "sidecar_value", 5),
    ("procedure:\n  language: shell\n  file: run.sh\n  limits:\n    processes: 1.5", "sidecar_type", 5),
    ("procedure:\n  language: shell\n  file: run.sh\n  limits:\n    files: -1", "sidecar_value", 5),
    ("procedure:\n  language: shell\n  file: run.sh\n  network: example.org", "sidecar_type", 4),
    ("procedure:\n  language: shell\n  file: run.sh\n  network: ['https://example.org']", "sidecar_value", 4),
    ("procedure:\n  language: shell\n  file: run.sh\n  network: ['*']", "sidecar_value", 4),
    ("procedure:\n  language: shell\n  file: run.sh\n  network: [a.org, a.org]", "sidecar_duplicate", 4),
    ("just text", "sidecar_type", 1),
    ("title: x\nnot_a_field: 1", "sidecar_unknown_field", 2),
    ("title: 5", "sidecar_type", 1),
    ("title:", "sidecar_type", 1),
    ("title: ''", "sidecar_value", 1),
    ("title: '  '", "sidecar_value", 1),
    ("title: true", "sidecar_type", 1),
    ("tags: a", "sidecar_type", 1),
    ("tags:\n- a\n- 1", "sidecar_type", 3),
    ("tags: [a, a]", "sidecar_duplicate", 1),
    ("tags: {a: b}", "sidecar_type", 1),
    ("extends: Not A Slug", "sidecar_value", 1),
    ("extends: a--b", "sidecar_value", 1),
    ("icon: [x]", "sidecar_type", 1),
    ("files: [run.sh]", "sidecar_type", 1),
    ("files:\n  run.sh: 3", "sidecar_type", 2),
    ("procedure: python", "sidecar_type", 1),
    ("procedure: {language: python}", "sidecar_missing_field", 1),
    ("procedure: {file: scripts/run.py}", "sidecar_missing_field", 1),
    ("procedure: {language: ruby, file: scripts/run.py}", "sidecar_value", 1),
    ("procedure: {language: Python, file: scripts/run.py}", "sidecar_value", 1),
    ("procedure: {language: shell, file: run.sh, function: main}", "sidecar_value", 1),
    ("procedure: {language: python, file: scripts/run.py, function: a-b}", "sidecar_value", 1),
    ("procedure: {language: python, file: scripts/run.py, extra: 1}", "sidecar_unknown_field", 1),
    ("procedure: {language: python, file: scripts/run.py, profile: A}", "sidecar_value", 1),
    ("procedure: {language: python, file: scripts/run.py, parameters: {}}", "sidecar_type", 1),
    ("procedure: {language: python, file: scripts/run.py, parameters: [a]}", "sidecar_type", 1),
    (
        "procedure: {language: python, file: scripts/run.py, parameters: [{name: a}]}",
        "sidecar_missing_field",
        1,
    ),
    (
        "procedure: {language: python, file: scripts/run.py, parameters: [{name: 1a, type: any}]}",
        "sidecar_value",
        1,
    ),
    (
        "procedure: {language: python, file: scripts/run.py, parameters: [{name: a, type: text}]}",
        "sidecar_value",
        1,
    ),
    (
        "procedure: {language: python, file: scripts/run.py, parameters: [{name: a, type: integer, default: x}]}",
        "sidecar_type",
        1,
    ),
    ("policy: []", "sidecar_type", 1),
    ("policy: {priority: high}", "sidecar_type", 1),
    ("policy: {max_steps: 0}", "sidecar_value", 1),
    ("policy: {max_steps: 1.5}", "sidecar_type", 1),
    ("policy: {max_execution_time: 5 minutes}", "sidecar_value", 1),
    ("policy: {max_execution_time: 0}", "sidecar_value", 1),
    ("policy: {activation: always}", "sidecar_type", 1),
    ("policy: {activation: {always: 1}}", "sidecar_type", 1),
    ("policy: {context: [a]}", "sidecar_type", 1),
    ("policy: {validators: [{expression: a, argument_size: 1}]}", "sidecar_type", 1),
    ("policy:\n  validators:\n  - shell: rm", "sidecar_unknown_field", 3),
    ("policy:\n  priority: 1\n  forbiden_tools: [rm]", "sidecar_unknown_field", 3),
    ("policy:\n  activation:\n    always: true\n    keyword: [x]", "sidecar_unknown_field", 4),
    ("policy:\n  forbidden_tools:\n  - rm\n  - 3", "sidecar_type", 4),
    (
        "policy:\n  validators:\n  - argument_size: 9\n  - host_allow:\n    - a.org\n    - [b.org]",
        "sidecar_type",
        6,
    ),
];

/// What only the parser can see: the YAML itself, the bundle, and names that must differ or are taken.
const PARSER_ONLY: [(&str, &str, u32); 7] = [
    (
        "procedure:\n  language: shell\n  file: run.sh\n  parameters:\n  - {name: BASH_ENV, type: string}",
        "sidecar_value",
        1,
    ),
    (
        "procedure: {language: shell, file: run.sh, parameters: [{name: PYTHONPATH, type: any}]}",
        "sidecar_value",
        1,
    ),
    ("title: a\ntitle: b", "sidecar_duplicate", 2),
    ("title: a: b", "sidecar_yaml", 1),
    ("procedure:\n  language: python\n  file: gone.py", "sidecar_file_missing", 3),
    ("procedure: {language: python, file: ../run.py}", "sidecar_value", 1),
    (
        "procedure:\n  language: python\n  file: scripts/run.py\n  parameters:\n  - {name: a, type: any}\n  \
         - {name: a, type: any}",
        "sidecar_duplicate",
        6,
    ),
];

#[test]
fn the_parser_takes_the_good_and_names_the_line_of_the_bad() {
    for text in GOOD {
        assert_eq!(errors(text), [], "{text}");
    }
    for (text, code, line) in BAD.into_iter().chain(PARSER_ONLY) {
        let found: Vec<_> =
            errors(text).into_iter().map(|finding| (finding.code, finding.line.unwrap())).collect();
        assert_eq!(found, [(code, line)], "{text}");
    }
}

#[test]
fn the_schema_agrees_with_the_parser() {
    let schema = jsonschema::validator_for(&sidecar_schema()).unwrap();
    let valid = |text: &str| {
        let value = crate::yaml::parse(text).unwrap().root.map_or(json!({}), |root| root.to_json());
        schema.is_valid(&value)
    };
    for text in GOOD {
        assert!(valid(text), "{text}");
    }
    for (text, ..) in BAD {
        assert!(!valid(text), "{text}");
    }
    assert!(jsonschema::meta::is_valid(&sidecar_schema()));
}

#[test]
fn the_committed_schema_is_this_one() {
    let committed = include_str!("../../../../docs/repertoire.schema.json");
    let wanted = format!("{}\n", serde_json::to_string_pretty(&sidecar_schema()).unwrap());
    assert_eq!(
        committed, wanted,
        "write it again: cargo run -p repertoire-manifest --example schema > docs/repertoire.schema.json"
    );
}

#[test]
fn what_is_right_beside_an_error_is_returned() {
    let (sidecar, findings) =
        read("title: Good\ntags: 5\npolicy:\n  allowed_tools: all\n  max_steps: 3\n", &bundle());
    assert_eq!(sidecar.title.as_deref(), Some("Good"));
    let policy = sidecar.policy.unwrap();
    assert_eq!((policy.max_steps, policy.allowed_tools), (Some(3), Some(vec![])));
    assert_eq!(findings.iter().filter(|finding| finding.level == Level::Error).count(), 2);
}

#[test]
fn a_default_makes_a_parameter_optional_unless_it_says_otherwise() {
    let text = "procedure:\n  language: python\n  file: scripts/run.py\n  parameters:\n  - {name: a, type: any}\n  \
                - {name: b, type: any, default: 1}\n  - {name: c, type: any, default: 1, required: true}";
    let (sidecar, _) = read(text, &bundle());
    let required: Vec<bool> = sidecar.procedure.unwrap().parameters.iter().map(|p| p.required).collect();
    assert_eq!(required, [true, false, true]);
}

#[test]
fn everything_reads_back_as_written() {
    let parameter = |name: &str, required, default| Parameter {
        name: name.to_owned(),
        kind: ParameterType::Any,
        description: Some("two\nlines: here".to_owned()),
        required,
        default,
    };
    let sidecar = Sidecar {
        title: Some("- Title: \"x\"".to_owned()),
        tags: Some(vec!["1".to_owned(), "no".to_owned()]),
        icon: Some("🧹".to_owned()),
        example_prompts: Some(vec!["Do x --- then y".to_owned(), "a\nb\n".to_owned()]),
        extends: Some("other".to_owned()),
        suggested_tools: Some(vec![]),
        files: Some([("scripts/run.py".to_owned(), "runs: it".to_owned())].into()),
        procedure: Some(Procedure {
            language: Language::Python,
            file: BundlePath::parse("scripts/run.py").unwrap(),
            function: Some("main".to_owned()),
            parameters: vec![
                parameter("a", true, None),
                parameter("b", false, Some(json!({"x": [1, "true", null, {}]}))),
                parameter("c", true, Some(json!("no"))),
                parameter("d", false, None),
            ],
            profile: Some("data".to_owned()),
            limits: RunLimits {
                wall_ms: Some(1_500),
                cpu_ms: Some(1),
                memory_bytes: Some(64 << 20),
                processes: Some(4),
                open_files: Some(32),
                folder_bytes: Some(1_000_001),
                folder_files: Some(10),
                output_bytes: Some(1),
                result_bytes: Some(65_536),
            },
            network: vec![
                HostPattern::parse("example.org:8080").unwrap(),
                HostPattern::parse("*.example.com").unwrap(),
            ],
        }),
        policy: Some(Policy {
            scope: Some("security".to_owned()),
            priority: -3,
            activation: Activation {
                always: true,
                keywords: vec!["a: b".to_owned()],
                when: Some("x\ny".to_owned()),
            },
            allowed_tools: Some(vec![]),
            forbidden_tools: vec!["rm *".to_owned()],
            max_steps: Some(9),
            max_execution_time: Some(Duration::from_millis(1500)),
            context: json!({"k": {"v": 1.5}}).as_object().unwrap().clone(),
            planning: Some("first\n\nthen".to_owned()),
            validators: vec![
                Validator::Expression("a == \"b\"\n|| c".to_owned()),
                Validator::ArgumentDeny("^#".to_owned()),
                Validator::PathPrefix(vec!["/data".to_owned()]),
                Validator::HostAllow(vec![]),
                Validator::ArgumentSize(10),
            ],
        }),
    };
    let text = write(&sidecar).unwrap();
    let (again, findings) = read(&text, &bundle());
    assert_eq!(findings, [], "{text}");
    assert_eq!(again, sidecar, "{text}");
    for (time, wanted) in [(7200, "2h"), (90, "90s"), (300, "5m")] {
        let policy = Policy { max_execution_time: Some(Duration::from_secs(time)), ..Policy::default() };
        let text = write(&Sidecar { policy: Some(policy), ..Sidecar::default() }).unwrap();
        assert!(text.contains(wanted), "{text}");
    }
    assert_eq!(write(&Sidecar::default()), None);
}
