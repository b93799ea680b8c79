"""Starts a server on a fresh library, puts a few things into it, and lets schemathesis ask it everything."""

import os
import pathlib
import signal
import string
import subprocess
import sys
import tempfile

from server import Server

HERE = pathlib.Path(__file__).resolve().parent

# Code that is drawn runs for real, but not for long; and there is room for the sessions it leaves behind.
SANDBOX = {"REPERTOIRE_SANDBOX_WALL_SECONDS": "2", "REPERTOIRE_SANDBOX_SESSIONS_PER_CALLER": "64"}

# A stateful phase ends as soon as something drawn again is answered otherwise, such as a name that is taken by then.
# So there are several, each with its own seed and server.
PHASES = [["--phases=examples,coverage,fuzzing"]] + [["--phases=stateful", f"--seed={seed}"] for seed in range(1, 6)]


def seed(server: Server) -> dict[str, str]:
    """A few skills, agents and people; gives back their ids and the token to ask with."""
    for name, text in [("code-review", "Review a change."), ("release-notes", "Write notes."), ("triage", "Sort.")]:
        server.call("POST", "/skills", {"name": name, "description": text, "instructions": text, "tags": ["team"]})
    procedure = {"code": "def main(x: int) -> int:\n    return x + 1\n", "function": "main"}
    made = server.call("POST", "/skills", {"name": "add-one", "description": "Adds one.", "procedure": procedure})
    skills = [made["skill"]["id"], server.call("GET", "/skills?name=triage")["items"][0]["id"]]
    for skill in skills:
        files = [{"path": "notes.md", "content": "Notes.\n"}]
        server.call("PATCH", f"/skills/{skill}", {"files": files, "label": "1.0.0"})
    memory = {"enabled": True, "require_skill_approval": True}
    helper = server.call("POST", "/agents", {"name": "helper", "procedural_memory": memory})
    builder = server.call("POST", "/agents", {"name": "builder", "skills": [{"skill_id": skills[0]}]})
    people = [server.call("POST", "/users", {"handle": who}) for who in ("alice", "rita")]
    # Deleted things can be brought back, so that `undelete` has something to do.
    server.call("PATCH", "/workspace", {"undelete_window_hours": 24})
    scopes = ["read", "write", "review", "admin"]
    token = server.call("POST", "/tokens", {"name": "schemathesis", "scopes": scopes})
    # One skill is only run, so that nobody puts it away; it takes whatever it is given.
    procedure = {"code": "def main(**given):\n    print(given)\n    return given\n", "function": "main"}
    echo = server.call("POST", "/skills", {"name": "echo", "description": "Echoes.", "procedure": procedure})
    run = server.call("POST", f"/skills/{echo['skill']['id']}/runs", {"parameters": {"x": 1}}, token["secret"])
    # Uses on this day, so that there is something to count.
    for success in (True, True, False, False, False):
        server.call("POST", f"/skills/{skills[1]}/uses", {"success": success}, token["secret"])
    # Whoever asks has sessions of their own, with files of the names that are asked for.
    code = "for name in ('notes.md', 'data.csv', 'data.json', 'plot'):\n    open(name, 'w').write(name)\n"
    sessions = [server.call("POST", "/code/execute", {"code": code}, token["secret"]) for _ in range(2)]
    # A policy in force, a run under it that nobody ends, and a decision.
    policy = {"keywords": ["review"], "forbidden_tools": ["file_writer"], "max_steps": 50}
    server.call("POST", "/skills", {"name": "careful", "description": "Bounds.", "policy": policy})
    governed = server.call("POST", "/governance/runs", {"task": "review this"}, token["secret"])
    judged = server.call("POST", "/governance/judge", {"task": "review", "tool": "file_writer"}, token["secret"])
    # A conversation that goes on, and one that may end.
    said = {"entries": [{"kind": "message", "role": "user", "text": "Hello."}]}
    talks = [server.call("POST", "/sessions", {"title": title}, token["secret"]) for title in ("One", "Two")]
    for talk in talks:
        server.call("POST", f"/sessions/{talk['id']}/entries", said, token["secret"])
    return {
        "TEST_TALK_1": talks[0]["id"],
        "TEST_TALK_2": talks[1]["id"],
        "TEST_GOVERNED_RUN": governed["run"]["id"],
        "TEST_DECISION": judged["decision_id"],
        "TEST_TOKEN": token["secret"],
        "TEST_SESSION_1": sessions[0]["session_id"],
        "TEST_SESSION_2": sessions[1]["session_id"],
        "TEST_ECHO": echo["skill"]["id"],
        "TEST_RUN": run["id"],
        "TEST_SKILL_1": skills[0],
        "TEST_SKILL_2": skills[1],
        "TEST_AGENT_1": helper["id"],
        "TEST_AGENT_2": builder["id"],
        "TEST_USER": people[0]["id"],
    }


def run(binary: str, options: list[str]) -> int:
    """One run of schemathesis against a server of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(binary, pathlib.Path(folder) / "data", {**os.environ, **SANDBOX}) as server,
    ):
        seeded = seed(server)
        scripts = pathlib.Path(sys.executable).parent
        # Schemathesis itself puts the environment into some settings only; ids are wanted in the others too.
        config = pathlib.Path(folder) / "schemathesis.toml"
        config.write_text(string.Template((HERE / "schemathesis.toml").read_text()).substitute(seeded))
        command = [
            scripts / "schemathesis",
            "--config-file",
            config,
            "run",
            f"http://{server.address}/api/v1/openapi.json",
            *options,
        ]
        environment = {**os.environ, **seeded, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
        status = subprocess.run(command, env=environment, cwd=folder, check=False).returncode
        if server.process.poll() is not None:
            print("the server ended before the test did", file=sys.stderr)
            status = 1
        if status:
            print("the end of the server's log:\n", *server.lines[-20:], sep="", file=sys.stderr)
        return status


def main() -> int:
    binary, *options = sys.argv[1:]
    # Whoever ends this ends the server and schemathesis too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return max(run(binary, chosen) for chosen in ([options] if options else PHASES))


if __name__ == "__main__":
    sys.exit(main())
