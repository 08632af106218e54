"""What somebody left in the code by accident: a debugger, a plot, a file for notes, a package.

Called by `verdicts.judge`. The code is hostile input: it is parsed, and never executed. Only what a
line of the text explains counts as an accident; everything else that a worker noticed remains
tampering.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from kata.course.source import TOO_DEEP, tree_of
from kata.inside import audit
from kata.text import clean
from kata.verdict import ClaimVerdict

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
    """What was left in the code, for everybody to read, and what is no accident."""

    left_over: tuple[str, ...]
    tampering: tuple[str, ...]


def sort_out(text: str, reports: Sequence[str], claims: Iterable[ClaimVerdict]) -> Noticed:
    """Sort what a worker reports, and packages that were missing, by what the text says.

    Where so much was tried that not all of it was written down, nothing of it is an accident.
    """
    code = _Code(text)
    explained = {report: code.explanation(event(report)) for report in reports}
    too_many = len(reports) >= audit.MOST
    harm = tuple(report for report in reports if too_many or not explained[report])
    accidents = [*code.debuggers, *code.missing_packages(claims), *explained.values()]
    return Noticed(tuple(dict.fromkeys(filter(None, accidents))), harm)


class _Code:
    """The text of an answer, and what in it nobody asks for."""

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

    def explanation(self, noticed: "Event") -> str:
        """Say which accident explains this event; empty if none does."""
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
            if self._stops(name.rpartition(".")[2]):
                stops.setdefault(name, []).append(line)
        for name, lines in stops.items():
            yield f"`{clean(name)}()` was left in the code: {_where(lines)}"

    def _stops(self, name: str) -> bool:
        return name in STOPPING or bool(self._imports(IN_THE_MIDDLE.get(name, "")))

    def _possible_accidents(self) -> Iterator[tuple[Callable[["Event"], bool], str]]:
        """What may happen by accident in this code, with the text for it."""
        if self.debuggers:
            yield of_a_debugger, self.debuggers[0]
        if imports := [line for package in PLOTTING for line in self._imports(package)]:
            where = _where(self._lines_of(DRAWING) or imports)
            text = f"a plot was left in the code, and there is no screen {GRADED_THERE}: {where}"
            yield from ((of_a_plot, text), (of_a_file, text))  # it keeps files of its own
        if lines := self._lines_of({"system"}):
            text = f"the code clears a screen, and there is none {GRADED_THERE}: {_where(lines)}"
            yield of_a_screen, text
        if lines := self._lines_of(USING_FILES):
            text = f"the code uses a file, and there are none {GRADED_THERE}: {_where(lines)}"
            yield of_a_file, text

    def _lines_of(self, names: set[str]) -> list[int]:
        return [line for name, line in self._calls if name.rpartition(".")[2] in names]

    def _imports(self, package: str) -> list[int]:
        """The lines that import something of it."""
        imports = (node for node in self._nodes if isinstance(node, ast.Import | ast.ImportFrom))
        return [node.lineno for node in imports if package and package in _packages(node)]


def _dotted(node: ast.expr) -> str:
    """`pdb.set_trace`; of a longer expression its last name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=first), attr=name):
            return f"{first}.{name}"
        case ast.Attribute(attr=name):
            return name
    return ""


def _packages(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        return set() if node.level else {(node.module or "").partition(".")[0]}
    return {name.name.partition(".")[0] for name in node.names}


def _where(lines: Iterable[int]) -> str:
    """The first of these lines, in words."""
    first = sorted(set(lines))[:MOST_LINES]
    return f"line{'s' * (len(first) > 1)} {', '.join(map(str, first))}"


@dataclass(frozen=True)
class Event:
    """One of those reports, in parts."""

    name: str
    path: str
    mode: str


def event(report: str) -> Event:
    """Read what a worker reports; what it says in words of its own has no name."""
    parts = EVENT.match(report)
    return Event(parts[1], parts[3] or "", parts[4] or "") if parts else Event("", "", "")


def of_a_debugger(noticed: Event) -> bool:
    """Tell whether a debugger does this by itself when it starts."""
    opens = noticed.name in {"open", *LISTING} and OF_DEBUGGERS.search(noticed.path)
    return noticed.name == "sys.settrace" or bool(opens)


def of_a_plot(noticed: Event) -> bool:
    """Tell whether a plotting library does this by itself, looking for fonts and settings."""
    return noticed.name in OF_PLOTTING and bool(OF_PLOTS.search(noticed.path))


def of_a_screen(noticed: Event) -> bool:
    """Tell whether this clears the screen."""
    return noticed.name == "os.system" and noticed.path in CLEARING


def of_a_file(noticed: Event) -> bool:
    """Tell whether this uses a file of the author's own, judging by its name."""
    return noticed.name in OF_FILES and not FOREIGN.search(noticed.path) and _is_own(noticed)


def _is_own(noticed: Event) -> bool:
    path = PurePosixPath(noticed.path)
    elsewhere = ".." in path.parts and not WRITING.search(noticed.mode)
    deeper = path.is_absolute() and noticed.name in LISTING | CHANGING
    refused = elsewhere or deeper or noticed.path.startswith(SYSTEM)
    return noticed.path.startswith(TEMPORARY) or bool(noticed.path and not refused)
