"""The class report in a real browser."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from kata.course.curriculum import exercises
from kata.grading.reports.class_page.page import LARGE, ROWS, render
from kata.verdict import ClassVerdict
from tests.helpers.browser import NARROW, barriers, visit, without_scripts
from tests.helpers.odd_class import odd_class
from tests.helpers.sampling import sample

pytest_plugins = ["tests.helpers.browser"]

COUNT = 60
SLUGS = sample([*exercises()])
MOST_ELEMENTS = 3_200 * len(SLUGS)  # of a page, whatever the size of the class
ENOUGH = 4.5  # the contrast that WCAG asks for
HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>')
Opened = Callable[..., Page]

# The contrast of every piece of text with what lies behind it.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = parts(getComputedStyle(each).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    if (["SCRIPT", "TITLE", "OPTION", "rect"].includes(element.tagName)) continue;
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility() || element.closest(".unseen, .share")) continue;
    if (element.matches(":disabled")) continue;
    const style = getComputedStyle(element);
    const text = parts(element.closest("svg") ? style.fill : style.color);
    const [low, high] = [light(text.slice(0, 3)), light(behind(element).slice(0, 3))].sort(
      (a, b) => a - b);
    const label = `${element.tagName}.${element.getAttribute("class")}`;
    found.push([(high + 0.05) / (low + 0.05), label]);
  }
  return found;
}"""


def hostile_class(count: int) -> ClassVerdict:
    """The odd class, whose first two are called after an attack."""
    found = odd_class(count, SLUGS)

    def submissions():
        for place, each in enumerate(found.submissions()):
            yield replace(each, student=HOSTILE[place]) if place < len(HOSTILE) else each

    return replace(found, submissions=submissions)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory, hostile_class(COUNT))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory, hostile_class(LARGE + 10))


def written(factory: pytest.TempPathFactory, found: ClassVerdict) -> Path:
    path = factory.mktemp("report") / "report.html"
    path.write_text(render(found), encoding="utf-8")
    return path


def names(page: Page) -> list[str]:
    return page.locator(".student .fold").all_text_contents()


def column(page: Page, place: int) -> list[str]:
    return page.locator(f".student tr:first-child > :nth-child({place})").all_inner_texts()


def test_it_opens_without_a_request_or_an_error(page: Page, report: Path) -> None:
    visit(page, report)

    assert page.title().startswith("The class")
    assert len(names(page)) == COUNT


def test_it_has_no_barriers(page: Page, report: Path) -> None:
    visit(page, report)
    page.get_by_role("button", name="Unfold all").click()

    assert barriers(page, contrast=False) == []  # its contrast has a test of its own


def test_a_hostile_name_is_shown_and_runs_nothing(page: Page, report: Path) -> None:
    visit(page, report)
    page.get_by_role("button", name="Unfold all").click()

    assert set(HOSTILE) <= set(names(page))
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3


def test_a_click_sorts_and_another_one_turns_it_round(page: Page, report: Path) -> None:
    visit(page, report)
    score = page.get_by_role("button", name="score", exact=True)

    score.click()
    up = [float(each) for each in column(page, 2) if each != "–"]
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("score")
    assert up == sorted(up)
    assert len(set(up)) > 3

    score.click()
    down = [float(each) for each in column(page, 2) if each != "–"]
    assert page.locator("th[aria-sort=descending]").count() == 1
    assert down == sorted(down, reverse=True)


def test_every_column_sorts(page: Page, report: Path) -> None:
    visit(page, report)
    orders = set()
    for button in page.locator("thead .sort").all()[:23]:
        button.click()
        orders.add(tuple(names(page)))

    assert len(orders) > 10
    assert {len(each) for each in orders} == {COUNT}


def test_a_search_finds_names_and_says_how_many(page: Page, report: Path) -> None:
    visit(page, report)

    page.get_by_label("Find").fill("STUDENT 004")

    assert names(page) == [each for each in names(page) if each.startswith("Student 004")]
    assert len(names(page)) > 3
    shown = page.locator("#shown")
    assert shown.get_attribute("aria-live") == "polite"
    assert shown.inner_text() == f"{len(names(page))} of {COUNT} students"


def test_a_filter_shows_a_state(page: Page, report: Path) -> None:
    visit(page, report)

    page.get_by_label("Show").select_option("tampered")

    states = column(page, 3)
    assert 0 < len(states) < COUNT
    assert all("tampered" in each for each in states)


def test_a_row_unfolds_to_what_failed(page: Page, report: Path) -> None:
    visit(page, report)
    page.get_by_label("Show").select_option("mistakes")
    fold = page.locator(".fold").first
    more = page.locator(f"#{fold.get_attribute('aria-controls')}")

    assert not more.is_visible()
    fold.click()

    assert more.is_visible()
    assert fold.get_attribute("aria-expanded") == "true"
    assert "2 of 4 values differ" in more.inner_text()
    assert "Known mistake:" in more.inner_text()


def test_the_button_that_unfolds_all_folds_all_again(page: Page, report: Path) -> None:
    visit(page, report)
    assert page.locator(".more:visible").count() == 0

    page.get_by_role("button", name="Unfold all").click()
    assert page.locator(".more:visible").count() == COUNT

    page.get_by_role("button", name="Fold all", exact=True).click()
    assert page.locator(".more:visible").count() == 0
    assert page.get_by_role("button", name="Unfold all").count() == 1


def test_the_keyboard_alone_reaches_and_uses_everything(page: Page, report: Path) -> None:
    visit(page, report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"

    page.keyboard.press("Enter")
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.className")
        )
        if reached[-1] == "sort":
            break
    page.keyboard.press("Enter")
    assert {"find", "kind", "unfold"} <= set(reached)
    assert page.locator("th[aria-sort=ascending]").count() == 1
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_large_class_turns_pages(page: Page, large: Path) -> None:
    visit(page, large)
    first = names(page)
    page.get_by_role("button", name="Next", exact=True).click()
    second = names(page)

    assert len(first) == len(second) == ROWS
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS
    assert not set(first) & set(second)
    assert page.get_by_role("button", name="Previous").is_enabled()
    assert f"{ROWS + 1} to {2 * ROWS} of {LARGE + 10}" in page.locator("#place").inner_text()


def everybody(page: Page) -> list[str]:
    found = names(page)
    while page.locator("#after").is_enabled():
        page.locator("#after").click()
        found += names(page)
    return found


def test_each_of_a_large_class_is_on_one_page_and_a_hostile_name_runs_nothing(
    page: Page, large: Path
) -> None:
    visit(page, large)

    found = everybody(page)

    assert len(found) == LARGE + 10
    assert set(HOSTILE) <= set(found)
    assert page.locator("img").count() == 0


def test_without_scripts_everything_is_there(page: Page, report: Path) -> None:
    without_scripts(page)
    visit(page, report)

    assert len(names(page)) == COUNT
    assert page.locator(".more").last.is_visible()
    assert not page.locator("#controls").is_visible()


def printed(page: Page) -> list[str]:
    """The text of each page on paper."""
    pages = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages
    return [" ".join(each.extract_text().split()) for each in pages]


def test_a_print_has_the_map_and_the_mistakes_and_no_folded_row(page: Page, report: Path) -> None:
    visit(page, report)
    shown = [each for each in names(page) if each.startswith("Student")]

    text = " ".join(printed(page))

    assert len(shown) > 10
    assert [each for each in shown if each not in text] == []  # they are in the map
    assert "What to repeat" in text
    assert "2 of 4 values differ" not in text
    assert "Unfold all" not in text


def test_a_print_has_what_is_unfolded(page: Page, report: Path) -> None:
    visit(page, report)
    page.get_by_label("Show").select_option("mistakes")
    page.locator(".fold").first.click()

    assert "2 of 4 values differ" in " ".join(printed(page))


def test_a_class_of_26_prints_on_four_pages(
    page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    slugs = [slug for slug, each in exercises().items() if each.group == "encoder"]
    visit(page, written(tmp_path_factory, odd_class(26, slugs)))

    pages = printed(page)
    flags = next(at for at, text in enumerate(pages) if "To look at" in text)  # 35 of them

    assert flags <= 4
    assert len(pages) <= 5
    assert any("Mistakes" in text for text in pages[:flags])


def test_a_short_word_of_a_name_is_not_broken(page: Page, report: Path) -> None:
    page.set_viewport_size({"width": 400, "height": 900})
    visit(page, report)
    broken = page.evaluate("""() => [...document.querySelectorAll(".fold bdi")].flatMap((each) => {
      const node = each.firstChild;
      return [...node.data.matchAll(/\\b[A-Za-z]{2,9}\\b/g)].filter((word) => {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        return !node.data.includes("<") && range.getClientRects().length > 1;
      }).map((word) => word[0]);
    })""")

    assert len(names(page)) == COUNT
    assert broken == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(page: Page, report: Path, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two words
    visit(page, report)
    page.get_by_label("Show").select_option("tampered")
    page.get_by_role("button", name="Unfold all").click()

    contrasts = page.evaluate(CONTRASTS)

    assert len(contrasts) > 500
    assert {label for contrast, label in contrasts if contrast < ENOUGH} == set()


def test_the_dark_page_is_dark(page: Page, report: Path) -> None:
    page.emulate_media(color_scheme="dark")
    visit(page, report)

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 31)"


def test_a_narrow_page_does_not_scroll_sideways(page: Page, report: Path) -> None:
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]  # a width and a height
    visit(page, report)
    page.locator(".fold").nth(3).click()

    wide = page.evaluate("document.documentElement.scrollWidth")

    assert wide <= NARROW["width"]


def test_no_label_of_the_map_is_clipped(page: Page, report: Path) -> None:
    visit(page, report)
    inside = page.evaluate("""() => {
      const map = document.querySelector(".map").getBoundingClientRect();
      return [...document.querySelectorAll(".map text")].map((each) => {
        const box = each.getBoundingClientRect();
        return box.top >= map.top && box.right <= map.right && box.left >= map.left;
      });
    }""")

    assert len(inside) > 18
    assert all(inside)
