//! Loops, above all those inside of C where no interpreter looks at a flag.

use serde_json::json;

use crate::trial::{attack, python_attack};

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
