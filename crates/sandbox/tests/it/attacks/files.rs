//! Files of the host, of the server and of the system, to read or to change.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    reads_password_files_of_the_host,
    python_attack(
        r#"
def attack(host):
    paths = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/root/.bashrc", "/root/.profile", "/root/.ssh/id_rsa",
             "/var/lib/dpkg/status", "/var/log/dpkg.log", "/etc/machine-id", "/run/utmp"]
    return {path: attempt(read, path) for path in paths}
"#
    )
    .refused(10, "ENOENT|EACCES")
);

attack!(
    reads_the_files_of_the_server,
    python_attack(
        r#"
def attack(host):
    return {
        "secret": attempt(read, host["secret_file"]),
        "folder": attempt(os.listdir, host["folder"]),
        "status": attempt(os.stat, host["secret_file"]),
        "through the server": attempt(read, "/proc/%d/root%s" % (host["server"], host["secret_file"])),
        "its working folder": attempt(os.listdir, "/proc/%d/cwd" % host["server"]),
    }
"#
    )
    .refused(5, "ENOENT|EACCES")
);

attack!(
    finds_folders_of_the_host_in_the_root,
    python_attack(
        r#"
def attack(host):
    return sorted({"boot", "home", "media", "opt", "run", "srv", "sys", "var", "work"} & set(os.listdir("/")))
"#
    )
    .check(|answer| {
        // The way to a Python that stands there is shown, and nothing else on it.
        let python = std::env::var_os("REPERTOIRE_TEST_DATA_PYTHON").map(std::path::PathBuf::from);
        let ways =
            python.iter().flat_map(|python| [python.clone(), python.canonicalize().unwrap_or_default()]);
        let known: Vec<_> = ways.filter_map(|way| Some(way.iter().nth(1)?.to_str()?.to_owned())).collect();
        let found = answer.returned().as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        let strange: Vec<_> = found.filter(|name| !known.iter().any(|it| it == name)).collect();
        assert!(strange.is_empty(), "{strange:?}");
    })
);

attack!(
    climbs_out_with_dots,
    python_attack(
        r#"
def attack(host):
    up = "../" * 60
    tries = {start: attempt(read, start + "/" + up + host["secret_file"].lstrip("/"))
             for start in ["/mnt/data", "/tmp", "/program", "/proc/self/cwd", "/proc/self/root", "/dev/shm"]}
    os.makedirs("/mnt/data/a/b")
    os.chdir("/mnt/data/a/b")
    os.rename("/mnt/data/a/b", "/mnt/data/b")
    tries["moved"] = attempt(read, up + host["secret_file"].lstrip("/"))
    os.rmdir("/mnt/data/b")
    tries["removed"] = attempt(read, up + host["secret_file"].lstrip("/"))
    return tries
"#
    )
    .refused(8, "ENOENT|EACCES")
);

attack!(
    goes_through_the_roots_of_processes,
    python_attack(
        r#"
def attack(host):
    tries = {}
    for process in [1, 2, os.getpid(), os.getppid(), host["server"], "self", "thread-self"]:
        for way in ["root", "cwd/" + "../" * 20, "task/1/root"]:
            tries["%s %s" % (process, way[:4])] = attempt(read, "/proc/%s/%s%s" % (process, way, host["secret_file"]))
    return {"tries": len(tries), "open": sorted(set(tries.values()) - {"ENOENT", "EACCES", "EPERM"})}
"#
    )
    .check(|answer| assert_eq!(answer.returned()["open"], json!([]), "{answer:?}"))
    .check(|answer| assert!(answer.returned()["tries"].as_u64().unwrap() >= 12, "{answer:?}"))
);

attack!(
    overwrites_the_interpreter,
    python_attack(
        r#"
def attack(host):
    import json
    def spoil(path):
        os.close(os.open(path, os.O_WRONLY))
    paths = ["/proc/self/exe", "/proc/1/exe", sys.executable, os.path.realpath(sys.executable), os.__file__,
             json.__file__, "/bin/sh", "/usr/lib/os-release"]
    return {str(number): attempt(spoil, path) for number, path in enumerate(paths)}
"#
    )
    .refused(8, "EROFS|EACCES|EPERM|ETXTBSY|ENOENT")
);

attack!(
    writes_into_the_system,
    python_attack(
        r#"
def attack(host):
    folders = ["/", "/usr", "/usr/bin", "/etc", "/bin", "/lib", "/dev", "/program", "/mnt", "/proc", "/proc/self"]
    return {folder: attempt(write, folder.rstrip("/") + "/planted") for folder in folders}
"#
    )
    .refused(11, "EROFS|EACCES|EPERM|ENOENT")
);

attack!(
    changes_its_own_program,
    python_attack(
        r#"
def attack(host):
    return {
        "write": attempt(write, "/program/main.py"),
        "remove": attempt(os.remove, "/program/main.py"),
        "rename": attempt(os.rename, "/program/main.py", "/program/other.py"),
        "mode": attempt(os.chmod, "/program/main.py", 0o777),
        "truncate": attempt(os.truncate, "/program/main.py", 0),
        "remove folder": attempt(os.rmdir, "/program"),
        "rename folder": attempt(os.rename, "/program", "/tmp/program"),
    }
"#
    )
    .refused(7, "EROFS|EACCES|EPERM|EBUSY|EXDEV|ENOTEMPTY")
);

attack!(
    writes_kernel_settings,
    python_attack(
        r#"
def attack(host):
    paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory",
             "/proc/sys/kernel/hostname", "/proc/sys/fs/binfmt_misc/register", "/proc/sys/net/ipv4/ip_forward",
             "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/release_agent",
             "/sys/power/state", "/proc/1/oom_score_adj", "/proc/irq/0/smp_affinity", "/proc/acpi/wakeup"]
    def spoil(path):
        file = os.open(path, os.O_WRONLY)
        if path == "/proc/1/oom_score_adj":
            os.write(file, b"-1000")
    return {path: attempt(spoil, path) for path in paths}
"#
    )
    .refused(13, "ENOENT|EROFS|EACCES|EPERM")
);

attack!(
    reads_kernel_memory,
    python_attack(
        r#"
def attack(host):
    paths = ["/proc/kcore", "/proc/kallsyms", "/proc/kmsg", "/proc/iomem", "/proc/slabinfo", "/proc/modules",
             "/proc/timer_list", "/proc/keys", "/proc/sched_debug", "/sys/kernel/debug/tracing/trace",
             "/sys/kernel/vmcoreinfo", "/sys/firmware/acpi/tables/DSDT", "/boot/vmlinuz", "/proc/config.gz"]
    return {path: attempt(read, path) for path in paths}
"#
    )
    .refused(14, "ENOENT|EACCES|EPERM")
);

attack!(
    hardlinks_files_of_the_system,
    python_attack(
        r#"
def attack(host):
    sources = [sys.executable, "/bin/sh", "/program/main.py", "/proc/self/exe", "/proc/self/environ", "/dev/null"]
    return {source: attempt(os.link, source, "/mnt/data/link%d" % number)
            for number, source in enumerate(sources)}
"#
    )
    .refused(6, "EXDEV|EPERM|EACCES|EROFS|ENOENT")
);

attack!(
    opens_files_by_handle,
    python_attack(
        r#"
def attack(host):
    handle = ctypes.create_string_buffer(136)
    handle[0:4] = (128).to_bytes(4, "little")
    mount = ctypes.c_int()
    calls = host["calls"]
    tries = {"name": call(calls["name_to_handle_at"], -100, b"/mnt/data", handle, ctypes.byref(mount), 0)}
    # The root folder of an ext4 file system has the inode 2, generation 0.
    root = ctypes.create_string_buffer((8).to_bytes(4, "little") + (1).to_bytes(4, "little")
                                       + (2).to_bytes(4, "little") + bytes(4))
    for path in ["/", "/usr", "/mnt/data", "/tmp", "/program"]:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        tries[path] = call(calls["open_by_handle_at"], folder, root, 0)
    return tries
"#
    )
    .refused(6, "EPERM|ENOSYS|EACCES")
);

attack!(
    leaves_a_chroot,
    python_attack(
        r#"
def attack(host):
    os.mkdir("/mnt/data/inner")
    outer = os.open("/", os.O_RDONLY)
    tries = {"chroot": attempt(os.chroot, "/mnt/data/inner")}
    tries["fchdir"] = attempt(lambda: (os.fchdir(outer), read("." + "/.." * 60 + host["secret_file"])))
    tries["again"] = attempt(os.chroot, "../" * 60)
    tries["raw"] = call(host["calls"]["chroot"], b"/tmp")
    return tries
"#
    )
    .refused(4, "EPERM|ENOSYS|ENOENT|EACCES")
);

attack!(
    gives_files_capabilities,
    python_attack(
        r#"
def attack(host):
    write("/mnt/data/tool")
    every = b"\x01\x00\x00\x02" + b"\xff" * 8 + bytes(8)
    return {
        "capability": attempt(os.setxattr, "/mnt/data/tool", "security.capability", every),
        "trusted": attempt(os.setxattr, "/mnt/data/tool", "trusted.overlay.opaque", b"y"),
        "selinux": attempt(os.setxattr, "/mnt/data/tool", "security.selinux", b"x"),
        "of root": attempt(os.chown, "/mnt/data/tool", 0, 0),
        "of another": attempt(os.chown, "/mnt/data/tool", 1234, 1234),
        "of the other group": attempt(os.chown, "/mnt/data/tool", -1, 4),
    }
"#
    )
    .refused(6, "EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EACCES|EINVAL")
);

attack!(
    plants_links_for_the_server_to_follow,
    python_attack(
        r#"
def attack(host):
    os.symlink(host["secret_file"], "/mnt/data/report.txt")
    os.symlink(host["folder"], "/mnt/data/folder")
    os.symlink("/", "/mnt/data/root")
    os.symlink("/proc/self/environ", "/mnt/data/environment.txt")
    os.symlink("../" * 30 + host["secret_file"].lstrip("/"), "/mnt/data/up.txt")
    os.symlink("honest.txt", "/mnt/data/inside.txt")
    write("/mnt/data/honest.txt", "honest")
"#
    )
    .reading("report.txt")
    .reading("folder/secret.txt")
    .reading("root/etc/passwd")
    .reading("environment.txt")
    .reading("up.txt")
    .reading("inside.txt")
    .reading("honest.txt")
    .check(|answer| {
        assert_eq!(answer.files(), ["honest.txt"], "{answer:?}");
        let read = answer.0["read"].as_object().unwrap();
        let refused =
            read.values().filter(|it| it["error"].as_str().is_some_and(|it| it.contains("not allowed")));
        assert_eq!(refused.count(), 6, "{read:?}");
        assert_eq!(read["honest.txt"], json!({ "content": "honest" }));
    })
);

attack!(
    maps_and_truncates_libraries,
    python_attack(
        r#"
def attack(host):
    import mmap
    library = os.__file__
    file = os.open(library, os.O_RDONLY)
    def map_shared():
        return mmap.mmap(file, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    return {
        "map": attempt(map_shared),
        "truncate": attempt(os.ftruncate, file, 0),
        "mode": attempt(os.fchmod, file, 0o777),
        "time": attempt(os.utime, library),
        "reopen": attempt(os.open, "/proc/self/fd/%d" % file, os.O_RDWR),
        "attribute": attempt(os.setxattr, library, "user.x", b"y"),
        "remove": attempt(os.remove, library),
    }
"#
    )
    .refused(7, "EROFS|EACCES|EPERM|EINVAL|EBADF|ENOTSUP|ENOSYS|PermissionError")
);
