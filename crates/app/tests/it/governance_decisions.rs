//! The record of decisions: nothing is lost, every change of it shows, and it keeps no more than it should.

use std::collections::BTreeSet;

use app::audit::verify;
use app::governance::{
    Ask, Call, GovernanceSettings, Judged, ListDecisions, Proposal, ReplayRange, RunRef, Start, Step, Usage,
    judge, list, prune, read, replay, resolve, start, step,
};
use app::jobs::keep_house;
use app::{Code, Context, Error, PageRequest};
use model::{Caller, Decision, DecisionKind, Digest, Role, Scope, TokenScope};
use serde_json::{Value, json};
use testkit::{CallerExt as _, TestApp};
use time::Duration;
use tokio::task::JoinSet;

use crate::governance::{call, denial, forbids, governor, object, policy, replica};

/// An installation with a policy that forbids `rm`; a policy admin, and a member.
async fn guarded() -> (TestApp, Caller, Caller) {
    let app = TestApp::new().await;
    let (gov, alice) = (governor(&app).await, app.user("alice", &[]).await);
    app.put(&gov, policy("guard", Scope::Workspace, forbids("rm"))).await;
    (app, gov, alice)
}

async fn ask_judge(cx: &Context, caller: &Caller, tool: &str) -> Result<Judged, Error> {
    judge(cx, caller, Ask::default(), call(tool), Usage::default()).await
}

/// Judges so many calls at once, on these servers in turn.
async fn judge_many(servers: &[Context], caller: &Caller, count: usize) -> Vec<Result<Judged, Error>> {
    let mut calls = JoinSet::new();
    for n in 0..count {
        let (cx, caller) = (servers[n % servers.len()].clone(), caller.clone());
        calls.spawn(async move { ask_judge(&cx, &caller, &format!("tool-{n}")).await });
    }
    calls.join_all().await
}

async fn all(app: &TestApp, caller: &Caller, request: ListDecisions) -> Vec<Decision> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { limit: 100, after };
        let page = list(&app.cx, caller, ListDecisions { page, ..request.clone() }).await.unwrap();
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

/// What is wrong with the log; nothing when it is whole.
async fn problems(app: &TestApp) -> String {
    verify(&app.cx, &app.admin().await).await.unwrap().problems.join("; ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_thousand_calls_at_once_leave_two_thousand_sealed_decisions() {
    let (app, gov, alice) = guarded().await;
    let servers = [app.cx.clone(), replica(&app), replica(&app)];
    let told = judge_many(&servers, &alice, 2_000).await;
    let told: BTreeSet<_> = told.into_iter().map(|judged| judged.unwrap().decision).collect();
    assert_eq!(told.len(), 2_000);
    let kept = all(&app, &alice, ListDecisions::default()).await;
    assert_eq!(kept.iter().map(|decision| decision.id).collect::<BTreeSet<_>>(), told);
    let tools: BTreeSet<_> = kept.iter().flat_map(|decision| &decision.call).map(|call| &call.tool).collect();
    assert_eq!(tools.len(), 2_000);
    let verification = verify(&app.cx, &gov).await.unwrap();
    assert_eq!((verification.decisions, verification.problems), (2_000, vec![]));
    let rows = app.snapshot().await;
    assert_eq!((rows.rows("decisions"), rows.rows("policy_sets")), (2_000, 1), "a set is kept once");
}

#[tokio::test]
async fn what_is_asked_at_once_is_sealed_together() {
    let (app, _, alice) = guarded().await;
    let before = app.audit(alice.workspace).await.len();
    judge_many(std::slice::from_ref(&app.cx), &alice, 100).await;
    let entries = app.audit(alice.workspace).await.split_off(before);
    assert!(entries.len() < 10, "{} entries", entries.len());
    assert!(entries.iter().all(|entry| entry.verb.0 == "governance.decide"));
    assert_eq!(problems(&app).await, "");
}

/// An installation with three decisions behind one seal: the first denied, the second allowed, the third a resolution.
async fn sealed() -> (TestApp, Caller, Caller) {
    let (app, gov, alice) = guarded().await;
    let agent = app.agent("bot").await;
    let ask = |task: &str| Ask {
        task: task.to_owned(),
        host: Some("claude".to_owned()),
        agent: Some(agent.id),
        ..Ask::default()
    };
    let named = Call { alias: Some("Bash".to_owned()), ..call("rm") };
    let (denied, allowed, resolved) = tokio::join!(
        judge(&app.cx, &alice, ask("one"), named, Usage::default()),
        judge(&app.cx, &alice, ask("two"), call("ls"), Usage::default()),
        resolve(&app.cx, &alice, ask("three")),
    );
    assert!(!denied.unwrap().verdict.is_allowed() && allowed.unwrap().verdict.is_allowed());
    resolved.unwrap();
    assert_eq!(app.audit(alice.workspace).await.last().unwrap().verb.0, "governance.decide");
    assert_eq!((problems(&app).await, app.snapshot().await.rows("decisions")), (String::new(), 3));
    (app, gov, alice)
}

#[tokio::test]
async fn a_changed_decision_shows_whatever_the_column() {
    for sql in [
        "UPDATE decisions SET id = zeroblob(16) WHERE tool = 'rm'",
        "UPDATE decisions SET at = at + 1 WHERE tool = 'rm'",
        "UPDATE decisions SET user_id = zeroblob(16) WHERE tool = 'rm'",
        "UPDATE decisions SET agent_id = NULL WHERE tool = 'rm'",
        "UPDATE decisions SET host = 'codex' WHERE tool = 'rm'",
        "UPDATE decisions SET run_id = id WHERE tool = 'rm'",
        "UPDATE decisions SET task_digest = zeroblob(32) WHERE tool = 'rm'",
        "UPDATE decisions SET task = NULL WHERE tool = 'rm'",
        "UPDATE decisions SET context = '{}' WHERE tool = 'rm'",
        "UPDATE decisions SET reasons = '[]' WHERE tool IS NULL",
        "UPDATE decisions SET tool = 'ls' WHERE tool = 'rm'",
        "UPDATE decisions SET alias = NULL WHERE tool = 'rm'",
        "UPDATE decisions SET arguments_digest = zeroblob(32) WHERE tool = 'rm'",
        "UPDATE decisions SET arguments = NULL WHERE tool = 'rm'",
        "UPDATE decisions SET steps = 1 WHERE tool = 'rm'",
        "UPDATE decisions SET elapsed_us = 1 WHERE tool = 'rm'",
        "UPDATE decisions SET cause = NULL WHERE tool = 'rm'",
        "UPDATE decisions SET cause = 'max_steps' WHERE tool = 'rm'",
        "UPDATE decisions SET reason = 'no' WHERE tool = 'rm'",
        "UPDATE decisions SET denied_by = '[]' WHERE tool = 'rm'",
        "UPDATE decisions SET place = 9 WHERE tool = 'rm'",
        "UPDATE decisions SET tool = NULL WHERE tool = 'rm'",
        "UPDATE policy_sets SET policies = REPLACE(policies, 'guard', 'other')",
        "UPDATE policy_sets SET policies = '[]'",
    ] {
        let (app, _, _) = sealed().await;
        assert_eq!(app.tamper(sql, &[]).await, 1, "{sql}");
        let found = problems(&app).await;
        assert!(found.contains("were changed, added or removed"), "{sql}: {found}");
    }
}

#[tokio::test]
async fn a_removed_decision_shows() {
    let (app, _, alice) = sealed().await;
    app.tamper("DELETE FROM decisions WHERE tool = 'ls'", &[]).await;
    assert!(problems(&app).await.contains("were changed, added or removed"));
    let (app, _, _) = sealed().await;
    app.tamper("DELETE FROM decisions", &[]).await;
    let seal = app.audit(alice.workspace).await.len();
    assert_eq!(problems(&app).await, format!("the decisions that entry {seal} seals are missing"));
}

#[tokio::test]
async fn an_added_or_moved_decision_shows() {
    let insert = "INSERT INTO decisions SELECT workspace_id, zeroblob(16), $1, 9, at, user_id, agent_id, host, \
                  run_id, kind, task_digest, task, context, policy_set, reasons, tool, alias, arguments_digest, \
                  arguments, steps, elapsed_us, cause, reason, denied_by FROM decisions WHERE tool = 'rm'";
    let (app, _, alice) = sealed().await;
    let seal = i64::try_from(app.audit(alice.workspace).await.len()).unwrap();
    // Behind the seal, behind an entry that seals nothing, before the log and beyond it.
    for (number, expected) in [
        (seal, "were changed, added or removed"),
        (1, "says that entry 1 seals it, which it does not"),
        (0, "says that entry 0 seals it, which it does not"),
        (seal + 1, "seals it, which it does not"),
        (i64::MAX, "seals it, which it does not"),
    ] {
        let (app, _, _) = sealed().await;
        assert_eq!(app.tamper(insert, &[number]).await, 1);
        let found = problems(&app).await;
        assert!(found.contains(expected), "{number}: {found}");
        let (app, _, _) = sealed().await;
        if number != seal {
            assert_eq!(app.tamper("UPDATE decisions SET seal = $1 WHERE tool = 'rm'", &[number]).await, 1);
            let found = problems(&app).await;
            assert!(found.contains(expected) && found.contains("were changed"), "{number}: {found}");
        }
    }
}

#[tokio::test]
async fn pruning_keeps_the_log_whole_and_takes_nothing_that_is_younger() {
    let (app, gov, alice) = sealed().await;
    app.clock.advance(Duration::days(1));
    let between = app.now();
    let kept = ask_judge(&app.cx, &alice, "ls").await.unwrap().decision;
    app.refuses(Code::Forbidden, prune(&app.cx, &alice, between)).await;
    let act = prune(&app.cx, &gov, between);
    assert_eq!(app.logs(alice.workspace, &["governance.prune"], act).await, 3);
    let verification = verify(&app.cx, &gov).await.unwrap();
    assert_eq!((verification.decisions, verification.problems), (1, vec![]));
    let left = all(&app, &alice, ListDecisions::default()).await;
    assert_eq!(left.iter().map(|decision| decision.id).collect::<Vec<_>>(), [kept]);
    assert_eq!(app.leaves_alone(prune(&app.cx, &gov, between)).await, 0);
    // What was not forgotten in order is still missed.
    app.tamper("DELETE FROM decisions", &[]).await;
    assert!(problems(&app).await.contains("are missing"));
}

#[tokio::test]
async fn housekeeping_forgets_what_is_older_than_the_settings_say() {
    let (app, gov, alice) = sealed().await;
    app.tamper("DELETE FROM sign_in_links", &[]).await;
    let settings = GovernanceSettings { history_days: 30, ..GovernanceSettings::default() };
    let cx = app.cx.clone().with_governance(settings);
    app.clock.advance(Duration::days(30));
    ask_judge(&cx, &alice, "ls").await.unwrap();
    app.leaves_alone(keep_house(&cx)).await;
    app.clock.advance(Duration::seconds(1));
    app.leaves_alone(keep_house(&app.cx)).await;
    assert_eq!(keep_house(&cx).await.unwrap().decisions_pruned, 3);
    let verification = verify(&app.cx, &gov).await.unwrap();
    assert_eq!((verification.decisions, verification.problems), (1, vec![]));
}

#[tokio::test]
async fn without_texts_only_digests_are_kept() {
    let (app, _, alice) = guarded().await;
    let settings = GovernanceSettings { keep_text: false, ..GovernanceSettings::default() };
    let cx = app.cx.clone().with_governance(settings);
    let ask =
        Ask { task: "a private task".to_owned(), context: object(json!({"x": "private"})), ..Ask::default() };
    let arguments = json!({"path": "private"});
    let made = Call { arguments: arguments.clone(), ..call("rm") };
    resolve(&cx, &alice, ask.clone()).await.unwrap();
    let id = judge(&cx, &alice, ask.clone(), made.clone(), Usage::default()).await.unwrap().decision;
    let run = start(&cx, &alice, Start { ask, session: None }).await.unwrap().run;
    let said = Step { call: made, context: object(json!({"y": "private"})), id: None };
    step(&cx, &alice, app::governance::RunRef::Id(run.id), said).await.unwrap();
    for decision in all(&app, &alice, ListDecisions::default()).await {
        assert_eq!((&decision.task, &decision.context), (&None, &None));
        assert_eq!(decision.task_digest, Digest::of(b"a private task"));
        assert!(decision.call.is_none_or(|call| call.arguments.is_none()));
    }
    let decision = read(&cx, &alice, id).await.unwrap();
    assert_eq!(decision.call.unwrap().arguments_digest, Digest::of(arguments.to_string().as_bytes()));
    assert_eq!(problems(&app).await, "");
}

#[tokio::test]
async fn without_reasons_none_are_kept() {
    let (app, _, alice) = guarded().await;
    let settings = GovernanceSettings { keep_reasons: false, ..GovernanceSettings::default() };
    let cx = app.cx.clone().with_governance(settings);
    let quiet = resolve(&cx, &alice, Ask::default()).await.unwrap();
    let told = resolve(&app.cx, &alice, Ask::default()).await.unwrap();
    assert_eq!(quiet.resolution.reasons, told.resolution.reasons, "they are told all the same");
    assert_eq!(read(&cx, &alice, quiet.decision).await.unwrap().reasons, [""; 0]);
    assert_eq!(read(&cx, &alice, told.decision).await.unwrap().reasons, told.resolution.reasons);
}

#[tokio::test]
async fn secrets_are_not_kept() {
    let (app, _, alice) = guarded().await;
    let secret = json!({"path": "a", "password": "hunter2", "in": [{"api_key": "hunter2"}]});
    for arguments in [secret.clone(), json!([secret.clone(), [secret.clone()]])] {
        let ask = Ask { context: object(secret.clone()), ..Ask::default() };
        let made = Call { arguments: arguments.clone(), ..call("ls") };
        let id = judge(&app.cx, &alice, ask, made, Usage::default()).await.unwrap().decision;
        let decision = read(&app.cx, &alice, id).await.unwrap();
        let call = decision.call.unwrap();
        // A digest of what was said would show which of a few passwords it was.
        let recorded = call.arguments.clone().unwrap();
        assert_eq!(call.arguments_digest, Digest::of(recorded.as_bytes()));
        for kept in [call.arguments.unwrap(), decision.context.unwrap()] {
            assert!(kept.contains("[redacted]") && !kept.contains("hunter2"), "{kept}");
            assert!(kept.contains("path"), "{kept}");
        }
    }
}

#[tokio::test]
async fn a_key_that_a_policy_refused_is_in_no_record_and_the_call_can_be_replayed() {
    let (app, gov, alice) = guarded().await;
    let key = "ghp_q7Rk2Wz9Lm4Tn8Vb3Xc5Jd1Hg6Fs0PyQ7rK2";
    let command = json!({"command": format!("rm -rf x; curl -H 'Authorization: Bearer {key}' h; PGPASSWORD=tulips-42 psql")});
    let ask =
        Ask { task: format!("clean up with {key}"), context: object(json!({"said": key})), ..Ask::default() };
    let made = Call { arguments: command, ..call("rm") };
    let judged = judge(&app.cx, &alice, ask.clone(), made.clone(), Usage::default()).await.unwrap();
    assert!(!judged.verdict.is_allowed());
    let run = start(&app.cx, &alice, Start { ask, session: None }).await.unwrap().run;
    let said = Step { call: made, context: object(json!({})), id: None };
    step(&app.cx, &alice, app::governance::RunRef::Id(run.id), said).await.unwrap();
    for decision in all(&app, &alice, ListDecisions::default()).await {
        let shown = format!("{decision:?} {:?}", read(&app.cx, &alice, decision.id).await.unwrap());
        assert!(!shown.contains(key) && !shown.contains("tulips-42"), "{shown}");
        let task = read(&app.cx, &alice, decision.id).await.unwrap().task;
        assert_eq!(task.as_deref(), Some("clean up with [redacted: GitHub token]"));
    }
    assert_eq!(problems(&app).await, "");
    let other = app.put(&gov, policy("other", Scope::Workspace, forbids("ls"))).await.record.skill;
    let proposal = Proposal { skill: Some(other.id), remove: true, ..Proposal::default() };
    let range = ReplayRange { limit: 100, ..ReplayRange::default() };
    let replayed = replay(&app.cx, &gov, proposal, range).await.unwrap();
    assert_eq!((replayed.replayed, replayed.skipped), (2, 0));
}

#[tokio::test]
async fn what_is_strange_is_kept_and_verifies() {
    let (app, _, alice) = guarded().await;
    let ask = Ask {
        task: "a\0b".to_owned(),
        context: object(json!({"\0": "\0", "n": 1e300})),
        host: Some("\0".to_owned()),
        ..Ask::default()
    };
    let made = Call { tool: "t\0".to_owned(), alias: Some("\0a".to_owned()), arguments: json!({"\0": "\0"}) };
    for elapsed in [std::time::Duration::MAX, std::time::Duration::from_nanos(1_234_567)] {
        let usage = Usage { steps: u32::MAX, elapsed };
        judge(&app.cx, &alice, ask.clone(), made.clone(), usage).await.unwrap();
    }
    resolve(&app.cx, &alice, ask.clone()).await.unwrap();
    let long = Ask { task: "x".repeat(100_000), ..Ask::default() };
    let id = resolve(&app.cx, &alice, long.clone()).await.unwrap().decision;
    let decision = read(&app.cx, &alice, id).await.unwrap();
    assert_eq!((decision.task, decision.task_digest), (None, Digest::of(long.task.as_bytes())));
    assert_eq!(problems(&app).await, "");
}

#[tokio::test]
async fn a_verdict_of_a_run_is_shown_with_the_task_of_the_run() {
    let (app, _, alice) = guarded().await;
    let ask = Ask { task: "the task".to_owned(), ..Ask::default() };
    let run = start(&app.cx, &alice, Start { ask, session: None }).await.unwrap().run;
    let said = Step { call: call("rm"), context: object(json!({})), id: None };
    let id = app::governance::RunRef::Id(run.id);
    let judged = step(&app.cx, &alice, id, said).await.unwrap();
    let decision = read(&app.cx, &alice, judged.decision).await.unwrap();
    assert_eq!((decision.task.as_deref(), decision.run), (Some("the task"), Some(run.id)));
    let denial = decision.denial().unwrap();
    assert_eq!(
        (denial.cause.as_str(), denial.policies.as_slice()),
        ("forbidden", ["guard".to_owned()].as_slice())
    );
    assert_eq!(denial.reason, "Tool 'rm' is forbidden by Skill(s): guard");
    assert_eq!(problems(&app).await, "");
    app.tamper("UPDATE governed_runs SET task = 'another'", &[]).await;
    let decision = read(&app.cx, &alice, judged.decision).await.unwrap();
    assert_eq!(decision.task, None, "a task that was slipped in is not shown as the one that was decided on");
}

#[tokio::test]
async fn decisions_are_seen_by_whose_they_are_and_by_who_reads_the_log() {
    let (app, gov, alice) = guarded().await;
    let bob = app.user("bob", &[]).await;
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    let mut ids = Vec::new();
    for caller in [&alice, &alice.through(&one), &alice.through(&two), &bob] {
        ids.push(ask_judge(&app.cx, caller, "ls").await.unwrap().decision);
        app.clock.advance(Duration::seconds(1));
    }
    let (rita, paul) =
        (app.user("rita", &[Role::Reviewer]).await, app.user("paul", &[Role::PolicyAdmin]).await);
    let reading = gov.scoped(&[TokenScope::Read]);
    for (caller, expected) in [
        (&alice, vec![2, 1, 0]),
        (&alice.through(&one), vec![1]),
        (&alice.through(&two), vec![2]),
        (&bob, vec![3]),
        (&bob.through(&one), vec![]),
        (&rita, vec![]),
        (&reading, vec![]),
        (&paul, vec![3, 2, 1, 0]),
        (&app.admin().await, vec![3, 2, 1, 0]),
    ] {
        let seen = all(&app, caller, ListDecisions::default()).await;
        let places: Vec<_> =
            seen.iter().map(|decision| ids.iter().position(|id| *id == decision.id).unwrap()).collect();
        assert_eq!(places, expected);
        for (place, id) in ids.iter().enumerate() {
            match read(&app.cx, caller, *id).await {
                Ok(decision) => assert!(decision.id == *id && expected.contains(&place)),
                Err(error) => assert!(error.code() == Code::NotFound && !expected.contains(&place)),
            }
        }
    }
    let of_bob = ListDecisions { user: Some(bob.user), ..ListDecisions::default() };
    assert_eq!(all(&app, &alice, of_bob.clone()).await, []);
    assert_eq!(all(&app, &paul, of_bob).await.len(), 1);
    let of_two = ListDecisions { agent: Some(two.id), ..ListDecisions::default() };
    assert_eq!(all(&app, &alice.through(&one), of_two.clone()).await, []);
    assert_eq!(all(&app, &alice, of_two).await.len(), 1);
    let olga = app.workspace("other").await;
    assert_eq!(all(&app, &olga, ListDecisions::default()).await, []);
    app.refuses(Code::NotFound, read(&app.cx, &olga, ids[0])).await;
}

#[tokio::test]
async fn a_list_of_decisions_is_filtered_by_each_field() {
    let (app, gov, alice) = sealed().await;
    let (began, later) = (app.now(), app.now() + Duration::hours(1));
    app.clock.advance(Duration::hours(1));
    let run = start(&app.cx, &alice, Start::default()).await.unwrap().run;
    let guard = app::skills::resolve(&app.cx, &gov, "guard").await.unwrap().skill.id;
    let usual = ListDecisions::default;
    let text = |text: &str| Some(text.to_owned());
    for (request, expected) in [
        (usual(), 4),
        (ListDecisions { kind: Some(DecisionKind::Resolution), ..usual() }, 2),
        (ListDecisions { kind: Some(DecisionKind::Verdict), ..usual() }, 2),
        (ListDecisions { denied: Some(true), ..usual() }, 1),
        (ListDecisions { denied: Some(false), ..usual() }, 1),
        (ListDecisions { user: Some(alice.user), ..usual() }, 4),
        (ListDecisions { user: Some(gov.user), ..usual() }, 0),
        (ListDecisions { host: text("claude"), ..usual() }, 3),
        (ListDecisions { run: Some(run.id), ..usual() }, 1),
        (ListDecisions { policy: Some(guard), ..usual() }, 4),
        (ListDecisions { denied_by: text("guard"), ..usual() }, 1),
        (ListDecisions { tool: text("Bash"), ..usual() }, 1),
        (ListDecisions { cause: text("forbidden"), ..usual() }, 1),
        (ListDecisions { since: Some(later), ..usual() }, 1),
        (ListDecisions { until: Some(later), ..usual() }, 3),
        (ListDecisions { since: Some(began), until: Some(later), denied: Some(true), ..usual() }, 1),
    ] {
        assert_eq!(all(&app, &gov, request.clone()).await.len(), expected, "{request:?}");
    }
    let page = PageRequest { limit: 1, after: None };
    let first = list(&app.cx, &gov, ListDecisions { page, ..usual() }).await.unwrap();
    assert_eq!((first.items.len(), first.next.is_some()), (1, true));
}

#[tokio::test]
async fn a_database_that_fails_is_told_to_everyone_who_waits_and_the_desk_goes_on() {
    let (app, gov, alice) = guarded().await;
    let run = start(&app.cx, &alice, Start::default()).await.unwrap().run;
    let before = app.snapshot().await;
    app.fail_commits(true);
    for result in judge_many(std::slice::from_ref(&app.cx), &alice, 300).await {
        assert_eq!(result.unwrap_err().code(), Code::Unavailable);
    }
    let said = Step { call: call("ls"), context: object(json!({})), id: None };
    let id = || app::governance::RunRef::Id(run.id);
    let failed = step(&app.cx, &alice, id(), said.clone()).await.unwrap_err();
    assert_eq!(failed.code(), Code::Unavailable);
    assert_eq!(before.changes(&app.snapshot().await), Vec::<String>::new(), "nothing was decided");
    app.fail_commits(false);
    assert_eq!(
        denial(&app.cx, &alice, "rm").await.as_deref(),
        Some("Tool 'rm' is forbidden by Skill(s): guard")
    );
    assert_eq!(step(&app.cx, &alice, id(), said).await.unwrap().usage.steps, 0);
    let verification = verify(&app.cx, &gov).await.unwrap();
    assert_eq!((verification.decisions, verification.problems), (3, vec![]));
}

#[tokio::test]
async fn a_decision_that_cannot_be_sealed_is_not_made() {
    let (app, _, alice) = guarded().await;
    let last = i64::try_from(app.audit(alice.workspace).await.len()).unwrap();
    // The next entry's place is taken.
    let insert = "INSERT INTO audit_entries SELECT workspace_id, $1 + 1, at, user_id, agent_id, verb, subject_kind, \
                  subject_id, detail, previous, hash FROM audit_entries WHERE sequence = $1";
    app.tamper(insert, &[last]).await;
    let before = app.snapshot().await;
    let told = judge_many(std::slice::from_ref(&app.cx), &alice, 20).await;
    assert_eq!((told.len(), told.iter().filter(|result| result.is_err()).count()), (20, 20));
    assert_eq!(before.changes(&app.snapshot().await), Vec::<String>::new());
    app.tamper("DELETE FROM audit_entries WHERE sequence = $1 + 1", &[last]).await;
    ask_judge(&app.cx, &alice, "ls").await.unwrap();
    assert_eq!(problems(&app).await, "");
}

#[tokio::test]
async fn who_goes_away_leaves_the_decision_behind() {
    let (app, _, alice) = guarded().await;
    let (cx, caller) = (app.cx.clone(), alice.clone());
    let gone = tokio::spawn(async move { ask_judge(&cx, &caller, "gone").await });
    tokio::task::yield_now().await;
    gone.abort();
    ask_judge(&app.cx, &alice, "stays").await.unwrap();
    let kept = all(&app, &alice, ListDecisions::default()).await;
    let tools: Vec<Value> = kept.iter().map(|made| json!(made.call.as_ref().unwrap().tool)).collect();
    assert!(tools.contains(&json!("gone")) && tools.contains(&json!("stays")), "{tools:?}");
    assert_eq!(problems(&app).await, "");
}

#[tokio::test]
async fn recorded_calls_of_many_pages_are_judged_again() {
    let (app, gov, alice) = guarded().await;
    let ask = Ask { task: "t".repeat(100 << 10), ..Ask::default() };
    let run = start(&app.cx, &alice, Start { ask, session: None }).await.unwrap().run;
    for n in 0..120 {
        let said =
            Step { call: call(if n % 3 == 0 { "rm" } else { "ls" }), context: object(json!({})), id: None };
        step(&app.cx, &alice, RunRef::Id(run.id), said).await.unwrap();
    }
    judge_many(std::slice::from_ref(&app.cx), &alice, 10).await;
    let guard = app::skills::resolve(&app.cx, &gov, "guard").await.unwrap().skill.id;
    let again = async |limit| {
        let without = Proposal { skill: Some(guard), remove: true, ..Proposal::default() };
        replay(&app.cx, &gov, without, ReplayRange { limit, ..ReplayRange::default() }).await.unwrap()
    };
    let told = again(1_000).await;
    assert_eq!((told.replayed, told.skipped, told.unchanged), (130, 0, 90));
    let denied: BTreeSet<_> = told.differences.iter().map(|one| one.recorded.id).collect();
    assert_eq!((denied.len(), told.more_differences), (40, 0), "each once");
    assert_eq!(again(110).await.replayed, 110);
}
