"""What an agent does over MCP, told with the official Python client over every door.

It finds nothing, writes code, saves it, finds it, uses it, changes it, turns it off; then makes every mistake there is.
"""

import asyncio
import contextlib
import pathlib
import sys
import time
from typing import TextIO

import httpx2
from claims import Claims
from doors import ERAS, FAR, HTTP, NEAR, PATIENCE_SECONDS, Answer, Door, call, doors, interpret
from library import Library
from mcp import Client, MCPError

HERE = pathlib.Path(__file__).resolve().parent
SKILLS = HERE / "skills"
TOOLSETS = "interpreter,library"

NAME = "compound_interest_calculator"
ABOUT = "Calculates the compound interest on a sum of money. Use for savings and loans."
CODE = '''
def compound_interest_calculator(principal: float, rate: float, time: float, frequency: int = 12) -> float:
    """What a sum grows to.

    Args:
        principal: The sum at the beginning.
        rate: The yearly rate, such as 0.05.
        time: The years.
        frequency: How often a year interest is added.
    """
    return round(principal * (1 + rate / frequency) ** (frequency * time), 2)
'''
VALUES = {"principal": 1000, "rate": 0.05, "time": 10, "frequency": 12}
RESULT = "1647.01"

NO_SKILL = "nonexistent_skill_12345"
NO_PYTHON = "this is not valid python code {{{"
OPERATIONS = ["execute", "search_skills", "use_skill", "register_skill", "auto"]

# The agent without procedural memory.
PLAIN = "plain"


def prepare(library: Library) -> None:
    """The skills, and an agent for each door, so that each begins with nothing of its own."""
    library.command("import", str(SKILLS), "--yes", "--all")
    for door in doors(library, sys.stderr, NEAR, HTTP):
        library.command("agent", "create", door.agent, "--memory", "true")
    library.command("agent", "create", PLAIN)


async def tell(library: Library, claims: Claims, log: TextIO) -> None:
    """The whole story over every door."""
    for door in doors(library, log, NEAR, HTTP):
        await Story(door, claims).tell()
    await strangers(library, claims)
    await second_client(library, claims)


class Story:
    """The story over one door."""

    def __init__(self, door: Door, claims: Claims) -> None:
        self.door = door
        self.claims = claims
        self.heard: list[object] = []

    def claim(self, text: str, holds: bool, evidence: object = "") -> None:
        self.claims.check(f"{self.door.name}: {text}", bool(holds), evidence)

    async def tell(self) -> None:
        parts = [self.greets, self.learns, self.changes, self.errs, self.reads, self.prompts, self.hears]
        async with self.door.client(self.door.agent, TOOLSETS, self.hear) as client:
            for part in parts:
                await self.attempt(part, client)
        async with self.door.client(PLAIN) as client:
            await self.attempt(self.forgets, client)

    async def attempt(self, part, client: Client) -> None:
        """One part; an error that nobody expected ends it, and not the story."""
        try:
            async with asyncio.timeout(4 * PATIENCE_SECONDS):
                await part(client)
        except Exception as error:  # noqa: BLE001
            self.claim(f"the part `{part.__name__}` comes to its end", False, f"  {type(error).__name__}: {error}")

    async def hear(self, message: object) -> None:
        self.heard.append(message)

    async def greets(self, client: Client) -> None:
        self.claim("the era is the one asked for", client.protocol_version == ERAS[self.door.era])
        told = client.instructions or ""
        self.claim(
            "the instructions say how to find skills, and are short", "search_skills" in told and len(told) < 2048, told
        )
        names = [tool.name for tool in (await client.list_tools()).tools]
        wanted = {"code_interpreter", "create_skill", "update_skill", "read_skill", "list_skills", "disable_skill"}
        self.claim("the tools of both toolsets are listed", wanted <= set(names), names)
        extensions = client.server_capabilities.extensions or {}
        offered = "io.modelcontextprotocol/skills" in extensions
        self.claim("the skills extension is declared", offered, client.server_capabilities)

    async def learns(self, client: Client) -> None:
        found = await interpret(client, "search_skills", prompt="interest calculation")
        self.claim(
            "nothing is found before there is something", not found.failed and found.fields.get("skills") == [], found
        )

        ran = await interpret(client, "execute", prompt="import math\nprint(math.factorial(10))")
        plain = not ran.failed and "3628800" in ran.text and "skills" not in ran.fields
        self.claim("code runs, and no skill has to do with it", plain and ran.artifacts == [], ran)

        saved = await interpret(client, "register_skill", code=CODE, skill_name=NAME, skill_description=ABOUT)
        self.claim("working code is saved as a skill", not saved.failed and saved.artifacts == ["skill_saved"], saved)
        self.claim("the model is told its name", NAME in saved.text, saved)

        found = await interpret(client, "search_skills", prompt="interest calculation")
        skills = found.fields.get("skills", [])
        best = skills[0] if skills else {}
        self.claim("then the search finds it", best.get("name") == NAME, found)
        self.claim(
            "with how well it fits, and its parameters",
            best.get("similarity", 0) >= 0.7 and len(best.get("parameters", [])) == 4,
            found,
        )
        other = await interpret(client, "search_skills", prompt="image processing")
        self.claim("another search does not", other.fields.get("skills") == [], other)

        used = await interpret(client, "use_skill", prompt="", skill_name=NAME, skill_parameters=VALUES)
        self.claim("it is used", not used.failed and RESULT in used.text, used)
        self.claim("a person is shown that it was", used.artifacts == ["skill_used"], used)

    async def changes(self, client: Client) -> None:
        line = "Amounts are rounded to cents."
        edited = await call(client, "update_skill", name=NAME, operation="append", content=f"\n{line}\n")
        self.claim(
            "a skill is edited into its second version", not edited.failed and edited.fields.get("version") == 2, edited
        )
        read = await call(client, "read_skill", name=NAME)
        self.claim("the edit is read back", line in read.fields.get("content", ""), read)

        off = await call(client, "disable_skill", name=NAME)
        self.claim("it is disabled", off.fields.get("enabled") is False, off)
        used = await interpret(client, "use_skill", skill_name=NAME, skill_parameters=VALUES)
        refused = used.failed and used.error.get("code") == "skill_not_active" and "Disabled" in used.text
        self.claim("a disabled skill is not used, and the model reads why", refused, used)
        found = await interpret(client, "search_skills", prompt="interest calculation")
        self.claim("nor found", found.fields.get("skills") == [], found)

        on = await call(client, "enable_skill", name=NAME)
        used = await interpret(client, "use_skill", skill_name=NAME, skill_parameters=VALUES)
        self.claim("enabled again it works again", on.fields.get("enabled") is True and RESULT in used.text, used)

    async def errs(self, client: Client) -> None:
        gone = await interpret(client, "use_skill", skill_name=NO_SKILL, skill_parameters={})
        self.claim("a skill that is not there is said not to be", gone.failed and NO_SKILL in gone.text, gone)
        self.claim("with a stable code", gone.error.get("code") == "not_found", gone)

        broken = await interpret(
            client, "register_skill", code=NO_PYTHON, skill_name="broken", skill_description="Broken."
        )
        told = broken.error
        self.claim("what is no Python is not saved", broken.failed and told.get("code") == "invalid_code", broken)
        self.claim("and the line is named", told.get("line") == 1, broken)
        broken = await interpret(client, "execute", prompt=NO_PYTHON)
        self.claim("nor run", broken.failed and "SyntaxError" in broken.text, broken)

        first = {"skill_name": "duplicate_test", "skill_description": "Says one."}
        one, other = "def duplicate_test() -> int:\n    return 1\n", "def duplicate_test() -> int:\n    return 2\n"
        await interpret(client, "register_skill", code=one, **first)
        again = await interpret(client, "register_skill", code=one, **first)
        same = await call(client, "read_skill", name="duplicate_test")
        self.claim(
            "the same code saved twice is one version", not again.failed and same.fields.get("version") == 1, again
        )
        await interpret(client, "register_skill", code=other, **first)
        changed = await call(client, "read_skill", name="duplicate_test")
        self.claim("other code under its name is the next version", changed.fields.get("version") == 2, changed)
        twice = {"name": "duplicate-test", "title": "Twice", "description": "Twice.", "content": "Twice."}
        twice = await call(client, "create_skill", **twice)
        self.claim(
            "a name that is taken is refused, with what to do", twice.failed and "update_skill" in twice.text, twice
        )

        begun = time.monotonic()
        loop = await interpret(client, "execute", prompt="while True:\n    pass")
        taken = time.monotonic() - begun
        stopped = loop.failed and loop.error.get("code") == "time_limit" and taken < 10
        self.claim("an endless loop is stopped at its limit", stopped, f"{loop}\n  after {taken:.1f} s")

        lacking = await interpret(client, "use_skill", skill_name=NAME, skill_parameters={"principal": 1000})
        self.claim("a missing parameter is named", lacking.failed and "rate" in lacking.text, lacking)
        wrong = await interpret(client, "use_skill", skill_name=NAME, skill_parameters={**VALUES, "rate": "five"})
        self.claim("so is one of the wrong type", wrong.failed and "rate" in wrong.text, wrong)
        unknown = await interpret(client, "fly")
        named = all(operation in unknown.text for operation in OPERATIONS)
        self.claim("an unknown operation is answered with those that are known", unknown.failed and named, unknown)
        absent = await call(
            client, "update_skill", name=NAME, operation="find_replace", find="no such text", replace="x"
        )
        self.claim("an edit of text that is not there changes nothing", absent.failed, absent)
        nameless = await interpret(client, "register_skill", code=CODE)
        self.claim(
            "a skill without a name is refused, and what lacks is named",
            nameless.failed and "skill_name" in nameless.text,
            nameless,
        )
        try:
            nothing = await call(client, "no_such_tool")
            self.claim("a tool that is not there is an error", nothing.failed, nothing)
        except MCPError as error:
            self.claim("a tool that is not there is an error", "no_such_tool" in str(error), error)

    async def reads(self, client: Client) -> None:
        uris = await resources(client)
        root = next((uri for uri in uris if uri.endswith("brand-guide/SKILL.md")), "")
        self.claim("skills are listed as resources", root.startswith("skill://"), uris)
        for path in ["SKILL.md", "templates/letter.md", "references/colours/palette.md"]:
            uri = root.removesuffix("SKILL.md") + path
            read = await client.read_resource(uri)
            text = (SKILLS / "brand-guide" / path).read_text()
            self.claim(f"{path} is read as it was written", read.contents[0].text == text, read)
        not_found = -32002 if self.door.era == "legacy" else -32602
        try:
            read = await client.read_resource(f"skill://{NO_SKILL}/SKILL.md")
            self.claim("a resource that is not there is an error", False, read)
        except MCPError as error:
            self.claim("a resource that is not there is an error", error.code == not_found, f"  {error.code} {error}")

    async def prompts(self, client: Client) -> None:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        self.claim("skills are listed as prompts", {"commit-messages", "brand-guide"} <= set(names), names)
        got = await client.get_prompt("commit-messages")
        text = "\n".join(getattr(message.content, "text", "") for message in got.messages)
        self.claim("a prompt gives the instructions", "Say in the first line" in text, got)

    async def hears(self, client: Client) -> None:
        """A skill that someone else adds is heard of."""
        name = f"added-by-{self.door.agent}"
        skill = {"name": name, "description": "Was added.", "instructions": "Was added."}

        async def add() -> None:
            await asyncio.to_thread(self.door.library.server.call, "POST", "/skills", skill)

        if self.door.era == "legacy":
            self.heard.clear()
            await add()
            heard = await self.wait_for("notifications/resources/list_changed")
        else:
            async with client.listen(resources_list_changed=True, prompts_list_changed=True) as events:
                await add()
                async with asyncio.timeout(PATIENCE_SECONDS):
                    heard = [await anext(events)]
        self.claim("a skill that someone adds is heard of", heard, f"  heard: {self.heard}")
        uris = await resources(client)
        self.claim("and is listed then", any(f"{name}/SKILL.md" in uri for uri in uris), uris)

    async def wait_for(self, method: str) -> list[object]:
        """The notifications of this method, as soon as there is one."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if found := [message for message in self.heard if getattr(message, "method", None) == method]:
                return found
            await asyncio.sleep(0.05)
        return []

    async def forgets(self, client: Client) -> None:
        """An agent whose procedural memory is off."""
        tools = (await client.list_tools()).tools
        said = (client.instructions or "") + "".join(tool.model_dump_json() for tool in tools)
        self.claim("without memory there is one tool", [tool.name for tool in tools] == ["code_interpreter"], said)
        takes = set(tools[0].input_schema["properties"])
        self.claim("it takes code and files", takes == {"prompt", "file_names", "session_id"}, takes)
        self.claim("nobody says a word of skills", "skill" not in said.lower(), said)
        shown = [await nothing(list_) for list_ in (client.list_resources, client.list_prompts)]
        self.claim("there are no resources and no prompts", all(shown), shown)
        capabilities = client.server_capabilities.extensions or {}
        self.claim("nor the skills extension", not capabilities, capabilities)
        for operation in OPERATIONS:
            ran = await interpret(client, operation, prompt="print(6 * 7)", skill_name=NAME)
            bare = not ran.failed and "42" in ran.text and "skill" not in str(ran).lower()
            self.claim(f"`{operation}` runs the code", bare, ran)


async def resources(client: Client) -> list[str]:
    """The addresses of all resources, read anew."""
    page = await client.list_resources(cache_mode="refresh")
    found = [*page.resources]
    while page.next_cursor:
        page = await client.list_resources(cursor=page.next_cursor)
        found += page.resources
    return [str(resource.uri) for resource in found]


async def nothing(list_) -> bool:
    """Whether a list is refused or empty."""
    try:
        listed = await list_()
    except MCPError:
        return True
    return not (getattr(listed, "resources", None) or getattr(listed, "prompts", None))


async def strangers(library: Library, claims: Claims) -> None:
    """Who brings no token, or a wrong one."""
    url = f"http://{library.server.address}/mcp"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    async with httpx2.AsyncClient(timeout=PATIENCE_SECONDS) as http:
        for name, headers in {"no token": {}, "a wrong token": {"Authorization": "Bearer rpt_wrong"}}.items():
            accepts = {"Accept": "application/json, text/event-stream"}
            refused = await http.post(url, json=body, headers={**headers, **accepts})
            asks = refused.headers.get("WWW-Authenticate", "")
            told = f"  {refused.status_code} {asks} {refused.text}"
            claims.check(f"HTTP: {name} is answered with 401", refused.status_code == 401 and "Bearer" in asks, told)


async def second_client(library: Library, claims: Claims) -> None:
    """The client of FastMCP, which reads skills by its own code."""
    from fastmcp import Client as FastClient
    from fastmcp.skills.client import SkillsClientExtension

    url = f"http://{library.server.address}/mcp"
    wanted = {folder.name for folder in SKILLS.iterdir()}
    async with FastClient(url, auth=library.server.token, extensions=[SkillsClientExtension()]) as client:
        skills = await client.list_skills()
        names = {skill.frontmatter.name for skill in skills}
        claims.check("FastMCP: its client lists the skills", wanted <= names, names)
        uri = next(skill.uri for skill in skills if skill.frontmatter.name == "brand-guide")
        one = await client.get_skill(str(uri))
        claims.check("FastMCP: its client gets one with all its files", len(one.resources) == 4, one)


async def loses(library: Library, claims: Claims, log: TextIO) -> None:
    """The server goes while clients are connected. Ends the server."""
    ways = doors(library, log, HTTP, FAR, NEAR)
    parting = Parting()
    asked = asyncio.gather(*(parting.ask(door) for door in ways))
    for _ in ways:
        await parting.connected.acquire()
    library.server.process.terminate()
    await asyncio.to_thread(library.server.process.wait)
    parting.gone.set()
    for _ in ways:
        await parting.answered.acquire()
    parting.over.set()
    for door, answer in zip(ways, await asked, strict=True):
        if door.transport == NEAR:
            claim = "when the server is gone our program serves the library itself"
            claims.check(f"{door.name}: {claim}", not answer.failed and "42" in answer.text, answer)
        else:
            claim = "when the server is gone a call fails, and says something"
            claims.check(f"{door.name}: {claim}", answer.failed and answer.text != "", answer)


class Parting:
    """Lets clients connect, then ask once the server is gone, and then part, each after all others."""

    def __init__(self) -> None:
        self.connected, self.answered = asyncio.Semaphore(0), asyncio.Semaphore(0)
        self.gone, self.over = asyncio.Event(), asyncio.Event()

    async def ask(self, door: Door) -> Answer:
        """An answer or a failure, in whatever form it comes; no answer in time is neither."""
        answer = Answer("no answer")
        try:
            async with door.client(PLAIN) as client:
                self.connected.release()
                await self.gone.wait()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE_SECONDS):
                        answer = await interpret(client, "execute", prompt="print(6 * 7)")
                self.answered.release()
                await self.over.wait()
        except Exception as error:  # noqa: BLE001
            if not self.gone.is_set():
                self.connected.release()
            if not self.over.is_set():
                self.answered.release()
                answer = Answer(leaves(error), failed=True)
        return answer


def leaves(error: BaseException) -> str:
    """What an error says, or each error of a group."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(leaves, error.exceptions))
    return f"{type(error).__name__}: {error}"
