"""A door on this machine that adds a bearer token, for clients that cannot send one.

Every connection carries one request: its head is read and changed, and all else goes through as it comes.
"""

import contextlib
import socket
import socketserver
import threading

HEAD_END = b"\r\n\r\n"
# Headers that are set anew.
REPLACED = (b"connection:", b"authorization:")


class Proxy(contextlib.AbstractContextManager):
    """Listens on a free port for as long as the block it is made for."""

    def __init__(self, address: str, token: str) -> None:
        """Where the requests go, as `host:port`, and the token that they get."""
        host, _, port = address.rpartition(":")
        self.server = Listener(("127.0.0.1", 0), Connection)
        self.server.upstream = (host, int(port))
        self.server.token = token
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class Connection(socketserver.BaseRequestHandler):
    """One request and its answer."""

    def handle(self) -> None:
        head, rest = self.read_head()
        if not head:
            return
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(REPLACED)]
        lines += [b"Authorization: Bearer " + self.server.token.encode(), b"Connection: close"]
        with socket.create_connection(self.server.upstream) as upstream:
            upstream.sendall(b"\r\n".join(lines) + HEAD_END + rest)
            threading.Thread(target=pump, args=(self.request, upstream), daemon=True).start()
            pump(upstream, self.request)

    def read_head(self) -> tuple[bytes, bytes]:
        """What stands before the body, and the part of the body that came with it."""
        read = b""
        while HEAD_END not in read:
            more = self.request.recv(65536)
            if not more:
                return b"", b""
            read += more
        head, _, rest = read.partition(HEAD_END)
        return head, rest


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Passes on what comes until one side has no more, and then ends both: who goes is missed at once."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
