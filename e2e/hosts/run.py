"""Lets real agents meet us: our MCP server, and our hooks.

Of the hooks: a scripted model asks for a forbidden and an allowed command in each host.
What ran is seen by its traces in a folder; what the model was told stands in what the host sent it.
Everything happens on this machine, in an empty home. Exit status 0: every claim holds.
"""

import json
import pathlib
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

from agents import ClaudeCode, Codex, Host
from claims import Claims
from library import Library
from model import SCRIPTED, Model, Shell
from serving import SKILLS, try_serving

HERE = pathlib.Path(__file__).resolve().parent
POLICY = HERE / "policy" / "no-deleting"

FORBIDDEN, ALLOWED = 0, 1
COMMANDS = ["rm kept", "touch made"]

TIMED_CALLS = 100


@dataclass
class Conversation:
    """What came of one prompt."""

    status: int | None
    output: str
    forbidden_ran: bool
    allowed_ran: bool
    shown: list[str | None]
    requests: list[dict]


def denials(library: Library, host: Host) -> list[dict]:
    """What the decision log says was denied to a host."""
    items = library.server.call("GET", "/governance/decisions?verdict=denied")["items"]
    return [item for item in items if item["host"] == host.name]


def converse(host: Host, library: Library, before_first: Callable[[], None] | None = None) -> Conversation:
    """Lets a host work through the script in a folder of its own."""
    with tempfile.TemporaryDirectory() as name, Model([Shell(command) for command in COMMANDS], before_first) as model:
        folder = pathlib.Path(name)
        (folder / "kept").touch()
        status, output = host.run(model.address, folder, {**library.environment, **model.ways_out()})
        return Conversation(
            status=status,
            output=output,
            forbidden_ran=not (folder / "kept").exists(),
            allowed_ran=(folder / "made").exists(),
            shown=[model.result(number) for number in range(len(COMMANDS))],
            requests=model.requests,
        )


def evidence(conversation: Conversation) -> str:
    """What someone needs who wants to know why a claim does not hold."""
    asked = [f"{request['method']} {request['path']}" for request in conversation.requests]
    last = json.dumps(conversation.requests[-1]["body"])[-3000:] if conversation.requests else ""
    return "\n".join(
        [
            f"  the host ended with {conversation.status} and said:",
            conversation.output[-6000:],
            f"  what the model was shown after each command: {conversation.shown}",
            f"  what the model was asked: {asked}",
            f"  the end of the last request: {last}",
        ]
    )


def try_host(host: Host, library: Library, claims: Claims) -> None:
    """All claims about one host."""

    def claim(text: str, holds: bool, about: Conversation) -> None:
        claims.check(f"{host.agent}: {text}", holds, evidence(about))

    bare = converse(host, library)
    claim("without the hook the forbidden command runs", bare.forbidden_ran and bare.allowed_ran, bare)

    library.command("hook", "install", "--agent", host.agent)
    hooked = converse(host, library)
    told = hooked.shown[FORBIDDEN] or ""
    claim("with the hook the forbidden command does not run", not hooked.forbidden_ran and told != "", hooked)
    claim("the model reads which policy forbids it", POLICY.name in told, hooked)
    claim("an allowed command runs, and the agent comes to its end", hooked.allowed_ran and hooked.status == 0, hooked)

    denied = denials(library, host)
    logged = [(denial["tool"], denial["reason"]) for denial in denied]
    kept = len(logged) == 1 and logged[0][0] == "Bash" and logged[0][1] in told
    logs = f"  the decisions: {denied}\n  the model read: {told}"
    claims.check(f"{host.agent}: the decision log holds the denial, with the reason that the model read", kept, logs)

    lost = converse(host, library, library.lose)
    library.find()
    nothing_ran = not lost.forbidden_ran and not lost.allowed_ran and all(lost.shown)
    claim("when the library goes out of reach nothing runs any more", nothing_ran, lost)

    paths = {request["path"].partition("?")[0] for talk in (bare, hooked, lost) for request in talk.requests}
    claims.check(f"{host.agent}: nothing but the model was asked for", paths <= SCRIPTED, f"  asked for: {paths}")


def time_hook(library: Library) -> str:
    """How long a host waits for an answer, with the start of the process."""
    call = {
        "session_id": "timing",
        "cwd": str(HERE),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": COMMANDS[ALLOWED]},
    }
    taken = []
    for number in range(TIMED_CALLS):
        text = json.dumps({**call, "tool_use_id": f"toolu_{number}"})
        start = time.perf_counter()
        library.command("hook", "claude", text=text)
        taken.append((time.perf_counter() - start) * 1000)
    cuts = statistics.quantiles(taken, n=20)
    times = f"p50 {cuts[9]:.1f} ms, p95 {cuts[18]:.1f} ms"
    return f"{TIMED_CALLS} calls of `hook claude` with the start of the process: {times}"


def main() -> int:
    binary, installed = sys.argv[1:]
    # Whoever ends this ends the server and the hosts too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    hosts = [kind(pathlib.Path(installed)) for kind in (ClaudeCode, Codex)]
    claims = Claims()
    with tempfile.TemporaryDirectory() as folder:
        library = Library(binary, pathlib.Path(folder))
        with library.server as server:
            library.command("import", str(SKILLS), "--all", "--yes")
            for host in hosts:
                try_serving(host, library, claims)
            library.command("import", str(POLICY), "--yes")
            for host in hosts:
                try_host(host, library, claims)
            if claims.failed:
                print("the end of the server's log:\n", *server.lines[-20:], sep="")
            else:
                print(time_hook(library))
    return 1 if claims.failed else 0


if __name__ == "__main__":
    sys.exit(main())
