"""What the Inspector, a client of the protocol's makers, says about the server."""

import json

from claims import Claims
from tools import Tools

ERAS = ["legacy", "modern"]


def inspect(tools: Tools, address: str, token: str, skills: set[str], claims: Claims) -> None:
    """Checks every skill with all its files by its digests, and the schemas of all tools."""
    bearer = f"Authorization: Bearer {token}"
    every = "interpreter,memory,library,learning"
    for era in ERAS:
        to = ["--server-url", f"http://{address}/mcp", "--transport", "http", "--header", bearer]
        to += ["--protocol-era", era, "--format", "json"]
        said = tools.inspector(*to, "--method", "skills/list", "--verify", "--require-digests")
        seen = {name for name in skills if f"/{name}/SKILL.md" in said.stdout}
        told = f"  status {said.returncode}\n{said.stdout[-4000:]}{said.stderr[-2000:]}"
        claims.check(f"Inspector, {era}: all files of all skills have their digests", said.returncode == 0, told)
        claims.check(f"Inspector, {era}: no skill is missing", seen == skills, told)

        to[1] += f"?toolsets={every}"
        said = tools.inspector(*to, "--method", "tools/list", "--strict")
        told = f"  status {said.returncode}\n{said.stdout[-2000:]}{said.stderr[-4000:]}"
        listed = json.loads(said.stdout)["result"]["tools"] if said.returncode == 0 else []
        claims.check(f"Inspector, {era}: every tool has a schema that all models take", said.returncode == 0, told)
        claims.check(f"Inspector, {era}: nothing about the schemas is warned of", "warning" not in said.stderr, told)
        claims.check(f"Inspector, {era}: tools are listed", len(listed) > 1, told)
