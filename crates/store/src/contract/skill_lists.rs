//! Lists of skills: what each filter narrows to.

use std::sync::Arc;

use model::{Facets, Feedback, Origin, Scope, ScopeKind, Skill, Statistics, Status};

use super::World;
use super::samples::{self, moment, name};
use crate::{Facet, SkillFilter, SkillOrder, SkillQuery, Store, Visibility};

fn words(words: &[&str]) -> SkillFilter {
    SkillFilter { words: words.iter().map(|&word| word.to_owned()).collect(), ..SkillFilter::default() }
}

pub async fn an_empty_filter_shows_all_but_deleted(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    assert_eq!(world.found(SkillFilter::default()).await.len(), 0);
    let mut skills: Vec<_> = Status::ALL
        .iter()
        .map(|&status| Skill { status, ..world.skill(&status.as_str().replace('_', "-")) })
        .collect();
    skills.push(Skill { enabled: false, ..world.skill("off") });
    skills.push(Skill { deleted_at: Some(moment(9)), ..world.skill("deleted") });
    world.add(&skills.iter().collect::<Vec<_>>()).await;
    assert_eq!(
        world.found(SkillFilter::default()).await,
        ["active", "archived", "draft", "off", "pending-approval", "rejected"]
    );
}

pub async fn words_must_all_stand_somewhere(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let one = Skill {
        title: "Quarterly Report".to_owned(),
        description: "Sums revenue".to_owned(),
        tags: vec!["Finance".to_owned()],
        ..world.skill("sum-up")
    };
    let two = Skill { title: "Weekly report".to_owned(), ..world.skill("weekly") };
    world.add(&[&one, &two]).await;
    for (given, expected) in [
        (&["report"][..], &["sum-up", "weekly"][..]),
        (&["REPORT", "quarter"], &["sum-up"]),
        (&["sum-up"], &["sum-up"]),
        (&["revenue", "finance", "sum"], &["sum-up"]),
        (&["revenue", "weekly"], &[]),
        (&["uarterl"], &["sum-up"]),
        (&["quarterly report"], &["sum-up"]),
        (&[""], &["sum-up", "weekly"]),
        (&["absent"], &[]),
    ] {
        assert_eq!(world.found(words(given)).await, expected, "{given:?}");
    }
}

pub async fn words_are_taken_literally(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for (called, title) in [
        ("percent", "100% sure"),
        ("letters", "100 percent"),
        ("underscore", "snake_case"),
        ("hyphen", "snake-case"),
        ("backslash", r"C:\dir"),
        ("slash", "C:/dir"),
        ("quote", "it's"),
        ("star", "a*b"),
    ] {
        world.add(&[&Skill { title: title.to_owned(), ..world.skill(called) }]).await;
    }
    for (word, expected) in [
        ("100%", "percent"),
        ("%", "percent"),
        ("snake_case", "underscore"),
        ("_", "underscore"),
        (r"c:\d", "backslash"),
        ("\\", "backslash"),
        ("'", "quote"),
        ("a*b", "star"),
        (r"\%", ""),
        (r"100\%", ""),
        ("?", ""),
    ] {
        let expected: Vec<_> = [expected].into_iter().filter(|name| !name.is_empty()).collect();
        assert_eq!(world.found(words(&[word])).await, expected, "{word:?}");
    }
}

pub async fn words_fold_case_in_every_script(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for (called, title) in [
        ("german", "Größe ÄNDERN"),
        ("greek", "ΟΔΥΣΣΕΥΣ πάει"),
        ("russian", "Привет МИР"),
        ("turkish", "İzmir"),
    ] {
        world.add(&[&Skill { title: title.to_owned(), ..world.skill(called) }]).await;
    }
    for (word, expected) in [
        ("ändern", "german"),
        ("GRÖSSE", "german"),
        ("größe", "german"),
        ("οδυσσευς", "greek"),
        ("ΟΔΥΣ", "greek"),
        ("ΠΆΕΙ", "greek"),
        ("мир", "russian"),
        ("ПРИВЕТ", "russian"),
        ("İZM", "turkish"),
        ("zm", "turkish"),
    ] {
        assert_eq!(world.found(words(&[word])).await, [expected], "{word}");
    }
}

pub async fn a_tag_matches_exactly(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let tagged = |called: &str, tags: &[&str]| Skill {
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..world.skill(called)
    };
    world
        .add(&[
            &tagged("one", &["data", "sql"]),
            &tagged("two", &["Data"]),
            &tagged("three", &["data-science"]),
        ])
        .await;
    let with = |tag: &str| SkillFilter { tag: Some(tag.to_owned()), ..SkillFilter::default() };
    assert_eq!(world.found(with("data")).await, ["one"]);
    assert_eq!(world.found(with("Data")).await, ["two"]);
    assert_eq!(world.found(with("sql")).await, ["one"]);
    assert_eq!(world.found(with("dat")).await.len(), 0);
}

pub async fn status_enabled_origin_and_scope_narrow(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let agent = world.add_agent("agent").await.id;
    for &status in Status::ALL {
        let called = format!("status-{}", status.as_str().replace('_', "-"));
        world.add(&[&Skill { status, ..world.skill(&called) }]).await;
    }
    for &origin in Origin::ALL {
        world.add(&[&Skill { origin, ..world.skill(&format!("origin-{origin}")) }]).await;
    }
    let user = world.ada;
    for scope in [Scope::Agent(agent), Scope::User(user), Scope::AgentUser(agent, user)] {
        let called = format!("scope-{}", scope.kind().as_str().replace('_', "-"));
        world.add(&[&Skill { scope, ..world.skill(&called) }]).await;
    }
    world.add(&[&Skill { enabled: false, ..world.skill("off") }]).await;
    let all = world.found(SkillFilter::default()).await.len();
    for &status in Status::ALL {
        let found = world.found(SkillFilter { status: Some(status), ..SkillFilter::default() }).await;
        let expected = if status == Status::Active { all - 4 } else { 1 };
        assert_eq!(found.len(), expected, "{status}");
    }
    for &origin in Origin::ALL {
        let found = world.found(SkillFilter { origin: Some(origin), ..SkillFilter::default() }).await;
        assert!(found.contains(&format!("origin-{origin}")));
        assert!(origin == Origin::User || found.len() == 1, "{origin}");
    }
    for &scope in ScopeKind::ALL {
        let found = world.found(SkillFilter { scope: Some(scope), ..SkillFilter::default() }).await;
        assert_eq!(found.len(), if scope == ScopeKind::Workspace { all - 3 } else { 1 }, "{scope}");
    }
    assert_eq!(world.found(SkillFilter { enabled: Some(false), ..SkillFilter::default() }).await, ["off"]);
    assert_eq!(
        world.found(SkillFilter { enabled: Some(true), ..SkillFilter::default() }).await.len(),
        all - 1
    );
}

pub async fn owners_narrow(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (one, two) = (world.add_agent("one").await.id, world.add_agent("two").await.id);
    for (called, scope) in [
        ("shared", Scope::Workspace),
        ("of-one", Scope::Agent(one)),
        ("of-two", Scope::Agent(two)),
        ("of-ada", Scope::User(world.ada)),
        ("of-ada-on-one", Scope::AgentUser(one, world.ada)),
        ("of-bob-on-one", Scope::AgentUser(one, world.bob)),
    ] {
        world.add(&[&Skill { scope, ..world.skill(called) }]).await;
    }
    let agent = SkillFilter { agent: Some(one), ..SkillFilter::default() };
    let user = SkillFilter { user: Some(world.ada), ..SkillFilter::default() };
    let both = SkillFilter { agent: Some(one), user: Some(world.ada), ..SkillFilter::default() };
    assert_eq!(world.found(agent).await, ["of-ada-on-one", "of-bob-on-one", "of-one"]);
    assert_eq!(world.found(user).await, ["of-ada", "of-ada-on-one"]);
    assert_eq!(world.found(both).await, ["of-ada-on-one"]);
}

pub async fn facets_narrow(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for bits in 0_u8..8 {
        let [instructions, procedure, policy] = [1, 2, 4].map(|bit| bits & bit != 0);
        let facets = Facets { instructions, procedure, policy };
        world.add(&[&Skill { facets, ..world.skill(&format!("f{bits}")) }]).await;
    }
    for (facet, expected) in [
        (Facet::Instructions, ["f1", "f3", "f5", "f7"]),
        (Facet::Procedure, ["f2", "f3", "f6", "f7"]),
        (Facet::Policy, ["f4", "f5", "f6", "f7"]),
    ] {
        assert_eq!(world.found(SkillFilter { facet: Some(facet), ..SkillFilter::default() }).await, expected);
    }
}

pub async fn a_name_matches_exactly(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let mine = Skill { scope: Scope::User(world.ada), ..world.skill("report") };
    world.add(&[&world.skill("report"), &mine, &world.skill("report-2"), &world.skill("my-report")]).await;
    let called = |text| SkillFilter { name: Some(name(text)), ..SkillFilter::default() };
    assert_eq!(world.found(called("report")).await, ["report", "report"]);
    assert_eq!(world.found(called("repor")).await.len(), 0);
}

pub async fn waiting_is_what_someone_has_to_decide(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for &status in Status::ALL {
        let called = status.as_str().replace('_', "-");
        world.add(&[&Skill { status, ..world.skill(&called) }]).await;
    }
    let promoted = Skill {
        scope: Scope::User(world.ada),
        promotion: Some(Scope::Workspace),
        ..world.skill("wants-to-be-shared")
    };
    let deleted =
        Skill { status: Status::PendingApproval, deleted_at: Some(moment(9)), ..world.skill("deleted") };
    world.add(&[&promoted, &deleted]).await;
    assert_eq!(
        world.found(SkillFilter { waiting: true, ..SkillFilter::default() }).await,
        ["draft", "pending-approval", "wants-to-be-shared"]
    );
}

pub async fn deleted_shows_only_what_can_be_brought_back(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let deleted = |scope| Skill { scope, deleted_at: Some(moment(9)), ..world.skill("gone") };
    world.add(&[&world.skill("alive"), &deleted(Scope::Workspace), &deleted(Scope::User(world.bob))]).await;
    let filter = SkillFilter { deleted: true, ..SkillFilter::default() };
    assert_eq!(world.found(filter.clone()).await, ["gone", "gone"]);
    let visibility = Visibility::Of { user: world.ada, agent: None };
    assert_eq!(world.names(&SkillQuery { filter, visibility, ..world.query() }).await, ["gone"]);
}

pub async fn filters_combine(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let agent = world.add_agent("agent").await.id;
    let wanted = Skill {
        scope: Scope::AgentUser(agent, world.ada),
        origin: Origin::Learned,
        status: Status::PendingApproval,
        enabled: false,
        title: "Make Coffee".to_owned(),
        tags: vec!["kitchen".to_owned()],
        facets: Facets { procedure: true, ..Facets::default() },
        ..world.skill("wanted")
    };
    let tea = |called: &str| Skill { title: "Make tea".to_owned(), ..world.skill(called) };
    let similar = [
        Skill { id: samples::skill_id(), name: name("other-name"), ..wanted.clone() },
        Skill { tags: vec!["kitchen".to_owned()], ..tea("tagged") },
        Skill { status: Status::PendingApproval, enabled: false, ..tea("pending") },
    ];
    world.add(&[&wanted]).await;
    world.add(&similar.iter().collect::<Vec<_>>()).await;
    let filter = SkillFilter {
        words: vec!["coffee".to_owned(), "kitchen".to_owned()],
        tag: Some("kitchen".to_owned()),
        status: Some(Status::PendingApproval),
        enabled: Some(false),
        origin: Some(Origin::Learned),
        scope: Some(ScopeKind::AgentUser),
        agent: Some(agent),
        user: Some(world.ada),
        facet: Some(Facet::Procedure),
        name: Some(name("wanted")),
        waiting: true,
        deleted: false,
        nearest: false,
        or_disabled: false,
    };
    let visibility = Visibility::Of { user: world.ada, agent: Some(agent) };
    let mut query = SkillQuery { filter, visibility, ..world.query() };
    for order in [SkillOrder::Name, SkillOrder::Updated, SkillOrder::Created] {
        query.order = order;
        assert_eq!(world.names(&query).await, ["wanted"]);
    }
    query.filter.name = None;
    assert_eq!(world.names(&query).await.len(), 2);
    for filter in [
        SkillFilter { enabled: Some(true), ..query.filter.clone() },
        SkillFilter { user: Some(world.bob), ..query.filter.clone() },
        SkillFilter { facet: Some(Facet::Policy), ..query.filter.clone() },
        SkillFilter { deleted: true, ..query.filter.clone() },
        SkillFilter { nearest: true, ..query.filter.clone() },
    ] {
        assert_eq!(world.names(&SkillQuery { filter, ..query.clone() }).await.len(), 0);
    }
}

pub async fn the_count_knows_nothing_of_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    for n in 0..5 {
        world.add(&[&world.skill(&format!("s{n}"))]).await;
    }
    let mut query = SkillQuery { limit: 2, ..world.query() };
    let mut tx = world.read().await;
    let page = tx.skills(&query).await.unwrap();
    assert_eq!(page.len(), 2);
    query.after = Some(crate::SkillCursor::Name(page[1].skill.name.clone(), page[1].skill.id));
    assert_eq!(tx.count_skills(&query).await.unwrap(), 5);
    query.limit = 0;
    assert_eq!(tx.skills(&query).await.unwrap(), []);
}

pub async fn tags_are_counted_over_what_can_be_seen(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let tagged = |called: &str, scope, tags: &[&str]| Skill {
        scope,
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..world.skill(called)
    };
    let deleted = Skill { deleted_at: Some(moment(9)), ..tagged("gone", Scope::Workspace, &["a", "gone"]) };
    world
        .add(&[
            &tagged("one", Scope::Workspace, &["b", "a", "ä", "a"]),
            &tagged("two", Scope::Workspace, &["a", "B"]),
            &tagged("three", Scope::User(world.bob), &["a", "secret"]),
            &deleted,
        ])
        .await;
    let counted = |pairs: &[(&str, u64)]| -> Vec<(String, u64)> {
        pairs.iter().map(|&(tag, count)| (tag.to_owned(), count)).collect()
    };
    let mut tx = world.read().await;
    assert_eq!(
        tx.tags(world.workspace, Visibility::All).await.unwrap(),
        counted(&[("B", 1), ("a", 3), ("b", 1), ("secret", 1), ("ä", 1)])
    );
    let ada = Visibility::Of { user: world.ada, agent: None };
    assert_eq!(
        tx.tags(world.workspace, ada).await.unwrap(),
        counted(&[("B", 1), ("a", 2), ("b", 1), ("ä", 1)])
    );
}

pub async fn records_carry_their_statistics(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (used, unused) = (world.skill("used"), world.skill("unused"));
    world.add(&[&used, &unused]).await;
    let statistics = Statistics {
        use_count: 3,
        success_count: 2,
        failure_count: 1,
        recent_success_rate: Some(1.0),
        last_used_at: Some(moment(9)),
        helpful_count: 1,
        unhelpful_count: 0,
    };
    let feedback = Feedback { skill: used.id, user: world.bob, helpful: true, comment: None, at: moment(5) };
    let mut tx = world.begin().await;
    tx.put_statistics(world.workspace, used.id, &statistics).await.unwrap();
    tx.put_feedback(world.workspace, &feedback).await.unwrap();
    tx.commit().await.unwrap();
    let found = world.read().await.skills(&world.query()).await.unwrap();
    assert_eq!((&found[0].skill, &found[0].statistics), (&unused, &Statistics::default()));
    assert_eq!((&found[1].skill, &found[1].statistics), (&used, &statistics));
}

pub async fn groups_know_their_owners(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let helper = world.add_agent("helper").await;
    let at = |name: &str, scope| Skill { scope, ..world.skill(name) };
    let deleted = Skill { deleted_at: Some(moment(9)), ..world.skill("gone") };
    world
        .add(&[
            &world.skill("a"),
            &world.skill("b"),
            &at("c", Scope::User(world.bob)),
            &at("d", Scope::Agent(helper.id)),
            &at("e", Scope::AgentUser(helper.id, world.ada)),
            &deleted,
        ])
        .await;
    let groups = world.read().await.group_skills(&world.query()).await.unwrap();
    let mut told: Vec<_> = groups
        .iter()
        .map(|group| {
            let agent = group.agent.as_ref().map_or("", model::SkillName::as_str);
            let user = group.user.as_ref().map_or("", model::Handle::as_str);
            (group.scope.kind().as_str(), agent, user, group.count)
        })
        .collect();
    told.sort_unstable();
    let wanted = [
        ("agent", "helper", "", 1),
        ("agent_user", "helper", "ada", 1),
        ("user", "", "bob", 1),
        ("workspace", "", "", 2),
    ];
    assert_eq!(told, wanted);
}

pub async fn control_characters_in_a_filter_find_nothing_and_break_nothing(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    world.add(&[&world.skill("skill")]).await;
    for text in ["\0", "skill\0", "s\0kill", "\u{1}", "\u{7f}", "\u{feff}"] {
        assert_eq!(world.found(words(&[text])).await.len(), 0, "{text:?}");
        let tag = SkillFilter { tag: Some(text.to_owned()), ..SkillFilter::default() };
        assert_eq!(world.found(tag).await.len(), 0, "{text:?}");
        let mut tx = world.read().await;
        assert_eq!(tx.skill_from_source(world.workspace, Scope::Workspace, text).await.unwrap(), None);
        let verb = crate::AuditFilter { verb: Some(text.to_owned()), ..crate::AuditFilter::default() };
        assert_eq!(tx.audit_before(world.workspace, &verb, None, 10).await.unwrap(), []);
    }
}
