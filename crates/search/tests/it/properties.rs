//! What holds for every library, caller and query.

use proptest::prelude::*;
use repertoire_search::{Filter, Hit, Index, Query, Scale, Vector, Vectors, View, Wanted};

use crate::library::{Skill, index, library, phrase, view};

const EVERYTHING: Wanted = Wanted { limit: 1_000, floor: 0.0, nearest: false, collapse: false };

fn all(index: &Index, query: &str, view: View, filter: &Filter) -> Vec<Hit> {
    index.search(&Query::new(query), view, filter, EVERYTHING)
}

fn nearest(index: &Index, query: &str, view: View) -> Vec<Hit> {
    let wanted = Wanted { nearest: true, ..EVERYTHING };
    index.search(&Query::new(query), view, &Filter::default(), wanted)
}

fn ids(hits: &[Hit]) -> Vec<model::SkillId> {
    hits.iter().map(|hit| hit.id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nobody_finds_what_they_cannot_see((skills, view, query) in (library(), view(), phrase())) {
        let found = ids(&all(&index(&skills), &query, view, &Filter::default()));
        let mut visible: Vec<_> = skills.iter().filter(|skill| skill.is_visible(view)).map(Skill::id).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        visible.sort_unstable();
        // Without a gate everything that can be seen is found, and nothing else.
        prop_assert_eq!(sorted, visible);
    }

    #[test]
    fn what_others_have_does_not_show((skills, view, query) in (library(), view(), phrase())) {
        let own: Vec<_> = skills.iter().filter(|skill| skill.is_visible(view)).cloned().collect();
        let found = |skills: &[Skill]| match view {
            View::All => all(&index(skills), &query, view, &Filter::default()),
            View::User(_) | View::Place(..) => nearest(&index(skills), &query, view),
        };
        prop_assert_eq!(found(&skills), found(&own));
    }

    #[test]
    fn one_skill_more_does_not_reorder_the_others((skills, query) in (library(), phrase())) {
        let before = all(&index(&skills), &query, View::All, &Filter::default());
        let mut more = skills.clone();
        more.push(Skill::new(9_999, "zebra", "Counts zebras at the zoo"));
        let mut after = all(&index(&more), &query, View::All, &Filter::default());
        let added = Skill::new(9_999, "", "").id();
        let is_ahead = after.iter().take(2).any(|hit| hit.id == added);
        after.retain(|hit| hit.id != added);
        prop_assert_eq!(ids(&before), ids(&after));
        // Unless it is one of the two best, it does not even change what the others score.
        if !is_ahead {
            prop_assert_eq!(before, after);
        }
    }

    #[test]
    fn the_way_it_came_to_be_does_not_matter((skills, query, order) in (library(), phrase(), any::<u64>())) {
        let wanted = all(&index(&skills), &query, View::All, &Filter::default());
        let mut shuffled = skills.clone();
        let length = shuffled.len().max(1) as u64;
        for place in 0..shuffled.len() {
            let other = usize::try_from(order.wrapping_mul(place as u64 + 7) % length).unwrap();
            shuffled.swap(place, other);
        }
        let mut other = index(&shuffled);
        for skill in &skills {
            other.put(&Skill { description: "something else for a while".to_owned(), ..skill.clone() }.prepared());
        }
        for skill in &skills {
            other.put(&skill.prepared());
        }
        prop_assert_eq!(wanted, all(&other, &query, View::All, &Filter::default()));
    }

    #[test]
    fn the_nearest_usable_skill_of_a_name_wins((skills, view, query) in (library(), view(), phrase())) {
        let found = ids(&nearest(&index(&skills), &query, view));
        for skill in skills.iter().filter(|skill| skill.is_visible(view)) {
            let hidden = skills.iter().any(|other| {
                other.is_visible(view)
                    && other.is_usable()
                    && other.name == skill.name
                    && other.scope.nearness() > skill.scope.nearness()
            });
            prop_assert_eq!(found.contains(&skill.id()), skill.is_usable() && !hidden);
        }
    }

    #[test]
    fn what_is_taken_out_is_gone((skills, query) in (library(), phrase())) {
        let mut index = index(&skills);
        for skill in skills.iter().step_by(2) {
            index.remove(skill.id());
        }
        let found = ids(&all(&index, &query, View::All, &Filter::default()));
        for (place, skill) in skills.iter().enumerate() {
            prop_assert_eq!(found.contains(&skill.id()), place % 2 == 1);
        }
        prop_assert_eq!(index.len(), skills.len() / 2);
    }

    #[test]
    fn similarity_is_between_0_and_1_and_falls((skills, query) in (library(), ".{0,60}")) {
        let hits = all(&index(&skills), &query, View::All, &Filter::default());
        prop_assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.similarity)));
        prop_assert!(hits.is_sorted_by(|left, right| left.similarity >= right.similarity));
    }

    #[test]
    fn a_limit_takes_the_best_and_a_floor_cuts_below((skills, query, limit) in (library(), phrase(), 1_usize..10)) {
        let index = index(&skills);
        let all = all(&index, &query, View::All, &Filter::default());
        let few = Wanted { limit, floor: 0.5, nearest: false, collapse: false };
        let few = index.search(&Query::new(&query), View::All, &Filter::default(), few);
        let wanted: Vec<_> = all.into_iter().filter(|hit| hit.similarity >= 0.5).take(limit).collect();
        prop_assert_eq!(few, wanted);
    }
}

/// What another embedder made stays with its skill while others come and go, whatever it has of wrong sizes.
#[test]
fn vectors_of_another_embedder_stay_with_their_skill() {
    let vector = |numbers: [f32; 3]| Vector::new(&numbers);
    let skills: Vec<_> =
        (1..=400).map(|id| Skill::new(id, &format!("skill-{id}"), "Does something")).collect();
    let mut index = index(&skills);
    for skill in &skills {
        let first = skill.id == 7;
        let own = vector(if first { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] });
        index.put_vectors(skill.id(), &Vectors::new([own, vector([0.0, 0.0, 1.0])]));
    }
    let stray = Skill::new(999, "stray", "Does something");
    index.put(&stray.prepared());
    index.put_vectors(stray.id(), &Vectors::new([Vector::new(&[1.0, 0.0])]));
    for skill in skills.iter().filter(|skill| skill.id % 2 == 0) {
        index.put(&skill.prepared());
    }
    let query = Query::of_words("zzz").with_vector(vector([1.0, 0.1, 0.0]).unwrap(), Scale::BUILT_IN);
    let found = index.search(&query, View::All, &Filter::default(), EVERYTHING);
    assert_eq!(found.len(), 401);
    assert_eq!(found[0].id, skills[6].id());
    let with_vectors = found.iter().filter(|hit| hit.why.signals.cosine.is_some()).count();
    // The changed ones and the stray wait for their vectors.
    assert_eq!((with_vectors, index.count_without_vectors()), (200, 201));
}

/// A shelf that is large enough to keep postings ranks as many small ones would.
#[test]
fn a_large_shelf_ranks_like_a_small_one() {
    let words = ["invoice", "refund", "loan", "photo", "weather", "deploy", "chart"];
    let skill = |number: u128| {
        let word = |step: u128| words[usize::try_from((number / step) % 7).unwrap()];
        Skill::new(number + 1, word(1), &format!("{} the {} with {}", word(7), word(49), word(3)))
    };
    let skills: Vec<_> = (0..3_000).map(skill).collect();
    let large = index(&skills);
    let wanted = Wanted { limit: 5_000, floor: 0.0, nearest: false, collapse: false };
    let query = Query::new("deploy the weather chart");
    let found = large.search(&query, View::All, &Filter::default(), wanted);
    assert_eq!(found.len(), 3_000);
    for hit in found.iter().step_by(97) {
        let skill = skills.iter().find(|skill| skill.id() == hit.id).unwrap();
        let alone = index(std::slice::from_ref(skill));
        let alone = alone.search(&query, View::All, &Filter::default(), wanted);
        assert_eq!(alone.first().map(|hit| &hit.why), Some(&hit.why));
    }
}

#[test]
fn skills_that_are_nearly_the_same_are_shown_once() {
    let text = "Calculates compound interest on a principal over a number of years";
    let mut copy = Skill::new(2, "compound-interest", text);
    copy.scope = model::Scope::User(crate::library::user(0));
    let skills = [
        Skill::new(1, "compound-interest", text),
        copy,
        Skill::new(3, "loan-plan", "Plans a loan with interest"),
    ];
    let wanted = Wanted { limit: 10, floor: 0.0, nearest: false, collapse: true };
    let found =
        index(&skills).search(&Query::new("compound interest"), View::All, &Filter::default(), wanted);
    assert_eq!(ids(&found), [skills[0].id(), skills[2].id()]);
    assert_eq!(found[0].alike, [skills[1].id()]);
}

#[test]
fn filters_narrow() {
    let mut tagged = Skill::new(1, "invoice", "Writes an invoice");
    tagged.tags = vec!["finance".to_owned(), "pdf".to_owned()];
    let skills = [tagged, Skill::new(2, "refund", "Writes an invoice for a refund")];
    let index = index(&skills);
    let narrowed = |filter: Filter| ids(&all(&index, "invoice", View::All, &filter));
    let tags = |tags: &[&str]| Filter {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..Filter::default()
    };
    assert_eq!(narrowed(tags(&["finance", "pdf"])), [skills[0].id()]);
    assert_eq!(narrowed(tags(&["finance", "csv"])), []);
    assert_eq!(narrowed(Filter { scope: Some(model::ScopeKind::User), ..Filter::default() }), []);
    assert_eq!(narrowed(Filter { status: Some(model::Status::Draft), ..Filter::default() }), []);
}
