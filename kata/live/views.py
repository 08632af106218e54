"""The views of a room, for its leader and for everybody, and the streams that send them."""

import asyncio
import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from kata.course.curriculum import Exercise, exercises
from kata.live.people import MOST_VIEWERS, ODD, RECENT, STUCK, People, Person, Standing
from kata.live.reports import mistakes, question
from kata.verdict import State

MOST_MISTAKES = 12  # in the list
FEWEST_AT_FIRST = 6  # exercises in the table before anybody is further
ENOUGH = 2  # people with the same mistake, before a view without names tells of it
PACE = 0.2  # seconds between two events, at least
BEAT = 10.0  # seconds after which a quiet viewer is sent something all the same
NOTHING_NEW = ":\n\n"
View = Callable[[], dict[str, Any]]
Met = Mapping[tuple[str, str], list[Person]]


def leader(people: People, track: str = "") -> dict[str, Any]:
    """Return the leader's view: everybody by name, with where they are stuck; recent mistakes."""
    now, persons = people.clock(), [*people.all.values()]
    return {
        "now": now,
        "stuck_after": STUCK,
        "exercises": [_heading(exercise, persons) for exercise in _columns(persons, track)],
        "people": [_person(person) for person in sorted(persons, key=_sort_key)],
        "mistakes": [*_mistakes(_met(persons, now), with_names=True)],
    }


def projector(people: People, track: str = "") -> dict[str, Any]:
    """Return the view without names: numbers, and questions that are about several people."""
    now, persons = people.clock(), [*people.all.values()]
    met = {key: group for key, group in _met(persons, now).items() if len(group) >= ENOUGH}
    return {
        "now": now,
        "people": len(persons),
        "exercises": [_heading(exercise, persons) for exercise in _columns(persons, track)],
        "mistakes": [*_mistakes(met, with_names=False)],
    }


def _columns(persons: Iterable[Person], track: str) -> list[Exercise]:
    """Return the track with what is begun beyond it; or the course as far as anybody has got."""
    begun = {slug for person in persons for slug in person.standings}
    course = [*exercises().values()]
    if track:
        return [exercise for exercise in course if exercise.is_in(track) or exercise.slug in begun]
    last = max((at for at, exercise in enumerate(course) if exercise.slug in begun), default=0)
    return course[: max(FEWEST_AT_FIRST, last + 2)]


def _heading(exercise: Exercise, persons: list[Person]) -> dict[str, Any]:
    """Return an exercise, with how many work on it and how many have passed it."""
    standings = [person.standings.get(exercise.slug) for person in persons]
    passed = sum(standing is not None and _passed(standing) for standing in standings)
    here = sum(
        person.at == exercise.slug and not _passed(person.standings.get(exercise.slug))
        for person in persons
    )
    return {
        "slug": exercise.slug, "short": exercise.short, "title": exercise.title,
        "core": exercise.core, "here": here, "passed": passed,
        "begun": sum(standing is not None for standing in standings),
    }  # fmt: skip


def _passed(standing: Standing | None) -> bool:
    return standing is not None and standing.report.state is State.PASSED


def _sort_key(person: Person) -> str:
    """Return a key that sorts names without regard to case, and accents after their letters."""
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
    """Return the claim on which a person is stuck, since when, and the question to ask."""
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
    """Return a claim as a sentence: `no position may attend to a later one`."""
    return claim.removeprefix("test_").replace("_", " ")


def _met(persons: Iterable[Person], now: float) -> Met:
    """Return the people who have met a mistake of late, by mistake."""
    by_mistake: dict[tuple[str, str], list[Person]] = defaultdict(list)
    for person in persons:
        for key, when in person.met.items():
            if when > now - RECENT:
                by_mistake[key].append(person)
    return by_mistake


def _mistakes(met: Met, *, with_names: bool) -> Iterator[dict[str, Any]]:
    """Yield the mistakes, the most frequent first; of equals, the one that was met last."""

    def order(key: tuple[str, str]) -> tuple[int, float]:
        return -len(met[key]), -max(person.met[key] for person in met[key])

    for slug, mistake in sorted(met, key=order)[:MOST_MISTAKES]:
        exercise, group = exercises()[slug], met[slug, mistake]
        texts = mistakes(exercise)[mistake]
        entry = {"short": exercise.short, "count": len(group), "ask": texts.ask}
        if with_names:
            entry |= {"title": texts.title, "names": [person.name for person in group]}
        yield entry


class Viewer:
    """A browser with an open stream."""

    def __init__(self, address: str, transport: asyncio.Transport | None) -> None:
        self.address, self.transport = address, transport
        self.news = asyncio.Event()

    async def something_new(self) -> None:
        """Wait for a change, and not too long."""
        await asyncio.sleep(PACE)
        with suppress(TimeoutError):
            async with asyncio.timeout(BEAT):
                await self.news.wait()
        self.news.clear()


class Stream:
    """A view and its viewers; a viewer at an address that it `keeps` is not dismissed."""

    def __init__(
        self, people: People, view: View, keeps: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._people, self._view, self._keeps = people, view, keeps
        self._viewers: list[Viewer] = []
        self._latest: tuple[int, float, str] = (-1, 0.0, "")

    def changed(self) -> None:
        """Wake all viewers."""
        for viewer in self._viewers:
            viewer.news.set()

    def listens_at(self, address: str) -> bool:
        """Return whether a viewer is at this address."""
        return any(viewer.address == address for viewer in self._viewers)

    def answer(self, request: Request) -> StreamingResponse:
        """Return an answer that does not end before the viewer goes."""
        client = tuple(request.client) if request.client else ("", 0)
        transport = request.app.state.connections.keep(client)
        # Nobody opens a stream often.
        request.app.state.connections.blame(client, ODD)
        return StreamingResponse(
            self._events(Viewer(str(client[0]), transport)), media_type="text/event-stream"
        )

    async def _events(self, viewer: Viewer) -> AsyncIterator[str]:
        self._viewers.append(viewer)
        if len(self._viewers) > MOST_VIEWERS:
            self._dismiss_one()
        try:
            last = ""
            while True:
                text = self._text()
                yield NOTHING_NEW if text == last else text
                last = text
                await viewer.something_new()
        finally:
            self._viewers.remove(viewer)

    def _text(self) -> str:
        """Return the event, which is written once for all viewers."""
        version, when, text = self._latest
        now = asyncio.get_running_loop().time()
        if version != self._people.version or now - when > BEAT:
            text = f"data: {json.dumps(self._view())}\n\n"
            self._latest = self._people.version, now, text
        return text

    def _dismiss_one(self) -> None:
        """Dismiss the oldest viewer at the most crowded address; or the last, if none has two."""
        strangers = [viewer for viewer in self._viewers if not self._keeps(viewer.address)]
        candidates = strangers or self._viewers
        crowds = Counter(viewer.address for viewer in candidates)
        most = max(crowds.values())
        crowd = [viewer for viewer in candidates if crowds[viewer.address] == most]
        leaving = crowd[0] if most > 1 else crowd[-1]
        if leaving.transport:
            leaving.transport.abort()
