//! How the library is used, day by day.

use app::analytics::{Analytics, AnalyticsSettings, ReadAnalytics, read};
use app::jobs::keep_house;
use app::runs::{RunSkill, execute};
use app::skills::{CreateSkill, delete, record_use};
use app::{Code, SkillRecord};
use model::{Caller, Day, Role, Scope, SkillId, TokenScope};
use testkit::app::spec;
use testkit::{CallerExt as _, TestApp};
use time::Duration;
use time::macros::date;

use crate::runs::{adder, numbers};

/// The day on which every test begins.
const FIRST: Day = date!(2026 - 01 - 05);

async fn put_at(app: &TestApp, caller: &Caller, skill: &str, scope: Scope) -> SkillId {
    app.put(caller, CreateSkill { scope: Some(scope), ..spec(skill) }).await.record.skill.id
}

async fn use_it(app: &TestApp, caller: &Caller, skill: SkillId, good: u32, poor: u32) {
    for success in (0..good).map(|_| true).chain((0..poor).map(|_| false)) {
        record_use(&app.cx, caller, skill, success).await.unwrap();
    }
}

async fn analytics(app: &TestApp, caller: &Caller, request: ReadAnalytics) -> Analytics {
    app.leaves_alone(read(&app.cx, caller, request)).await
}

async fn usual(app: &TestApp, caller: &Caller) -> Analytics {
    analytics(app, caller, ReadAnalytics::default()).await
}

fn names<'a>(records: impl IntoIterator<Item = &'a SkillRecord>) -> Vec<&'a str> {
    records.into_iter().map(|record| record.skill.name.as_str()).collect()
}

#[tokio::test]
async fn every_use_is_counted_on_its_day() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let told = app.skill(&admin, "told").await.skill.id;
    let adder = app.put(&admin, adder("adder", "")).await.record.skill.id;
    app.skill(&admin, "idle").await;
    use_it(&app, &admin, told, 2, 1).await;
    app.clock.advance(Duration::days(2));
    let request = RunSkill { parameters: numbers(1, 2), ..RunSkill::default() };
    let run = execute(&app.cx, &admin, adder, request).await.unwrap().run;
    let seen = usual(&app, &admin).await;
    assert_eq!((seen.since, seen.until), (FIRST - Duration::days(27), FIRST + Duration::days(2)));
    assert_eq!((seen.skills, seen.active, seen.draft, seen.pending, seen.used_skills), (3, 3, 0, 0, 2));
    let total = seen.total;
    assert_eq!((total.count, total.successes, total.failures(), total.runs), (4, 3, 1, 1));
    assert_eq!(total.run_time.as_micros(), run.duration.as_micros());
    assert_eq!(seen.days.len(), 30);
    let days: Vec<_> = seen.days.iter().filter(|(_, uses)| uses.count > 0).collect();
    let days: Vec<_> = days.into_iter().map(|(day, uses)| (*day, uses.count, uses.successes)).collect();
    assert_eq!(days, [(FIRST, 3, 2), (FIRST + Duration::days(2), 1, 1)]);
    assert_eq!(names(seen.top.iter().map(|(record, _)| record)), ["told", "adder"]);
    assert_eq!(names(&seen.unused), ["idle"]);
    assert!(seen.failing.is_empty(), "three uses say little");
    use_it(&app, &admin, told, 0, 2).await;
    let seen = usual(&app, &admin).await;
    let [(record, uses)] = seen.failing.as_slice() else { panic!("{:?}", seen.failing) };
    assert_eq!((record.skill.id, uses.count, uses.successes), (told, 5, 2));
}

#[tokio::test]
async fn failing_skills_come_with_the_lowest_rate_first() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for (name, good, poor) in [
        ("fine", 9, 0),
        ("rare", 0, 4),
        ("bad", 2, 3),
        ("worse", 1, 4),
        ("bad-too", 4, 6),
        ("also-bad", 2, 3),
    ] {
        let skill = app.skill(&admin, name).await.skill.id;
        use_it(&app, &admin, skill, good, poor).await;
    }
    let seen = usual(&app, &admin).await;
    let told: Vec<_> =
        seen.failing.iter().map(|(record, uses)| (record.skill.name.as_str(), uses.failures())).collect();
    assert_eq!(told, [("worse", 4), ("bad-too", 6), ("also-bad", 3), ("bad", 3)]);
    let most = names(seen.top.iter().map(|(record, _)| record));
    assert_eq!(most, ["bad-too", "fine", "also-bad", "bad", "worse", "rare"]);
}

#[tokio::test]
async fn numbers_are_of_what_the_caller_can_see() {
    let app = TestApp::new().await;
    let (alice, bob, rita) =
        (app.user("alice", &[]).await, app.user("bob", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let helper = app.agent("helper").await;
    let shared = put_at(&app, &rita, "shared", Scope::Workspace).await;
    let own = put_at(&app, &bob, "own", Scope::User(bob.user)).await;
    let helpers = put_at(&app, &rita, "helpers", Scope::Agent(helper.id)).await;
    use_it(&app, &alice, shared, 1, 0).await;
    use_it(&app, &bob, own, 1, 4).await;
    use_it(&app, &rita, helpers, 1, 0).await;
    let other = app.agent("other").await;
    let table: [(&Caller, u64, u64, &[&str]); 4] = [
        (&alice, 2, 2, &["helpers", "shared"]),
        (&alice.through(&other), 1, 1, &["shared"]),
        (&bob, 3, 7, &["own", "helpers", "shared"]),
        (&rita, 3, 7, &["own", "helpers", "shared"]),
    ];
    for (n, (caller, skills, uses, top)) in table.into_iter().enumerate() {
        let seen = usual(&app, caller).await;
        assert_eq!((seen.skills, seen.used_skills, seen.total.count), (skills, skills, uses), "{n}");
        assert_eq!(names(seen.top.iter().map(|(record, _)| record)), top, "{n}");
        assert_eq!(seen.failing.len(), usize::from(uses == 7), "{n}");
    }
    let outsider = Caller { roles: model::Roles::NONE, ..alice };
    app.refuses(Code::Forbidden, read(&app.cx, &outsider, ReadAnalytics::default())).await;
    let writer = rita.scoped(&[TokenScope::Write]);
    app.refuses(Code::TokenScope, read(&app.cx, &writer, ReadAnalytics::default())).await;
}

#[tokio::test]
async fn others_part_is_told_to_those_who_review() {
    let app = TestApp::new().await;
    let (alice, bob, rita) =
        (app.user("alice", &[]).await, app.user("bob", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let helper = app.agent("helper").await;
    let shared = put_at(&app, &rita, "shared", Scope::Workspace).await;
    use_it(&app, &alice.through(&helper), shared, 2, 1).await;
    use_it(&app, &bob.through(&helper), shared, 4, 0).await;
    use_it(&app, &bob, shared, 1, 0).await;
    let agents = |seen: &Analytics| -> Vec<_> {
        seen.agents.iter().map(|one| (one.agent, one.uses.count, one.uses.successes)).collect()
    };
    let seen = usual(&app, &rita).await;
    assert_eq!(agents(&seen), [(Some(helper.id), 7, 6), (None, 1, 1)]);
    assert_eq!(seen.agents[0].name.as_ref().map(model::SkillName::as_str), Some("helper"));
    let seen = usual(&app, &alice).await;
    assert_eq!((seen.total.count, agents(&seen)), (8, vec![(Some(helper.id), 3, 2)]));
    let through = || ReadAnalytics { agent: Some(helper.id), ..ReadAnalytics::default() };
    let by = |user| ReadAnalytics { user: Some(user), ..ReadAnalytics::default() };
    let table = [
        (&rita, through(), 7),
        (&rita, by(bob.user), 5),
        (&rita, ReadAnalytics { user: Some(bob.user), ..through() }, 4),
        (&alice, through(), 3),
        (&alice, by(alice.user), 3),
        (&bob, by(bob.user), 5),
        (&bob.through(&helper), through(), 4),
        (&bob.through(&helper), by(bob.user), 4),
    ];
    for (n, (caller, request, uses)) in table.into_iter().enumerate() {
        let seen = analytics(&app, caller, request).await;
        assert_eq!(seen.total.count, uses, "{n}");
        assert_eq!(agents(&seen).iter().map(|(_, count, _)| count).sum::<u64>(), uses, "{n}");
    }
    app.refuses(Code::Forbidden, read(&app.cx, &alice, by(bob.user))).await;
    app.refuses(Code::Forbidden, read(&app.cx, &rita.through(&helper), by(bob.user))).await;
    let other = app.agent("other").await;
    app.refuses(Code::Forbidden, read(&app.cx, &rita.through(&other), through())).await;
}

#[tokio::test]
async fn the_days_are_bounded() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let from_to = |since, until| ReadAnalytics { since, until, ..ReadAnalytics::default() };
    let table = [
        (None, None, FIRST - Duration::days(29), FIRST, 30),
        (None, Some(date!(2024 - 03 - 01)), date!(2024 - 02 - 01), date!(2024 - 03 - 01), 30),
        (Some(FIRST), None, FIRST, FIRST, 1),
        (
            Some(date!(2024 - 01 - 01)),
            Some(date!(2024 - 12 - 31)),
            date!(2024 - 01 - 01),
            date!(2024 - 12 - 31),
            366,
        ),
        (None, Some(Day::MAX), Day::MAX - Duration::days(29), Day::MAX, 30),
    ];
    for (since, until, first, last, days) in table {
        let seen = analytics(&app, &admin, from_to(since, until)).await;
        assert_eq!((seen.since, seen.until, seen.days.len()), (first, last, days));
    }
    for (since, until) in [
        (Some(date!(2024 - 01 - 01)), Some(date!(2025 - 01 - 01))),
        (Some(FIRST + Duration::DAY), None),
        (Some(date!(2020 - 01 - 01)), None),
    ] {
        app.refuses(Code::InvalidRequest, read(&app.cx, &admin, from_to(since, until))).await;
    }
}

#[tokio::test]
async fn old_days_are_forgotten_and_the_counters_of_the_skill_stay() {
    let mut app = TestApp::new().await;
    app.tamper("DELETE FROM sign_in_links", &[]).await;
    let admin = app.admin().await;
    let record = app.skill(&admin, "a").await;
    use_it(&app, &admin, record.skill.id, 2, 0).await;
    app.clock.advance(Duration::days(400));
    app.leaves_alone(keep_house(&app.cx)).await;
    app.clock.advance(Duration::days(1));
    let kept = app.cx.clone().with_analytics(AnalyticsSettings { history_days: 0 });
    app.leaves_alone(keep_house(&kept)).await;
    app.cx = app.cx.clone().with_analytics(AnalyticsSettings::default());
    let done = app.logs(admin.workspace, &["analytics.prune"], keep_house(&app.cx)).await;
    assert_eq!(done.days_pruned, 1);
    assert_eq!(app.snapshot().await.rows("skill_days"), 0);
    assert_eq!(app.stored(&record).await.statistics.use_count, 2);
}

#[tokio::test]
async fn days_that_are_kept_for_longer_than_there_is_time_are_kept() {
    let mut app = TestApp::new().await;
    let admin = app.admin().await;
    let id = app.skill(&admin, "a").await.skill.id;
    use_it(&app, &admin, id, 1, 0).await;
    app.clock.advance(Duration::days(9_000));
    app.cx = app.cx.clone().with_analytics(AnalyticsSettings { history_days: u32::MAX });
    assert_eq!(keep_house(&app.cx).await.unwrap().days_pruned, 0);
}

#[tokio::test]
async fn what_was_deleted_is_not_counted_and_takes_its_days_along() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (gone, stays) = (app.skill(&admin, "gone").await.skill.id, app.skill(&admin, "stays").await.skill.id);
    use_it(&app, &admin, gone, 1, 0).await;
    use_it(&app, &admin, stays, 1, 0).await;
    delete(&app.cx, &admin, gone, None, None).await.unwrap();
    assert_eq!(usual(&app, &admin).await.total.count, 1);
    assert_eq!(app.snapshot().await.rows("skill_days"), 1);
}
