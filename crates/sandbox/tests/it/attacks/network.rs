//! The network: sockets of every family, the host's own ports, names.

use serde_json::json;

use crate::trial::{attack, in_each_mode, python_attack};

attack!(
    opens_sockets_of_every_family,
    python_attack(
        r#"
def attack(host):
    import socket
    tries = {}
    for family in range(0, 50):
        if family == socket.AF_UNIX:
            continue
        for kind in (1, 2, 3, 4, 5):
            try:
                socket.socket(family, kind, 0).close()
                tries["%d %d" % (family, kind)] = "ESCAPED"
            except OSError as error:
                tries["%d %d" % (family, kind)] = name_of(error.errno)
    return tries
"#
    )
    .refused(245, "EPERM|EACCES|EAFNOSUPPORT|ENOSYS")
);

attack!(
    opens_pairs_of_every_family,
    python_attack(
        r#"
def attack(host):
    import socket
    def pair(family):
        socket.socketpair(family, socket.SOCK_STREAM)
    return {str(family): attempt(pair, family) for family in range(2, 46)}
"#
    )
    .refused(44, "EPERM|EACCES|EAFNOSUPPORT|ENOTSUP|ENOSYS")
);

in_each_mode!(connects_to_ports_of_the_host, |driver| {
    python_attack(
        r#"
def attack(host):
    import socket
    tries = {}
    for address in ["127.0.0.1", "localhost", "0.0.0.0", "::1", "10.0.0.1", "169.254.169.254", "1.1.1.1"]:
        try:
            socket.create_connection((address, host["port"]), timeout=1).send(b"hello")
            tries[address] = "ESCAPED"
        except OSError as error:
            tries[address] = "refused"
    return tries
"#,
    )
    .refused(7, "refused")
    .run_on(driver);
    let refused = driver.host.tcp.accept().map_err(|error| error.kind());
    assert!(matches!(refused, Err(std::io::ErrorKind::WouldBlock)), "somebody connected");
});

attack!(
    asks_for_names,
    python_attack(
        r#"
def attack(host):
    import socket
    return {name: attempt(socket.getaddrinfo, name, 80) for name in ["example.com", "metadata.google.internal"]}
"#
    )
    .check(|answer| {
        let names = answer.returned().as_object().unwrap();
        assert_eq!(names.len(), 2);
        assert!(names.values().all(|it| !it.as_str().unwrap().starts_with("ESCAPED")), "{answer:?}");
    })
);

attack!(
    talks_to_the_hypervisor,
    python_attack(
        r#"
def attack(host):
    import socket
    def connect(context):
        with socket.socket(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM) as one:
            one.settimeout(1)
            one.connect((context, 1024))
    return {str(context): attempt(connect, context) for context in (0, 1, 2, 3)}
"#
    )
    .refused(4, "EPERM|EACCES|EAFNOSUPPORT|ENOSYS")
);

attack!(
    sends_raw_packets,
    python_attack(
        r#"
def attack(host):
    import socket
    return {
        "raw": attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        "packet": attempt(socket.socket, socket.AF_PACKET, socket.SOCK_RAW, 0x0300),
        "route": attempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0),
        "audit": attempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 9),
        "uevent": attempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 15),
        "ping": attempt(socket.socket, socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
    }
"#
    )
    .refused(6, "EPERM|EACCES|EAFNOSUPPORT|ENOSYS")
);

attack!(
    uses_the_crypto_of_the_kernel,
    python_attack(
        r#"
def attack(host):
    import socket
    def bind():
        with socket.socket(38, socket.SOCK_SEQPACKET) as one:
            one.bind(("hash", "sha256"))
    return {"hash": attempt(bind)}
"#
    )
    .refused(1, "EPERM|EACCES|EAFNOSUPPORT|ENOSYS")
);

attack!(
    has_an_interface_of_the_host,
    python_attack(
        r#"
def attack(host):
    # Through the old way too: a directory of interfaces, where there is one.
    try:
        names = [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
    except OSError:
        names = []
    return [name for name in names if name != "lo"]
"#
    )
    .returns(json!([]))
);

attack!(
    leaves_a_listener_for_the_next,
    python_attack(
        r#"
def attack(host):
    import socket
    own = socket.socket(socket.AF_UNIX)
    try:
        own.bind("\0left-for-the-next")
        own.listen()
    except OSError as error:
        return "held"
    if os.fork() == 0:
        os.setsid()
        own.accept()
        os._exit(0)
    return "held"
"#
    )
    .returns(json!("held"))
);
