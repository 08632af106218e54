"""A Python file as the judge takes it: text in UTF-8, imports in one spelling, and no plots.

Called by `contents`, `modules`, `notebooks` and `submissions`. The bytes may be anything, and need
not be Python: code is parsed, and never run. Every line keeps its number.
"""

import ast
import codecs
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kata.course.curriculum import exercises
from kata.course.names_in_code import DEFINITIONS, bound_by
from kata.course.source import BLOCKS, LARGEST, TOO_DEEP, functions, is_stub, statements

Import = ast.Import | ast.ImportFrom
ALIASES = (ast.Lambda, ast.Name, ast.Attribute)  # what may be a function under another name

# The longer marks first: that of UTF-32 begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
MARK = "\ufeff"  # with which some editors begin a text
WIDEST = 4  # bytes of an ASCII letter in any of them
# Of the first or the second bytes in UTF-16: most letters of a program are ASCII.
MOSTLY_NUL = 0.9
HARDLY_NUL = 0.1
COOKIE = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+", re.ASCII)
WESTERN = "cp1252"  # a letter for every byte; in a comment, a wrong one does no harm
BETWEEN = {tokenize.NEWLINE, tokenize.INDENT, tokenize.ENCODING}  # a docstring follows one of them
PLAIN_STRING = re.compile(r"[rub]{0,2}[\"']", re.IGNORECASE)  # an f-string holds code
IGNORED = {tokenize.NL, tokenize.COMMENT, tokenize.DEDENT}
BINARY = "not a text"
NOT_UTF8 = "not UTF-8 text; save it as UTF-8"

# An import of another exercise, unless it is written as between files of one folder.
OF_EXERCISE = re.compile(
    r"^[ \t]*(?!from[ \t]+\.ex\d\d_\w+[ \t]+import\b)(?:from|import)\b.*"
    r"(?:\bex\d|\bexercises\b|import[ \t]*\()",
    re.MULTILINE | re.IGNORECASE,
)
IMPORT_LINE = re.compile(r"^([ \t]*)((?:from|import)\b.*)$", re.MULTILINE)
EXERCISE = re.compile(r"(ex\d\d?)(_\w+)?", re.IGNORECASE)
OF_KATA = {"solutions", "kata"}  # what lies there is the kata's own

PLOTTING = {"matplotlib", "mpl_toolkits", "seaborn", "plotly", "bokeh", "altair", "IPython",
            "google"}  # fmt: skip  # and what a notebook in the cloud imports of its own
PLOTS = re.compile(
    rf"^(?:[ \t]*(?:from|import)[ \t]+(?:{'|'.join(PLOTTING)})\b|get_ipython\(|display\(|[%!]"
    r"|if[ \t]+__name__.*\n(?:[ \t].*\n|\n)*?[ \t]+(?:from|import)\b)",
    re.MULTILINE,
)
MAGIC = re.compile(r"^[%!].*$", re.MULTILINE)
IN_NOTEBOOKS = {"get_ipython", "display"}


@dataclass(frozen=True)
class AsText:
    """A file as Python reads it."""

    content: bytes  # in UTF-8, or unchanged; cut one byte over the limit of an exercise's file
    encoding: str = ""  # what it was, for messages, if Python could not have read it
    refused: str = ""  # why it cannot be read
    line: int = 0  # where the first byte is that is not text, if there is one


def as_text(content: bytes, most: int = LARGEST) -> AsText:
    """Read a file in any encoding, of which at most `most` bytes count.

    The file is refused if any doubt is left about what it says. A byte order mark, or a NUL beside
    every letter, shows UTF-16 or UTF-32. Of any other file, only comments and docstrings can be in
    an unknown encoding without changing what the code does.
    """
    if codec := _wide(content):
        return _of_wide(content, codec, most)
    is_utf8 = b"\0" not in content and not _odd_line(content)  # whatever its coding line says
    if len(content) > most or is_utf8 or text_of(content):
        return AsText(content[: most + 1])
    if b"\0" in content:
        return AsText(content, refused=BINARY)
    if _odd_only_in_remarks(text := content.decode(WESTERN, "replace")):
        encoding = "an unknown encoding, which matters in comments alone"
        return AsText(text.encode()[: most + 1], encoding)
    return AsText(content, refused=NOT_UTF8, line=_odd_line(content))


def text_of(content: bytes) -> str:
    """Decode a Python file, with its lines ended in one way; empty if that fails."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return io.TextIOWrapper(io.BytesIO(content), encoding).read()
    except (UnicodeError, SyntaxError, LookupError):
        return ""


def _odd_line(content: bytes) -> int:
    """Return the line of the first byte that is none of UTF-8; 0 if there is none."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return 1 + content.count(b"\n", 0, error.start)
    return 0


def _wide(content: bytes) -> str:
    """Return the codec of UTF-16 or UTF-32, if the content is one of them; else nothing.

    In UTF-16 without a mark, NULs stand at every other place.
    """
    half = len(content) // 2 or 2
    first, second = content[::2].count(0) / half, content[1::2].count(0) / half
    if second >= MOSTLY_NUL and first <= HARDLY_NUL:
        return "utf-16-le"
    if first >= MOSTLY_NUL and second <= HARDLY_NUL:
        return "utf-16-be"
    return next((codec for mark, codec in MARKS.items() if content.startswith(mark)), "")


def _of_wide(content: bytes, codec: str, most: int) -> AsText:
    try:
        # One byte more than fits was read: what was cut is too long anyway.
        text = content[: WIDEST * most].decode(codec).removeprefix(MARK)
    except UnicodeError:
        return AsText(content, refused=NOT_UTF8)
    if "\0" in text:
        return AsText(content, refused=BINARY)
    return AsText(
        _with_cookies(text).encode("utf-8", "surrogatepass")[: most + 1], codec[:6].upper()
    )


def _with_cookies(text: str) -> str:
    """Let lines that declare an encoding declare that of the text now."""
    lines = text.splitlines(keepends=True)
    return "".join([*(COOKIE.sub(r"\1utf-8", line) for line in lines[:2]), *lines[2:]])


def _odd_only_in_remarks(text: str) -> bool:
    """Return whether all letters that are not ASCII stand in comments and docstrings."""
    lines = io.StringIO(_with_cookies(text), newline=None).readline
    try:
        return all(token.string.isascii() for token in _code(tokenize.generate_tokens(lines)))
    except (SyntaxError, tokenize.TokenError, ValueError, RecursionError, MemoryError):
        return False


def _code(tokens: Iterator[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Yield everything but comments and statements that are a string."""
    previous = tokenize.NEWLINE
    docstring: tokenize.TokenInfo | None = None
    for token in tokens:
        if token.type in IGNORED:
            continue
        if docstring and token.type != tokenize.NEWLINE:  # the statement goes on: it is none
            yield docstring
        is_string = previous in BETWEEN and PLAIN_STRING.match(token.string)
        docstring = token if is_string else None
        if not docstring:
            yield token
        previous = token.type


# -- Python as a tree; every line stays, so that a place in the text is still one in the file


def parsed(text: str) -> ast.Module | None:
    """Parse a text; None if it is not Python, or too much for Python."""
    try:
        return ast.parse(text)  # not `tree_of`, which keeps it: a tree takes a lot of memory
    except (SyntaxError, *TOO_DEEP):
        return None


def imports(tree: ast.Module) -> list[Import]:
    """List all imports of a file, in the order in which they stand there."""
    nodes = [node for node in statements(tree) if isinstance(node, Import)]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def replaced(text: str, node: ast.stmt, code: str) -> str:
    """Replace a statement of a text by this code."""
    lines = text.split("\n")
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    lines[first : last + 1] = [f"{head}{code}{tail}", *[""] * (last - first)]
    return "\n".join(lines)


def names_in(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> set[str]:
    """Return the names in a piece of code; with `ast.Store`, those that it gives a value."""
    return {part.id for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, context)}  # fmt: skip


def begun_names(text: str, wanted: set[str]) -> set[str]:
    """Return the wanted names that a text defines, stubs aside; all if it does not parse."""
    tree = parsed(text)
    # What is not Python is begun: the judge says what is wrong with it.
    return wanted.intersection(_defined(tree.body)) if tree else wanted


def _defined(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names of functions and classes that have a body of their own."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bodies = [body for _, body in functions(ast.Module([node], []))]
            if not bodies or not all(map(is_stub, bodies)):
                yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ALIASES):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        else:
            for block in BLOCKS:
                yield from _defined(getattr(node, block, ()))


# -- imports of other exercises, however a student writes them


def as_answer(content: bytes, own: str = "") -> bytes:
    """Return the content of a file as it is judged; `own` is its exercise."""
    text = content.decode("utf-8", "surrogateescape")
    whole = with_own_imports(text, own).encode("utf-8", "surrogateescape")
    return without_plots(whole)


def with_own_imports(text: str, own: str = "") -> str:
    """Spell imports of other exercises in the one way that is judged.

    `from ex01 import softmax`, `from exercises.ex01_softmax import softmax` and
    `import ex01_softmax` all mean `.ex01_softmax`, as between files of one folder.
    """
    if not OF_EXERCISE.search(text):
        return text
    mark = MARK if text.startswith(MARK) else ""
    text = text.removeprefix(MARK)
    result = _in_python(text, own)
    if result is None:  # line by line, such as in a cell with a magic
        result = IMPORT_LINE.sub(lambda line: line[1] + (_in_python(line[2], own) or line[2]), text)
    return mark + result


def _in_python(text: str, own: str) -> str | None:
    """Spell the imports of a text; None if it is no Python."""
    tree = parsed(text)
    if tree is None:
        return None
    for node in reversed(imports(tree)):
        if parts := [*_rewritten(node, own)]:
            text = replaced(text, node, "; ".join(parts))
    return text


def _rewritten(node: Import, own: str) -> Iterator[str]:
    """Yield what replaces an import; nothing if it is about no other exercise."""
    outer = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
    if isinstance(node, ast.ImportFrom) and (slug := _exercise(outer, own)):
        yield f"from .{slug} import {', '.join(map(ast.unparse, node.names))}"
        return
    slugs = [_exercise(f"{outer}.{alias.name}", own) for alias in node.names]
    if not all(slugs):
        return
    for slug, alias in zip(slugs, node.names, strict=True):
        name = alias.asname or alias.name.rpartition(".")[2]
        yield f"from . import {slug}" + (f" as {name}" if name != slug else "")


def _exercise(dotted: str, own: str) -> str:
    """Return the exercise that a module is called after; empty for none, or the file's own."""
    *outer, name = dotted.split(".")
    match = EXERCISE.fullmatch(name)
    if not match or OF_KATA.intersection(outer):
        return ""
    short = f"ex{int(match[1][2:]):02}"
    slug = next((slug for slug, exercise in exercises().items() if exercise.short == short), "")
    whole = match[2] and slug.casefold() == f"{short}{match[2].casefold()}"
    short_of = not match[2] and {*outer} <= {"", "exercises"}
    return slug if slug != own and (whole or short_of) else ""


# -- plots, magics and programs, such as in an exported notebook: left out, as in cells


def without_plots(content: bytes) -> bytes:
    """Strip a text of plotting imports, magics, and the statements of the top level with them.

    What a function does with them stays: no claim calls that.
    """
    text = content.decode("utf-8", "surrogateescape").removeprefix(MARK)
    plain = MAGIC.sub("", text)
    tree = parsed(plain) if PLOTS.search(text) else None
    if tree is None:
        return content
    names = {*IN_NOTEBOOKS, *(name for node in tree.body for name in _plotting(node))}
    lines = plain.split("\n")
    for node in tree.body:
        draws = bool(names & names_in(node))
        runs = not isinstance(node, DEFINITIONS)  # when the file is imported
        if [*_plotting(node)] or _is_program(node) or (runs and draws):
            names |= names_in(node, ast.Store)
            for at in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[at] = ""
        elif draws:
            names.add(getattr(node, "name", ""))  # what calls it draws, too
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _plotting(node: ast.stmt) -> Iterator[str]:
    """Yield the names that an import binds if it is of plotting packages alone."""
    if not isinstance(node, Import):
        return
    whole = (
        [node.module or ""]
        if isinstance(node, ast.ImportFrom)
        else [alias.name for alias in node.names]
    )
    if all(module.partition(".")[0] in PLOTTING for module in whole):
        yield from bound_by(node)


def _is_program(node: ast.stmt) -> bool:
    """Return whether a statement is `if __name__ == "__main__":` with an import below it."""
    if not isinstance(node, ast.If) or node.orelse or not isinstance(node.test, ast.Compare):
        return False
    if not any(isinstance(part, Import) for part in node.body):
        return False
    sides = {getattr(part, "id", getattr(part, "value", "")) for part in ast.walk(node.test)}
    return {"__name__", "__main__"} <= sides and isinstance(node.test.ops[0], ast.Eq)
