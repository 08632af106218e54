"""The exhibits in a browser: driven by mouse and by keyboard, and their numbers against torch's."""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from kata.course.curriculum import exercises
from kata.handouts.site.address import Address
from kata.handouts.site.exhibits import embedded, files
from kata.handouts.site.exhibits.exhibit import Exhibit, exhibits
from kata.handouts.site.exhibits.states import measured_facts, result, summary, view
from kata.handouts.site.pages import Site, _templates, stylesheet
from tests.helpers.browser import LEVELS, NARROW, Scheme, barriers, faint, inside, without_scripts
from tests.helpers.sampling import everything, sample
from tests.kata.handouts.test_site import some
from tests.system.test_site_browser import WIDE

pytest_plugins = ["tests.helpers.browser"]

ALL = list(exhibits().values())
NAMES = [each.name for each in ALL]
SOME = sample(ALL)
READ = ["index", *(exhibit.name for exhibit in SOME)]
SCHEMES: list[Scheme] = ["light", "dark"]
LOOKS = {True: "holds", False: "fails", None: "measured"}
# All states, one after the other, and what the page shows in each.
STATES = """(states) => {
  const form = document.querySelector(".exhibit form");
  const values = (group) => [...document.querySelectorAll(`[data-group="${group}"] .cell`)]
    .map((cell) => cell.dataset.value);
  return states.map((state) => {
    for (const [name, value] of Object.entries(state)) form.elements[name].value = value;
    form.dispatchEvent(new Event("input"));
    const facts = [...document.querySelectorAll("[data-fact]:not([hidden])")];
    return {
      got: values("got"),
      right: values("right"),
      summary: document.querySelector(".summary").textContent,
      facts: facts.map(({ dataset, className }) =>
        [dataset.fact, className, JSON.parse(dataset.numbers)]),
    };
  });
}"""
SLIDES = (("Home", 0), ("ArrowRight", 1), ("End", -1))  # what a key does to a slider
TALL = ViewportSize(width=1200, height=1600)
PLACES = """() => [...document.querySelectorAll(".line")].map((each) => {
  const { left, top, height } = each.getBoundingClientRect();
  return [left + 40, top + height / 2];
})"""
TOLD = """() => [...document.querySelectorAll(".told")].filter((each) => each.checkVisibility())
  .map((each) => each.querySelector("b").textContent)"""
UNNAMED = """() => [...document.querySelectorAll("input, table, [role=group], nav")].filter(
  (one) => one.checkVisibility() && !one.closest("[aria-hidden]"))
  .filter((one) => !(one.labels?.length || one.ariaLabel || one.caption))
  .map((one) => one.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exhibits, and a page into which one is put."""
    folder = tmp_path_factory.mktemp("site")
    rooms = [some(exercises()["ex05_causal_masks"], "scores-fill-dropped")]
    style = stylesheet()
    page = f"<!DOCTYPE html><html><body>{embedded('masks', rooms, _templates())}</body></html>"
    for name, text in [
        *files(Site(tuple(rooms), Address()), _templates()),
        ("style.css", style),
        ("page.html", page),
    ]:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def opened(chromium: BrowserContext, site: Path) -> Iterator[tuple[Page, list[str]]]:
    with inside(chromium, site) as tab:
        yield tab


@pytest.fixture
def tab(opened: tuple[Page, list[str]]) -> Iterator[Page]:
    """The same tab for all tests, which is quicker; it has nothing to complain."""
    page, trouble = opened
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    yield page
    assert trouble == []
    trouble.clear()


def visit(tab: Page, site: Path, name: str, state: str = "") -> None:
    """Open an exhibit afresh: an address that differs in its state alone is not loaded again."""
    tab.goto("about:blank")
    tab.goto((site / f"exhibits/{name}.html").resolve().as_uri() + (f"#{state}" if state else ""))


def states(exhibit: Exhibit) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line, with each value of each knob or, at a push, every third, in turn."""
    for at, line in enumerate(exhibit.lines):
        yield line.key, exhibit.start
        turns = [(knob.key, value) for knob in exhibit.knobs for value in knob.values]
        for turn, (key, value) in enumerate(turns, start=at):
            if everything() or turn % 3 == 0:
                yield line.key, {**exhibit.start, key: value}


def in_the_form(exhibit: Exhibit, line: str, knobs: dict[str, Any]) -> dict[str, Any]:
    """A state as the values of the inputs: of a slider, the place."""
    places = {each.key: each.values.index(knobs[each.key]) if each.slides else knobs[each.key]
              for each in exhibit.knobs}  # fmt: skip
    return {"line": line, **places}


def same(page: list[str], torch: list[float]) -> bool:
    """Equal to a millionth; NaN is equal to NaN."""
    return len(page) == len(torch) and all(
        math.isclose(float(a), b, rel_tol=1e-6, abs_tol=1e-6) or (a == "NaN" and math.isnan(b))
        for a, b in zip(page, torch, strict=True)
    )


def numbers(tab: Page, group: str) -> list[str]:
    """The numbers of a map, in full."""
    cells = f"document.querySelectorAll('[data-group={group}] .cell')"
    return list(tab.evaluate(f"[...{cells}].map((each) => each.dataset.value)"))


def expected(exhibit: Exhibit, line: str, knobs: dict[str, Any]) -> list[float]:
    """What torch gives; nothing if the line raises an error."""
    got = result(exhibit, line, knobs).got
    return [] if got is None else got.flatten().tolist()


@pytest.mark.parametrize("exhibit", ALL, ids=NAMES)
def test_every_state_has_the_numbers_claims_and_sentence_of_torch(
    tab: Page, site: Path, exhibit: Exhibit
) -> None:
    visit(tab, site, exhibit.name)
    wanted = list(states(exhibit))
    lines = {line.key: line for line in exhibit.lines}
    given = tab.evaluate(STATES, [in_the_form(exhibit, *state) for state in wanted])

    for (line, knobs), page in zip(wanted, given, strict=True):
        found = result(exhibit, line, knobs)
        facts = measured_facts(exhibit, found)
        got = [] if found.got is None else found.got.flatten().tolist()
        assert same(page["right"], found.right.flatten().tolist()), (line, knobs)
        assert same(page["got"], got), (line, knobs)
        assert page["summary"] == summary(lines[line], facts)
        assert len(page["facts"]) == len(facts)
        for (key, look, values), each in zip(page["facts"], facts, strict=True):
            assert key == each.fact.key
            assert look == LOOKS[each.measure.holds], (line, knobs, key)
            assert same_facts(values, each.measure.numbers), (line, knobs, key)


def same_facts(page: Mapping[str, Any], torch: Mapping[str, Any]) -> bool:
    """The same numbers, and the same texts."""
    texts = {key for key, value in torch.items() if isinstance(value, str)}
    rest = [key for key in torch if key not in texts]
    return (
        {*page} == {*torch}
        and all(page[key] == torch[key] for key in texts)
        and same([page[key] for key in rest], [float(torch[key]) for key in rest])
    )


@pytest.mark.parametrize("exhibit", SOME, ids=lambda exhibit: exhibit.name)
def test_an_exhibit_works_by_mouse_and_by_keyboard_alone(
    tab: Page, site: Path, exhibit: Exhibit
) -> None:
    tab.set_viewport_size(TALL)
    visit(tab, site, exhibit.name)

    for line, (x, y) in [*zip(exhibit.lines, tab.evaluate(PLACES), strict=True)][::-1]:
        tab.mouse.click(x, y)
        assert same(numbers(tab, "got"), expected(exhibit, line.key, exhibit.start))
        assert tab.evaluate(TOLD) == [f"{line.label}."]
        assert f"#line={line.key}&" in tab.url

    tab.locator("header button").focus()
    tab.keyboard.press("Tab")  # the lines
    tab.keyboard.press("ArrowDown")
    knobs = dict(exhibit.start)
    assert same(numbers(tab, "got"), expected(exhibit, exhibit.lines[1].key, knobs))
    for knob in exhibit.knobs:
        tab.keyboard.press("Tab")
        for key, at in SLIDES if knob.slides else (("ArrowRight", 1),):
            tab.keyboard.press(key)
            knobs[knob.key] = knob.values[at]
            got = expected(exhibit, exhibit.lines[1].key, knobs)
            assert same(numbers(tab, "got"), got), (knob.key, key)


def test_a_knob_follows_the_mouse(tab: Page, site: Path) -> None:
    exhibit = exhibits()["scale"]
    visit(tab, site, "scale")
    knob = tab.get_by_label("width of a head")
    box = knob.bounding_box()
    assert box

    tab.mouse.click(box["x"] + 2, box["y"] + box["height"] / 2)
    expect(tab.locator(".value")).to_have_text("1")
    assert same(numbers(tab, "got"), expected(exhibit, "none", {"width": 1}))
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    tab.mouse.up()
    expect(tab.locator(".value")).to_have_text("512")
    assert knob.get_attribute("aria-valuetext") == "512"
    assert same(numbers(tab, "got"), expected(exhibit, "none", {"width": 512}))


def test_the_address_holds_the_state(tab: Page, site: Path) -> None:
    exhibit = exhibits()["dropout"]
    visit(tab, site, "dropout", "line=always&p=0.8&mode=evaluation")
    state = {"p": 0.8, "mode": "evaluation"}

    assert same(numbers(tab, "got"), expected(exhibit, "always", state))
    expect(tab.locator(".value")).to_have_text("0.8")
    tab.get_by_label("training", exact=True).check()
    tab.evaluate(
        "document.querySelector('.exhibit form').requestSubmit()"
    )  # as Enter does in some browsers
    assert tab.url.endswith("#line=always&mode=training&p=0.8")
    tab.evaluate("location.hash = 'line=share&p=none&other=1'")  # what is unknown is left out
    tab.wait_for_function("document.querySelector('.summary').textContent.startsWith('The share')")
    assert same(numbers(tab, "got"), expected(exhibit, "share", exhibit.start))
    assert "?" not in tab.url


def test_a_link_to_a_line_shows_the_page_from_its_beginning(tab: Page, site: Path) -> None:
    visit(tab, site, "masks", "line=ahead")

    expect(tab.locator(".summary")).to_contain_text("One token of the future")
    expect(tab.locator("h1")).to_be_in_viewport()


def test_a_number_with_an_exponent_survives_the_address(tab: Page, site: Path) -> None:
    state = {"scale": 0.001, "eps": 1e-12}
    visit(tab, site, "norm", "line=outside&scale=0.001&eps=1e-12")

    assert same(numbers(tab, "got"), expected(exhibits()["norm"], "outside", state))


def test_a_cell_says_where_it_is_and_what_is_right(tab: Page, site: Path) -> None:
    visit(tab, site, "masks")
    cell = tab.locator('[data-group="got"] [data-place="0,1,4"]')
    twin = tab.locator('[data-group="right"] [data-place="0,1,4"]')
    says = re.compile(r"^query 1, key 4: 0\.\d+, and 0 is right$")

    cell.hover()
    expect(tab.locator("p.pointed")).to_have_text(says)
    expect(twin).to_have_class(re.compile("pointed-at"))
    assert says.match(cell.get_attribute("aria-label") or "")
    assert twin.get_attribute("aria-label") == "query 1, key 4: 0"


def test_arrow_keys_move_from_cell_to_cell_and_from_head_to_head(tab: Page, site: Path) -> None:
    visit(tab, site, "axis")
    tab.get_by_label("heads", exact=True).focus()
    tab.keyboard.press("Tab")  # the right map
    tab.keyboard.press("Tab")  # the other one: each is one stop

    place = "document.activeElement.dataset.place"
    assert tab.evaluate(place) == "0,0,0"
    assert tab.locator('[data-group="got"] :focus').count() == 1
    for key, at in [("ArrowRight", "0,0,1"), ("End", "0,0,4"), ("ArrowDown", "0,1,4"),
                    ("ArrowDown", "0,2,4"), ("ArrowDown", "0,3,4"), ("ArrowDown", "1,0,4"),
                    ("Home", "1,0,0"), ("ArrowUp", "0,3,0"), ("ArrowLeft", "0,3,0")]:  # fmt: skip
        tab.keyboard.press(key)
        assert tab.evaluate(place) == at
    expect(tab.locator("p.pointed")).to_contain_text("head 0, query 3, key 0")


def test_an_error_stands_in_the_place_of_the_map(tab: Page, site: Path) -> None:
    visit(tab, site, "empty-rows", "line=half")

    expect(tab.locator(".raised")).to_contain_text("overflow")
    expect(tab.locator("[data-fact]:visible")).to_have_count(0)
    tab.get_by_label("The right line").check()
    expect(tab.locator(".raised")).to_have_count(0)


def test_without_scripts_a_still_is_there(chromium: BrowserContext, site: Path) -> None:
    tab = chromium.new_page()
    without_scripts(tab)

    for exhibit in SOME:
        visit(tab, site, exhibit.name)
        seen = view(exhibit, exhibit.lines[0], exhibit.start)
        expect(tab.locator(".summary")).to_have_text(seen.summary)
        texts = [cell.text for table in seen.got for _, row in table.rows for cell in row]
        assert tab.locator('[data-group="got"] .cell').all_text_contents() == texts
        assert tab.locator("main input:visible").count() == 0
    tab.close()


def test_a_still_is_what_the_page_shows_first(tab: Page, site: Path) -> None:
    for exhibit in (exhibits()[name] for name in ("empty-rows", "norm", "merge", "fused")):
        visit(tab, site, exhibit.name)
        seen = view(exhibit, exhibit.lines[0], exhibit.start)
        groups = {"given": seen.operand, "right": seen.right, "got": seen.got}
        for group, tables in groups.items():
            texts = [cell.text for table in tables for _, row in table.rows for cell in row]
            wrong = [cell.wrong for table in tables for _, row in table.rows for cell in row]
            cells = tab.locator(f'[data-group="{group}"] .cell')
            assert cells.all_text_contents() == texts
            assert cells.evaluate_all("c => c.map(e => e.classList.contains('wrong'))") == wrong
        given = tab.locator("[data-fact] .number").all_text_contents()
        assert given == [fact.text for fact in seen.facts]


def test_an_exhibit_works_on_another_page(tab: Page, site: Path) -> None:
    tab.goto((site / "page.html").resolve().as_uri())
    tab.get_by_label("The mask is transposed").check()

    exhibit = exhibits()["masks"]
    assert same(numbers(tab, "got"), expected(exhibit, "transposed", exhibit.start))


@pytest.mark.parametrize("name", READ)
def test_a_page_can_be_read_heard_and_held(tab: Page, site: Path, name: str) -> None:
    """Headings in order, a name for each control, contrast in both schemes, and 390 px."""
    visit(tab, site, name, "heads=6")
    levels = tab.evaluate(LEVELS)
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tab.evaluate(UNNAMED) == []
    for scheme in SCHEMES:
        tab.emulate_media(color_scheme=scheme)
        assert faint(tab, ".aside, .map") == set(), scheme
    assert barriers(tab, contrast=everything()) == []  # contrast is judged above
    tab.set_viewport_size(NARROW)
    for control in tab.locator("input[type=range]").all():
        control.press("End")
    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
