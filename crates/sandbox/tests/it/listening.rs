//! Whoever listens hears what code writes, as it writes it.

use serde_json::json;

use crate::driver::Driver;
use crate::trial::{Answer, Trial, attack, in_each_mode, javascript, python, script};

/// The code ends only after the listener has put a file into its folder, which it does when it hears something.
fn heard_before_the_end(driver: &Driver, trial: Trial) {
    let folder = driver.ask(json!({ "open_folder": { "bytes": 1 << 20, "files": 16 } }))["folder"].clone();
    let number = folder.as_u64().expect("a folder");
    let answer = driver.execute(&trial.heard().folder(number).order);
    assert_eq!(answer.limit(), None, "nobody heard it in time: {answer:?}");
    hears_what_is_captured(&answer);
    driver.ask(json!({ "close_folder": number }));
}

fn hears_what_is_captured(answer: &Answer) {
    let heard = &answer.0["heard"];
    assert_eq!(
        (heard["stdout"].as_str(), heard["stderr"].as_str()),
        (Some(answer.stdout().as_str()), Some(answer.stderr().as_str()))
    );
}

in_each_mode!(python_is_heard_line_by_line_while_it_runs, |driver| heard_before_the_end(
    driver,
    python(
        "import os, time\nprint('one')\nwhile not os.path.exists('/mnt/data/heard'):\n    time.sleep(0.01)\nprint('two')\n"
    )
));

in_each_mode!(javascript_is_heard_while_it_runs, |driver| {
    // It cannot look at files, so that only the order of what was heard can be told.
    let trial = javascript(
        "console.log('one'); console.error('two'); for (let i = 0; i < 1e7; i++); console.log('three');",
    );
    let answer = driver.execute(&trial.heard().order);
    hears_what_is_captured(&answer);
    assert_eq!(answer.stdout(), "one\nthree\n");
    assert!(answer.0["heard"]["times"].as_u64() >= Some(3), "all of it came at once: {answer:?}");
});

in_each_mode!(a_script_is_heard_while_it_runs, |driver| heard_before_the_end(
    driver,
    script("#!/bin/sh\necho one\nwhile [ ! -e /mnt/data/heard ]; do sleep 0.01; done\necho two >&2\n")
));

attack!(
    what_is_heard_ends_at_the_limit_of_output,
    python("for n in range(4096):\n    print('x' * 63)\n")
        .limit("output", 16 << 10)
        .heard()
        .ended_by("output_limit")
        .check(|answer| {
            assert_eq!(answer.0["stdout"]["bytes"], json!(16 << 10));
            hears_what_is_captured(answer);
        })
);

attack!(
    listening_changes_nothing_of_what_is_captured,
    python("import sys\nprint('a', end='')\nprint('b\\u00e9')\nsys.stderr.write('c')\nprint('d', end='')\n")
        .heard()
        .prints("ab\u{e9}\nd")
        .check(hears_what_is_captured)
);
