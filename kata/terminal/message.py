"""A message as text: claim, inputs, evidence, cause; then the map and the learner's own lines.

Where nothing is wrong with a value, what happened comes first, and the claim last.
"""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from textwrap import wrap

from kata.judging.describe import ALIGNED
from kata.judging.limits import LONGEST_OUTPUT
from kata.pictures.heatmaps import GOT, Cell, Map, captions, maps, part, short_number
from kata.terminal.board import standing
from kata.terminal.style import NARROWEST, Style
from kata.verdict import Diagnosis, ExerciseVerdict, Fit, Message, Mistake, Picture, State

MOST_BESIDE = 3  # claims that are listed below the first one
# The headline names the one mistake.
ALONE = {Fit.ONE, Fit.LIKE, Fit.NEAR, Fit.PART, Fit.CRASH, Fit.KIND}
HEADLINES = {
    Fit.ONE: "known mistake, with the same result in {claims}:",
    Fit.LIKE: "the same result in {claims} as a known mistake:",
    Fit.NEAR: "known mistake, with the same result in {claims}:",
    Fit.PART: "a known mistake explains this claim, and perhaps not all of the others:",
    Fit.EITHER: "one of two known mistakes; the claims that were run cannot tell them apart:",
    Fit.TWINS: "a known mistake in one of these forms, which no claim can tell apart:",
    Fit.BOTH: "two known mistakes, which together explain {claims}:",
    Fit.CRASH: "an error with a known cause:",
    Fit.KIND: "a known kind of mistake:",
}
MOST_ROWS, MOST_COLUMNS, LEAST_COLUMNS = 8, 12, 3
BETWEEN = "   "  # what is between two maps
MARGIN = 4  # left of the maps in a message
# Grounds of 256 colours, from grey to strong and none much lighter than another: so they read alike
# on a light terminal and on a dark one, with black letters.
BLUE, ORANGE = (245, 103, 67, 69, 33), (138, 137, 173, 209, 202)
PLACES = (75, 215, 114, 176, 32, 172, 71, 133, 153, 223, 157, 219)  # blue, orange, green, violet
BLACK = 16
Lines = list[tuple[str, int]]  # each with its width, codes of colours aside
MOST_LINES = 10  # of the learner's own prints: the message above them should stay in sight


def message(
    message: Message,
    style: Style,
    diagnosis: Diagnosis | None = None,
    beside: Sequence[str] = (),
) -> str:
    """Everything that a learner reads about a claim that failed.

    `beside` are other claims that fail; they tell something where no known mistake was found.
    """
    lines = [style.paint(line, "bold") for line in _wrapped(message.brief, style, 0)]
    lines += _wrapped(message.inputs, style, 2)
    if not message.leads:
        lines += [style.paint(line, "red") for line in _wrapped(message.rest, style, 2)]
    lines += [*_wrapped(message.compared, style, 2), *_wrapped(message.remark, style, 2)]
    lines += cause(diagnosis, style) if diagnosis else _own_cause(message, style)
    if beside and not message.leads and (not diagnosis or diagnosis.fit is Fit.KIND):
        lines += _beside(beside, style)
    if message.picture and not (message.compared and len(message.picture.got) == 1):
        lines += [f"    {line}" for line in heat_map(message.picture, style)]
    lines += [f"    {line}" for frame in message.frames for line in frame.splitlines()]
    if message.leads and message.rest:
        lines += [style.paint(line, "dim") for line in style.wrap(while_checking(message), 2)]
    return "\n".join(lines)


def while_checking(message: Message) -> str:
    """The claim, where what happened comes first."""
    return f"while checking: {message.rest}"


def _wrapped(text: str, style: Style, indent: int) -> list[str]:
    """Each line wrapped by itself, unless it is aligned with others; none for an empty text."""
    margin = " " * indent
    return [
        line
        for paragraph in text.splitlines()
        for line in (
            [f"{margin}{paragraph}"]
            if paragraph.startswith(ALIGNED)
            else style.wrap(paragraph, indent)
        )
    ]


def _own_cause(message: Message, style: Style) -> list[str]:
    return [style.paint(line, "cyan") for line in _wrapped(message.cause, style, 2)]


def _beside(claims: Sequence[str], style: Style) -> list[str]:
    """The next claims that fail; what they have in common is often what is wrong."""
    more = len(claims) - MOST_BESIDE
    items = [f"- {claim}" for claim in claims[:MOST_BESIDE]]
    items += [f"and {more} more"] if more > 0 else []
    head = style.wrap("these claims fail too:", 2)
    return [*head, *(line for claim in items for line in style.wrap(claim, 4))]


def cause(diagnosis: Diagnosis, style: Style) -> list[str]:
    """The known mistakes behind what was seen."""
    head = headline(diagnosis)
    lines = [style.paint(line, "cyan", "bold") for line in style.wrap(head, 2)]
    for mistake in diagnosis.mistakes:
        # No claim can tell twins apart, so that they have the same symptom.
        twin = diagnosis.fit is Fit.TWINS
        lines += _explained(mistake, style, titled=diagnosis.fit not in ALONE, symptom=not twin)
    return lines


def headline(diagnosis: Diagnosis) -> str:
    """The line above the mistakes: how many claims they explain, and so how sure they are."""
    text = HEADLINES[diagnosis.fit].format(claims=_claims(diagnosis))
    return f"{text} {diagnosis.mistakes[0].title}" if diagnosis.fit in ALONE else text


def _claims(diagnosis: Diagnosis) -> str:
    """The number of failing claims that are explained."""
    about = f" about `{diagnosis.about}`" if diagnosis.about else ""
    if diagnosis.claims < diagnosis.failing:
        text = f"{diagnosis.claims} of the {diagnosis.failing} claims{about} that fail"
    else:
        text = "this claim" if diagnosis.claims == 1 else f"all {diagnosis.claims} claims{about}"
    if not diagnosis.others:
        return text
    verb = "other fails" if diagnosis.others == 1 else "others fail"
    return f"{text}; {diagnosis.others} {verb}, too"


def _explained(mistake: Mistake, style: Style, *, titled: bool, symptom: bool) -> list[str]:
    """The lines of a mistake: its title if there are several, its symptom and the reason."""
    lines = style.wrap(f"- {mistake.title}", 4) if titled else []
    texts = [mistake.symptom if symptom else "", mistake.why]
    lines += [line for text in texts if text for line in style.wrap(text, 6 if titled else 4)]
    return [style.paint(line, "cyan") for line in lines]


def heat_map(picture: Picture, style: Style) -> list[str]:
    """The map of what was expected beside that of what was got, or above it if it is narrow."""
    room = max(style.width, NARROWEST) - MARGIN
    pen = _pen(picture, style)
    fit = ((room - len(BETWEEN)) // 2 - pen.margin) // pen.width
    detail = part(picture, MOST_ROWS, min(MOST_COLUMNS, max(fit, LEAST_COLUMNS)))
    left, right = (_lines(side, pen) for side in maps(detail)[:2])
    below = [line for caption in captions(detail) for line in wrap(caption, room)]
    return [line.rstrip() for line in [*_maps_beside(left, right, room), *below]]


def _maps_beside(left: Lines, right: Lines, room: int) -> list[str]:
    width, other = (max(wide for _, wide in side) for side in (left, right))
    if width + len(BETWEEN) + other > room:
        return [line for line, _ in [*left, *right]]
    pairs = zip(left, right, strict=True)
    return [f"{a}{' ' * (width - wide)}{BETWEEN}{b}" for (a, wide), (b, _) in pairs]


@dataclass(frozen=True)
class _Pen:
    """How the cells of a picture are drawn.

    Attributes:
        style: of the terminal.
        top: what is darkest; the few shades are spread from zero to the most that is expected.
        digits: how long the longest number is; 0 for shades.
        width: of a cell, with a space behind it.
        margin: of the indices of rows.
    """

    style: Style
    top: float
    digits: int
    width: int
    margin: int


def _pen(picture: Picture, style: Style) -> _Pen:
    values = [*chain(*picture.expected, *picture.got)]
    digits = max(len(tiny(value)) for value in values)
    finite = [value for value in values if math.isfinite(value)]
    shades = not style.grounds and all(0 <= value <= 1 for value in finite)
    name = len(str(picture.column + len(picture.got[0])))
    width = max(name, 3 if shades else digits + 2) + 1
    top = _top(chain(*picture.expected)) or _top(values)
    return _Pen(style, top, 0 if shades else digits, width, len(str(picture.row + MOST_ROWS)) + 1)


def _top(values: Iterable[float]) -> float:
    return max(filter(math.isfinite, values), default=0.0)


def _lines(side: Map, pen: _Pen) -> Lines:
    """The title, the indices of the columns, and each row with its index."""
    head = " " * pen.margin + "".join(
        f"{column_name:>{pen.width - 2}}  " for column_name in side.column_names
    )
    lines = [(side.title, len(side.title)), (pen.style.paint(head, "dim"), len(head))]
    for name, row in zip(side.row_names, side.rows, strict=True):
        index = pen.style.paint(f"{name:>{pen.margin - 1}} ", "dim")
        lines.append((index + "".join(_drawn(cell, side.kind, pen) for cell in row), len(head)))
    return lines


def _drawn(cell: Cell, kind: str, pen: _Pen) -> str:
    text = tiny(cell.value) if pen.digits else _shade(cell, pen)
    text = f"{_enclosed(cell, text):>{pen.width - 1}}"
    codes = _codes(cell, kind, pen.style)
    return f"\033[{';'.join(codes)}m{text}\033[0m " if codes else f"{text} "


def _enclosed(cell: Cell, text: str) -> str:
    if cell.worst:
        return f">{text}<"
    return f"[{text}]" if cell.wrong else f" {text} "


def _shade(cell: Cell, pen: _Pen) -> str:
    shades = pen.style.shades
    if cell.sign or not cell.value:
        return cell.sign or shades[0]
    return shades[min(4, 1 + int(3.999 * min(cell.value / pen.top, 1)))]


def _codes(cell: Cell, kind: str, style: Style) -> Sequence[str]:
    """The colours of a cell: its ground and letters; what is wrong without a ground is red."""
    ground = _ground(cell, kind) if style.grounds else 0
    if not ground:
        return ["31"] if cell.wrong and style.colour else []
    return [*["1"] * cell.wrong, f"38;5;{BLACK}", f"48;5;{ground}"]


def _ground(cell: Cell, kind: str) -> int:
    """The colour behind a number: how large it is, or where it belongs; 0 for none."""
    if cell.hue >= 0:
        return PLACES[cell.place % len(PLACES)]
    ramp = ORANGE if kind == GOT and cell.wrong else BLUE
    return ramp[min(4, int(4.999 * cell.share))] if cell.share else 0


def tiny(value: float) -> str:
    """A number in at most five characters."""
    size = abs(value)
    if 0.005 <= size < 1000 and not value.is_integer():
        text = f"{value:.{2 if size < 10 else 1 if size < 100 else 0}f}"
        return text.replace("0.", ".", 1) if size < 0.995 else text
    return short_number(value, whole=10_000, least=0.005, most=1000).replace("+", "")


def watch_headline(verdict: ExerciseVerdict, seconds: float, style: Style) -> str:
    """The headline, with the time of day and how long it took, if there is room for them."""
    every = list(_headlines(verdict, seconds, style))
    fitting = next((headline for headline in every if len(headline) <= style.width), every[-1])
    return style.paint(fitting, "bold", _colour(verdict))


def _colour(verdict: ExerciseVerdict) -> str:
    """What is not written yet is not wrong."""
    if verdict.done:
        return "green"
    return "yellow" if verdict.in_work or verdict.state is State.NOT_STARTED else "red"


def _headlines(verdict: ExerciseVerdict, seconds: float, style: Style) -> Iterator[str]:
    """The headlines to choose from, the longest first."""
    state = State.SKIPPED if verdict.in_work else verdict.state
    mark = style.marks.get(state, style.marks[State.FAILED])
    full, now = standing(verdict), time.strftime("%H:%M:%S")
    for status in (full, full.split(",")[0]):
        head = f"{mark} {verdict.slug}: {status}"
        yield f"{now}  {head}  ({seconds:.2f} s)"
        yield head


def prints(verdict: ExerciseVerdict) -> list[str]:
    """What the failing call has printed: its end, if it is long."""
    if not (printed := verdict.printed.strip()):
        return []
    lines = printed[-LONGEST_OUTPUT:].splitlines()[-MOST_LINES:]
    whole = len("\n".join(lines)) == len(printed)
    return ["printed by this call:" if whole else "printed by this call, at its end:", *lines]
