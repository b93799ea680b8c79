//! The lenient reader, as tables of what people really write.

use crate::frontmatter::{self, Fields};

fn read(text: &str) -> (Fields, Vec<(&'static str, u32)>) {
    let mut frontmatter = frontmatter::read(text);
    let mut findings = std::mem::take(&mut frontmatter.findings);
    let fields = Fields::read(&frontmatter, &mut findings);
    let codes = findings.into_iter().map(|finding| (finding.code, finding.line.unwrap_or(0))).collect();
    (fields, codes)
}

#[test]
fn broken_values_are_read_as_the_author_meant_them() {
    let table: [(&str, &str); 21] = [
        ("description: Use when: x", "Use when: x"),
        ("description: foo --- bar", "foo --- bar"),
        ("description: `code` first", "`code` first"),
        ("description: @mention", "@mention"),
        ("description: %percent", "%percent"),
        ("description: *bold* words", "*bold* words"),
        ("description: &anchor words here", "&anchor words here"),
        ("description: [draft] words", "[draft] words"),
        ("description: {x} words", "{x} words"),
        ("description: \"quoted\" words", "\"quoted\" words"),
        ("description: \"say \"hi\" now\"", "say \"hi\" now"),
        ("description: \"never closed", "never closed"),
        ("description: 'it's broken'", "it's broken"),
        ("description: - dash", "- dash"),
        ("description: first\n  second: line", "first second: line"),
        ("description: |\nflush left\ntext", "flush left\ntext"),
        ("description:Use it", "Use it"),
        ("description：全角", "全角"),
        ("description: !important thing", "!important thing"),
        ("description: a\u{1}b: c", "ab: c"),
        ("  description: Use when: x\n  license: MIT", "Use when: x"),
    ];
    for (yaml, wanted) in table {
        let (fields, findings) = read(&format!("---\n{yaml}\n---\n"));
        assert_eq!(fields.description.as_deref(), Some(wanted), "{yaml:?} {findings:?}");
    }
}

#[test]
fn only_the_broken_field_is_touched_and_its_line_is_named() {
    let text = "\n---\nname: ok\ndescription: Use when: x\nmetadata:\n  version: 1.10\n---\nbody";
    let (fields, findings) = read(text);
    assert_eq!(fields.name.as_deref(), Some("ok"));
    assert_eq!(fields.metadata, [("version".to_owned(), "1.10".to_owned())]);
    assert_eq!(findings, [("frontmatter_not_first", 1), ("yaml_invalid", 4), ("field_repaired", 4)]);
}

#[test]
fn good_yaml_is_never_repaired() {
    for (yaml, wanted) in [
        ("description: Use C # note", "Use C"),
        ("description: >-\n  folded\n  text", "folded text"),
        ("description: |\n  literal\n  text\n", "literal\ntext"),
        ("description: \"a\\nb\"", "a\nb"),
        ("description: plain\n  goes on", "plain goes on"),
        ("description: \"quoted\n  goes on\"", "quoted goes on"),
        ("description: 1.10", "1.10"),
        ("description: yes", "yes"),
    ] {
        let (fields, findings) = read(&format!("---\n{yaml}\n---\n"));
        assert_eq!(fields.description.as_deref(), Some(wanted), "{yaml:?}");
        assert_eq!(findings, [], "{yaml:?}");
    }
}

#[test]
fn nested_values_are_repaired_too() {
    let (fields, findings) = read("---\nname: a\nmetadata:\n\tauthor: Ann\n\tnote: see: this\n---\n");
    assert_eq!(
        fields.metadata,
        [("author".to_owned(), "Ann".to_owned()), ("note".to_owned(), "see: this".to_owned())]
    );
    assert!(findings.contains(&("field_repaired", 3)), "{findings:?}");
}

#[test]
fn other_types_become_text() {
    let text = "---\nname: 123\ndescription: [a, b]\nallowed-tools: [Read, Bash(git:*)]\n\
                metadata: {openclaw: {requires: {bins: [jq]}, always: true}, version: 2.0}\ntags: a, b ,a\n\
                example_queries:\n- do x\n- do y\n---\n";
    let (fields, findings) = read(text);
    assert_eq!(fields.name.as_deref(), Some("123"));
    assert_eq!(fields.description.as_deref(), Some("a, b"));
    assert_eq!(fields.allowed_tools.as_deref(), Some("Read Bash(git:*)"));
    let wanted = [("openclaw.requires.bins", "jq"), ("openclaw.always", "true"), ("version", "2.0")];
    assert_eq!(fields.metadata, wanted.map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert_eq!(fields.tags, ["a", "b"]);
    assert_eq!(fields.example_prompts, ["do x", "do y"]);
    let codes: Vec<_> = findings.iter().map(|(code, _)| *code).collect();
    assert_eq!(
        codes,
        ["field_type", "field_type", "metadata_nested", "field_of_sidecar", "field_of_sidecar"]
    );
}

#[test]
fn spellings_and_unknown_fields_are_reported() {
    let (fields, findings) =
        read("---\nName: a\nallowed_tools: Read\nversion: 1.2\nrisk: low\nname: b\n---\n");
    assert_eq!(fields.name.as_deref(), Some("b"));
    assert_eq!(fields.allowed_tools.as_deref(), Some("Read"));
    assert_eq!(fields.metadata, [("version".to_owned(), "1.2".to_owned())]);
    let wanted = [("field_spelling", 2), ("field_spelling", 3), ("field_unknown", 4), ("field_unknown", 5)];
    assert_eq!(findings, wanted);
}

#[test]
fn hopeless_frontmatter_still_gives_its_words() {
    let (fields, findings) = read("---\n- - {\n**name**: my skill\n> description: does it\n---\n");
    assert_eq!(fields.name.as_deref(), Some("my skill"));
    assert_eq!(fields.description.as_deref(), Some("does it"));
    assert!(findings.contains(&("field_salvaged", 3)), "{findings:?}");
}
