"""The pytest plugin: an exercise file is collected as its graded suite bound to that file.

It does nothing where no exercise file is collected, and depends on no ini file: exercises may lie
in any folder. torch and numpy are not imported before a started exercise asks for them.
"""

import re
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from kata import show
from kata.curriculum import GRADED, Exercise, exercises
from kata.ledger import Ledger
from kata.source import UnusableError, did_you_mean, not_started
from kata.target import Target, reference
from kata.verdict import ClaimVerdict, Message, State, claim_from_dict, claim_to_dict

TIME_LIMIT = 10  # seconds a claim; the slowest takes a tenth of one
LONGEST_OUTPUT = 500  # characters of the learner's own prints in a report
PASSED = "kata/passed"  # the cache key of digests whose suite passed
LEDGER = pytest.StashKey[Ledger]()

QUIET = {State.NOT_STARTED: "-", State.BLOCKED: "b"}  # neither green nor red


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag behind which the reference lies."""
    group = parser.getgroup("attention kata")
    group.addoption("--solutions", action="store_true", help="judge the reference solutions")


def pytest_configure(config: pytest.Config) -> None:
    """Begin an empty ledger; what passed before is remembered by content."""
    cache = getattr(config, "cache", None)
    passed = cache.get(PASSED, []) if cache else []
    config.stash[LEDGER] = Ledger(set(map(str, passed)))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Replace pytest's own idea of the file, which would import it."""
    others = yield
    if file_path.suffix != ".py":
        return others
    if file_path.parent == GRADED and (slug := file_path.stem.removeprefix("test_")) in exercises():
        return [_exercise_file(parent, file_path, slug)]
    if file_path.stem in exercises():
        return [_exercise_file(parent, file_path, file_path.stem)]
    if _misspelled(file_path):
        return [StrayFile.from_parent(parent, path=file_path)]
    return others


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A folder that is named like an exercise is one that cannot be read."""
    if path.suffix == ".py" and path.stem in exercises():
        return _exercise_file(parent, path, path.stem)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the verdict into the report, in a form that crosses to another process."""
    report = yield
    if isinstance(item, ClaimItem) and call.when == "call":
        verdict = item.verdict(call)
        report.outcome = _outcome(verdict.state)
        report.longrepr = _reason(item, verdict)
        report.sections = [(name, _cut(text)) for name, text in report.sections]
        report.kata = {**item.about(), "claim": claim_to_dict(verdict)}  # type: ignore[attr-defined]  # extra fields travel
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, Any] | None:
    """Not written and not reachable are neither passed nor failed."""
    found = getattr(report, "kata", None)
    state = found and State(found["claim"]["state"])
    if state in QUIET:
        return str(state), QUIET[state], (state.upper(), {"yellow": True})
    return None


class Reporter:
    """Writes every report into the ledger, and shows what does not hold; in every process."""

    def __init__(self, config: pytest.Config) -> None:
        self.ledger = config.stash[LEDGER]
        self.everything = config.get_verbosity() > 0
        self.style = show.style_of(sys.__stdout__ or sys.stdout)
        self.failed: dict[tuple[str, str], list[pytest.TestReport]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what was found, and word what does not hold."""
        if not (found := getattr(report, "kata", None)):
            return
        self.ledger.note(found)
        if report.failed:
            verdict = claim_from_dict(found["claim"])
            report.longrepr = show.message(verdict.message or Message(verdict.name), self.style)
            self.failed.setdefault((found["folder"], found["slug"]), []).append(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Leave the first claim of each exercise in full, whichever worker was the fastest."""
        for reports in () if self.everything else self.failed.values():
            for report in sorted(reports, key=lambda each: each.kata["line"])[1:]:
                report.longrepr, report.sections = str(report.longrepr).splitlines()[0], []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Listen to reports from here on."""
    session.config.pluginmanager.register(Reporter(session.config), "kata reporter")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Remember what passed; work that is left is exit status 1, also if nothing is red."""
    ledger, config = session.config.stash[LEDGER], session.config
    if session.exitstatus == pytest.ExitCode.OK and ledger.work_left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    cache = getattr(config, "cache", None)
    if cache and ledger.newly_passed and not hasattr(config, "workerinput"):
        cache.set(PASSED, sorted(ledger.passed | ledger.newly_passed))


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """The board, below everything else."""
    ledger = config.stash[LEDGER]
    style = show.style_of(sys.__stdout__ or sys.stdout)
    for folder, verdicts in ledger.boards():
        terminalreporter.section("attention kata", sep="=")
        for line in show.board(verdicts, exercises(), _relative(folder), style):
            terminalreporter.line(line)
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not ledger.collected:
        terminalreporter.line("no exercise here: an exercise file is named like ex01_softmax.py")


class ExerciseFile(pytest.File):
    """A learner's file, seen by pytest as the claims that its suite makes about it."""

    exercise: Exercise
    target: Target
    learner: bool

    def collect(self) -> Iterator["ClaimItem"]:
        """One placeholder if nothing is written yet; otherwise every claim of the suite."""
        self.config.stash[LEDGER].collected = True
        try:
            source = self.target.source(self.exercise.slug)
        except UnusableError as error:
            yield self._placeholder("file", State.ERROR, str(error))
            return
        if not_started(source, self.exercise):
            yield self._placeholder("not_started", State.NOT_STARTED, "not started")
            return
        yield from self._claims()

    @property
    def time_limit(self) -> float:
        """Seconds a claim; `--timeout` sets another."""
        return self.config.getoption("--timeout", None) or TIME_LIMIT

    def _placeholder(self, name: str, state: State, text: str) -> "ClaimItem":
        item = ClaimItem.from_parent(self, name=name)
        item.known = ClaimVerdict(name, state, Message(text))
        return item

    def _claims(self) -> Iterator["ClaimItem"]:
        from kata.judge import suite  # with it come numpy and torch
        from kata.submission import Attempt

        attempt = Attempt(self.exercise, self.target)
        for claim in suite(self.exercise):
            item = ClaimItem.from_parent(self, name=claim.id)
            item.claim, item.attempt = claim, attempt
            item.add_marker(pytest.mark.timeout(self.time_limit))
            yield item


class StrayFile(pytest.File):
    """A file whose name is almost that of an exercise."""

    def collect(self) -> Iterator["ClaimItem"]:
        """One item that says what the name should be."""
        self.config.stash[LEDGER].collected = True
        close = did_you_mean(self.path.stem, list(exercises()))
        item = ClaimItem.from_parent(self, name="name")
        text = f"{self.path.name} is not the name of an exercise{close}"
        item.known = ClaimVerdict("name", State.ERROR, Message(text))
        yield item


class ClaimItem(pytest.Item):
    """One claim about one file; or, with `known`, something to say about the file as a whole."""

    known: ClaimVerdict | None = None
    claim: Any = None
    attempt: Any = None

    def runtest(self) -> None:
        """Check the claim; a time limit interrupts here."""
        if self.known is None:
            from kata.judge import check

            self.known = check(self.claim, self.attempt)
        if self.known.state not in {State.PASSED, State.SKIPPED, *QUIET}:
            pytest.fail(self.name, pytrace=False)

    def verdict(self, call: pytest.CallInfo[None]) -> ClaimVerdict:
        """What was found; without a finding, something stopped the claim."""
        if self.known is not None:
            return self.known
        text = str(call.excinfo.value if call.excinfo else "")
        if text.startswith("Timeout"):
            found = f"stopped after {call.duration:.0f} seconds: is there a loop that does not end?"
            message = Message(self.claim.sentence, evidence=found)
            return ClaimVerdict(
                self.name, State.TIMED_OUT, message, call.duration, self.claim.device
            )
        error = call.excinfo.exconly() if call.excinfo else text
        return ClaimVerdict(self.name, State.ERROR, Message(self.claim.sentence, evidence=error))

    def about(self) -> dict[str, Any]:
        """Which exercise of which folder this is a claim about."""
        file = self.parent
        if not isinstance(file, ExerciseFile):
            return {"slug": "", "folder": "", "board": False, "line": 0}
        slug = file.exercise.slug
        return {
            "slug": slug,
            "folder": str(file.target.folder),
            "board": file.learner,
            "digest": file.target.digest(slug) if self.claim else "",
            "stand_ins": list(file.target.stand_ins(slug)),
            "total": self._total(file.exercise),
            "line": self.claim.line if self.claim else 0,
        }

    def _total(self, exercise: Exercise) -> int:
        if self.claim is None:
            return 1
        from kata.judge import device_missing, suite

        return sum(not device_missing(each.device) for each in suite(exercise))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The learner's file, and the claim's name."""
        return self.path, None, self.name


def _exercise_file(parent: pytest.Collector, path: Path, slug: str) -> ExerciseFile:
    file: ExerciseFile = ExerciseFile.from_parent(parent, path=path)
    file.exercise = exercises()[slug]
    file.learner = path.parent != GRADED
    file.target = _target(parent.config, path)
    return file


def _target(config: pytest.Config, path: Path) -> Target:
    if path.parent == GRADED or config.getoption("--solutions"):
        return reference()
    return config.stash[LEDGER].target(path.parent)


def _misspelled(path: Path) -> bool:
    """Close to an exercise whose own file is not there."""
    if not re.match(r"ex\d+_", path.stem, re.IGNORECASE):
        return False
    missing = [slug for slug in exercises() if not (path.parent / f"{slug}.py").exists()]
    return bool(did_you_mean(path.stem, missing))


def _outcome(state: State) -> Any:
    if state is State.PASSED:
        return "passed"
    return "skipped" if state in {State.SKIPPED, *QUIET} else "failed"


def _reason(item: "ClaimItem", verdict: ClaimVerdict) -> Any:
    """What pytest wants to know of a skip; failures are rendered where they are shown."""
    text = (verdict.message or Message("")).claim
    return (str(item.path), 0, text) if _outcome(verdict.state) == "skipped" else None


def _cut(text: str) -> str:
    if len(text) <= LONGEST_OUTPUT:
        return text
    return f"{text[:LONGEST_OUTPUT]}\n… cut after {LONGEST_OUTPUT} of {len(text)} characters"


def _relative(folder: Path) -> Path:
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
