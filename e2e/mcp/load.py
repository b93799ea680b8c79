"""Many clients at once over HTTP, half of them of each era, doing all there is to do.

They speak the wire directly: the official client takes more of the machine than the server does. No call may fail, and
the server may not grow.
"""

import asyncio
import itertools
import json
import pathlib
import random
import statistics
import time
from collections import defaultdict

from claims import Claims
from library import Library

CLIENTS = 100
SHORT_SECONDS, MINUTE_SECONDS = 10, 60
WARM_UP_SECONDS = 3

# How much more memory the server may hold afterwards than before; allocators keep some of what was free.
GROWTH_MIB = 32
# How long after the last call it is looked at once more.
LATER_SECONDS = 3

LEGACY, MODERN = "2025-11-25", "2026-07-28"
INFO = {"name": "load", "version": "1"}

# What is done, with how often.
MIX = [
    (30, "tools/list", {}),
    (15, "resources/list", {}),
    (15, "resources/read", {"uri": "skill://brand-guide/SKILL.md"}),
    (20, "tools/call", {"operation": "search_skills", "prompt": "count the words of this text"}),
    (10, "tools/call", {"operation": "use_skill", "skill_name": "word-count", "skill_parameters": {"text": "a b c"}}),
    (10, "tools/call", {"operation": "execute", "prompt": "print(6 * 7)"}),
]


class Failed(Exception):
    """A call that was not answered as it should be."""


class Connection:
    """An HTTP connection that is kept."""

    def __init__(self, address: str, path: str, token: str) -> None:
        self.host, _, self.port = address.rpartition(":")
        self.head = f"{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n"
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, int(self.port))
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.writer.write(f"{method} {self.head}{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        first, *rest = (await self.reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        told = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        return int(first.split()[1]), told, await self.body(told)

    async def body(self, told: dict[str, str]) -> bytes:
        if told.get("transfer-encoding") != "chunked":
            return await self.reader.readexactly(int(told.get("content-length", 0)))
        whole = b""
        while size := int(await self.reader.readline(), 16):
            whole += await self.reader.readexactly(size)
            await self.reader.readline()
        await self.reader.readline()
        return whole

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


class Client:
    """A client of one era."""

    def __init__(self, version: str, connection: Connection) -> None:
        self.version = version
        self.connection = connection
        self.ids = itertools.count(1)
        self.session: dict[str, str] = {}

    async def open(self) -> None:
        if self.version == MODERN:
            await self.call("server/discover", {})
            return
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": INFO}
        await self.call("initialize", hello)
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self.post(note, self.headers("notifications/initialized", {}))

    async def close(self) -> None:
        if self.session:
            await self.connection.ask("DELETE", self.headers("", {}), b"")
        self.connection.close()

    async def call(self, method: str, params: dict) -> dict:
        number = next(self.ids)
        if self.version == MODERN:
            names = {"protocolVersion": MODERN, "clientCapabilities": {}, "clientInfo": INFO}
            params = {**params, "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in names.items()}}
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        status, told, body = await self.post(message, self.headers(method, params))
        if "mcp-session-id" in told:
            self.session = {"Mcp-Session-Id": told["mcp-session-id"]}
        if told.get("content-type", "").startswith("text/event-stream"):
            events = [line[5:].strip() for line in body.decode().splitlines() if line.startswith("data:")]
            answers = [answer for answer in map(json.loads, filter(None, events)) if answer.get("id") == number]
        else:
            answers = [json.loads(body)] if body else []
        if status != 200 or not answers or "result" not in answers[-1]:
            raise Failed(f"{method}: {status} {body[:500]!r}")
        result = answers[-1]["result"]
        if result.get("isError"):
            raise Failed(f"{method} {params}: {result}")
        return result

    def headers(self, method: str, params: dict) -> dict[str, str]:
        told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **self.session}
        if method != "initialize":
            told["MCP-Protocol-Version"] = self.version
        if self.version == MODERN:
            told["Mcp-Method"] = method
            if name := params.get("name") or params.get("uri"):
                told["Mcp-Name"] = name
        return told

    async def post(self, message: dict, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        return await self.connection.ask("POST", headers, json.dumps(message).encode())


class Load:
    """What the clients did, and what came of it."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.taken: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []

    async def run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        await asyncio.gather(*(self.work(number, end) for number in range(CLIENTS)))

    async def work(self, number: int, end: float) -> None:
        """One client, until the end."""
        server = self.library.server
        client = Client((LEGACY, MODERN)[number % 2], Connection(server.address, "/mcp", server.token))
        choose = random.Random(number)
        try:
            await client.open()
            while time.monotonic() < end:
                await self.step(client, choose)
            await client.close()
        except (Failed, OSError, ValueError, asyncio.IncompleteReadError) as error:
            self.errors.append(f"{client.version} {type(error).__name__}: {error}")

    async def step(self, client: Client, choose: random.Random) -> None:
        _, method, params = choose.choices(MIX, weights=[weight for weight, *_ in MIX])[0]
        kind = params.get("operation", method)
        if method == "tools/call":
            params = {"name": "code_interpreter", "arguments": params}
        begun = time.perf_counter()
        await client.call(method, params)
        self.taken[kind].append((time.perf_counter() - begun) * 1000)

    def report(self, seconds: float) -> None:
        print(f"{CLIENTS} clients for {seconds:.0f} s:")
        every = [one for many in self.taken.values() for one in many]
        for kind, taken in [*sorted(self.taken.items()), ("all", every)]:
            cuts = statistics.quantiles(taken, n=100) if len(taken) > 1 else [0] * 99
            print(f"  {kind:16} {len(taken):7} calls   p50 {cuts[49]:8.1f} ms   p99 {cuts[98]:8.1f} ms")


def resident_mib(library: Library) -> float:
    """The memory that the server holds, without the sandbox."""
    status = pathlib.Path(f"/proc/{library.server.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def open_files(library: Library) -> int:
    """How many files, connections and the like the server has open."""
    return len(list(pathlib.Path(f"/proc/{library.server.process.pid}/fd").iterdir()))


async def put(library: Library, claims: Claims, seconds: float) -> None:
    """Puts the server under load."""
    # What grows once, such as stacks and caches, has grown after that.
    await Load(library).run(WARM_UP_SECONDS)
    before, opened = resident_mib(library), open_files(library)
    load = Load(library)
    await load.run(seconds)
    after = resident_mib(library)
    await asyncio.sleep(LATER_SECONDS)
    later, left = resident_mib(library), open_files(library)
    load.report(seconds)
    print(f"  memory of the server: {before:.0f} MiB before, {after:.0f} after, {later:.0f} a little later")
    print(f"  open files of the server: {opened} before, {left} a little later")
    claims.check(f"load: {CLIENTS} clients at once, and no call fails", not load.errors, "\n".join(load.errors[:10]))
    claims.check("load: every kind of call was made", len(load.taken) == len(MIX), list(load.taken))
    grown = later - before
    claims.check(f"load: the server grows by less than {GROWTH_MIB} MiB", grown < GROWTH_MIB, f"  {grown:.0f} MiB")
    claims.check("load: it leaves nothing open", left < opened + CLIENTS / 2, f"  {opened} before, {left} afterwards")
