//! Signals: to others, to itself, and those it refuses to hear.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    kills_everything,
    python_attack(
        r#"
def attack(host):
    import signal
    tries = {}
    for number in [*range(2, 400), host["server"], host["server"] + 1, 4194303]:
        if number != os.getpid() and number != os.getppid():
            tries[str(number)] = attempt(os.kill, number, signal.SIGKILL)
    return sorted(set(tries.values()))
"#
    )
    .returns(json!(["ESRCH"]))
);

attack!(
    kills_all_at_once,
    python_attack(
        r#"
def attack(host):
    import signal
    return {"all": attempt(os.kill, -1, signal.SIGKILL), "group": attempt(os.killpg, host["server"], signal.SIGKILL)}
"#
    )
    .check(|answer| {
        // Where the function is not the first process inside, it is among all.
        let crashed = answer.failure()["code"] == "crashed";
        let refused = |name: &str| {
            let outcome = answer.0["ending"]["returned"][name].as_str().unwrap_or("");
            ["ESRCH", "EPERM"].contains(&outcome)
        };
        assert!(crashed || (refused("group") && refused("all")), "{answer:?}");
    })
);

attack!(
    kills_its_parent,
    python_attack(
        r#"
def attack(host):
    import signal
    return {str(number): attempt(os.kill, os.getppid(), number) if os.getppid() else "ESRCH"
            for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM)}
"#
    )
    .check(|answer| {
        // Its own keeper may hear it and end with it; nothing beyond may.
        assert!(
            answer.failure()["code"] == "crashed" || answer.0["ending"]["returned"].is_object(),
            "{answer:?}"
        );
    })
);

attack!(
    ignores_every_signal,
    python_attack(
        r#"
def attack(host):
    import signal
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
"#
    )
    .wall(700)
    .ended_by("time_limit")
);

attack!(
    catches_the_signal_of_the_processor_limit,
    python_attack(
        r#"
def attack(host):
    import signal
    for number in (signal.SIGXCPU, signal.SIGALRM, signal.SIGTERM, signal.SIGPROF, signal.SIGVTALRM):
        signal.signal(number, lambda *_: None)
    while True:
        pass
"#
    )
    .limit("cpu_ms", 1_000)
    .ended_by("cpu_limit")
);

attack!(
    blocks_every_signal,
    python_attack(
        r#"
def attack(host):
    import signal, time
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        time.sleep(1)
"#
    )
    .wall(500)
    .ended_by("time_limit")
);

attack!(
    kills_itself,
    python_attack(
        r#"
def attack(host):
    import signal
    os.kill(os.getpid(), signal.SIGKILL)
    os.abort()
"#
    )
    .fails("crashed")
);

attack!(
    stops_itself,
    python_attack(
        r#"
def attack(host):
    import signal, time
    os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        time.sleep(1)
"#
    )
    .wall(500)
    .ended_by("time_limit")
);

attack!(
    stops_all_its_processes,
    python_attack(
        r#"
def attack(host):
    import signal, time
    for _ in range(5):
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(1000)
    os.kill(-1, signal.SIGSTOP)
    while True:
        time.sleep(1)
"#
    )
    .wall(500)
    .ended_by("time_limit")
);

attack!(
    reads_address_zero,
    python_attack(
        r#"
def attack(host):
    ctypes.string_at(0)
"#
    )
    .fails("crashed")
);

attack!(
    aborts,
    python_attack(
        r#"
def attack(host):
    os.abort()
"#
    )
    .fails("crashed")
);

attack!(
    executes_an_illegal_instruction,
    python_attack(
        r#"
def attack(host):
    import mmap
    area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    area.write(b"\x0f\x0b" * 8)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(area)))()
"#
    )
    .fails("crashed")
);

attack!(
    overflows_the_stack,
    python_attack(
        r#"
def attack(host):
    sys.setrecursionlimit(1 << 30)
    def deeper():
        class Deep:
            def __getattr__(self, name):
                return getattr(Deep(), name)
        return Deep().x
    deeper()
"#
    )
    .limit("cpu_ms", 5_000)
    .check(|answer| {
        let failed = ["crashed", "code_error"].contains(&answer.failure()["code"].as_str().unwrap_or(""));
        assert!(failed || answer.limit() == Some("memory_limit"), "{answer:?}");
    })
);
