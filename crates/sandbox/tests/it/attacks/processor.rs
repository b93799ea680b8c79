//! Loops, above all those inside of C where no interpreter looks at a flag.

use serde_json::json;

use crate::trial::{Trial, attack, python_attack};

attack!(
    loops_forever,
    python_attack(
        r#"
def attack(host):
    while True:
        pass
"#
    )
    .wall(700)
    .ended_by("time_limit")
);

attack!(
    loops_in_a_sum,
    python_attack(
        r#"
def attack(host):
    return sum(range(10 ** 12))
"#
    )
    .wall(700)
    .ended_by("time_limit")
);

attack!(
    backtracks_in_a_pattern,
    python_attack(
        r#"
def attack(host):
    import re
    return bool(re.match(r"(a+)+$", "a" * 60 + "b"))
"#
    )
    .wall(700)
    .ended_by("time_limit")
);

attack!(
    sorts_without_end,
    python_attack(
        r#"
def attack(host):
    import itertools
    return sorted(itertools.repeat(1)) if host else max(itertools.count())
"#
    )
    .limit("memory", 128 << 20)
    .limit("cpu_ms", 2_000)
    .ended_by("memory_limit|cpu_limit")
);

attack!(
    counts_without_end,
    python_attack(
        r#"
def attack(host):
    import collections, itertools
    collections.deque(itertools.repeat(1), maxlen=0)
"#
    )
    .wall(700)
    .ended_by("time_limit")
);

attack!(
    holds_the_interpreter_in_a_thread,
    python_attack(
        r#"
def attack(host):
    import threading
    for _ in range(4):
        threading.Thread(target=lambda: sum(range(10 ** 12))).start()
    return sum(range(10 ** 12))
"#
    )
    .wall(700)
    .ended_by("time_limit|cpu_limit")
);

attack!(
    spends_processor_time_in_children,
    python_attack(
        r#"
def attack(host):
    # Each child stays under the limit; together they are far over it.
    while True:
        child = os.fork()
        if child == 0:
            end = os.times().user + 0.2
            while os.times().user < end:
                pass
            os._exit(0)
        os.waitpid(child, 0)
"#
    )
    .limit("cpu_ms", 1_000)
    .ended_by("cpu_limit")
);

attack!(
    spends_processor_time_in_parallel,
    python_attack(
        r#"
def attack(host):
    for _ in range(6):
        if os.fork() == 0:
            while True:
                pass
    while True:
        pass
"#
    )
    .limit("cpu_ms", 1_000)
    .ended_by("cpu_limit")
);

attack!(
    makes_a_number_into_text,
    python_attack(
        r#"
def attack(host):
    sys.set_int_max_str_digits(0)
    return len(str(1 << (1 << 26)))
"#
    )
    .wall(1_500)
    .ended_by("time_limit|cpu_limit|memory_limit")
);

attack!(
    waits_for_a_lock_forever,
    python_attack(
        r#"
def attack(host):
    import threading
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
"#
    )
    .wall(500)
    .ended_by("time_limit")
);

attack!(
    waits_for_input_forever,
    python_attack(
        r#"
def attack(host):
    try:
        return input("password: ")
    except EOFError:
        return "nobody is there"
"#
    )
    .returns(json!("nobody is there"))
);

attack!(
    hides_the_processor_time_of_children,
    python_attack(
        r#"
def attack(host):
    import signal
    # Whoever ignores this signal is not charged for children that ended.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        child = os.fork()
        if child == 0:
            end = os.times().user + 0.2
            while os.times().user < end:
                pass
            os._exit(0)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass
"#
    )
    .limit("cpu_ms", 1_000)
    .wall(8_000)
    .ended_by("cpu_limit")
);

/// Short pieces of work, each in a process of its own, that nobody waits for: each leaves a byte behind when it is done.
/// A piece is 6 ms, below the 10 ms that the kernel shows; this is how many fit into the limit and a small margin.
const PIECES: &str = r#"
import signal, time
def piece():
    end = time.process_time() + 0.006
    while time.process_time() < end:
        pass
    with open("/mnt/data/pieces", "ab") as file:
        file.write(b"x")
"#;
const LIMIT_MS: u64 = 500;
const MOST_PIECES: u64 = (LIMIT_MS + 400) / 6;

fn pieces_within_the_limit(attack: &str) -> Trial {
    python_attack(&format!("{PIECES}{attack}"))
        .limit("cpu_ms", LIMIT_MS)
        .wall(15_000)
        .ended_by("cpu_limit")
        .check(|answer| {
            let files = answer.0["files"].as_array().unwrap();
            let done = files
                .iter()
                .find(|file| file["path"] == "pieces")
                .map_or(0, |file| file["size"].as_u64().unwrap());
            assert!(done <= MOST_PIECES, "{done} pieces of 6 ms were done: {answer:?}");
        })
}

attack!(
    works_in_short_processes_that_nobody_waits_for,
    pieces_within_the_limit(
        r#"
def attack(host):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        child = os.fork()
        if child == 0:
            piece()
            os._exit(0)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass
"#
    )
);

attack!(
    works_in_a_chain_of_orphans,
    pieces_within_the_limit(
        r#"
def attack(host):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.fork() == 0:
        while True:
            piece()
            if os.fork() != 0:
                os._exit(0)
    time.sleep(30)
"#
    )
);

attack!(
    works_in_short_processes_that_are_killed,
    pieces_within_the_limit(
        r#"
def attack(host):
    # With this flag (SA_NOCLDWAIT) the kernel keeps no children that ended, although the signal is not ignored.
    action = (ctypes.c_ulong * 4)(0, 2, 0, 0)
    libc.syscall(ctypes.c_long(13), ctypes.c_long(17), action, None, ctypes.c_long(8))
    while True:
        child = os.fork()
        if child == 0:
            piece()
            os.kill(os.getpid(), 9)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass
"#
    )
);

attack!(
    works_in_a_program_that_it_may_not_read,
    python_attack(
        r#"
def attack(host):
    import shutil, signal
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    shutil.copy("/bin/sh", "/tmp/sh")
    os.chmod("/tmp/sh", 0o111)
    work = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; printf x >> /mnt/data/pieces"
    os.execv("/tmp/sh", ["sh", "-c", "while :; do (%s) & wait; done" % work])
"#
    )
    .limit("cpu_ms", LIMIT_MS)
    .wall(10_000)
    .ended_by("cpu_limit")
    .check(|answer| {
        let wall = answer.0["usage"]["wall_ms"].as_u64().unwrap();
        assert!(wall < 8_000, "{answer:?}");
    })
);
