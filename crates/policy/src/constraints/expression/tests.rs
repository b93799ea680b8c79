//! What expressions mean, what is refused, and how long the worst of them take.

use std::time::{Duration, Instant};

use cel::parser::{Parser, PrattParser};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::super::{Context, ToolCall};
use super::*;

fn context(value: Json) -> Context {
    match value {
        Json::Object(map) => map,
        other => panic!("{other} is not an object"),
    }
}

fn when(source: &str, task: &str, known: Json) -> Result<bool, String> {
    let expression = Expression::compile(source, Variables::Activation).map_err(|error| error.to_string())?;
    let known = context(known);
    expression.holds_for(&Situation::new(task, &known)).map_err(|failure| failure.0)
}

fn check(source: &str, arguments: &Json) -> Result<bool, String> {
    let expression = Expression::compile(source, Variables::Check).map_err(|error| error.to_string())?;
    let known = context(json!({ "roots": ["/srv/", "/tmp/"], "role": "editor" }));
    let attempt = Attempt::new(ToolCall::new("writer", arguments), &known);
    expression.admits(&attempt).map_err(|failure| failure.0)
}

#[test]
fn an_expression_speaks_about_task_and_context() {
    for (source, expected) in [
        ("true", true),
        ("task == 'Review this'", true),
        ("task.contains('Review')", true),
        ("task.lowerAscii().startsWith('review')", true),
        ("task.matches('(?i)^REVIEW\\\\b')", true),
        ("matches(task, 'x')", false),
        ("context.user_role != 'admin'", true),
        ("has(context.user_role) && context.user_role == 'dev'", true),
        ("has(context.nothing)", false),
        ("context.count > 2 && context.count < 4.5", true),
        ("'a' in context.tags", true),
        ("'user_role' in context", true),
        ("context.tags.exists(tag, tag == 'b')", true),
        ("context.tags.all(tag, size(tag) == 1)", true),
        ("context.tags.exists_one(tag, tag > 'a')", true),
        ("context.tags.filter(tag, tag != 'a') == ['b']", true),
        ("context.tags.map(tag, tag + tag)[1] == 'bb'", true),
        ("context.tags.map(tag, tag != 'a', tag + '!') == ['b!']", true),
        ("context.groups.all(group, group.names.map(name, name.size()).all(n, n > 0))", true),
        ("context.missing || context.count == 3", true),
        ("context.count == 3 ? context.on : false", true),
        ("context['user_role'] == 'dev'", true),
        ("{'a': [1, 2]}.a[1] == 2", true),
        ("type(context.count) == int", true),
        ("int('3') == context.count && string(3) == '3'", true),
        ("-context.count == -3", true),
        ("context.big == 18446744073709551615u", true),
        ("context.none == null", true),
        ("context.exists(key, key == 'count')", true),
    ] {
        let known = json!({
            "user_role": "dev", "count": 3, "tags": ["a", "b"], "on": true, "none": null,
            "big": 18_446_744_073_709_551_615_u64,
            "groups": [{ "names": ["x", "yy"] }, { "names": ["z"] }],
        });
        assert_eq!(when(source, "Review this", known), Ok(expected), "{source}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_an_error_that_names_no_value() {
    for (source, expected) in [
        ("args.secret == 1", "the expression reads a value that is not there"),
        ("args[args.path] == 1", "the expression reads a value that is not there"),
        ("args.path > 1", "the expression meets a value of another type"),
        ("args.path + 1 == 2", "the expression meets a value of another type"),
        ("args.path", "the expression is neither true nor false"),
        ("args.list[9] == 1", "the expression reads past the end of a list"),
        ("1 / (size(args.list) - 2) == 1", "the expression divides by zero"),
        ("9223372036854775807 + size(args.list) > 0", "the expression computes a number that is too large"),
        ("args.list.all(x, x.y)", "the expression failed"),
        (
            "args.map(key, key)[0] == 'path'",
            "`map` and `filter` go over lists; the order of a map is not fixed",
        ),
        (
            "{'a': 1}.filter(key, true) == ['a']",
            "`map` and `filter` go over lists; the order of a map is not fixed",
        ),
    ] {
        let arguments = json!({ "path": "hunter2", "list": [1, 2] });
        assert_eq!(check(source, &arguments), Err(expected.to_owned()), "{source}");
    }
}

#[test]
fn what_cannot_work_is_refused_when_compiled() {
    for (source, expected) in [
        ("", "an expression has 1 to 4096 bytes"),
        ("   ", "an expression has 1 to 4096 bytes"),
        ("1 +", "line 1, column 4: "),
        ("true &&\n  (false", "line 2, column "),
        ("task == 'x'", "there is no `task` here; there are `tool`, `args`, `context`"),
        ("now() > 1", "there is no function `now` with these arguments"),
        ("tool.split('x') == []", "there is no function `split` with these arguments"),
        ("size(tool, tool) == 1", "there is no function `size` with these arguments"),
        ("optional.of(1) == 1", "there is no function `of` with these arguments"),
        ("Thing{a: 1} == 1", "messages are not offered"),
        ("args.?a == 1", "line 1, column "),
        ("tool.matches(args.pattern)", "the pattern of `matches` must be written out as a text"),
        ("tool.matches('(')", "`matches`: "),
        (
            "tool.matches('(a{1000}){1000}')",
            "`matches`: the pattern is larger than 262144 bytes when compiled",
        ),
        ("args.all(a, args.all(b, args.all(c, args.all(d, true))))", "at most 3 of `all`"),
    ] {
        let error = Expression::compile(source, Variables::Check).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{source}: {error}");
    }
    let deep = |text: &str, count| text.repeat(count);
    for source in [
        format!("a{}", deep("[0]", 1000)),
        format!("args{}", deep(".b", 2000)),
        format!("{}1", deep("1+", 2000)),
        format!("{}true{}", deep("(", 2000), deep(")", 2000)),
        format!("{}{}", deep("[", 2000), deep("]", 2000)),
        format!("{}true", deep("true?1:", 500)),
        format!("{}true{}", deep("!(", 1000), deep(")", 1000)),
        format!("{}1", deep("- ", 2000)),
        format!("args{}", deep(".map(x,x)", 400)),
        format!("[{}]", deep("1,", 2040)),
        "x".repeat(5000),
    ] {
        let started = Instant::now();
        // A chain of `(` or `!` means nothing more than what is in it, so some of these may be small after all.
        let small = Expression::compile(&source, Variables::Check).is_ok_and(|expression| {
            let arguments = json!({});
            let known = Context::new();
            let _ = expression.admits(&Attempt::new(ToolCall::new("t", &arguments), &known));
            true
        });
        assert!(!small || source.starts_with("((") || source.starts_with("- -"), "{source}");
        assert!(started.elapsed() < Duration::from_secs(1), "{source}");
    }
}

/// A list of so many small maps, and a long text.
fn large(count: usize, text: usize) -> Json {
    let item = json!({ "a": "0123456789", "b": [1, 2, 3] });
    json!({ "list": vec![item; count], "text": "ab".repeat(text / 2), "numbers": vec![1; count] })
}

#[test]
fn the_worst_expressions_end_soon() {
    let doubled = |count| format!("[args.text]{}.size() == 1", ".map(x, x + x)".repeat(count));
    let nested = |count| format!("[args.text]{}.size() == 1", ".map(x, [x, x])".repeat(count));
    let regex = "(a?){40}a{40}";
    let mut sources = vec![
        "args.list.all(a, args.list.all(b, args.list.all(c, a == b && b == c)))".to_owned(),
        "args.list.all(a, args.list.all(b, a.a == b.a))".to_owned(),
        "args.numbers.map(a, args.numbers.map(b, args.numbers.map(c, a + b + c))).size() > 0".to_owned(),
        "args.numbers.map(a, args).size() > 0".to_owned(),
        "args.numbers.map(a, args.text).all(x, x.contains('zz'))".to_owned(),
        "args.numbers.all(a, args.text.contains('b' + 'b'))".to_owned(),
        "args.numbers.all(a, args.list == args.list)".to_owned(),
        "args.numbers.all(a, args.text.lowerAscii() != 'x')".to_owned(),
        "args.numbers.all(a, !args.text.matches('[ab]*a[ab]{200}c'))".to_owned(),
        format!("!args.text.matches('{regex}c')"),
        "!args.text.matches('(?i)\\\\w+\\\\s\\\\w+\\\\d{5,20}x')".to_owned(),
        "!args.text.matches('([ab]*)*[ab]{100}[ab]*c')".to_owned(),
        format!("args.text.size() > 0 {}", "&& args.text.contains('zzz')".repeat(100)),
        format!("{} == args.text", vec!["args.text"; 40].join(" + ")),
    ];
    sources.extend([1, 3, 8, 20].map(doubled));
    sources.extend([1, 3, 8, 20].map(nested));
    let (mut slowest, mut evaluated, mut refused) = (Duration::ZERO, 0, 0);
    for (count, text) in [(10, 100), (30, 1000), (60, 10_000), (300, 1000), (3000, 30_000), (20_000, 300_000)]
    {
        let arguments = large(count, text);
        for source in &sources {
            let expression = Expression::compile(source, Variables::Check).unwrap();
            let known = Context::new();
            let attempt = Attempt::new(ToolCall::new("t", &arguments), &known);
            let started = Instant::now();
            let result = expression.admits(&attempt);
            let elapsed = started.elapsed();
            match result {
                Ok(_) => evaluated += 1,
                Err(failure) => {
                    assert_eq!(failure.0, "the expression costs too much for this input", "{source}");
                    refused += 1;
                }
            }
            slowest = slowest.max(elapsed);
        }
    }
    assert!(evaluated > 20 && refused > 20, "{evaluated} evaluated, {refused} refused");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

/// What the size tells must not be less than what walking the tree tells; it is nothing where there is a loop or a pattern.
fn size_tells_no_less(source: &str, arguments: &Json) -> Option<(u64, u64)> {
    let expression = Expression::compile(source, Variables::Check).ok()?;
    let known = context(json!({ "roots": ["/srv/", "/tmp/"], "role": "editor" }));
    let attempt = Attempt::new(ToolCall::new("writer", arguments), &known);
    let most = expression.size?.most(attempt.values())?;
    let walked = cost::check(&expression.tree, &expression.patterns, attempt.values());
    let spent = walked.map_or(BUDGET + 1, |spent| spent);
    assert!(spent <= most, "{source}: {spent} of {most}");
    Some((spent, most))
}

#[test]
fn the_size_of_an_expression_tells_no_less_than_walking_it() {
    let chain = |part: &str, by: &str, count| vec![part; count].join(by);
    let mut spared = 0;
    for (count, text) in [(0, 0), (1, 10), (10, 100), (100, 1000), (1000, 10_000), (10_000, 100_000)] {
        let arguments = large(count, text);
        for source in [
            "true".to_owned(),
            "tool == 'writer' && context.role != ''".to_owned(),
            "args == args && [args, args] == [args] || {'a': args, 'b': [args]} == args".to_owned(),
            "args.list[args.numbers[0]].b[1] == args.list[args.numbers.size()]".to_owned(),
            "(args.list == [] ? args.list : args.numbers)[args.text.size()] == args.text".to_owned(),
            "(true ? args.list : [args, args])[args.text.size()] == args".to_owned(),
            "[[args, [args]], [[args]]][0][1][0].text + string(args.text) + args.text.lowerAscii() == ''"
                .to_owned(),
            "'x' in args.list && args in [args.list] && size(dyn(args)) == 0 && bytes(args.text) == b''"
                .to_owned(),
            format!("{} == ''", chain("args.text", " + ", 50)),
            format!("[{}][0] == args", chain("args", ", ", 100)),
            format!("({})[0] == args", chain("[args.list]", " + ", 50)),
            chain("args.list[args.numbers[0]] == context", " && ", 30),
            format!("(true ? {} : args)[tool] == 1", chain("args", " : true ? ", 40)),
        ] {
            let (_, most) = size_tells_no_less(&source, &arguments).unwrap_or((0, u64::MAX));
            spared += usize::from(most <= BUDGET);
        }
    }
    assert!(spared > 30, "{spared} were spared");
}

#[test]
fn what_people_write_is_evaluated_for_large_inputs_too() {
    let arguments = json!({
        "content": "x".repeat(200_000),
        "file_path": "/srv/a",
        "edits": vec![json!({ "path": "/srv/b", "lines": ["x".repeat(100), "y".repeat(100)] }); 100],
    });
    for source in [
        "!args.content.contains('BEGIN PRIVATE KEY')",
        "args.file_path.startsWith('/srv/')",
        "[args.file_path, args.content].exists(text, text.startsWith('/srv'))",
        "args.edits.all(edit, context.roots.exists(root, edit.path.startsWith(root)))",
        "args.edits.all(edit, edit.lines.all(line, !line.contains('secret')))",
        "args.edits.map(edit, edit.path).filter(path, !path.startsWith('/srv')).size() == 0",
        "!args.edits[0].path.matches('(?i)\\\\.(pem|key)$')",
        "size(args.content) < 1000000",
        "args.edits.all(edit, !edit.path.matches('^/etc'))",
    ] {
        assert_eq!(check(source, &arguments), Ok(true), "{source}");
    }
}

#[test]
fn the_deepest_expression_needs_little_stack() {
    let deep = |open: &str, inner: &str, close: &str, count: usize| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    for source in [
        deep("[1].exists(x, [1].exists(y, [1].exists(z, ", "true", ")))", 1),
        deep("!(true && ", "true", ")", 30),
        deep("[", "1", "][0]", 30) + " == 1",
        format!("1 {} > 0", "+ 1 ".repeat(60)),
        format!("args{} == 1", ".a".repeat(60)),
    ] {
        let run =
            move || check(&source, &json!({})).map_err(|error| assert!(!error.contains("nested"), "{error}"));
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap();
        let _ = thread.join().unwrap();
    }
}

#[test]
fn an_input_nested_without_end_is_an_error() {
    let mut value = json!(1);
    for _ in 0..200 {
        value = json!([value]);
    }
    let arguments = json!({ "deep": value });
    assert_eq!(check("args.deep == 1", &arguments), Err("the input is nested too deeply".to_owned()));
}

const PIECES: [&str; 24] = [
    "args", "context", "tool", ".a", ".b", "[0]", "['k']", " + ", " == ", " && ", " || ", "!", "(", ")", "1",
    "'x'", " ? ", " : ", ".all(x, ", ".size()", " in ", "-", "[", "]",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The faster parser is the one we use; the other is the one that has been in use for longer.
    #[test]
    fn both_parsers_of_the_crate_read_alike(pieces in prop::collection::vec(0..PIECES.len(), 1..14)) {
        let source: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let ours = PrattParser::new().parse(&source).ok();
        let other = Parser::new().parse(&source).ok();
        let shape = |tree: &IdedExpr| {
            let text = format!("{:?}", tree.expr);
            let mut plain = String::new();
            let mut rest = text.as_str();
            // The numbers of nodes may differ.
            while let Some((before, after)) = rest.split_once("id: ") {
                plain.push_str(before);
                rest = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
            }
            plain + rest
        };
        if let (Some(ours), Some(other)) = (&ours, &other) {
            prop_assert_eq!(shape(ours), shape(other), "{}", source);
        }
        // Ours also takes `!-x`.
        prop_assert!(ours.is_some() || other.is_none(), "{}", source);
    }

    #[test]
    fn no_text_makes_the_compiler_panic(source in ".{0,200}") {
        let _ = Expression::compile(&source, Variables::Check);
    }

    #[test]
    fn no_expression_makes_the_evaluator_panic(pieces in prop::collection::vec(0..PIECES.len(), 1..10)) {
        let source: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let arguments = json!({ "a": [1, "x", { "k": 2 }], "b": { "k": true } });
        let _ = check(&source, &arguments);
        let _ = size_tells_no_less(&source, &arguments);
    }
}

#[test]
fn the_worst_patterns_end_soon() {
    let mut number = 12345_u32;
    let mut letter = || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if number >> 16 & 1 == 0 { 'a' } else { 'b' }
    };
    let text: String = (0..1_000_000).map(|_| letter()).collect();
    for source in
        ["[ab]*a[ab]{50}c", "[ab]*a[ab]{700}c", "(?:[ab]{0,300}){3}c", "(?i)password|token|secret|key"]
    {
        let pattern = compile_pattern(source).unwrap();
        let bytes = usize::try_from(BUDGET / pattern.cost(1)).unwrap().min(text.len());
        let started = Instant::now();
        assert!(!pattern.is_match(&text[..bytes]));
        let elapsed = started.elapsed();
        assert!(elapsed < Duration::from_secs(2), "{source}: {bytes} bytes took {elapsed:?}");
    }
}
