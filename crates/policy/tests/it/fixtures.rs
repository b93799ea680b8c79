//! The fixtures of the requirements, as Rust and as declared, with the same reasons.

use std::sync::Arc;
use std::time::Duration;

use model::{Activation, Validator};
use repertoire_policy::constraints::{
    Attempt, Check, Constraints, Context, Declared, Failure, Identity, Metadata, Policy, Resolution,
    Situation, ToolCall, ToolSet, Usage, judge, resolve,
};
use serde_json::{Value, json};

use crate::support::{Shared, object, texts};

const KEYWORDS: [&str; 5] = ["review", "code review", "analyze code", "inspect", "audit code"];
const REVIEW_TOOLS: [&str; 4] = ["code_analyzer", "syntax_checker", "linter", "security_scanner"];
const REVIEW_FORBIDDEN: [&str; 2] = ["file_writer", "code_modifier"];
const SECURITY_FORBIDDEN: [&str; 4] =
    ["file_deleter", "system_command", "database_writer", "network_request"];
const SECRETS: [&str; 4] = ["password", "token", "secret", "key"];

fn review_metadata() -> Metadata {
    Metadata {
        id: "code_review".to_owned(),
        name: "Code Review Skill".to_owned(),
        version: Some("1.0.0".to_owned()),
        scope: Some("development".to_owned()),
        priority: 10,
    }
}

fn security_metadata() -> Metadata {
    Metadata {
        id: "security_policy".to_owned(),
        name: "Security Policy Skill".to_owned(),
        version: Some("1.0.0".to_owned()),
        scope: Some("security".to_owned()),
        priority: 100,
    }
}

fn review_context() -> Context {
    object(json!({ "review_mode": true, "focus_areas": ["security", "performance", "maintainability"] }))
}

const PLANNING: &str = "Only review; change nothing.";

struct CodeReviewSkill(Metadata);

impl Policy for CodeReviewSkill {
    fn metadata(&self) -> &Metadata {
        &self.0
    }

    fn activates(&self, situation: &Situation<'_>) -> Result<bool, Failure> {
        Ok(KEYWORDS.iter().any(|keyword| situation.task().mentions(keyword)))
    }

    fn constraints(&self, _: &Context) -> Result<Arc<Constraints>, Failure> {
        let tools = |names: &[&str]| ToolSet::parse(names).map_err(|error| Failure::new(error.to_string()));
        Ok(Arc::new(Constraints {
            allowed_tools: Some(tools(&REVIEW_TOOLS)?),
            forbidden_tools: tools(&REVIEW_FORBIDDEN)?,
            max_steps: Some(5),
            context: review_context(),
            ..Constraints::default()
        }))
    }

    fn plan(&self, prompt: &str, _: &Context) -> Option<String> {
        Some(format!("{prompt}\n\n{PLANNING}"))
    }
}

struct SecurityPolicySkill(Metadata);

impl Policy for SecurityPolicySkill {
    fn metadata(&self) -> &Metadata {
        &self.0
    }

    fn activates(&self, situation: &Situation<'_>) -> Result<bool, Failure> {
        Ok(situation.context().get("user_role").is_none_or(|role| role != "admin"))
    }

    fn constraints(&self, _: &Context) -> Result<Arc<Constraints>, Failure> {
        let forbidden_tools =
            ToolSet::parse(SECURITY_FORBIDDEN).map_err(|error| Failure::new(error.to_string()))?;
        let check = |attempt: &Attempt<'_>| Ok(!mentions_secret(attempt.arguments()));
        Ok(Arc::new(Constraints {
            forbidden_tools,
            max_execution_time: Some(Duration::from_mins(5)),
            checks: vec![Arc::new(check) as Arc<dyn Check>],
            ..Constraints::default()
        }))
    }
}

fn mentions_secret(value: &Value) -> bool {
    let is_secret = |text: &str| SECRETS.iter().any(|secret| text.to_lowercase().contains(secret));
    match value {
        Value::String(text) => is_secret(text),
        Value::Array(items) => items.iter().any(mentions_secret),
        Value::Object(map) => map.iter().any(|(key, value)| is_secret(key) || mentions_secret(value)),
        _ => false,
    }
}

fn in_rust() -> Vec<Shared> {
    vec![Arc::new(CodeReviewSkill(review_metadata())), Arc::new(SecurityPolicySkill(security_metadata()))]
}

fn as_declared() -> Vec<Shared> {
    let identity = |Metadata { id, name, version, .. }| Identity { id, name, version };
    let review = model::Policy {
        scope: Some("development".to_owned()),
        priority: 10,
        activation: Activation { keywords: texts(&KEYWORDS), ..Activation::default() },
        allowed_tools: Some(texts(&REVIEW_TOOLS)),
        forbidden_tools: texts(&REVIEW_FORBIDDEN),
        max_steps: Some(5),
        context: review_context(),
        planning: Some(PLANNING.to_owned()),
        ..model::Policy::default()
    };
    let when = "!has(context.user_role) || context.user_role != 'admin'";
    let security = model::Policy {
        scope: Some("security".to_owned()),
        priority: 100,
        activation: Activation { when: Some(when.to_owned()), ..Activation::default() },
        forbidden_tools: texts(&SECURITY_FORBIDDEN),
        max_execution_time: Some(Duration::from_mins(5)),
        validators: vec![Validator::ArgumentDeny("(?i)password|token|secret|key".to_owned())],
        ..model::Policy::default()
    };
    vec![
        Arc::new(Declared::compile(identity(review_metadata()), &review).unwrap()),
        Arc::new(Declared::compile(identity(security_metadata()), &security).unwrap()),
    ]
}

fn both_forms(task: &str, context: &Value) -> [Resolution; 2] {
    let context = object(context.clone());
    [resolve(&in_rust(), task, &context), resolve(&as_declared(), task, &context)]
}

#[test]
fn both_active_with_the_reasons_word_for_word() {
    for resolution in both_forms("Please REVIEW this", &json!({ "user_role": "developer" })) {
        assert_eq!(resolution.active_ids().collect::<Vec<_>>(), ["security_policy", "code_review"]);
        let metadata: Vec<_> = resolution.active.iter().map(|active| active.metadata.clone()).collect();
        assert_eq!(metadata, [security_metadata(), review_metadata()]);
        assert_eq!(
            resolution.reasons,
            [
                "Skill 'security_policy' (Security Policy Skill) activated: task matches activation conditions",
                "Skill 'code_review' (Code Review Skill) activated: task matches activation conditions",
                "Skill 'security_policy' adds forbidden tools: database_writer, file_deleter, network_request, system_command",
                "Skill 'security_policy' sets max execution time: 00:05:00",
                "Skill 'security_policy' adds custom validators: 1",
                "Skill 'code_review' sets allowed tools: code_analyzer, linter, security_scanner, syntax_checker",
                "Skill 'code_review' adds forbidden tools: code_modifier, file_writer",
                "Skill 'code_review' sets max steps: 5",
                "Skill 'code_review' sets context values: focus_areas, review_mode",
                "Final constraints: AllowedTools=4 (null means no restriction), ForbiddenTools=6, MaxSteps=5, \
                 MaxExecutionTime=00:05:00, ContextModifications=2, CustomValidators=1",
            ]
        );
        assert_eq!(
            resolution.summary(),
            format!(
                "Skill resolution completed. Activated 2 skill(s): security_policy, code_review. Decision reasons: {}",
                resolution.reasons.join("; ")
            )
        );
    }
}

#[test]
fn each_activates_as_described() {
    for (task, context, expected) in [
        ("do a code review", json!({ "user_role": "admin" }), vec!["code_review"]),
        ("INSPECT it", json!({ "user_role": "admin" }), vec!["code_review"]),
        ("write a poem", json!({ "user_role": "admin" }), vec![]),
        ("write a poem", json!({ "user_role": "user" }), vec!["security_policy"]),
        ("write a poem", json!({}), vec!["security_policy"]),
        ("", json!({ "user_role": "admin" }), vec![]),
    ] {
        for resolution in both_forms(task, &context) {
            assert_eq!(resolution.active_ids().collect::<Vec<_>>(), expected, "{task} {context}");
        }
    }
}

#[test]
fn calls_are_judged_alike_in_both_forms() {
    let context = json!({ "user_role": "developer" });
    let [rust, declared] = both_forms("audit code", &context);
    let context = object(context);
    for (tool, arguments, expected) in [
        ("linter", json!({ "path": "a.rs" }), None),
        (
            "linter",
            json!({ "note": "the PASSWORD" }),
            Some("Tool 'linter' failed custom validation by active skill constraints"),
        ),
        (
            "linter",
            json!({ "a": [{ "api_key": 1 }] }),
            Some("Tool 'linter' failed custom validation by active skill constraints"),
        ),
        ("file_writer", json!({}), Some("Tool 'file_writer' is forbidden by Skill(s): code_review")),
        ("file_deleter", json!({}), Some("Tool 'file_deleter' is forbidden by Skill(s): security_policy")),
        ("web_search", json!({}), Some("Tool 'web_search' is not in the allowed tools list")),
    ] {
        let call = ToolCall::new(tool, &arguments);
        let verdict = judge(&rust, call, &context, Usage::default());
        assert_eq!(verdict.denial_reason(), expected);
        let error = expected.map(|_| format!("Tool '{tool}' is forbidden by active skill constraints"));
        assert_eq!(verdict.error(), error);
        let mut other = judge(&declared, call, &context, Usage::default());
        // The record names the check; only the declared one has a name.
        for check in other.denial.iter_mut().flat_map(|denial| &mut denial.failed) {
            assert_eq!(check.name, "argument_deny");
            check.name = "validator";
        }
        assert_eq!(verdict, other);
    }
}

#[test]
fn planning_sees_the_filtered_tools_and_the_added_text() {
    for resolution in both_forms("review", &json!({ "user_role": "developer" })) {
        let filtered = resolution.filter_tools(["linter", "file_writer", "web_search", "code_analyzer"]);
        assert_eq!(filtered.allowed, ["linter", "code_analyzer"]);
        assert_eq!(
            filtered.summary(),
            "Tool filtering applied by Skills. Allowed: 2/4. Removed tools: file_writer, web_search"
        );
        assert_eq!(resolution.plan("Plan.", &Context::new()), format!("Plan.\n\n{PLANNING}"));
        let enhanced = resolution.enhance(&object(json!({ "user_role": "developer" })));
        assert_eq!(enhanced.len(), 3);
        assert_eq!(enhanced.get("review_mode"), Some(&json!(true)));
    }
}
