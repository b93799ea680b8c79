"""A home folder with a running server in it, and the commands that work there."""

import pathlib
import subprocess

from server import PATIENCE_SECONDS, Server


class Library:
    """An empty home with a server on its default library."""

    def __init__(self, binary: str, home: pathlib.Path, settings: dict[str, str] | None = None) -> None:
        """The settings are more of the server's environment."""
        self.binary = binary
        self.environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        # What the machine has in /etc does not count.
        config = home / ".config/repertoire/config.toml"
        config.parent.mkdir(parents=True)
        config.touch(mode=0o600)
        # The default place, so that every command finds the server without being told.
        self.data = home / ".local/share/repertoire"
        self.server = Server(binary, self.data, {**self.environment, **(settings or {})})

    def command(self, *words: str, text: str = "") -> str:
        """Runs a command on a text and gives back what it said; one that fails ends the test."""
        done = subprocess.run(
            [self.binary, *words],
            env=self.environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        if done.returncode:
            said = done.stdout + done.stderr
            raise SystemExit(f"`repertoire {' '.join(words)}` ended with {done.returncode}:\n{said}")
        return done.stdout

    def lose(self) -> None:
        """Puts the library out of the reach of all commands."""
        self.data.rename(self.data.with_name("lost"))

    def find(self) -> None:
        """Puts it back into their reach."""
        self.data.with_name("lost").rename(self.data)
