"""What a program does, step by step.

A step is an operation and where its operands come from: `MatMult(Linear()(), .transpose())`. Names,
comments, annotations, layout, intermediate variables, lines without effect and the order of
definitions make no difference, and the order of lines almost none.
"""

import ast
from collections import ChainMap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError, contract, parse
from kata.grading.similarity.bindings import DEFINITIONS, IMPORTS, Bindings, bindings, reached

OPERATORS = (ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
OPERANDS = (ast.comprehension, ast.expr, ast.keyword)
MARKS = (*OPERATORS, ast.expr_context)
IDLE = (ast.Assert, ast.Pass, *IMPORTS)
LONGEST = 80  # characters of a description that count: descriptions contain others
MOST = 100_000  # characters of a file, ten times what any answer needs; more would be slow
LETTERS = 0xD800  # characters below the surrogates, so many that two steps rarely share one


class _Steps(ast.NodeVisitor):
    """Collects the steps of code. A visit returns a short description of how a value is computed.

    Attributes:
        steps: the operations; their order does not matter.
        uses: dotted names of what is imported, and methods as `.softmax`, with their lines.
    """

    def __init__(self, names: Bindings) -> None:
        self.names = names
        self.steps: list[str] = []
        self.uses: list[tuple[str, int]] = []
        self._variables: ChainMap[str, str] = ChainMap()
        self._attributes: dict[str, str] = {}

    def read(self, body: Iterable[ast.stmt]) -> None:
        """Read the statements of a module or a class, those first on which others depend."""
        for node in sorted(body, key=_rank):
            outside = self._variables
            self._variables = outside.new_child() if isinstance(node, DEFINITIONS) else outside
            self.visit(node)
            self._variables = outside

    def visit(self, node: ast.AST) -> str:
        """How this value is computed; empty if only names would tell."""
        word: str = super().visit(node)
        return word[:LONGEST]

    def generic_visit(self, node: ast.AST) -> str:
        """An operation: its operands first, then the statements inside it."""
        if isinstance(node, IDLE):
            return ""
        inside = sorted(ast.iter_child_nodes(node), key=_rank)
        operators = [type(each).__name__ for each in inside if isinstance(each, OPERATORS)]
        words = [(each, self.visit(each)) for each in inside if not isinstance(each, MARKS)]
        operands = [word for each, word in words if isinstance(each, OPERANDS)]
        return self._step(" ".join(operators) or type(node).__name__, *operands)

    def _step(self, name: str, *operands: str) -> str:
        self.steps.append(f"{name}({', '.join(operands)})")
        return name

    def _parameters(self, node: ast.arguments) -> None:
        names = [each.arg for each in ast.walk(node) if isinstance(each, ast.arg)]
        self._variables.update(dict.fromkeys(names, ""))

    def _all(self, nodes: Iterable[ast.AST]) -> list[str]:
        return [self.visit(each) for each in nodes]

    # statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        self._all(node.decorator_list)
        self._parameters(node.args)
        self._all(node.body)
        return ""

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        self._all([*node.decorator_list, *node.bases])
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
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        return "" if "NotImplementedError" in names else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> str:
        return self._assign(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        return self._assign([node.target], node.value) if node.value else ""

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        if not self._is_unread(node.target):
            before, by = self.visit(node.target), self.visit(node.value)
            self._bind(node.target, self._step(f"{type(node.op).__name__}=", before, by))
        return ""

    def visit_For(self, node: ast.For) -> str:
        self._bind(node.target, self._step("For", self.visit(node.iter)))
        self._all([*node.body, *node.orelse])
        return ""

    def visit_withitem(self, node: ast.withitem) -> str:
        entered = self._step("With", self.visit(node.context_expr))
        if node.optional_vars:
            self._bind(node.optional_vars, entered)
        return ""

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> str:
        if not all(self._is_unread(each) for each in targets):
            word = self.visit(value)
            for target in targets:
                self._bind(target, word)
        return ""

    def _is_unread(self, target: ast.expr) -> bool:
        return isinstance(target, ast.Name) and target.id not in self.names.read

    def _bind(self, target: ast.expr, word: str) -> None:
        if isinstance(target, ast.Name):
            self._variables[target.id] = word
        elif isinstance(target, ast.Attribute):
            self._attributes.setdefault(target.attr, word)  # __init__ is read before other methods
        elif isinstance(target, ast.Subscript):
            self._step("[]=", self.visit(target.value), self.visit(target.slice), word)
        elif isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._bind(each, word)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, word)

    # expressions

    def visit_Name(self, node: ast.Name) -> str:
        if path := self._use(node):
            return path
        return self._variables.get(node.id, "" if node.id in self.names.own else node.id)

    def visit_Attribute(self, node: ast.Attribute) -> str:
        if path := self._use(node):
            return path
        if self.names.is_own(node):
            return self._attributes.get(node.attr, "")
        return self._step(f".{node.attr}", self.visit(node.value))

    def visit_Call(self, node: ast.Call) -> str:
        """The object of a method is an operand; the order of keywords does not matter."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "__init__" and not node.args:
            return ""  # is in the stub
        name, on = self._called(node.func)
        keywords = sorted(self._all(node.keywords))
        return self._step(f"{name}()", *on, *self._all(node.args), *keywords)

    def _called(self, node: ast.expr) -> tuple[str, list[str]]:
        if not isinstance(node, ast.Attribute) or self.names.is_own(node) or self.names.path(node):
            return self.visit(node), []
        self.uses.append((f".{node.attr}", node.lineno))
        return f".{node.attr}", [self.visit(node.value)]

    def _use(self, node: ast.Name | ast.Attribute) -> str:
        """The last part of a name, if it was imported; else empty."""
        if path := self.names.path(node):
            self.uses.append((path, node.lineno))
        return path.rpartition(".")[2]

    def visit_keyword(self, node: ast.keyword) -> str:
        return f"{node.arg}={self.visit(node.value)}"

    def visit_comprehension(self, node: ast.comprehension) -> str:
        word = self.visit(node.iter)
        self._bind(node.target, word)
        return " ".join([word, *self._all(node.ifs)])

    def visit_NamedExpr(self, node: ast.NamedExpr) -> str:
        word = self.visit(node.value)
        self._bind(node.target, word)
        return word

    def visit_Lambda(self, node: ast.Lambda) -> str:
        self._parameters(node.args)
        return self.visit(node.body)

    def visit_Starred(self, node: ast.Starred) -> str:
        return f"*{self.visit(node.value)}"

    def visit_FormattedValue(self, node: ast.FormattedValue) -> str:
        return self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> str:
        return repr(node.value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        """Treat a negative number as a constant."""
        negative = isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
        return f"-{self.visit(node.operand)}" if negative else self.generic_visit(node)


def _rank(node: ast.AST) -> int:
    """Sort what defines a variable or an attribute before what reads it."""
    if isinstance(node, ast.comprehension):
        return 0
    if not isinstance(node, DEFINITIONS):
        return 1
    return 2 if node.name == "__init__" else 3


@dataclass(frozen=True)
class Program:
    """What a file does for an exercise.

    Attributes:
        letters: one for each step, sorted: programs share as many steps as they share letters.
        uses: dotted names of what is imported, and methods as `.softmax`, with their lines.
        parts: the statements that the public names depend on.
    """

    letters: str
    uses: list[tuple[str, int]]
    parts: list[ast.stmt]


NOTHING = Program("", [], [])


@lru_cache(maxsize=1)  # the flags of one file ask for it several times in a row
def program(exercise: Exercise, text: str) -> Program:
    """What a file does for an exercise; nothing if it cannot be read, which its verdict reports."""
    public = contract(exercise).names
    try:
        names = bindings(parse(exercise.stub, text if len(text) <= MOST else "").tree)
        names.read.update(public)
        parts, found = reached(names, public), _Steps(names)
        found.read(parts)
    except (UnusableError, RecursionError, ValueError):
        return NOTHING
    letters = "".join(sorted(map(_letter, found.steps)))
    return Program(letters, [*names.imports(public), *found.uses], parts)


def _letter(step: str) -> str:
    return chr(crc32(step.encode()) % LETTERS)
