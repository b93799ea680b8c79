"""Lets real agents meet the MCP server: a scripted model reads a skill as a resource, and uses it, in each host.

The hosts are connected by `repertoire connect`, once so that they start our program and once over HTTP.
"""

import json
import pathlib
import tempfile

from agents import Host
from claims import Claims
from library import Library
from model import SCRIPTED, Model, Resource, ServerTool

SKILLS = pathlib.Path(__file__).resolve().parent / "skills"
SKILL = SKILLS / "compound-interest"
RESULT = "1647.01"

SERVER = "repertoire"
TOOL = "code_interpreter"
# The resource first: Codex may ask its model before it knows the tools of a server, but waits to read from it.
READ, USED = 0, 1
SCRIPT = [
    Resource(SERVER, f"skill://{SKILL.name}/SKILL.md"),
    ServerTool(
        SERVER,
        TOOL,
        {
            "operation": "use_skill",
            "prompt": "What do 1000 at 5 % come to in ten years?",
            "skill_name": SKILL.name,
            "skill_parameters": {"principal": 1000, "rate": 0.05, "years": 10},
        },
    ),
]


def try_serving(host: Host, library: Library, claims: Claims) -> None:
    """All claims about one host and our server."""
    address = f"http://{library.server.address}"
    ways = {"stdio": [], "HTTP": ["--url", address]}
    for way, options in ways.items():
        library.command("connect", host.agent, "--scope", "user", "--yes", *options)
        converse(f"{host.agent} over {way}", host, library, claims)
        library.command("connect", "undo", host.agent, "--scope", "user", "--yes")


def converse(name: str, host: Host, library: Library, claims: Claims) -> None:
    """Lets a host work through the script."""
    with tempfile.TemporaryDirectory() as folder, Model(SCRIPT) as model:
        environment = {**library.environment, **model.ways_out(), "REPERTOIRE_TOKEN": library.server.token}
        status, output = host.run(model.address, pathlib.Path(folder), environment)
        shown = [model.result(number) or "" for number in range(len(SCRIPT))]
        bodies = [request["body"] for request in model.requests if isinstance(request["body"], dict)]
        paths = {request["path"].partition("?")[0] for request in model.requests}
    evidence = f"  the host ended with {status} and said:\n{output[-6000:]}\n  what the model was shown: {shown}"
    instructions = (SKILL / "SKILL.md").read_text().rpartition("---\n")[2].strip()

    def claim(text: str, holds: bool) -> None:
        claims.check(f"{name}: {text}", holds, evidence)

    claim("the model reads a skill as a resource", instructions in shown[READ])
    # Some list it among the tools, and others by name alone, before anyone speaks.
    offered = json.dumps([bodies[:1], [body.get("tools") for body in bodies]])
    claim("the model is offered the tool", TOOL in offered)
    claim("the model uses the skill, and reads what came of it", RESULT in shown[USED])
    claim("the server's instructions reach the model", "A library of skills" in json.dumps(bodies))
    claim("the agent comes to its end, and nothing but the model was asked for", status == 0 and paths <= SCRIPTED)
