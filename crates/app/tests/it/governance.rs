//! Which policies are in force, for whom, and from when on.

use app::governance::{
    Ask, Call, GovernanceSettings, Known, Question, Usage, explain, in_force, judge, plan, resolve,
};
use app::jobs::keep_house;
use app::runs::RunSkill;
use app::skills::{CreateSkill, Decision, Edit, EditSkill, decide, delete, edit, set_enabled, undelete};
use app::workspaces::ChangeWorkspace;
use app::{Change, Changes, Code, Context, SkillRecord};
use model::{
    Activation, Approver, Caller, Policy, ProceduralMemory, RevisionNumber, Role, Scope, Status, Transition,
};
use serde_json::{Value, json};
use testkit::app::{files_spec, skill_md, spec_with};
use testkit::{CallerExt as _, TestApp};
use time::Duration;

use crate::code_sessions::code;
use crate::interpreter::with_memory;

/// A policy that is always active and forbids a tool.
pub(crate) fn forbids(tool: &str) -> Policy {
    Policy { forbidden_tools: vec![tool.to_owned()], ..always() }
}

/// A policy that is always active and demands nothing yet.
pub(crate) fn always() -> Policy {
    Policy { activation: Activation { always: true, ..Activation::default() }, ..Policy::default() }
}

/// A skill with a policy.
pub(crate) fn policy(name: &str, scope: Scope, policy: Policy) -> CreateSkill {
    CreateSkill { scope: Some(scope), ..spec_with(name, |draft| draft.policy = Some(policy)) }
}

/// Somebody who may write policies and put them into force.
pub(crate) async fn governor(app: &TestApp) -> Caller {
    app.user("gov", &[Role::Admin, Role::PolicyAdmin]).await
}

/// Another server on the same database.
pub(crate) fn replica(app: &TestApp) -> Context {
    app.cx.clone().with_governance(GovernanceSettings::default())
}

pub(crate) fn call(tool: &str) -> Call {
    Call { tool: tool.to_owned(), alias: None, arguments: json!({}) }
}

pub(crate) fn object(value: Value) -> Known {
    serde_json::from_value(value).unwrap()
}

/// Why a call outside of a run is denied; nothing when it is allowed.
pub(crate) async fn denial(cx: &Context, caller: &Caller, tool: &str) -> Option<String> {
    let judged = judge(cx, caller, Ask::default(), call(tool), Usage::default()).await.unwrap();
    judged.verdict.denial.map(|denial| denial.reason)
}

async fn active(cx: &Context, caller: &Caller) -> Vec<String> {
    let resolved = resolve(cx, caller, Ask::default()).await.unwrap();
    assert_eq!(resolved.resolution.active_ids().count(), resolved.policies.len());
    resolved.policies.into_iter().map(|policy| policy.id).collect()
}

fn forbidden(tool: &str, by: &str) -> String {
    format!("Tool '{tool}' is forbidden by Skill(s): {by}")
}

fn set(policy: Policy) -> EditSkill {
    let changes = Changes { policy: Change::Set(policy), ..Changes::default() };
    EditSkill::new(Edit::Changes(Box::new(changes)))
}

/// A policy `guard` of the workspace that forbids `rm`, its author, and a member.
async fn guarded() -> (TestApp, Caller, Caller, SkillRecord) {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let record = app.put(&gov, policy("guard", Scope::Workspace, forbids("rm"))).await.record;
    (app, gov, alice, record)
}

#[tokio::test]
async fn a_policy_is_in_force_at_once_on_every_server() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let (here, there) = (&app.cx, &replica(&app));
    for cx in [here, there] {
        assert_eq!(denial(cx, &alice, "rm").await, None);
    }
    let record = app.put(&gov, policy("guard", Scope::Workspace, forbids("rm"))).await.record;
    for cx in [here, there, &replica(&app)] {
        assert_eq!(denial(cx, &alice, "rm").await, Some(forbidden("rm", "guard")));
        assert_eq!(denial(cx, &alice, "ls").await, None);
    }
    edit(there, &gov, record.skill.id, set(forbids("ls"))).await.unwrap();
    for cx in [here, there] {
        assert_eq!(denial(cx, &alice, "rm").await, None);
        assert_eq!(denial(cx, &alice, "ls").await, Some(forbidden("ls", "guard")));
        let resolved = resolve(cx, &alice, Ask::default()).await.unwrap();
        assert_eq!(resolved.policies[0].revision.get(), 2);
    }
}

#[tokio::test]
async fn other_writing_leaves_policies_in_force() {
    let (app, gov, alice, _) = guarded().await;
    let there = replica(&app);
    assert_eq!(active(&there, &alice).await, ["guard"]);
    app.skill(&gov, "plain").await;
    app.put(&gov, policy("second", Scope::Workspace, always())).await;
    app.skill(&alice, "mine").await;
    assert_eq!(active(&there, &alice).await, ["guard", "second"]);
    // Another workspace has its own.
    let admin = app.workspace("other").await;
    assert_eq!(active(&there, &admin).await, [""; 0]);
}

#[tokio::test]
async fn disabled_archived_deleted_and_purged_is_out_of_force() {
    let (app, gov, alice, record) = guarded().await;
    let id = record.skill.id;
    let window = ChangeWorkspace { undelete_window_hours: Some(1), ..ChangeWorkspace::default() };
    app::workspaces::change(&app.cx, &app.admin().await, window).await.unwrap();
    let there = replica(&app);
    let on = async || {
        let here = active(&app.cx, &alice).await;
        assert_eq!(active(&there, &alice).await, here);
        assert_eq!(active(&replica(&app), &alice).await, here);
        !here.is_empty()
    };
    assert!(on().await);
    set_enabled(&app.cx, &gov, id, false, None).await.unwrap();
    assert!(!on().await);
    set_enabled(&app.cx, &gov, id, true, None).await.unwrap();
    assert!(on().await);
    delete(&app.cx, &gov, id, None, None).await.unwrap();
    assert!(!on().await);
    undelete(&app.cx, &gov, id).await.unwrap();
    assert!(on().await);
    decide(&app.cx, &gov, id, Decision::new(Transition::Archive)).await.unwrap();
    assert!(!on().await);
    for step in [Transition::Reopen, Transition::Approve] {
        decide(&app.cx, &gov, id, Decision::new(step)).await.unwrap();
    }
    assert!(on().await);
    let removed = Changes { policy: Change::Remove, ..Changes::default() };
    edit(&app.cx, &gov, id, EditSkill::new(Edit::Changes(Box::new(removed)))).await.unwrap();
    assert!(!on().await);
    edit(&app.cx, &gov, id, set(forbids("ls"))).await.unwrap();
    assert!(on().await);
    delete(&app.cx, &gov, id, None, None).await.unwrap();
    app.clock.advance(Duration::hours(2));
    keep_house(&app.cx).await.unwrap();
    assert!(!on().await);
}

#[tokio::test]
async fn purging_without_a_window_takes_it_out_of_force_too() {
    let (app, gov, alice, record) = guarded().await;
    let window = ChangeWorkspace { undelete_window_hours: Some(0), ..ChangeWorkspace::default() };
    app::workspaces::change(&app.cx, &app.admin().await, window).await.unwrap();
    let there = replica(&app);
    assert_eq!(active(&there, &alice).await, ["guard"]);
    delete(&app.cx, &gov, record.skill.id, None, None).await.unwrap();
    assert_eq!(active(&there, &alice).await, [""; 0]);
    assert_eq!(active(&app.cx, &alice).await, [""; 0]);
}

/// An agent on which changes wait for a second person, with a policy in force; its author and a second policy admin.
async fn two_persons() -> (TestApp, Caller, Caller, SkillRecord) {
    let app = TestApp::new().await;
    let (gov, second) =
        (governor(&app).await, app.user("second", &[Role::Admin, Role::PolicyAdmin, Role::Reviewer]).await);
    let settings = ProceduralMemory {
        require_skill_approval: true,
        approver: Approver::TwoPerson,
        ..ProceduralMemory::default()
    };
    let agent = app.agent_with("bot", settings).await;
    let record = app.put(&gov, policy("guard", Scope::Agent(agent.id), forbids("rm"))).await.record;
    let through = |caller: &Caller| caller.through(&agent);
    assert_eq!(active(&app.cx, &through(&gov)).await, [""; 0], "it waits");
    decide(&app.cx, &second, record.skill.id, Decision::new(Transition::Approve)).await.unwrap();
    let record = app.stored(&record).await;
    assert_eq!(denial(&app.cx, &through(&gov), "rm").await, Some(forbidden("rm", "agent/guard")));
    (app, gov, second, record)
}

#[tokio::test]
async fn an_edit_that_waits_leaves_the_revision_before_it_in_force() {
    let (app, gov, second, record) = two_persons().await;
    let through = Caller { agent: record.skill.scope.agent(), ..gov.clone() };
    edit(&app.cx, &gov, record.skill.id, set(forbids("ls"))).await.unwrap();
    let waiting = app.stored(&record).await.skill;
    assert_eq!((waiting.status, waiting.enforced), (Status::PendingApproval, Some(RevisionNumber::FIRST)));
    for cx in [&app.cx, &replica(&app)] {
        assert_eq!(denial(cx, &through, "rm").await, Some(forbidden("rm", "agent/guard")));
        assert_eq!(denial(cx, &through, "ls").await, None);
    }
    let resolved = resolve(&app.cx, &through, Ask::default()).await.unwrap();
    assert_eq!((resolved.policies[0].revision.get(), resolved.policies[0].digest), (1, record.skill.digest));
    decide(&app.cx, &second, record.skill.id, Decision::new(Transition::Approve)).await.unwrap();
    assert_eq!(denial(&app.cx, &through, "rm").await, None);
    assert_eq!(denial(&app.cx, &through, "ls").await, Some(forbidden("ls", "agent/guard")));
}

#[tokio::test]
async fn an_edit_that_was_refused_leaves_the_revision_before_it_in_force() {
    let (app, gov, second, record) = two_persons().await;
    let through = Caller { agent: record.skill.scope.agent(), ..gov.clone() };
    edit(&app.cx, &gov, record.skill.id, set(forbids("ls"))).await.unwrap();
    for step in [Transition::Reject, Transition::Reopen] {
        decide(&app.cx, &second, record.skill.id, Decision::new(step)).await.unwrap();
        assert_eq!(denial(&app.cx, &through, "rm").await, Some(forbidden("rm", "agent/guard")), "{step}");
        assert_eq!(denial(&app.cx, &through, "ls").await, None, "{step}");
    }
    // Nor does its time run out: that would end what is in force.
    app.clock.advance(Duration::days(365));
    assert_eq!(keep_house(&app.cx).await.unwrap().drafts_archived, 0);
    assert_eq!(denial(&app.cx, &through, "rm").await, Some(forbidden("rm", "agent/guard")));
}

#[tokio::test]
async fn a_policy_that_cannot_be_read_denies_everything() {
    let (app, _, alice, _) = guarded().await;
    let there = replica(&app);
    assert_eq!(denial(&there, &alice, "ls").await, None);
    app.tamper("UPDATE blobs SET content = CAST('no: yes' AS BLOB) WHERE content LIKE '%policy:%'", &[])
        .await;
    // Who made it ready before keeps to what it was; who reads it now cannot.
    assert_eq!(denial(&there, &alice, "ls").await, None);
    let cx = replica(&app);
    for tool in ["rm", "ls", "anything"] {
        let judged = judge(&cx, &alice, Ask::default(), call(tool), Usage::default()).await.unwrap();
        let denial = judged.verdict.denial.unwrap();
        assert_eq!((denial.cause.as_str(), denial.skills), ("evaluation_error", vec!["guard".to_owned()]));
    }
    let states = in_force(&cx, &alice, None).await.unwrap();
    assert!(states[0].broken.is_some(), "{states:?}");
}

#[tokio::test]
async fn a_revision_in_force_that_is_not_there_stops_every_decision() {
    let (app, _, alice, _) = guarded().await;
    app.tamper("UPDATE skills SET enforced_revision = $1", &[9]).await;
    let cx = replica(&app);
    for number in [9, 0, -1] {
        app.tamper("UPDATE skills SET enforced_revision = $1", &[number]).await;
        app.refuses(Code::Internal, judge(&cx, &alice, Ask::default(), call("ls"), Usage::default())).await;
    }
}

#[tokio::test]
async fn policies_of_users_and_agents_hold_for_their_own_only() {
    let app = TestApp::new().await;
    let gov = governor(&app).await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    for (name, scope) in [
        ("all", Scope::Workspace),
        ("ones", Scope::Agent(one.id)),
        ("alices", Scope::User(alice.user)),
        ("both", Scope::AgentUser(one.id, alice.user)),
    ] {
        app.put(&gov, policy(name, scope, always())).await;
    }
    let everything = ["agent-user/both", "agent/ones", "all", "user/alices"];
    for (caller, expected) in [
        (alice.clone(), vec!["all", "user/alices"]),
        (bob.clone(), vec!["all"]),
        (alice.through(&one), everything.to_vec()),
        (alice.through(&two), vec!["all", "user/alices"]),
        (bob.through(&one), vec!["agent/ones", "all"]),
    ] {
        assert_eq!(active(&app.cx, &caller).await, expected);
        let states = in_force(&app.cx, &caller, None).await.unwrap();
        assert_eq!(states.iter().map(|state| state.reference.id.as_str()).collect::<Vec<_>>(), expected);
        let question = Question::default();
        let explained = explain(&app.cx, &caller, question).await.unwrap();
        let ids: Vec<&str> =
            explained.policies.iter().map(|policy| policy.state.reference.id.as_str()).collect();
        assert_eq!(ids, expected);
        assert!(explained.policies.iter().all(|policy| policy.active));
    }
    // In person one may name an agent, which adds policies; a token that is bound to one cannot name another.
    let named = Ask { agent: Some(one.id), ..Ask::default() };
    let resolved = resolve(&app.cx, &alice, named.clone()).await.unwrap();
    assert_eq!(resolved.resolution.active_ids().collect::<Vec<_>>(), everything);
    app.refuses(Code::InvalidRequest, resolve(&app.cx, &alice.through(&two), named)).await;
    assert_eq!(in_force(&app.cx, &gov, None).await.unwrap().len(), 4, "who reads the log sees all");
}

#[tokio::test]
async fn a_name_taken_in_another_scope_shadows_nothing() {
    let (app, gov, alice, _) = guarded().await;
    let one = app.agent("one").await;
    app.skill(&alice, "guard").await;
    for scope in [Scope::Agent(one.id), Scope::AgentUser(one.id, alice.user)] {
        app.put(&gov, policy("guard", scope, Policy { context: object(json!({"x": 1})), ..always() })).await;
    }
    let caller = alice.through(&one);
    assert_eq!(active(&app.cx, &caller).await, ["agent-user/guard", "agent/guard", "guard"]);
    assert_eq!(denial(&app.cx, &caller, "rm").await, Some(forbidden("rm", "guard")));
}

#[tokio::test]
async fn nobody_claims_to_be_another_in_the_context() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let when = Some(format!("context.caller.user_id == '{}'", alice.user));
    let only_her = Policy { activation: Activation { when, ..Activation::default() }, ..forbids("rm") };
    app.put(&gov, policy("hers", Scope::Workspace, only_her)).await;
    for (caller, expected) in [(&alice, Some(forbidden("rm", "hers"))), (&gov, None)] {
        for claimed in
            [json!({"user_id": gov.user.to_string()}), json!({"user_id": alice.user.to_string()}), json!(1)]
        {
            let ask = Ask { context: object(json!({"caller": claimed})), ..Ask::default() };
            let judged = judge(&app.cx, caller, ask.clone(), call("rm"), Usage::default()).await.unwrap();
            assert_eq!(judged.verdict.denial.map(|denial| denial.reason), expected);
            let resolved = resolve(&app.cx, caller, ask.clone()).await.unwrap();
            let known = json!({"user_id": caller.user.to_string(), "agent_id": null,
                "roles": caller.roles.iter().map(Role::as_str).collect::<Vec<_>>()});
            assert_eq!(resolved.context["caller"], known);
            let start = app::governance::Start { ask, session: None };
            let run = app::governance::start(&app.cx, caller, start).await.unwrap().run;
            let context = object(json!({"caller": {"user_id": "somebody"}}));
            let step = app::governance::Step { call: call("rm"), context, id: None };
            let id = app::governance::RunRef::Id(run.id);
            let judged = app::governance::step(&app.cx, caller, id, step).await.unwrap();
            assert_eq!(judged.verdict.denial.map(|denial| denial.reason), expected);
            let decision = app::governance::read(&app.cx, caller, judged.decision).await.unwrap();
            let kept: Value = serde_json::from_str(&decision.context.unwrap()).unwrap();
            assert_eq!(kept["caller"], known);
        }
    }
}

#[tokio::test]
async fn explaining_records_nothing() {
    let (app, gov, alice, _) = guarded().await;
    let question = |user| Question { call: Some(call("rm")), user, ..Question::default() };
    let explained = app.leaves_alone(explain(&app.cx, &alice, question(None))).await;
    assert_eq!(explained.verdict.unwrap().denial.map(|denial| denial.reason), Some(forbidden("rm", "guard")));
    assert_eq!(explained.active.len(), 1);
    app.leaves_alone(explain(&app.cx, &gov, question(Some(alice.user)))).await;
    app.refuses(Code::Forbidden, explain(&app.cx, &alice, question(Some(gov.user)))).await;
    app.leaves_alone(in_force(&app.cx, &alice, None)).await;
}

#[tokio::test]
async fn planning_sees_what_may_be_called_and_is_kept() {
    let (app, gov, alice, _) = guarded().await;
    let more = Policy { planning: Some("Remove nothing.".to_owned()), ..always() };
    app.put(&gov, policy("words", Scope::Workspace, more)).await;
    let tools = ["ls", "rm", "cat"].map(str::to_owned).to_vec();
    let request = app::governance::Plan { tools, prompt: "Plan.".to_owned() };
    let act = plan(&app.cx, &alice, Ask::default(), request);
    let planned = app.logs(alice.workspace, &["governance.decide"], act).await;
    assert_eq!(planned.tools, ["ls", "cat"]);
    assert_eq!(planned.removed, [("rm".to_owned(), forbidden("rm", "guard"))]);
    assert_eq!(planned.prompt, "Plan.\n\nRemove nothing.");
}

#[tokio::test]
async fn what_is_too_long_or_without_a_name_is_refused() {
    let (app, _, alice, _) = guarded().await;
    let long = || "x".repeat((1 << 20) + 1);
    let asks = [
        Ask { task: long(), ..Ask::default() },
        Ask { context: object(json!({"x": long()})), ..Ask::default() },
    ];
    for ask in asks {
        app.refuses(Code::TooLarge, resolve(&app.cx, &alice, ask.clone())).await;
        app.refuses(Code::TooLarge, judge(&app.cx, &alice, ask, call("x"), Usage::default())).await;
    }
    for tool in [String::new(), " ".to_owned(), "x".repeat(257)] {
        let act = judge(&app.cx, &alice, Ask::default(), call(&tool), Usage::default());
        app.refuses(Code::InvalidRequest, act).await;
        let named = Call { alias: Some(tool), ..call("x") };
        app.refuses(Code::InvalidRequest, judge(&app.cx, &alice, Ask::default(), named, Usage::default()))
            .await;
    }
    let outsider = Caller { roles: model::Roles::NONE, ..alice };
    app.refuses(Code::Forbidden, resolve(&app.cx, &outsider, Ask::default())).await;
}

#[tokio::test]
async fn the_librarys_own_tools_are_let_through_or_denied_with_the_reason() {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    let own = |tool: &'static str| app::governance::OwnCall { tool, arguments: json!({"prompt": "tidy up"}) };
    // Where no policy holds nothing is kept.
    app.leaves_alone(app::governance::admit(&app.cx, &alice, own("search"))).await;
    app.put(&gov, policy("guard", Scope::Workspace, forbids("mcp__repertoire__search"))).await;
    let denied = app::governance::admit(&app.cx, &alice, own("search")).await.unwrap_err();
    assert_eq!(denied.code(), Code::PolicyDenied);
    assert!(denied.to_string().contains("guard"), "{denied}");
    app::governance::admit(&app.cx, &alice, own("list_skills")).await.unwrap();
    let kept = app::governance::list(&app.cx, &gov, app::governance::ListDecisions::default()).await.unwrap();
    assert_eq!(kept.items.len(), 2);
}

#[tokio::test]
async fn a_policy_on_the_interpreter_holds_whichever_way_an_agents_code_comes() {
    let (app, alice) = with_memory(ProceduralMemory::default()).await;
    let (gov, in_person) = (governor(&app).await, Caller { agent: None, ..alice.clone() });
    let sidecar = "procedure: {language: python, file: one.py, function: one}\n";
    let files = [
        ("SKILL.md", skill_md("one", "x")),
        ("repertoire.yaml", sidecar.to_owned()),
        ("one.py", "def one():\n    return 1\n".to_owned()),
    ];
    let skill = app.put(&in_person, files_spec(&files)).await.record.skill.id;
    app::runs::execute(&app.cx, &alice, skill, RunSkill::default()).await.unwrap();
    app.put(&gov, policy("guard", Scope::Workspace, forbids(app::interpreter::TOOL))).await;
    let run = app::runs::execute(&app.cx, &alice, skill, RunSkill::default()).await.unwrap_err();
    let check = app::runs::check(&app.cx, &alice, skill, RunSkill::default(), 2).await.unwrap_err();
    let executed = app::code_sessions::execute(&app.cx, &alice, code(None, "1")).await.unwrap_err();
    assert_eq!([run, check, executed].map(|error| error.code()), [Code::PolicyDenied; 3]);
    // Policies are for agents.
    app::runs::execute(&app.cx, &in_person, skill, RunSkill::default()).await.unwrap();
    app::code_sessions::execute(&app.cx, &in_person, code(None, "1")).await.unwrap();
}
