//! The proxy that lets code reach hosts on a list, and attempts to reach others through it.

use serde_json::json;

use crate::trial::{attack, in_each_mode, python_attack};

/// Asks the proxy that the environment names for something, word by word.
const ASKING: &str = r#"
def ask(words):
    import socket
    from urllib.parse import urlsplit
    proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ["https_proxy"])
    try:
        with socket.create_connection((proxy.hostname, proxy.port), timeout=5) as one:
            one.sendall(words.encode("latin-1"))
            answer = one.recv(4096).decode("latin-1")
    except OSError as error:
        return "closed"
    parts = answer.split()
    return parts[1] if len(parts) > 1 else "closed"
"#;

in_each_mode!(asks_the_proxy_for_hosts_that_are_not_listed, |driver| {
    let code = r#"
def attack(host):
    port = host["port"]
    asked = {
        "loopback": "CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: example.com\r\n\r\n" % port,
        "name": "CONNECT localhost:%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % port,
        "other": "CONNECT other.example:443 HTTP/1.1\r\nHost: example.com\r\n\r\n",
        "port": "CONNECT example.com:22 HTTP/1.1\r\n\r\n",
        "suffix": "CONNECT example.com.evil.test:443 HTTP/1.1\r\n\r\n",
        "prefix": "CONNECT evilexample.com:443 HTTP/1.1\r\n\r\n",
        "user": "CONNECT example.com:443@127.0.0.1:%d HTTP/1.1\r\n\r\n" % port,
        "plain": "GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: example.com\r\n\r\n" % port,
        "absolute": "GET http://example.com@127.0.0.1:%d/ HTTP/1.1\r\nHost: example.com\r\n\r\n" % port,
        "metadata": "GET http://169.254.169.254/latest HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n",
        "number": "CONNECT 2130706433:%d HTTP/1.1\r\n\r\n" % port,
        "six": "CONNECT [::1]:%d HTTP/1.1\r\n\r\n" % port,
        "mapped": "CONNECT [::ffff:127.0.0.1]:%d HTTP/1.1\r\n\r\n" % port,
        "split": "CONNECT example.com\r\n:443 HTTP/1.1\r\n\r\n",
        "zero": "CONNECT example.com\0.evil.test:443 HTTP/1.1\r\n\r\n",
        "nothing": "\r\n\r\n",
        "long": "CONNECT " + "a" * 100000 + ":443 HTTP/1.1\r\n\r\n",
    }
    return {name: ask(words) for name, words in asked.items()}
"#;
    let answer = python_attack(&format!("{ASKING}{code}"))
        .hosts(&["example.com"])
        .refused(17, "closed|400|403|404|405|407|414|431|451|501|505")
        .run_on(driver)
        .unwrap();
    let visits = answer.0["visits"].as_array().unwrap();
    assert!(visits.iter().all(|visit| visit["allowed"] == false), "{visits:?}");
    assert!(
        visits.iter().any(|visit| visit["host"].as_str().unwrap().contains("other.example")),
        "{visits:?}"
    );
    let refused = driver.host.tcp.accept().map_err(|error| error.kind());
    assert!(matches!(refused, Err(std::io::ErrorKind::WouldBlock)), "somebody connected");
});

attack!(
    goes_around_the_proxy,
    python_attack(
        r#"
def attack(host):
    import socket
    def connect(address, port):
        socket.create_connection((address, port), timeout=2).close()
    def send(address, port):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(b"x", (address, port))
    def listen():
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
            one.bind(("0.0.0.0", 8080))
            one.listen()
    return {
        "host": attempt(connect, "127.0.0.1", host["port"]),
        "metadata": attempt(connect, "169.254.169.254", 80),
        "internet": attempt(connect, "1.1.1.1", 443),
        "six": attempt(connect, "2606:4700:4700::1111", 443),
        "datagram": attempt(send, "1.1.1.1", 53),
        "vsock": attempt(socket.socket, 40, socket.SOCK_STREAM),
        "netlink": attempt(socket.socket, 16, socket.SOCK_RAW),
        "raw": attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1),
        "listen": attempt(listen),
    }
"#
    )
    .hosts(&["example.com"])
    .refused(9, "EPERM|EACCES|ENETUNREACH|ECONNREFUSED|EAFNOSUPPORT|ENOSYS|EADDRNOTAVAIL|EHOSTUNREACH")
);

attack!(
    holds_many_connections_to_the_proxy,
    python_attack(
        r#"
def attack(host):
    import socket
    from urllib.parse import urlsplit
    proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ["https_proxy"])
    held = []
    try:
        for number in range(1000):
            one = socket.create_connection((proxy.hostname, proxy.port), timeout=1)
            one.send(b"CONNECT ")
            held.append(one)
    except OSError:
        pass
    return {"few": len(held) < 1000}
"#
    )
    .hosts(&["example.com"])
    .returns(json!({ "few": true }))
);
