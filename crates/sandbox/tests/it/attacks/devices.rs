//! Devices: those of the host, and new ones.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    opens_devices_of_the_host,
    python_attack(
        r#"
def attack(host):
    names = ["mem", "kmem", "port", "kmsg", "vda", "vda1", "sda", "nvme0n1", "loop0", "loop-control", "fuse", "kvm",
             "net/tun", "vhost-net", "vsock", "ptmx", "pts/0", "tty", "tty0", "console", "ttyS0", "mapper/control",
             "autofs", "hwrng", "rtc0", "snapshot", "uinput", "btrfs-control", "userfaultfd", "watchdog"]
    return {name: attempt(os.open, "/dev/" + name, os.O_RDONLY | os.O_NONBLOCK) for name in names}
"#
    )
    .refused(30, "ENOENT|EACCES|ENXIO|EPERM")
);

attack!(
    makes_device_nodes,
    python_attack(
        r#"
def attack(host):
    import stat
    tries = {}
    for folder in ["/mnt/data", "/tmp", "/dev/shm", "/dev"]:
        for name, kind, device in [("mem", stat.S_IFCHR, (1, 1)), ("disk", stat.S_IFBLK, (254, 0)),
                                   ("null", stat.S_IFCHR, (1, 3))]:
            path = folder + "/" + name + "0"
            tries[path] = attempt(os.mknod, path, 0o666 | kind, os.makedev(*device))
    # A whiteout is a device 0:0 that needs no right at all on most file systems; it gives nothing.
    whiteout = attempt(os.mknod, "/mnt/data/whiteout", 0o666 | stat.S_IFCHR, os.makedev(0, 0))
    if whiteout.startswith("ESCAPED"):
        whiteout = attempt(os.open, "/mnt/data/whiteout", os.O_RDONLY)
    return {**tries, "whiteout": whiteout}
"#
    )
    .refused(13, "EPERM|EACCES|ENOSYS|EROFS|ENXIO|EEXIST")
);

attack!(
    pushes_characters_into_a_terminal,
    python_attack(
        r#"
def attack(host):
    import fcntl
    TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS = 0x5412, 0x541C, 0x5423, 0x541D
    tries = {}
    for name, request in [("sti", TIOCSTI), ("linux", TIOCLINUX), ("discipline", TIOCSETD), ("console", TIOCCONS)]:
        for descriptor in (0, 1, 2):
            tries["%s %d" % (name, descriptor)] = attempt(fcntl.ioctl, descriptor, request, b"\x03")
    tries["hang up"] = call(host["calls"]["vhangup"])
    tries["new terminal"] = attempt(os.openpty)
    return tries
"#
    )
    .refused(14, "EPERM|EACCES|ENOSYS|ENOTTY|ENOENT|EINVAL|EBADF|OSError")
);

attack!(
    has_a_controlling_terminal,
    python_attack(
        r#"
def attack(host):
    return {
        "open": attempt(os.open, "/dev/tty", os.O_RDWR),
        "terminals": [number for number in (0, 1, 2) if os.isatty(number)],
        "session": os.getsid(0) == os.getpid() or os.getsid(0) >= 0,
    }
"#
    )
    .check(|answer| {
        assert!(["ENOENT", "ENXIO", "EACCES"].contains(&answer.returned()["open"].as_str().unwrap()));
        assert_eq!(answer.returned()["terminals"], json!([]), "{answer:?}");
    })
);
