//! New namespaces, and those of others.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    makes_namespaces,
    python_attack(
        r#"
FLAGS = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000,
         "uts": 0x4000000, "cgroup": 0x2000000, "time": 0x80, "user and mount": 0x10020000, "all": 0x7e020080}
def attack(host):
    return {name: call(host["calls"]["unshare"], flags) for name, flags in FLAGS.items()}
"#
    )
    .refused(10, "EPERM|ENOSYS|EINVAL|EACCES")
);

attack!(
    clones_into_namespaces,
    python_attack(
        r#"
FLAGS = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000,
         "uts": 0x4000000, "cgroup": 0x2000000, "all": 0x7e020000}
def attack(host):
    def clone(flags):
        done = libc.syscall(ctypes.c_long(host["calls"]["clone"]), ctypes.c_long(flags | 17), 0, 0, 0, 0)
        if done == 0:
            os._exit(0)
        if done > 0:
            os.waitpid(done, 0)
            return "ESCAPED"
        return name_of(ctypes.get_errno())
    return {name: clone(flags) for name, flags in FLAGS.items()}
"#
    )
    .refused(8, "EPERM|ENOSYS|EACCES")
);

attack!(
    clones_by_the_new_call,
    python_attack(
        r#"
def attack(host):
    def clone(flags):
        arguments = ctypes.create_string_buffer(flags.to_bytes(8, "little") + bytes(24) + (17).to_bytes(8, "little")
                                                + bytes(48))
        done = libc.syscall(ctypes.c_long(host["calls"]["clone3"]), arguments, ctypes.c_long(88))
        if done == 0:
            os._exit(0)
        if done > 0:
            os.waitpid(done, 0)
            return "ESCAPED"
        return name_of(ctypes.get_errno())
    return {hex(flags): clone(flags) for flags in (0x10000000, 0x20000, 0x7e020000, 0x200000000, 0)}
"#
    )
    .refused(5, "EPERM|ENOSYS|EACCES")
);

attack!(
    enters_namespaces_of_others,
    python_attack(
        r#"
def attack(host):
    number = host["calls"]["setns"]
    tries = {}
    for kind in ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time", "pid_for_children"]:
        for process in ["self", "1", str(os.getppid()), str(host["server"])]:
            try:
                handle = os.open("/proc/%s/ns/%s" % (process, kind), os.O_RDONLY)
            except OSError as error:
                tries[kind + process] = name_of(error.errno)
                continue
            tries[kind + process] = call(number, handle, 0)
            os.close(handle)
    tries["pidfd"] = call(number, libc.syscall(ctypes.c_long(host["calls"]["pidfd_open"]), 1, 0), 0x7e020000)
    return {"tried": len(tries), "open": sorted(set(tries.values()) - {"EPERM", "ENOSYS", "ENOENT", "EACCES", "EBADF"})}
"#
    )
    .check(|answer| {
        assert_eq!(answer.returned()["open"], json!([]), "{answer:?}");
        assert!(answer.returned()["tried"].as_u64().unwrap() > 20, "{answer:?}");
    })
);

attack!(
    shares_a_namespace_with_the_host,
    python_attack(
        r#"
def attack(host):
    return {kind: os.readlink("/proc/self/ns/" + kind) for kind in ["user", "mnt", "pid", "net", "ipc", "uts"]}
"#
    )
    .check(|answer| {
        let inside = answer.returned().as_object().unwrap();
        assert_eq!(inside.len(), 6);
        for (kind, namespace) in inside {
            let ours = std::fs::read_link(format!("/proc/self/ns/{kind}")).unwrap();
            assert_ne!(namespace.as_str(), ours.to_str(), "the {kind} namespace is the host's");
        }
    })
);

attack!(
    rewrites_its_user_mapping,
    python_attack(
        r#"
def attack(host):
    def put(path, text):
        file = os.open(path, os.O_WRONLY)
        os.write(file, text)
    return {
        "users": attempt(put, "/proc/self/uid_map", b"0 0 1\n"),
        "groups": attempt(put, "/proc/self/gid_map", b"0 0 1\n"),
        "allow": attempt(put, "/proc/self/setgroups", b"allow"),
        "of init": attempt(put, "/proc/1/uid_map", b"0 0 4294967295\n"),
        "projects": attempt(put, "/proc/self/projid_map", b"0 0 1\n"),
        "login": attempt(put, "/proc/self/loginuid", b"0"),
    }
"#
    )
    .refused(6, "EPERM|EACCES|EROFS|ENOENT|EINVAL")
);

attack!(
    is_mapped_to_root_of_the_host,
    python_attack(
        r#"
def attack(host):
    inside = [line.split() for line in open("/proc/self/uid_map")]
    return {"mapped": [int(line[1]) for line in inside], "user": os.getuid(), "root": os.geteuid() == 0}
"#
    )
    .check(|answer| {
        assert_eq!(answer.returned()["root"], json!(false), "{answer:?}");
        assert_eq!(answer.returned()["mapped"].as_array().unwrap().len(), 1, "{answer:?}");
    })
);

attack!(
    renames_the_host,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    return {
        "name": call(calls["sethostname"], b"hacked", 6),
        "domain": call(calls["setdomainname"], b"hacked", 6),
    }
"#
    )
    .refused(2, "EPERM|ENOSYS|EACCES")
);
