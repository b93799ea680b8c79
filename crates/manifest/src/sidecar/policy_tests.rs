//! Test tables kept beside a policy: `tests/*.yaml` with a list of `cases`.
//!
//! They are ours, so they are read strictly. Other files of that folder belong to the skill and are left alone.

use std::time::Duration;

use model::{Bundle, CaseCall, DenialCause, Expectation, PolicyCase};
use serde_json::{Map, Value as Json};

use super::bounds;
use super::cursor::Cursor;
use super::policy::{MAX_COUNT, read_duration};
use crate::finding::{Finding, shown};
use crate::yaml::{self, Entry, Node};

const FIELDS: [&str; 11] = [
    "name",
    "task",
    "context",
    "tool",
    "arguments",
    "steps",
    "elapsed",
    "active",
    "expect",
    "reason",
    "cause",
];
/// The fields that say something about a call.
const CALL_FIELDS: [&str; 6] = ["arguments", "steps", "elapsed", "expect", "reason", "cause"];
/// The most cases of a bundle.
const MAX_CASES: usize = 1000;
/// The one code of all that is wrong with a table.
const CODE: &str = "policy_test_invalid";

/// Reads the test tables of a policy's bundle in the order of their paths, or says everything that is wrong with them.
///
/// A table is a `.yaml` or `.yml` file directly in `tests/` with `cases` at its top.
pub fn policy_tests(bundle: &Bundle) -> Result<Vec<PolicyCase>, Vec<Finding>> {
    let mut cases = Vec::new();
    let mut findings = Vec::new();
    for (path, file) in bundle.files() {
        let path = path.as_str();
        let name = path.strip_prefix("tests/").filter(|name| !name.contains('/'));
        let is_table = name
            .and_then(|name| name.rsplit_once('.'))
            .is_some_and(|(_, extension)| matches!(extension, "yaml" | "yml"));
        if is_table {
            let mut found = Vec::new();
            read_file(path, &file.content, &mut cases, &mut found);
            findings.extend(found.into_iter().map(|finding| Finding { code: CODE, ..finding.in_file(path) }));
        }
    }
    if cases.len() > MAX_CASES {
        let message = format!("the policy has {} cases; the limit is {MAX_CASES}", cases.len());
        findings.push(Finding::error(CODE, message));
    }
    if findings.is_empty() { Ok(cases) } else { Err(findings) }
}

fn read_file(path: &str, bytes: &[u8], cases: &mut Vec<PolicyCase>, findings: &mut Vec<Finding>) {
    // What cannot be read is a table if it looks like one; a table must not be left out for a slip of the pen.
    let looks_so = || String::from_utf8_lossy(bytes).lines().any(|line| line.starts_with("cases:"));
    let Ok(text) = std::str::from_utf8(bytes) else {
        if looks_so() {
            findings.push(Finding::error(CODE, "the file is not UTF-8 text; save it as UTF-8"));
        }
        return;
    };
    let document = match yaml::parse(text) {
        Ok(document) => document,
        Err(error) => {
            if looks_so() {
                let message = format!("not valid YAML: {}", error.message);
                findings.push(Finding::error(CODE, message).at(error.line));
            }
            return;
        }
    };
    let Some(Node { value: yaml::Value::Map(entries), .. }) = &document.root else { return };
    let Some(list) = entries.iter().find(|entry| entry.key == "cases") else { return };
    for (key, line) in document.duplicates {
        let message = format!("field `{}` stands twice; remove one", shown(&key));
        findings.push(Finding::error(CODE, message).at(line));
    }
    let mut cursor = Cursor { findings };
    cursor.only(entries, "a test table", &["cases"]);
    for item in cursor.items(list, MAX_CASES).unwrap_or_default() {
        cases.extend(read_case(path, item, &mut cursor));
    }
}

fn read_case(path: &str, item: &Node, cursor: &mut Cursor<'_>) -> Option<PolicyCase> {
    let entries = cursor.map("a case", item)?;
    cursor.only(entries, "a case", &FIELDS);
    let place = Entry { key: "a case".to_owned(), line: item.line, start: 0, value: item.clone() };
    let name = cursor.require(entries, &place, "name").and_then(|entry| cursor.text(entry, bounds::TITLE));
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    let task = find("task").and_then(|entry| task(entry, cursor)).unwrap_or_default();
    let context = find("context").and_then(|entry| map(entry, cursor)).unwrap_or_default();
    let active = find("active").and_then(|entry| cursor.boolean(entry));
    let call = if let Some(tool) = find("tool") {
        Some(read_call(tool, &place, entries, cursor)?)
    } else {
        for entry in entries.iter().filter(|entry| CALL_FIELDS.contains(&entry.key.as_str())) {
            let message = format!("`{}` says something about a call; add `tool` or remove it", entry.key);
            cursor.error(CODE, entry.line, message);
        }
        if find("active").is_none() {
            let message = "this case asks nothing; add `tool` with `expect`, or `active`";
            cursor.error(CODE, item.line, message);
        }
        None
    };
    Some(PolicyCase { file: path.to_owned(), line: item.line, name: name?, task, context, active, call })
}

fn read_call(tool: &Entry, place: &Entry, entries: &[Entry], cursor: &mut Cursor<'_>) -> Option<CaseCall> {
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    let name = cursor.text(tool, bounds::TOOLS.item);
    let arguments = find("arguments").and_then(|entry| map(entry, cursor)).unwrap_or_default();
    let steps = find("steps").and_then(|entry| cursor.integer(entry, 0, MAX_COUNT)).unwrap_or_default();
    let elapsed = find("elapsed").and_then(|entry| read_duration(entry, cursor)).unwrap_or(Duration::ZERO);
    let reason = find("reason").and_then(|entry| cursor.text(entry, bounds::PROSE));
    let cause = find("cause").and_then(|entry| cursor.word(entry, DenialCause::ALL, DenialCause::as_str));
    let expect = cursor.require(entries, place, "expect")?;
    let denied = cursor.word(expect, &["allow", "deny"], |word| word)? == "deny";
    if !denied {
        for entry in [find("reason"), find("cause")].into_iter().flatten() {
            let message = format!("a call that is allowed has no `{}`; remove it", entry.key);
            cursor.error(CODE, entry.line, message);
        }
    }
    let expect = if denied { Expectation::Deny { cause, reason } } else { Expectation::Allow };
    Some(CaseCall { tool: name?, arguments, steps: u32::try_from(steps).ok()?, elapsed, expect })
}

/// The task may be empty, as no other text.
fn task(entry: &Entry, cursor: &mut Cursor<'_>) -> Option<String> {
    match entry.value.to_json() {
        Json::String(text) if text.is_empty() => Some(text),
        _ => cursor.text(entry, bounds::TEXT),
    }
}

fn map(entry: &Entry, cursor: &mut Cursor<'_>) -> Option<Map<String, Json>> {
    cursor.map(&entry.key, &entry.value)?;
    match entry.value.to_json() {
        Json::Object(map) => Some(map),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{BundleFile, BundlePath};
    use serde_json::json;

    fn bundle(files: &[(&str, &str)]) -> Bundle {
        let files = [("SKILL.md", "x")].iter().chain(files);
        let file = |(path, text): &(&str, &str)| {
            (BundlePath::parse(path).unwrap(), BundleFile::new(text.as_bytes()))
        };
        Bundle::new(files.map(file).collect()).unwrap()
    }

    fn wrong(text: &str) -> Vec<(u32, String)> {
        let findings = policy_tests(&bundle(&[("tests/a.yaml", text)])).unwrap_err();
        assert!(
            findings
                .iter()
                .all(|finding| { finding.code == CODE && finding.file.as_deref() == Some("tests/a.yaml") })
        );
        findings.into_iter().map(|finding| (finding.line.unwrap_or_default(), finding.message)).collect()
    }

    #[test]
    fn a_table_is_read_with_all_its_fields() {
        let text = "cases:\n- name: git is allowed\n  task: 'fix it'\n  context: {level: 3}\n  tool: Bash\n  \
                    arguments:\n    command: git log\n  steps: 2\n  elapsed: 90s\n  active: true\n  expect: allow\n\
                    - {name: no rm, tool: rm, expect: deny, cause: forbidden, reason: because}\n\
                    - {name: idle, task: '', active: false}\n";
        let cases = policy_tests(&bundle(&[("tests/a.yaml", text)])).unwrap();
        let [first, second, third] = cases.as_slice() else { panic!("{cases:?}") };
        let call = first.call.as_ref().unwrap();
        assert_eq!(
            (first.file.as_str(), first.line, first.name.as_str()),
            ("tests/a.yaml", 2, "git is allowed")
        );
        assert_eq!((first.task.as_str(), first.active), ("fix it", Some(true)));
        assert_eq!(Json::Object(first.context.clone()), json!({ "level": 3 }));
        assert_eq!((call.tool.as_str(), call.steps, call.elapsed), ("Bash", 2, Duration::from_secs(90)));
        assert_eq!(Json::Object(call.arguments.clone()), json!({ "command": "git log" }));
        assert_eq!(call.expect, Expectation::Allow);
        let denied =
            Expectation::Deny { cause: Some(DenialCause::Forbidden), reason: Some("because".to_owned()) };
        assert_eq!(second.call.as_ref().unwrap().expect, denied);
        assert_eq!((third.active, &third.call, third.line), (Some(false), &None, 13));
    }

    #[test]
    fn tables_come_in_the_order_of_their_paths_and_other_files_are_left_alone() {
        let case = |name: &str| format!("cases:\n- {{name: {name}, active: true}}\n");
        let (one, two) = (case("one"), case("two"));
        let files = [
            ("tests/b.yml", two.as_str()),
            ("tests/a.yaml", &one),
            ("tests/data.yaml", "input: 1"),
            ("tests/list.yaml", "- cases"),
            ("tests/odd.yaml", "a: &b 1\nc: *b"),
            ("tests/empty.yaml", ""),
            ("tests/run.py", "cases: 1"),
            ("tests/deep/c.yaml", "cases: 1"),
            ("other/c.yaml", "cases: 1"),
        ];
        let cases = policy_tests(&bundle(&files)).unwrap();
        assert_eq!(cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(policy_tests(&bundle(&[])), Ok(vec![]));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, start) in [
            ("cases: 3", 1, "`cases` is a number; write a list"),
            ("cases: []\nother: 1", 2, "`other` is not a field of a test table"),
            ("cases:\n- 3", 2, "`a case` is a number; write a map"),
            ("cases:\n- active: true", 2, "`a case` needs a `name`"),
            ("cases:\n- name: x", 2, "this case asks nothing"),
            ("cases:\n- name: x\n  activ: true\n  active: true", 3, "`activ` is not a field of a case"),
            ("cases:\n- name: x\n  active: maybe", 3, "`active` is text; write true or false"),
            ("cases:\n- name: x\n  tool: y", 2, "`a case` needs a `expect`"),
            (
                "cases:\n- name: x\n  tool: y\n  expect: maybe",
                4,
                "`expect` is `maybe`; use one of: allow, deny",
            ),
            (
                "cases:\n- name: x\n  tool: y\n  expect: allow\n  reason: z",
                5,
                "a call that is allowed has no",
            ),
            (
                "cases:\n- name: x\n  tool: y\n  expect: deny\n  cause: z",
                5,
                "`cause` is `z`; use one of: eval",
            ),
            ("cases:\n- name: x\n  tool: y\n  expect: deny\n  steps: -1", 5, "`steps` is -1"),
            ("cases:\n- name: x\n  tool: y\n  expect: deny\n  elapsed: long", 5, "`long` is not a time"),
            ("cases:\n- name: x\n  tool: y\n  expect: deny\n  arguments: [a]", 5, "`arguments` is a list"),
            ("cases:\n- name: x\n  active: true\n  steps: 1", 4, "`steps` says something about a call"),
            ("cases:\n- name: x\n  task: 3\n  active: true", 3, "`task` is a number"),
            ("cases:\n- name: x\n  name: y\n  active: true", 3, "field `name` stands twice"),
            ("cases:\n- name: x\n  context: {a: *b}", 3, "not valid YAML"),
        ] {
            let found = wrong(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].0 == line && found[0].1.starts_with(start), "{text}: {found:?}");
        }
        let all = wrong("cases:\n- {tool: a}\n- {name: x, expect: allow}\n");
        assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 2, 3, 3]);
        let many = "- {name: x, active: true}\n".repeat(600);
        let many = format!("cases:\n{many}");
        let findings =
            policy_tests(&bundle(&[("tests/a.yaml", &many), ("tests/b.yaml", &many)])).unwrap_err();
        assert!(findings[0].message.starts_with("the policy has 1200 cases"));
    }
}
