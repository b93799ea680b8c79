"""Claims, each said with whether it holds."""


class Claims:
    """Says of each claim whether it holds, and counts those that do not."""

    def __init__(self) -> None:
        self.failed = 0

    def check(self, text: str, holds: bool, evidence: object = "") -> None:
        print("PASS" if holds else "FAIL", text, flush=True)
        if not holds:
            self.failed += 1
            print(evidence, flush=True)
