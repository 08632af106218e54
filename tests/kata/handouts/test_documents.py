"""docs/documents.md is true: its sections, figures, slugs and commands."""

import math
import re
import tomllib
from xml.etree import ElementTree

import pytest

from kata.__main__ import main
from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, exercises
from kata.handouts.examples import TEXTS
from kata.handouts.mistakes import own_bugs
from kata.handouts.site.museum import own_number

FIGURES = ROOT / "docs" / "figures"
TEXT = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
BUGS = own_bugs()
SECTIONS = {own.number: TEXT.partition(f"\n## {own.number}. ")[2].partition("\n## ")[0]
            for own in BUGS}  # fmt: skip
CATALOGUE = [(exercise.short, bug) for exercise in exercises().values() for bug in bugs(exercise)]
COMMANDS = re.findall(r"^python -m kata show (ex\d\d [\w-]+)$", TEXT, re.MULTILINE)
SVG = "{http://www.w3.org/2000/svg}"


def test_the_twenty_are_in_order_each_with_its_title_and_its_wrong_answer() -> None:
    assert [bug.number for bug in BUGS] == list(range(1, 21))
    for bug in BUGS:
        assert SECTIONS[bug.number].startswith(f"{bug.title}\n")
        assert f"python -m kata show {bug.exercise} {bug.slug}\n" in SECTIONS[bug.number]


def test_numbers_of_the_poster_are_those_of_the_page() -> None:
    tables = {bug.number: bug.table for bug in BUGS if bug.table}

    assert len(tables) == 3
    for number, table in tables.items():
        cells = {cell for row in table for cell in row}
        assert [cell for cell in cells if cell not in SECTIONS[number]] == []


def test_a_one_that_is_added_to_a_score_multiplies_its_weight_by_e() -> None:
    poster = tomllib.loads((TEXTS / "poster.toml").read_text(encoding="utf-8"))
    card = next(card for card in poster["card"] if card["number"] == 10)

    assert f"{math.e:.4f} times the weight" in card["sentence"]
    assert f"{math.e:.4f}" in SECTIONS[10]


def test_each_figure_is_on_the_page_with_its_axes() -> None:
    shown = re.findall(r"!\[.+\]\(figures/(.+\.svg)\)", TEXT)

    assert sorted(shown) == sorted(path.name for path in FIGURES.iterdir())
    for name in shown:
        drawn = ElementTree.parse(FIGURES / name).getroot()
        title = drawn.findtext(f"{SVG}text") or ""
        # GitHub shows no titles of elements: what is not drawn is not there.
        assert "row" in title
        assert "column" in title
        assert len(drawn.findall(f"{SVG}svg")) == 3


def test_each_entry_of_the_catalogue_is_in_its_section() -> None:
    """A wrong answer that is seen in a document is named where the page tells of it."""
    numbered = [(short, bug, number) for short, bug in CATALOGUE
                for number in map(own_number, bug.seen_in) if number]  # fmt: skip

    assert len(numbered) > 80
    assert [(short, bug.slug) for short, bug, number in numbered
            if f"{short} `{bug.slug}`" not in SECTIONS[number]
            and f"show {short} {bug.slug}" not in SECTIONS[number]] == []  # fmt: skip


def test_each_slug_is_in_the_catalogue() -> None:
    named = re.findall(r"(ex\d\d) `([\w-]+)`", TEXT)

    assert len(named) > 80
    assert {*named} - {(short, bug.slug) for short, bug in CATALOGUE} == set()


def test_each_command_shows_a_mistake_and_its_failure(capsys: pytest.CaptureFixture[str]) -> None:
    known = {f"{short} {bug.slug}" for short, bug in CATALOGUE}

    assert len(COMMANDS) >= len(BUGS)
    assert {*COMMANDS} - known == set()
    assert main(["show", *COMMANDS[0].split()]) == 0
    assert len(capsys.readouterr().out) > 200
