//! One bundle, ten clients: the table of who loads what.

use model::{BundleFile, BundlePath};

use super::*;

fn bundle(file: &str, text: &[u8]) -> Bundle {
    Bundle::new([(BundlePath::parse(file).unwrap(), BundleFile::new(text.to_vec()))].into()).unwrap()
}

/// One letter a client, in the order of `Client::ALL`: `.` loads, `w` warns, `X` refuses.
fn row(text: &str) -> String {
    verdicts(&bundle("SKILL.md", text.as_bytes()), Some("skills/my-skill"))
        .iter()
        .map(|verdict| match verdict.outcome {
            Outcome::Loads => '.',
            Outcome::LoadsWithWarning => 'w',
            Outcome::Refuses => 'X',
        })
        .collect()
}

#[test]
fn who_loads_what() {
    let long = format!("---\nname: my-skill\ndescription: {}\n---\n", "d".repeat(1100));
    let big = format!("---\nname: my-skill\ndescription: d\n---\n{}", "b".repeat(9000));
    let table: [(&str, &str); 16] = [
        ("---\nname: my-skill\ndescription: d\n---\n", ".........."),
        ("---\nname: my-skill\ndescription: d\nversion: 1\n---\n", "X.......XX"),
        ("---\nname: my-skill\ndescription: d\nmetadata: {a: {b: c}}\n---\n", "X........."),
        ("---\nname: my-skill\ndescription: Use when: x\n---\n", "Xwwwww.wXX"),
        ("---\nname: other\ndescription: d\n---\n", "X........."),
        ("---\nname: My Skill\ndescription: d\n---\n", "X.....X.XX"),
        ("---\nname: a/b\ndescription: d\n---\n", "X..w.XX.XX"),
        ("---\nname: my-skill\n---\nbody", "XwXXXXXXXX"),
        ("---\ndescription: d\n---\n", "X..XXXX.XX"),
        ("just text", "XwXXXXXXXX"),
        ("\u{feff}---\nname: my-skill\ndescription: d\n---\n", "XwXXXX.XXX"),
        ("---\nname: my-skill\ndescription: a <b> c\n---\n", "........XX"),
        ("---\nname: my-skill\ndescription: d\ncompatibility: x\n---\n", ".........X"),
        ("---\nname: my-skill\ndescription: TODO say it\n---\n", ".........X"),
        (&long, "X.w...X.XX"),
        (&big, "..w......."),
    ];
    for (text, wanted) in table {
        assert_eq!(row(text), wanted, "{}", &text[..text.len().min(80)]);
    }
}

#[test]
fn every_refusal_has_a_reason() {
    for text in [b"\xff".as_slice(), b"", b"---\nname: claude-x\ndescription: 5\n---\n"] {
        for verdict in verdicts(&bundle("SKILL.md", text), None) {
            assert_eq!(verdict.outcome == Outcome::Loads, verdict.reasons.is_empty(), "{verdict:?}");
        }
    }
    let lower = verdicts(&bundle("skill.md", b"---\nname: a\ndescription: d\n---\n"), Some("a"));
    let loads: Vec<_> = lower
        .iter()
        .filter(|verdict| verdict.outcome == Outcome::Loads)
        .map(|verdict| verdict.client.as_str())
        .collect();
    assert_eq!(loads, ["reference", "openai"]);
}
