"""What a program does, step by step, read from its syntax tree and never run.

A step is an operation and where its operands come from: `MatMult(Linear()(), .transpose())`. Names,
comments, annotations, layout, intermediate variables, printing, unused constants and the order of
definitions make no difference, and the order of lines almost none. `alike` compares the steps of a
class, `flags` reads what a program uses.
"""

import ast
import builtins
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from kata.course.curriculum import Exercise
from kata.course.source import TOO_DEEP, UnusableError, contract, parse, spelled

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
ALL = "*"
OPERATORS = (ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
OPERANDS = (ast.comprehension, ast.expr, ast.keyword)
MARKS = (*OPERATORS, ast.expr_context)
BUILTINS = frozenset(dir(builtins)) - {"_"}  # a doctest leaves its last result there
IDLE = (ast.Assert, ast.Pass, *IMPORTS)
LONGEST = 80  # characters of a description that count: descriptions contain others
DEEPEST = 10  # how many attributes of attributes are followed
MOST = 100_000  # characters of a file, ten times what any answer needs; more would be slow
LETTERS = 0xD800  # characters below the surrogates, so many that two steps rarely share one


@dataclass(frozen=True)
class Program:
    """The steps of a file for an exercise.

    Attributes:
        letters: one for every step, sorted: programs share as many steps as they share letters.
        spelled: the same for two programs that differ only in names, comments and annotations.
        uses: dotted names of what is imported, and methods as `.softmax`, with their lines.
        unread: whether it is Python, but too deep or too large to be read like this.
    """

    letters: str
    spelled: tuple[str, ...]
    uses: list[tuple[str, int]]
    unread: bool = False


@lru_cache(maxsize=1)  # the flags of one file ask for it several times in a row
def program(exercise: Exercise, text: str, prefix: str = "") -> Program:
    """Read the steps of a file; none if it cannot be read, which its verdict reports.

    With a prefix, only functions with such names count, as tests do.
    """
    if len(text) > MOST:
        return Program("", (), [], unread=True)
    try:
        tree = parse(exercise.stub, text).tree
        own = (node.name for node in tree.body if isinstance(node, DEFINITIONS))
        tests = [name for name in own if prefix and name.startswith(prefix)]
        public = tests or contract(exercise).names
        steps = _Steps(tree, asserts=bool(prefix))
        steps.read(reached(tree, public))
    except UnusableError:
        return Program("", (), [])
    except TOO_DEEP:
        return Program("", (), [], unread=True)
    letters = "".join(sorted(chr(crc32(step.encode()) % LETTERS) for step in steps.steps))
    imports = (node for node in tree.body if isinstance(node, IMPORTS))
    answers = [(path, node.lineno) for node in imports for name, path in bound(node)
               if name in public and name in steps.imported]  # fmt: skip
    return Program(letters, tuple(steps.spelled), [*answers, *steps.uses])


class _Steps(ast.NodeVisitor):
    """A collector of steps. A visit returns a short description of how a value is computed.

    Attributes:
        steps: the operations; their order does not matter.
        spelled: the operations and the author's names, numbered, in order.
        uses: dotted names of what is imported, and methods as `.softmax`, with their lines.
        imported: imported names → what they refer to.
    """

    def __init__(self, tree: ast.Module, *, asserts: bool = False) -> None:
        self._asserts = asserts  # whether they count, as in tests
        self.steps: list[str] = []
        self.spelled: list[str] = []
        self._numbers: dict[str, int] = {}
        self.uses: list[tuple[str, int]] = []
        self.imported = imported(tree)
        self._variables: ChainMap[str, str] = ChainMap()
        self._attributes: dict[str, str] = {}
        self._own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self._own.add(node.attr)

    def read(self, body: Iterable[ast.stmt]) -> None:
        """Read the statements of a module or a class, those first on which others depend."""
        body = list(body)
        own = (node.name for node in body if isinstance(node, DEFINITIONS))
        self._variables.update(dict.fromkeys(own, ""))
        for node in sorted(body, key=_rank):
            outside = self._variables
            self._variables = outside.new_child() if isinstance(node, DEFINITIONS) else outside
            self.visit(node)
            self._variables = outside

    def visit(self, node: ast.AST) -> str:
        """Describe how this value is computed; empty if only names would tell."""
        word: str = super().visit(node)
        return word[:LONGEST]

    def generic_visit(self, node: ast.AST) -> str:
        """Note an operation, after its operands and the statements inside it."""
        if isinstance(node, IDLE) and not (self._asserts and isinstance(node, ast.Assert)):
            return ""
        inside = sorted(ast.iter_child_nodes(node), key=_rank)
        operators = [type(part).__name__ for part in inside if isinstance(part, OPERATORS)]
        words = [(part, self.visit(part)) for part in inside if not isinstance(part, MARKS)]
        operands = [word for part, word in words if isinstance(part, OPERANDS)]
        return self._step(" ".join(operators) or type(node).__name__, *operands)

    def _step(self, name: str, *operands: str) -> str:
        self.steps.append(f"{name}({', '.join(operands)})")
        self.spelled.append(self.steps[-1])
        return name

    def _spell(self, name: str) -> None:
        """Note a name by its number, so that renaming makes no difference but exchanging does."""
        self.spelled.append(str(self._numbers.setdefault(name, len(self._numbers))))

    def _visit_all(self, nodes: Iterable[ast.AST]) -> list[str]:
        return [self.visit(node) for node in nodes]

    # statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        self._visit_all([*node.decorator_list, node.args, *node.body])
        return ""

    def visit_arguments(self, node: ast.arguments) -> str:
        for parameter in ast.walk(node):
            if isinstance(parameter, ast.arg):
                self._spell(parameter.arg)
                self._variables[parameter.arg] = ""
        self.spelled += map(spelled, [*node.defaults, *filter(None, node.kw_defaults)])
        return ""

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        self._visit_all([*node.decorator_list, *node.bases])
        self._attributes = {}
        self.read(node.body)
        return ""

    def visit_Expr(self, node: ast.Expr) -> str:
        """Skip docstrings and printing, which do not change the result."""
        called = node.value.func if isinstance(node.value, ast.Call) else None
        printing = isinstance(called, ast.Name) and called.id == "print"
        return "" if printing or isinstance(node.value, ast.Constant) else self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> str:
        """Skip the stub's NotImplementedError, which is not the student's work."""
        names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        return "" if "NotImplementedError" in names else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> str:
        return self._assign(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        return self._assign([node.target], node.value) if node.value else ""

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        before, by = self.visit(node.target), self.visit(node.value)
        self._bind(node.target, self._step(f"{type(node.op).__name__}=", before, by))
        return ""

    def visit_For(self, node: ast.For) -> str:
        self._bind(node.target, self._step("For", self.visit(node.iter)))
        self._visit_all([*node.body, *node.orelse])
        return ""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> str:
        return self._assign([node.target], node.value)

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> str:
        word = self.visit(value)
        for target in targets:
            self._bind(target, word)
        return word

    def _bind(self, target: ast.expr, word: str) -> None:
        if isinstance(target, ast.Name):
            self._spell(target.id)
            self._variables[target.id] = word
        elif isinstance(target, ast.Attribute):
            self._spell(target.attr)
            self._attributes.setdefault(target.attr, word)  # __init__ is read before other methods
        elif isinstance(target, ast.Subscript):
            self._step("[]=", self.visit(target.value), self.visit(target.slice), word)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._bind(element, word)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, word)

    # expressions

    def visit_Name(self, node: ast.Name) -> str:
        if path := self._use(node):
            return path
        self._spell(node.id)
        return self._variables.get(node.id, node.id if node.id in BUILTINS else "")

    def visit_Attribute(self, node: ast.Attribute) -> str:
        if path := self._use(node):
            return path
        if self._is_own(node):
            self._spell(node.attr)
            return self._attributes.get(node.attr, "")
        return self._step(f".{node.attr}", self.visit(node.value))

    def _is_own(self, node: ast.Attribute) -> bool:
        """Return whether this is an attribute or a method of `self` that the file defines."""
        owner = node.value
        return node.attr in self._own and isinstance(owner, ast.Name) and owner.id == "self"

    def _path(self, node: ast.expr) -> str:
        return dotted(node, self._root)

    def _root(self, name: str) -> str:
        if ALL in self.imported and name not in {*self.imported, *self._variables, *BUILTINS}:
            return f"{self.imported[ALL]}.{name}"
        return self.imported.get(name, "")

    def visit_Call(self, node: ast.Call) -> str:
        """Treat the object of a method as an operand, and ignore the order of keywords."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "__init__" and not node.args:
            self.spelled.append("super")
            return ""  # is in the stub
        name, on = self._function(node.func)
        keywords = sorted(self._visit_all(node.keywords))
        return self._step(f"{name}()", *on, *self._visit_all(node.args), *keywords)

    def _function(self, node: ast.expr) -> tuple[str, list[str]]:
        if not isinstance(node, ast.Attribute) or self._is_own(node) or self._path(node):
            return self.visit(node), []
        self.uses.append((f".{node.attr}", node.lineno))
        return f".{node.attr}", [self.visit(node.value)]

    def _use(self, node: ast.Name | ast.Attribute) -> str:
        """Return the last part of a name, if it was imported; else nothing."""
        if path := self._path(node):
            self.uses.append((path, node.lineno))
        return path.rpartition(".")[2]

    def visit_keyword(self, node: ast.keyword) -> str:
        return f"{node.arg}={self.visit(node.value)}"

    def visit_comprehension(self, node: ast.comprehension) -> str:
        word = self.visit(node.iter)
        self._bind(node.target, word)
        return " ".join([word, *self._visit_all(node.ifs)])

    def visit_FormattedValue(self, node: ast.FormattedValue) -> str:
        return self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> str:
        # Python refuses to write out an integer of many digits, but not in this form.
        if isinstance(node.value, int) and node.value.bit_length() > LONGEST:
            return hex(node.value)
        return repr(node.value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        """Treat a negative number as a constant."""
        negative = isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
        return f"-{self.visit(node.operand)}" if negative else self.generic_visit(node)


def _rank(node: ast.AST) -> int:
    """Sort what defines a variable or an attribute before what reads it."""
    if not isinstance(node, DEFINITIONS):
        return 0 if isinstance(node, ast.comprehension) else 1
    return 2 if node.name == "__init__" else 3


# -- imports, and the statements that a name depends on


def imported(tree: ast.Module) -> dict[str, str]:
    """Map imported names to what they refer to: F → torch.nn.functional.

    Relative imports start with a dot; ALL stands for anything that `from … import *` may have
    imported. A definition hides an import of the same name.
    """
    own = {node.name for node in tree.body if isinstance(node, DEFINITIONS)}
    pairs = (pair for node in ast.walk(tree) if isinstance(node, IMPORTS) for pair in bound(node))
    return {name: path for name, path in pairs if name not in own}


def bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield the names that one import binds, with what they refer to."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            top = alias.name.split(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (top, top)
        else:
            module = f"{'.' * bool(node.level)}{node.module or ''}"
            name = module if alias.name == ALL else f"{module}.{alias.name}"
            yield alias.asname or alias.name, name


def dotted(node: ast.expr, root: Callable[[str], str]) -> str:
    """Spell out what an expression refers to; nothing if its first name has no root."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < DEEPEST:
        parts.append(node.attr)
        node = node.value
    first = root(node.id) if isinstance(node, ast.Name) else ""
    return ".".join([first, *reversed(parts)]) if first else ""


def reached(tree: ast.Module, public: Iterable[str]) -> list[ast.stmt]:
    """Return the statements that these names depend on: a student's own tests are left out."""
    changing: defaultdict[str, set[ast.stmt]] = defaultdict(set)
    for node in tree.body:
        for name in set() if _is_main(node) else _changed(node):
            changing[name].add(node)
    needed, waiting = set[ast.stmt](), list(public)
    while waiting:
        for node in changing.pop(waiting.pop(), set()) - needed:
            needed.add(node)
            waiting += _names(node)
    return [node for node in tree.body if node in needed]


def _changed(node: ast.stmt) -> set[str]:
    """Return the names that a statement of the module binds or changes."""
    if isinstance(node, DEFINITIONS):
        return {node.name}
    names = {part.name for part in ast.walk(node) if isinstance(part, DEFINITIONS)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute) and not isinstance(part.ctx, ast.Load):
            names |= _names(part)
    return names


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_main(node: ast.stmt) -> bool:
    """Recognise `if __name__ == "__main__":`, where students try out their code."""
    return isinstance(node, ast.If) and "__name__" in _names(node.test)
