"""The pages for students in a browser: nothing is asked for, nothing runs, and all of it fits."""

import io
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from kata.grading.reports.formats import stem, write_only
from tests.helpers.browser import NARROW, Scheme, barriers, faint
from tests.helpers.odd_class import NAMES, names, odd_class
from tests.helpers.sampling import sample

pytest_plugins = ["tests.helpers.browser"]

COUNT = len(NAMES) + 10
MOST_SHEETS = 8  # of paper, for somebody who has something wrong in every second exercise
NARROWEST = {"width": 320, "height": 600}
SCHEMES: list[tuple[Scheme, str]] = [("light", "rgb(246, 247, 250)"), ("dark", "rgb(18, 22, 31)")]
HEADS_AND_SCRIPTS = """["h1", "script, [onerror], [src]"]
    .map(each => document.querySelectorAll(each).length)"""
OVERFLOWING = """() => [...document.querySelectorAll('main *')]
    .filter(each => each.getBoundingClientRect().right > innerWidth + 0.5 ||
        (each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
            && !['INLINE', 'inline'].includes(getComputedStyle(each).display)
            && each instanceof HTMLElement))
    .map(each => each.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("grades")
    write_only(odd_class(COUNT), folder, ["feedback"])
    return [folder / "feedback" / f"{stem(name)}.html" for name in names(COUNT)]


@pytest.fixture(scope="module")
def long(pages: list[Path]) -> Path:
    """The page with the most to read."""
    return max(pages, key=lambda path: path.stat().st_size)


@pytest.fixture(scope="module")
def some(pages: list[Path], long: Path) -> list[Path]:
    return sample(pages, [long])


def test_every_page_opens_without_a_request_or_an_error_and_fits_a_telephone(
    page: Page, pages: list[Path], some: list[Path]
) -> None:
    for path in pages:
        page.goto(path.as_uri())
        assert page.evaluate(HEADS_AND_SCRIPTS) == [1, 0], path
        for size in (NARROW, NARROWEST) if path in some else ():
            page.set_viewport_size(size)
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], path
            assert page.evaluate(OVERFLOWING) == [], path


def test_the_longest_page_has_no_barriers(page: Page, long: Path) -> None:
    page.goto(long.as_uri())

    assert barriers(page) == []


def test_texts_can_be_read_in_both_schemes(page: Page, long: Path) -> None:
    page.goto(long.as_uri())
    for scheme, paper in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == paper
        assert faint(page, "svg, .mark, i") == set()


def test_the_keyboard_leads_to_the_next_step(page: Page, long: Path) -> None:
    page.goto(long.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "A"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")

    place = page.evaluate("document.querySelector(':target').getBoundingClientRect().top")
    assert abs(place) < 50


def test_maps_have_names_and_places(page: Page, long: Path) -> None:
    page.goto(long.as_uri())
    maps = page.get_by_role("img")

    assert maps.count() > 0
    assert maps.count() == page.locator("svg").count()
    for at in range(maps.count()):
        assert ", row by row: " in (maps.nth(at).get_attribute("aria-label") or "")
        box = maps.nth(at).bounding_box()
        assert box is not None
        assert box["width"] > 80
        assert box["height"] > 60  # two rows and their indices


def test_paper_is_white_and_nothing_is_cut_off(page: Page, long: Path) -> None:
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 900})  # what A4 leaves between its margins
    page.goto(long.as_uri())

    assert page.evaluate(OVERFLOWING) == []
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(colour) == "rgb(255, 255, 255)"


def test_the_longest_page_prints_on_a_few_sheets(page: Page, long: Path) -> None:
    page.goto(long.as_uri())

    sheets = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages

    assert len(sheets) <= MOST_SHEETS
    assert all(each.extract_text().strip() for each in sheets)


def test_without_its_policy_a_page_would_still_run_nothing(
    page: Page, pages: list[Path], long: Path, tmp_path: Path
) -> None:
    for path in sample(pages, [long], one_in=9):
        text = path.read_text(encoding="utf-8")
        bare = tmp_path / path.name
        bare.write_text(text.replace("Content-Security-Policy", "no-policy"), encoding="utf-8")
        page.goto(bare.as_uri())
        assert page.evaluate(HEADS_AND_SCRIPTS) == [1, 0], path
