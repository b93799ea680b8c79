//! The straightforward way to judge a call: every policy, every list and every pattern by itself, and everything read
//! anew for each. The way through the index must say the same.

use std::sync::Arc;
use std::time::Duration;

use model::{Activation, Validator};
use proptest::prelude::*;
use serde_json::json;

use super::super::place::{Bases, Place, is_path_name};
use super::super::{
    Active, Cause, Context, Declared, Denial, FailedCheck, Identity, Outcome, Policy, Resolution, ToolCall,
    Usage, judge, reasons, resolve,
};
use super::commands::CommandPattern;
use super::files::{FilePattern, Match, SEARCHES};
use super::lines::{
    INTERPRETERS, MAX_TEXTS, NOT_IN_NAMES, Split, WRAPPERS, Word, base_name, is_assignment, is_computed,
    one_spaced, substituted, texts,
};
use super::*;

fn naive(resolution: &Resolution, call: ToolCall<'_>, context: &Context, usage: Usage) -> Option<Denial> {
    let tool = call.tool;
    let those = |is: &dyn Fn(&Active) -> bool| -> Vec<String> {
        let skills = resolution.active.iter().filter(|skill| is(skill));
        skills.map(|skill| skill.metadata.id.clone()).collect()
    };
    let deny = |cause, skills, reason, failed| Some(Denial { cause, skills, reason, failed });
    let skills = those(&|skill| skill.failure.is_some());
    if !skills.is_empty() {
        let reason = reasons::evaluation_error(tool, &skills);
        return deny(Cause::EvaluationError, skills, reason, Vec::new());
    }
    let skills = those(&|skill| touches(&skill.constraints().forbidden_tools, call, context));
    if !skills.is_empty() {
        let reason = reasons::forbidden(tool, &skills);
        return deny(Cause::Forbidden, skills, reason, Vec::new());
    }
    let skills = those(&|skill| {
        skill.constraints().allowed_tools.as_ref().is_some_and(|tools| !admits(tools, call, context))
    });
    if !skills.is_empty() {
        return deny(Cause::NotAllowed, skills, reasons::not_allowed(tool), Vec::new());
    }
    let mut failed = Vec::new();
    for skill in &resolution.active {
        for (number, check) in (1..).zip(&skill.constraints().checks) {
            let outcome = match check.check(&Attempt::new(call, context)) {
                Ok(true) => continue,
                Ok(false) => Outcome::Refused,
                Err(failure) => Outcome::Error(failure),
            };
            failed.push(FailedCheck {
                skill: skill.metadata.id.clone(),
                number,
                name: check.name(),
                outcome,
            });
        }
    }
    if !failed.is_empty() {
        let having = |errors: bool| {
            let is_meant = |check: &&FailedCheck| !errors || matches!(check.outcome, Outcome::Error(_));
            let mut skills: Vec<String> =
                failed.iter().filter(is_meant).map(|check| check.skill.clone()).collect();
            skills.dedup();
            skills
        };
        let (skills, in_error) = (having(false), having(true));
        let in_error: Vec<&str> = in_error.iter().map(String::as_str).collect();
        let reason = reasons::failed_validation(tool, &in_error);
        return deny(Cause::Validation, skills, reason, failed);
    }
    let skills = those(&|skill| skill.constraints().max_steps.is_some_and(|most| usage.steps >= most));
    if let Some(most) = resolution.constraints.max_steps.filter(|_| !skills.is_empty()) {
        let reason = reasons::steps_used_up(tool, most, &skills);
        return deny(Cause::MaxSteps, skills, reason, Vec::new());
    }
    let skills =
        those(&|skill| skill.constraints().max_execution_time.is_some_and(|most| usage.elapsed >= most));
    let most = resolution.constraints.max_execution_time.filter(|_| !skills.is_empty())?;
    let reason = reasons::time_used_up(tool, most, &skills);
    deny(Cause::MaxExecutionTime, skills, reason, Vec::new())
}

fn admits(set: &ToolSet, call: ToolCall<'_>, context: &Context) -> bool {
    let mut commands = Vec::new();
    let mut files = Vec::new();
    let mut domains = Vec::new();
    for pattern in about(set, call) {
        match &pattern.calls {
            Some(Calls::Command(pattern)) => commands.push(pattern),
            Some(Calls::File(pattern)) => files.push(pattern),
            Some(Calls::Domain(host)) => domains.push((host, [0].as_slice())),
            Some(Calls::Argument { name, value }) => {
                if call.arguments.get(name).and_then(scalar).is_some_and(|given| value.matches(&given)) {
                    return true;
                }
            }
            None => return true,
        }
    }
    call.names().any(|name| set.has_tool(name))
        || (!commands.is_empty() && admits_commands(&commands, call.arguments))
        || (!files.is_empty() && admits_files(&files, call, &Bases::of(context)))
        || (!domains.is_empty() && hosts::admitting(&domains, &hosts::Targets::of(call.arguments)).has(0))
}

fn touches(set: &ToolSet, call: ToolCall<'_>, context: &Context) -> bool {
    call.names().any(|name| set.has_tool(name))
        || meaning(set, call).any(|pattern| match &pattern.calls {
            None => true,
            Some(Calls::Command(pattern)) => touches_commands(pattern, call.arguments),
            Some(Calls::File(pattern)) => touches_files(pattern, call, &Bases::of(context)),
            Some(Calls::Domain(host)) => hosts::touches(host, &hosts::Targets::of(call.arguments)),
            Some(Calls::Argument { name, value }) => {
                call.arguments.get(name).is_some_and(|given| any_scalar(given, value))
            }
        })
}

fn about<'a>(set: &'a ToolSet, call: ToolCall<'a>) -> impl Iterator<Item = &'a Arc<Pattern>> {
    set.patterns.iter().filter(move |pattern| call.names().any(|name| pattern.name.matches(name)))
}

/// The patterns that are about a call in a blacklist.
fn meaning<'a>(set: &'a ToolSet, call: ToolCall<'a>) -> impl Iterator<Item = &'a Arc<Pattern>> {
    let means = |tool: &str, name: &str| {
        READING.contains(&name) && FOR_READING.contains(&tool)
            || WRITING.contains(&name) && FOR_WRITING.contains(&tool)
    };
    set.patterns.iter().filter(move |pattern| {
        let tool = pattern.text.split('(').next().unwrap_or_default();
        call.names().any(|name| pattern.name.matches(name) || means(tool, name))
    })
}

fn admits_commands(patterns: &[&CommandPattern], arguments: &Value) -> bool {
    let Some(lines) = texts(arguments) else { return false };
    lines.iter().all(|line| {
        let whole = one_spaced(line);
        let one_line = !line.trim().contains(['\n', '\r']);
        let is_whole =
            |pattern: &&&CommandPattern| matches!(pattern, CommandPattern::Exact(text) if *text == whole);
        if one_line && patterns.iter().any(|pattern| is_whole(&pattern)) {
            return true;
        }
        let split = Split::new(line);
        split.clear
            && !split.parts.is_empty()
            && split.parts.iter().all(|part| {
                let written: Vec<&str> = part.iter().map(|word| word.written.as_str()).collect();
                patterns.iter().any(|pattern| pattern.matches(&written.join(" ")))
            })
    })
}

fn touches_commands(pattern: &CommandPattern, arguments: &Value) -> bool {
    let Some(lines) = texts(arguments) else { return true };
    lines.iter().any(|line| {
        let split = Split::new(line);
        let runs_text =
            split.parts.iter().flatten().any(|word| INTERPRETERS.contains(&base_name(&word.plain)));
        let ends = [';', '&', '|', '\n', '(', ')', '`', '\'', '"', '{', '}', '<', '>', '#', '$', '\\'];
        let mut loose = line.split(ends).map(|part| part.split_whitespace().collect::<Vec<_>>());
        pattern.matches(&one_spaced(line))
            || split.parts.iter().any(|part| {
                let written: Vec<&str> = part.iter().map(|word| word.written.as_str()).collect();
                let plain: Vec<&str> = part.iter().map(|word| word.plain.as_str()).collect();
                let named = plain.iter().copied().skip_while(|word| is_assignment(word));
                pattern.matches(&written.join(" "))
                    || may_mean(pattern, &plain)
                    || names::is_unclear(named, line.contains("<<"))
            })
            || (runs_text && touches_given(pattern, &split, MAX_TEXTS))
            || split.parts.iter().flatten().flat_map(|word| substituted(&word.plain)).any(|text| {
                Split::new(text).parts.iter().any(|part| {
                    let plain: Vec<&str> = part.iter().map(|word| word.plain.as_str()).collect();
                    let named = plain.iter().copied().skip_while(|word| is_assignment(word));
                    may_mean(pattern, &plain) || names::is_unclear(named, false)
                })
            })
            || ((!split.clear || runs_text) && loose.any(|words| may_mean(pattern, &words)))
    })
}

fn touches_given(pattern: &CommandPattern, split: &Split, depth: usize) -> bool {
    let takes_text = |part: &&Vec<Word>| names::takes_text(&part.iter().map(|word| word.plain.as_str()));
    split.parts.iter().filter(takes_text).flatten().any(|word| {
        let text = word.plain.as_str();
        let given = Split::new(text);
        text.contains(NOT_IN_NAMES)
            && (given.parts.iter().any(|part| {
                let plain: Vec<&str> = part.iter().map(|word| word.plain.as_str()).collect();
                let named = plain.iter().copied().skip_while(|word| is_assignment(word));
                may_mean(pattern, &plain) || names::is_unclear(named, text.contains("<<"))
            }) || depth > 0 && touches_given(pattern, &given, depth - 1))
    })
}

fn may_mean(pattern: &CommandPattern, words: &[&str]) -> bool {
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    let words = &words[assigned..];
    let Some(first) = words.first() else { return false };
    let wraps = WRAPPERS.contains(&base_name(first));
    is_computed(first)
        || matches_words(pattern, words)
        || wraps && (1..words.len()).any(|skip| matches_words(pattern, &words[skip..]))
}

fn matches_words(pattern: &CommandPattern, words: &[&str]) -> bool {
    let mut named = words.to_vec();
    named[0] = base_name(words[0]);
    pattern.matches(&named.join(" ")) || pattern.matches(&words.join(" "))
}

fn paths(call: ToolCall<'_>) -> Option<Vec<&str>> {
    let searches = call.names().any(|name| name.eq_ignore_ascii_case("glob"));
    let mut found = Vec::new();
    for (name, value) in call.arguments.as_object()? {
        if is_path_name(name) || (searches && name == "pattern") {
            match value {
                Value::String(text) if searches && text.contains(['{', '[']) => return None,
                Value::String(text) => found.push(text.as_str()),
                Value::Null => {}
                Value::Array(items) => {
                    found.extend(items.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?);
                }
                _ => return None,
            }
        }
    }
    if found.is_empty() {
        found.push(".");
    }
    Some(found)
}

fn admits_files(patterns: &[&FilePattern], call: ToolCall<'_>, bases: &Bases) -> bool {
    let fits = |place: &Place| patterns.iter().any(|pattern| pattern.matches(place, bases) == Match::Yes);
    paths(call).is_some_and(|paths| {
        paths.iter().all(|path| Place::readings(path, bases).is_ok_and(|places| places.iter().all(fits)))
    })
}

fn touches_files(pattern: &FilePattern, call: ToolCall<'_>, bases: &Bases) -> bool {
    let searches = call.names().any(|name| SEARCHES.contains(&name));
    let touches = |place: &Place| {
        pattern.matches(place, bases) != Match::No || (searches && pattern.lies_below(place, bases))
    };
    paths(call).is_none_or(|paths| {
        paths
            .iter()
            .any(|path| Place::readings(path, bases).map_or(true, |places| places.iter().any(touches)))
    })
}

const ENTRIES: [&str; 42] = [
    "t0",
    "t1",
    "t2",
    "mcp__a",
    "mcp__a__b",
    "Bash",
    "Read",
    "shell",
    "*",
    "t*",
    "*1",
    "mcp__*__b",
    "mcp__a__*",
    "B*(command:ls)",
    "Bash(*)",
    "Bash(git:*)",
    "Bash(git log:*)",
    "Bash(git log)",
    "Bash(ls && git log)",
    "Bash(* log)",
    "Bash(g*t *)",
    "Bash(rm:*)",
    "shell(git:*)",
    "shell(ls)",
    "Read(//srv/**)",
    "Read(src/*.rs)",
    "Read(.env)",
    "Read(~/x)",
    "read_file(//srv/**)",
    "Read(**)",
    "Edit(//srv/**)",
    "replace(.env)",
    "Write(/src/**)",
    "Grep(//srv/a/b)",
    "Glob(/src/**)",
    "WebFetch(domain:a.org)",
    "WebFetch(domain:*.a.org)",
    "*(domain:a.org)",
    "t0(n:3)",
    "t*(n:*)",
    "*(n:1*)",
    "Agent(model:opus)",
];
const TOOLS: [&str; 19] = [
    "t0",
    "t1",
    "t2",
    "mcp__a__b",
    "mcp__a",
    "mcp__c__b",
    "Bash",
    "shell",
    "Read",
    "read_file",
    "Grep",
    "Glob",
    "list",
    "Edit",
    "Write",
    "NotebookEdit",
    "WebFetch",
    "Agent",
    "other",
];
const CHECKS: [&str; 4] = ["args.n > 1", "tool != 't2'", "!has(args.command)", "context.cwd == '/srv/app'"];

fn any_policy() -> impl Strategy<Value = model::Policy> {
    let tools = || prop::collection::vec(prop::sample::select(ENTRIES.to_vec()), 0..5);
    let validator = prop_oneof![
        prop::sample::select(CHECKS.to_vec()).prop_map(|text| Validator::Expression(text.to_owned())),
        Just(Validator::PathPrefix(vec!["/srv".to_owned(), "~/y".to_owned()])),
        Just(Validator::PathPrefix(vec!["src".to_owned()])),
        Just(Validator::HostAllow(vec!["a.org".to_owned(), "*.b.org:8080".to_owned()])),
        Just(Validator::ArgumentDeny("rm|etc".to_owned())),
    ];
    let limits = (prop::option::of(1_u32..6), prop::option::of(1_u64..6));
    let validators = prop::collection::vec(validator, 0..2);
    let allowed = prop::option::weighted(0.3, tools());
    (allowed, prop::option::weighted(0.4, tools()), limits, validators).prop_map(
        |(allowed, forbidden, (max_steps, seconds), validators)| {
            let texts = |tools: Vec<&str>| tools.into_iter().map(str::to_owned).collect::<Vec<_>>();
            model::Policy {
                activation: Activation { always: true, ..Activation::default() },
                allowed_tools: allowed.map(texts),
                forbidden_tools: forbidden.map(texts).unwrap_or_default(),
                max_steps,
                max_execution_time: seconds.map(Duration::from_secs),
                validators,
                ..model::Policy::default()
            }
        },
    )
}

/// A few policies, or more than fit in a word. One in many is broken.
fn any_policies() -> impl Strategy<Value = Vec<Arc<dyn Policy>>> {
    let one = || (any_policy(), 0..3_i64, prop::bool::weighted(0.002));
    let some =
        prop_oneof![9 => prop::collection::vec(one(), 0..6), 1 => prop::collection::vec(one(), 60..140)];
    some.prop_map(|policies| {
        let ready = |(index, (policy, priority, broken)): (usize, (model::Policy, i64, bool))| {
            let id = format!("p{index}");
            let skill = Identity { name: id.clone(), id, version: None };
            let policy = model::Policy { priority, ..policy };
            let compiled = Declared::compile(skill.clone(), &policy);
            let compiled = if broken { Declared::broken(skill, &policy, &[]) } else { compiled.ok()? };
            Some(Arc::new(compiled) as Arc<dyn Policy>)
        };
        policies.into_iter().enumerate().filter_map(ready).collect()
    })
}

fn any_arguments() -> impl Strategy<Value = Value> {
    let words = [
        "git",
        "log",
        "status",
        "ls",
        "rm",
        "-rf",
        "&&",
        ";",
        "|",
        "\n",
        "sudo",
        "env",
        "/usr/bin/git",
        "A=1",
        "'git'",
        "\"git log\"",
        "$x",
        "$(",
        ")",
        "sh -c",
        "'rm x'",
        "'$x y'",
        "> f",
        "2>&1",
        "> /dev/null",
        "#",
        "\\",
        "{",
        "[",
        "eval",
        "`",
        "<<< $x",
        "xargs",
        "''",
    ];
    let paths = [
        "/srv/a",
        "/srv/a/b",
        "/srv/../etc",
        "src/a.rs",
        ".env",
        "~/x",
        "~/y/z",
        "/srv/%2e%2e/etc",
        "..",
        "C:\\a",
    ];
    let urls = ["https://a.org/x", "http://b.a.org:8080", "a.org", "https://a.org@b.org", "ftp:b.org", ""];
    let line =
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..7).prop_map(|words| words.join(" "));
    let command = prop_oneof![
        6 => line.prop_map(|line| json!(line)),
        1 => Just(json!(["bash", "-lc", "git log"])),
        1 => Just(json!(["git", "log", "a b"])),
        1 => Just(json!(3)),
    ];
    let key = |name: &'static str, value: BoxedStrategy<Value>| {
        prop::option::of(value).prop_map(move |value| value.map(|value| (name.to_owned(), value)))
    };
    let path = prop::sample::select(paths.to_vec()).prop_map(|path| json!(path)).boxed();
    (
        key("command", command.boxed()),
        key("path", path.clone()),
        key("note", path),
        key("url", prop::sample::select(urls.to_vec()).prop_map(|url| json!(url)).boxed()),
        key("n", prop_oneof![(0..15_i64).prop_map(|n| json!(n)), Just(json!([1, "3"]))].boxed()),
        key("model", Just(json!("opus")).boxed()),
    )
        .prop_map(|(a, b, c, d, e, f)| Value::Object([a, b, c, d, e, f].into_iter().flatten().collect()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_says_what_asking_every_policy_says(
        policies in any_policies(),
        calls in prop::collection::vec(
            (prop::sample::select(TOOLS.to_vec()), prop::option::of(prop::sample::select(TOOLS.to_vec())), any_arguments()),
            20,
        ),
        (steps, seconds) in (0..7_u32, 0..7_u64),
        known in any::<bool>(),
    ) {
        let context = if known { json!({ "cwd": "/srv/app", "home": "/home/ada" }) } else { json!({}) };
        let context = context.as_object().cloned().unwrap_or_default();
        let usage = Usage { steps, elapsed: Duration::from_secs(seconds) };
        let resolution = resolve(&policies, "", &context);
        for (tool, alias, arguments) in &calls {
            let call = ToolCall { tool, alias: *alias, arguments };
            let verdict = judge(&resolution, call, &context, usage);
            prop_assert_eq!(verdict.denial, naive(&resolution, call, &context, usage), "{:?}", call);
            let has = |set: &ToolSet| set.has_tool(tool);
            let is_denied = resolution.active.iter().any(|skill| {
                let own = skill.constraints();
                skill.failure.is_some()
                    || has(&own.forbidden_tools)
                    || own.allowed_tools.as_ref().is_some_and(|tools| !tools.may_have_tool(tool))
            });
            prop_assert_eq!(resolution.is_tool_allowed(tool), !is_denied);
        }
    }
}
