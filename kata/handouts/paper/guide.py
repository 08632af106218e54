"""The parts of the instructor's book: a page for each exercise, and the lists behind them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import contract, read
from kata.handouts.examples import read_texts, texts
from kata.handouts.excerpts import Change, changes
from kata.handouts.mistakes import by_claim, sightings, traps
from kata.handouts.paper.sheets import code_hunts, head, level_one
from kata.handouts.paper.typesetting import Data, capital, prose
from kata.handouts.site.museum import museum_room
from kata.pictures.heatmaps import Cell, Map, map_pair, part
from kata.practice.evidence import place, without_docstrings
from kata.text import cut
from kata.verdict import Message, Picture

LONGEST_EVIDENCE = 150  # characters of evidence
COUNT = 3  # mistakes on a page
CANDIDATES = 10  # mistakes seen most often, from which those of a page are taken
LONGEST_CHANGE = 8  # lines of a mistake, wrong and right, with one more for every place
LEAST, LINES = 3, 15  # of one mistake, and of all on a page
LEAST_COLUMNS = 3  # of a map
OTHERS = 3  # mistakes in words, besides those that a page prints
RAISES = re.compile(r"error|raise|refuse", re.IGNORECASE)  # in the symptoms of mistakes to run
MOST_HEADINGS = 2  # above one mistake
# A learner's error has other numbers.
NUMBER, ANY = re.compile(r"(?<!\w)-?\d+(x\d+)?"), "…"
LONGEST_SYMPTOM = 110  # characters of an error text
NOTE = re.compile(r"[^\S\n]+# (type: ignore|noqa|fmt:).*")  # for tools
Entry = tuple[Exercise, Bug]


def page(exercise: Exercise) -> Data:
    """The data of the page of an exercise."""
    questions, mistakes = texts(exercise).questions, printed_mistakes(exercise)
    return {
        **head(exercise),
        "slug": exercise.slug,
        "count": len(bugs(exercise)),
        "say": prose(read_texts("guide").get(exercise.slug, "")),
        "mistakes": [_mistake(mistake) for mistake in mistakes],
        "stalls": _stalls(exercise, mistakes),
        "questions": [[prose(question), prose(answer)] for question, answer in questions],
    }


@dataclass(frozen=True)
class PrintedMistake:
    """A mistake, its lines, and the message that its author reads."""

    bug: Bug
    changes: tuple[Change, ...]
    message: Message

    @property
    def has_map(self) -> bool:
        """Whether its message has a map."""
        return self.message.picture is not None


def _mistake(mistake: PrintedMistake) -> Data:
    bug, picture = mistake.bug, mistake.message.picture
    return {
        "slug": bug.slug,
        "title": prose(capital(bug.title)),
        "seen": len(sightings(bug)),
        "changes": [[part.wrong, part.right] for part in mistake.changes],
        "evidence": prose(first_line(mistake.message.evidence)),
        "maps": grids(picture),
        "why": prose(bug.why),
        "ask": prose(bug.hints[0]),
    }


def first_line(evidence: str) -> str:
    """The first line of evidence, cut if it is long, as the text of an error may be."""
    line = cut(evidence.partition("\n")[0], LONGEST_EVIDENCE, "…")
    return line if line.count("`") % 2 == 0 else line.replace("`", "")


def _stalls(exercise: Exercise, mistakes: list[PrintedMistake]) -> Data:
    summary = stalls(exercise, [mistake.bug for mistake in mistakes])
    return {
        "count": summary.count,
        "total": len(bugs(exercise)),
        "places": summary.places,
        "others": [
            [prose(capital(bug.title)), prose(bug.symptom), len(sightings(bug))]
            for bug in summary.others
        ],
    }


def printed_mistakes(exercise: Exercise) -> list[PrintedMistake]:
    """The mistakes to print, one for each claim: those often seen first, with a map if possible."""
    with_map = (mistake for mistake in common(exercise) if mistake.has_map)
    without_map = (mistake for mistake in common(exercise) if not mistake.has_map)
    chosen = _add([], with_map)
    return _add(chosen, without_map) if len(chosen) < COUNT else chosen


def common(exercise: Exercise) -> Iterator[PrintedMistake]:
    """The short mistakes seen most often; a mistake is judged only when it is needed."""
    often = [bug for bug in traps(exercise) if _is_notable(bug)]
    short = [bug for bug in often if _lines(changes(exercise, bug)) <= LONGEST_CHANGE]
    for bug in (short or list(traps(exercise)))[:CANDIDATES]:
        if mistake := _printed(exercise, bug):
            yield mistake


def _add(
    chosen: list[PrintedMistake], candidates: Iterable[PrintedMistake]
) -> list[PrintedMistake]:
    """The chosen mistakes, and as many candidates as have room on the page beside them."""
    chosen = list(chosen)
    for mistake in candidates:
        rest = LINES - sum(_lines(printed.changes) for printed in (*chosen, mistake))
        if rest >= LEAST * (COUNT - 1 - len(chosen)):
            chosen.append(mistake)
        if len(chosen) == COUNT:
            break
    return chosen


def _lines(changes: Iterable[Change]) -> int:
    return sum(change.lines + 1 for change in changes)


@lru_cache(maxsize=512)
def _printed(exercise: Exercise, bug: Bug) -> PrintedMistake | None:
    """Judge a mistake; None if there is no message, as where it needs a GPU."""
    message = museum_room(exercise, [bug]).messages.get(bug.slug)
    return PrintedMistake(bug, changes(exercise, bug), message) if message else None


@dataclass(frozen=True)
class Space:
    """The space for a map: its rows, and the characters of all columns together."""

    rows: int
    characters: int


PAGE = Space(rows=4, characters=32)  # of the book


def grids(picture: Picture | None, space: Space = PAGE) -> list[Data]:
    """The expected map and the actual one, cut to the space."""
    if picture is None:
        return []
    digits = max(map(len, _numbers(map_pair(picture))))
    columns = max(LEAST_COLUMNS, space.characters // (digits + 1) - 1)
    return [_grid(heatmap, digits) for heatmap in map_pair(part(picture, space.rows, columns))]


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
    """The digits of a cell, its shade, whether it is wrong or the worst, and its colour."""
    share = cell.share if cell.is_finite else -1
    # Not −0.
    digits = cell.short.replace("-", "−") if cell.value else "0"
    return [digits, share, cell.wrong, cell.worst, cell.hue]


@dataclass(frozen=True)
class Stalls:
    """A summary of the notable mistakes.

    Attributes:
        count: their number.
        places: the functions and classes that they are in, with their numbers, most first.
        others: those seen most often besides the printed ones.
    """

    count: int
    places: list[tuple[str, int]]
    others: list[Bug]


def notable(exercise: Exercise) -> tuple[Bug, ...]:
    """The mistakes that happened to somebody, and those of level 1."""
    return tuple(bug for bug in bugs(exercise) if _is_notable(bug))


def _is_notable(bug: Bug) -> bool:
    return bug.level == 1 or bug.is_real


def stalls(exercise: Exercise, printed: Collection[Bug]) -> Stalls:
    """The summary of an exercise whose page prints some mistakes already."""
    mistakes = notable(exercise)
    often = sorted(mistakes, key=lambda bug: (-len(sightings(bug)), bug.level != 1))
    others = [bug for bug in often if bug not in printed]
    return Stalls(len(mistakes), list(_places(exercise, mistakes)), others[:OTHERS])


def _places(exercise: Exercise, mistakes: tuple[Bug, ...]) -> Iterator[tuple[str, int]]:
    """The places, if the exercise asks for more than one function or class."""
    names = {name.partition(".")[0] for name in contract(exercise).names}
    counts = Counter(place(exercise, bug) for bug in mistakes)
    if len(names) > 1:
        yield from ((name, count) for name, count in counts.most_common() if name in names)


def together(exercise: Exercise) -> Data:
    """The data of the page that a group reads together after an exercise."""
    return {
        "slug": exercise.slug,
        "short": exercise.short,
        "title": exercise.title,
        "solution": program(exercise),
        "code_hunts": code_hunts(exercise),
        "traps": [
            [prose(capital(bug.title)), prose(bug.invisible_when)] for bug in level_one(exercise)
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
    return [_group(prose(f"`{text}`"), groups[text]) for text in sorted(groups)]


def _raised(exercise: Exercise) -> Iterator[tuple[Bug, str]]:
    """The mistakes that raise in their own code, with the first line of the error."""
    candidates = [bug for bug in notable(exercise) if RAISES.search(bug.symptom)]
    messages = museum_room(exercise, candidates).messages
    for bug in candidates:
        message = messages.get(bug.slug)
        if message and message.frames and ":" in message.evidence:
            line = message.evidence.partition("\n")[0].replace("`", "'")
            yield bug, cut(NUMBER.sub(ANY, line), LONGEST_SYMPTOM, ANY)


def symptoms(chosen: Iterable[Exercise]) -> list[Data]:
    """All headings of texts/symptoms.toml with the mistakes that have one in their symptoms."""
    headings = _headings()
    groups: dict[str, list[Entry]] = {name: [] for name in sorted(headings, key=str.lower)}
    for exercise in chosen:
        for bug in notable(exercise):
            names = (name for name, words in headings.items() if words.search(bug.symptom))
            for name in islice(names, MOST_HEADINGS):
                groups[name].append((exercise, bug))
    return [_group(prose(name), entries) for name, entries in groups.items() if entries]


def _headings() -> dict[str, re.Pattern[str]]:
    """The headings with their patterns, in the order of the file: the special ones first."""
    pairs = read_texts("symptoms")["heading"]
    return {name: re.compile(words, re.IGNORECASE) for name, words in pairs}


def _group(heading: object, entries: list[Entry]) -> Data:
    rows = [
        [key(exercise, bug), exercise.short, prose(capital(bug.title))] for exercise, bug in entries
    ]
    return {"heading": heading, "rows": rows}


def entries(exercise: Exercise) -> list[Data]:
    """The claims of an exercise with the notable mistakes that break them first."""
    printed = frozenset(notable(exercise))
    claims = (
        (sentence, [bug for bug in breakers if bug in printed])
        for sentence, breakers in by_claim(exercise)
    )
    return [
        {"says": prose(sentence), "entries": [_entry(exercise, bug) for bug in breakers]}
        for sentence, breakers in claims
        if breakers
    ]


def key(exercise: Exercise, bug: Bug) -> str:
    """The key by which an index finds the entry."""
    return f"{exercise.short}.{bug.slug}"


def _entry(exercise: Exercise, bug: Bug) -> Data:
    return {
        "key": key(exercise, bug),
        "slug": bug.slug,
        "title": prose(capital(bug.title)),
        "symptom": prose(bug.symptom),
        "seen": len(sightings(bug)),
        "level": bug.level,
    }
