//! What a server has that code must not reach: a secret in its environment and in a file, and listening sockets.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// One server's belongings.
pub(crate) struct Host {
    pub(crate) secret: String,
    folder: TempDir,
    pub(crate) tcp: TcpListener,
    abstract_name: String,
    _sockets: [UnixListener; 2],
}

impl Host {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let secret = format!("5ec2e7{:016x}{number:08x}", u64::from(std::process::id()) << 32 | number);
        let folder = tempfile::Builder::new().prefix("sandbox-host-").tempdir().unwrap();
        open(folder.path(), 0o755);
        let temporary = folder.path().join("temporary");
        std::fs::create_dir(&temporary).unwrap();
        open(&temporary, 0o1777);
        let secret_file = folder.path().join("secret.txt");
        std::fs::write(&secret_file, &secret).unwrap();
        open(&secret_file, 0o644);
        let by_path = UnixListener::bind(folder.path().join("socket")).unwrap();
        open(&folder.path().join("socket"), 0o777);
        let abstract_name = format!("sandbox-host-{}-{number}", std::process::id());
        let by_name =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        Self { secret, folder, tcp, abstract_name, _sockets: [by_path, by_name] }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn secret_file(&self) -> PathBuf {
        self.folder().join("secret.txt")
    }

    /// Where the driver may put temporary files, and must leave none.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder().join("temporary")
    }

    /// What an attack is told: where things are, never what the secret is.
    pub(crate) fn told(&self, server: u32) -> Value {
        json!({
            "folder": self.folder(),
            "secret_file": self.secret_file(),
            "socket": self.folder().join("socket"),
            "abstract_name": self.abstract_name,
            "port": self.tcp.local_addr().unwrap().port(),
            "server": server,
            "calls": calls(),
        })
    }
}

fn open(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

macro_rules! numbers {
    ($($name:ident),* $(,)?) => {
        [$((stringify!($name).trim_start_matches("SYS_"), libc::$name)),*]
    };
}

/// The numbers of the system calls that attacks use, for this architecture.
fn calls() -> Map<String, Value> {
    let mut calls: Vec<(&str, libc::c_long)> = numbers![
        SYS_acct,
        SYS_add_key,
        SYS_adjtimex,
        SYS_bpf,
        SYS_capget,
        SYS_capset,
        SYS_chroot,
        SYS_clock_adjtime,
        SYS_clock_settime,
        SYS_clone,
        SYS_clone3,
        SYS_delete_module,
        SYS_fanotify_init,
        SYS_finit_module,
        SYS_fsconfig,
        SYS_fsmount,
        SYS_fsopen,
        SYS_fspick,
        SYS_init_module,
        SYS_io_uring_enter,
        SYS_io_uring_register,
        SYS_io_uring_setup,
        SYS_ioprio_set,
        SYS_kcmp,
        SYS_kexec_file_load,
        SYS_kexec_load,
        SYS_keyctl,
        SYS_landlock_create_ruleset,
        SYS_lookup_dcookie,
        SYS_mbind,
        SYS_memfd_create,
        SYS_memfd_secret,
        SYS_migrate_pages,
        SYS_mlock,
        SYS_mount,
        SYS_mount_setattr,
        SYS_move_mount,
        SYS_move_pages,
        SYS_msgget,
        SYS_name_to_handle_at,
        SYS_nfsservctl,
        SYS_open_by_handle_at,
        SYS_open_tree,
        SYS_perf_event_open,
        SYS_personality,
        SYS_pidfd_getfd,
        SYS_pidfd_open,
        SYS_pivot_root,
        SYS_prctl,
        SYS_process_madvise,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_ptrace,
        SYS_quotactl,
        SYS_quotactl_fd,
        SYS_reboot,
        SYS_request_key,
        SYS_seccomp,
        SYS_semget,
        SYS_set_mempolicy,
        SYS_setdomainname,
        SYS_setfsuid,
        SYS_setgid,
        SYS_setgroups,
        SYS_sethostname,
        SYS_setns,
        SYS_setregid,
        SYS_setresgid,
        SYS_setresuid,
        SYS_setreuid,
        SYS_settimeofday,
        SYS_setuid,
        SYS_shmget,
        SYS_swapoff,
        SYS_swapon,
        SYS_syslog,
        SYS_umount2,
        SYS_unshare,
        SYS_userfaultfd,
        SYS_vhangup,
    ]
    .into();
    #[cfg(target_arch = "x86_64")]
    calls.extend(numbers![SYS__sysctl, SYS_ioperm, SYS_iopl, SYS_modify_ldt, SYS_uselib, SYS_ustat,]);
    calls.into_iter().map(|(name, number)| (name.to_owned(), json!(number))).collect()
}
