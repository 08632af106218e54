"""The limits of what a verdict says: how much evidence, which of it is an accident, and its lines.

Called by `judge`. A submission can make its process say anything: megabytes, words for the
instructor, or the reference, which is in its memory where it stands in for an exercise. What
somebody left in the code by accident, such as a debugger, a plot or a file for notes, is reported
as that if a line of the text explains it; everything else that a worker noticed remains tampering.
A file that was put together has other lines than its author knows: cells of a notebook, or lines of
a file with several exercises. The code is hostile input: it is parsed, and never executed.
"""

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from kata.course.curriculum import exercises
from kata.course.source import TOO_DEEP, read, tree_of
from kata.grading.collecting.submissions import Origin
from kata.grading.steps import bound
from kata.inside import audit
from kata.text import MORE, clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

MOST_TOLD = 28_000  # bytes in JSON of all messages of an exercise, as much as honest work has
MOST_FRAMES = 2_000  # of them for lines of the submission's own
MOST_FREE = 400  # bytes in words of its own, if the reference stands in
WITHHELD = (
    "not shown: where the reference stands in for an earlier exercise, a report has room for"
    f" {MOST_FREE} characters of your code's own words"
)
LONGEST_WORD = 60
LONGEST_QUOTE = 40  # characters of the reference's code, without spaces
WORD = re.compile(rf"(\S{{{LONGEST_WORD}}})\S+")
# Evidence in which there is nothing but numbers and words of the suite.
MEASURED = re.compile(
    r"\d+ of \d+ values |([\w ]+: )?(shape|dtype) |`\w+` was changed"
    r"|[^'\"]{1,80}: expected [-+.\w ]{1,60}, got [-+.\w]{1,30}$"
)
IN_WORDS = {State.FAILED, State.ERROR}  # in other states the words are the judge's
QUOTES = re.compile("['\"]")
CODE = {tokenize.NAME, tokenize.OP, tokenize.NUMBER}
PLACE = re.compile(r"(?:submission/)?(ex\d\d_\w+)\.py:(\d+)\b")  # as tracebacks say it
FLAGGED = re.compile(r"(?<=: )lines? (\d+(?:, \d+)*)")  # as flags do
Notebooks = Mapping[str, Origin]  # by exercise


def bounded(verdict: ExerciseVerdict, solutions: Path | None = None) -> ExerciseVerdict:
    """Cut the evidence of a verdict, if there is too much of it or it says too much.

    Args:
        verdict: on one exercise.
        solutions: where the reference is that stood in, if not the kata's own.
    """
    stood_in = [_reference(slug, solutions) for slug in verdict.stand_ins]
    allowance = _Allowance(stood_in) if stood_in else None
    claims = _within_limits(verdict.claims, allowance)
    return replace(
        verdict,
        claims=tuple(claims),
        printed=allowance.grant(verdict.printed) if allowance else verdict.printed,
        tampering=tuple(dict.fromkeys(map(audit.redact, verdict.tampering))),
    )


def _within_limits(
    claims: Iterable[ClaimVerdict], allowance: "_Allowance | None"
) -> Iterator[ClaimVerdict]:
    """Cut messages in file order, as learners read them: the first ones keep their evidence."""
    left, of_frames = MOST_TOLD, MOST_FRAMES
    for claim in claims:
        message = claim.message
        if not message:
            yield claim
            continue
        if allowance:
            message = allowance.granted(message, claim.state)
        of_frames -= _size(message.frames)
        frames = message.frames if of_frames >= 0 else []
        evidence = WORD.sub(rf"\1{MORE}", message.evidence)
        message = replace(message, evidence=evidence, frames=frames)
        # All but the claim itself, and the picture, which is kept of one claim alone.
        texts = [message.inputs, evidence, message.cause, message.compared, message.remark]
        left -= _size([*texts, *frames])
        if left < 0:
            text = "not shown: the claims before this one fill the report"
            message = Message(message.claim, evidence=text, line=message.line, leads=message.leads)
        yield replace(claim, message=message)


def _size(texts: list[str]) -> int:
    """Return the size of messages as they are written down."""
    return len(json.dumps(texts))


class _Allowance:
    """The room for words of its own, for code that has the reference in reach.

    Args:
        references: the code that stood in, without spaces, texts and comments.
    """

    def __init__(self, references: list[str]) -> None:
        self._references = references
        self._left = MOST_FREE
        self._granted: dict[str, str] = {}

    def granted(self, message: Message, state: State) -> Message:
        """Cut a message to the allowance that is left."""
        inputs, evidence = message.inputs, message.evidence
        if QUOTES.search(inputs):  # a text that the submission returned became an input
            inputs = self.grant(inputs)
        measured = state is State.FAILED and not message.leads and MEASURED.match(evidence)
        if state in IN_WORDS and not measured:
            evidence = self.grant(evidence)
        return replace(message, inputs=inputs, evidence=evidence)

    def grant(self, text: str) -> str:
        """Cut a text to the allowance that is left; what was said before costs nothing."""
        if text not in self._granted:
            short = text.encode("utf-8", "replace")[: self._left].decode("utf-8", "ignore")
            if text and (not short or self._quotes(text)):
                self._granted[text] = WITHHELD
            else:
                self._left -= len(short.encode())
                self._granted[text] = text if short == text else f"{short}{MORE}"
        return self._granted[text]

    def _quotes(self, text: str) -> bool:
        """Return whether a text holds a longer piece of the reference."""
        bare = "".join(text.split())
        pieces = (bare[at : at + LONGEST_QUOTE] for at in range(len(bare) - LONGEST_QUOTE + 1))
        return any(piece in code for piece in pieces for code in self._references)


def _reference(slug: str, solutions: Path | None) -> str:
    exercise = exercises()[slug]
    text = read(exercise.solution_in(solutions)).text
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "".join(token.string for token in tokens if token.type in CODE)


# -- accidents

MISSING = re.compile(r"No module named '(\w+)[\w.]*'")
MOST_LINES = 5
GRADED_THERE = "where it is graded"
# Calls, by what stands behind their last dot.
STOPPING = {"breakpoint", "set_trace", "post_mortem"}
IN_THE_MIDDLE = {"embed": "IPython", "interact": "code"}  # debuggers if this is imported
USING_FILES = {
    *("open", "save", "savez", "savetxt", "load", "loadtxt", "genfromtxt", "fromfile", "tofile"),
    *("memmap", "read_text", "write_text", "read_bytes", "write_bytes", "read_csv", "to_csv"),
    *("basicConfig", "FileHandler", "savefig", "imsave", "imread", "remove", "unlink", "rename"),
    *("mkdtemp", "mkstemp", "TemporaryFile", "NamedTemporaryFile", "TemporaryDirectory", "touch"),
    *("listdir", "scandir", "iterdir", "glob", "rglob", "walk", "SummaryWriter", "embed"),
}
DRAWING = {"show", "savefig", "plot", "imshow", "figure", "subplots", "matshow", "heatmap"}
PLOTTING = ("matplotlib", "seaborn", "plotly")
# What a worker reports, as text: `open('notes.txt', 'r')`.
EVENT = re.compile(r"([\w.]+)\((?:b?(['\"])(.*?)\2…?)?(?:, '?(\w+)'?)?")
CLEARING = {"cls", "clear"}
# Files that nobody opens by accident: the system's, and what has such a name.
SYSTEM = ("/etc", "/proc", "/sys", "/root", "/dev", "/boot", "/run", "/usr", "/var", "/lib")
TEMPORARY = ("/tmp/", "/var/tmp/", "/usr/tmp/")
FOREIGN = re.compile(
    r"solution|graded|grader|\bbugs\b|\bgrades\b|submission|passw|secret|shadow|credential"
    r"|autograder|(^|/)results/|(^|/)\.(?!\.?/)",
    re.IGNORECASE,
)
OF_PLOTS = re.compile(r"font|matplotlib|mpl|fc-list", re.IGNORECASE)
OF_DEBUGGERS = re.compile(r"(^|/)\.(pdbrc|inputrc|ipython|jupyter|local)")
WRITING = re.compile(r"[wax+]")
LISTING = {"os.listdir", "os.scandir"}
CHANGING = {"os.remove", "os.rename", "os.rmdir"}
OF_FILES = {"open", *LISTING, *CHANGING}
OF_PLOTTING = {*OF_FILES, "subprocess.Popen"}


@dataclass(frozen=True)
class Noticed:
    """The accidents in the code, for everybody to read, and the reports that none explains."""

    left_over: tuple[str, ...]
    tampering: tuple[str, ...]


def sort_out(text: str, reports: Sequence[str], claims: Iterable[ClaimVerdict]) -> Noticed:
    """Sort what a worker reports, and packages that were missing, by what the text says.

    Where so much was tried that not all of it was written down, nothing of it is an accident.
    """
    code = _Code(text)
    explained = {report: code.explanation(report) for report in reports}
    too_many = len(reports) >= audit.MOST
    harm = tuple(report for report in reports if too_many or not explained[report])
    accidents = [*code.debuggers, *code.missing_packages(claims), *explained.values()]
    return Noticed(tuple(dict.fromkeys(filter(None, accidents))), harm)


class _Code:
    """The text of an answer, with what was left in it by accident."""

    def __init__(self, text: str) -> None:
        try:
            self._nodes = [*ast.walk(tree_of(text))]
        except (SyntaxError, ValueError, *TOO_DEEP):
            self._nodes = []
        # What is called by a name, with its line.
        self._calls = [(name, node.lineno) for node in self._nodes
                       if isinstance(node, ast.Call) and (name := _dotted(node.func))]  # fmt: skip
        self.debuggers = [*self._debuggers()]
        self._accidents = [*self._possible_accidents()]

    def explanation(self, report: str) -> str:
        """Say which accident explains what a worker reports; empty if none does."""
        parts = EVENT.match(report)  # what it says in words of its own has no name
        noticed = _Event(parts[1], parts[3] or "", parts[4] or "") if parts else _Event("", "", "")
        return next((text for explains, text in self._accidents if explains(noticed)), "")

    def missing_packages(self, claims: Iterable[ClaimVerdict]) -> Iterator[str]:
        """Name the packages that are imported here and were not there."""
        texts = (claim.message.evidence for claim in claims if claim.message)
        for name in sorted({name for text in texts for name in MISSING.findall(text)}):
            if lines := self._imports(name):
                yield f"`{name}` is not installed where this was graded: {_where(lines)}"

    def _debuggers(self) -> Iterator[str]:
        stops: dict[str, list[int]] = {}
        for name, line in self._calls:
            last = name.rpartition(".")[2]
            if last in STOPPING or self._imports(IN_THE_MIDDLE.get(last, "")):
                stops.setdefault(name, []).append(line)
        for name, lines in stops.items():
            yield f"`{clean(name)}()` was left in the code: {_where(lines)}"

    def _possible_accidents(self) -> Iterator[tuple[Callable[["_Event"], bool], str]]:
        """Yield tests for what may happen by accident in this code, with the text about it."""
        if self.debuggers:
            yield _of_a_debugger, self.debuggers[0]
        if imports := [line for package in PLOTTING for line in self._imports(package)]:
            where = _where(self._lines_of(DRAWING) or imports)
            text = f"a plot was left in the code, and there is no screen {GRADED_THERE}: {where}"
            yield from ((_of_a_plot, text), (_of_a_file, text))  # it keeps files of its own
        if lines := self._lines_of({"system"}):
            text = f"the code clears a screen, and there is none {GRADED_THERE}: {_where(lines)}"
            yield _of_a_screen, text
        if lines := self._lines_of(USING_FILES):
            text = f"the code uses a file, and there are none {GRADED_THERE}: {_where(lines)}"
            yield _of_a_file, text

    def _lines_of(self, names: set[str]) -> list[int]:
        return [line for name, line in self._calls if name.rpartition(".")[2] in names]

    def _imports(self, package: str) -> list[int]:
        """Return the lines that import something of a package."""
        imports = (node for node in self._nodes if isinstance(node, ast.Import | ast.ImportFrom))
        return [node.lineno for node in imports for _, path in bound(node)
                if package and path.partition(".")[0] == package]  # fmt: skip


def _dotted(node: ast.expr) -> str:
    """Return a name like `pdb.set_trace`; of a longer expression the last name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=first), attr=name):
            return f"{first}.{name}"
        case ast.Attribute(attr=name):
            return name
    return ""


def _where(lines: Iterable[int]) -> str:
    """List the first of these lines, in words."""
    first = sorted(set(lines))[:MOST_LINES]
    return f"line{'s' * (len(first) > 1)} {', '.join(map(str, first))}"


@dataclass(frozen=True)
class _Event:
    """A report of a worker, in parts."""

    name: str
    path: str
    mode: str


def _of_a_debugger(noticed: _Event) -> bool:
    """Return whether a debugger does this by itself when it starts."""
    opens = noticed.name in {"open", *LISTING} and OF_DEBUGGERS.search(noticed.path)
    return noticed.name == "sys.settrace" or bool(opens)


def _of_a_plot(noticed: _Event) -> bool:
    """Return whether a plotting library does this by itself, looking for fonts and settings."""
    return noticed.name in OF_PLOTTING and bool(OF_PLOTS.search(noticed.path))


def _of_a_screen(noticed: _Event) -> bool:
    return noticed.name == "os.system" and noticed.path in CLEARING


def _of_a_file(noticed: _Event) -> bool:
    """Return whether this is about a file of the author's own, judging by its name."""
    if noticed.name not in OF_FILES or FOREIGN.search(noticed.path):
        return False
    path = PurePosixPath(noticed.path)
    elsewhere = ".." in path.parts and not WRITING.search(noticed.mode)
    deeper = path.is_absolute() and noticed.name in LISTING | CHANGING
    refused = elsewhere or deeper or noticed.path.startswith(SYSTEM)
    return noticed.path.startswith(TEMPORARY) or bool(noticed.path and not refused)


# -- the lines of a file that was put together


def in_cells(verdict: ExerciseVerdict, notebooks: Notebooks) -> ExerciseVerdict:
    """Name cells instead of lines, where the author has a notebook and no file."""
    if not notebooks:
        return verdict
    own = notebooks.get(verdict.slug)
    claims = tuple(replace(claim, message=claim.message and _message(claim.message, notebooks, own))
                   for claim in verdict.claims)  # fmt: skip
    flags, left_over = verdict.flags, verdict.left_over
    if own:
        place = partial(FLAGGED.sub, lambda match: _lines(match, own))
        flags, left_over = tuple(map(place, flags)), tuple(map(place, left_over))
    return replace(verdict, claims=claims, flags=flags, left_over=left_over)


def _message(message: Message, notebooks: Notebooks, own: Origin | None) -> Message:
    frames = [PLACE.sub(lambda place: _place(place, notebooks), frame) for frame in message.frames]
    line = message.line
    if own:  # the author's own file is opened at a line, and a notebook at none
        line = own.places.get(line, (0, 0))[1] if own.script else 0
    return replace(message, frames=frames, line=line)


def _place(match: re.Match[str], notebooks: Notebooks) -> str:
    """Return a place in a file as it is, and a place in a notebook by its cell."""
    notebook = notebooks.get(match[1])
    if notebook and (place := notebook.modules.get(int(match[2]))):
        return f"{place[0]}:{place[1]}"
    if notebook is None or int(match[2]) not in notebook.places:
        return match[0]
    if notebook.script:
        return f"{notebook.name}:{notebook.places[int(match[2])][1]}"
    return f"{notebook.name}, {_in_words(notebook, int(match[2]))},"


def _lines(match: re.Match[str], notebook: Origin) -> str:
    lines = [int(number) for number in match[1].split(", ")]
    if not all(line in notebook.places or line in notebook.modules for line in lines):
        return match[0]
    return "; ".join(_in_words(notebook, line) for line in lines)


def _in_words(notebook: Origin, line: int) -> str:
    if line in notebook.modules:
        name, own = notebook.modules[line]
        return f"line {own} of {clean(name)}"
    cell, line_in_cell = notebook.places[line]
    if notebook.script:
        return f"line {line_in_cell} of {clean(notebook.name)}"
    return f"code cell {cell}, line {line_in_cell}"
