//! Other users, more rights, higher limits.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    becomes_another_user,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    tries = {
        "setuid": attempt(os.setuid, 0),
        "seteuid": attempt(os.seteuid, 0),
        "setreuid": attempt(os.setreuid, 0, 0),
        "setresuid": attempt(os.setresuid, 0, 0, 0),
        "setgid": attempt(os.setgid, 0),
        "setegid": attempt(os.setegid, 0),
        "setregid": attempt(os.setregid, 0, 0),
        "setresgid": attempt(os.setresgid, 0, 0, 0),
        "setgroups": attempt(os.setgroups, [0]),
        "another": attempt(os.setuid, 1234),
        "raw": call(calls["setuid"], 0),
    }
    libc.setfsuid(0)
    tries["setfsuid"] = "EPERM" if libc.setfsuid(-1) != 0 else "ESCAPED"
    return tries
"#
    )
    .refused(12, "EPERM|EINVAL|ENOSYS|EACCES")
);

attack!(
    takes_capabilities,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    header = ctypes.create_string_buffer((0x20080522).to_bytes(4, "little") + bytes(4))
    every = ctypes.create_string_buffer(b"\xff" * 24)
    tries = {"all": call(calls["capset"], header, every)}
    one = ctypes.create_string_buffer((1 << 21).to_bytes(4, "little") * 3 + bytes(12))
    tries["administration"] = call(calls["capset"], header, one)
    PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
    for capability in (1, 12, 21, 40):
        tries["ambient %d" % capability] = call(calls["prctl"], PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0)
    return tries
"#
    )
    .refused(6, "EPERM|EINVAL|ENOSYS|EACCES")
);

attack!(
    keeps_a_capability,
    python_attack(
        r#"
def attack(host):
    PR_CAPBSET_READ, PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET = 23, 47, 1
    return [capability for capability in range(41)
            if libc.prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1
            or libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) == 1]
"#
    )
    .returns(json!([]))
);

attack!(
    runs_setuid_programs,
    python_attack(
        r#"
def attack(host):
    import subprocess
    tries = {}
    for program in ["/bin/su", "/usr/bin/sudo", "/bin/mount", "/usr/bin/passwd", "/usr/bin/newgrp", "/usr/bin/chsh",
                    "/usr/bin/pkexec", "/bin/umount", "/usr/bin/newuidmap"]:
        arguments = {"mount": ["-t", "tmpfs", "none", "/mnt/data"], "umount": ["/proc"], "su": ["-c", "id -u"],
                     "sudo": ["-n", "id", "-u"]}.get(os.path.basename(program), ["--help-not-there"])
        try:
            done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
            tries[program] = "ESCAPED" if done.returncode == 0 else "refused"
        except OSError as error:
            tries[program] = name_of(error.errno)
    return tries
"#
    )
    .refused(9, "refused|ENOENT|EACCES|EPERM")
);

attack!(
    makes_a_setuid_program,
    python_attack(
        r#"
def attack(host):
    import shutil, subprocess
    held = []
    for folder in ["/mnt/data", "/tmp", "/dev/shm"]:
        shutil.copy(os.path.realpath("/bin/sh"), folder + "/sh")
        try:
            os.chmod(folder + "/sh", 0o6755)
        except OSError as error:
            held.append(name_of(error.errno))
            continue
        try:
            done = subprocess.run([folder + "/sh", "-p", "-c", "id -u; cat /proc/self/status"], capture_output=True)
        except OSError as error:
            held.append(name_of(error.errno))
            continue
        privileged = done.stdout.startswith(b"0\n") or b"NoNewPrivs:\t1" not in done.stdout
        held.append("ESCAPED" if privileged else "held")
    return {str(number): one for number, one in enumerate(held)}
"#
    )
    .refused(3, "held|EPERM|EACCES")
);

attack!(
    raises_its_limits,
    python_attack(
        r#"
def attack(host):
    import resource
    tries = {}
    for name in ["RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_CORE", "RLIMIT_MEMLOCK"]:
        limit = getattr(resource, name)
        hard = resource.getrlimit(limit)[1]
        if hard == resource.RLIM_INFINITY:
            tries[name] = "ESCAPED there is none"
            continue
        try:
            resource.setrlimit(limit, (hard + 1, hard + 1))
            tries[name] = "ESCAPED raised"
        except (OSError, ValueError) as error:
            tries[name] = type(error).__name__
        tries[name + " of init"] = attempt(resource.prlimit, 1, limit, (hard + 1, hard + 1))
    return tries
"#
    )
    .refused(12, "ValueError|OSError|PermissionError|EPERM|ENOSYS|ESRCH|EACCES")
);

attack!(
    dumps_core,
    python_attack(
        r#"
def attack(host):
    import resource, signal
    child = os.fork()
    if child == 0:
        os.chdir("/mnt/data")
        os.kill(os.getpid(), signal.SIGABRT)
    status = os.waitpid(child, 0)[1]
    return {"none": resource.getrlimit(resource.RLIMIT_CORE)[1] <= 1, "dumped": os.WCOREDUMP(status),
            "files": os.listdir("/mnt/data")}
"#
    )
    .returns(json!({ "none": true, "dumped": false, "files": [] }))
);

attack!(
    takes_the_processor_for_itself,
    python_attack(
        r#"
def attack(host):
    calls = host["calls"]
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    return {
        "fifo": attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(50)),
        "round robin": attempt(os.sched_setscheduler, 0, os.SCHED_RR, os.sched_param(1)),
        "nice": attempt(os.setpriority, os.PRIO_PROCESS, 0, priority - 1),
        "lowest": attempt(os.setpriority, os.PRIO_PROCESS, 0, -20),
        "real-time disk": call(calls["ioprio_set"], 1, 0, 1 << 13),
    }
"#
    )
    .refused(5, "EPERM|EACCES|ENOSYS|EINVAL")
);

attack!(
    locks_memory,
    python_attack(
        r#"
def attack(host):
    import mmap
    area = mmap.mmap(-1, 64 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    return {"lock": call(host["calls"]["mlock"], start, 64 << 20)}
"#
    )
    .refused(1, "EPERM|ENOMEM|ENOSYS|EAGAIN")
);
