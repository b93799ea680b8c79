//! Entries in files as people write them.

use super::*;

const OURS: &str = "/bin/repertoire hook claude";

fn is_ours(command: &str) -> bool {
    command.starts_with(OURS)
}

fn group(command: &str) -> Value {
    json!({"matcher": "*", "hooks": [{"type": "command", "command": command}]})
}

fn put(text: &str, needs_version: bool) -> String {
    let entries = [("PreToolUse", group(OURS)), ("Stop", group(OURS))];
    install(text, &entries, needs_version, &is_ours).unwrap()
}

const FILES: [&str; 19] = [
    "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}\n",
    "{\r\n  \"b\": 2, /* two */\r\n}\r\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"command\": \"x\"} // mine, not ours\n      // and more\n    ] // all\n  }\n}\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\"model\":\"opus\"}",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\r\n\t\"model\": \"opus\",\r\n\t\"n\": [1, 2]\r\n}\r\n",
    "// mine\n{\n    // above\n    \"model\": \"opus\", // beside\n    /* below */\n}\n// after\n",
    "{\n  \"a\": 1,\n}",
    "{\"hooks\": {}}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]},\n    ],\n    \"enabled\": true\n  },\n  \"z\": \"\u{e4}\u{1f600}\"\n}\n",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say \\\"done\\\"\"}]}]},\"env\":{\"A\":\"1\"}}",
    "\u{feff}{\n  \"a\": 1\n}",
    "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
    "{\n  \"version\": 1\n}\n",
];

#[test]
fn what_is_put_in_is_taken_out_to_the_byte() {
    for needs_version in [false, true] {
        for text in FILES {
            let with = put(text, needs_version);
            assert_eq!(entries(&with, &is_ours).unwrap().len(), 2, "{with}");
            assert_eq!(uninstall(&with, &is_ours).unwrap(), text, "{with}");
        }
    }
}

#[test]
fn twice_is_once_and_an_older_entry_is_replaced() {
    for text in FILES {
        let once = put(text, true);
        assert_eq!(put(&once, true), once);
        let older = install(text, &[("PreToolUse", group(&format!("{OURS} --old")))], true, &is_ours);
        assert_eq!(put(&older.unwrap(), true), once);
    }
}

#[test]
fn a_new_file_looks_as_people_write_it() {
    let entries = [("stop", json!({"command": OURS, "failClosed": true}))];
    let text = install(EMPTY, &entries, true, &is_ours).unwrap();
    let wanted = "{\n  \"hooks\": {\n    \"stop\": [\n      {\n        \"command\": \"/bin/repertoire hook claude\",\n        \
                  \"failClosed\": true\n      }\n    ]\n  },\n  \"version\": 1\n}\n";
    assert_eq!(text, wanted);
    assert_eq!(uninstall(&text, &is_ours).unwrap(), EMPTY);
}

#[test]
fn a_remark_stays_beside_its_item() {
    let entries = [("stop", json!(1))];
    for (text, wanted) in [
        (
            "{\n  \"a\": 1 // one\n}",
            "{\n  \"a\": 1, // one\n  \"hooks\": {\n    \"stop\": [\n      1\n    ]\n  }\n}",
        ),
        (
            "{\n  \"a\": 1, // one\n}",
            "{\n  \"a\": 1, // one\n  \"hooks\": {\n    \"stop\": [\n      1\n    ]\n  },\n}",
        ),
    ] {
        assert_eq!(install(text, &entries, false, &is_ours).unwrap(), wanted);
    }
}

#[test]
fn what_others_put_beside_ours_stays() {
    let text = format!(
        "{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{{\"command\": \"{OURS}\"}}, // ours\n {{\"command\": \"other\"}}]}}, \
         {{\"hooks\": [{{\"command\": \"{OURS}\"}}]}}]}}}}"
    );
    let rest = uninstall(&text, &is_ours).unwrap();
    assert!(entries(&rest, &is_ours).unwrap().is_empty(), "{rest}");
    let all = entries(&rest, &|_| true).unwrap();
    assert_eq!(all, [Entry { event: "PreToolUse".into(), command: "other".into() }], "{rest}");
    assert!(rest.contains("// ours"), "{rest}");
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    for text in [
        "",
        "[]",
        "{",
        "{\"a\": 1 \"b\": 2}",
        "{'a': 1}",
        "{a: 1}",
        "null",
        "{\"hooks\": []}",
        "{\"hooks\": {}, \"hooks\": {}}",
        "{\"hooks\": {\"Stop\": [], \"Stop\": []}}",
        "{\"hooks\": {\"Stop\": {}}}",
        "{} {}",
    ] {
        let done = install(text, &[("Stop", group(OURS))], false, &is_ours);
        assert!(done.is_err(), "{text}: {done:?}");
    }
}
