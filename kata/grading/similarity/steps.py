"""What a program does, step by step.

A step is an operation and what its operands come of: `MatMult(Linear()(), .transpose())`. Names,
comments, annotations, layout, intermediate results, lines without an effect and the order of
definitions make no difference, and the order of lines makes next to none.
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
LONGEST = 80  # characters of a word that count: words are made of words
MOST = 100_000  # characters of a file, ten times what any answer needs; more would take long
LETTERS = 0xD800  # characters below the surrogates, enough for two steps seldom to share one


class _Steps(ast.NodeVisitor):
    """Reads code. A visit tells in a word what the value is made by: an operation, a constant.

    Attributes:
        steps: the operations, in no order that counts.
        uses: dotted names of imported things, and methods as `.softmax`, with their lines.
    """

    def __init__(self, names: Bindings) -> None:
        self.names = names
        self.steps: list[str] = []
        self.uses: list[tuple[str, int]] = []
        self._variables: ChainMap[str, str] = ChainMap()
        self._attributes: dict[str, str] = {}

    def read(self, body: Iterable[ast.stmt]) -> None:
        """The statements of a module or a class; what is made for others comes first."""
        for node in sorted(body, key=_rank):
            outside = self._variables
            self._variables = outside.new_child() if isinstance(node, DEFINITIONS) else outside
            self.visit(node)
            self._variables = outside

    def visit(self, node: ast.AST) -> str:
        """What makes this value; nothing, if only names would tell."""
        word: str = super().visit(node)
        return word[:LONGEST]

    def generic_visit(self, node: ast.AST) -> str:
        """An operation: first its operands, and at last the statements inside."""
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
        """Docstrings do nothing, and printing does nothing to the result."""
        called = node.value.func if isinstance(node.value, ast.Call) else None
        printing = isinstance(called, ast.Name) and called.id == "print"
        return "" if printing or isinstance(node.value, ast.Constant) else self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> str:
        """What stands in the stub is nobody's work."""
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
            self._attributes.setdefault(target.attr, word)  # what __init__ says, in any order
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
        """A method is an operation on its object too; keywords come in no order."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "__init__" and not node.args:
            return ""  # stands in the stub
        name, on = self._called(node.func)
        keywords = sorted(self._all(node.keywords))
        return self._step(f"{name}()", *on, *self._all(node.args), *keywords)

    def _called(self, node: ast.expr) -> tuple[str, list[str]]:
        if not isinstance(node, ast.Attribute) or self.names.is_own(node) or self.names.path(node):
            return self.visit(node), []
        self.uses.append((f".{node.attr}", node.lineno))
        return f".{node.attr}", [self.visit(node.value)]

    def _use(self, node: ast.Name | ast.Attribute) -> str:
        """The last part of the name of an imported thing."""
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
        """A negative number is a constant."""
        negative = isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
        return f"-{self.visit(node.operand)}" if negative else self.generic_visit(node)


def _rank(node: ast.AST) -> int:
    """What gives a variable or an attribute its word comes before what reads it."""
    if isinstance(node, ast.comprehension):
        return 0
    if not isinstance(node, DEFINITIONS):
        return 1
    return 2 if node.name == "__init__" else 3


@dataclass(frozen=True)
class Program:
    """What counts of a file, and what it imports for that.

    Attributes:
        letters: one for each step, sorted: two programs have as many steps in common as letters.
        uses: dotted names of imported things, and methods as `.softmax`, with their lines.
        parts: the statements that the public names lead to.
    """

    letters: str
    uses: list[tuple[str, int]]
    parts: list[ast.stmt]


NOTHING = Program("", [], [])


@lru_cache(maxsize=1)  # whoever asks for one aspect of a file asks for the next one at once
def program(exercise: Exercise, text: str) -> Program:
    """What a file does about an exercise; nothing, if it cannot be read: its verdict tells why."""
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
