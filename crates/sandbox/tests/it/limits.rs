//! Each limit ends an execution with its own code; below its limit the same code runs well.

use serde_json::json;

use crate::driver::{Driver, Mode, receive};
use crate::leavings::{eventually_none, processes_with};
use crate::trial::{Trial, attack, in_each_mode, javascript, python, script};

fn call(code: &str, n: u64) -> Trial {
    python(code).function("f", json!({ "n": n }))
}

const SLEEP: &str = "import time\ndef f(n):\n    time.sleep(n / 1000)\n    return n\n";
const SPIN: &str =
    "import time\ndef f(n):\n    while time.process_time() < n / 1000:\n        pass\n    return n\n";
const FILL: &str = "def f(n):\n    return len(bytearray(n << 20)) >> 20\n";
const FORK: &str = "import os, time\ndef f(n):\n    for _ in range(n):\n        if os.fork() == 0:\n            time.sleep(60)\n    return n\n";
const OPEN: &str = "def f(n):\n    return len([open('/dev/null') for _ in range(n)])\n";
const WRITE: &str = "def f(n):\n    with open('/mnt/data/x', 'wb') as file:\n        file.write(bytes(n << 20))\n    return n\n";
const MAKE: &str = "def f(n):\n    for number in range(n):\n        open('/mnt/data/%d' % number, 'w').close()\n    return n\n";
const PRINT: &str = "def f(n):\n    print('x' * (n << 10), end='')\n    return n\n";
const RETURN: &str = "def f(n):\n    return 'x' * (n << 10)\n";

attack!(time_ends_with_its_own_code, call(SLEEP, 60_000).wall(500).ended_by("time_limit"));
attack!(within_the_time_it_runs, call(SLEEP, 100).wall(10_000).returns(json!(100)));

attack!(
    processor_time_ends_with_its_own_code,
    call(SPIN, 60_000).limit("cpu_ms", 1_000).ended_by("cpu_limit")
);
attack!(within_the_processor_time_it_runs, call(SPIN, 200).limit("cpu_ms", 4_000).returns(json!(200)));

attack!(memory_ends_with_its_own_code, call(FILL, 400).limit("memory", 128 << 20).ended_by("memory_limit"));
attack!(within_the_memory_it_runs, call(FILL, 64).limit("memory", 128 << 20).returns(json!(64)));

attack!(processes_end_with_their_own_code, call(FORK, 64).limit("processes", 8).ended_by("process_limit"));
attack!(within_the_processes_it_runs, call(FORK, 4).limit("processes", 8).returns(json!(4)));

attack!(
    open_files_end_with_their_own_code,
    call(OPEN, 100).limit("open_files", 32).ended_by("open_files_limit")
);
attack!(within_the_open_files_it_runs, call(OPEN, 16).limit("open_files", 32).returns(json!(16)));

attack!(
    bytes_on_disk_end_with_their_own_code,
    call(WRITE, 8).limit("folder_bytes", 4 << 20).ended_by("disk_limit")
);
attack!(within_the_bytes_on_disk_it_runs, call(WRITE, 3).limit("folder_bytes", 4 << 20).returns(json!(3)));

attack!(
    files_on_disk_end_with_their_own_code,
    call(MAKE, 100).limit("folder_files", 32).ended_by("disk_limit")
);
attack!(within_the_files_on_disk_it_runs, call(MAKE, 24).limit("folder_files", 32).returns(json!(24)));

attack!(
    output_ends_with_its_own_code,
    call(PRINT, 100).limit("output", 16 << 10).ended_by("output_limit").check(|answer| {
        assert_eq!(answer.0["stdout"]["bytes"], json!(16 << 10), "what fits is kept: {answer:?}");
        assert_eq!(answer.0["stdout"]["truncated"], json!(true));
    })
);
attack!(within_the_output_it_runs, call(PRINT, 16).limit("output", 16 << 10).returns(json!(16)));

attack!(result_ends_with_its_own_code, call(RETURN, 100).limit("result", 16 << 10).ended_by("result_limit"));
attack!(
    within_the_result_it_runs,
    call(RETURN, 15).limit("result", 16 << 10).check(|answer| {
        assert_eq!(answer.returned().as_str().unwrap().len(), 15 << 10);
    })
);

attack!(
    wide_limits_do_not_hinder,
    call(FILL, 64)
        .limit("memory", 4 << 30)
        .limit("processes", 1_000)
        .limit("open_files", 4_096)
        .returns(json!(64))
);

attack!(no_bytes_on_disk_are_none, call(WRITE, 32).limit("folder_bytes", 0).ended_by("disk_limit"));
attack!(no_files_on_disk_are_none, call(MAKE, 10).limit("folder_files", 0).ended_by("disk_limit"));
attack!(no_time_is_none, call(SLEEP, 60_000).limit("wall_ms", 0).ended_by("time_limit"));
attack!(no_processor_time_is_none, call(SPIN, 60_000).limit("cpu_ms", 0).ended_by("cpu_limit"));
attack!(no_memory_is_none, call(FILL, 400).limit("memory", 0).ended_by("memory_limit"));
attack!(no_output_is_none, call(PRINT, 1).limit("output", 0).ended_by("output_limit"));
attack!(no_result_is_none, call(RETURN, 1).limit("result", 0).ended_by("result_limit"));

in_each_mode!(an_execution_is_stopped_from_outside, |driver| {
    let sleeping = [
        python("import time\ntime.sleep(1000)\n"),
        javascript("for (;;) {}"),
        script("#!/bin/sh\nsleep 1000\n"),
    ];
    for mut sleeping in sleeping {
        let marker = sleeping.mark();
        let (id, running) = driver.send(json!({ "execute": sleeping.order }));
        wait_until_found(&marker, &sleeping);
        driver.ask(json!({ "stop": id }));
        let answer = receive(&running);
        assert_eq!(answer["ending"], json!({ "stopped": true }), "{answer}");
        assert_eq!(eventually_none(|| processes_with(&marker)), Vec::<String>::new());
    }
});

/// Shows that what looks for processes that stayed would find them.
fn wait_until_found(marker: &str, trial: &Trial) {
    let missing = eventually_none(|| {
        let found = !processes_with(marker).is_empty();
        if found { Vec::new() } else { vec![format!("a process of {}", trial.order["runtime"])] }
    });
    assert!(missing.is_empty(), "not found from outside: {missing:?}");
}

in_each_mode!(all_limits_hold_for_executions_at_a_time, |driver| {
    let endings =
        ["time_limit", "memory_limit", "disk_limit", "process_limit", "output_limit", "result_limit"];
    let trials = [
        call(SLEEP, 60_000).wall(1_000),
        call(FILL, 400).limit("memory", 128 << 20),
        call(WRITE, 20),
        call(FORK, 64).limit("processes", 8),
        call(PRINT, 100),
        call(RETURN, 100),
    ];
    let running: Vec<_> =
        trials.iter().map(|trial| driver.send(json!({ "execute": trial.order })).1).collect();
    for (ending, running) in endings.iter().zip(&running) {
        let answer = receive(running);
        assert_eq!(answer["ending"]["limit"], json!(ending), "{answer}");
    }
});

#[test]
fn a_driver_that_is_killed_leaves_no_process_and_the_next_removes_its_groups() {
    for mode in Mode::ALL {
        let Some(driver) = Driver::start(mode) else { continue };
        let mut sleeping = python("import os, time\nfor _ in range(3):\n    os.fork()\ntime.sleep(1000)\n");
        let marker = sleeping.mark();
        driver.send(json!({ "execute": sleeping.order }));
        wait_until_found(&marker, &sleeping);
        let belongings = driver.leavings.all_belongings(&driver, mode);
        driver.kill();
        let left = belongings.processes_left();
        assert!(left.is_empty(), "{mode:?}: {left:?}");
        assert_eq!(eventually_none(|| processes_with(&marker)), Vec::<String>::new());
        let next = Driver::start(mode).expect("it can be had again");
        let left = next.leavings.left(&driver, &belongings);
        assert!(left.is_empty(), "{mode:?}: {left:?}");
        assert!(next.end(), "it ends well");
    }
}

#[test]
fn a_driver_that_ends_leaves_nothing() {
    for mode in Mode::ALL {
        let Some(driver) = Driver::start(mode) else { continue };
        for trial in [call(SLEEP, 60_000).wall(200), call(WRITE, 100), call(FORK, 100), call(SLEEP, 1)] {
            driver.execute(&trial.order);
        }
        driver.ask(json!({ "open_folder": { "bytes": 1 << 20, "files": 10 } }));
        let belongings = driver.leavings.all_belongings(&driver, mode);
        assert!(driver.end(), "it ends well");
        let left = driver.leavings.left(&driver, &belongings);
        assert!(left.is_empty(), "{mode:?}: {left:?}");
    }
}
