//! Governance: what resolving policies and judging a call takes, beside Cedar and regorus on the same lists.
//!
//! The peers answer less: they are given the active policies only, take a command as one text, and name no reason in
//! words. Each has the form in which it is fastest of those we tried.

#[cfg(feature = "governance-peers")]
mod cedar;
#[cfg(feature = "governance-peers")]
mod peers;
#[cfg(feature = "governance-peers")]
mod rego;
mod workload;

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use policy::constraints::{Context, Resolution, ToolCall, Usage, judge};

use self::workload::{ACTIVE, Call, TASK, VALIDATORS};
use crate::report::Report;
use crate::times::{Candidate, Table};

/// How often each candidate is timed.
const ROUNDS: usize = 100;
/// The most nanoseconds that judging a call should take.
const GOAL: f64 = 5_000.0;

const RESOLVE: &str = "resolve, 1000 policies";
const JUDGE: &str = "judge, all calls";
const JUDGE_EACH: &str = "judge, each call";
const VALIDATED: &str = "judge with validators, all calls";
const VALIDATED_EACH: &str = "judge with validators, each call";

/// Measures ours, and the peers where they are built in.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let context = workload::context();
    let policies = workload::policies(false)?;
    let resolution = policies.resolve(TASK, &context);
    let validated = workload::policies(true)?.resolve(TASK, &context);
    ensure!(resolution.active.len() == ACTIVE, "{} policies are active", resolution.active.len());
    let validators = validated.constraints.validators;
    ensure!(validators == VALIDATORS, "there are {validators} validators");
    let calls = workload::calls();
    let allowed = |resolution| calls.iter().filter(|call| decide(resolution, call, &context)).count();
    let (of, plain, checked) = (calls.len(), allowed(&resolution), allowed(&validated));
    println!("{of} calls, {plain} of them allowed; with {VALIDATORS} validators {checked}");
    ensure!(plain == of / 2 && checked > 0, "the calls are another mix");
    #[cfg(feature = "governance-peers")]
    let mut peers = peers::Peers::new(&calls, |call| decide(&resolution, call, &context))?;

    let resolving = Candidate::new(RESOLVE, 1, || {
        let started = Instant::now();
        black_box(policies.resolve(black_box(TASK), &context));
        Ok(started.elapsed())
    });
    let mut candidates = vec![resolving];
    for (all, each, resolution) in [(JUDGE, JUDGE_EACH, &resolution), (VALIDATED, VALIDATED_EACH, &validated)]
    {
        let context = &context;
        candidates.push(over_all(all, &calls, move |call| Ok(decide(resolution, call, context))));
        candidates.push(over_each(each, &calls, move |call| Ok(decide(resolution, call, context))));
    }
    #[cfg(feature = "governance-peers")]
    candidates.extend(peers.candidates(&calls));
    let table = Table::measure(ROUNDS, &mut candidates)?;
    table.print();

    report.fact("resolve_1000_ms", table.median(RESOLVE).context(RESOLVE)?, "ms");
    report.goal("judge_ns", mean(&table, JUDGE, of)?, GOAL, "ns");
    report.fact("judge_p50_ns", mean(&table, JUDGE_EACH, 1)?, "ns");
    report.goal("judge_with_validators_ns", mean(&table, VALIDATED, of)?, GOAL, "ns");
    report.fact("judge_with_validators_p50_ns", mean(&table, VALIDATED_EACH, 1)?, "ns");
    #[cfg(feature = "governance-peers")]
    peers::report(report, &table, of)?;
    #[cfg(not(feature = "governance-peers"))]
    for id in ["judge_vs_cedar", "judge_vs_regorus"] {
        report.missing(id, "built without the feature governance-peers");
    }
    Ok(())
}

fn decide(resolution: &Resolution, call: &Call, context: &Context) -> bool {
    let call = ToolCall::new(&call.tool, &call.arguments);
    black_box(judge(black_box(resolution), call, context, Usage::default())).is_allowed()
}

/// Times all calls together, so that the clock does not count.
fn over_all<'a>(
    name: &'static str,
    calls: &'a [Call],
    mut decide: impl FnMut(&Call) -> Result<bool> + 'a,
) -> Candidate<'a> {
    let call = move || {
        let started = Instant::now();
        for call in calls {
            black_box(decide(black_box(call))?);
        }
        Ok(started.elapsed())
    };
    Candidate::new(name, 1, call)
}

/// Times the calls one by one, in turns.
fn over_each<'a>(
    name: &'static str,
    calls: &'a [Call],
    mut decide: impl FnMut(&Call) -> Result<bool> + 'a,
) -> Candidate<'a> {
    let mut turns = calls.iter().cycle();
    let call = move || {
        let call = turns.next().context("no calls")?;
        let started = Instant::now();
        black_box(decide(black_box(call))?);
        Ok(started.elapsed())
    };
    Candidate { pause: Duration::ZERO, ..Candidate::new(name, calls.len(), call) }
}

/// Nanoseconds a call, from the median of rounds of so many calls.
#[allow(clippy::cast_precision_loss, reason = "a few hundred")]
fn mean(table: &Table, name: &str, calls: usize) -> Result<f64> {
    Ok(table.median(name).with_context(|| format!("`{name}` was not measured"))? * 1e6 / calls as f64)
}
