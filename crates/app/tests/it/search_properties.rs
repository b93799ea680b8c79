//! What holds for any library, any caller and any request.

use std::collections::BTreeSet;

use app::PageRequest;
use app::search::{SearchSkills, find};
use app::skills::{CreateSkill, Decision, ListSkills, decide, delete, list, set_enabled};
use model::{Caller, Role, Scope, SkillId, Transition};
use proptest::prelude::*;
use testkit::app::spec_with;
use testkit::{CallerExt as _, TestApp};

const WORDS: &[&str] = &[
    "interest",
    "loan",
    "bread",
    "oven",
    "invoice",
    "weather",
    "release",
    "notes",
    "git",
    "image",
    "résumé",
    "数据",
    "calculate",
    "write",
    "send",
    "the",
    "of",
];

#[derive(Debug, Clone)]
struct Made {
    name: usize,
    rung: usize,
    owner: usize,
    agent: usize,
    words: Vec<usize>,
    fate: Fate,
}

#[derive(Debug, Clone, Copy)]
enum Fate {
    Active,
    Draft,
    Archived,
    Off,
    Deleted,
}

fn made() -> impl Strategy<Value = Made> {
    let fate = prop_oneof![
        4 => Just(Fate::Active),
        1 => Just(Fate::Draft),
        1 => Just(Fate::Archived),
        1 => Just(Fate::Off),
        1 => Just(Fate::Deleted),
    ];
    let words = prop::collection::vec(0..WORDS.len(), 1..8);
    (0_usize..6, 0_usize..4, 0_usize..3, 0_usize..2, words, fate)
        .prop_map(|(name, rung, owner, agent, words, fate)| Made { name, rung, owner, agent, words, fate })
}

fn query() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(WORDS), 1..6).prop_map(|words| words.join(" ")),
        1 => "\\PC{1,40}".prop_filter("there must be something in it", |text| !text.trim().is_empty()),
    ]
}

fn sentence(words: &[usize]) -> String {
    words.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(" ")
}

fn everything(query: &str, nearest: bool) -> SearchSkills {
    SearchSkills {
        query: query.to_owned(),
        nearest: Some(nearest),
        min_similarity: Some(0.0),
        limit: Some(100),
        ..SearchSkills::default()
    }
}

async fn hits(app: &TestApp, caller: &Caller, query: &str, nearest: bool) -> Vec<(SkillId, f64, String)> {
    let found = find(&app.cx, caller, everything(query, nearest)).await.unwrap();
    found.skills.into_iter().map(|hit| (hit.record.skill.id, hit.similarity, hit.sentence)).collect()
}

fn ids(hits: &[(SkillId, f64, String)]) -> Vec<SkillId> {
    hits.iter().map(|(id, ..)| *id).collect()
}

async fn listed(app: &TestApp, caller: &Caller, nearest: bool) -> BTreeSet<SkillId> {
    let page = PageRequest { limit: 200, after: None };
    let (page, _) =
        list(&app.cx, caller, ListSkills { nearest, page, ..ListSkills::default() }).await.unwrap();
    page.items.iter().map(|record| record.skill.id).collect()
}

/// Puts a skill in as the operator and lets its fate come over it; a name that is taken is left alone.
async fn put(app: &TestApp, admin: &Caller, scope: Scope, made: &Made) {
    let name = format!("skill-{}", made.name);
    let request = spec_with(&name, |draft| {
        draft.description = format!("Does {}.", sentence(&made.words));
        draft.body = sentence(&made.words.iter().rev().copied().collect::<Vec<_>>());
        draft.example_prompts = vec![sentence(&made.words)];
    });
    let draft = matches!(made.fate, Fate::Draft);
    let request = CreateSkill { scope: Some(scope), draft, ..request };
    let Ok(published) = app::skills::create(&app.cx, admin, request, None).await else { return };
    let id = published.record.skill.id;
    match made.fate {
        Fate::Active | Fate::Draft => {}
        Fate::Archived => drop(decide(&app.cx, admin, id, Decision::new(Transition::Archive)).await.unwrap()),
        Fate::Off => drop(set_enabled(&app.cx, admin, id, false, None).await.unwrap()),
        Fate::Deleted => drop(delete(&app.cx, admin, id, None, None).await.unwrap()),
    }
}

async fn hold(library: Vec<Made>, queries: Vec<String>, later: Made) {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let people =
        [app.user("alice", &[]).await, app.user("bob", &[]).await, app.user("rita", &[Role::Reviewer]).await];
    let agents = [app.agent("one").await, app.agent("two").await];
    for made in &library {
        let (user, agent) = (people[made.owner].user, agents[made.agent].id);
        let scope = [Scope::Workspace, Scope::Agent(agent), Scope::User(user), Scope::AgentUser(agent, user)]
            [made.rung];
        put(&app, &admin, scope, made).await;
    }
    let there = app.workspace("other").await;
    put(&app, &there, Scope::Workspace, &later).await;
    let callers: Vec<Caller> = people
        .iter()
        .chain([&admin])
        .flat_map(|person| [person.clone(), person.through(&agents[0]), person.through(&agents[1])])
        .collect();
    let mut before = Vec::new();
    for query in &queries {
        for caller in &callers {
            for nearest in [false, true] {
                let found = hits(&app, caller, query, nearest).await;
                let shown = listed(&app, caller, nearest).await;
                let unique: BTreeSet<_> = ids(&found).into_iter().collect();
                assert_eq!(unique.len(), found.len(), "nothing is found twice");
                assert!(unique.is_subset(&shown), "{query:?} {caller:?} {nearest}");
                if !found.is_empty() {
                    assert_eq!(
                        unique, shown,
                        "without a gate everything is found: {query:?} {caller:?} {nearest}"
                    );
                }
                assert!(found.iter().all(|(_, similarity, _)| (0.0..=1.0).contains(similarity)));
                assert!(found.is_sorted_by(|left, right| left.1 >= right.1));
                assert_eq!(hits(&app, caller, query, nearest).await, found, "the same twice is the same");
                before.push(found);
            }
        }
    }
    // What another workspace or another user has moves nothing; what all can see reorders nothing.
    put(&app, &there, Scope::Workspace, &Made { name: 90, fate: Fate::Active, ..later.clone() }).await;
    let stranger = app.user("stranger", &[]).await;
    put(&app, &admin, Scope::User(stranger.user), &Made { name: 91, fate: Fate::Active, ..later.clone() })
        .await;
    let mut known = before.iter();
    for query in &queries {
        for caller in &callers {
            for nearest in [false, true] {
                let (was, found) = (known.next().unwrap(), hits(&app, caller, query, nearest).await);
                if app_sees_all(caller) && !nearest {
                    let kept: Vec<_> = ids(&found).into_iter().filter(|id| ids(was).contains(id)).collect();
                    assert_eq!(kept, ids(was));
                } else {
                    assert_eq!(&found, was, "{query:?} {caller:?}");
                }
            }
        }
    }
    put(&app, &admin, Scope::Workspace, &Made { name: 92, fate: Fate::Active, ..later }).await;
    let mut known = before.iter();
    for query in &queries {
        for caller in &callers {
            for nearest in [false, true] {
                let (was, found) = (ids(known.next().unwrap()), hits(&app, caller, query, nearest).await);
                let kept: Vec<_> = ids(&found).into_iter().filter(|id| was.contains(id)).collect();
                assert_eq!(kept, was, "{query:?} {caller:?}");
            }
        }
    }
}

/// Those who manage or review see the stranger's skill as well.
fn app_sees_all(caller: &Caller) -> bool {
    caller.agent.is_none() && (caller.roles.has(Role::Admin) || caller.roles.has(Role::Reviewer))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_search_shows_what_a_list_shows_and_nothing_moves_for_others(
        library in prop::collection::vec(made(), 0..20),
        queries in prop::collection::vec(query(), 1..3),
        later in made(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(hold(library, queries, later));
    }
}
