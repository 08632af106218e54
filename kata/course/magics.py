"""What Jupyter understands in a cell and Python does not: magics, shell commands, questions.

Each line keeps its number.
"""

import re
from collections.abc import Iterator

# Magics whose cells are Python all the same, and run in the notebook's own names.
PYTHON_CELLS = {"%%time", "%%capture", "%%prun"}
# No statement of Python begins with one of these. The last three call functions without brackets.
ESCAPES = ("%", "!", "?", ",", ";", "/")
ASSIGNED = re.compile(r"[\w\s.,*\[\]()]+=\s*(%\s*\w|!(?!=))")  # `files = !ls`
TIMED = re.compile(r"(\s*)%time\s+(?=\S)")  # the rest of the line is run in the notebook's names
PROMPT = re.compile(r"(>>>|\.\.\.)( |$)")
TRIPLE = "'''", '"""'
# A comment or a string that ends in its line, the start of one that need not, or a bracket.
TOKENS = re.compile(
    r"#.*|'''|\"\"\"|'(?:\\.|[^'\\])*(?:'|\\?$)|\"(?:\\.|[^\"\\])*(?:\"|\\?$)|[()\[\]{}]"
)
ENDS = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in TRIPLE}


def without_magics(text: str) -> list[str]:
    """The lines as Python; `pass` stands for what is none, as a block needs a statement."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line.strip()), 0)
    lines[start:] = _without_margin(lines[start:])
    while start < len(lines) and lines[start].startswith("%%"):
        if lines[start].split()[0] not in PYTHON_CELLS:
            return [""] * len(lines)
        lines[start] = ""
        start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    for at in _starts(lines):
        _replace(lines, at)
    return lines


def _without_margin(lines: list[str]) -> list[str]:
    """Jupyter takes a cell that is indented as a whole, and one with the prompts of an example."""
    if PROMPT.match(lines[0]):
        return [PROMPT.sub("", line, count=1) if PROMPT.match(line) else line for line in lines]
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    return [line.removeprefix(margin) for line in lines]


def _starts(lines: list[str]) -> Iterator[int]:
    """The lines that begin a statement; the next one is looked for when the last was replaced."""
    quote, depth, continued = "", 0, False
    for at, _ in enumerate(lines):
        if not (quote or depth or continued):
            yield at
        quote, depth, continued = _after(lines[at], quote, depth)


def _replace(lines: list[str], at: int) -> None:
    """Replace the magic that begins here, if there is one, with all lines that belong to it."""
    line = lines[at] = TIMED.sub(r"\1", lines[at], count=1)
    if not _is_magic(line):
        return
    lines[at] = line[: len(line) - len(line.lstrip())] + "pass"
    while line.endswith("\\") and at + 1 < len(lines):
        at += 1
        line, lines[at] = lines[at], ""


def _is_magic(line: str) -> bool:
    """A magic, a shell command, a question; also one whose result is assigned."""
    if line.lstrip().startswith(ESCAPES) or ASSIGNED.match(line):
        return True
    return line.rstrip().endswith("?") and TOKENS.sub("", line).rstrip().endswith("?")


def _after(line: str, quote: str, depth: int) -> tuple[str, int, bool]:
    """After this line: the quotes of an open string, open brackets, whether a backslash ends it."""
    at = 0
    while quote or (match := TOKENS.search(line, at)):
        if quote:
            end = ENDS[quote].match(line, at)
            if not end:
                return quote, depth, False
            at, quote = end.end(), ""
            continue
        assert match
        if match[0].startswith("#"):
            return "", depth, False
        at, quote = match.end(), match[0] if match[0] in TRIPLE else ""
        depth = max(0, depth + (match[0] in "([{") - (match[0] in ")]}"))
    return "", depth, line.endswith("\\")
