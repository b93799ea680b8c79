//! What protects the machine from the code, found out by doing it.

use rustix::io::Errno;

use crate::cgroups::Groups;
use crate::guard::Guard;
use crate::processor::Counter;
use crate::{Error, Protection, Settings};

/// The Landlock version from which on every rule of ours is known.
const LANDLOCK_WANTED: i64 = 6;

/// What is there. The jail was built, so the namespaces are.
pub(crate) fn found(guard: &Guard, groups: Result<&Groups, &String>) -> Vec<Protection> {
    let users = match guard.standing.users {
        1 => format!("all code runs as user {} of this machine", guard.standing.first_user),
        _ => format!(
            "each execution is another user of this machine, from {} on; never root",
            guard.standing.first_user
        ),
    };
    let active =
        |name, detail: &str| Protection { name, active: true, required: true, detail: detail.to_owned() };
    let mut all = vec![
        active("user_namespace", &users),
        active(
            "mount_namespace",
            "a read-only root of programs and libraries, nothing of the machine's data",
        ),
        active("pid_namespace", "an execution sees and ends only its own processes"),
        active("network_namespace", "no network but the allow list's proxy"),
        active("ipc_and_uts_namespaces", "no shared memory or names with anybody"),
        active("capabilities", "all dropped, and none to be had again"),
    ];
    all.push(seccomp());
    all.push(landlock());
    all.push(Protection {
        name: "control_groups",
        active: groups.is_ok(),
        required: false,
        detail: match groups {
            Ok(groups) => groups.describe().to_owned(),
            Err(why) => format!("not used ({why}); resource limits and a watchdog hold the limits instead"),
        },
    });
    all.push(processor_time(groups.is_ok_and(Groups::counts_cpu)));
    all
}

fn processor_time(by_groups: bool) -> Protection {
    let by_counter = !by_groups && Counter::is_available();
    let detail = if by_groups {
        "counted by control groups"
    } else if by_counter {
        "counted by a performance counter"
    } else {
        "sampled every 20 ms, so that processes that nobody waits for are counted too low; for exact counting set the \
         sysctl kernel.perf_event_paranoid to 2 or give the server control groups"
    };
    let active = by_groups || by_counter;
    Protection { name: "processor_time", active, required: false, detail: detail.to_owned() }
}

fn seccomp() -> Protection {
    let active =
        std::fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nSeccomp:"));
    let detail = if active {
        "system calls by allow list; other machine modes end the process"
    } else {
        "this kernel has no system call filters (CONFIG_SECCOMP_FILTER)"
    };
    Protection { name: "seccomp", active, required: true, detail: detail.to_owned() }
}

fn landlock() -> Protection {
    let version = crate::lockdown::landlock_version();
    let detail = match version {
        ..1 => "this kernel has no Landlock (Linux 5.13 with lsm=landlock), the second wall around files"
            .to_owned(),
        1..LANDLOCK_WANTED => {
            format!("version {version}: files; newer kernels also hold signals and connections")
        }
        _ => format!("version {version}: files, connections, signals"),
    };
    Protection { name: "landlock", active: version >= 1, required: true, detail }
}

/// Refuses where a required one is missing, unless that was allowed.
pub(crate) fn require(protections: &[Protection], settings: &Settings) -> Result<(), Error> {
    let missing: Vec<_> = protections
        .iter()
        .filter(|protection| protection.required && !protection.active)
        .map(|protection| protection.detail.clone())
        .collect();
    if missing.is_empty() || settings.allow_weaker {
        return Ok(());
    }
    Err(Error::Unprotected { missing: missing.join("; ") })
}

/// Why no jail could be built, with what to do about it.
pub(crate) fn explain(error: &str) -> Error {
    let denied = error.contains(&std::io::Error::from(Errno::PERM).to_string())
        || error.contains(&std::io::Error::from(Errno::NOSPC).to_string());
    let advice = if denied && error.starts_with("user namespace") {
        "; user namespaces must be allowed: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1"
    } else if denied {
        "; on Ubuntu an AppArmor profile must allow user namespaces (kernel.apparmor_restrict_unprivileged_userns=0), in a container /proc must not be masked"
    } else {
        ""
    };
    Error::Unprotected { missing: format!("no jail could be built: {error}{advice}") }
}
