//! An edit changes what it was asked to, and nothing else.

use proptest::prelude::*;

use super::*;
use crate::reading::Reading;

fn bundle(skill: &str, sidecar: Option<&str>) -> Bundle {
    let file = |path: &str, text: &str| {
        (BundlePath::parse(path).unwrap(), BundleFile::new(text.as_bytes().to_vec()))
    };
    let mut files: BTreeMap<_, _> = [file("SKILL.md", skill), file("scripts/run.py", "x = 1\n")].into();
    files.extend(sidecar.map(|text| file(SIDECAR_FILE, text)));
    Bundle::new(files).unwrap()
}

fn text(bundle: &Bundle, path: &str) -> String {
    String::from_utf8(bundle.get(path).unwrap().content.to_vec()).unwrap()
}

fn apply(bundle: &Bundle, changes: &Changes) -> Result<Bundle, EditError> {
    edit(bundle, changes, &Limits::default())
}

fn described(description: &str) -> Changes {
    Changes { description: Some(description.to_owned()), ..Changes::default() }
}

#[test]
fn a_description_changes_and_no_other_byte() {
    let table = [
        (
            "---\n# top\nname: a\ndescription: old # why\nlicense: MIT\n---\n\nbody --- \n",
            "---\n# top\nname: a\ndescription: new # why\nlicense: MIT\n---\n\nbody --- \n",
        ),
        ("---\r\nname: a\r\ndescription: old\r\n---\r\nb", "---\r\nname: a\r\ndescription: new\r\n---\r\nb"),
        (
            "---\ndescription: >-\n  old\n  text\n\n# c\nname: a\n---\n",
            "---\ndescription: new\n\n# c\nname: a\n---\n",
        ),
        ("---\ndescription: |\n  old\nname: a\n---\n", "---\ndescription: new\nname: a\n---\n"),
        ("---\ndescription: \"old\n  text\"\nname: a\n---\n", "---\ndescription: new\nname: a\n---\n"),
        ("---\ndescription:\n  - old\n  - text\nname: a\n---\n", "---\ndescription: new\nname: a\n---\n"),
        ("---\nname: a\ndescription:\n---\nbody", "---\nname: a\ndescription: new\n---\nbody"),
        ("---\nname: a\n---\nbody", "---\nname: a\ndescription: new\n---\nbody"),
        ("---\nname: a\nDescription: old\n---\n", "---\nname: a\ndescription: new\n---\n"),
        ("\u{feff}---\nname: a\ndescription: 'old'\n---\n", "\u{feff}---\nname: a\ndescription: new\n---\n"),
        (
            "---\nname: a\ndescription: bad: yaml\nx: y: z\n---\n",
            "---\nname: a\ndescription: new\nx: y: z\n---\n",
        ),
        ("# Body\n\ntext\n", "---\ndescription: new\n---\n# Body\n\ntext\n"),
        ("---\n{name: a, description: old}\n---\nb", "---\nname: a\ndescription: new\n---\nb"),
        ("---\n---\nb", "---\ndescription: new\n---\nb"),
    ];
    for (before, after) in table {
        let edited = apply(&bundle(before, None), &described("new")).unwrap();
        assert_eq!(text(&edited, "SKILL.md"), after);
        assert_eq!(text(&edited, "scripts/run.py"), "x = 1\n");
    }
}

#[test]
fn a_body_changes_and_the_frontmatter_stays() {
    let changes = |body: &str| Changes { body: Some(body.to_owned()), ..Changes::default() };
    let table = [
        ("---\ndescription: d\n---\n\n\nold\n", "\nnew\n\n", "---\ndescription: d\n---\n\n\nnew\n"),
        ("---\ndescription: d\n---", "new", "---\ndescription: d\n---\n\nnew\n"),
        ("---\r\ndescription: d\r\n---\r\nold", "new", "---\r\ndescription: d\r\n---\r\n\r\nnew\r\n"),
        ("---\ndescription: d\n---\nold\n", "", "---\ndescription: d\n---\n"),
        ("old\n", "# New\n\nwords", "# New\n\nwords\n"),
        ("---\ndescription: d\n\nold\n", "---\nx: y\n---", "---\ndescription: d\n---\n\n---\nx: y\n---\n"),
    ];
    for (before, body, after) in table {
        let edited = apply(&bundle(before, None), &changes(body)).unwrap();
        assert_eq!(text(&edited, "SKILL.md"), after, "{before:?}");
    }
    let refused = apply(&bundle("old\n", None), &changes("---\nname: x\n---\nwords"));
    assert!(matches!(refused, Err(EditError::Unfaithful(_))), "{refused:?}");
}

#[test]
fn sidecar_fields_keep_comments_and_neighbours() {
    let before = "# ours\ntitle: Old # said Ann\ntags:\n  - a\n  # not b\n  - c\n\n# rules\npolicy:\n  \
                  activation: {always: true} # yes\n";
    let changes = Changes {
        title: Change::Set("New: title".to_owned()),
        tags: Some(vec!["x".to_owned()]),
        icon: Change::Set("broom".to_owned()),
        ..Changes::default()
    };
    let edited = apply(&bundle("---\nname: a\ndescription: d\n---\n", Some(before)), &changes).unwrap();
    let after = "# ours\ntitle: \"New: title\" # said Ann\ntags:\n  - x\n\n# rules\npolicy:\n  activation: {always: true} # yes\n\
                 icon: broom\n";
    assert_eq!(text(&edited, SIDECAR_FILE), after);
    assert_eq!(text(&edited, "SKILL.md"), "---\nname: a\ndescription: d\n---\n");
}

#[test]
fn a_sidecar_comes_and_goes_as_needed() {
    let plain = bundle("---\nname: a\ndescription: d\n---\n", None);
    let titled = Changes { title: Change::Set("T".to_owned()), ..Changes::default() };
    let with = apply(&plain, &titled).unwrap();
    assert_eq!(text(&with, SIDECAR_FILE), "title: T\n");
    let untitled = Changes { title: Change::Remove, ..Changes::default() };
    assert_eq!(apply(&with, &untitled).unwrap(), plain);
}

#[test]
fn what_is_removed_does_not_come_back_from_the_frontmatter() {
    let before = "---\nname: a\ntitle: T\ntags: [x]\ndescription: d\ndisplay_name: U\n---\n";
    let changes = Changes { title: Change::Remove, tags: Some(vec![]), ..Changes::default() };
    let edited = apply(&bundle(before, Some("title: S\n")), &changes).unwrap();
    assert_eq!(text(&edited, "SKILL.md"), "---\nname: a\ndescription: d\n---\n");
    assert!(edited.get(SIDECAR_FILE).is_none());
}

#[test]
fn files_come_and_go() {
    let path = |text: &str| BundlePath::parse(text).unwrap();
    let plain = bundle("---\nname: a\ndescription: d\n---\n", None);
    let changes = Changes {
        files: [(path("a.md"), Some(BundleFile::new(*b"x"))), (path("scripts/run.py"), None)].into(),
        ..Changes::default()
    };
    let edited = apply(&plain, &changes).unwrap();
    assert_eq!(edited.files().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["SKILL.md", "a.md"]);
    let without = Changes { files: [(path("SKILL.md"), None)].into(), ..Changes::default() };
    assert_eq!(apply(&plain, &without), Err(EditError::Bundle(BundleError::NoSkillFile)));
}

#[test]
fn a_wrong_value_is_an_error_and_not_a_bundle() {
    let plain = bundle("---\nname: a\ndescription: d\n---\n", None);
    let empty = apply(&plain, &described("  "));
    assert!(matches!(empty, Err(EditError::Manifest(_) | EditError::Unfaithful(_))), "{empty:?}");
    let extends = Changes { extends: Change::Set("Not A Slug".to_owned()), ..Changes::default() };
    let error = apply(&plain, &extends).unwrap_err();
    assert!(matches!(&error, EditError::Manifest(inner) if inner.code() == "sidecar_invalid"), "{error}");
}

const SKILLS: [&str; 12] = [
    "---\nname: a\ndescription: d\n---\nbody",
    "---\r\nname: a\r\ndescription: \"d\"\r\nmetadata:\r\n  a: b\r\n---\r\n\r\nbody\r\n",
    "---\n# c\ndescription: |\n  two\n  lines\n\nname: a # x\nallowed-tools: [Read]\n---\n# T\n",
    "---\nname: a\ndescription: when: x\ntitle: T\ntags:\n- a\n---\nbody\n---\n",
    "---\n{name: a, description: d, tags: [x]}\n---\n",
    "no frontmatter at all",
    "---\nname: a\n\n# unclosed\n",
    "name: a\ndescription: d\n---\nbody",
    "\u{feff}\n---\nname: a\ndescription: d\n...\nbody",
    "---\nname: a\nname: b\ndescription: c\ndescription: d\n---\n",
    "---\n\"name\": a\n'description': d\nlicense: >\n  x\n---\n",
    "```yaml\n---\nname: a\ndescription: d\n---\nbody\n```\n",
];

const SIDECARS: [Option<&str>; 5] = [
    None,
    Some("title: T\n"),
    Some("# c\ntags: [a] # x\nprocedure:\n  language: python\n  file: scripts/run.py # y\n"),
    Some("{title: T, icon: i}"),
    Some("title: a: b\n"),
];

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 ,.:#'\"\\-|>\\[\\]{}&*!%@`]{1,40}",
        "[a-z \n\r\t-]{1,40}",
        any::<String>(),
        Just("---\n".to_owned())
    ]
}

fn change() -> impl Strategy<Value = Change<String>> {
    prop_oneof![Just(Change::Keep), Just(Change::Remove), words().prop_map(Change::Set)]
}

fn any_changes() -> impl Strategy<Value = Changes> {
    let list = || proptest::option::of(proptest::collection::vec(words(), 0..3));
    let texts = (change(), change(), change(), change(), change());
    (proptest::option::of(words()), proptest::option::of(words()), texts, list(), list()).prop_map(
        |(description, body, (license, compatibility, allowed_tools, title, icon), tags, example_prompts)| {
            Changes {
                description,
                body,
                license,
                compatibility,
                allowed_tools,
                title,
                icon,
                tags,
                example_prompts,
                ..Changes::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_edit_says_what_was_asked_or_is_refused(
        skill in proptest::sample::select(&SKILLS[..]),
        sidecar in proptest::sample::select(&SIDECARS[..]),
        changes in any_changes(),
    ) {
        let before = bundle(skill, sidecar);
        if let Ok(after) = apply(&before, &changes) {
            let Reading { manifest, .. } = read(&after, &Limits::default()).unwrap();
            if let Some(description) = &changes.description {
                prop_assert_eq!(&manifest.description, description.trim());
            }
            if let Some(tags) = &changes.tags {
                prop_assert_eq!(&manifest.tags, tags);
            }
            prop_assert_eq!(after.get("scripts/run.py"), before.get("scripts/run.py"));
            prop_assert_eq!(apply(&after, &Changes::default()).unwrap(), after);
        }
    }

    #[test]
    fn any_words_can_be_a_description_of_a_clean_skill(
        description in words().prop_filter("not blank", |text| !text.trim().is_empty()),
        body in "[a-z#\n-]{0,30}",
    ) {
        let head = "---\nname: a # c\n# d\ndescription: old\nlicense: MIT\n---\n";
        let before = bundle(&format!("{head}{body}"), None);
        let after = apply(&before, &described(&description)).unwrap();
        let text = text(&after, "SKILL.md");
        prop_assert!(text.starts_with("---\nname: a # c\n# d\ndescription:"), "{}", text);
        let rest = format!("\nlicense: MIT\n---\n{body}");
        prop_assert!(text.ends_with(&rest), "{}", text);
    }

    #[test]
    fn nothing_asked_is_nothing_changed(
        skill in proptest::sample::select(&SKILLS[..]),
        sidecar in proptest::sample::select(&SIDECARS[..4]),
    ) {
        let before = bundle(skill, sidecar);
        prop_assert_eq!(apply(&before, &Changes::default()).unwrap(), before);
    }
}
