"""What known wrong answers fail is written down: it saves time, and changes no name."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.catalogue import bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.diagnosis import search, suspects
from kata.diagnosis import suspects as records
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import Observation, find, observe
from kata.diagnosis.suspects import Record, digest, file_of, record_of
from kata.judging.case import begin_run
from kata.judging.judge import suite
from kata.upkeep.records import record
from kata.verdict import Diagnosis, State
from tests.helpers.answers import spelled

EX01 = exercises()["ex01_softmax"]
EX07 = exercises()["ex07_heads"]
UNSHIFTED = spelled(
    EX01.slug, {"softmax": "e = np.exp(scores)\nreturn e / e.sum(axis, keepdims=True)"}
)
KEPT = file_of(EX01).read_text(encoding="utf-8")
SPELLED = spelled(EX07.slug, {"merge_heads": "return x.reshape(x.shape[0], x.shape[2], -1)"})


@pytest.fixture
def seed() -> Iterator[None]:
    begin_run(1)
    yield
    begin_run(0)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Another folder for records, and nothing remembered of the usual one."""
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    records._records.cache_clear()
    yield tmp_path
    records._records.cache_clear()


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The claims that a search tries wrong answers with."""
    found: list[str] = []
    monkeypatch.setattr(
        suspects, "find", lambda claim, attempt: found.append(claim.id) or find(claim, attempt)
    )
    return found


def seen(exercise: Exercise, text: str) -> Observation:
    return observe(exercise, target_of(exercise, text))


def told(exercise: Exercise, text: str) -> Diagnosis | None:
    return diagnose(exercise, seen(exercise, text).findings, text=text)


def test_they_say_what_a_suite_says() -> None:
    bug = bugs(EX01)[0]
    found = seen(EX01, wrong_answer(EX01, bug))
    known = record_of(EX01, bug, 0)

    assert known
    assert known.tried == found.findings.keys()
    assert known.failing == {each for each, one in found.findings.items() if not one.verdict.held}
    assert [each for each in found.findings if known.holds(each)] == [
        claim for claim, one in found.findings.items() if one.verdict.held
    ]


def test_what_was_never_tried_is_not_known_to_hold() -> None:
    assert not Record(frozenset({"a"}), frozenset()).holds("b")
    assert Record(frozenset({"a"}), frozenset()).holds("a")


def test_a_search_runs_only_what_is_not_written_down(ran: list[str]) -> None:
    found = seen(EX07, SPELLED)

    assert diagnose(EX07, found.findings, text=SPELLED)
    assert ran
    assert not [each for each in ran if found.findings[each].verdict.held]


@pytest.mark.usefixtures("elsewhere")
def test_without_them_the_name_is_the_same() -> None:
    assert record_of(EX01, bugs(EX01)[0], 0) is None

    bare = told(EX01, UNSHIFTED)
    record(EX01, KEPT)
    records._records.cache_clear()

    assert record_of(EX01, bugs(EX01)[0], 0)
    assert told(EX01, UNSHIFTED) == bare
    assert bare


@pytest.mark.usefixtures("seed")
def test_other_random_numbers_are_another_matter() -> None:
    assert record_of(EX01, bugs(EX01)[0], 0) is None


@pytest.mark.usefixtures("seed")
def test_a_graded_run_looks_first_at_those_that_fail_the_same_claims(
    ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And at fewer of them; what it names was compared in every claim all the same."""
    found = seen(EX07, SPELLED).findings
    diagnose(EX07, found, text=SPELLED)
    few = [*ran]

    monkeypatch.setattr(search, "usually", lambda *_: None)
    ran.clear()
    diagnose(EX07, found, text=SPELLED)

    assert 0 < len(few) < len(ran)
    assert {each for each, one in found.items() if one.verdict.state is State.FAILED} <= {*few}


@pytest.mark.usefixtures("seed")
def test_a_graded_run_gives_the_same_names_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    works = [(EX01, bug) for bug in bugs(EX01)[::14]] + [(EX07, bug) for bug in bugs(EX07)[::60]]
    findings = [(each, seen(each, wrong_answer(each, bug)).findings) for each, bug in works]
    names = [diagnose(*each) for each in findings]

    monkeypatch.setattr(search, "usually", lambda *_: None)

    assert len(names) > 8
    assert [diagnose(*each) for each in findings] == names


def test_those_of_an_earlier_entry_or_format_are_left_alone(elsewhere: Path) -> None:
    """Of a catalogue with other entries only those are relied on that are as they were."""
    one, other = bugs(EX01)[:2]
    table = json.loads(KEPT)
    table["of"], table["entries"][one.slug][0] = "0" * 16, "0" * 16
    path = elsewhere / file_of(EX01).name
    path.write_text(json.dumps(table), encoding="utf-8")

    assert record_of(EX01, one, 0) is None
    assert record_of(EX01, other, 0)

    path.write_text(json.dumps({"of": digest(EX01), "claims": [], "failing": {}}))
    records._records.cache_clear()
    assert record_of(EX01, other, 0) is None


def test_claims_for_a_gpu_are_not_recorded() -> None:
    known = record_of(EX07, bugs(EX07)[0], 0)

    assert known
    assert not [each for each in suite(EX07) if each.device == "cuda" and each.id in known.tried]
