"""The parts of the instructor's book: a page for each exercise, and the lists behind them."""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import contract, read
from kata.handouts.examples import TEXTS, texts
from kata.handouts.excerpts import Change, changes
from kata.handouts.mistakes import by_claim, sightings, traps
from kata.handouts.paper.sheets import code_hunts, drawn, first
from kata.handouts.paper.typesetting import Data, capital, marked
from kata.handouts.site.museum import museum_room
from kata.pictures.heatmaps import Cell, Map, maps, part
from kata.practice.evidence import place, without_docstrings
from kata.text import cut
from kata.verdict import Message, Picture

LONGEST = 150  # characters of evidence
COUNT = 3  # on a page
TRIED = 10  # of those seen most often, from which these are taken
LONGEST_CHANGE = 8  # lines of one mistake, wrong and right together, and one more for each place
LEAST, LINES = 3, 15  # of one, and of all of them
LEAST_CELLS = 3  # columns
OTHERS = 3  # mistakes in words, besides those that a page prints
RAISES = re.compile(r"error|raise|refuse", re.IGNORECASE)  # in a symptom; the others are not run
MOST = 2  # headings under which one mistake stands
NUMBER, ANY = re.compile(r"(?<!\w)-?\d+(x\d+)?"), "…"  # the numbers of a learner are others
LONGEST_SYMPTOM = 110  # characters of an error text
NOTE = re.compile(r"[^\S\n]+# (type: ignore|noqa|fmt:).*")  # for tools
Entry = tuple[Exercise, Bug]


def page(exercise: Exercise) -> Data:
    """The data of the page of an exercise."""
    content, mistakes = texts(exercise), printed_mistakes(exercise)
    return {
        "slug": exercise.slug,
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": marked(content.subtitle),
        "core": exercise.core,
        "minutes": exercise.minutes,
        "points": exercise.points,
        "count": len(bugs(exercise)),
        "say": marked(_openings().get(exercise.slug, "")),
        "figure": drawn(exercise),
        "mistakes": [_mistake(mistake) for mistake in mistakes],
        "stalls": _stalls(exercise, mistakes),
        "questions": [[marked(ask), marked(listen)] for ask, listen in content.questions],
    }


@cache
def _openings() -> dict[str, str]:
    """The sentences to say first, by exercise."""
    return tomllib.loads((TEXTS / "guide.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class PrintedMistake:
    """A mistake, its lines, and what its author reads."""

    bug: Bug
    changes: tuple[Change, ...]
    message: Message

    @property
    def has_map(self) -> bool:
        """Whether there is more to see than words."""
        return self.message.picture is not None


def _mistake(mistake: PrintedMistake) -> Data:
    bug, picture = mistake.bug, mistake.message.picture
    return {
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "seen": len(sightings(bug)),
        "changes": [[part.wrong, part.right] for part in mistake.changes],
        "evidence": marked(first_line(mistake.message.evidence)),
        "maps": grids(picture),
        "why": marked(bug.why),
        "ask": marked(bug.hints[0]),
    }


def first_line(evidence: str) -> str:
    """The first line of evidence, cut where it says enough; the text of an error may be long."""
    line = cut(evidence.partition("\n")[0], LONGEST, "…")
    return line if line.count("`") % 2 == 0 else line.replace("`", "")


def _stalls(exercise: Exercise, mistakes: list[PrintedMistake]) -> Data:
    summary = stalls(exercise, [mistake.bug for mistake in mistakes])
    return {
        "count": summary.count,
        "total": len(bugs(exercise)),
        "places": summary.places,
        "others": [
            [marked(capital(bug.title)), marked(bug.symptom), len(sightings(bug))]
            for bug in summary.others
        ],
    }


def printed_mistakes(exercise: Exercise) -> list[PrintedMistake]:
    """The mistakes to print, one for each claim: those often seen first, with a map if possible."""
    chosen = _with((mistake for mistake in common(exercise) if mistake.has_map), [])
    rest = (mistake for mistake in common(exercise) if not mistake.has_map)
    return _with(rest, chosen) if len(chosen) < COUNT else chosen


def common(exercise: Exercise) -> Iterator[PrintedMistake]:
    """The mistakes seen most often, as far as they are short; each is judged when it is needed."""
    often = [bug for bug in traps(exercise) if bug.level == 1 or bug.is_real]
    short = [bug for bug in often if _length(exercise, bug) <= LONGEST_CHANGE]
    for bug in (short or list(traps(exercise)))[:TRIED]:
        if mistake := _read(exercise, bug):
            yield mistake


def _with(
    candidates: Iterable[PrintedMistake], chosen: list[PrintedMistake]
) -> list[PrintedMistake]:
    """The chosen mistakes, and as many of the others as have room on the page beside them."""
    chosen = list(chosen)
    for mistake in candidates:
        left = LINES - sum(map(_lines, (*chosen, mistake)))
        if left >= LEAST * (COUNT - 1 - len(chosen)):
            chosen.append(mistake)
        if len(chosen) == COUNT:
            break
    return chosen


def _lines(mistake: PrintedMistake) -> int:
    return sum(part.lines + 1 for part in mistake.changes)


def _length(exercise: Exercise, bug: Bug) -> int:
    return sum(part.lines + 1 for part in changes(exercise, bug))


@lru_cache(maxsize=512)
def _read(exercise: Exercise, bug: Bug) -> PrintedMistake | None:
    """Judge a mistake; None if its author reads nothing, as where it needs a GPU."""
    message = museum_room(exercise, [bug]).messages.get(bug.slug)
    return PrintedMistake(bug, changes(exercise, bug), message) if message else None


@dataclass(frozen=True)
class Room:
    """The room for a map: its rows, and the characters of all columns together."""

    rows: int
    characters: int


PAGE = Room(rows=4, characters=32)  # of the book


def grids(picture: Picture | None, room: Room = PAGE) -> list[Data]:
    """The expected map and the actual one, at most as large as there is room for."""
    if picture is None:
        return []
    digits = max(map(len, _numbers(maps(picture)[:2])))
    columns = max(LEAST_CELLS, room.characters // (digits + 1) - 1)
    return [_grid(heatmap, digits) for heatmap in maps(part(picture, room.rows, columns))[:2]]


def _numbers(heatmaps: Iterable[Map]) -> list[str]:
    return [cell.short for heatmap in heatmaps for row in heatmap.rows for cell in row]


def _grid(heatmap: Map, digits: int) -> Data:
    names = zip(heatmap.row_names, heatmap.rows, strict=True)
    return {
        "title": heatmap.title,
        "digits": digits,
        "columns": heatmap.column_names,
        "rows": [[name, [_cell(cell) for cell in row]] for name, row in names],
    }


def _cell(cell: Cell) -> list[Any]:
    """The digits of a cell, its shade, whether it is wrong, or the worst, and its colour."""
    share = cell.share if cell.is_finite else -1
    words = cell.short.replace("-", "−") if cell.value else "0"  # not −0
    return [words, share, cell.wrong, cell.worst, cell.hue]


@dataclass(frozen=True)
class Stalls:
    """A summary of the mistakes that count.

    Attributes:
        count: of the mistakes that really happened, or that stand for a trap of their own.
        places: the functions and classes that they are in, with how many, most first.
        others: those seen most often besides the printed ones.
    """

    count: int
    places: list[tuple[str, int]]
    others: list[Bug]


def telling(exercise: Exercise) -> tuple[Bug, ...]:
    """The mistakes that really happened to somebody, and those of level 1."""
    return tuple(bug for bug in bugs(exercise) if bug.level == 1 or bug.is_real)


def stalls(exercise: Exercise, printed: Collection[Bug]) -> Stalls:
    """Count in the catalogue; the page has the `printed` mistakes already."""
    mistakes = telling(exercise)
    often = sorted(mistakes, key=lambda bug: (-len(sightings(bug)), bug.level != 1))
    others = [bug for bug in often if bug not in printed]
    return Stalls(len(mistakes), list(_places(exercise, mistakes)), others[:OTHERS])


def _places(exercise: Exercise, mistakes: tuple[Bug, ...]) -> Iterator[tuple[str, int]]:
    """The places, if the exercise asks for more than one function or class."""
    asked = {name.partition(".")[0] for name in contract(exercise).names}
    counted = Counter(place(exercise, bug) for bug in mistakes)
    if len(asked) > 1:
        yield from ((name, many) for name, many in counted.most_common() if name in asked)


def together(exercise: Exercise) -> Data:
    """The data of what a group looks at together in one exercise."""
    return {
        "slug": exercise.slug,
        "short": exercise.short,
        "title": exercise.title,
        "solution": program(exercise),
        "code_hunts": code_hunts(exercise),
        "traps": [
            [marked(capital(bug.title)), marked(bug.invisible_when)] for bug in first(exercise)
        ],
    }


def program(exercise: Exercise) -> str:
    """The solution without its docstrings, which are the contracts, and without notes for tools."""
    source = read(exercise.solution)
    code = source.text.splitlines()[source.tree.body[0].end_lineno :]
    text = without_docstrings(NOTE.sub("", "\n".join(code))).strip()
    return text.replace("\n\n\n", "\n\n").replace(":\n\n    ", ":\n    ")


def errors(chosen: Iterable[Exercise]) -> list[Data]:
    """All error texts that mistakes of the catalogue raise, in the order of the alphabet."""
    groups: dict[str, list[Entry]] = {}
    for exercise in chosen:
        for bug, text in _raised(exercise):
            groups.setdefault(text, []).append((exercise, bug))
    return [_group(marked(f"`{text}`"), groups[text]) for text in sorted(groups)]


def _raised(exercise: Exercise) -> Iterator[tuple[Bug, str]]:
    """The mistakes that raise in their own code, with the first line of the error."""
    asked = [bug for bug in telling(exercise) if RAISES.search(bug.symptom)]
    messages = museum_room(exercise, asked).messages
    for bug in asked:
        message = messages.get(bug.slug)
        if message and message.frames and ":" in message.evidence:
            line = message.evidence.partition("\n")[0].replace("`", "'")
            yield bug, cut(NUMBER.sub(ANY, line), LONGEST_SYMPTOM, ANY)


def symptoms(chosen: Iterable[Exercise]) -> list[Data]:
    """All headings of texts/symptoms.toml with the mistakes that have one in their symptoms."""
    headings = _headings()
    groups: dict[str, list[Entry]] = {name: [] for name in sorted(headings, key=str.lower)}
    for exercise in chosen:
        for bug in telling(exercise):
            fitting = [name for name, word in headings.items() if word.search(bug.symptom)]
            for name in fitting[:MOST]:
                groups[name].append((exercise, bug))
    return [_group(marked(name), entries) for name, entries in groups.items() if entries]


def _headings() -> dict[str, re.Pattern[str]]:
    """The headings in the order of the file, which has the special ones first."""
    table = tomllib.loads((TEXTS / "symptoms.toml").read_text(encoding="utf-8"))
    return {name: re.compile(words, re.IGNORECASE) for name, words in table["heading"]}


def _group(heading: object, entries: list[Entry]) -> Data:
    rows = [
        [key(exercise, bug), exercise.short, marked(capital(bug.title))]
        for exercise, bug in entries
    ]
    return {"heading": heading, "rows": rows}


def entries(exercise: Exercise) -> list[Data]:
    """The claims of an exercise, each with the entries that break it first."""
    printed = frozenset(telling(exercise))
    claims = ((said, [bug for bug in bugs if bug in printed]) for said, bugs in by_claim(exercise))
    return [
        {"says": marked(said), "entries": [_entry(exercise, bug) for bug in bugs]}
        for said, bugs in claims
        if bugs
    ]


def key(exercise: Exercise, bug: Bug) -> str:
    """The key by which an index finds the entry."""
    return f"{exercise.short}.{bug.slug}"


def _entry(exercise: Exercise, bug: Bug) -> Data:
    return {
        "key": key(exercise, bug),
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "symptom": marked(bug.symptom),
        "seen": len(sightings(bug)),
        "level": bug.level,
    }
