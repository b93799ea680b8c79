"""Lets real clients meet the MCP server: the conformance suite, the Inspector, the Python clients, and many at once.

Everything happens on this machine, in an empty home. Exit status 0: every claim holds.
"""

import argparse
import asyncio
import contextlib
import pathlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import conformance
import inspector
import load
import story
from claims import Claims
from library import Library
from proxy import Proxy
from tools import Tools

# The sandbox gives up soon, so that nobody waits for an endless loop; and one caller is all the load there is.
SETTINGS = {
    "REPERTOIRE_SANDBOX_WALL_SECONDS": "3",
    "REPERTOIRE_SANDBOX_WAITING": "1000",
    "REPERTOIRE_SANDBOX_WAITING_PER_CALLER": "1000",
}


@contextlib.contextmanager
def fixtures(binary: pathlib.Path) -> Iterator[str]:
    """Our handler with the tools that the suite expects, without authentication; gives the address it says."""
    if not binary.exists():
        raise SystemExit(f"there is no {binary}: run `cargo build --package repertoire-mcp --example conformance`")
    process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("installed", type=pathlib.Path)
    parser.add_argument("--minute", action="store_true", help="put it under load for a whole minute")
    options = parser.parse_args()
    # Whoever ends this ends the servers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    claims = Claims()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as log:
        home = pathlib.Path(folder)
        tools = Tools(options.installed, home)
        library = Library(str(options.binary), home, SETTINGS)
        with library.server as server:
            story.prepare(library)
            skills = {skill.name for skill in story.SKILLS.iterdir()}
            conformance.check_page(claims)
            with fixtures(options.binary.parent / "examples" / "conformance") as url:
                conformance.suite(tools, url, claims)
            with Proxy(server.address, server.token) as proxy:
                conformance.server_itself(tools, f"http://{proxy.address}/mcp", claims)
            inspector.inspect(tools, server.address, server.token, skills, claims)
            asyncio.run(story.tell(library, claims, log))
            seconds = load.MINUTE_SECONDS if options.minute else load.SHORT_SECONDS
            asyncio.run(load.put(library, claims, seconds))
            asyncio.run(story.loses(library, claims, log))
            if claims.failed:
                log.seek(0)
                print("what the commands said:\n", *log.readlines()[-20:], sep="")
                print("the end of the server's log:\n", *server.lines[-20:], sep="")
    print(f"{claims.failed} claims do not hold" if claims.failed else "every claim holds")
    return 1 if claims.failed else 0


if __name__ == "__main__":
    sys.exit(main())
