//! Descriptors that the server or the fork-server has open.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    uses_inherited_descriptors,
    python_attack(
        r#"
def attack(host):
    import stat
    found = {}
    for descriptor in range(3, 4096):
        try:
            kind = os.fstat(descriptor).st_mode
        except OSError:
            continue
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            kind = "channel"
        elif stat.S_ISDIR(kind):
            os.fchdir(descriptor)
            kind = "ESCAPED folder %s" % os.listdir(".")[:5]
        else:
            kind = "ESCAPED file %r" % os.readlink("/proc/self/fd/%d" % descriptor)
        found[str(descriptor)] = kind
    return {"many": len(found) > 1, "kinds": sorted(set(found.values()) - {"channel"})}
"#
    )
    .returns(json!({ "many": false, "kinds": [] }))
);

attack!(
    opens_descriptors_through_proc,
    python_attack(
        r#"
def attack(host):
    tries = {}
    for process in [name for name in os.listdir("/proc") if name.isdigit()]:
        try:
            names = os.listdir("/proc/%s/fd" % process)
        except OSError as error:
            continue
        for name in names:
            target = ""
            try:
                target = os.readlink("/proc/%s/fd/%s" % (process, name))
            except OSError:
                continue
            if not target.startswith(("pipe:", "socket:", "/proc/", "/dev/null", "anon_inode:", "/memfd:", "/dev/shm",
                                      "/program", "/tmp", "/mnt/data")):
                tries[name] = "ESCAPED " + target
    tries["of the server"] = attempt(os.listdir, "/proc/%d/fd" % host["server"])
    return tries
"#
    )
    .refused(1, "ENOENT|EACCES|EPERM")
);

attack!(
    reads_the_standard_input_of_the_server,
    python_attack(
        r#"
def attack(host):
    import select
    ready = select.select([0], [], [], 0.2)[0] if attempt(os.fstat, 0).startswith("ESCAPED") else [0]
    said = attempt(os.read, 0, 100)
    return {"ready": bool(ready), "empty": said in ("ESCAPED b''", "EBADF")}
"#
    )
    .returns(json!({ "ready": true, "empty": true }))
);

attack!(
    steals_descriptors_of_other_processes,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    tries = {}
    for process in [1, os.getppid(), host["server"]]:
        pidfd = libc.syscall(ctypes.c_long(calls["pidfd_open"]), ctypes.c_long(process), ctypes.c_long(0))
        for descriptor in range(4):
            tries["%d %d" % (process, descriptor)] = call(calls["pidfd_getfd"], pidfd, descriptor, 0)
    return dict(sorted(set((value, value) for value in tries.values())))
"#
    )
    .check(|answer| {
        let refusals: Vec<_> = answer.returned().as_object().unwrap().keys().cloned().collect();
        assert!(
            refusals.iter().all(|it| ["EPERM", "ENOSYS", "EBADF"].contains(&it.as_str())),
            "{refusals:?}"
        );
        assert!(!refusals.is_empty(), "{answer:?}");
    })
);

attack!(
    passes_descriptors_through_sockets_of_the_host,
    python_attack(
        r#"
def attack(host):
    import array, socket
    def connect(address):
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(address)
            one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
    return {
        "by path": attempt(connect, host["socket"]),
        "by name": attempt(connect, "\0" + host["abstract_name"]),
        "journal": attempt(connect, "/run/systemd/journal/socket"),
        "bus": attempt(connect, "/run/dbus/system_bus_socket"),
        "docker": attempt(connect, "/var/run/docker.sock"),
    }
"#
    )
    .refused(5, "ENOENT|ECONNREFUSED|EACCES|EPERM")
);

attack!(
    reads_environments_of_all_processes,
    python_attack(
        r#"
def attack(host):
    import re
    secret = re.compile(b"SECRET_OF_" + b"THE_SERVER")
    found = [name for name in os.environ if "SECRET" in name]
    for process in [name for name in os.listdir("/proc") if name.isdigit()] + ["self", str(os.getppid())]:
        for file in ["environ", "cmdline", "stat", "status"]:
            try:
                text = read("/proc/%s/%s" % (process, file), 1 << 20)
            except OSError:
                continue
            if secret.search(text):
                found.append("%s/%s" % (process, file))
    return found
"#
    )
    .returns(json!([]))
);

attack!(
    sees_variables_of_the_server,
    python_attack(&format!(
        r#"
def attack(host):
    known = {{"HOME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "TZ",
             "USER", "LOGNAME", "HOSTNAME", "PWD", *{:?}}}
    return sorted(name for name in os.environ
                  if name not in known and not name.endswith("_NUM_THREADS") and not name.startswith("MPL"))
"#,
        sandbox::SEARCH_PATH_VARIABLES.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    ))
    .returns(json!([]))
);

attack!(
    searches_its_memory_for_the_secret,
    python_attack(
        r#"
def attack(host):
    import re
    secret = re.compile(b"SECRET_OF_THE_" + b"SERVER=[0-9a-f]{6,}")
    searched, found = 0, []
    for line in open("/proc/self/maps"):
        area, rights = line.split()[:2]
        if "r" not in rights or "[v" in line:
            continue
        start, end = (int(part, 16) for part in area.split("-"))
        if end - start > 64 << 20:
            continue
        try:
            text = ctypes.string_at(start, end - start) if "w" in rights else b""
        except Exception:
            continue
        searched += len(text)
        if secret.search(text):
            found.append(line)
    return {"searched": searched > 100000, "found": found}
"#
    )
    .limit("memory", 512 << 20)
    .returns(json!({ "searched": true, "found": [] }))
);
