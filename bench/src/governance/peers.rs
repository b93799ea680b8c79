//! Cedar and regorus: the same verdicts first, then their times.

use anyhow::{Context as _, Result, ensure};
use cedar_policy::Request;
use regorus::Value;

use super::cedar::Cedar;
use super::rego::Rego;
use super::workload::{self, Call};
use super::{JUDGE, mean, over_all};
use crate::report::Report;
use crate::times::{Candidate, Table};

const CEDAR: &str = "Cedar, request made";
const CEDAR_PREBUILT: &str = "Cedar, request given";
const REGORUS: &str = "regorus, input made";
const REGORUS_PREBUILT: &str = "regorus, input given";

/// Both, ready to be asked, and what was made of the calls.
pub(super) struct Peers {
    cedar: Cedar,
    rego: [Rego; 2],
    requests: Vec<Request>,
    inputs: Vec<Value>,
}

impl Peers {
    /// Makes both ready; an error when one of them decides otherwise about a call.
    pub(super) fn new(calls: &[Call], ours: impl Fn(&Call) -> bool) -> Result<Self> {
        let lists = workload::lists();
        let cedar = Cedar::new(&lists)?;
        let mut rego = Rego::new(&lists)?;
        let (mut requests, mut inputs) = (Vec::new(), Vec::new());
        for call in calls {
            let (request, input) = (cedar.request(call)?, Rego::input(call));
            let decided = (cedar.decide(&request), rego.decide(input.clone())?);
            let ours = ours(call);
            ensure!(
                decided == (ours, ours),
                "not of one mind about {} {}: ours {ours}, Cedar and regorus {decided:?}",
                call.tool,
                call.arguments
            );
            requests.push(request);
            inputs.push(input);
        }
        Ok(Self { cedar, rego: [rego, Rego::new(&lists)?], requests, inputs })
    }

    /// Each with what a caller must make of a call, and without.
    pub(super) fn candidates<'a>(&'a mut self, calls: &'a [Call]) -> Vec<Candidate<'a>> {
        let Self { cedar, rego: [made, given], requests, inputs } = self;
        let (cedar, mut requests, mut inputs) = (&*cedar, requests.iter().cycle(), inputs.iter().cycle());
        vec![
            over_all(CEDAR, calls, |call| Ok(cedar.decide(&cedar.request(call)?))),
            over_all(CEDAR_PREBUILT, calls, move |_| Ok(cedar.decide(requests.next().context("no calls")?))),
            over_all(REGORUS, calls, |call| made.decide(Rego::input(call))),
            over_all(REGORUS_PREBUILT, calls, move |_| {
                given.decide(inputs.next().context("no calls")?.clone())
            }),
        ]
    }
}

/// Ours beside each, in nanoseconds a call.
pub(super) fn report(report: &mut Report, table: &Table, calls: usize) -> Result<()> {
    let ours = mean(table, JUDGE, calls)?;
    for (id, peer) in [
        ("judge_vs_cedar", CEDAR),
        ("judge_vs_cedar_prebuilt", CEDAR_PREBUILT),
        ("judge_vs_regorus", REGORUS),
        ("judge_vs_regorus_prebuilt", REGORUS_PREBUILT),
    ] {
        report.race(id, ours, mean(table, peer, calls)?, 1.0, (peer, "ns"));
    }
    Ok(())
}
