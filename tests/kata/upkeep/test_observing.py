"""What gates take from the records of known wrong answers, and what proves the records."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.catalogue import bugs, target_of, wrong_answer
from kata.course.curriculum import exercises
from kata.diagnosis import suspects as records
from kata.diagnosis.observe import Finding, find, observe
from kata.diagnosis.suspects import file_of
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim
from kata.upkeep import wrong_answers
from kata.upkeep.records import records_are_true
from kata.upkeep.wrong_answers import observe_bugs

EX01 = exercises()["ex01_softmax"]
SOME = bugs(EX01)[::6]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The claims that are judged one by one."""
    found: list[str] = []

    def noted(claim: Claim, attempt: Attempt) -> Finding:
        found.append(claim.id)
        return find(claim, attempt)

    monkeypatch.setattr(wrong_answers, "find", noted)
    observe_bugs.cache_clear()
    yield found
    observe_bugs.cache_clear()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for records of its own, with those of exercise 01."""
    shutil.copy(file_of(EX01), tmp_path)
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    records._records.cache_clear()
    yield file_of(EX01)
    records._records.cache_clear()


def test_what_is_recorded_to_hold_is_not_judged_again(ran: list[str]) -> None:
    observed = observe_bugs(EX01, SOME)
    failing = [name for _, seen in observed for name in seen.findings
               if not seen.findings[name].verdict.held]  # fmt: skip

    assert ran == failing
    assert ran


def test_the_verdicts_are_those_of_judging_everything() -> None:
    for bug, seen in observe_bugs(EX01, bugs(EX01)[::9]):
        whole = observe(EX01, target_of(EX01, wrong_answer(EX01, bug)))

        assert seen.states == whole.states
        assert seen.looks_like(whole)
        assert {name: each.called for name, each in seen.findings.items()} == {
            name: each.called for name, each in whole.findings.items()
        }


def test_what_a_claim_saw_is_found_out_when_it_is_asked_for(ran: list[str]) -> None:
    findings = [each for _, seen in observe_bugs(EX01, SOME) for each in seen.findings.values()]
    held = next(each for each in findings if each.verdict.held)
    ran.clear()

    assert held.sights
    assert held.sights
    assert ran == [held.verdict.name]


@pytest.mark.usefixtures("ran")
def test_a_suite_that_has_changed_is_judged_as_a_whole(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = json.loads(elsewhere.read_text())
    entries = {slug: ["0" * 16, *rest] for slug, (_, *rest) in table["entries"].items()}
    elsewhere.write_text(json.dumps({**table, "of": "0" * 16, "entries": entries}))
    records._records.cache_clear()
    whole: list[str] = []
    monkeypatch.setattr(wrong_answers, "observe", lambda *each: whole.append("") or observe(*each))

    assert len(observe_bugs(EX01, SOME)) == len(whole) == len(SOME)
    assert list(records_are_true(EX01, SOME)) == []  # nothing relies on them


def test_a_record_that_is_not_true_is_found(elsewhere: Path) -> None:
    right = next(line for line in elsewhere.read_text().splitlines() if '"no-exp"' in line)
    wrong = right.replace('", "', '", "1', 1)

    elsewhere.write_text(elsewhere.read_text().replace(right, wrong))

    told = f"{elsewhere.name} does not say {right.strip(' ,')}"
    (bug,) = [each for each in bugs(EX01) if each.slug == "no-exp"]
    assert list(records_are_true(EX01, (bug,))) == [told]
    assert told in list(records_are_true(EX01, bugs(EX01)[:3]))


def test_claims_that_are_not_recorded_are_found(elsewhere: Path) -> None:
    table = json.loads(elsewhere.read_text())
    elsewhere.write_text(json.dumps({**table, "claims": table["claims"][1:]}))

    assert list(records_are_true(EX01, ())) == [f"{elsewhere.name} has not these claims"]
