"""The pages of a room in a real browser, with learners who run the real commands."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, exercises
from kata.live.people import People, new_keys
from kata.live.reports import Report
from kata.verdict import State
from tests.helpers.browser import LOOKS, WIDE, faint, watch
from tests.helpers.crowd_hostile import NAME as HTML
from tests.helpers.learner_folder import FOLDER, Learner, run_python
from tests.helpers.open_room import Room, in_a_thread
from tests.kata.commands.test_commands import RIGHT, SIGNED

pytest_plugins = ["tests.helpers.browser"]

START = 1_800_000_000.0
PATIENCE = 20_000  # milliseconds
Opened = Callable[[str], Page]

# What a screen reader cannot tell: nothing to call it by, or a table's cells without a head.
NAMELESS = """() => [
  ...[...document.querySelectorAll("button, summary, a, [tabindex]")]
    .filter((each) => each.checkVisibility() && !(each.ariaLabel || each.innerText.trim())),
  ...[...document.querySelectorAll("th")].filter((each) => !each.scope),
  ...["lang"].filter((name) => !document.documentElement[name]),
  ...["main", "h1"].filter((name) => document.querySelectorAll(name).length !== 1),
].map((each) => each.outerHTML ?? each)"""


class Clock:
    now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(clock: Clock) -> People:
    return People(clock)


@pytest.fixture
def room(people: People) -> Iterator[Room]:
    with in_a_thread(people) as opened:
        yield opened


@pytest.fixture
def opened(chromium: BrowserContext, room: Room) -> Iterator[Opened]:
    """Tabs in which nothing may go wrong, and that ask nobody but the room."""
    tabs: list[tuple[Page, list[str]]] = []

    def visit(link: str) -> Page:
        tab = chromium.new_page()
        tab.set_viewport_size(WIDE)
        tab.set_default_timeout(PATIENCE)
        tabs.append((tab, watch(tab, f"{room.origin}/")))
        tab.goto(link)
        return tab

    yield visit
    for tab, _ in tabs:
        tab.close()
    assert [trouble for _, trouble in tabs if trouble] == []


def crowd(people: People, clock: Clock) -> None:
    """Some of everything, and a name that means harm."""
    count = 0
    for place, name in enumerate(["Ada", "Ben", "Cleo", HTML, "Dan", "a" * 200, "Zoë"]):
        person = people.join(name)
        for at, exercise in enumerate([*exercises().values()][: place + 1]):
            bug, count = bugs(exercise)[at % 3], count + 1
            failing = Report(exercise.slug, State.FAILED, at, 30, bug.claim, (bug.slug,))
            passed = Report(exercise.slug, State.PASSED, 30, 30, "", ())
            people.note(person, [failing if at in (place, 1) else passed], count)
        clock.now += 60
    people.show(person, "ex05_causal_masks", "<script>alert(1)</script>", count + 1)


def test_the_leader_sees_who_joins_is_stuck_and_repairs_it(
    opened: Opened, room: Room, clock: Clock, tmp_path: Path
) -> None:
    learner = Learner(tmp_path)
    page = opened(room.leader_link)
    expect(page.get_by_text("Nobody has joined yet")).to_be_visible()
    learner.softmax(SIGNED)

    run_python("kata", ["join", room.link, "--name", "Ada", "--folder", FOLDER], learner.home,
               PYTHONPATH=str(ROOT))  # fmt: skip
    expect(page.locator("#here")).to_have_text("1", timeout=PATIENCE)
    expect(page.locator("#everyone tr")).to_contain_text("Ada")
    learner.run()

    card = page.locator("#mistakes .card")
    expect(card).to_contain_text("scores divided by their sum", timeout=PATIENCE)
    expect(card).to_contain_text("Try the scores 1 and −1.")
    expect(page.locator("#stuck-count")).to_have_text("0")
    expect(page.locator("#where .chip")).to_have_text("Ada")

    clock.now += 301
    learner.run()
    stuck = page.locator("#stuck .card")
    expect(stuck).to_contain_text("Ada", timeout=PATIENCE)
    expect(stuck).to_contain_text("one row gets the weights worked out by hand")
    expect(stuck).to_contain_text("5 min")
    expect(page.locator("#stuck-count")).to_have_text("1")

    learner.softmax(RIGHT)
    learner.run()
    expect(page.locator("#passed")).to_have_text("1", timeout=PATIENCE)
    expect(page.locator("#stuck-count")).to_have_text("0")
    expect(page.locator("#everyone td.passed")).to_have_text("✓")


def test_a_name_is_a_name_and_never_markup(
    opened: Opened, room: Room, people: People, clock: Clock
) -> None:
    crowd(people, clock)
    page = opened(room.leader_link)

    expect(page.locator("#everyone tr")).to_have_count(7)
    assert HTML[:20] in page.locator("#everyone").inner_text()
    assert page.locator("img").count() == 0
    page.locator("#shown summary").click()
    expect(page.locator("#shown pre")).to_have_text("<script>alert(1)</script>")


def test_the_projector_shows_no_name(
    opened: Opened, room: Room, people: People, clock: Clock
) -> None:
    crowd(people, clock)
    page = opened(room.projector_link)

    expect(page.locator("#here")).to_have_text("7")
    expect(page.locator("#bars li")).not_to_have_count(0)
    expect(page.locator("#mistakes .card")).not_to_have_count(0)
    text = page.locator("html").inner_html()
    assert [name for name in ("Ada", "Ben", "Cleo", "Dan", "aaaa", "Zoë") if name in text] == []
    assert f"kata join {room.link}" in page.locator("body").inner_text()


@pytest.mark.parametrize("kind", ["leader_link", "projector_link", "link"])
def test_everything_can_be_read(
    opened: Opened, room: Room, people: People, clock: Clock, kind: str
) -> None:
    crowd(people, clock)
    page = opened(getattr(room, kind))
    if kind != "link":
        expect(page.locator("#here")).to_have_text("7")
    for each in page.locator("summary").all():
        each.click()

    for scheme, size in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        assert faint(page, ".unseen, .share, :disabled") == set()
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert page.evaluate(NAMELESS) == []


def test_the_page_stays_where_it_is_while_others_save(
    opened: Opened, room: Room, people: People, clock: Clock
) -> None:
    """What is unfolded, and where the keyboard is, survives every event."""
    crowd(people, clock)
    page = opened(room.leader_link)
    page.locator("#shown summary").click()
    page.get_by_role("button", name="remove Ben").focus()

    late = people.join("late")
    expect(page.locator("#here")).to_have_text("8")

    assert page.locator("#shown details").get_attribute("open") is not None
    assert page.evaluate("document.activeElement.ariaLabel") == "remove Ben"
    page.keyboard.press("Enter")
    expect(page.locator("#here")).to_have_text("7")
    assert late.id in people.all
    assert "Ben" not in {each.name for each in people.all.values()}


def test_a_room_that_is_gone_is_told_and_one_that_comes_back_is_shown(
    chromium: BrowserContext, people: People, clock: Clock
) -> None:
    crowd(people, clock)
    page, keys = chromium.new_page(), new_keys()
    with in_a_thread(people, keys) as room:
        page.goto(room.leader_link)
        expect(page.locator("#here")).to_have_text("7")
    expect(page.locator("#lost")).to_contain_text("The room does not answer.", timeout=PATIENCE)

    people.join("late")
    with in_a_thread(people, keys, int(room.origin.rpartition(":")[2])):
        expect(page.locator("#here")).to_have_text("8", timeout=PATIENCE)
        expect(page.locator("#lost")).to_be_hidden()
        page.close()


def test_closing_asks_first_and_forgets(
    opened: Opened, room: Room, people: People, clock: Clock
) -> None:
    crowd(people, clock)
    page = opened(room.leader_link)
    expect(page.locator("#here")).to_have_text("7")

    page.get_by_role("button", name="Close the room and forget everything").click()
    page.get_by_role("button", name="Keep it open").click()
    assert len(people.all) == 7

    page.get_by_role("button", name="Close the room and forget everything").click()
    page.get_by_role("button", name="Close and forget").click()
    expect(page.get_by_text("The room is closed, and everything in it forgotten.")).to_be_visible()
    assert people.all == {}
