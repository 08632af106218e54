"""docs/documents.md is true: its numbers, figures, sections, slugs and commands."""

import re

import pytest

from docs import make_documents
from docs.make_documents import SHORTS, of_document
from docs.page import BLOCK, DRAWINGS, FIGURES, PAGE, PIECES
from kata.__main__ import main
from kata.course.catalogue import bugs

TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = {name: content for _, name, content, _ in BLOCK.findall(TEXT)}
SECTIONS = {
    int(number): content
    for number, content in re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.M)
}
COMMANDS = re.findall(r"^python (.*)$", TEXT, re.MULTILINE)
NUMBER = re.compile(r"-?\d+\.\d+")
FLAGS = re.DOTALL | re.MULTILINE
ASIDE = (
    re.compile(r"^```.*?^```", FLAGS),
    re.compile(r"`[^`]*`"),
    re.compile(r"^## \d+\.", FLAGS),
    re.compile(r"\]\(figures/[^)]*\)"),
)
# Numbers that name something.
NAMES = re.compile(r"[Dd]ocuments? 00\d(, 00\d)*( and 00\d)?|\bex\d\d|In\[\d+\]|\b(see|in) \d+")


def same(one: str, other: str) -> bool:
    """The same text, and decimals that differ by rounding at most."""
    decimals = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    return NUMBER.sub("#", one) == NUMBER.sub("#", other) and all(
        abs(float(a) - float(b)) < 1.5 * 10.0 ** -len(a.split(".")[1]) for a, b in decimals
    )


def prose(text: str) -> str:
    """What is neither computed nor code nor the number of a section."""
    for each in (BLOCK, *ASIDE, NAMES):
        text = each.sub("", text)
    return text


@pytest.mark.parametrize("name", PIECES)
def test_each_number_is_the_computed_one(name: str) -> None:
    """Written anew by `python -m docs.make_documents`."""
    assert same(BLOCKS[name], PIECES[name]())


def test_nothing_else_stands_between_the_marks() -> None:
    assert set(BLOCKS) == set(PIECES)
    assert len(BLOCKS) == TEXT.count("<!-- computed:") == TEXT.count("<!-- end -->")


def test_no_number_is_written_by_hand() -> None:
    assert re.findall(r".*\d.*", prose(TEXT)) == []


@pytest.mark.parametrize("name", DRAWINGS)
def test_each_figure_is_the_computed_one(name: str) -> None:
    def texts(svg: str) -> str:
        return "\n".join(re.findall(r">([^<>\n]+)<", svg))

    drawn = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")

    assert same(texts(drawn), texts(DRAWINGS[name]()))


def test_the_figures_are_those_of_the_page() -> None:
    shown = re.findall(r"!\[.+\]\(figures/(.+)\.svg\)", TEXT)

    assert sorted(shown) == sorted(DRAWINGS) == sorted(each.stem for each in FIGURES.iterdir())


def test_each_own_bug_has_its_section() -> None:
    assert list(SECTIONS) == list(range(1, 21))
    for parts in ("What it says", "What is true", "Why nobody noticed", "How it was found",
                  "Where a learner meets it"):  # fmt: skip
        assert [n for n, text in SECTIONS.items() if f"**{parts}.**" not in text] == []


def test_each_entry_of_the_catalogue_is_in_its_section() -> None:
    for short, exercise in SHORTS.items():
        for bug in bugs(exercise):
            for number, text in SECTIONS.items():
                if of_document(bug, number):
                    assert f"{short} `{bug.slug}`" in text


def test_each_slug_is_in_the_catalogue() -> None:
    named = re.findall(r"(ex\d\d) `([\w-]+)`", TEXT)
    known = {(short, bug.slug) for short, each in SHORTS.items() for bug in bugs(each)}

    assert len(named) > 80
    assert set(named) - known == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    script, *words = command.removeprefix("-m ").split()

    if script == "kata":
        assert main(words) == 0
    else:
        assert script == "docs.make_documents"
        make_documents.main(*words)

    assert len(capsys.readouterr().out) > 200
