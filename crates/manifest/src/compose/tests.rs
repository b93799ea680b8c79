//! A composed bundle is strict, and says what the draft says.

use model::{Language, Parameter, ParameterType};
use proptest::prelude::*;

use super::*;
use crate::clients::{Outcome, verdicts};

fn name(text: &str) -> SkillName {
    SkillName::parse(text).unwrap()
}

fn text(bundle: &Bundle, path: &str) -> String {
    String::from_utf8(bundle.get(path).unwrap().content.to_vec()).unwrap()
}

#[test]
fn a_small_draft_makes_one_file() {
    let mut draft = Draft::new(name("code-review"), " Reviews code. Use when: a change is ready ");
    draft.body = body_template("Code Review", "Reviews code.");
    let bundle = draft.compose().unwrap();
    assert_eq!(bundle.files().len(), 1);
    let wanted = "---\nname: code-review\ndescription: \"Reviews code. Use when: a change is ready\"\n---\n\n# Code Review\n";
    assert!(text(&bundle, SKILL_FILE).starts_with(wanted), "{}", text(&bundle, SKILL_FILE));
    for section in ["## Instructions", "## Examples", "## References"] {
        assert!(text(&bundle, SKILL_FILE).contains(section));
    }
}

#[test]
fn a_procedure_brings_its_file_and_its_sidecar() {
    let mut draft = Draft::new(name("growth"), "Computes growth.");
    draft.title = Some("Growth".to_owned());
    let procedure = Procedure {
        language: Language::Python,
        file: BundlePath::parse("scripts/growth.py").unwrap(),
        function: Some("growth".to_owned()),
        parameters: vec![Parameter {
            name: "rate".to_owned(),
            kind: ParameterType::Number,
            description: None,
            required: true,
            default: None,
        }],
        profile: None,
        limits: model::RunLimits::default(),
        network: Vec::new(),
    };
    draft.procedure = Some((procedure, b"def growth(rate): return rate\n".as_slice().into()));
    let bundle = draft.clone().compose().unwrap();
    assert_eq!(text(&bundle, "scripts/growth.py"), "def growth(rate): return rate\n");
    let wanted = "title: Growth\nprocedure:\n  language: python\n  file: scripts/growth.py\n  function: growth\n  \
                  parameters:\n    - name: rate\n      type: number\n";
    assert_eq!(text(&bundle, SIDECAR_FILE), wanted);
    assert!(verdicts(&bundle, Some("growth")).iter().all(|verdict| verdict.outcome == Outcome::Loads));

    draft.files.insert(BundlePath::parse("scripts/growth.py").unwrap(), BundleFile::new(*b"other"));
    assert_eq!(draft.compose(), Err(ComposeError::Reserved("scripts/growth.py".to_owned())));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let draft = |description: &str| Draft::new(name("a"), description);
    assert_eq!(draft(" ").compose(), Err(ComposeError::NoDescription));
    let long = draft(&"d".repeat(1025)).compose();
    assert_eq!(long, Err(ComposeError::TooLong { field: "description", count: 1025, limit: 1024 }));
    let mut tagged = draft("d");
    tagged.tags = vec!["a".to_owned(), "a".to_owned()];
    assert!(
        matches!(tagged.compose(), Err(ComposeError::Manifest(error)) if error.code() == "sidecar_invalid")
    );
    let mut lower = draft("d");
    lower.files.insert(BundlePath::parse("skill.md").unwrap(), BundleFile::new(*b"x"));
    assert!(matches!(lower.compose(), Err(ComposeError::Bundle(_))));
}

proptest! {
    #[test]
    fn any_words_compose_to_a_strict_bundle(
        description in "\\PC{1,80}|[a-z:#'\"\\[{&*!|>%@` \n-]{1,60}",
        title in proptest::option::of("\\PC{1,40}"),
        license in proptest::option::of("[ -~]{1,20}"),
        prompts in proptest::collection::vec("\\PC{1,40}", 0..3),
        body in "[a-z#\n -]{0,60}",
    ) {
        let mut draft = Draft::new(name("my-skill"), description.clone());
        draft.title = title.filter(|title| !title.trim().is_empty());
        draft.license = license.filter(|license| !license.trim().is_empty());
        draft.example_prompts = prompts.into_iter().filter(|prompt| !prompt.trim().is_empty()).collect();
        draft.body = body;
        match draft.compose() {
            Ok(bundle) => {
                let refused: Vec<_> = verdicts(&bundle, Some("my-skill"))
                    .into_iter()
                    .filter(|verdict| verdict.client.as_str() == "reference" && verdict.outcome != Outcome::Loads)
                    .collect();
                prop_assert_eq!(refused, vec![], "{}", text(&bundle, SKILL_FILE));
            }
            Err(error) => prop_assert!(description.trim().is_empty(), "{description:?}: {error}"),
        }
    }
}
