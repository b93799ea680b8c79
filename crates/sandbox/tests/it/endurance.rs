//! Thousands of executions in a row from many clients, with failures and kills among them: nothing is left over and
//! nothing grows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::driver::{Driver, Mode, receive};
use crate::leavings::{eventually_none, family};
use crate::trial::{javascript, python, script};

const CLIENTS: usize = 16;
/// Spares and fork servers that may be there at any time, and those that are on their way out.
const STANDING: usize = 24;
const GROWTH_KB: u64 = 16 << 10;

/// What a client asks for in turn, with how it must end unless somebody was killed.
fn requests() -> Vec<(Value, &'static str)> {
    let sum = "def f(a, b):\n    return a + b\n";
    let call = |code: &str| python(code).function("f", json!({ "a": 1, "b": 2 })).order;
    vec![
        (call(sum), "returned"),
        (
            javascript("export function f(a, b) { return a + b; }")
                .function("f", json!({ "a": 1, "b": 2 }))
                .order,
            "returned",
        ),
        (call(sum), "returned"),
        (call("def f(a, b):\n    raise ValueError(a)\n"), "failed"),
        (call(sum), "returned"),
        (call("import os\ndef f(a, b):\n    os._exit(3)\n"), "failed"),
        (script("echo x > file; sleep 1000 & exit 0").order, "returned"),
        (
            call("import os\ndef f(a, b):\n    for _ in range(4):\n        os.fork()\n    os.abort()\n"),
            "failed",
        ),
        (call("def f(a, b):\n    open('x', 'w').write('y' * 100000)\n    return a\n"), "returned"),
        (python("while True: pass").wall(60).order, "limit"),
        (call(sum), "returned"),
        (call("def f(a, b):\n    print('x' * 100_000)\n"), "limit"),
        (call(sum), "returned"),
    ]
}

/// How many ended otherwise than they must.
#[derive(Default)]
struct Lost(AtomicUsize);

/// Says that it is over, also when it is because of a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn run_clients(driver: &Driver, count: usize, lost: &Lost) {
    let requests = requests();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let requests = &requests;
            scope.spawn(move || {
                for turn in 0..count / CLIENTS {
                    let (order, expected) = &requests[(client + turn) % requests.len()];
                    let (id, answer) = driver.send(json!({ "execute": order }));
                    if turn % 97 == 96 {
                        driver.send(json!({ "stop": id }));
                    }
                    let answer = receive(&answer);
                    let as_expected = answer["ending"].get(expected).is_some();
                    let stopped = answer["ending"].get("stopped").is_some();
                    if !as_expected && !stopped {
                        lost.0.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
}

/// Ends processes of the jail now and then: spares, running code, fork servers, the jail's first.
fn kill_some(driver: &Driver, over: &AtomicBool) -> usize {
    let mut kills = 0;
    loop {
        std::thread::sleep(Duration::from_millis(400));
        if over.load(Ordering::Relaxed) {
            return kills;
        }
        let others = |process: &u32| *process != driver.process();
        let processes: Vec<_> = family(driver.process()).into_iter().filter(others).collect();
        let Some(victim) = processes.get(kills * 7 % processes.len().max(1)) else { continue };
        let pid = Pid::from_raw(i32::try_from(*victim).unwrap()).unwrap();
        // Gone already is as well.
        kills += usize::from(kill_process(pid, Signal::KILL).is_ok());
    }
}

fn resident_kb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

fn descriptors(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}

fn endures(mode: Mode, count: usize) {
    let Some(driver) = Driver::start(mode) else { return };
    let lost = Lost::default();
    run_clients(&driver, count / 10, &lost);
    assert_eq!(lost.0.load(Ordering::Relaxed), 0, "{mode:?}: something ended otherwise than it must");
    let (memory, open) = (resident_kb(driver.process()), descriptors(driver.process()));

    let over = AtomicBool::new(false);
    let kills = std::thread::scope(|scope| {
        let killing = scope.spawn(|| kill_some(&driver, &over));
        {
            let _over = Over(&over);
            run_clients(&driver, count, &lost);
        }
        killing.join().unwrap()
    });
    // A fork server that is killed takes with it what it has forked.
    let most_lost = kills * (CLIENTS + STANDING);
    assert!(lost.0.load(Ordering::Relaxed) <= most_lost, "{mode:?}: {kills} kills, {:?} lost", lost.0);

    // Every process that was killed last may still be taken for one execution.
    let order = python("def f(a):\n    return a\n").function("f", json!({ "a": 1 })).order;
    let works = (0..STANDING).any(|_| driver.execute(&order).0["ending"]["returned"] == json!(1));
    assert!(works, "{mode:?}: nothing runs after the kills");
    let left = eventually_none(|| {
        let processes = family(driver.process());
        if processes.len() > STANDING { vec![format!("{} processes", processes.len())] } else { Vec::new() }
    });
    assert!(left.is_empty(), "{mode:?}: {left:?}");
    let grown = resident_kb(driver.process()).saturating_sub(memory);
    assert!(grown < GROWTH_KB, "{mode:?}: {grown} kB more after {count} executions");
    let opened = descriptors(driver.process()).saturating_sub(open);
    assert!(opened < STANDING * 6, "{mode:?}: {opened} more descriptors after {count} executions");

    let belongings = driver.leavings.belongings(&driver);
    assert!(driver.end(), "{mode:?}: it ends well");
    let left = driver.leavings.left(&driver, &belongings);
    assert!(left.is_empty(), "{mode:?}: {left:?}");
}

#[test]
fn ten_thousand_executions_with_kills_among_them_leave_nothing_and_nothing_grows() {
    let (first, others) = Mode::ALL.split_first().unwrap();
    endures(*first, 10_000);
    for mode in others {
        endures(*mode, 1_600);
    }
}
