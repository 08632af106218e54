"""The report on a proof: what it refuses, catches, misses, and has twice, in this order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from kata.course.curriculum import exercises
from kata.course.source import contract
from kata.proofs.answers import groups, hardest, whole
from kata.proofs.verdict import LEVELS, ProofVerdict, Refusal, TestState, TestVerdict
from kata.terminal.style import Style

MOST_SPARE = 3  # tests that add nothing, which are named
Row = tuple[str, ...]
Place = Callable[[int], str]  # names a line
INDENT = 2


def in_file(line: int) -> str:
    """Name a line of a file."""
    return f"line {line}"


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Attributes:
        title: its heading.
        code: the error of a test, as it stands.
        texts: sentences.
        table: rows of cells, the first of which is the heading.
    """

    title: str
    code: str = ""
    texts: tuple[str, ...] = ()
    table: tuple[Row, ...] = ()


def head(verdict: ProofVerdict) -> str:
    """Return a sentence: how much of level 1 is caught."""
    if verdict.refuses:
        why = "a test refuses a right answer, so the mark is nothing until it is mended"
        return f"{verdict.slug}: {why}"
    caught, count = len(verdict.caught(1)), len(verdict.of(1))
    return f"{verdict.slug}: your tests catch {caught} of the {count} wrong answers of level 1"


def troubles(verdict: ProofVerdict, place: Place = in_file) -> Iterator[Section]:
    """Report the tests that have something wrong; refusals of a right answer come first."""
    for test in sorted(verdict.tests, key=lambda test: test not in verdict.refuses):
        yield from trouble(verdict, test, place)
    yield from about_file(verdict)


def about_file(verdict: ProofVerdict) -> Iterator[Section]:
    """Report remarks on the file as a whole."""
    if verdict.remarks:
        yield Section("about the file", texts=verdict.remarks)


def all_in_all(verdict: ProofVerdict, level: int = LEVELS[-1]) -> Iterator[Section]:
    """Report what the tests catch, miss and have twice, on the levels up to this one."""
    if not any(test.counts for test in verdict.tests):
        return
    yield _caught(verdict, level)
    if verdict.survivors(level):
        yield _missed(verdict, level)
    if verdict.adds_nothing:
        yield Section("what adds nothing", texts=tuple(_spare(verdict)))
    if level == LEVELS[-1] and (different := _different(verdict)):
        yield Section("", texts=(different,))


def trouble(verdict: ProofVerdict, test: TestVerdict, place: Place) -> Iterator[Section]:
    """Report why a test does not count, or a remark on a test that does."""
    heading = f"`{test.name}`, {place(test.line)}"
    if test.state is TestState.REFUSES:
        yield _refused(verdict, test, place)
    elif test.state is TestState.BROKEN and test.refusals:
        first = test.refusals[0]
        where = place(first.line or test.line)
        yield Section(f"`{test.name}` fails on every right answer, in {where}:", first.error)
    elif test.state is TestState.RANDOM and test.refusals:
        first = test.refusals[0]
        where = place(first.line or test.line)
        yield Section(f"`{test.name}` is random, in {where}:", first.error, (test.remark,))
    elif test.counts and not test.catches and not verdict.is_partial:
        nothing = (
            "it catches nothing: it holds for every right answer, "
            f"and for each of the {len(verdict.wrong)} wrong ones, too"
        )
        yield Section(heading, texts=tuple(filter(None, (nothing, test.remark))))
    elif test.remark:
        yield Section(heading, texts=(test.remark,))


def brief(verdict: ProofVerdict, test: TestVerdict) -> str:
    """Return the trouble with a test in a sentence; empty if there is none."""
    sentences = (
        section.title if section.code else section.texts[0]
        for section in trouble(verdict, test, in_file)
    )
    return next(sentences, "").rstrip(":")


def _refused(verdict: ProofVerdict, test: TestVerdict, place: Place) -> Section:
    # About a right answer that has a sentence of the contract, if there is one.
    refusal = next((refusal for refusal in test.refusals if refusal.because), test.refusals[0])
    count, where = len(test.refusals), place(refusal.line or test.line)
    if count == verdict.right:
        answers = "every right answer"
        why = "no right answer passes it, so it is the test that is wrong"
    else:
        answers = "a right answer" if count == 1 else f"{count} of {verdict.right} right answers"
        why = _why_right(refusal)
    return Section(f"`{test.name}` refuses {answers}, in {where}:", refusal.error, (why,))


def _why_right(refusal: Refusal) -> str:
    if not refusal.because:
        return (
            f"this answer ({refusal.answer}) is right: "
            "look for what the contract does not promise, "
            "such as a value to the last digit, or more than it says of an error"
        )
    return f'this answer ({refusal.answer}) is right; the contract says: "{refusal.because}"'


def _caught(verdict: ProofVerdict, level: int) -> Section:
    levels = LEVELS[:level]
    rows = [
        (test.name, *_cells(verdict, test, levels)) for test in verdict.tests if _is_written(test)
    ]
    every = tuple(_share(len(verdict.caught(n)), len(verdict.of(n))) for n in levels)
    together = [("all together", *every)] if len(rows) > 1 else []
    return Section(
        "what each test catches (each level contains those before it)",
        table=(_heading(levels), *rows, *together),
    )


def _cells(verdict: ProofVerdict, test: TestVerdict, levels: Iterable[int]) -> Row:
    if not test.counts:
        return ("does not count",)
    slugs = ({answer.slug for answer in verdict.of(level)} for level in levels)
    return tuple(str(len(test.catches & of_level)) for of_level in slugs)


def _is_written(test: TestVerdict) -> bool:
    return test.state is not TestState.NOT_WRITTEN


def _missed(verdict: ProofVerdict, level: int) -> Section:
    """For every function, how many of its wrong answers are left."""
    levels = LEVELS[:level]
    wrong = {answer.about for answer in verdict.of(level)}
    names = [name for name in contract(exercises()[verdict.slug]).names if name in wrong]
    rows = tuple((name, *(_left(verdict, name, n) for n in levels)) for name in names)
    return Section(
        "what gets past all of them, by the function that is wrong", table=(_heading(levels), *rows)
    )


def _left(verdict: ProofVerdict, name: str, level: int) -> str:
    about = {answer.slug for answer in verdict.of(level) if answer.about == name}
    return _share(len(about - verdict.caught(level)), len(about))


def _share(part: int, of: int) -> str:
    return f"{part} of {of}" if of else "–"


def _heading(levels: Iterable[int]) -> Row:
    return ("", *(f"level {level}" for level in levels))


def _spare(verdict: ProofVerdict) -> Iterator[str]:
    spare = verdict.adds_nothing
    for name, others in islice(spare.items(), MOST_SPARE):
        names = ", ".join(f"`{other}`" for other in others)
        yield f"`{name}`: all that it catches is caught by {names}"
    if len(spare) > MOST_SPARE:
        yield f"and {len(spare) - MOST_SPARE} more of these"


def _different(verdict: ProofVerdict) -> str:
    """How many kinds of wrong answers are caught: those of a kind fail the same claims."""
    exercise, caught = exercises()[verdict.slug], verdict.caught(LEVELS[-1])
    kinds, least = groups(exercise), hardest(exercise)
    if not kinds:  # nothing is on record
        return ""
    return (
        f"The {len(verdict.wrong)} wrong answers are of {len(kinds)} kinds; "
        f"your tests catch {whole(kinds, caught)} of these whole, "
        f"and {whole(least, caught)} of the {len(least)} that are hardest to catch."
    )


def advice(verdict: ProofVerdict, hints: str = "") -> str:
    """Return what to do next.

    Args:
        verdict: on the proof.
        hints: what to type for a hint; by default the command about a file.
    """
    short = exercises()[verdict.slug].short
    if any(_is_written(test) and not test.counts for test in verdict.tests):
        return "next: mend the tests that do not count"
    command = hints or f"kata hint --proof {short}"
    why = f"`{command}` says why your tests cannot see one of those that are left"
    if verdict.survivors(1):
        return f"next: write a test that catches more; {why}"
    if left := len(verdict.survivors(2)):
        return f"level 1 is all caught, and {left} of level 2 are left; {why}"
    return "levels 1 and 2 are all caught"


def lines(
    verdict: ProofVerdict,
    style: Style,
    level: int = LEVELS[-1],
    place: Place = in_file,
    hints: str = "",
) -> Iterator[str]:
    """Yield all of the report; `hints` is what to type for a hint, if not the usual command."""
    yield style.paint(head(verdict), "bold")
    for section in (*troubles(verdict, place), *all_in_all(verdict, level)):
        yield ""
        yield from section_lines(section, style)
    yield ""
    yield from style.wrap(advice(verdict, hints))


def summary(verdict: ProofVerdict, style: Style) -> Iterator[str]:
    """Yield the report without the troubles of single tests."""
    yield head(verdict)
    for section in (*about_file(verdict), *all_in_all(verdict)):
        yield from section_lines(section, style)
    yield from style.wrap(advice(verdict))


def trouble_of(verdict: ProofVerdict, name: str, style: Style) -> tuple[str, list[str]]:
    """Return what keeps a test from passing, in a sentence and in full.

    Both are empty if it refuses nothing, and catches something.
    """
    test = next(test for test in verdict.tests if test.name == name)
    if test.counts and test.catches:
        return "", []
    sections = trouble(verdict, test, in_file)
    lines = [line for section in sections for line in section_lines(section, style)]
    return brief(verdict, test), lines


def section_lines(section: Section, style: Style) -> Iterator[str]:
    """Yield the lines of a section."""
    if section.title:
        yield from (style.paint(line, "bold") for line in style.wrap(section.title))
    yield from (f"{' ' * INDENT * 2}{line}" for line in section.code.splitlines())
    for text in section.texts:
        yield from style.wrap(text, INDENT)
    yield from _table(section.table)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    """Columns side by side; a row may be shorter than its heading."""
    if not rows:
        return
    first = max(len(row[0]) for row in rows)
    full = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[at]) for row in full) for at in range(1, len(rows[0]))]
    for name, *cells in rows:
        padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=False)]
        yield f"{' ' * INDENT}{name:<{first}}  {'   '.join(padded)}".rstrip()
