//! What holds after any sequence of steps.

use std::collections::BTreeSet;

use app::skills::{
    CreateSkill, Decision, Edit, EditSkill, ListSkills, decide, edit, list, promote, resolve, set_enabled,
};
use app::{Changes, Code, Error};
use model::{Approver, Caller, ProceduralMemory, Role, Scope, ScopeKind, Skill, SkillId, Status, Transition};
use proptest::prelude::*;
use testkit::{CallerExt as _, TestApp};

#[derive(Debug, Clone, Copy)]
enum Who {
    Owner,
    Agent,
    Reviewer,
    Admin,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Decide(Transition),
    Switch(bool),
    Promote(ScopeKind),
    Edit(u8),
}

fn steps() -> impl Strategy<Value = Vec<(Who, Step)>> {
    let who = prop_oneof![Just(Who::Owner), Just(Who::Agent), Just(Who::Reviewer), Just(Who::Admin)];
    let step = prop_oneof![
        4 => prop::sample::select(Transition::ALL).prop_map(Step::Decide),
        1 => any::<bool>().prop_map(Step::Switch),
        1 => prop::sample::select(ScopeKind::ALL).prop_map(Step::Promote),
        1 => (0_u8..3).prop_map(Step::Edit),
    ];
    prop::collection::vec((who, step), 1..20)
}

async fn take(app: &TestApp, caller: &Caller, id: SkillId, step: Step) -> Result<(), Error> {
    match step {
        Step::Decide(transition) => decide(&app.cx, caller, id, Decision::new(transition)).await.map(drop),
        Step::Switch(enabled) => set_enabled(&app.cx, caller, id, enabled, None).await.map(drop),
        Step::Promote(to) => promote(&app.cx, caller, id, to, None).await.map(drop),
        Step::Edit(n) => {
            let changes = Changes { body: Some(format!("body {n}")), ..Changes::default() };
            edit(&app.cx, caller, id, EditSkill::new(Edit::Changes(Box::new(changes)))).await.map(drop)
        }
    }
}

/// Runs the steps and checks after each that status, switch, name lookup, versions and log agree.
async fn hold(approver: Approver, steps: Vec<(Who, Step)>) {
    let app = TestApp::new().await;
    let (owner, reviewer) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let admin = app.admin().await;
    let settings = ProceduralMemory { require_skill_approval: true, approver, ..ProceduralMemory::default() };
    let agent = app.agent_with("one", settings).await;
    let through = owner.through(&agent);
    let mut before = app.skill(&through, "x").await;
    let id = before.skill.id;
    for (who, step) in steps {
        let caller = match who {
            Who::Owner => &owner,
            Who::Agent => &through,
            Who::Reviewer => &reviewer,
            Who::Admin => &admin,
        };
        let entries = app.audit(admin.workspace).await.len();
        let done = take(&app, caller, id, step).await;
        let now = app.stored(&before).await;
        let (was, skill) = (&before.skill, &now.skill);
        if let Err(error) = done {
            let expected =
                [Code::Forbidden, Code::InvalidTransition, Code::InvalidScope, Code::RejectedContent];
            assert!(expected.contains(&error.code()), "{who:?} {step:?}: {error}");
            assert_eq!(now, before, "{who:?} {step:?}");
        }
        let changed = u64::from(was != skill);
        assert_eq!(skill.version, was.version + changed, "every change counts once: {who:?} {step:?}");
        assert_eq!(app.audit(admin.workspace).await.len(), entries + usize::from(was != skill));
        assert_eq!(skill.is_usable(), skill.status == Status::Active && skill.enabled);
        assert!(skill.scope.nearness() <= was.scope.nearness(), "a skill never moves down the ladder");
        assert_eq!(skill.revision != was.revision, skill.digest != was.digest);
        if skill.status == Status::Active && was.status != Status::Active {
            let by_owner = matches!(who, Who::Owner | Who::Agent);
            assert!(!by_owner || skill.scope.user().is_some() && was.promotion.is_none(), "{who:?} {step:?}");
        }
        let found = resolve(&app.cx, &through, "x").await.map(|record| record.skill.id).ok();
        assert_eq!(found, skill.is_usable().then_some(id), "{who:?} {step:?}");
        let (page, _) =
            list(&app.cx, &admin, ListSkills { waiting: true, ..ListSkills::default() }).await.unwrap();
        let waits =
            matches!(skill.status, Status::Draft | Status::PendingApproval) || skill.promotion.is_some();
        assert_eq!(!page.items.is_empty(), waits);
        before = now;
    }
    assert_eq!(app::audit::verify(&app.cx, &admin).await.unwrap().problems, Vec::<String>::new());
}

/// An installation with a skill of one name on every rung of everyone, and everyone who may ask.
async fn crowd() -> (TestApp, Vec<Caller>, Vec<Skill>) {
    let app = TestApp::new().await;
    let people = [
        app.user("alice", &[]).await,
        app.user("bob", &[]).await,
        app.user("rita", &[Role::Reviewer]).await,
        app.user("paul", &[Role::PolicyAdmin]).await,
        app.admin().await,
    ];
    let agents = [app.agent("one").await, app.agent("two").await];
    let admin = app.admin().await;
    let mut scopes = vec![Scope::Workspace];
    scopes.extend(agents.iter().map(|agent| Scope::Agent(agent.id)));
    for person in &people {
        scopes.push(Scope::User(person.user));
        scopes.extend(agents.iter().map(|agent| Scope::AgentUser(agent.id, person.user)));
    }
    let mut skills = Vec::new();
    for scope in scopes {
        let request = CreateSkill { scope: Some(scope), ..testkit::app::spec("x") };
        skills.push(app.put(&admin, request).await.record.skill);
    }
    let callers = people.iter().flat_map(|person| {
        [person.clone()].into_iter().chain(agents.iter().map(|agent| person.through(agent)))
    });
    let callers = callers.collect();
    (app, callers, skills)
}

#[tokio::test]
async fn a_list_holds_exactly_what_may_be_read() {
    let (app, callers, skills) = crowd().await;
    for caller in callers {
        let page = app::PageRequest { limit: 200, after: None };
        let (page, _) = list(&app.cx, &caller, ListSkills { page, ..ListSkills::default() }).await.unwrap();
        let listed: BTreeSet<_> = page.items.iter().map(|record| record.skill.id).collect();
        let mut readable = BTreeSet::new();
        for skill in &skills {
            if app::skills::read(&app.cx, &caller, skill.id).await.is_ok() {
                readable.insert(skill.id);
            }
        }
        assert_eq!(listed, readable, "{caller:?}");
    }
}

#[tokio::test]
async fn a_name_means_the_first_usable_skill_on_the_callers_ladder() {
    let (app, callers, mut skills) = crowd().await;
    let admin = app.admin().await;
    // The nearest rungs are taken away one by one, until nothing is left.
    for kind in [ScopeKind::AgentUser, ScopeKind::User, ScopeKind::Agent, ScopeKind::Workspace] {
        for caller in &callers {
            let wanted = caller.ladder().into_iter().find_map(|rung| {
                skills.iter().find(|skill| skill.scope == rung && skill.is_usable()).map(|skill| skill.id)
            });
            let found = resolve(&app.cx, caller, "x").await.ok().map(|record| record.skill.id);
            assert_eq!(found, wanted, "{kind} {caller:?}");
        }
        for skill in skills.iter_mut().filter(|skill| skill.scope.kind() == kind) {
            *skill = set_enabled(&app.cx, &admin, skill.id, false, None).await.unwrap().record.skill;
        }
    }
    app.refuses(Code::NotFound, resolve(&app.cx, &admin, "x")).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_steps_keeps_a_skill_consistent(
        approver in prop::sample::select(Approver::ALL),
        steps in steps(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(hold(approver, steps));
    }
}
