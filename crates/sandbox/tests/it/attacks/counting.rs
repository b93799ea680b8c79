//! Ways to use what a watchdog outside does not see: the limits must hold all the same.

use serde_json::json;

use crate::driver::Driver;
use crate::trial::{Answer, attack, in_each_mode, python, python_attack};

/// It was ended for its memory, or what it wanted is not to be had.
fn held(answer: &Answer) {
    let ended = answer.limit() == Some("memory_limit");
    let refused = answer.0["ending"]["returned"].as_str().is_some_and(|said| said.starts_with("refused"));
    assert!(ended || refused, "{answer:?}");
}

/// Forks that each fill some memory and stay.
const FORKS: &str = r#"
def fill_in_forks(count, megabytes, before=lambda: None):
    import time
    for _ in range(count):
        if os.fork() == 0:
            before()
            kept = bytearray(os.urandom(1 << 20) * megabytes)
            time.sleep(30)
            os._exit(len(kept) & 1)
    time.sleep(4)
    return "held nothing back"
"#;

attack!(
    takes_a_name_that_is_no_text,
    python_attack(&format!(
        "{FORKS}{}",
        r#"
def attack(host):
    return fill_in_forks(6, 50, lambda: libc.prctl(15, b"\xff\xfe", 0, 0, 0))
"#
    ))
    .limit("memory", 128 << 20)
    .check(held)
);

attack!(
    burns_time_under_a_name_that_is_no_text,
    python_attack(
        r#"
def attack(host):
    libc.prctl(15, b"\xff\xfe", 0, 0, 0)
    while True:
        pass
"#
    )
    .limit("cpu_ms", 500)
    .wall(6_000)
    .ended_by("cpu_limit")
);

attack!(
    hides_behind_a_main_thread_that_ended,
    python_attack(
        r#"
def attack(host):
    import threading, time
    def fill():
        kept = bytearray(os.urandom(1 << 20) * 40)
        time.sleep(30)
        return kept
    for _ in range(5):
        if os.fork() == 0:
            threading.Thread(target=fill).start()
            libc.syscall(60, 0)
    time.sleep(4)
    return "held nothing back"
"#
    )
    .limit("memory", 128 << 20)
    .check(held)
);

attack!(
    pins_shared_memory_by_its_first_page,
    python_attack(
        r#"
def attack(host):
    import mmap, time
    libc.mmap.restype = ctypes.c_void_p
    size, kept = 1 << 20, 0
    for _ in range(400):
        at = libc.mmap(None, ctypes.c_size_t(size), 3, 0x21, -1, ctypes.c_long(0))
        if at in (None, ctypes.c_void_p(-1).value):
            return "refused"
        ctypes.memset(at, 1, size)
        libc.munmap(ctypes.c_void_p(at + 4096), ctypes.c_size_t(size - 4096))
        kept += size
    time.sleep(1)
    return "kept %d" % kept
"#
    )
    .limit("memory", 128 << 20)
    .check(held)
);

attack!(
    fills_the_buffers_of_sockets_in_many_processes,
    python_attack(
        r#"
def attack(host):
    import socket, time
    for _ in range(8):
        if os.fork() == 0:
            pairs = []
            try:
                while True:
                    pair = socket.socketpair()
                    pairs.append(pair)
                    for one in pair:
                        one.setblocking(False)
                        try:
                            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
                        except OSError:
                            pass
                        try:
                            while True:
                                one.send(b"x" * 65536)
                        except OSError:
                            pass
            except OSError:
                time.sleep(30)
    time.sleep(4)
    return "held nothing back"
"#
    )
    .limit("memory", 32 << 20)
    .limit("open_files", 256)
    .check(held)
);

attack!(
    fills_the_queues_of_file_watches,
    python_attack(
        r#"
def attack(host):
    return {"init": call(294, 0), "init old": call(253)}
"#
    )
    .refused(2, "ENOSYS")
);

attack!(
    fills_the_buffers_of_datagrams,
    python_attack(
        r#"
def attack(host):
    import socket
    return {
        "udp": attempt(socket.socket, socket.AF_INET, socket.SOCK_DGRAM),
        "udp 6": attempt(socket.socket, socket.AF_INET6, socket.SOCK_DGRAM),
        "icmp": attempt(socket.socket, socket.AF_INET, socket.SOCK_DGRAM, 1),
        "multipath": attempt(socket.socket, socket.AF_INET, socket.SOCK_STREAM, 262),
        "sctp": attempt(socket.socket, socket.AF_INET, socket.SOCK_STREAM, 132),
        "raw": attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1),
    }
"#
    )
    .hosts(&["example.org"])
    .refused(6, "EAFNOSUPPORT")
);

attack!(
    wants_to_outlive_the_server_when_memory_runs_out,
    python_attack(
        r#"
def attack(host):
    score = read("/proc/self/oom_score_adj").decode().strip()
    return {"score is " + score: attempt(write, "/proc/self/oom_score_adj", "-1000")}
"#
    )
    .check(|answer| assert!(answer.returned().get("score is 1000").is_some(), "{answer:?}"))
    .refused(1, "EACCES|EPERM")
);

attack!(
    touches_the_devices_of_the_host,
    python_attack(
        r#"
def attack(host):
    return {path: attempt(os.utime, path) for path in ("/dev/null", "/dev/zero", "/dev/urandom")}
"#
    )
    .refused(3, "EROFS|EPERM|EACCES")
);

/// The groups that the driver has made, whether in use or not.
fn groups(driver: &Driver) -> usize {
    let name = format!("repertoire-sandbox-{}", driver.process());
    let mut waiting = vec![std::path::PathBuf::from("/sys/fs/cgroup")];
    let mut found = 0;
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                found += usize::from(folder.ends_with(&name));
                waiting.push(entry.path());
            }
        }
    }
    found
}

in_each_mode!(what_is_refused_leaves_no_group_behind, |driver| {
    let before = groups(driver);
    for _ in 0..20 {
        let order = python("1\n").input("a/../b", "x").order;
        let answer = driver.ask(json!({ "execute": order }));
        assert!(answer["error"].is_string(), "{answer}");
    }
    assert_eq!(driver.execute(&python("1\n").order).returned(), &json!(1));
    // Other tests make and lose groups meanwhile; twenty times three would stand out.
    let left = crate::leavings::eventually_none(|| {
        let more = groups(driver).saturating_sub(before);
        if more > 45 { vec![format!("{more} groups")] } else { Vec::new() }
    });
    assert!(left.is_empty(), "{left:?}");
});
