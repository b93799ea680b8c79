//! Parts of the kernel that code has no business with, and system calls by ways that filters forget.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    loads_kernel_code,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    names = ["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "bpf"]
    return {name: call(calls[name], 0, 0, 0, 0, 0) for name in names}
"#
    )
    .refused(6, "EPERM|ENOSYS|EACCES")
);

attack!(
    watches_the_processor,
    python_attack(
        r#"
def attack(host):
    attributes = ctypes.create_string_buffer(bytes([1, 0, 0, 0, 112, 0, 0, 0]) + bytes(104))
    number = host["calls"]["perf_event_open"]
    return {
        "itself": call(number, attributes, 0, -1, -1, 0),
        "everything": call(number, attributes, -1, 0, -1, 0),
    }
"#
    )
    .refused(2, "EPERM|ENOSYS|EACCES")
);

attack!(
    submits_calls_through_io_uring,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    parameters = ctypes.create_string_buffer(120)
    return {
        "setup": call(calls["io_uring_setup"], 8, parameters),
        "enter": call(calls["io_uring_enter"], 0, 1, 0, 0, 0, 0),
        "register": call(calls["io_uring_register"], 0, 0, 0, 0),
    }
"#
    )
    .refused(3, "EPERM|ENOSYS|EACCES")
);

attack!(
    handles_page_faults_of_the_kernel,
    python_attack(
        r#"
def attack(host):
    number = host["calls"]["userfaultfd"]
    return {"any": call(number, 0), "user only": call(number, 1), "nonblocking": call(number, 0o4001)}
"#
    )
    .refused(3, "EPERM|ENOSYS|EACCES")
);

attack!(
    changes_its_personality,
    python_attack(
        r#"
def attack(host):
    number = host["calls"]["personality"]
    return {"no randomness": call(number, 0x0040000), "read implies execute": call(number, 0x0400000),
            "32 bit": call(number, 8), "map at zero": call(number, 0x0100000)}
"#
    )
    .refused(4, "EPERM|ENOSYS|EACCES")
);

attack!(
    uses_keys_of_the_kernel,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    return {
        "add": call(calls["add_key"], b"user", b"x", b"y", 1, -3),
        "request": call(calls["request_key"], b"user", b"x", 0, -3),
        "session": call(calls["keyctl"], 0, -3, 0),
        "join": call(calls["keyctl"], 1, b"session"),
        "read": call(calls["keyctl"], 11, 1, 0, 0),
    }
"#
    )
    .refused(5, "EPERM|ENOSYS|EACCES")
);

attack!(
    sets_the_clock,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    time = ctypes.create_string_buffer(bytes(16))
    adjust = ctypes.create_string_buffer((0x4000).to_bytes(4, "little") + bytes(204))
    return {
        "settimeofday": call(calls["settimeofday"], time, 0),
        "clock_settime": call(calls["clock_settime"], 0, time),
        "adjtimex": call(calls["adjtimex"], adjust),
        "clock_adjtime": call(calls["clock_adjtime"], 0, adjust),
    }
"#
    )
    .refused(4, "EPERM|ENOSYS|EACCES")
);

attack!(
    runs_the_machine,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    return {
        "reboot": call(calls["reboot"], 0xfee1dead, 672274793, 0x89abcdef, 0),
        "swapon": call(calls["swapon"], b"/mnt/data/swap", 0),
        "swapoff": call(calls["swapoff"], b"/dev/vda"),
        "acct": call(calls["acct"], b"/mnt/data/account"),
        "acct off": call(calls["acct"], 0),
        "quotactl": call(calls["quotactl"], 0, 0, 0, 0),
        "quotactl_fd": call(calls["quotactl_fd"], 0, 0, 0, 0),
        "syslog": call(calls["syslog"], 3, ctypes.create_string_buffer(100), 100),
        "syslog clear": call(calls["syslog"], 5, 0, 0),
        "nfsservctl": call(calls["nfsservctl"], 0, 0, 0),
        "fanotify": call(calls["fanotify_init"], 0, 0),
        "dcookie": call(calls["lookup_dcookie"], 0, 0, 0),
    }
"#
    )
    .refused(12, "EPERM|ENOSYS|EACCES")
);

attack!(
    moves_memory_between_nodes,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    return {
        "migrate": call(calls["migrate_pages"], 1, 0, 0, 0),
        "move": call(calls["move_pages"], 1, 0, 0, 0, 0, 0),
        "advise": call(calls["process_madvise"], -1, 0, 0, 0, 0),
        "secret memory": call(calls["memfd_secret"], 0),
    }
"#
    )
    .refused(4, "EPERM|ENOSYS|EACCES")
);

attack!(
    talks_through_system_v,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    return {
        "memory": call(calls["shmget"], 4711, 4096, 0o1666),
        "semaphore": call(calls["semget"], 4711, 1, 0o1666),
        "queue": call(calls["msgget"], 4711, 0o1666),
    }
"#
    )
    .refused(3, "EPERM|ENOSYS|EACCES")
);

attack!(
    calls_numbers_that_nobody_knows,
    python_attack(
        r#"
def attack(host):
    # 335 and 336 belong to probes of the kernel, which answers them by a signal whatever a filter says.
    return {str(number): call(number, 0, 0, 0, 0, 0, 0) for number in [*range(337, 424), *range(470, 600), 100000]}
"#
    )
    .refused(218, "EPERM|ENOSYS|EACCES")
);

#[cfg(target_arch = "x86_64")]
attack!(
    reaches_ports_and_segments,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    return {
        "iopl": call(calls["iopl"], 3),
        "ioperm": call(calls["ioperm"], 0x80, 1, 1),
        "modify_ldt": call(calls["modify_ldt"], 1, ctypes.create_string_buffer(16), 16),
        "uselib": call(calls["uselib"], b"/bin/sh"),
        "_sysctl": call(calls["_sysctl"], 0),
        "ustat": call(calls["ustat"], 0, 0),
    }
"#
    )
    .refused(6, "EPERM|ENOSYS|EACCES")
);

#[cfg(target_arch = "x86_64")]
attack!(
    calls_by_the_32_bit_interface,
    python_attack(
        r#"
def attack(host):
    import mmap
    area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    # mov eax, 20 (getpid there); int 0x80; ret
    area.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(area)))
    return "ESCAPED %d" % function()
"#
    )
    .fails("crashed")
);

#[cfg(target_arch = "x86_64")]
attack!(
    calls_by_the_x32_interface,
    python_attack(
        r#"
def attack(host):
    return {"unshare": call(0x40000000 | 272, 0x10000000)}
"#
    )
    .check(|answer| {
        let refused =
            ["ENOSYS", "EPERM"].contains(&answer.0["ending"]["returned"]["unshare"].as_str().unwrap_or(""));
        assert!(refused || answer.failure()["code"] == "crashed", "{answer:?}");
    })
);

attack!(
    raises_its_filter_away,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_SECUREBITS, PR_CAPBSET_DROP = 38, 22, 28, 24
    tries = {
        "no new privileges": call(calls["prctl"], PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0),
        "seccomp off": call(calls["prctl"], PR_SET_SECCOMP, 0, 0, 0, 0),
        "securebits": call(calls["prctl"], PR_SET_SECUREBITS, 0, 0, 0, 0),
    }
    # The filter is inherited by whatever is executed.
    child = os.fork()
    if child == 0:
        os._exit(0 if call(calls["unshare"], 0x10000000).startswith("E") else 1)
    tries["in a child"] = "EPERM" if os.waitpid(child, 0)[1] == 0 else "ESCAPED"
    return tries
"#
    )
    .refused(4, "EPERM|EINVAL|ENOSYS|EACCES")
);

attack!(
    looks_at_its_own_locks,
    python_attack(
        r#"
def attack(host):
    status = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
    names = ["NoNewPrivs", "Seccomp", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]
    return {name: int(status[name].strip(), 16) for name in names}
"#
    )
    .returns(json!({
        "NoNewPrivs": 1, "Seccomp": 2, "CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapBnd": 0, "CapAmb": 0,
    }))
);
