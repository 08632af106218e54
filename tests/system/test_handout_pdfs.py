"""The handouts of the core, built by the command, and read again from their PDFs.

Before a release they are those of all exercises; tests/long also reads the texts of the books.
"""

import io
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any

import pypdf
import pytest

from kata.__main__ import main
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import SOLUTIONS, Exercise, exercises
from kata.course.target import Target
from kata.handouts.contracts import question
from kata.handouts.examples import texts, with_libraries
from kata.handouts.paper import cheat_sheet, sheets
from kata.handouts.paper import sheets as proof_sheets
from kata.handouts.paper.sheets import HUNTS, short_hunts
from kata.handouts.readme_pictures import DOCS, PICTURES
from kata.learner.own_files import write
from tests.helpers.command import called
from tests.helpers.sampling import everything, sample
from tests.kata.handouts.test_handouts import secrets

WHOLE = everything()
ALL = [exercise for exercise in exercises().values() if WHOLE or exercise.core]
SHORTS = [exercise.short for exercise in ALL]
ON = [("a4", each) for each in ALL] + [("letter", each) for each in sample(ALL)]
CORE = [] if WHOLE else ["--core"]
PAPERS = {"a4": (595.28, 841.89), "letter": (612, 792)}
ROUNDED = 0.01  # points that a number in a PDF may lack
Names = dict[str, Any]


@dataclass(frozen=True)
class Built:
    """What one call of the command has written."""

    folder: Path
    out: str

    def read(self, name: str) -> pypdf.PdfReader:
        return pypdf.PdfReader(io.BytesIO((self.folder / name).read_bytes()))

    def text(self, name: str) -> str:
        return "\n".join(side.text for side in self.sides(name))

    def sides(self, name: str) -> tuple["Side", ...]:
        return sides(self.folder / name)

    def names(self) -> list[str]:
        return sorted(str(each.relative_to(self.folder)) for each in self.folder.rglob("*.pdf"))


@dataclass(frozen=True)
class Letters:
    """Some letters of a page: what they say, how high they are, and how high they have to be."""

    text: str
    points: float
    least: float


@dataclass(frozen=True)
class Side:
    """One page as it is read."""

    size: tuple[float, float]
    text: str
    letters: tuple[Letters, ...]


@cache  # to read a page takes long
def sides(path: Path) -> tuple[Side, ...]:
    return tuple(map(side, pypdf.PdfReader(io.BytesIO(path.read_bytes())).pages))


def side(page: pypdf.PageObject) -> Side:
    """A page and its letters; only a figure is scaled, which tells its letters from the rest."""
    found: list[Letters] = []

    def note(text: str, page: list[float], line: list[float], _: object, size: float) -> None:
        scale = math.hypot(*page[2:4])
        if text.strip():
            points = abs(size) * math.hypot(*line[2:4]) * scale
            found.append(Letters(text, points + ROUNDED, 7.5 if math.isclose(scale, 1) else 5.5))

    text = page.extract_text(visitor_text=note)
    return Side((page.mediabox.width, page.mediabox.height), text, tuple(found))


def handouts(folder: Path, *options: str) -> Built:
    done = called(main, ["handouts", "--out", str(folder), *options], folder, os.environ)
    assert (done.status, done.err) == (0, "")
    return Built(folder, done.out)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return handouts(tmp_path_factory.mktemp("all"), *CORE)


def sheet(exercise: Exercise) -> str:
    return f"sheets/{exercise.slug}.pdf"


def proofs(exercise: Exercise) -> str:
    return f"proofs/{exercise.slug}.pdf"


def hunts(exercise: Exercise) -> str:
    return f"hunts/{exercise.slug}.pdf"


def pages_of(chosen: list[Exercise]) -> list[str]:
    return [kind(exercise) for exercise in chosen for kind in (sheet, proofs, hunts)]


def plain(text: str) -> str:
    """Without spaces, as a PDF does not say what stood where a line is broken; quotes as typed."""
    return "".join(text.split()).replace("“", '"').replace("”", '"')


def test_all_six_kinds_are_there_and_are_told(pages: Built) -> None:
    alone = ["book.pdf", "cheatsheet.pdf", "poster.pdf"]
    wanted = sorted([*alone, *pages_of(ALL)])

    assert pages.names() == wanted
    assert sorted(pages.out.split()) == sorted(str(pages.folder / name) for name in wanted)


@pytest.fixture(scope="module")
def on_letter(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """By the command before a release, and for the core; else some sheets and tests alone."""
    folder = tmp_path_factory.mktemp("letter")
    built = handouts(folder, "--core", "--paper", "letter") if WHOLE else Built(folder, "")
    makers = {sheet: sheets.sheet, proofs: proof_sheets.proof_sheet}
    missing = [exercise for exercise in sample(ALL) if not (WHOLE and exercise.core)]
    for exercise, name in product(missing, makers):
        write(folder / name(exercise), makers[name](exercise, "letter"))
    return built


def test_every_page_has_the_size_of_its_paper(pages: Built, on_letter: Built) -> None:
    assert_sizes(pages, PAPERS["a4"])
    assert_sizes(on_letter, PAPERS["letter"])


def assert_sizes(built: Built, size: tuple[float, float]) -> None:
    """Two sides for a sheet, one for what may be worked on beside it."""
    for name in built.names():
        if "/" in name:
            found = [side.size for side in built.sides(name)]
            assert found == [pytest.approx(size, abs=0.1)] * (2 if "sheets/" in name else 1), name


@pytest.mark.parametrize(("paper", "exercise"), ON, ids=lambda each: getattr(each, "short", each))
def test_no_contract_is_shortened(
    pages: Built, on_letter: Built, exercise: Exercise, paper: str
) -> None:
    built = {"a4": pages, "letter": on_letter}[paper]
    told = plain(built.sides(sheet(exercise))[0].text)

    assert [each for each in sentences(exercise) if plain(each.replace("`", "")) not in told] == []


def sentences(exercise: Exercise) -> Iterator[str]:
    """Of its contracts: each parameter and each sentence, which a column may tear apart."""
    for each in question(exercise).contracts:
        items = [item for part in each.sections.values() for item in part]
        yield each.signature
        yield from (f"{item.name} " for item in items)
        for text in (each.summary, *each.prose, *(item.text for item in items)):
            yield from re.split(r"(?<=[.;])\s", text)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_letter_can_be_read(pages: Built, on_letter: Built, paper: str) -> None:
    """Code has 7.5 points or more, the rest of a page as much; in a figure it is 5.5."""
    built = {"a4": pages, "letter": on_letter}[paper]
    for name in built.names():
        if "/" in name:
            found = [each for side in built.sides(name) for each in side.letters]
            assert [each for each in found if each.points < each.least] == [], name


def test_the_cheat_sheet_has_two_pages_and_the_poster_one(pages: Built) -> None:
    assert [len(pages.read(name).pages) for name in ("cheatsheet.pdf", "poster.pdf")] == [2, 1]


def test_every_page_can_be_read_aloud(pages: Built) -> None:
    for name in pages.names():
        root = pages.read(name).trailer["/Root"]

        assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712  # a boolean of pypdf
        assert root["/Lang"].startswith("en")
        assert b"pdfuaid:part>1<" in root["/Metadata"].get_object().get_data()


def test_every_picture_says_what_it_shows(pages: Built) -> None:
    for exercise in ALL:
        tree = pages.read(sheet(exercise)).trailer["/Root"]["/StructTreeRoot"]

        assert any(len(alt) > 40 for alt in alternatives(tree)), exercise.short


def alternatives(node: Any) -> Iterator[str]:
    """The alt texts of a tree of tags."""
    node = node.get_object()
    if isinstance(node, list):
        for each in node:
            yield from alternatives(each)
    elif isinstance(node, dict):
        if "/Alt" in node:
            yield str(node["/Alt"])
        if "/K" in node:
            yield from alternatives(node["/K"])


SLIDES_EACH = 7  # slides of an exercise


@pytest.fixture(scope="module")
def wall(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return handouts(tmp_path_factory.mktemp("wall"), "--slides", *CORE)


def test_slides_are_written_alone_and_have_seven_for_each_exercise(wall: Built) -> None:
    pages = wall.read("slides.pdf").pages
    sizes = {
        (round(float(each.mediabox.width)), round(float(each.mediabox.height))) for each in pages
    }

    assert wall.out == f"{wall.folder / 'slides.pdf'}\n"
    assert [each.name for each in wall.folder.iterdir()] == ["slides.pdf"]
    assert len(pages) == 1 + len(ALL) * SLIDES_EACH
    assert sizes == {(842, 474)}


def test_slides_can_be_read_aloud_and_lead_to_each_exercise(wall: Built) -> None:
    read = wall.read("slides.pdf")
    root = read.trailer["/Root"]
    heads = [" ".join(each.title.split()) for each in read.outline if not isinstance(each, list)]

    assert b"pdfuaid:part>1<" in root["/Metadata"].get_object().get_data()
    assert sum(len(alt) > 40 for alt in alternatives(root["/StructTreeRoot"])) == 3 * len(ALL)
    assert heads == [f"{each.short[2:]} {each.title}" for each in ALL]


def test_no_font_comes_from_this_machine(pages: Built) -> None:
    families = ("Libertinus", "DejaVuSansMono", "NewCM")
    for name in pages.names():
        for page in pages.read(name).pages:
            fonts = page["/Resources"].get("/Font", {}).values()
            names = [str(each.get_object()["/BaseFont"]).split("+")[-1] for each in fonts]

            assert [each for each in names if not each.startswith(families)] == []


@pytest.mark.parametrize("exercise", ALL, ids=SHORTS)
def test_no_solution_leaks_into_a_sheet(pages: Built, exercise: Exercise) -> None:
    told = plain("".join(map(pages.text, pages_of([exercise]))))

    assert [line for line in secrets(exercise) if line in told] == []


@pytest.mark.parametrize("exercise", ALL, ids=SHORTS)
def test_a_sheet_has_its_contract_and_its_numbers(pages: Built, exercise: Exercise) -> None:
    told, said = plain(pages.text(sheet(exercise))), texts(exercise)
    numbers = [value for _, value in (*said.by_hand.steps, *said.paper[1])]

    assert plain(exercise.title) in told
    assert plain(f"pytest exercises/{exercise.filename}") in told
    assert all(plain(each.signature) in told for each in question(exercise).contracts)
    assert [each for each in numbers if plain(each) not in told] == []


@pytest.mark.parametrize("exercise", ALL, ids=SHORTS)
def test_the_page_for_tests_has_contracts_and_symptoms(pages: Built, exercise: Exercise) -> None:
    told = plain(pages.text(proofs(exercise)))
    traps = [bug for bug in bugs(exercise) if bug.level == 1]

    assert traps
    assert all(plain(each.signature) in told for each in question(exercise).contracts)
    assert [bug.slug for bug in traps if plain(bug.symptom.replace("`", "")) not in told] == []


@pytest.mark.parametrize("exercise", ALL[::4], ids=SHORTS[::4])  # to choose them takes long
def test_the_page_of_hunts_has_five_and_their_answers(pages: Built, exercise: Exercise) -> None:
    told, five = plain(pages.text(hunts(exercise))), [*islice(short_hunts(exercise), HUNTS)]

    assert len(five) == HUNTS
    for number, hunt in enumerate(five, start=1):
        titles = (each.bug.title.replace("`", "") for each in hunt.options)
        assert plain(f"{number} {hunt.right}") in told
        assert told.lower().count(plain(hunt.claim.sentence.replace("`", "")).lower()) == 1
        assert all(plain(title)[1:] in told for title in titles)


def test_the_cheat_sheet_has_what_was_computed(pages: Built) -> None:
    told, data = plain(pages.text("cheatsheet.pdf")), cheat_sheet.data()
    shapes = [row[2] for part in ("steps", "parameters", "masks") for row in data["shapes"][part]]

    assert [each for each in shapes if plain(each) not in told] == []
    assert len(data["masks"]) == 5
    for each in data["masks"]:
        assert all(plain(each[key]) in told for key in ("name", "made", "used", "empty"))
    assert len(data["mistakes"]) == 20


def test_the_pictures_of_the_readme_are_up_to_date() -> None:
    """After a change, or with another Typst: `python -m kata.handouts.readme_pictures`."""
    names = ("sheet.png", "poster.png")

    # Names, not bytes: for an hour pytest would look for the difference of two pictures.
    assert [name for name in names if (DOCS / name).read_bytes() != PICTURES[name]()] == []


def holds(answer: Names, given: str, code: str) -> bool:
    """Whether a check holds for these names; one that raises does not."""
    names = with_libraries(dict(answer))
    try:
        exec(given, names)
        return bool(eval(code, names))
    except Exception:  # a wrong answer may do anything
        return False


@pytest.mark.parametrize("exercise", ALL, ids=SHORTS)
def test_every_check_on_a_sheet_finds_a_wrong_answer(exercise: Exercise) -> None:
    told = texts(exercise)
    blind = [code for _, code in told.checks if not any(
        not holds(names, told.setup, code) for names in wrong_answers(exercise))]  # fmt: skip

    assert blind == []


def wrong_answers(exercise: Exercise) -> Iterator[Names]:
    """The names of every wrong answer of the catalogue that can be loaded at all."""
    for bug in bugs(exercise):
        replaced = {exercise.slug: wrong_answer(exercise, bug)}
        target = Target(SOLUTIONS, replaced, trusts=lambda _: True)
        yield vars(target.module(exercise.slug))
