"""What the leader sees of a room, and what everybody may see: plain data for the pages."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.live.people import RECENT, STUCK, People, Person, Standing
from kata.live.reports import mistakes, question
from kata.verdict import State

MOST_MISTAKES = 12  # that are listed
FEWEST_AT_FIRST = 6  # exercises that are shown before anybody is further
ENOUGH = 2  # people with the same mistake, before a view without names tells of it
Met = Mapping[tuple[str, str], list[Person]]


def leader(people: People, track: str = "") -> dict[str, Any]:
    """The leader's view: everybody by name, stuck on what and since when; and recent mistakes."""
    now, there = people.clock(), [*people.all.values()]
    return {
        "now": now,
        "stuck_after": STUCK,
        "exercises": [_heading(column, there) for column in _columns(there, track)],
        "people": [_person(person) for person in sorted(there, key=_by_name)],
        "mistakes": [*_mistakes(_met(there, now), with_names=True)],
    }


def projector(people: People, track: str = "") -> dict[str, Any]:
    """The view without names: numbers, and questions that are about several people."""
    now, there = people.clock(), [*people.all.values()]
    met = {key: who for key, who in _met(there, now).items() if len(who) >= ENOUGH}
    return {
        "now": now,
        "people": len(there),
        "exercises": [_heading(column, there) for column in _columns(there, track)],
        "mistakes": [*_mistakes(met, with_names=False)],
    }


def _columns(there: Iterable[Person], track: str) -> list[Exercise]:
    """The exercises of the track, and what is begun beyond; or the course as far as it got."""
    begun = {slug for person in there for slug in person.standings}
    every = [*exercises().values()]
    if track:
        return [exercise for exercise in every if exercise.is_in(track) or exercise.slug in begun]
    last = max((at for at, exercise in enumerate(every) if exercise.slug in begun), default=0)
    return every[: max(FEWEST_AT_FIRST, last + 2)]


def _heading(exercise: Exercise, there: list[Person]) -> dict[str, Any]:
    """An exercise, with how many work on it and how many have passed it."""
    standings = [person.standings.get(exercise.slug) for person in there]
    passed = sum(standing is not None and _passed(standing) for standing in standings)
    here = sum(
        person.at == exercise.slug and not _passed(person.standings.get(exercise.slug))
        for person in there
    )
    return {
        "slug": exercise.slug, "short": exercise.short, "title": exercise.title,
        "core": exercise.core, "here": here, "passed": passed,
        "begun": sum(standing is not None for standing in standings),
    }  # fmt: skip


def _passed(standing: Standing | None) -> bool:
    return standing is not None and standing.report.state is State.PASSED


def _by_name(person: Person) -> str:
    """The place in a telephone book: an accent does not put a name behind all others."""
    return unicodedata.normalize("NFKD", person.name).casefold()


def _person(person: Person) -> dict[str, Any]:
    return {
        "id": person.id,
        "name": person.name,
        "heard": person.heard,
        "at": person.at,
        **_where(person),
        "standings": {
            slug: [standing.report.state.value, standing.report.held, standing.report.of]
            for slug, standing in person.standings.items()
        },
        "shown": person.shared_file and vars(person.shared_file),
    }


def _where(person: Person) -> dict[str, Any]:
    """Where a person is stuck: on which claim, since when, and what to ask."""
    standing = person.standings.get(person.at)
    if standing is None or standing.report.state in {State.PASSED, State.SKIPPED}:
        return {"claim": "", "since": 0, "mistake": "", "ask": ""}
    report, exercise = standing.report, exercises()[person.at]
    texts = [mistakes(exercise)[mistake] for mistake in report.mistakes]
    ask = texts[0].ask if texts else question(exercise, report.claim)
    return {
        "claim": in_words(report.claim),
        "since": standing.since if report.claim or report.state is not State.FAILED else 0,
        "mistake": "; ".join(text.title for text in texts),
        "ask": ask,
    }


def in_words(claim: str) -> str:
    """A claim as a sentence: `no position may attend to a later one`."""
    return claim.removeprefix("test_").replace("_", " ")


def _met(there: Iterable[Person], now: float) -> Met:
    """The people who have met a mistake of late."""
    by_mistake: dict[tuple[str, str], list[Person]] = defaultdict(list)
    for person in there:
        for key, when in person.met.items():
            if when > now - RECENT:
                by_mistake[key].append(person)
    return by_mistake


def _mistakes(met: Met, *, with_names: bool) -> Iterator[dict[str, Any]]:
    """The mistakes, the most frequent first; of equals, the one that was met last."""
    ordered = sorted(met, key=lambda key: (-len(met[key]), -max(w.met[key] for w in met[key])))
    for slug, mistake in ordered[:MOST_MISTAKES]:
        exercise, who = exercises()[slug], met[slug, mistake]
        texts = mistakes(exercise)[mistake]
        by_name = (
            {"title": texts.title, "names": [person.name for person in who]} if with_names else {}
        )
        yield {"short": exercise.short, "count": len(who), "ask": texts.ask, **by_name}
