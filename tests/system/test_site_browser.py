"""The whole site in a browser: what is asked for, what can be found, read and reached."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, ViewportSize, expect

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.handouts.site import build
from kata.handouts.site.touch.exhibit import exhibits
from tests.kata.handouts.test_site import Tree, given_away, links

pytest_plugins = ["tests.system.browser"]

WIDE, NARROW = ViewportSize(width=1200, height=900), ViewportSize(width=390, height=844)
SAMPLE = [
    "index.html",
    *(f"exercises/{slug}.html" for slug in exercises()),
    "bugs/ex05_causal_masks/scores-fill-dropped.html",  # with maps and a twin
    "bugs/ex08_heads_in_a_list/list-called-head.html",  # with a long message
    "bugs/ex07_heads/split-view-without-transpose.html",  # without a map
]
LEVELS = "[...document.querySelectorAll('h1, h2, h3, h4')].map(each => each.tagName[1])"
COLOURS = """() => [...document.querySelectorAll("main *, header *, footer *")]
  .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())
                 && one.checkVisibility() && !one.closest(".aside, .map"))
  .map(one => {
    let behind = one;
    while (behind && getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)")
      behind = behind.parentElement;
    return [getComputedStyle(one).color, getComputedStyle(behind).backgroundColor,
            one.textContent.trim().slice(0, 40)];
  })"""
SHADES = """() => [...document.querySelectorAll("main .map:not([aria-hidden]) g")].map(cell => {
  const [paper, ink, text] = cell.children;
  return [getComputedStyle(text).fill, getComputedStyle(paper).fill, getComputedStyle(ink).fill,
          Number(ink.getAttribute("fill-opacity"))];
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of it."""
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


@pytest.fixture
def tab(chromium: BrowserContext, site: Path) -> Iterator[Page]:
    """A tab that may read the files of the site and nothing else, and has nothing to complain."""
    page = chromium.new_page()
    page.set_viewport_size(WIDE)
    trouble: list[str] = []
    inside = (f"{site.resolve().as_uri()}/", "data:,")  # the empty icon

    def asked(request: Request) -> None:
        if not request.url.startswith(inside):
            trouble.append(request.url)

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            trouble.append(message.text)

    page.on("request", asked)
    page.on("requestfailed", lambda request: trouble.append(request.url))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", said)
    yield page
    page.close()
    assert trouble == []


def test_every_page_is_well_formed_and_every_link_leads_somewhere(site: Path) -> None:
    trees = {p.resolve(): Tree(p.read_text(encoding="utf-8")) for p in site.rglob("*.html")}
    wrong = sum(len(bugs(each)) for each in exercises().values())

    assert len(trees) == 1 + len(exercises()) + wrong + 1 + len(exhibits())
    for path, tree in trees.items():
        assert tree.trouble == []
        for target, place in links(site, str(path.relative_to(site.resolve())), tree):
            assert target.is_file(), (path, target)
            assert not place or place in trees[target].all("id")


def test_no_page_shows_a_line_of_a_solution(site: Path) -> None:
    for slug, exercise in exercises().items():
        lines = given_away(exercise)
        assert lines
        for path in [site / f"exercises/{slug}.html", *(site / "bugs" / slug).iterdir()]:
            told = Tree(path.read_text(encoding="utf-8")).text
            assert [line for line in lines if line in told] == [], path


def test_every_wrong_answer_has_its_evidence(site: Path) -> None:
    for path in site.glob("bugs/*/*.html"):
        assert 'class="evidence"' in path.read_text(encoding="utf-8"), path


def test_nothing_is_asked_for_outside_the_site(tab: Page, site: Path) -> None:
    for name in SAMPLE:
        visit(tab, site / name)


def test_search_finds_by_title_symptom_and_exercise(tab: Page, site: Path) -> None:
    visit(tab, site / "index.html")
    found, shown = tab.locator("#found"), tab.locator("details.list li:visible")

    tab.get_by_label("Words of a title").fill("masked_fill DROPPED ex05")
    expect(found).to_have_text(re.compile(r"^\d+ found$"))
    expect(shown.first).to_contain_text("masked_fill")
    assert shown.count() == int((found.text_content() or "").split()[0]) < 10

    tab.get_by_label("Words of a title").fill("nothing has these words")
    expect(found).to_have_text("0 found")
    assert shown.count() == 0

    tab.get_by_label("Words of a title").fill("")
    expect(found).to_have_text("")
    assert tab.locator("details.list:visible").count() == len(exercises())


def test_a_found_wrong_answer_can_be_opened_by_keyboard(tab: Page, site: Path) -> None:
    visit(tab, site / "index.html")

    tab.get_by_label("Words of a title").fill("masked_fill dropped ex05")
    tab.keyboard.press("Tab")  # the room
    tab.keyboard.press("Tab")  # the first wrong answer
    tab.keyboard.press("Enter")

    tab.wait_for_url("**/bugs/ex05_causal_masks/*.html")


def test_without_scripts_the_list_is_a_list(tab: Page, site: Path) -> None:
    session = tab.context.new_cdp_session(tab)
    session.send("Emulation.setScriptExecutionDisabled", {"value": True})
    visit(tab, site / "index.html")

    expect(tab.locator("#search")).to_be_hidden()
    tab.locator("details.list summary").first.click()
    expect(tab.locator("details.list").first.locator("li").first).to_be_visible()


def test_the_first_tab_skips_to_the_content(tab: Page, site: Path) -> None:
    visit(tab, site / SAMPLE[1])

    tab.keyboard.press("Tab")
    expect(tab.locator(".skip")).to_be_focused()
    expect(tab.locator(".skip")).to_be_in_viewport()


def test_hints_are_shown_one_by_one(tab: Page, site: Path) -> None:
    visit(tab, site / SAMPLE[-1])
    hints = tab.locator(".hint p")

    assert [each.is_visible() for each in hints.all()] == [False, False, False]
    tab.locator(".hint summary").first.click()
    assert [each.is_visible() for each in hints.all()] == [True, False, False]


@pytest.mark.parametrize("name", SAMPLE)
def test_nothing_is_wider_than_a_telephone(tab: Page, site: Path, name: str) -> None:
    tab.set_viewport_size(NARROW)
    visit(tab, site / name)
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")

    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


@pytest.mark.parametrize("name", SAMPLE)
def test_a_screen_reader_meets_headings_in_order_and_a_text_for_each_picture(
    tab: Page, site: Path, name: str
) -> None:
    visit(tab, site / name)
    levels = [int(each) for each in tab.evaluate(LEVELS)]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tab.locator("img:not([alt]), img[alt='']").count() == 0
    assert tab.locator("svg:not([aria-label]):not([aria-hidden])").count() == 0
    assert tab.evaluate("[...document.images].every(each => each.naturalWidth > 0)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [SAMPLE[0], "exercises/ex05_causal_masks.html", *SAMPLE[-3:]])
def test_every_text_can_be_told_from_its_ground(
    tab: Page, site: Path, name: str, scheme: str
) -> None:
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    visit(tab, site / name)
    seen = {json.dumps(each[:2]): each for each in tab.evaluate(COLOURS)}

    assert len(seen) > 2
    assert [each for each in seen.values() if contrast(rgb(each[0]), rgb(each[1])) < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_number_can_be_told_from_its_cell(tab: Page, site: Path, scheme: str) -> None:
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    visit(tab, site / SAMPLE[-3])
    cells = tab.evaluate(SHADES)

    assert max(share for *_, share in cells) == 0.6
    for text, paper, ink, share in cells:
        ground = [share * a + (1 - share) * b for a, b in zip(rgb(ink), rgb(paper), strict=True)]
        assert contrast(rgb(text), ground) >= 4.5


def test_a_page_prints_without_its_menus(tab: Page, site: Path) -> None:
    visit(tab, site / SAMPLE[-3])
    tab.emulate_media(media="print", color_scheme="dark")

    expect(tab.locator("header")).to_be_hidden()
    expect(tab.locator(".message")).to_be_visible()
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(29, 36, 51)"


def visit(tab: Page, path: Path) -> None:
    tab.goto(path.resolve().as_uri())


def is_page(path: Path) -> bool:
    return path.suffix == ".html"


def rgb(text: str) -> list[float]:
    """The three parts of rgb(29, 36, 51)."""
    return [float(each) for each in re.findall(r"[\d.]+", text)[:3]]


def contrast(one: list[float], other: list[float]) -> float:
    """The ratio of WCAG 2."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: list[float]) -> float:
    parts = [each / 255 for each in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
