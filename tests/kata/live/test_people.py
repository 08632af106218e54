"""Who is in a room, and what is kept of them."""

from dataclasses import replace

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.live import people as bounds
from kata.live import people as module
from kata.live.people import People, Person
from kata.live.reports import Report, claims, mistakes
from kata.live.views import leader, projector
from kata.verdict import State
from tests.helpers.sampling import sample

EX01, EX02, EX05 = "ex01_softmax", "ex02_attention_scores", "ex05_causal_masks"
BUG, OTHER = bugs(exercises()[EX05])[:2]
FAILING = Report(EX05, State.FAILED, 40, 68, BUG.claim, (BUG.slug,))
PASSED = Report(EX01, State.PASSED, 23, 23, "", ())
START = 1_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(clock: Clock) -> People:
    return People(clock)


@pytest.fixture
def ada(people: People) -> Person:
    return people.join("Ada")


def shown(people: People, name: str = "Ada"):
    return next(each for each in leader(people)["people"] if each["name"] == name)


def test_names_are_in_one_line_short_and_unlike_each_other(people: People) -> None:
    names = ["Ada", "Ada", " Ada ", "", "A\nd\x1b[31ma\u202e", "x" * 500]

    found = [people.join(each).name for each in names]

    assert found[:4] == ["Ada", "Ada (2)", "Ada (3)", "guest 1"]
    assert found[4] == "A da\ufffd"
    assert len(found[5]) <= 40


def test_the_clock_of_a_claim_runs_until_another_one_fails(
    people: People, ada: Person, clock: Clock
) -> None:
    people.note(ada, [FAILING], 1)
    clock.now += 400
    people.note(ada, [replace(FAILING, held=41)], 2)

    assert shown(people)["since"] == START

    people.note(ada, [replace(FAILING, claim=OTHER.claim)], 3)

    assert shown(people)["since"] == clock.now
    assert shown(people)["claim"] == OTHER.claim.removeprefix("test_").replace("_", " ")


def test_nobody_is_stuck_on_what_has_passed(people: People, ada: Person) -> None:
    people.note(ada, [FAILING], 1)
    people.note(ada, [replace(FAILING, state=State.PASSED, held=68, claim="", mistakes=())], 2)

    assert shown(people)["since"] == 0
    assert shown(people)["standings"] == {EX05: ["passed", 68, 68]}


def test_a_message_that_comes_again_changes_nothing(people: People, ada: Person) -> None:
    people.note(ada, [FAILING], 5)
    people.note(ada, [replace(FAILING, held=60)], 6)

    assert not people.note(ada, [FAILING], 5)
    assert not people.note(ada, [FAILING], 6)
    assert shown(people)["standings"][EX05][1] == 60


def test_a_message_that_was_overtaken_is_noted_and_moves_nobody(
    people: People, ada: Person
) -> None:
    people.note(ada, [FAILING], 6)

    assert people.note(ada, [PASSED], 5)
    assert shown(people)["at"] == EX05
    assert set(shown(people)["standings"]) == {EX01, EX05}


def test_a_run_of_everything_shows_where_something_has_changed(people: People, ada: Person) -> None:
    begun = Report(EX02, State.FAILED, 1, 37, "", ())
    people.note(ada, [PASSED, begun, FAILING], 1)
    assert shown(people)["at"] == EX05

    people.note(ada, [PASSED, replace(begun, held=2), FAILING], 2)
    assert shown(people)["at"] == EX02

    people.note(ada, [PASSED, replace(begun, held=2), FAILING], 3)
    assert shown(people)["at"] == EX02


def test_a_stub_again_is_no_work(people: People, ada: Person) -> None:
    people.note(ada, [FAILING], 1)
    people.note(ada, [Report(EX05, State.NOT_STARTED, 0, 0, "", ())], 2)

    assert shown(people)["standings"] == {}


def test_a_mistake_counts_each_person_once_and_for_ten_minutes(
    people: People, ada: Person, clock: Clock
) -> None:
    ben = people.join("Ben")
    for count in (1, 2, 3):
        people.note(ada, [FAILING], count)
    clock.now += 300
    people.note(ben, [FAILING], 1)

    (found,) = leader(people)["mistakes"]
    assert (found["count"], found["names"], found["title"]) == (2, ["Ada", "Ben"], BUG.title)
    assert found["ask"] == BUG.hints[0]

    clock.now += 301
    (found,) = leader(people)["mistakes"]
    assert (found["count"], found["names"]) == (1, ["Ben"])

    clock.now += 300
    assert leader(people)["mistakes"] == []


def test_whatever_can_be_reported_can_be_shown(people: People, ada: Person) -> None:
    """Every claim and every mistake of the course, in every state, with and without each other."""
    for count, exercise in enumerate(exercises().values(), start=1):
        named = ["", *sample([*claims(exercise)])]
        for at, claim in enumerate(named):
            state = [*State][at % len(State)]
            slugs = tuple(mistakes(exercise))[at : at + at % 3]
            people.note(
                ada, [Report(exercise.slug, state, at, at, claim, slugs)], count * 1000 + at
            )
            assert shown(people)["at"] in {"", exercise.slug, ada.at}

    assert projector(people)["people"] == 1


def test_the_projector_tells_no_name_and_of_nobody_alone(people: People, ada: Person) -> None:
    people.note(ada, [FAILING], 1)
    assert projector(people)["mistakes"] == []

    people.note(people.join("Ben"), [FAILING], 1)
    view = projector(people)

    assert [each["count"] for each in view["mistakes"]] == [2]
    assert "Ada" not in str(view)
    assert "Ben" not in str(view)
    assert [each["here"] for each in view["exercises"] if each["slug"] == EX05] == [2]


def test_a_full_room_lets_somebody_in_and_drops_one_of_the_largest_crowd(
    people: People, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(module, "MOST_PEOPLE", 5)
    honest = [people.join(f"honest {n}", f"10.0.0.{n}") for n in range(2)]
    people.note(honest[0], [FAILING], 1)

    for n in range(50):
        clock.now += 1
        people.join(f"many {n}", "10.0.0.99")
    late = people.join("late", "10.0.0.3")

    assert len(people.all) == 5
    assert {each.id for each in (*honest, late)} <= set(people.all)


def test_who_has_worked_stays_before_those_who_have_not_wherever_these_are(
    people: People, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """Many addresses cost one machine little."""
    monkeypatch.setattr(module, "MOST_PEOPLE", 5)
    honest = people.join("honest", "10.0.0.1")
    people.note(honest, [FAILING], 1)

    for n in range(20):
        clock.now += 1
        people.join(f"many {n}", f"10.0.1.{n}")

    assert honest.id in people.all


def test_what_is_kept_of_one_person_is_bounded(
    people: People, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_MISTAKES", 3)
    for count, bug in enumerate(bugs(exercises()[EX05])[:20], start=1):
        people.note(ada, [replace(FAILING, mistakes=(bug.slug,))], count)

    assert len(ada.met) <= 3 + 1  # and those of the message that came last


def test_code_that_is_shown_is_bounded_and_can_be_taken_back(
    people: People, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(module, "MOST_SHARED", 2)
    who = [people.join(f"one {n}") for n in range(4)]
    for each in who:
        clock.now += 1
        assert people.show(each, EX05, "x = 1", 1)

    assert [person.shared_file is not None for person in who] == [False, False, True, True]
    assert people.show(who[3], EX05, "", 2)
    assert who[3].shared_file is None
    assert not people.show(who[3], EX05, "x = 2", 2)
    assert not people.show(who[3], "ex99_nothing", "x = 2", 3)


def test_an_allowance_is_used_up_and_comes_back() -> None:
    now = [0.0]
    found = bounds.Allowances(rate=1, burst=3, clock=lambda: now[0])

    assert [found.take("a") for _ in range(4)] == [True, True, True, False]
    assert found.take("b")
    now[0] = 1.5
    assert [found.take("a") for _ in range(2)] == [True, False]
    found.fine("a", 100)
    now[0] = 4.0
    assert not found.take("a")
    now[0] = 10.0
    assert found.take("a")


def test_only_so_many_senders_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_ADDRESSES", 10)
    found = bounds.Allowances(1, 3)
    for n in range(100):
        found.take(str(n))

    assert len(found) == 10
