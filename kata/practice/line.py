"""Hunts by line: a function is wrong in one place; find the line and mend it with few changes."""

import ast
import io
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import chain
from pathlib import Path
from random import Random

from kata.course.catalogue import Bug, bugs, changed, target_of
from kata.course.curriculum import Exercise
from kata.course.source import UnusableError, parse, read, tree_of
from kata.errors import UserError
from kata.judging.attempt import Attempt
from kata.judging.judge import check
from kata.practice.evidence import claims_of, part, place, replaced, tops
from kata.practice.memory import Memory, Open
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, Message

MOST_LINES = 2  # that a mistake changes: it is in one place
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
          tokenize.ENCODING, tokenize.ENDMARKER}  # fmt: skip
Judge = Callable[[str], ExerciseVerdict]  # of the text of a whole file
NONE_WAITS = (
    "no file waits to be mended; `kata hunt ex05 --form line` makes one, "
    "of any exercise that you have passed"
)


@dataclass(frozen=True)
class Line:
    """A hunt for the line of a function that is wrong.

    Attributes:
        exercise: that it belongs to.
        bug: the mistake.
        name: the function or class that it is in.
        base: the right file that it was made in.
        wrong: the whole file with the mistake in it.
    """

    exercise: Exercise
    bug: Bug
    name: str
    base: str
    wrong: str

    @property
    def made_in(self) -> str:
        """A digest of the right file: enough to make the hunt anew."""
        return _digest(self.base)

    @property
    def code(self) -> str:
        """The function alone, as it is to be mended."""
        return part(self.wrong, tops(self.wrong)[self.name])

    @property
    def fewest(self) -> int:
        """The number of tokens that undo the mistake."""
        return changed_tokens(self.code, part(self.base, tops(self.base)[self.name]))

    @property
    def file(self) -> str:
        """The file for the learner: what to do, the imports, and the function."""
        slug, short = self.exercise.slug, self.exercise.short
        head = (
            f"# {slug}: `{self.name}` is wrong in one place.\n"
            f"# Mend it with as few changes as you can, then type `kata hunt {short} --check`.\n"
            f"# Nothing but `{self.name}` is read here: "
            "the other functions are right, and not shown."
        )
        lines = self.base.splitlines()
        imports = [
            line
            for statement in tree_of(self.base).body
            if isinstance(statement, ast.Import | ast.ImportFrom)
            for line in lines[statement.lineno - 1 : statement.end_lineno]
        ]
        return "\n".join([head, "", *imports, "", "", self.code]) + "\n"

    def mended(self, path: Path, text: str) -> str:
        """Return the whole file with the function of a text; raise UnusableError without one."""
        functions = tops(parse(path, text).text)
        if self.name not in functions:
            raise UnusableError(f"`{self.name}` is not there")
        return replaced(self.base, self.name, part(text, functions[self.name]))


def line(exercise: Exercise, bug: Bug, own: str) -> Line | None:
    """Return the hunt for this mistake, in the learner's own file or another.

    None if the mistake is too large, or fits no file.
    """
    name = place(exercise, bug)
    if not name or bug.remembers or len(bug.change) != 1 or _lines(bug) > MOST_LINES:
        return None
    for base in _bases(exercise, own):
        if (wrong := _with_mistake(base, bug, name)) and _is_caught(exercise, bug, wrong):
            return Line(exercise, bug, name, base, wrong)
    return None


def line_again(exercise: Exercise, bug: Bug, own: str, made_in: str) -> Line | None:
    """Return the same hunt, from the file with this digest, or from another if it is gone."""
    name = place(exercise, bug)
    bases = sorted(_bases(exercise, own), key=lambda base: _digest(base) != made_in)
    pairs = ((base, _with_mistake(base, bug, name)) for base in bases)
    return next((Line(exercise, bug, name, base, wrong) for base, wrong in pairs if wrong), None)


def some_line(exercise: Exercise, own: str, seed: int, solved: frozenset[str]) -> Line | None:
    """Return a hunt for any mistake that is not solved yet: the same for the same seed."""
    left = [bug for bug in bugs(exercise) if bug.slug not in solved]
    Random(f"{exercise.slug} {seed}").shuffle(left)
    return next(filter(None, (line(exercise, bug, own) for bug in left)), None)


def _bases(exercise: Exercise, own: str) -> Iterator[str]:
    """Right files in which a mistake may be made, the learner's own first."""
    return chain([own], _accepted(exercise), [changed(exercise)])


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _lines(bug: Bug) -> int:
    return max(text.strip("\n").count("\n") + 1 for pair in bug.change for text in pair)


def _accepted(exercise: Exercise) -> Iterator[str]:
    for path in sorted(exercise.accepted.glob("*.py")):
        yield read(path).text


def _with_mistake(base: str, bug: Bug, name: str) -> str:
    """The file with the mistake in this function; "" if it cannot be made there."""
    wrong = base
    for find, instead in bug.change:
        if wrong.count(find) != 1:
            return ""
        wrong = wrong.replace(find, instead)
    try:
        before, after = tops(base), tops(wrong)
    except SyntaxError:
        return ""
    if before.keys() != after.keys() or name not in before:
        return ""
    right, mistaken = part(base, before[name]), part(wrong, after[name])
    is_alone = replaced(wrong, name, right).split() == base.split()
    return wrong if is_alone and right != mistaken else ""


def _is_caught(exercise: Exercise, bug: Bug, wrong: str) -> bool:
    """Whether it is as wrong there as in the reference: the same claim does not hold."""
    attempt = Attempt(exercise, target_of(exercise, wrong))
    return any(not check(claim, attempt).held for claim in claims_of(exercise, bug))


def changed_tokens(before: str, after: str) -> int:
    """Return how many tokens differ; layout and comments are none."""
    matcher = SequenceMatcher(None, _tokens(before), _tokens(after), autojunk=False)
    steps = matcher.get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in steps if kind != "equal")


def _tokens(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type not in SILENT]


@dataclass(frozen=True)
class Mending:
    """The state of a file that is to be mended.

    Attributes:
        hunt: that it belongs to.
        count: how many tokens are changed so far.
        verdict: on the whole file; None if it was not judged.
        error: why it could not be judged.
    """

    hunt: Line
    count: int = 0
    verdict: ExerciseVerdict | None = None
    error: str = ""

    @property
    def is_done(self) -> bool:
        """Whether all claims hold."""
        return self.verdict is not None and self.verdict.done


def mending(hunt: Line, path: Path, text: str, judge: Judge) -> Mending:
    """Judge the mended function; nothing is judged before something is changed."""
    try:
        whole = hunt.mended(path, text)
    except UnusableError as error:
        return Mending(hunt, error=str(error))
    count = changed_tokens(hunt.wrong, whole)
    return Mending(hunt, count, judge(whole) if count else None)


def mending_lines(mending: Mending, place: str, style: Style) -> Iterator[str]:
    """Yield the lines about a mending; `place` is where the function is."""
    if mending.error:
        yield from style.wrap(f"{place}: not yet.")
        yield from (f"  {line}" for line in mending.error.splitlines())
    elif mending.verdict is None:
        yield from style.wrap(f"{place}: nothing is changed yet")
    elif mending.is_done:
        yield from _done_lines(mending, place, style)
    else:
        yield from style.wrap(f"{place}: not yet. Changed tokens so far: {mending.count}.")
        if failure := _failure(mending.verdict):
            yield from message(failure, style).splitlines()


def _done_lines(mending: Mending, place: str, style: Style) -> Iterator[str]:
    hunt, count = mending.hunt, mending.count
    text = (
        f"{place}: mended: all claims of {hunt.exercise.slug} hold. "
        f"Changed tokens: {count}; the fewest known: {min(hunt.fewest, count)}."
    )
    yield from style.wrap(text)
    yield from style.wrap(f"It was: {hunt.bug.title}. {hunt.bug.why}")


def _failure(verdict: ExerciseVerdict) -> Message | None:
    """The message of the first failure, without what would tell the line."""
    first = verdict.first_failure
    if first is None or first.message is None:
        return None
    return replace(first.message, remark="", cause="", frames=[], picture=None)


def of_passed(named: Exercise | None, done: list[Exercise], seed: int) -> Exercise:
    """Return this exercise, or one that is passed; raise UserError if there is none."""
    if named and named not in done:
        raise UserError(
            f"{named.slug} is not passed yet: the file would show the right lines of its solution"
        )
    if not (named or done):
        raise UserError(NONE_WAITS)
    return named or Random(seed).choice(done)


def begin(memory: Memory, exercise: Exercise, own: str, seed: int) -> Line:
    """Begin a hunt for a mistake that was not mended before, if possible in the learner's text.

    Raises UserError if there is none left.
    """
    hunt = some_line(exercise, own, seed, memory.solved(exercise.slug))
    if hunt is None:
        raise UserError(f"{exercise.slug}: there is no such file left to be mended")
    memory.begin(exercise.slug, Open(hunt.bug.slug, hunt.made_in))
    memory.save()
    return hunt


def waiting(memory: Memory, exercise: Exercise, own: str) -> Line:
    """Make the hunt anew that was begun; raise UserError if none waits to be mended."""
    file = memory.open(exercise.slug)
    bug = next((bug for bug in bugs(exercise) if file and bug.slug == file.bug), None)
    line = line_again(exercise, bug, own, file.made_in) if file and bug else None
    if line is None:
        raise UserError(NONE_WAITS)
    return line


def end(memory: Memory, exercise: Exercise) -> None:
    """Remember that the file is mended."""
    memory.solve(exercise.slug)
    memory.save()
