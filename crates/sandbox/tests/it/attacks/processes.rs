//! Processes: too many, those that stay, those of others.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    forks_without_end,
    python_attack(
        r#"
def attack(host):
    while True:
        try:
            os.fork()
        except OSError:
            pass
"#
    )
    .wall(1_000)
    .ended_by("time_limit|process_limit|cpu_limit")
);

attack!(
    forks_until_refused,
    python_attack(
        r#"
def attack(host):
    import time
    children = 0
    while children < 1000:
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
        children += 1
    return "ESCAPED"
"#
    )
    .ended_by("process_limit")
);

attack!(
    counts_how_many_processes_it_gets,
    python_attack(
        r#"
def attack(host):
    import time
    children = 0
    try:
        while children < 1000:
            if os.fork() == 0:
                time.sleep(100)
                os._exit(0)
            children += 1
    except OSError as error:
        return {"enough": children >= 8, "few": children <= 16, "error": name_of(error.errno)}
    return "ESCAPED"
"#
    )
    .returns(json!({ "enough": true, "few": true, "error": "EAGAIN" }))
);

attack!(
    starts_threads_without_end,
    python_attack(
        r#"
def attack(host):
    import threading, time
    for number in range(1000):
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
    return "ESCAPED"
"#
    )
    .ended_by("process_limit")
);

attack!(
    leaves_daemons_behind,
    python_attack(
        r#"
def attack(host):
    import time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            while True:
                time.sleep(100)
        os._exit(0)
    os.wait()
    return "done"
"#
    )
    .returns(json!("done"))
);

attack!(
    leaves_children_that_hold_its_output,
    python_attack(
        r#"
def attack(host):
    import time
    if os.fork() == 0:
        while True:
            time.sleep(0.01)
            os.write(1, b"still here\n")
    return "done"
"#
    )
    .returns(json!("done"))
);

attack!(
    leaves_threads_behind,
    python_attack(
        r#"
def attack(host):
    import atexit, threading, time
    atexit.register(time.sleep, 100)
    threading.Thread(target=time.sleep, args=(100,)).start()
    return "done"
"#
    )
    .wall(10_000)
    .returns(json!("done"))
    .check(|answer| assert!(answer.0["usage"]["wall_ms"].as_u64().unwrap() < 9_000, "{answer:?}"))
);

attack!(
    sleeps_forever,
    python_attack(
        r#"
def attack(host):
    import time
    while True:
        time.sleep(1000)
"#
    )
    .wall(500)
    .ended_by("time_limit")
);

attack!(
    closes_everything_and_hangs,
    python_attack(
        r#"
def attack(host):
    import time
    os.closerange(0, 4096)
    while True:
        time.sleep(1000)
"#
    )
    .wall(500)
    .check(|answer| {
        let spoofed =
            ["result_invalid", "crashed"].contains(&answer.failure()["code"].as_str().unwrap_or(""));
        assert!(answer.limit() == Some("time_limit") || spoofed, "{answer:?}");
    })
);

attack!(
    traces_other_processes,
    python_attack(
        r#"
def attack(host):
    PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE = 0, 16, 0x4206
    number = host["calls"]["ptrace"]
    child = os.fork()
    if child == 0:
        import time
        time.sleep(100)
        os._exit(0)
    tries = {"itself": call(number, PTRACE_TRACEME, 0, 0, 0)}
    for name, process in {"init": 1, "parent": os.getppid(), "server": host["server"], "child": child}.items():
        tries["attach " + name] = call(number, PTRACE_ATTACH, process, 0, 0)
        tries["seize " + name] = call(number, PTRACE_SEIZE, process, 0, 0)
    os.kill(child, 9)
    return tries
"#
    )
    .refused(9, "EPERM|ENOSYS|EACCES")
);

attack!(
    reads_memory_of_other_processes,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    buffer = ctypes.create_string_buffer(64)
    class Area(ctypes.Structure):
        _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    local = Area(ctypes.addressof(buffer), 64)
    tries = {}
    for name, process in {"init": 1, "itself": os.getpid(), "server": host["server"]}.items():
        for way in ["process_vm_readv", "process_vm_writev"]:
            tries[way + " " + name] = call(calls[way], process, ctypes.byref(local), 1, ctypes.byref(local), 1, 0)
        tries["kcmp " + name] = call(calls["kcmp"], os.getpid(), process, 0, 0, 0)
    return tries
"#
    )
    .refused(9, "EPERM|ENOSYS|EACCES")
);

attack!(
    opens_memory_of_other_processes,
    python_attack(
        r#"
def attack(host):
    tries = {}
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (os.getpid(), os.getppid())]
    for process in [*others, str(host["server"])]:
        for file in ["mem", "maps", "environ", "auxv", "syscall", "stack"]:
            tries[process + file] = attempt(os.open, "/proc/%s/%s" % (process, file), os.O_RDONLY)
    # Its own pid 1 may be a keeper that is open to it; its memory must still be closed to writing.
    if os.getpid() != 1:
        tries["write init"] = attempt(os.open, "/proc/1/mem", os.O_RDWR)
    return {"open": sorted(set(tries.values()) - {"ENOENT", "EACCES", "EPERM"}), "tried": len(tries) >= 6}
"#
    )
    .returns(json!({ "open": [], "tried": true }))
);

attack!(
    sees_processes_of_others,
    python_attack(
        r#"
def attack(host):
    return [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 50]
"#
    )
    .returns(json!([]))
);

attack!(
    executes_other_programs_to_get_out,
    python_attack(
        r#"
def attack(host):
    import subprocess
    done = subprocess.run(["/bin/sh", "-c", "cat '%s'; ls '%s'; unshare -r true; mount -t tmpfs x /tmp; kill -9 -1"
                           % (host["secret_file"], host["folder"])], capture_output=True, text=True)
    return {"out": done.stdout, "refused": done.returncode != 0}
"#
    )
    .check(|answer| {
        // Its `kill -9 -1` may end the function too, when it is not the first process inside.
        let ended = answer.failure()["code"] == "crashed";
        assert!(ended || answer.returned() == &json!({ "out": "", "refused": true }), "{answer:?}");
    })
);

attack!(
    replaces_itself_by_another_program,
    python_attack(
        r#"
def attack(host):
    sys.stdout.flush()
    os.execv("/bin/sh", ["sh", "-c", "echo '{\"ok\": true, \"result\": 42}'; sleep 0.05"])
"#
    )
    .fails("crashed|result_invalid")
);
