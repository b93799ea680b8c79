//! Properties over random sets of policies, and a naive oracle.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use model::{Activation, Validator};
use proptest::prelude::*;
use repertoire_policy::constraints::analysis::analyse;
use repertoire_policy::constraints::{Context, Declared, Resolution, ToolCall, Usage, judge, resolve};
use serde_json::json;

use crate::support::{Shared, declared, identity, object, texts};

const TOOLS: [&str; 6] = ["t0", "t1", "t2", "t3", "t4", "t5"];
const PATTERNS: [&str; 8] = [
    "t*",
    "Bash",
    "Bash(git:*)",
    "Bash(git log:*)",
    "Read(//srv/**)",
    "mcp__a__*",
    "t1",
    "WebFetch(domain:a.org)",
];

fn settings(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn any_policy() -> impl Strategy<Value = model::Policy> {
    let tools = || prop::collection::vec(prop::sample::select([TOOLS.as_slice(), &PATTERNS].concat()), 0..5);
    let activation = prop_oneof![
        3 => Just((true, vec![], None)),
        1 => Just((false, vec!["Fix"], None)),
        1 => Just((false, vec![], Some("context.level > 2"))),
        1 => Just((false, vec!["nothing"], Some("context.missing"))),
    ];
    let expressions =
        ["args.n > 1", "tool != 't2'", "has(args.command)", "context.level == args.n", "!has(args.path)"];
    let validators = prop::collection::vec(prop::sample::select(expressions.to_vec()), 0..2);
    let limits = (prop::option::of(1_u32..6), prop::option::of(1_u64..60));
    let context = prop::collection::btree_map("[a-c]", 0..3_i64, 0..3);
    (activation, prop::option::of(tools()), tools(), limits, context, validators)
        .prop_map(
            |((always, keywords, when), allowed, forbidden, (max_steps, seconds), context, validators)| {
                model::Policy {
                    activation: Activation {
                        always,
                        keywords: texts(&keywords),
                        when: when.map(str::to_owned),
                    },
                    allowed_tools: allowed.map(|tools| texts(&tools)),
                    forbidden_tools: texts(&forbidden),
                    max_steps,
                    max_execution_time: seconds.map(Duration::from_secs),
                    context: context.into_iter().map(|(key, value)| (key, json!(value))).collect(),
                    validators: validators
                        .into_iter()
                        .map(|text| Validator::Expression(text.to_owned()))
                        .collect(),
                    ..model::Policy::default()
                }
            },
        )
        .prop_filter("a whitelist that is forbidden as a whole is no policy", |policy| {
            Declared::compile(identity("p"), policy).is_ok()
        })
}

fn any_policies() -> impl Strategy<Value = Vec<Shared>> {
    prop::collection::vec((any_policy(), 0..3_i64), 0..6).prop_map(|policies| {
        let named = policies.into_iter().enumerate();
        named.map(|(index, (policy, priority))| declared(&format!("p{index}"), priority, &policy)).collect()
    })
}

fn calls() -> Vec<(&'static str, serde_json::Value)> {
    let mut calls: Vec<_> = TOOLS.iter().map(|tool| (*tool, json!({ "n": 3 }))).collect();
    for command in ["git log", "git push", "ls", "git log; ls"] {
        calls.push(("Bash", json!({ "command": command, "n": 3 })));
    }
    for path in ["/srv/a", "/etc/a", "/srv/../etc"] {
        calls.push(("Read", json!({ "path": path, "n": 3 })));
    }
    calls.push(("WebFetch", json!({ "url": "https://a.org/", "n": 1 })));
    calls.push(("mcp__a__b", json!({})));
    calls
}

const USAGES: [(u32, u64); 3] = [(0, 0), (3, 10), (5, 70)];

fn verdicts(resolution: &Resolution, context: &Context) -> Vec<Option<String>> {
    let mut found = Vec::new();
    for (tool, arguments) in calls() {
        for (steps, seconds) in USAGES {
            let usage = Usage { steps, elapsed: Duration::from_secs(seconds) };
            let verdict = judge(resolution, ToolCall::new(tool, &arguments), context, usage);
            found.push(verdict.denial.map(|denial| format!("{denial:?}")));
        }
    }
    found
}

proptest! {
    #![proptest_config(settings(300))]

    #[test]
    fn registration_order_never_changes_a_result(
        (policies, shuffled) in any_policies().prop_flat_map(|policies| {
            (Just(policies.clone()), Just(policies).prop_shuffle())
        }),
        level in 0..5_i64,
    ) {
        let context = object(json!({ "level": level }));
        let one = resolve(&policies, "fix it", &context);
        let other = resolve(&shuffled, "fix it", &context);
        prop_assert_eq!(&one.reasons, &other.reasons);
        prop_assert_eq!(&one.constraints, &other.constraints);
        prop_assert_eq!(one.constraints.context.keys().collect::<Vec<_>>(), other.constraints.context.keys().collect::<Vec<_>>());
        prop_assert_eq!(verdicts(&one, &context), verdicts(&other, &context));
    }

    #[test]
    fn resolving_again_gives_the_same(policies in any_policies(), level in 0..5_i64) {
        let context = object(json!({ "level": level }));
        let one = resolve(&policies, "fix it", &context);
        let other = resolve(&policies, "fix it", &context);
        prop_assert_eq!(&one.reasons, &other.reasons);
        prop_assert_eq!(&one.constraints, &other.constraints);
        let active: Vec<Shared> = policies
            .iter()
            .filter(|policy| one.active_ids().any(|id| id == policy.metadata().id))
            .cloned()
            .collect();
        // Those that were not active do not matter.
        prop_assert_eq!(&resolve(&active, "fix it", &context).reasons, &one.reasons);
    }

    #[test]
    fn adding_a_policy_never_widens(policies in any_policies(), more in any_policy(), level in 0..5_i64, priority in -1..4_i64) {
        let context = object(json!({ "level": level }));
        let before = resolve(&policies, "fix it", &context);
        let mut with = policies;
        with.push(declared("more", priority, &more));
        let after = resolve(&with, "fix it", &context);
        for (before, after) in verdicts(&before, &context).iter().zip(verdicts(&after, &context)) {
            prop_assert!(before.is_none() || after.is_some());
        }
        let tools: Vec<&str> = calls().iter().map(|(tool, _)| *tool).collect();
        for tool in after.filter_tools(tools).allowed {
            prop_assert!(before.is_tool_allowed(tool));
        }
    }

    #[test]
    fn a_tool_that_is_filtered_out_is_never_allowed(policies in any_policies(), level in 0..5_i64) {
        let context = object(json!({ "level": level }));
        let resolution = resolve(&policies, "fix it", &context);
        for (tool, arguments) in calls() {
            let verdict = judge(&resolution, ToolCall::new(tool, &arguments), &context, Usage::default());
            prop_assert!(resolution.is_tool_allowed(tool) || !verdict.is_allowed(), "{}", tool);
        }
    }
}

proptest! {
    #![proptest_config(settings(1000))]

    #[test]
    fn what_is_said_to_be_unusable_is_never_allowed(one in any_policy(), two in any_policy()) {
        let ready = |id: &str, policy: &model::Policy| {
            let activation = Activation { always: true, ..Activation::default() };
            Arc::new(Declared::compile(identity(id), &model::Policy { activation, ..policy.clone() }).unwrap())
        };
        let (one, two) = (ready("one", &one), ready("two", &two));
        let resolution = resolve(&[one.clone() as Shared, two.clone()], "", &Context::new());
        let remarks = analyse(&one, &[two]);
        let unusable = |tool: &str| {
            remarks.iter().any(|remark| {
                remark.code == "policy_no_tool_left"
                    || (remark.code == "policy_tool_unusable" && remark.message.starts_with(&format!("`{tool}` ")))
            })
        };
        for (tool, arguments) in calls() {
            let verdict = judge(&resolution, ToolCall::new(tool, &arguments), &Context::new(), Usage::default());
            prop_assert!(!unusable(tool) || !verdict.is_allowed(), "{}: {:?}", tool, remarks);
        }
    }
}

/// A policy as the oracle knows it: sets and numbers.
struct Plain {
    id: String,
    priority: i64,
    keyword: Option<&'static str>,
    level: Option<i64>,
    allowed: Option<BTreeSet<&'static str>>,
    forbidden: BTreeSet<&'static str>,
    steps: Option<u32>,
    seconds: Option<u64>,
    least: Option<i64>,
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn small(&mut self, most: i64) -> i64 {
        i64::try_from(self.below(most.unsigned_abs())).unwrap()
    }

    fn tools(&mut self) -> BTreeSet<&'static str> {
        TOOLS.into_iter().filter(|_| self.below(2) == 0).collect()
    }
}

fn roll(dice: &mut Dice, number: usize) -> Plain {
    let id = format!("{}{number}", ["b", "A", "z", "é"][usize::try_from(dice.below(4)).unwrap()]);
    let allowed = (dice.below(3) == 0).then(|| dice.tools());
    let mut forbidden = if dice.below(3) == 0 { dice.tools() } else { BTreeSet::new() };
    if let Some(first) = allowed.as_ref().and_then(|tools| tools.first()) {
        forbidden.remove(first);
    }
    Plain {
        id,
        priority: dice.small(3),
        keyword: (dice.below(3) == 0).then(|| if dice.below(2) == 0 { "Alpha" } else { "beta" }),
        level: (dice.below(3) == 0).then(|| dice.small(4)),
        allowed,
        forbidden,
        steps: (dice.below(4) == 0).then(|| 1 + u32::try_from(dice.below(5)).unwrap()),
        seconds: (dice.below(4) == 0).then(|| 1 + dice.below(5)),
        least: (dice.below(4) == 0).then(|| dice.small(4)),
    }
}

impl Plain {
    fn declare(&self) -> Shared {
        let list = |tools: &BTreeSet<&str>| tools.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>();
        let policy = model::Policy {
            activation: Activation {
                always: self.keyword.is_none() && self.level.is_none(),
                keywords: self.keyword.into_iter().map(str::to_owned).collect(),
                when: self.level.map(|level| format!("context.level > {level}")),
            },
            allowed_tools: self.allowed.as_ref().map(list),
            forbidden_tools: list(&self.forbidden),
            max_steps: self.steps,
            max_execution_time: self.seconds.map(Duration::from_secs),
            validators: self
                .least
                .iter()
                .map(|least| Validator::Expression(format!("args.n >= {least}")))
                .collect(),
            ..model::Policy::default()
        };
        declared(&self.id, self.priority, &policy)
    }

    fn is_active(&self, task: &str, level: i64) -> bool {
        let none = self.keyword.is_none() && self.level.is_none();
        let keyword = self.keyword.is_some_and(|word| task.to_lowercase().contains(&word.to_lowercase()));
        none || keyword || self.level.is_some_and(|least| level > least)
    }
}

#[test]
fn judge_agrees_with_a_naive_oracle_in_100_000_cases() {
    let mut dice = Dice(42);
    let plain: Vec<Plain> = (0..200).map(|number| roll(&mut dice, number)).collect();
    let ready: Vec<Shared> = plain.iter().map(Plain::declare).collect();
    let mut allowed_count = 0;
    for case in 0..20_000 {
        let mut chosen: Vec<usize> =
            (0..dice.below(6)).map(|_| usize::try_from(dice.below(200)).unwrap()).collect();
        let mut seen = BTreeSet::new();
        chosen.retain(|index| seen.insert(*index));
        let task = ["do ALPHA now", "a betA test", "nothing"][usize::try_from(dice.below(3)).unwrap()];
        let level = dice.small(5);
        let context = object(json!({ "level": level }));
        let policies: Vec<Shared> = chosen.iter().map(|index| ready[*index].clone()).collect();
        let resolution = resolve(&policies, task, &context);

        let mut active: Vec<&Plain> = chosen
            .iter()
            .map(|index| &plain[*index])
            .filter(|policy| policy.is_active(task, level))
            .collect();
        active.sort_by(|one, other| {
            other.priority.cmp(&one.priority).then_with(|| one.id.as_bytes().cmp(other.id.as_bytes()))
        });
        let ids: Vec<&str> = active.iter().map(|policy| policy.id.as_str()).collect();
        assert_eq!(resolution.active_ids().collect::<Vec<_>>(), ids, "case {case}");

        for _ in 0..5 {
            let tool = TOOLS[usize::try_from(dice.below(6)).unwrap()];
            let n = dice.small(5);
            let arguments = json!({ "n": n });
            let (steps, seconds) = (u32::try_from(dice.below(7)).unwrap(), dice.below(7));
            let usage = Usage { steps, elapsed: Duration::from_secs(seconds) };
            let alias = (dice.below(3) == 0).then(|| TOOLS[usize::try_from(dice.below(6)).unwrap()]);
            let call = ToolCall { tool, alias, arguments: &arguments };
            let verdict = judge(&resolution, call, &context, usage);

            let has = |tools: &BTreeSet<&str>| {
                tools.contains(tool) || alias.is_some_and(|alias| tools.contains(alias))
            };
            let forbids = |policy: &Plain| has(&policy.forbidden);
            let excludes = |policy: &Plain| policy.allowed.as_ref().is_some_and(|tools| !has(tools));
            let named = |is: &dyn Fn(&Plain) -> bool| -> Vec<String> {
                active.iter().filter(|policy| is(policy)).map(|policy| policy.id.clone()).collect()
            };
            let expected = if active.iter().any(|policy| forbids(policy)) {
                Some(("forbidden", named(&forbids)))
            } else if active.iter().any(|policy| excludes(policy)) {
                Some(("not_allowed", named(&excludes)))
            } else if active.iter().any(|policy| policy.least.is_some_and(|least| n < least)) {
                Some(("validation", named(&|policy| policy.least.is_some_and(|least| n < least))))
            } else if active.iter().filter_map(|policy| policy.steps).min().is_some_and(|most| steps >= most)
            {
                Some(("max_steps", named(&|policy| policy.steps.is_some_and(|most| steps >= most))))
            } else if active
                .iter()
                .filter_map(|policy| policy.seconds)
                .min()
                .is_some_and(|most| seconds >= most)
            {
                Some((
                    "max_execution_time",
                    named(&|policy| policy.seconds.is_some_and(|most| seconds >= most)),
                ))
            } else {
                None
            };
            allowed_count += usize::from(expected.is_none());
            let found = verdict.denial.map(|denial| (denial.cause.as_str(), denial.skills));
            assert_eq!(found, expected, "case {case}: {tool} {arguments}");
        }
    }
    assert!((10_000..90_000).contains(&allowed_count), "{allowed_count} of 100,000 were allowed");
}
