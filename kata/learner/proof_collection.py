"""A learner's own tests in a pytest run, which are judged on right and on wrong answers."""

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from kata.course.curriculum import exercises
from kata.course.source import UnusableError
from kata.learner.proofs import remember
from kata.proofs.proof import Proof, proof_at
from kata.terminal.style import Style, style_of
from kata.text import clean

if TYPE_CHECKING:
    from kata.proofs.verdict import ProofVerdict


NAME = "kata proofs"
ProofSummary = tuple[str, list[str]]  # a file, and the lines about it at the end of a run


class NoProofError(Exception):
    """A test that is worth nothing yet; the text says why, and `brief` says it in a line."""

    def __init__(self, text: str, brief: str = "") -> None:
        super().__init__(text)
        self.brief = brief or text.partition("\n")[0]


class ProofFailure:
    """A failure for pytest: the text in full, and one line of it for the short summary."""

    def __init__(self, error: NoProofError, path: str, line: int) -> None:
        self._text = str(error)
        self.reprcrash = SimpleNamespace(message=error.brief, path=path, lineno=line)

    def __str__(self) -> str:
        return self._text

    def toterminal(self, terminal: Any) -> None:
        """Write the failure in full."""
        terminal.line(self._text)


class ProofFile(pytest.File):
    """The learner's tests of one exercise."""

    def collect(self) -> Iterator["ProofItem"]:
        """Yield an item for every test, or an item that says that there is none."""
        try:
            tests = self.proof.tests
        except UnusableError as error:
            yield ProofItem.from_parent(self, name="error", line=error.line, trouble=str(error))
            return
        for name, node in tests.items():
            yield ProofItem.from_parent(self, name=name, line=node.lineno)
        if not tests:
            text = clean(f"{self.path.name} has no test: a test is a function called test_…")
            yield ProofItem.from_parent(self, name="error", line=1, trouble=text)

    @cached_property
    def proof(self) -> Proof:
        """The proof that the file holds."""
        return proof_at(exercises()[self.path.stem], self.path)

    @cached_property
    def verdict(self) -> "ProofVerdict":
        """The verdict on all tests of the file, whichever of them are to run."""
        # It imports numpy and torch.
        from kata.proofs.judge import judge

        verdict = judge(self.proof)
        if not verdict.error:
            remember(self.path.absolute().parents[1] / "exercises", self.proof, verdict)
        return verdict

    @property
    def is_judged(self) -> bool:
        """True if any test of the file was to run."""
        return "verdict" in vars(self)

    def summary(self) -> ProofSummary:
        """Return the lines about the file at the end of a run."""
        from kata.proofs.report import summary

        path = Path(os.path.relpath(self.path))
        return str(path), [] if self.verdict.error else list(summary(self.verdict, _style()))


class ProofItem(pytest.Item):
    """One test, which passes if it refuses no right answer and catches a wrong one.

    Attributes:
        line: the line where the test begins.
        trouble: the reason why there is nothing to judge; empty if there is something.
    """

    parent: ProofFile

    def __init__(self, *, line: int, trouble: str = "", **names: Any) -> None:
        super().__init__(**names)
        self.line = line
        self.trouble = trouble

    def runtest(self) -> None:
        """Look up the verdict on the file."""
        if self.trouble:
            raise NoProofError(self.trouble)
        if self.name not in self.parent.proof.written:
            pytest.skip("not written yet")
        verdict = self.parent.verdict
        if verdict.error:
            head = f"line {verdict.line}: the file raises an error before any test runs"
            raise NoProofError(clean(f"{head}: {verdict.error}"))
        from kata.proofs.report import trouble_of

        brief, lines = trouble_of(verdict, self.name, _style())
        if lines:
            raise NoProofError("\n".join(lines), brief)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:
        """Return the failure of the test; pytest's own, if the kata itself has failed."""
        if isinstance(excinfo.value, NoProofError):
            return ProofFailure(excinfo.value, str(self.path), self.line)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the line of the test, and its name as the heading."""
        return self.path, max(0, self.line - 1), self.name


class Summary:
    """Says at the end what all tests of a file catch together, also under xdist."""

    def __init__(self) -> None:
        self._summaries: dict[str, list[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Put the summary into the report, which crosses to another process."""
        report = yield
        if isinstance(item, ProofItem) and call.when == "call" and item.parent.is_judged:
            report.kata_proof = item.parent.summary()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the summary of a file."""
        if summary := getattr(report, "kata_proof", None):
            self._summaries[summary[0]] = summary[1]

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Show the summaries below the failures."""
        for path, lines in self._summaries.items():
            terminalreporter.section(clean(f"proofs: {path}"))
            for line in lines:
                terminalreporter.line(line)


def start(config: pytest.Config) -> None:
    """Listen to this run."""
    if not config.pluginmanager.hasplugin(NAME):
        config.pluginmanager.register(Summary(), NAME)


def collectors(path: Path, parent: pytest.Collector) -> list[pytest.Collector] | None:
    """Return the collectors of this file, if it is named like an exercise."""
    if path.stem not in exercises():
        return None
    return [ProofFile.from_parent(parent, path=path)]


def _style() -> Style:
    return style_of(sys.__stdout__ or sys.stdout)._replace(colour=False)
