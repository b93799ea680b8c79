"""The hosts: where their programs lie, and how each is started with a scripted model and without a person."""

import os
import pathlib
import signal
import subprocess

# Longer than any of them needs; whoever hangs fails.
PATIENCE_SECONDS = 60
PROMPT = "Do what has to be done."


class Host:
    """A program that lets a model use a shell and MCP servers, and asks hooks first."""

    agent: str  # as `connect` and `hook install --agent` call it
    name: str  # as the hook and the decision log call it
    program: str  # where npm puts it

    def __init__(self, installed: pathlib.Path) -> None:
        found = sorted((installed / "node_modules").glob(self.program))
        if len(found) != 1:
            raise SystemExit(f"{len(found)} programs at {installed}/node_modules/{self.program}; install anew")
        self.path = found[0]

    def command(self, model: str) -> list[str]:
        raise NotImplementedError

    def environment(self, model: str) -> dict[str, str]:
        raise NotImplementedError

    def run(self, model: str, folder: pathlib.Path, environment: dict[str, str]) -> tuple[int | None, str]:
        """Lets it work in a folder until it ends by itself; gives back its status, none if it hung, and its output."""
        process = subprocess.Popen(
            [self.path, *self.command(model)],
            cwd=folder,
            env={**environment, **self.environment(model)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=PATIENCE_SECONDS)
            return process.returncode, output
        except subprocess.TimeoutExpired as late:
            return None, (late.stdout or b"").decode(errors="replace")
        finally:
            end_group(process)


def end_group(process: subprocess.Popen) -> None:
    """Ends a process with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class ClaudeCode(Host):
    agent = "claude-code"
    name = "claude"
    program = "@anthropic-ai/claude-code-*/claude"

    def command(self, model: str) -> list[str]:
        allowed = "Bash,ReadMcpResourceTool,mcp__repertoire"
        options = ["--output-format", "stream-json", "--verbose", "--allowedTools", allowed]
        return ["-p", PROMPT, *options]

    def environment(self, model: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "none",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # The model is asked once the servers are there.
            "MCP_CONNECTION_NONBLOCKING": "0",
        }


class Codex(Host):
    agent = "codex"
    name = "codex"
    program = "@openai/codex-*/vendor/*/bin/codex"

    def command(self, model: str) -> list[str]:
        settings = [
            'model="scripted"',
            'model_provider="scripted"',
            f'model_providers.scripted={{name="scripted", base_url="{model}/v1", wire_api="responses"}}',
            "check_for_update_on_startup=false",
            "analytics.enabled=false",
            "features.plugins=false",
            "features.apps=false",
        ]
        # Nobody is there to trust the hooks or to let a command pass; what holds here is the hook alone.
        alone = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        chosen = [word for setting in settings for word in ("-c", setting)]
        return ["exec", "--json", "--skip-git-repo-check", *alone, *chosen, PROMPT]

    def environment(self, model: str) -> dict[str, str]:
        return {}
