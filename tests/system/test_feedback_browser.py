"""The pages for students in a browser: nothing is asked for, nothing runs, and all of it fits."""

import io
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from kata.grading.reports import feedback
from kata.grading.reports.filenames import stem
from tests.helpers.browser import barriers
from tests.helpers.odd_class import NAMES, names, odd_class
from tests.helpers.sampling import sample

pytest_plugins = ["tests.helpers.browser"]

COUNT = len(NAMES) + 10
MOST_SHEETS = 8  # of paper, for somebody who has something wrong in every second exercise
NARROW = {"width": 390, "height": 844}
NARROWEST = {"width": 320, "height": 600}
DARK, PAPER = "rgb(18, 22, 31)", "rgb(246, 247, 250)"
OVERFLOWING = """() => [...document.querySelectorAll('main *')]
    .filter(each => each.getBoundingClientRect().right > innerWidth + 0.5 ||
        (each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
            && !['INLINE', 'inline'].includes(getComputedStyle(each).display)
            && each instanceof HTMLElement))
    .map(each => each.outerHTML.slice(0, 80))"""
CONTRASTS = """() => {
    const light = text => {
        const parts = text.match(/[\\d.]+/g).slice(0, 3).map(each => each / 255)
            .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const behind = node => {
        for (; node; node = node.parentElement) {
            const colour = getComputedStyle(node).backgroundColor;
            if (!colour.startsWith('rgba(0, 0, 0, 0')) return colour;
        }
    };
    const found = {};
    for (const each of document.querySelectorAll('main *')) {
        if (each.closest('svg, .mark') || !each.innerText || each.tagName === 'I') continue;
        const [a, b] = [light(getComputedStyle(each).color), light(behind(each))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found[each.className || each.tagName] = ratio;
    }
    return found;
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("grades")
    feedback.write(odd_class(COUNT), folder)
    return [folder / "feedback" / f"{stem(name)}.html" for name in names(COUNT)]


@pytest.fixture(scope="module")
def long(pages: list[Path]) -> Path:
    """The page with the most to read."""
    return max(pages, key=lambda path: path.stat().st_size)


@pytest.fixture(scope="module")
def some(pages: list[Path], long: Path) -> list[Path]:
    return sample(pages, [long])


def test_every_page_opens_without_a_request_or_an_error(page: Page, pages: list[Path]) -> None:
    for path in pages:
        page.goto(path.as_uri())
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.scripts.length") == 0


def test_the_longest_page_has_no_barriers(page: Page, long: Path) -> None:
    page.goto(long.as_uri())

    assert barriers(page) == []


@pytest.mark.parametrize("size", [NARROW, NARROWEST], ids=["390", "320"])
def test_nothing_is_wider_than_a_telephone(page: Page, some: list[Path], size) -> None:
    page.set_viewport_size(size)
    for path in some:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert page.evaluate(OVERFLOWING) == []


@pytest.mark.parametrize(("scheme", "paper"), [("light", PAPER), ("dark", DARK)])
def test_texts_can_be_read_in_both_schemes(page: Page, long: Path, scheme, paper: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(long.as_uri())

    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == paper
    assert page.evaluate(CONTRASTS) == {}


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
    page: Page, some: list[Path], tmp_path: Path
) -> None:
    for at, path in enumerate(some):
        text = path.read_text(encoding="utf-8")
        bare = tmp_path / f"{at}.html"
        bare.write_text(text.replace("Content-Security-Policy", "no-policy"), encoding="utf-8")
        page.goto(bare.as_uri())
        assert page.evaluate("document.querySelectorAll('script, [onerror], [src]').length") == 0
