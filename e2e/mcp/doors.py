"""The two doors of the server, stdio and HTTP, each in both eras of the protocol, for the official Python client."""

import contextlib
import itertools
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import TextIO

import httpx2
from library import Library
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

# The client warns of every session that is ended with 202 instead of 200.
logging.getLogger("mcp.client.streamable_http").setLevel(logging.ERROR)

# Longer than any answer takes; whoever hangs fails.
PATIENCE_SECONDS = 30

# How the client calls the eras, and what they come to.
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

# Our program, which works on its own library, or carries all to the server that it is told of; and the server itself.
NEAR, FAR, HTTP = "stdio", "stdio to a server", "HTTP"


@dataclass
class Answer:
    """What a tool said: in words, in fields, and whether it failed."""

    text: str
    fields: dict = field(default_factory=dict)
    failed: bool = False

    @property
    def error(self) -> dict:
        return self.fields.get("error") or {}

    @property
    def artifacts(self) -> list[str]:
        return [artifact["type"] for artifact in self.fields.get("artifacts", [])]

    def __str__(self) -> str:
        return f"  failed: {self.failed}\n  text: {self.text}\n  fields: {json.dumps(self.fields)}"


@dataclass
class Door:
    """A way in: a transport and an era."""

    library: Library
    transport: str
    era: str
    log: TextIO

    @property
    def name(self) -> str:
        return f"{self.transport} {ERAS[self.era]}"

    @property
    def agent(self) -> str:
        """The agent whose door it is."""
        return f"{self.transport}-{ERAS[self.era]}".lower()

    @contextlib.asynccontextmanager
    async def client(
        self, agent: str, toolsets: str | None = None, handler: Callable | None = None
    ) -> AsyncIterator[Client]:
        """A client that acts through an agent. The handler is told what the server says by itself."""
        options = {"mode": self.era, "message_handler": handler, "read_timeout_seconds": PATIENCE_SECONDS}
        server = self.library.server
        if self.transport != HTTP:
            words = ["mcp", "--agent", agent, *(["--toolsets", toolsets] if toolsets else [])]
            named = {"REPERTOIRE_SERVER": f"http://{server.address}", "REPERTOIRE_TOKEN": server.token}
            environment = {**self.library.environment, **(named if self.transport == FAR else {})}
            program = StdioServerParameters(command=self.library.binary, args=words, env=environment)
            async with Client(stdio_client(program, self.log), **options) as client:
                yield client
            return
        headers = {"Authorization": f"Bearer {server.token}", "Repertoire-Agent": agent}
        url = f"http://{server.address}/mcp" + (f"?toolsets={toolsets}" if toolsets else "")
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE_SECONDS) as http,
            Client(streamable_http_client(url, http_client=http), **options) as client,
        ):
            yield client


def doors(library: Library, log: TextIO, *transports: str) -> list[Door]:
    """All ways in by these transports."""
    return [Door(library, transport, era, log) for transport, era in itertools.product(transports, ERAS)]


async def call(client: Client, tool: str, **arguments: object) -> Answer:
    """Calls a tool."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(part.text for part in result.content if part.type == "text")
    return Answer(text, result.structured_content or {}, bool(result.is_error))


async def interpret(client: Client, operation: str, **arguments: object) -> Answer:
    """Asks the code interpreter for an operation."""
    return await call(client, "code_interpreter", operation=operation, **arguments)
