//! A fork-server, a spare or a runtime that one execution spoils for the next.

use serde_json::json;

use crate::driver::Driver;
use crate::trial::{in_each_mode, javascript, python, python_attack, script};

/// More executions than there are spares, so that each of them was made before, during and after the poison.
const LATER: usize = 6;

fn poison(driver: &Driver, code: &str) {
    python_attack(code).check(|answer| assert!(answer.0["ending"].is_object())).run_on(driver);
}

fn clean(driver: &Driver, code: &str) {
    for _ in 0..LATER {
        let answer = driver.execute(&python(code).function("look", json!({})).order);
        assert_eq!(answer.0["ending"], json!({ "returned": "clean" }), "{answer:?}");
    }
}

in_each_mode!(poisons_builtins_for_the_next, |driver| {
    poison(
        driver,
        r#"
def attack(host):
    import builtins
    builtins.len = builtins.print = builtins.open = lambda *_: "poisoned"
    builtins.__import__ = lambda *_: 1 / 0
    return 1
"#,
    );
    clean(
        driver,
        r#"
def look():
    import json, os
    return "clean" if len([1]) == 1 and open("/dev/null").read() == "" and json.dumps([1]) == "[1]" else "poisoned"
"#,
    );
});

in_each_mode!(poisons_modules_for_the_next, |driver| {
    poison(
        driver,
        r#"
def attack(host):
    import json, types
    poisoned = types.ModuleType("poisoned")
    for name in list(sys.modules):
        sys.modules[name] = poisoned
    sys.path.insert(0, "/mnt/data")
    sys.meta_path.clear()
    json.dumps = lambda *_, **__: '"poisoned"'
    return 1
"#,
    );
    clean(
        driver,
        r#"
def look():
    import json, sys
    fine = "poisoned" not in sys.modules and json.dumps(1) == "1" and sys.meta_path and "/mnt/data" not in sys.path[:1]
    return "clean" if fine else "poisoned"
"#,
    );
});

in_each_mode!(poisons_files_for_the_next, |driver| {
    poison(
        driver,
        r#"
def attack(host):
    for folder in ("/tmp", "/dev/shm", "/mnt/data", "/var/tmp", os.getcwd()):
        try:
            write(folder + "/left.txt", "left")
            write(folder + "/json.py", "raise SystemExit('poisoned')")
            write(folder + "/sitecustomize.py", "raise SystemExit('poisoned')")
        except OSError:
            pass
    return 1
"#,
    );
    clean(
        driver,
        r#"
def look():
    import json, os
    left = [folder for folder in ("/tmp", "/dev/shm", "/mnt/data", "/var/tmp", os.getcwd())
            if os.path.isdir(folder) and {"left.txt", "json.py"} & set(os.listdir(folder))]
    return "clean" if not left else "poisoned %s" % left
"#,
    );
});

in_each_mode!(poisons_the_interpreter_in_memory, |driver| {
    poison(
        driver,
        r#"
def attack(host):
    # Small numbers are one object each for the whole interpreter: 7 becomes 8 here, and only here.
    ctypes.c_long.from_address(id(7) + 24).value = 8
    return 1
"#,
    );
    clean(
        driver,
        r#"
def look():
    return "clean" if 3 + 4 == 7 and str(3 + 4) == "7" and len("1234567") - 6 == 1 else "poisoned"
"#,
    );
});

in_each_mode!(poisons_the_process_for_the_next, |driver| {
    poison(
        driver,
        r#"
def attack(host):
    import signal, threading
    os.environ["POISONED"] = "1"
    os.umask(0o777)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.setrecursionlimit(50)
    sys.settrace(lambda *_: 1 / 0)
    threading.settrace(lambda *_: 1 / 0)
    os.nice(10)
    os.chdir("/tmp")
    return 1
"#,
    );
    clean(
        driver,
        r#"
def look():
    import os, signal, sys
    mask = os.umask(0o22)
    fine = ("POISONED" not in os.environ and mask != 0o777 and sys.getrecursionlimit() >= 900 and os.nice(0) < 10
            and signal.getsignal(signal.SIGTERM) != signal.SIG_IGN and os.getcwd() != "/tmp")
    return "clean" if fine else "poisoned"
"#,
    );
});

in_each_mode!(predicts_random_numbers_of_the_next, |driver| {
    let code = "import os, random, uuid, tempfile\ndef look():\n    return [random.random(), uuid.uuid4().hex, \
                os.urandom(8).hex(), next(tempfile._get_candidate_names())]\n";
    let drawn: Vec<_> = (0..LATER)
        .map(|_| driver.execute(&python(code).function("look", json!({})).order).returned().clone())
        .collect();
    for (number, one) in drawn.iter().enumerate() {
        for other in &drawn[..number] {
            let same = (0..4).filter(|at| one[at] == other[at]).count();
            assert_eq!(same, 0, "two executions drew the same: {one} {other}");
        }
    }
});

in_each_mode!(ends_the_fork_server, |driver| {
    for _ in 0..3 {
        poison(
            driver,
            r#"
def attack(host):
    import signal
    for process in [*range(1, 300), os.getppid()]:
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV):
            try:
                if process not in (0, os.getpid()):
                    os.kill(process, number)
            except OSError:
                pass
    os.kill(os.getpid(), signal.SIGKILL)
"#,
        );
    }
    clean(driver, "def look():\n    return 'clean'\n");
});

in_each_mode!(poisons_javascript_for_the_next, |driver| {
    let bad = r"
export function attack() {
    JSON.stringify = () => '\'poisoned\'';
    Object.prototype.toJSON = () => 'poisoned';
    Array.prototype.map = () => ['poisoned'];
    globalThis.left = 'poisoned';
    return 1;
}";
    driver.execute(&javascript(bad).function("attack", json!({})).order);
    for _ in 0..LATER {
        let look = "export function look() { return [typeof left, [1].map(x => x + 1), {a: 1}] }";
        let answer = driver.execute(&javascript(look).function("look", json!({})).order);
        assert_eq!(answer.returned(), &json!(["undefined", [2], { "a": 1 }]), "{answer:?}");
    }
});

in_each_mode!(poisons_scripts_for_the_next, |driver| {
    let bad =
        "#!/bin/sh\necho left > /tmp/left; echo left > /mnt/data/left; echo left > /dev/shm/left\nexit 0\n";
    driver.execute(&script(bad).order);
    for _ in 0..LATER {
        let look = "#!/bin/sh\ncat /tmp/left /mnt/data/left /dev/shm/left 2>/dev/null\necho end\n";
        let answer = driver.execute(&script(look).order);
        assert_eq!(answer.stdout(), "end\n", "{answer:?}");
    }
});
