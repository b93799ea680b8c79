"""A model that follows a script: it asks for tools, one after the other, and then says that it is done.

It speaks what the hosts speak, Anthropic's Messages and OpenAI's Responses, and keeps whatever it is sent.
How far the script is stands in each request, which holds all results so far; so nothing is kept between requests.
"""

import contextlib
import http.server
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

LAST_WORDS = "The script ends here."
USAGE = {"input_tokens": 1, "output_tokens": 1}


@dataclass
class Shell:
    """A command for the shell."""

    command: str


@dataclass
class ServerTool:
    """A tool of an MCP server."""

    server: str
    tool: str
    arguments: dict


@dataclass
class Resource:
    """A resource of an MCP server, to be read."""

    server: str
    uri: str


# What a script may ask for.
Step = Shell | ServerTool | Resource


class Messages:
    """Anthropic's protocol, with the tools of Claude Code."""

    SHELL = "Bash"

    @staticmethod
    def ask(call_id: str, step: Step) -> list[dict]:
        """The events that ask for a tool."""
        match step:
            case Shell(command):
                return Messages.call(call_id, Messages.SHELL, {"command": command})
            case ServerTool(server, tool, arguments):
                return Messages.call(call_id, f"mcp__{server}__{tool}", arguments)
            case Resource(server, uri):
                return Messages.call(call_id, "ReadMcpResourceTool", {"server": server, "uri": uri})

    @staticmethod
    def results(body: dict) -> dict[str, str]:
        """What the host answered to each call, by the call's id."""
        contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
        blocks = [block for content in contents for block in content if block["type"] == "tool_result"]
        return {block["tool_use_id"]: text_of(block.get("content", "")) for block in blocks}

    @staticmethod
    def call(call_id: str, name: str, arguments: dict) -> list[dict]:
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        return Messages.reply(block, delta, "tool_use")

    @staticmethod
    def say(text: str) -> list[dict]:
        return Messages.reply({"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn")

    @staticmethod
    def reply(block: dict, delta: dict, stop_reason: str) -> list[dict]:
        message = {"id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted", "content": []}
        return [
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": USAGE}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": USAGE},
            {"type": "message_stop"},
        ]


class Responses:
    """OpenAI's protocol, with the tools of Codex."""

    SHELL = "exec_command"

    @staticmethod
    def ask(call_id: str, step: Step) -> list[dict]:
        """The events that ask for a tool."""
        match step:
            case Shell(command):
                return Responses.call(call_id, {"name": Responses.SHELL}, {"cmd": command})
            case ServerTool(server, tool, arguments):
                return Responses.call(call_id, {"name": tool, "namespace": f"mcp__{server}"}, arguments)
            case Resource(server, uri):
                return Responses.call(call_id, {"name": "read_mcp_resource"}, {"server": server, "uri": uri})

    @staticmethod
    def results(body: dict) -> dict[str, str]:
        """What the host answered to each call, by the call's id."""
        outputs = [item for item in body["input"] if item["type"] == "function_call_output"]
        return {item["call_id"]: text_of(item["output"]) for item in outputs}

    @staticmethod
    def call(call_id: str, tool: dict, arguments: dict) -> list[dict]:
        return Responses.reply(
            {"type": "function_call", "call_id": call_id, **tool, "arguments": json.dumps(arguments)}
        )

    @staticmethod
    def say(text: str) -> list[dict]:
        content = [{"type": "output_text", "text": text}]
        return Responses.reply({"type": "message", "role": "assistant", "content": content})

    @staticmethod
    def reply(item: dict) -> list[dict]:
        return [
            {"type": "response.created", "response": {"id": "resp_scripted"}},
            {"type": "response.output_item.done", "item": {"id": "item_scripted", **item}},
            {"type": "response.completed", "response": {"id": "resp_scripted", "usage": {**USAGE, "total_tokens": 2}}},
        ]


PROTOCOLS = {"/v1/messages": Messages, "/v1/responses": Responses}
COUNT_TOKENS = "/v1/messages/count_tokens"
# All that a model is asked for.
SCRIPTED = {*PROTOCOLS, COUNT_TOKENS}


def text_of(content: str | list) -> str:
    """The text of a result, which is a string or a list of parts."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


class Model(contextlib.AbstractContextManager):
    """A scripted model on a free port of this machine; it ends with the block it is made for."""

    def __init__(self, script: list[Step], before_first: Callable[[], None] | None = None) -> None:
        """What to ask for, and what is to happen before the first of it is."""
        self.script = script
        self.before_first = before_first
        self.requests: list[dict] = []
        self.results: dict[str, str] = {}
        self.server = Listener(self)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def ways_out(self) -> dict[str, str]:
        """What sends all that does not stay on this machine to the model, which refuses it."""
        return {"HTTPS_PROXY": self.address, "HTTP_PROXY": self.address, "NO_PROXY": "127.0.0.1,localhost"}

    def result(self, number: int) -> str | None:
        """What the model was shown after the step of this number; nothing if it was never answered."""
        return self.results.get(f"call_{number}")

    def next(self, protocol: type[Messages] | type[Responses], body: dict) -> list[dict]:
        """The events of the next reply."""
        # Hosts also ask for small things such as a title; those requests bring no shell.
        if all(tool.get("name") != protocol.SHELL for tool in body.get("tools", [])):
            return protocol.say(LAST_WORDS)
        self.results = protocol.results(body)
        done = len(self.results)
        if done == 0 and self.before_first:
            self.before_first()
        if done >= len(self.script):
            return protocol.say(LAST_WORDS)
        return protocol.ask(f"call_{done}", self.script[done])


class Listener(http.server.ThreadingHTTPServer):
    """Takes the requests for a model."""

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.model = model

    def handle_error(self, request: object, client_address: object) -> None:
        # A host that ends drops its connections.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    """One request of a host."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self) -> None:
        body = self.read()
        path = self.path.partition("?")[0]
        if path == COUNT_TOKENS:
            self.answer(200, "application/json", json.dumps({"input_tokens": 1}))
        elif path in PROTOCOLS and isinstance(body, dict):
            events = self.server.model.next(PROTOCOLS[path], body)
            lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
            self.answer(200, "text/event-stream", "".join(lines))
        else:
            self.answer(404, "application/json", json.dumps({"error": {"message": "not in the script"}}))

    # Anything else, such as asking for a way out of this machine, is written down and refused.
    do_GET = do_HEAD = do_CONNECT = do_POST

    def read(self) -> object:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode(errors="replace")
        try:
            body = json.loads(text)
        except ValueError:
            body = text
        self.server.model.requests.append({"method": self.command, "path": self.path, "body": body})
        return body

    def answer(self, status: int, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing: what was asked is kept."""
