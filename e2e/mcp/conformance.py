"""The official conformance suite, for both eras of the protocol, and its scenarios for skills.

What need not pass stands with its reason in not-applicable.yml; whatever stands there and passes is out of date.
For people the same list is docs/guide/mcp-conformance.md, which page.py writes.
"""

import collections
import json
import pathlib
import re
import tempfile
from dataclasses import dataclass

from claims import Claims
from page import PAGE, not_applicable, page
from tools import Tools

SPECIFICATIONS = ["2025-11-25", "2026-07-28"]
# These need no fixtures, so the server itself must pass them whole, as it is wired and with its own skills.
SKILLS = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"]
NEED_NO_FIXTURES = [
    *((scenario, []) for scenario in SKILLS),
    *((scenario, ["--spec-version", "2025-11-25"]) for scenario in ["server-initialize", "server-session-lifecycle"]),
    *(
        (scenario, ["--spec-version", "2026-07-28"])
        for scenario in ["http-header-validation", "caching", "sep-2164-resource-not-found", "completion-complete"]
    ),
    *(
        (scenario, ["--spec-version", specification])
        for scenario in ["dns-rebinding-protection", "tools-list", "resources-list", "prompts-list"]
        for specification in SPECIFICATIONS
    ),
]

# A result is kept in a folder named after its scenario and the time.
FOLDER = re.compile(r"server-(.+)-(\d{4}-\d\d-\d\dT[\d-]+Z)")


@dataclass
class Outcome:
    """What came of one scenario."""

    scenario: str
    checks: list[dict]

    def count(self, status: str) -> int:
        return collections.Counter(check["status"] for check in self.checks)[status]

    @property
    def passed(self) -> bool:
        # A scenario that found nothing to check shows nothing.
        return self.count("FAILURE") == 0 and self.count("SUCCESS") > 0

    def counts(self) -> str:
        counts = [("passed", "SUCCESS"), ("failed", "FAILURE"), ("warned", "WARNING"), ("skipped", "SKIPPED")]
        told = ", ".join(f"{self.count(status)} {word}" for word, status in counts if self.count(status))
        return told or "nothing checked"

    def evidence(self) -> str:
        bad = [check for check in self.checks if check["status"] not in ("SUCCESS", "INFO")]
        return "\n".join(
            f"  {check['status']} {check['id']}: {check.get('errorMessage') or check['description']}" for check in bad
        )


def outcomes(folder: pathlib.Path) -> list[Outcome]:
    """What the suite left in a folder, in the order in which it ran."""
    named = [(FOLDER.fullmatch(file.parent.name), file) for file in folder.glob("*/checks.json")]
    came = sorted((name[2], name[1], file) for name, file in named if name)
    return [Outcome(scenario, json.loads(file.read_text())) for _, scenario, file in came]


def suite(tools: Tools, url: str, claims: Claims) -> None:
    """All scenarios of both specifications against a server that has the suite's fixtures."""
    listed = not_applicable()
    for specification in SPECIFICATIONS:
        with tempfile.TemporaryDirectory() as folder:
            options = ["--suite", "all", "--spec-version", specification, "-o", folder]
            said = tools.conformance("server", "--url", url, *options)
            came = outcomes(pathlib.Path(folder))
        excused = listed[specification]
        print(f"\nconformance with {specification}")
        for outcome in came:
            mark = "passed" if outcome.passed else "not applicable" if outcome.scenario in excused else "FAILED"
            print(f"  {mark:14} {outcome.scenario:48} {outcome.counts()}")
        failed = [outcome for outcome in came if not outcome.passed and outcome.scenario not in excused]
        claims.check(
            f"{specification}: every scenario passes that is not listed as not applicable",
            len(came) > 0 and not failed,
            "\n".join(f"  {one.scenario}\n{one.evidence()}" for one in failed) or said.stdout + said.stderr,
        )
        failing = {outcome.scenario for outcome in came if not outcome.passed}
        stale = sorted(set(excused) - failing)
        claims.check(f"{specification}: no scenario is listed that passes or is gone", not stale, f"  {stale}")


def server_itself(tools: Tools, url: str, claims: Claims) -> None:
    """The scenarios that need no fixtures, those about skills first; nothing in them may be left out."""
    for scenario, options in NEED_NO_FIXTURES:
        with tempfile.TemporaryDirectory() as folder:
            said = tools.conformance("server", "--url", url, "--scenario", scenario, *options, "-o", folder)
            came = outcomes(pathlib.Path(folder))
        whole = len(came) == 1 and came[0].passed and came[0].count("SKIPPED") == 0
        evidence = "\n".join(one.evidence() for one in came) or said.stdout + said.stderr
        name = f"{scenario} ({options[-1]})" if options else scenario
        counts = came[0].counts() if came else "nothing came back"
        claims.check(f"conformance of the server: {name}: {counts}", whole, evidence)


def check_page(claims: Claims) -> None:
    told = PAGE.read_text() if PAGE.exists() else ""
    claims.check(f"{PAGE.name} lists what is not applicable", told == page(), "  run `python e2e/mcp/page.py`")
