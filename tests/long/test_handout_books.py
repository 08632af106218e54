"""The texts of the instructor's books, and handouts of the core that are made twice."""

from functools import cache
from pathlib import Path

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from tests.kata.handouts.test_handouts import secrets
from tests.system.test_handout_pdfs import ALL, SHORTS, Built, handouts, pages_of, plain


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
def test_the_book_has_the_solution_and_every_mistake(pages: Built, exercise: Exercise) -> None:
    told = book_text(pages)

    assert [line for line in secrets(exercise) if line not in told] == []
    assert [bug.slug for bug in bugs(exercise) if plain(bug.slug) not in told] == []
    assert [bug.slug for bug in bugs(exercise) if plain(bug.why.replace("`", "")) not in told] == []


@cache
def book_text(built: Built) -> str:
    return plain(built.text("book.pdf"))


def test_the_core_has_seven_sheets_and_a_book_of_them(core: Built) -> None:
    chosen = [each for each in ALL if each.core]
    told = core.text("book.pdf")

    alone = ["book.pdf", "cheatsheet.pdf", "poster.pdf"]

    assert core.names() == sorted([*alone, *pages_of(chosen)])
    assert all(each.title in told for each in chosen)
    assert "HeadsInAList" not in told
