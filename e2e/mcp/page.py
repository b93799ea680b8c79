"""Writes docs/guide/mcp-conformance.md from not-applicable.yml: `python e2e/mcp/page.py` after a change of the list."""

import pathlib

import yaml

HERE = pathlib.Path(__file__).resolve().parent
NOT_APPLICABLE = HERE / "not-applicable.yml"
PAGE = HERE.parents[1] / "docs/guide/mcp-conformance.md"

HEAD = """# Conformance with MCP

The official conformance suite runs with every `make test`, once for each era of the protocol.
It runs against our handler with the tools, resources and prompts that the suite expects to find.
The scenarios of the skills extension, and others that need none of those, run against the server itself.
All scenarios pass but those below, which test what the server does not offer.
Those of the tasks extension do not run: the server does not declare it.

This page is made by `e2e/mcp/page.py`; the test fails when it is not what `e2e/mcp/not-applicable.yml` says.
"""


def not_applicable() -> dict[str, dict[str, str]]:
    """The scenarios that need not pass, with the reason, by specification."""
    return {str(version): listed or {} for version, listed in yaml.safe_load(NOT_APPLICABLE.read_text()).items()}


def page() -> str:
    """The list of what is not applicable, for people."""
    lines = [HEAD]
    for specification, listed in not_applicable().items():
        lines += [f"## {specification}", ""]
        if listed:
            lines += ["| scenario | why it does not apply |", "|---|---|"]
            lines += [f"| `{scenario}` | {reason} |" for scenario, reason in sorted(listed.items())]
        else:
            lines.append("All scenarios pass.")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
