//! Governed runs and decisions.

use std::sync::Arc;
use std::time::Duration;

use model::{
    Decision, DecisionId, DecisionKind, Digest, GovernedRun, GovernedRunId, JudgedCall, PolicyRef,
    RecordedDenial, RevisionNumber, Skill, SkillId,
};
use serde_json::json;

use super::World;
use super::samples::{self, moment, number};
use crate::{ChangeCursor, DecisionFilter, GovernedRunFilter, Pruned, Store, StoreError, Which};

/// A governed run that says everything.
fn full_run(world: &World) -> GovernedRun {
    let context = json!({"z": 1, "a": [null, 1.5, "ü\u{0}\n"], "m": {"y": true}});
    GovernedRun {
        agent: Some(samples::agent_id()),
        host: Some("claude".to_owned()),
        session: Some("s-1".to_owned()),
        task: Some("Review, bitte \"ß\"".to_owned()),
        context: context.as_object().cloned(),
        steps: 7,
        denied: 2,
        touched_at: moment(8),
        finished_at: Some(moment(9)),
        outcome: Some("done".to_owned()),
        ..samples::governed_run(world.workspace, world.ada)
    }
}

fn policy(id: &str) -> PolicyRef {
    PolicyRef {
        id: id.to_owned(),
        skill: samples::skill_id(),
        revision: number(3),
        digest: Digest::of(id.as_bytes()),
    }
}

fn call(tool: &str) -> JudgedCall {
    JudgedCall {
        tool: tool.to_owned(),
        alias: None,
        arguments_digest: Digest::of(tool.as_bytes()),
        arguments: None,
        steps: 0,
        elapsed: Duration::ZERO,
        denial: None,
    }
}

/// A denied call that says everything.
fn full_verdict(world: &World) -> Decision {
    let denial = RecordedDenial {
        cause: "forbidden".to_owned(),
        reason: "Tool 'rm' is forbidden by Skill(s): guard, agent/limits".to_owned(),
        policies: vec!["guard".to_owned(), "agent/limits".to_owned()],
    };
    Decision {
        agent: Some(samples::agent_id()),
        host: Some("claude".to_owned()),
        run: Some(samples::governed_run(world.workspace, world.ada).id),
        task: Some("Remove \"it\"\n".to_owned()),
        context: Some("{\"a\":1}".to_owned()),
        policies: vec![policy("guard"), policy("agent/limits")],
        call: Some(JudgedCall {
            alias: Some("Bash".to_owned()),
            arguments: Some("{\"path\":\"ü\"}".to_owned()),
            steps: u32::MAX,
            elapsed: Duration::from_micros(1_234_567),
            denial: Some(denial),
            ..call("rm")
        }),
        ..samples::decision(world.workspace, world.ada)
    }
}

fn full_resolution(world: &World) -> Decision {
    Decision {
        policies: vec![policy("guard")],
        reasons: vec!["one".to_owned(), "two, with \"quotes\"".to_owned()],
        ..samples::decision(world.workspace, world.bob)
    }
}

async fn keep_runs(world: &World, runs: &[&GovernedRun]) {
    let mut tx = world.begin().await;
    for run in runs {
        tx.insert_governed_run(run).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn keep(world: &World, seal: u64, decisions: &[&Decision]) {
    let decisions: Vec<Decision> = decisions.iter().map(|decision| (*decision).clone()).collect();
    let mut tx = world.begin().await;
    tx.insert_decisions(world.workspace, seal, &decisions).await.unwrap();
    tx.commit().await.unwrap();
}

async fn found_runs(world: &World, filter: &GovernedRunFilter) -> Vec<GovernedRunId> {
    let runs = world.read().await.governed_runs(world.workspace, filter, None, 100).await.unwrap();
    runs.into_iter().map(|run| run.id).collect()
}

async fn found(world: &World, filter: &DecisionFilter) -> Vec<DecisionId> {
    let decisions = world.read().await.decisions(world.workspace, filter, None, 100).await.unwrap();
    decisions.into_iter().map(|decision| decision.id).collect()
}

async fn sealed(world: &World, first: u64, last: u64) -> Vec<(u64, DecisionId)> {
    let decisions = world.read().await.sealed_decisions(world.workspace, first, last).await.unwrap();
    decisions.into_iter().map(|(seal, decision)| (seal, decision.id)).collect()
}

fn at(decision: Decision, seconds: i64) -> Decision {
    Decision { at: moment(seconds), ..decision }
}

pub async fn a_governed_run_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (plain, full) = (samples::governed_run(world.workspace, world.bob), full_run(&world));
    keep_runs(&world, &[&plain, &full]).await;
    let mut tx = world.read().await;
    assert_eq!(tx.governed_run(world.workspace, plain.id).await.unwrap(), Some(plain));
    let stored = tx.governed_run(world.workspace, full.id).await.unwrap();
    let names: Vec<_> = stored.iter().flat_map(|run| run.context.iter().flat_map(|map| map.keys())).collect();
    assert_eq!(names, ["z", "a", "m"]);
    assert_eq!(stored, Some(full));
    let unknown = samples::governed_run(world.workspace, world.ada).id;
    assert_eq!(tx.governed_run(world.workspace, unknown).await.unwrap(), None);
}

pub async fn updating_a_governed_run_replaces_what_changes(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (run, other) = (full_run(&world), full_run(&world));
    keep_runs(&world, &[&run, &other]).await;
    let changed = GovernedRun {
        task: None,
        context: None,
        steps: 8,
        denied: 3,
        touched_at: moment(20),
        finished_at: None,
        outcome: None,
        ..run.clone()
    };
    let mut tx = world.begin().await;
    // Whose run it is and when it began stays.
    let claimed = GovernedRun { user: world.bob, started_at: moment(0), host: None, ..changed.clone() };
    tx.update_governed_run(&claimed).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.governed_run(world.workspace, run.id).await.unwrap(), Some(changed));
    assert_eq!(tx.governed_run(world.workspace, other.id).await.unwrap(), Some(other));
}

pub async fn counting_steps_of_a_governed_run_leaves_its_texts(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (run, other) = (full_run(&world), full_run(&world));
    keep_runs(&world, &[&run, &other]).await;
    let counted = GovernedRun { steps: 8, denied: 3, touched_at: moment(20), ..run.clone() };
    let mut tx = world.begin().await;
    let told = GovernedRun { task: None, context: None, outcome: None, finished_at: None, ..counted.clone() };
    tx.count_governed_steps(&told).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = world.read().await;
    assert_eq!(tx.governed_run(world.workspace, run.id).await.unwrap(), Some(counted));
    assert_eq!(tx.governed_run(world.workspace, other.id).await.unwrap(), Some(other));
}

pub async fn governed_runs_are_listed_newest_first_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let run = |seconds| GovernedRun {
        started_at: moment(seconds),
        ..samples::governed_run(world.workspace, world.ada)
    };
    // Two of one moment: the later id comes first.
    let (first, second, third, fourth) = (run(1), run(2), run(2), run(3));
    keep_runs(&world, &[&third, &first, &fourth, &second]).await;
    let expected = [fourth.id, third.id, second.id, first.id];
    let all = GovernedRunFilter::default();
    assert_eq!(found_runs(&world, &all).await, expected);
    let mut tx = world.read().await;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = tx.governed_runs(world.workspace, &all, after, 1).await.unwrap();
        let Some(run) = page.first() else { break };
        after = Some((run.started_at, run.id));
        seen.push(run.id);
    }
    assert_eq!(seen, expected);
}

pub async fn governed_runs_are_filtered_by_each_field(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let over = GovernedRun { started_at: moment(1), ..full_run(&world) };
    let open =
        GovernedRun { started_at: moment(2), touched_at: moment(2), finished_at: None, ..full_run(&world) };
    let open = GovernedRun { host: Some("codex".to_owned()), session: Some("s-2".to_owned()), ..open };
    let bobs = GovernedRun { started_at: moment(3), ..samples::governed_run(world.workspace, world.bob) };
    keep_runs(&world, &[&over, &open, &bobs]).await;
    let all = GovernedRunFilter::default;
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (all(), vec![bobs.id, open.id, over.id]),
        (GovernedRunFilter { user: Some(world.ada), ..all() }, vec![open.id, over.id]),
        (GovernedRunFilter { agent: over.agent, ..all() }, vec![over.id]),
        (GovernedRunFilter { host: text("codex"), ..all() }, vec![open.id]),
        (GovernedRunFilter { session: text("s-1"), ..all() }, vec![over.id]),
        (GovernedRunFilter { open: Some(true), ..all() }, vec![bobs.id, open.id]),
        (GovernedRunFilter { open: Some(false), ..all() }, vec![over.id]),
        (GovernedRunFilter { untouched_since: Some(moment(5)), ..all() }, vec![open.id]),
        (
            GovernedRunFilter { user: Some(world.ada), open: Some(true), session: text("s-1"), ..all() },
            vec![],
        ),
        (GovernedRunFilter { host: text("\0"), session: text("\0"), ..all() }, vec![]),
    ] {
        assert_eq!(found_runs(&world, &filter).await, expected, "{filter:?}");
    }
}

pub async fn a_decision_comes_back_as_it_was_stored(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let allowed = Decision { call: Some(call("ls")), ..samples::decision(world.workspace, world.ada) };
    let all = [
        samples::decision(world.workspace, world.ada),
        full_resolution(&world),
        allowed,
        full_verdict(&world),
    ];
    keep(&world, 1, &all.each_ref()).await;
    let mut tx = world.read().await;
    for decision in all {
        let stored = tx.decision(world.workspace, decision.id).await.unwrap();
        assert_eq!(stored.as_ref().map(Decision::digest), Some(decision.digest()));
        assert_eq!(stored, Some(decision));
    }
    let unknown = samples::decision(world.workspace, world.ada).id;
    assert_eq!(tx.decision(world.workspace, unknown).await.unwrap(), None);
}

pub async fn a_decision_is_kept_once(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let decision = full_verdict(&world);
    keep(&world, 1, &[&decision]).await;
    let again =
        world.begin().await.insert_decisions(world.workspace, 2, std::slice::from_ref(&decision)).await;
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
    assert_eq!(sealed(&world, 0, 9).await, [(1, decision.id)]);
}

pub async fn decisions_are_listed_newest_first_in_pages(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let sample = |seconds| at(full_verdict(&world), seconds);
    // Two of one moment: the later id comes first.
    let (first, second, third, fourth) = (sample(1), sample(2), sample(2), sample(3));
    keep(&world, 1, &[&third, &first]).await;
    keep(&world, 2, &[&fourth, &second]).await;
    let expected = [fourth.id, third.id, second.id, first.id];
    let all = DecisionFilter::default();
    assert_eq!(found(&world, &all).await, expected);
    let mut tx = world.read().await;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = tx.decisions(world.workspace, &all, after, 1).await.unwrap();
        let Some(decision) = page.first() else { break };
        after = Some((decision.at, decision.id));
        seen.push(decision.id);
    }
    assert_eq!(seen, expected);
}

pub async fn decisions_are_filtered_by_each_field(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let denied = at(full_verdict(&world), 1);
    let allowed = Decision { call: Some(call("ls")), ..samples::decision(world.workspace, world.ada) };
    let allowed = at(allowed, 2);
    let resolution = at(full_resolution(&world), 3);
    keep(&world, 1, &[&denied, &allowed, &resolution]).await;
    let all = DecisionFilter::default;
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (all(), vec![resolution.id, allowed.id, denied.id]),
        (DecisionFilter { kind: Some(DecisionKind::Resolution), ..all() }, vec![resolution.id]),
        (DecisionFilter { kind: Some(DecisionKind::Verdict), ..all() }, vec![allowed.id, denied.id]),
        (DecisionFilter { denied: Some(true), ..all() }, vec![denied.id]),
        (DecisionFilter { denied: Some(false), ..all() }, vec![allowed.id]),
        (DecisionFilter { user: Some(world.bob), ..all() }, vec![resolution.id]),
        (DecisionFilter { agent: denied.agent, ..all() }, vec![denied.id]),
        (DecisionFilter { host: text("claude"), ..all() }, vec![denied.id]),
        (DecisionFilter { host: text("Claude"), ..all() }, vec![]),
        (DecisionFilter { run: denied.run, ..all() }, vec![denied.id]),
        (DecisionFilter { policy: Some(denied.policies[1].skill), ..all() }, vec![denied.id]),
        (DecisionFilter { policy: Some(resolution.policies[0].skill), ..all() }, vec![resolution.id]),
        (DecisionFilter { policy: Some(samples::skill_id()), ..all() }, vec![]),
        (DecisionFilter { denied_by: text("agent/limits"), ..all() }, vec![denied.id]),
        (DecisionFilter { denied_by: text("limits"), ..all() }, vec![]),
        (DecisionFilter { tool: text("ls"), ..all() }, vec![allowed.id]),
        (DecisionFilter { tool: text("Bash"), ..all() }, vec![denied.id]),
        (DecisionFilter { cause: text("forbidden"), ..all() }, vec![denied.id]),
        (DecisionFilter { cause: text("max_steps"), ..all() }, vec![]),
        (DecisionFilter { since: Some(moment(2)), ..all() }, vec![resolution.id, allowed.id]),
        (DecisionFilter { until: Some(moment(2)), ..all() }, vec![denied.id]),
        (
            DecisionFilter { user: Some(world.ada), denied: Some(true), tool: text("rm"), ..all() },
            vec![denied.id],
        ),
        (DecisionFilter { tool: text("\0"), denied_by: text("\0"), ..all() }, vec![]),
    ] {
        assert_eq!(found(&world, &filter).await, expected, "{filter:?}");
    }
}

pub async fn an_id_in_a_filter_is_taken_literally(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    keep(&world, 1, &[&full_verdict(&world)]).await;
    for id in ["%", "g_ard", "_____", "guard\",\"agent/limits", "\\", "GUARD"] {
        let filter = DecisionFilter { denied_by: Some(id.to_owned()), ..DecisionFilter::default() };
        assert_eq!(found(&world, &filter).await, [], "{id}");
    }
}

pub async fn sealed_decisions_keep_their_order(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    // Neither the moment nor the id is the order in which they were made.
    let [a, b, c, d] = [3, 1, 2, 0].map(|seconds| at(full_verdict(&world), seconds));
    keep(&world, 4, &[&c, &a]).await;
    keep(&world, 7, &[&d, &b]).await;
    assert_eq!(sealed(&world, 0, u64::MAX).await, [(4, c.id), (4, a.id), (7, d.id), (7, b.id)]);
    assert_eq!(sealed(&world, 4, 6).await, [(4, c.id), (4, a.id)]);
    assert_eq!(sealed(&world, 5, 7).await, [(7, d.id), (7, b.id)]);
    assert_eq!(sealed(&world, 8, 9).await, []);
    let stored = world.read().await.sealed_decisions(world.workspace, 4, 4).await.unwrap();
    let stored: Vec<Decision> = stored.into_iter().map(|(_, decision)| decision).collect();
    assert_eq!(model::seal_digest(&stored), model::seal_digest(&[c, a]));
}

pub async fn policies_that_were_active_together_are_told_from_others(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (one, two) = (policy("one"), policy("two"));
    let newer = PolicyRef { revision: number(4), ..one.clone() };
    let sets = [
        vec![],
        vec![one.clone()],
        vec![one.clone(), two.clone()],
        vec![two.clone(), one.clone()],
        vec![newer],
        vec![one.clone(), two.clone()],
    ];
    let decisions =
        sets.map(|policies| Decision { policies, ..samples::decision(world.workspace, world.ada) });
    keep(&world, 1, &decisions.each_ref()[..4]).await;
    keep(&world, 2, &decisions.each_ref()[4..]).await;
    let mut tx = world.read().await;
    for decision in &decisions {
        assert_eq!(tx.decision(world.workspace, decision.id).await.unwrap().as_ref(), Some(decision));
    }
    let while_active = async |skill: SkillId| {
        let filter = DecisionFilter { policy: Some(skill), ..DecisionFilter::default() };
        found(&world, &filter).await.len()
    };
    assert_eq!((while_active(one.skill).await, while_active(two.skill).await), (5, 3));
}

pub async fn pruning_takes_runs_that_are_over_and_have_no_decision_left(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let ended = |seconds| GovernedRun {
        finished_at: Some(moment(seconds)),
        ..samples::governed_run(world.workspace, world.ada)
    };
    let (old, young, used) = (ended(1), ended(9), ended(1));
    let open = samples::governed_run(world.workspace, world.ada);
    let mut tx = world.begin().await;
    for run in [&old, &young, &used, &open] {
        tx.insert_governed_run(run).await.unwrap();
    }
    tx.commit().await.unwrap();
    keep(&world, 3, &[&at(Decision { run: Some(used.id), ..full_verdict(&world) }, 6)]).await;
    let left = async || {
        let mut tx = world.read().await;
        let mut left = Vec::new();
        for run in [&old, &young, &used, &open] {
            left.push(tx.governed_run(world.workspace, run.id).await.unwrap().is_some());
        }
        left
    };
    let mut tx = world.begin().await;
    let pruned = tx.prune_decisions(world.workspace, moment(5)).await.unwrap().unwrap();
    assert_eq!((pruned.removed, pruned.runs), (0, 1));
    assert_eq!(tx.prune_decisions(world.workspace, moment(5)).await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(left().await, [false, true, true, true]);
}

pub async fn pruning_takes_whole_seals_only(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let [a, b, c, d] = [1, 2, 3, 4].map(|seconds| at(full_verdict(&world), seconds));
    keep(&world, 3, &[&a]).await;
    keep(&world, 5, &[&b, &c]).await;
    keep(&world, 6, &[&d]).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.prune_decisions(world.workspace, moment(1)).await.unwrap(), None);
    // The second seal holds one that is to stay, so all of it stays.
    let pruned = tx.prune_decisions(world.workspace, moment(3)).await.unwrap();
    assert_eq!(pruned, Some(Pruned { through: 4, removed: 1, runs: 0 }));
    assert_eq!(tx.prune_decisions(world.workspace, moment(3)).await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(sealed(&world, 0, 9).await, [(5, b.id), (5, c.id), (6, d.id)]);
    let mut tx = world.begin().await;
    let pruned = tx.prune_decisions(world.workspace, moment(9)).await.unwrap();
    assert_eq!(pruned, Some(Pruned { through: 6, removed: 3, runs: 0 }));
    assert_eq!(tx.prune_decisions(world.workspace, moment(9)).await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(sealed(&world, 0, 9).await, []);
}

pub async fn pruning_spares_what_is_younger_when_clocks_went_back(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let [old, ahead, behind] = [1, 9, 5].map(|seconds| at(full_verdict(&world), seconds));
    keep(&world, 1, &[&old]).await;
    keep(&world, 2, &[&ahead]).await;
    keep(&world, 3, &[&behind]).await;
    let mut tx = world.begin().await;
    let pruned = tx.prune_decisions(world.workspace, moment(4)).await.unwrap();
    assert_eq!(pruned, Some(Pruned { through: 1, removed: 1, runs: 0 }));
    tx.commit().await.unwrap();
    assert_eq!(sealed(&world, 0, 9).await, [(2, ahead.id), (3, behind.id)]);
}

pub async fn governance_is_of_no_other_workspace(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let guard = Skill { enforced: Some(RevisionNumber::FIRST), ..world.skill("guard") };
    world.add(&[&guard]).await;
    let (run, decision) = (full_run(&world), full_verdict(&world));
    keep_runs(&world, &[&run]).await;
    keep(&world, 1, &[&decision]).await;
    let other = world.add_workspace("other").await;
    let mut tx = world.store.begin(other).await.unwrap();
    assert_eq!(tx.governed_run(other, run.id).await.unwrap(), None);
    assert_eq!(tx.governed_runs(other, &GovernedRunFilter::default(), None, 10).await.unwrap(), []);
    tx.update_governed_run(&GovernedRun { workspace: other, steps: 99, ..run.clone() }).await.unwrap();
    assert_eq!(tx.decision(other, decision.id).await.unwrap(), None);
    assert_eq!(tx.decisions(other, &DecisionFilter::default(), None, 10).await.unwrap(), []);
    assert_eq!(tx.sealed_decisions(other, 0, 9).await.unwrap(), []);
    assert_eq!(tx.prune_decisions(other, moment(1_000_000)).await.unwrap(), None);
    assert_eq!(tx.policy_changes(other, Which::All, ChangeCursor::default(), 10).await.unwrap(), []);
    // The same policies may be active there.
    let same = Decision { workspace: other, ..full_verdict(&world) };
    tx.insert_decisions(other, 1, &[Decision { policies: decision.policies.clone(), ..same }]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(found_runs(&world, &GovernedRunFilter::default()).await, [run.id]);
    assert_eq!(world.read().await.governed_run(world.workspace, run.id).await.unwrap(), Some(run));
    let policy = decision.policies.first().map(|policy| policy.skill);
    assert_eq!(found(&world, &DecisionFilter { policy, ..DecisionFilter::default() }).await, [decision.id]);
}

pub async fn decisions_that_are_not_committed_are_gone(store: Arc<dyn Store>) {
    let world = World::new(store).await;
    let (run, decision) = (full_run(&world), full_verdict(&world));
    let mut tx = world.begin().await;
    tx.insert_governed_run(&run).await.unwrap();
    tx.insert_decisions(world.workspace, 1, std::slice::from_ref(&decision)).await.unwrap();
    drop(tx);
    assert_eq!(found_runs(&world, &GovernedRunFilter::default()).await, []);
    assert_eq!(found(&world, &DecisionFilter::default()).await, []);
    keep(&world, 1, &[&decision]).await;
    assert_eq!(sealed(&world, 0, 9).await, [(1, decision.id)]);
}
