"""docs/watch.svg in a browser: it tells its story, and stands still if it is asked to."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from kata.handouts.readme_pictures import ACROSS, BOARD, DOCS, EDGE

pytest_plugins = ["tests.helpers.browser"]

SHOWN = """() => [...document.querySelectorAll('svg > g')]
    .filter(group => getComputedStyle(group).opacity === '1')
    .map(group => group.textContent).join('\\n').replaceAll('\\u00a0', ' ')"""
SEEK = """seconds => document.getAnimations().forEach(each => {
    each.pause(); each.currentTime = 1000 * seconds })"""
FONT = "font => document.querySelector('style').append(`text{font-family:${font}!important}`)"
EDGES = """() => {
    const boxes = [...document.querySelectorAll('text')].map(text => text.getBBox())
    return [Math.min(...boxes.map(box => box.x)), Math.max(...boxes.map(box => box.x + box.width))]
}"""


@pytest.fixture
def picture(page: Page) -> Iterator[Page]:
    """The file itself, whose animations can be asked."""
    page.goto((DOCS / "watch.svg").as_uri())
    yield page
    page.emulate_media(reduced_motion="no-preference")


def shown(page: Page, seconds: float) -> str:
    page.evaluate(SEEK, seconds)
    return str(page.evaluate(SHOWN))


def test_it_tells_its_story_and_begins_again(picture: Page) -> None:
    length = picture.evaluate("document.getAnimations()[0].effect.getTiming().duration") / 1000
    begin, typing = shown(picture, BOARD / 2), shown(picture, BOARD + 0.1)
    named, end = shown(picture, length / 2), shown(picture, length - 0.1)

    assert "mask_scores` is not written yet" in begin
    assert "not saved" not in begin
    assert "not saved" in typing
    assert "the result of masked_fill is dropped" in named
    assert "is not written yet" not in named
    assert "73 of 73 claims hold" in end
    assert "masked_fill is dropped" not in end
    assert shown(picture, length + BOARD / 2) == begin


def test_it_stands_still_for_whoever_asks_for_it(picture: Page) -> None:
    picture.emulate_media(reduced_motion="reduce")
    still = picture.evaluate(SHOWN)

    assert picture.evaluate("document.getAnimations().length") == 0
    assert "the result of masked_fill is dropped" in still
    assert "hint 1 of" in still
    assert "is not written yet" not in still


@pytest.mark.parametrize("font", ["DejaVu Sans Mono", "DejaVu Sans", "serif"])
def test_every_text_is_inside_whatever_the_font(picture: Page, font: str) -> None:
    picture.evaluate(FONT, font)
    first, last = picture.evaluate(EDGES)

    assert first >= EDGE - 1
    assert last <= ACROSS - EDGE + 1
