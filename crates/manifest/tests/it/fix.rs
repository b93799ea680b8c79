//! What `fix` promises: stricter, never different, nothing lost, body untouched, and done after one pass.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::BTreeMap;

use model::Bundle;
use repertoire_manifest::reference::{Target, TargetKind, validate};
use repertoire_manifest::{Limits, fix, read};

use crate::corpus::{Sample, samples};

fn errors(bundle: &Bundle, folder: &str) -> Vec<String> {
    validate(Target {
        path: folder,
        kind: TargetKind::Directory,
        directory_name: folder,
        skill_file: Some(bundle.skill_file().1),
    })
}

/// The first words of an error, without what is particular to the file.
fn kind(error: &str) -> String {
    error.split_whitespace().take(4).filter(|word| !word.contains('\'')).collect::<Vec<_>>().join(" ")
}

#[test]
fn fixing_makes_strict_and_keeps_the_meaning() {
    let limits = Limits::default();
    let (mut before, mut after, mut total) = (0, 0, 0);
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for Sample { folder, bundle } in samples() {
        total += 1;
        before += usize::from(errors(&bundle, &folder).is_empty());
        let fixed = fix(&bundle, Some(&folder));
        let remaining = errors(&fixed.bundle, &folder);
        after += usize::from(remaining.is_empty());
        for error in &remaining {
            *left.entry(kind(error)).or_default() += 1;
        }
        assert!(!fixed.changes.is_empty() || fixed.bundle == bundle, "{folder}: changed in silence");
        assert_eq!(fix(&fixed.bundle, Some(&folder)).bundle, fixed.bundle, "{folder}: not done in one pass");
        let (old, new) =
            (read(&bundle, &limits).unwrap().manifest, read(&fixed.bundle, &limits).unwrap().manifest);
        assert_eq!(old.description, new.description, "{folder}");
        assert_eq!(old.body, new.body, "{folder}");
        assert_eq!((&old.license, &old.compatibility), (&new.license, &new.compatibility), "{folder}");
        assert_eq!(old.allowed_tools, new.allowed_tools, "{folder}");
        assert_eq!((&old.title, &old.tags, &old.icon), (&new.title, &new.tags, &new.icon), "{folder}");
        assert_eq!(old.example_prompts, new.example_prompts, "{folder}");
        for (key, text) in &old.metadata {
            let kept = new.metadata.iter().any(|(new_key, new_text)| new_key == key && new_text == text);
            // Strict YAML has no empty list or map, so `fix` leaves them out and says so.
            let empty = text.is_empty() || text.contains("[]") || text.contains("{}");
            assert!(kept || empty, "{folder}: metadata `{key}` is lost");
        }
    }
    println!("strict before: {before} of {total}, after: {after}; left: {left:?}");
    assert!(after > before);
    assert!(after * 100 >= total * 85, "{after} of {total}: {left:?}");
}

#[test]
fn the_fixtures_become_what_a_person_would_write() {
    let fixed = |folder: &str| {
        let text = std::fs::read(format!("{}/tests/fixtures/{folder}/SKILL.md", env!("CARGO_MANIFEST_DIR")))
            .unwrap();
        let path = model::BundlePath::parse("SKILL.md").unwrap();
        let bundle = Bundle::new([(path, model::BundleFile::new(text))].into()).unwrap();
        let fixed = fix(&bundle, Some(folder));
        let file = |path: &str| {
            fixed
                .bundle
                .get(path)
                .map(|file| String::from_utf8(file.content.to_vec()).unwrap())
                .unwrap_or_default()
        };
        (file("SKILL.md"), file("repertoire.yaml"), fixed.changes)
    };
    let (skill, sidecar, changes) = fixed("unknown-fields");
    let wanted = "---\nname: unknown-fields\ndescription: \"Plans a week of meals.\"\nmetadata:\n  version: \"1.10\"\n  \
                  author: someone\n  argument-hint: \"[days]\"\n  triggers: \"[\\\"meal plan\\\",\\\"what to cook\\\"]\"\n\
                  ---\n\n# Meals\n";
    assert_eq!(skill, wanted);
    assert_eq!(sidecar, "title: Unknown Fields\ntags:\n  - food\n  - planning\n");
    assert_eq!(changes.len(), 7, "{changes:?}");

    let (skill, ..) = fixed("tool-flow-list");
    let wanted = "---\nname: tool-flow-list\ndescription: Searches logs.\nallowed-tools: Read Bash(grep:*)\n\
                  # a comment\nlicense: Apache-2.0\n---\nSearch.\n";
    assert_eq!(skill, wanted);

    let (skill, ..) = fixed("flow-metadata");
    let wanted = "---\nname: flow-metadata\ndescription: Talks to a ticket system from the terminal.\nmetadata:\n  \
                  openclaw:\n    emoji: \"🎫\"\n    requires:\n      bins:\n        - jq\n    always: false\n---\n\n\
                  Run `jq` on the answer.\n";
    assert_eq!(skill, wanted);

    let (skill, ..) = fixed("byte-order-mark");
    assert_eq!(
        skill,
        "---\r\nname: byte-order-mark\r\ndescription: Written on another system.\r\n---\r\n\r\nText.\r\n"
    );

    let (skill, ..) = fixed("three-hyphens");
    assert!(skill.contains("license: MIT\n---\nBody") && skill.matches("---").count() == 2, "{skill}");

    let (skill, _, changes) = fixed("clean");
    assert!(changes.is_empty() && skill.starts_with("---\nname: clean\n"), "{changes:?}");
}

#[test]
fn the_sidecar_of_the_author_is_not_overwritten() {
    let file = |path: &str, text: &str| {
        (model::BundlePath::parse(path).unwrap(), model::BundleFile::new(text.as_bytes().to_vec()))
    };
    let skill = "---\nname: a\n# kept\ndescription: d\ntitle: Front\ndisplay_name: Other\nicon: i\nexample_queries: [one]\n\
                 example_prompts: [two]\n---\nbody";
    let bundle =
        Bundle::new([file("SKILL.md", skill), file("repertoire.yaml", "title: Side # mine\n")].into())
            .unwrap();
    let fixed = fix(&bundle, Some("a"));
    let text = |path: &str| String::from_utf8(fixed.bundle.get(path).unwrap().content.to_vec()).unwrap();
    assert_eq!(
        text("SKILL.md"),
        "---\nname: a\n# kept\ndescription: d\nmetadata:\n  title: Front\n  display_name: Other\n---\nbody"
    );
    assert_eq!(text("repertoire.yaml"), "title: Side # mine\nicon: i\nexample_prompts:\n  - one\n  - two\n");
}

#[test]
fn a_long_description_does_not_cost_the_comments() {
    let path = model::BundlePath::parse("SKILL.md").unwrap();
    let skill = format!("---\nname: a # why\nversion: 1\ndescription: {}\n---\n", "d".repeat(1100));
    let bundle = Bundle::new([(path, model::BundleFile::new(skill.into_bytes()))].into()).unwrap();
    let fixed = fix(&bundle, Some("a"));
    assert!(fixed.bundle.skill_file().1.starts_with(b"---\nname: a # why\ndescription: ddd"));
    assert_eq!(fixed.changes.len(), 2, "{:?}", fixed.changes);
    assert!(fixed.changes[1].contains("1100 characters"), "{:?}", fixed.changes);
}

fn skill_of(text: &str) -> Bundle {
    let path = model::BundlePath::parse("SKILL.md").unwrap();
    Bundle::new([(path, model::BundleFile::new(text.as_bytes().to_vec()))].into()).unwrap()
}

/// All files of a bundle as one text.
fn text_of(bundle: &Bundle) -> String {
    bundle.files().map(|(_, file)| String::from_utf8(file.content.to_vec()).unwrap()).collect()
}

#[test]
fn what_does_not_fit_into_the_sidecar_stays_where_it_is() {
    let (long, tags) = ("p".repeat(2100), (0..51).map(|n| format!("t{n}")).collect::<Vec<_>>().join(", "));
    for field in [
        format!("example_prompts: {long}\nexample_queries: [one]"),
        format!("tags: [{tags}]"),
        format!("tags: [short, {}]", "t".repeat(65)),
        format!("title: {}", "word ".repeat(60).trim()),
        format!("description: [{long}, {}]", "d".repeat(16_400)),
        format!("allowed-tools: [Read, {}]", "T".repeat(16_400)),
    ] {
        let bundle = skill_of(&format!("---\nname: A\n{field}\n---\nbody\n"));
        let fixed = fix(&bundle, Some("a"));
        let key = field.split_once(':').unwrap().0;
        assert!(
            fixed.changes.iter().any(|change| change.starts_with(&format!("left `{key}`"))),
            "{:?}",
            fixed.changes
        );
        let after = text_of(&fixed.bundle);
        for word in field.split(|c: char| !c.is_alphanumeric()) {
            assert!(after.contains(word), "{word} is lost: {:?}", fixed.changes);
        }
        let (old, new) =
            (read(&bundle, &Limits::default()).unwrap(), read(&fixed.bundle, &Limits::default()).unwrap());
        assert_eq!(old.manifest.tags, new.manifest.tags);
        assert_eq!(old.manifest.example_prompts, new.manifest.example_prompts);
        assert_eq!(fix(&fixed.bundle, Some("a")).bundle, fixed.bundle);
    }
}

#[test]
fn a_frontmatter_that_cannot_be_written_in_full_is_left_alone() {
    for (text, line) in [
        ("name: a\ndescription: first\ndescription: second\n", "line 4"),
        ("name: a\ndescription: d\nmetadata: {x: one, x: two}\n", "line 4"),
        ("just a line\nname: a\ndescription: one: two\n", "line 2"),
        ("name: a\ndescription: one: two\nname: b\n", "line 4"),
        ("name: a\ndescription: one: two\nmetadata:\n  x: one\n  x: two\n", "line 6"),
    ] {
        let bundle = skill_of(&format!("---\n{text}---\nbody\n"));
        let fixed = fix(&bundle, Some("a"));
        assert_eq!(fixed.bundle, bundle, "{text}");
        let [change] = &fixed.changes[..] else { panic!("{text}: {:?}", fixed.changes) };
        assert!(change.starts_with("left `SKILL.md` as it is") && change.contains(line), "{change}");
    }
}

#[test]
fn numbers_lists_and_second_spellings_keep_their_words() {
    let text = "---\nname: a\nLicence: X11\nLICENSE: MIT\ndescription: d\nversions: [3.10, 1e3]\n\
                compatibility: {python: 3.10}\nmetadata: [one, two]\n---\nbody\n";
    let fixed = fix(&skill_of(text), Some("a"));
    let after = text_of(&fixed.bundle);
    for word in ["X11", "MIT", "3.10", "1e3", "python", "one", "two"] {
        assert!(after.contains(word), "{word} is lost:\n{after}");
    }
    assert!(errors(&fixed.bundle, "a").is_empty(), "{after}");
    assert_eq!(after.matches("3.10").count(), 2, "{after}");
}

/// One line of a frontmatter, its words drawn from `next`.
fn row(kind: u8, many: usize, next: &mut impl FnMut() -> String) -> String {
    const KEYS: [&str; 14] = [
        "title",
        "display_name",
        "icon",
        "extends",
        "tags",
        "example_prompts",
        "example_queries",
        "suggested_tools",
        "description",
        "Description",
        "licence",
        "allowed_tools",
        "metadata",
        "version",
    ];
    let key = KEYS[usize::from(kind) % KEYS.len()];
    let words: Vec<String> = (0..many).map(|_| next()).collect();
    match kind / 14 % 8 {
        0 => format!("{key}: {}", words.join(" ")),
        1 => format!("{key}: [{}]", words.join(", ")),
        2 => format!("{key}: {{a: {}, b: [{}]}}", next(), words.join(", ")),
        3 => format!("{key}:\n  - {}\n", words.join("\n  - ")),
        4 => format!("{key}: {}: {}", next(), words.join(" ")),
        5 => format!("{key}: {}", words.join("-")),
        6 => words.join(" "),
        _ => format!("{key}: |\n  {}\n  {}", next(), words.join(" ")),
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(120))]

    #[test]
    fn every_word_of_the_old_file_is_in_a_new_one(
        rows in proptest::collection::vec((0_u8..112, proptest::prop_oneof![1_usize..5, 45_usize..120]), 0..8),
    ) {
        let mut count = 0;
        let mut next = || {
            count += 1;
            format!("w{count}w")
        };
        let rows: Vec<String> = rows.into_iter().map(|(kind, many)| row(kind, many, &mut next)).collect();
        let bundle = skill_of(&format!("---\nname: a\n{}\n---\nbody\n", rows.join("\n")));
        let fixed = fix(&bundle, Some("a"));
        let after = text_of(&fixed.bundle);
        for number in 1..=count {
            let word = format!("w{number}w");
            proptest::prop_assert!(after.contains(&word), "{} is lost: {:?}\n{}", word, fixed.changes, rows.join("\n"));
        }
    }
}
