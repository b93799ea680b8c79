"""A server on a library of its own, for the tests that need a real one.

The binary must take `serve --data DIR --listen ADDRESS --ready-file FILE --metrics-listen off` and leave a token of
its operator in DIR/local.token, as `repertoire serve` does.
"""

import contextlib
import json
import pathlib
import subprocess
import sys
import threading
import urllib.request

# How long it may take to start, to answer, and to end.
PATIENCE_SECONDS = 60

# What does not stand under `/api/v1`.
OUTSIDE = ("/code/", "/files/")


class Server(contextlib.AbstractContextManager):
    """A server that ends with the block it is made for."""

    def __init__(self, binary: str, data: pathlib.Path, environment: dict[str, str]) -> None:
        self.lines: list[str] = []
        data.mkdir(parents=True)
        ready = data.with_name(f"{data.name}.ready")
        command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics-listen", "off"]
        command += ["--ready-file", ready]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
        )
        late = threading.Timer(PATIENCE_SECONDS, self.process.kill)
        late.start()
        try:
            # The server says something once it has written the file, so each line is a moment to look for it.
            while not ready.exists():
                line = self.process.stderr.readline()
                if not line:
                    sys.exit("the server did not start:\n" + "".join(self.lines))
                self.lines.append(line)
        finally:
            late.cancel()
        threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True).start()
        self.address = ready.read_text().strip()
        self.token = (data / "local.token").read_text().strip()

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_SECONDS)
        finally:
            self.process.kill()

    def call(self, method: str, path: str, body: object = None, token: str | None = None) -> dict:
        request = urllib.request.Request(
            f"http://{self.address}{path if path.startswith(OUTSIDE) else '/api/v1' + path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return json.loads(response.read() or b"null")
