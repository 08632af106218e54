"""The class report in a real browser."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page
from pypdf import PdfReader

from kata.class_verdict import ClassVerdict
from kata.course.curriculum import exercises
from kata.grading.reports.class_page import LARGE, ROWS
from tests.helpers.browser import NARROW, barriers, faint, visit, without_scripts
from tests.helpers.odd_class import odd_class
from tests.helpers.page_reader import render
from tests.helpers.sampling import everything, sample

pytest_plugins = ["tests.helpers.browser"]

COUNT = 50
DIFFERENT = 10  # columns of exercises: the states of the odd class repeat after so many
SLUGS = sample([*exercises()], one_in=7)
MOST_ELEMENTS = 6_000 + 2_600 * len(SLUGS)  # of a page, whatever the size of the class
HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>')
SKIPPED = ".unseen, .share, :disabled"
MANY = 200  # texts


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


def test_it_has_no_barriers(page: Page, tmp_path_factory: pytest.TempPathFactory) -> None:
    visit(page, written(tmp_path_factory, hostile_class(COUNT if everything() else COUNT // 4)))

    page.get_by_role("button", name="Unfold all").click()
    assert barriers(page, contrast=False) == []  # its contrast has a test of its own


def test_all_rows_unfold_and_fold_again_and_a_hostile_name_runs_nothing(
    page: Page, report: Path
) -> None:
    visit(page, report)
    assert page.locator(".more:visible").count() == 0

    page.get_by_role("button", name="Unfold all").click()
    assert page.locator(".more:visible").count() == COUNT
    assert set(HOSTILE) <= set(names(page))
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3

    page.get_by_role("button", name="Fold all", exact=True).click()
    assert page.locator(".more:visible").count() == 0
    assert page.get_by_role("button", name="Unfold all").count() == 1


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
    orders, buttons = set(), page.locator("thead .sort").all()
    for button in buttons:
        button.click()
        orders.add(tuple(names(page)))

    assert len(buttons) > len(SLUGS)
    assert len(orders) == len(buttons) - len(SLUGS) + min(len(SLUGS), DIFFERENT)
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


def mistaken(page: Page) -> tuple[Locator, Locator]:
    """What unfolds a student with a mistake that is known, and what it unfolds."""
    more = page.locator(".more", has_text="Known mistake:").first
    return page.locator(f"[aria-controls={more.get_attribute('id')}]"), more


def test_a_row_unfolds_to_what_failed(page: Page, report: Path) -> None:
    visit(page, report)
    page.get_by_label("Show").select_option("mistakes")
    fold, more = mistaken(page)

    assert not more.is_visible()
    fold.click()

    assert more.is_visible()
    assert fold.get_attribute("aria-expanded") == "true"
    assert "2 of 4 values differ" in more.inner_text()
    assert "Known mistake:" in more.inner_text()


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


def test_each_of_a_large_class_is_on_one_page_and_a_hostile_name_runs_nothing(
    page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    visit(page, written(tmp_path_factory, hostile_class(LARGE + 10)))
    found, turned = names(page), 0
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS
    while page.locator("#after").is_enabled():
        assert len(found) == ROWS * (turned + 1)
        page.get_by_role("button", name="Next", exact=True).click()
        found, turned = found + names(page), turned + 1
        assert page.get_by_role("button", name="Previous").is_enabled()
        first, last = ROWS * turned + 1, min(ROWS * (turned + 1), LARGE + 10)
        assert page.locator("#place").inner_text().startswith(f"{first} to {last} of {LARGE + 10}")

    assert len(found) == len(set(found)) == LARGE + 10
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


def test_a_print_has_the_map_and_the_mistakes_and_what_is_unfolded(
    page: Page, report: Path
) -> None:
    visit(page, report)
    shown = [each for each in names(page) if each.startswith("Student")]

    text = " ".join(printed(page))

    assert len(shown) > 10
    assert [each for each in shown if each not in text] == []  # they are in the map
    assert "What to repeat" in text
    assert "2 of 4 values differ" not in text
    assert "Unfold all" not in text

    page.get_by_label("Show").select_option("mistakes")
    mistaken(page)[0].click()
    assert "2 of 4 values differ" in " ".join(printed(page))


def test_a_class_of_26_prints_on_five_pages(
    page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    slugs = [slug for slug, each in exercises().items() if each.group == "encoder"]
    visit(page, written(tmp_path_factory, odd_class(26, slugs)))

    pages = printed(page)
    flags = next(at for at, text in enumerate(pages) if "To look at" in text)  # 35 of them

    assert flags <= 5
    assert len(pages) <= 6
    assert any("Mistakes" in text for text in pages[:flags])


def test_a_narrow_page_does_not_scroll_sideways_and_breaks_no_short_word_of_a_name(
    page: Page, report: Path
) -> None:
    page.set_viewport_size(NARROW)
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
    page.locator(".fold").nth(3).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_text_stands_out_in_both_schemes(page: Page, report: Path) -> None:
    visit(page, report)
    page.get_by_label("Show").select_option("tampered")
    page.get_by_role("button", name="Unfold all").click()

    assert faint(page, SKIPPED, MANY) == set()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 31)"
    assert faint(page, SKIPPED, MANY) == set()


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
