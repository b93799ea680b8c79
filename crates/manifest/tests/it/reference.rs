//! The reference validator: pinned messages, and ours beside the real one.
#![cfg(test)] // so that clippy takes the helpers for test code too

mod golden;
mod mutations;
mod side_by_side;

use repertoire_manifest::reference::{
    PromptEntry, Properties, Target, TargetKind, UNREADABLE, Value, read_properties, to_prompt, validate,
};

fn skill<'a>(directory_name: &'a str, content: &'a [u8]) -> Target<'a> {
    Target { path: directory_name, kind: TargetKind::Directory, directory_name, skill_file: Some(content) }
}

fn target(path: &str, kind: TargetKind) -> Target<'_> {
    Target { path, kind, directory_name: "x", skill_file: None }
}

fn properties(content: &str) -> Properties {
    read_properties(skill("my-skill", content.as_bytes())).unwrap()
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

#[test]
fn a_path_that_is_no_skill_has_exactly_one_error() {
    let cases = [
        ("nowhere/at/all", TargetKind::Missing, "Path does not exist: nowhere/at/all"),
        ("./a//b/./c/", TargetKind::Missing, "Path does not exist: a/b/c"),
        ("../a", TargetKind::Missing, "Path does not exist: ../a"),
        ("/", TargetKind::Missing, "Path does not exist: /"),
        ("//a/", TargetKind::Missing, "Path does not exist: //a"),
        ("///a", TargetKind::Missing, "Path does not exist: /a"),
        ("", TargetKind::Missing, "Path does not exist: ."),
        ("some/file.md", TargetKind::NotADirectory, "Not a directory: some/file.md"),
        ("empty", TargetKind::Directory, "Missing required file: SKILL.md"),
    ];
    for (path, kind, expected) in cases {
        assert_eq!(validate(target(path, kind)), [expected], "{path}");
    }
}

#[test]
fn properties_need_a_skill_file() {
    let error = read_properties(target("some/dir/", TargetKind::Directory)).unwrap_err();
    assert_eq!(error, "SKILL.md not found in some/dir");
}

#[test]
fn properties_need_a_name_and_a_description() {
    let cases = [
        ("---\ndescription: d\n---", "Missing required field in frontmatter: name"),
        ("---\nname: n\n---", "Missing required field in frontmatter: description"),
        ("---\nname: ' '\ndescription: d\n---", "Field 'name' must be a non-empty string"),
        ("---\nname: n\ndescription:\n---", "Field 'description' must be a non-empty string"),
        ("no frontmatter", "SKILL.md must start with YAML frontmatter (---)"),
    ];
    for (content, expected) in cases {
        assert_eq!(read_properties(skill("n", content.as_bytes())).unwrap_err(), expected);
    }
}

#[test]
fn properties_are_printed_as_the_reference_prints_them() {
    let read = properties(
        "---\nname: ' Ünï '\ndescription: \"tab\\t 🦀 \\\"q\\\"\"\nlicense:\n- MIT\nallowed-tools: Bash(jq:*) Bash(git:*)\n\
         metadata:\n  version: 1.0\n  nested:\n    it's: \"q\"\n---\n",
    );
    assert_eq!(read.license, Some(Value::Sequence(vec![Value::Text("MIT".to_owned())])));
    assert_eq!(
        read.to_json(),
        r#"{
  "name": "\u00dcn\u00ef",
  "description": "tab\t \ud83e\udd80 \"q\"",
  "license": [
    "MIT"
  ],
  "allowed-tools": "Bash(jq:*) Bash(git:*)",
  "metadata": {
    "version": "1.0",
    "nested": "{\"it's\": 'q'}"
  }
}"#
    );
}

#[test]
fn empty_metadata_is_not_printed() {
    let json = properties("---\nname: n\ndescription: d\nmetadata:\n---\n").to_json();
    assert_eq!(json, "{\n  \"name\": \"n\",\n  \"description\": \"d\"\n}");
}

#[test]
fn a_prompt_without_skills_is_two_lines() {
    assert_eq!(to_prompt(&[]), "<available_skills>\n</available_skills>");
}

#[test]
fn a_prompt_escapes_names_and_descriptions_but_not_locations() {
    let first = properties("---\nname: my-skill\ndescription: Use <foo> & \"bar\" it's\n---\n");
    let second = properties("---\nname: other\ndescription: d\n---\n");
    let prompt = to_prompt(&[
        PromptEntry { properties: &first, location: "/abs/a&b/SKILL.md" },
        PromptEntry { properties: &second, location: "/abs/other/skill.md" },
    ]);
    let expected = "<available_skills>
<skill>
<name>
my-skill
</name>
<description>
Use &lt;foo&gt; &amp; &quot;bar&quot; it&#x27;s
</description>
<location>
/abs/a&b/SKILL.md
</location>
</skill>
<skill>
<name>
other
</name>
<description>
d
</description>
<location>
/abs/other/skill.md
</location>
</skill>
</available_skills>";
    assert_eq!(prompt, expected);
}

#[test]
fn bytes_that_are_not_utf8_are_one_error_of_ours() {
    let errors = validate(skill("x", b"---\nname: x\ndescription: d\n---\n\xff"));
    assert_eq!(errors, [format!("{UNREADABLE}it is not UTF-8")]);
}

#[test]
fn hostile_sizes_are_answered_quickly() {
    const SIZE: usize = 1_000_000;
    let cases = [
        "[".repeat(SIZE),
        "{a: ".repeat(SIZE / 4),
        "- ".repeat(SIZE / 2),
        "? ".repeat(SIZE / 2),
        "a: ".repeat(SIZE / 3),
        "\n".repeat(SIZE),
        "# x\n".repeat(SIZE / 4),
        " \n".repeat(SIZE / 2),
        "a\n".repeat(SIZE / 2),
        "x".repeat(SIZE),
        format!("\"{}", "\\\\".repeat(SIZE / 2)),
        format!("'{}", "''".repeat(SIZE / 2)),
        format!("a: |\n{}", "  x\n\n".repeat(SIZE / 5)),
        format!("a: >\n{}", " x\n".repeat(SIZE / 3)),
        "!a".repeat(SIZE / 2),
        "&a ".repeat(SIZE / 3),
        format!("%TAG ! {}", "%41".repeat(SIZE / 3)),
        lines(SIZE / 8, |number| format!("{number}: \n")),
        lines(400, |depth| format!("{}a:\n", " ".repeat(depth))),
        lines(1400, |depth| format!("{}- b\n", " ".repeat(depth))),
    ];
    for case in cases {
        let content = format!("---\n{case}\n---\n");
        assert!(!validate(skill("x", content.as_bytes())).is_empty());
    }
}

#[test]
fn nesting_is_read_to_where_python_gives_up_and_needs_little_stack() {
    let nested = |depth: usize| {
        let levels = lines(depth - 1, |level| format!("{}a:\n", " ".repeat(level + 1)));
        format!("---\nname: x\ndescription: d\nlicense:\n{levels}{}a: b\n---\n", " ".repeat(depth))
    };
    let small_stack = std::thread::Builder::new().stack_size(1 << 20);
    let judge = small_stack.spawn(move || {
        for depth in [2, 200, 239] {
            let content = nested(depth);
            let read = read_properties(skill("x", content.as_bytes())).unwrap();
            assert_eq!(read.to_json().matches("\"a\"").count(), depth);
            assert!(validate(skill("x", content.as_bytes())).is_empty());
        }
        for depth in [240, 600] {
            let errors = validate(skill("x", nested(depth).as_bytes()));
            assert_eq!(errors, [format!("{UNREADABLE}the frontmatter nests too deeply")]);
        }
    });
    judge.unwrap().join().unwrap();
}
