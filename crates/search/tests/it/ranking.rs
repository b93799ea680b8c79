//! What a person would expect to be found, and what not.

use repertoire_search::{Filter, Query, View, Wanted, Why};

use crate::library::{Skill, index};

fn similarity(query: &str, skill: &Skill) -> f32 {
    let wanted = Wanted { limit: 1, floor: 0.0, nearest: false, collapse: false };
    let found =
        index(std::slice::from_ref(skill)).search(&Query::new(query), View::All, &Filter::default(), wanted);
    found.first().map_or(0.0, |hit| hit.similarity)
}

#[test]
fn interest_calculation_is_found_and_image_processing_is_not() {
    let skill = Skill::new(1, "compound-interest", "Calculate compound interest on a principal");
    assert!(similarity("interest calculation", &skill) >= 0.8);
    assert!(similarity("image processing", &skill) < 0.7);
}

#[test]
fn the_parts_of_an_identifier_are_words() {
    let skill = Skill::new(1, "calculate_revenue_growth", "Compares two quarters");
    assert!(similarity("revenue growth", &skill) >= 0.7);
    let sentence = why("revenue growth", skill).sentence(&[]);
    assert!(sentence.starts_with("“revenue” and “growth” stand in its name"), "{sentence}");
}

fn why(query: &str, skill: Skill) -> Why {
    let wanted = Wanted { limit: 1, floor: 0.0, nearest: false, collapse: false };
    let mut found = index(&[skill]).search(&Query::new(query), View::All, &Filter::default(), wanted);
    found.remove(0).why
}

fn named(why: &Why) -> Vec<&str> {
    why.words.iter().map(|word| word.word.as_str()).collect()
}

#[test]
fn what_speaks_for_a_skill_names_no_word_that_stands_everywhere() {
    let skill = Skill::new(1, "tables-from-pdf", "Takes the tables out of a PDF, for a report");
    let why = why("I want to take the tables of a PDF to an invoice, with it", skill);
    assert_eq!(named(&why), ["take", "tables", "pdf"]);
    assert_eq!(why.missing, ["want", "invoice"]);
    let sentence = why.sentence(&[]);
    assert!(
        sentence.starts_with("“take”, “tables” and “pdf” stand in its name and description"),
        "{sentence}"
    );
}

#[test]
fn a_request_of_such_words_alone_is_told_by_them() {
    let why = why("the who", Skill::new(1, "who-is-who", "Says who the people are"));
    assert_eq!(named(&why), ["the", "who"]);
    assert!(why.missing.is_empty());
}

#[test]
fn an_example_prompt_that_is_the_request_decides() {
    let mut skill = Skill::new(1, "ledger", "Keeps books");
    let without = similarity("how much did we earn last month", &skill);
    skill.examples = vec!["what is the weather".to_owned(), "how much did we earn last month?".to_owned()];
    let with = similarity("how much did we earn last month", &skill);
    assert!(with >= 0.8 && with > without + 0.2, "{without} {with}");
}

#[test]
fn nothing_is_found_for_nothing() {
    let skill = Skill::new(1, "ledger", "Keeps books");
    assert!(similarity("", &skill) < f32::EPSILON);
    assert!(similarity("… !", &skill) < f32::EPSILON);
    assert!(similarity("qwxzjk vvbnmq", &skill) < 0.5);
}

/// The numbers that the fit was made with come out here too.
#[test]
fn signals_agree_with_the_fit() {
    let golden: Vec<serde_json::Value> = serde_json::from_str(include_str!("golden.json")).unwrap();
    assert!(golden.len() >= 30);
    for case in &golden {
        let texts = |key: &str| -> Vec<String> {
            let list = case["skill"][key].as_array().unwrap();
            list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        let text = |key: &str| case["skill"][key].as_str().unwrap();
        let mut skill = Skill::new(1, text("name"), text("description"));
        (skill.tags, skill.examples, skill.body) =
            (texts("tags"), texts("examples"), text("body").to_owned());
        let query = Query::new(case["query"].as_str().unwrap());
        let wanted = Wanted { limit: 1, floor: 0.0, nearest: false, collapse: false };
        let found = index(&[skill]).search(&query, View::All, &Filter::default(), wanted);
        let Some(hit) = found.first() else {
            assert_eq!(case["rarity"].as_f64(), Some(0.0), "{case}");
            continue;
        };
        let signals = hit.why.signals;
        let near = |got: f32, key: &str, tolerance: f64| {
            let wanted = case[key].as_f64().unwrap_or_default();
            assert!((f64::from(got) - wanted).abs() < tolerance, "{key}: {got} in {case:#}");
        };
        near(query.rarity(), "rarity", 0.02);
        near(signals.lexical, "lexical", 0.02);
    }
}
