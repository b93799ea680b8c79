//! Mounting, unmounting, and making what is read-only writable.

use crate::trial::{attack, python_attack};

attack!(
    mounts_file_systems,
    python_attack(
        r#"
def attack(host):
    os.mkdir("/mnt/data/on")
    number = host["calls"]["mount"]
    kinds = ["tmpfs", "proc", "sysfs", "devtmpfs", "devpts", "overlay", "cgroup", "cgroup2", "mqueue", "ext4", "fuse",
             "debugfs", "bpf", "ramfs"]
    return {kind: call(number, b"none", b"/mnt/data/on", kind.encode(), 0, 0) for kind in kinds}
"#
    )
    .refused(14, "EPERM|ENOSYS|EACCES")
);

attack!(
    mounts_the_disk_of_the_host,
    python_attack(
        r#"
def attack(host):
    os.mkdir("/mnt/data/on")
    number = host["calls"]["mount"]
    sources = ["/dev/vda", "/dev/vda1", "/dev/sda1", "/dev/nvme0n1p1", "/dev/root", "host:/export"]
    return {source: call(number, source.encode(), b"/mnt/data/on", b"ext4", 0, 0) for source in sources}
"#
    )
    .refused(6, "EPERM|ENOSYS|EACCES")
);

attack!(
    binds_folders_elsewhere,
    python_attack(
        r#"
def attack(host):
    MS_BIND, MS_REC, MS_MOVE, MS_PRIVATE, MS_SHARED = 4096, 16384, 8192, 1 << 18, 1 << 20
    os.mkdir("/mnt/data/on")
    number = host["calls"]["mount"]
    return {
        "bind": call(number, b"/", b"/mnt/data/on", 0, MS_BIND, 0),
        "recursive": call(number, b"/", b"/mnt/data/on", 0, MS_BIND | MS_REC, 0),
        "move": call(number, b"/proc", b"/mnt/data/on", 0, MS_MOVE, 0),
        "private": call(number, 0, b"/", 0, MS_PRIVATE | MS_REC, 0),
        "shared": call(number, 0, b"/", 0, MS_SHARED | MS_REC, 0),
    }
"#
    )
    .refused(5, "EPERM|ENOSYS|EACCES")
);

attack!(
    remounts_the_runtime_writable,
    python_attack(
        r#"
def attack(host):
    MS_REMOUNT, MS_BIND = 32, 4096
    number = host["calls"]["mount"]
    paths = ["/", "/usr", "/bin", "/lib", "/etc", "/program", "/proc", "/dev", "/mnt/data"]
    tries = {path: call(number, 0, path.encode(), 0, MS_REMOUNT | MS_BIND, 0) for path in paths}
    tries["whole"] = call(number, 0, b"/", 0, MS_REMOUNT, b"size=100%")
    attributes = ctypes.create_string_buffer((0).to_bytes(8, "little") + (1).to_bytes(8, "little") + bytes(16))
    tries["attributes"] = call(host["calls"]["mount_setattr"], -100, b"/", 0x8000, attributes, 32)
    return tries
"#
    )
    .refused(11, "EPERM|ENOSYS|EACCES")
);

attack!(
    unmounts_what_hides_the_host,
    python_attack(
        r#"
def attack(host):
    MNT_FORCE, MNT_DETACH = 1, 2
    number = host["calls"]["umount2"]
    paths = ["/", "/proc", "/dev", "/tmp", "/mnt/data", "/program", "/.sessions", "/usr"]
    return {"%s %d" % (path, flags): call(number, path.encode(), flags)
            for path in paths for flags in (0, MNT_FORCE, MNT_DETACH)}
"#
    )
    .refused(24, "EPERM|ENOSYS|EACCES")
);

attack!(
    moves_the_root,
    python_attack(
        r#"
def attack(host):
    os.makedirs("/mnt/data/root/old")
    os.chdir("/mnt/data/root")
    return {
        "pivot": call(host["calls"]["pivot_root"], b".", b"old"),
        "in place": call(host["calls"]["pivot_root"], b".", b"."),
        "back": call(host["calls"]["pivot_root"], b"/", b"/"),
    }
"#
    )
    .refused(3, "EPERM|ENOSYS|EACCES")
);

attack!(
    mounts_by_the_new_calls,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    return {
        "fsopen": call(calls["fsopen"], b"tmpfs", 0),
        "fsopen proc": call(calls["fsopen"], b"proc", 0),
        "fsconfig": call(calls["fsconfig"], -1, 6, 0, 0, 0),
        "fsmount": call(calls["fsmount"], -1, 0, 0),
        "fspick": call(calls["fspick"], -100, b"/", 0),
        "open_tree": call(calls["open_tree"], -100, b"/", 1),
        "open_tree recursive": call(calls["open_tree"], -100, b"/", 0x8001),
        "move_mount": call(calls["move_mount"], -100, b"/proc", -100, b"/mnt/data", 0),
    }
"#
    )
    .refused(8, "EPERM|ENOSYS|EACCES")
);
