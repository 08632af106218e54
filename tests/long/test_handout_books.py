"""The texts of the instructor's books, and handouts of the core that are made twice."""

import re
from functools import cache
from pathlib import Path

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.handouts.paper.guide import notable
from tests.kata.handouts.test_handouts import secrets
from tests.system.test_handout_pdfs import Built, handouts, pages_of, plain

ALL = list(exercises().values())
SHORTS = [exercise.short for exercise in ALL]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return handouts(tmp_path_factory.mktemp("all"))


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return handouts(tmp_path_factory.mktemp("core"), "--core")


def test_the_same_input_gives_the_same_bytes(core: Built, tmp_path: Path) -> None:
    again = handouts(tmp_path, "--core")

    assert again.names() == core.names()
    assert [name for name in again.names() if bytes_of(again, name) != bytes_of(core, name)] == []


def bytes_of(built: Built, name: str) -> bytes:
    return (built.folder / name).read_bytes()


@pytest.mark.parametrize("exercise", ALL, ids=SHORTS)
def test_the_book_has_the_solution_and_the_mistakes_that_happen(
    pages: Built, exercise: Exercise
) -> None:
    told = plain("".join(book(pages)))
    printed = notable(exercise)

    assert [line for line in secrets(exercise) if line not in told] == []
    assert [bug.slug for bug in printed if plain(bug.slug) not in told] == []
    assert [bug.slug for bug in printed if plain(bug.symptom.replace("`", "")) not in told] == []


@cache
def book(built: Built) -> list[str]:
    """The text of each page."""
    return [page.extract_text() for page in built.read("book.pdf").pages]


def test_the_guide_has_a_page_for_each_exercise_and_about_forty_with_the_references(
    pages: Built,
) -> None:
    told = book(pages)
    first = [at for at, text in enumerate(told) if "Say first." in text]

    assert first == list(range(first[0], first[0] + len(ALL)))
    assert [each.short for each, at in zip(ALL, first, strict=True)
            if plain(each.title) not in plain(told[at])] == []  # fmt: skip
    assert all("Where groups stall" in told[at] and told[at].count("Ask:") == 3 for at in first)
    references = next(at for at, text in enumerate(told) if "Code to look at together\n" in text
                      and at > first[-1])  # fmt: skip
    assert references <= 44


def test_the_book_says_how_much_of_the_catalogue_it_has(pages: Built) -> None:
    known, printed = sum(len(bugs(each)) for each in ALL), sum(len(notable(each)) for each in ALL)

    assert f"{printed} of {known} mistakes" in " ".join("".join(book(pages)).split())


def test_the_index_leads_to_the_page_of_an_entry(pages: Built) -> None:
    told = book(pages)
    start = max(at for at, text in enumerate(told) if "Index of error texts and symptoms" in text)
    lines = [line for text in told[start:] for line in text.splitlines()]
    found = [re.fullmatch(r"05 One token of the future is visible (\d+)", line.strip())
             for line in lines]  # fmt: skip
    (place, *_) = (int(each[1]) for each in found if each)

    assert "causal-leaks-one" in plain(told[place - 1])


def test_no_page_of_the_book_is_nearly_empty(pages: Built) -> None:
    short = [at for at, text in enumerate(book(pages)[:-1], start=1) if len(plain(text)) < 700]

    assert short == []


def test_the_core_has_seven_sheets_and_a_book_of_them(core: Built) -> None:
    chosen = [each for each in ALL if each.core]
    told = core.text("book.pdf")

    alone = ["book.pdf", "cheatsheet.pdf", "poster.pdf"]

    assert core.names() == sorted([*alone, *pages_of(chosen)])
    assert all(each.title in told for each in chosen)
    assert "HeadsInAList" not in told
