"""docs/documents.md is true: its numbers, figures, sections, slugs and commands."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest

from kata.__main__ import main
from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT
from kata.course.naming import exercise_named
from kata.handouts.documents_bugs import WRITTEN, own_bugs
from tests.helpers.later import make_documents, page

FIGURES = ROOT / "docs" / "figures"
TEXT = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
BUGS = own_bugs()
COMMANDS = re.findall(r"^python (.*)$", TEXT, re.MULTILINE)
# Pieces that train models or judge wrong answers; tests/system computes them too.
DEAR = {"1.losses", "1.met", "1.message", "1.gap", "2.loss", "3.gap", "3.table", "3.unmasked",
        "18.masked"}  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+\.\d+")
ASIDE = (re.compile(r"^#.*|^number = .*|^(poster|slug|exercise|tables) = .*|figure = .*",
                    re.MULTILINE), re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE),
         re.compile(r"`[^`]*`"))  # fmt: skip
# Numbers that name something.
NAMES = re.compile(r"[Dd]ocuments? 00\d(, 00\d)*( and 00\d)?|\bex\d\d|In\[\d+\]|\b(see|in) \d+")


def same(one: str, other: str) -> bool:
    """The same text, and decimals that differ by rounding at most."""
    decimals = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    return NUMBER.sub("#", one) == NUMBER.sub("#", other) and all(
        abs(float(a) - float(b)) < 1.5 * 10.0 ** -len(a.split(".")[1]) for a, b in decimals
    )


def prose(text: str) -> str:
    """What is neither code nor a name."""
    for each in (*ASIDE, NAMES):
        text = each.sub("", text)
    return text


def test_the_page_is_made_from_the_twenty() -> None:
    """After a change of theirs: `python -m docs.make_documents`."""
    assert page.rendered(BUGS) == TEXT
    assert "||" not in TEXT


def test_each_number_is_the_computed_one() -> None:
    """Computed again by `python -m docs.make_documents`."""
    assert set(pieces()) > DEAR
    assert_computed(set(pieces()) - DEAR)


def assert_computed(names: set[str]) -> None:
    kept = {f"{bug.number}.{name}": value for bug in BUGS for name, value in bug.computed.items()}
    texts = {name: (page.markdown(kept[name]), page.markdown(pieces()[name]())) for name in names}

    assert {name: both for name, both in texts.items() if not same(*both)} == {}


@cache
def pieces() -> dict[str, Callable[[], Any]]:
    """What computes each value of the page."""
    assert make_documents.SHORTS  # it registers them
    return dict(page.PIECES)


def test_nothing_else_is_kept_as_computed() -> None:
    assert {f"{bug.number}.{name}" for bug in BUGS for name in bug.computed} == set(pieces())


def test_all_that_is_kept_is_on_the_page() -> None:
    kept = [page.markdown(value) for bug in BUGS for value in bug.computed.values()]

    assert [each for each in kept if each not in TEXT] == []


def test_no_number_is_written_by_hand() -> None:
    assert re.findall(r".*\d.*", prose(WRITTEN.read_text(encoding="utf-8"))) == []


def test_each_figure_is_the_computed_one_with_its_axes() -> None:
    assert pieces()
    for name, draw in page.DRAWINGS.items():
        drawn = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")
        assert same(texts(drawn), texts(draw())), name
        assert_told(ElementTree.fromstring(drawn))


def texts(svg: str) -> str:
    return "\n".join(re.findall(r">([^<>\n]+)<", svg))


def assert_told(drawn: ElementTree.Element) -> None:
    """GitHub shows no titles of elements: what is not drawn is not there."""
    title = drawn.findtext(f"{SVG}text") or ""
    maps = drawn.findall(f"{SVG}svg")

    assert "row" in title
    assert "column" in title
    assert len(maps) == 3
    for each in maps:
        cells = each.find(f"{SVG}path[@fill='white']").attrib["d"].count("M")
        numbers = each.findall(f"{SVG}g/{SVG}text")
        written = [text[-1].tail if len(text) else text.text for text in numbers]
        assert len([*filter(None, written)]) == cells
        indices = [text.text for text in each.findall(f"{SVG}text")]
        assert len(indices) == 2 * cells**0.5  # all are square


def test_the_figures_are_those_of_the_page() -> None:
    assert pieces()
    shown = re.findall(r"!\[.+\]\(figures/(.+)\.svg\)", TEXT)

    assert sorted(shown) == sorted(page.DRAWINGS) == sorted(each.stem for each in FIGURES.iterdir())


def test_the_twenty_are_in_order() -> None:
    assert [bug.number for bug in BUGS] == list(range(1, 21))


def test_each_entry_of_the_catalogue_is_in_its_section() -> None:
    sections = {own.number: TEXT.partition(f"\n## {own.number}. ")[2].partition("\n## ")[0]
                for own in BUGS}  # fmt: skip

    assert [(number, bug.slug) for short, exercise in make_documents.SHORTS.items()
            for bug in bugs(exercise) for number, section in sections.items()
            if make_documents.of_document(bug, number)
            and f"{short} `{bug.slug}`" not in section] == []  # fmt: skip


def test_each_slug_is_in_the_catalogue() -> None:
    named = re.findall(r"(ex\d\d) `([\w-]+)`", TEXT)
    known = {
        (short, bug.slug) for short, each in make_documents.SHORTS.items() for bug in bugs(each)
    }

    assert len(named) > 80
    assert set(named) - known == set()


def test_each_command_names_what_there_is_and_one_of_each_kind_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = [command.split()[3:] for command in COMMANDS if command.startswith("-m kata show ")]
    others = [command for command in COMMANDS if not command.startswith("-m kata show ")]

    assert [(short, slug) for short, slug in shown
            if slug not in {bug.slug for bug in bugs(exercise_named(short))}] == []  # fmt: skip
    assert {command.rpartition(" ")[0] for command in others} == {"-m docs.make_documents"}
    for command in (COMMANDS[-1], others[0]):
        assert_runs(command, capsys)


def assert_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    script, *words = command.removeprefix("-m ").split()

    if script == "kata":
        assert main(words) == 0
    else:
        assert script == "docs.make_documents"
        make_documents.main(*words)

    assert len(capsys.readouterr().out) > 200
