"""Numbers in the documents are counted, written by a command, and a gate sees old ones."""

from pathlib import Path

import pytest

from kata.commands import check
from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, exercises
from kata.judging.judge import suite
from kata.upkeep import documents
from kata.upkeep.documents import NUMBERS, numbers_are_of_today, write_numbers
from kata.upkeep.faces import accepted


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only document that there is."""
    monkeypatch.setattr(documents, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs" / "measurements.md"


def marked(name: str, number: object) -> str:
    return f"<!--n:{name}-->{number}<!--/n-->"


def test_each_is_what_is_counted() -> None:
    counted = {name: count() for name, count in NUMBERS.items()}
    some = exercises().values()
    level_1 = [bug for each in some for bug in bugs(each) if bug.level == 1]
    suites = [each.suite.read_text(encoding="utf-8") for each in some]
    specimens = ROOT / "tests" / "specimens"

    assert counted == {
        "attacks": len(list((specimens / "attacks").glob("*.py"))),
        "claims": sum(text.count("\ndef test_") for text in suites),
        "exercises": len(exercises()),
        "level-1": len(level_1),
        "proof-attacks": len(list((specimens / "attacks_on_proofs").glob("*.py"))),
        "right-answers": sum(len(accepted(each)) for each in some),
        "wrong-answers": sum(len(bugs(each)) for each in some),
    }
    assert all(counted.values())


def test_an_old_number_is_found_and_written(document: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(check, "need_checkout", lambda: None)
    now = NUMBERS["exercises"]()
    text = "{} of {} and {}, 7 attacks\n"
    old, today = marked("exercises", now - 1), marked("exercises", now)
    document.write_text(text.format(old, today, old))
    told = f"exercises is {now - 1}, not {now}; `kata check --write-numbers` writes today's"

    assert [each.partition(": ")[2] for each in numbers_are_of_today()] == [told, told]
    assert check._write_numbers() == 0
    assert capsys.readouterr().out.endswith("measurements.md has today's numbers\n")
    assert document.read_text() == text.format(today, today, today)
    assert list(numbers_are_of_today()) == []
    assert check._write_numbers() == 0
    assert capsys.readouterr().out == "all numbers in the documents are true\n"


def test_what_nothing_counts_is_told_and_kept(document: Path) -> None:
    document.write_text(marked("stars", 5))

    (told,) = numbers_are_of_today()
    assert told.endswith(f"nothing counts stars, only {', '.join(NUMBERS)}")
    assert list(write_numbers()) == []


def test_a_number_without_an_end_is_told(document: Path) -> None:
    document.write_text("<!--n:exercises-->28 exercises\n")

    (told,) = numbers_are_of_today()
    assert told.endswith("a number has no end: <!--/n-->")


def test_the_claims_in_a_sample_failure_are_counted(document: Path) -> None:
    shown = "  known mistake, with the same result in all {} claims: scores divided by their sum\n"
    document.write_text("In all 5 claims:\n" + shown.format(5))
    now = len(suite(exercises()["ex01_softmax"]))

    (told,) = numbers_are_of_today()
    assert f"in all 5 claims: scores divided by their sum” is about {now}; `kata check" in told
    assert len(list(write_numbers())) == 1
    assert document.read_text() == "In all 5 claims:\n" + shown.format(now)
    assert (list(numbers_are_of_today()), list(write_numbers())) == ([], [])


def test_the_sample_failure_of_the_readme_has_one() -> None:
    assert len(documents.IN_CODE.findall((ROOT / "README.md").read_text(encoding="utf-8"))) == 1
