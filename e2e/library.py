"""A home folder with a running server in it, and the commands that work there."""

import pathlib
import subprocess

from server import PATIENCE_SECONDS, Server

# A port on which nobody listens.
NOWHERE = "http://127.0.0.1:1"


class Library:
    """An empty home with a server on its default library."""

    def __init__(self, binary: str, home: pathlib.Path, settings: dict[str, str] | None = None) -> None:
        """The settings are more of the server's environment."""
        self.binary = binary
        self.environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        # What the machine has in /etc does not count.
        self.config = home / ".config/repertoire/config.toml"
        self.config.parent.mkdir(parents=True)
        self.config.touch(mode=0o600)
        # The default place, so that every command finds the server without being told.
        self.server = Server(binary, home / ".local/share/repertoire", {**self.environment, **(settings or {})})

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
        self.config.write_text(f'server = "{NOWHERE}"\ntoken = "none"\n')

    def find(self) -> None:
        """Puts it back into their reach."""
        self.config.write_text("")
