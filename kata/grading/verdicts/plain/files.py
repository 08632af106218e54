"""Which files are plain: no call of theirs can tell which calls were made before.

All calls of a plain file may be made at once, and several plain files may share a process. Any
other file is judged live, in a process of its own, which only takes longer: so what is rare is
refused. A file is no plainer than the earlier exercises that it imports.
"""

import ast
from collections.abc import Iterable, Iterator
from itertools import chain

from kata.grading.verdicts.plain.code import RESERVED, AliasError, Code, NotPlainError, is_reset
from kata.grading.verdicts.plain.memory import filled
from kata.grading.verdicts.plain.names import SHARED, UNFILLED, names

LONGEST = 80  # characters of what is quoted
MOST_ALIASES = 4  # for each of which a file is read once more
METHODS = {"__init__", "__call__", "__len__", "__getitem__", "__iter__"}
BASES = {"torch.nn.Module", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.Sequential"}
BASES |= {"torch.nn.Identity", "torch.nn.Dropout", "typing.Protocol", "typing.NamedTuple"}
BASES |= {"torch.autograd.Function"}
# They fill their parameters by a method, unless a class that inherits from them has another.
FILLED = {f"torch.nn.{name}" for name in ("Linear", "LayerNorm", "MultiheadAttention")}
# What is done with them is only seen where their full path stands: they get no name of their own.
BY_PATH = UNFILLED | SHARED | {"torch.set_grad_enabled"}
WRAPPERS = {"torch.vmap", "torch.func.vmap"}
ERRORS = {"object", "Exception", "ValueError"}
NUMBERS = {"float", "int", "bool"}
OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Tuple, ast.Constant, ast.Load)


def is_plain(tree: ast.Module, *earlier: ast.Module) -> bool:
    """Whether no call of this file can tell which calls were made before.

    `earlier` are files of the same student that it imports; the reference need not be given.
    """
    static = {name for each in (tree, *earlier) for name in _static(each)}
    return all(_refused(each, static) is None for each in (tree, *earlier))


def why_not(tree: ast.Module, *earlier: ast.Module) -> str:
    """The first construct of this file that is not known to be harmless, with its line."""
    node = _refused(tree, {name for each in (tree, *earlier) for name in _static(each)})
    if node is None:
        return ""
    text = ast.unparse(node).splitlines() or [type(node).__name__]
    return f"line {getattr(node, 'lineno', 0)}: {text[0][:LONGEST]}"


def _refused(tree: ast.Module, static: set[str]) -> ast.AST | None:
    aliases: set[str] = set()
    for _ in range(MOST_ALIASES):
        try:
            _File(tree, Code(own=set(aliases), aliases=aliases, static=static)).check()
        except AliasError as error:
            aliases.add(str(error))
        except NotPlainError as error:
            return error.node
        except RecursionError:
            break
        else:
            return None
    return tree


class _File:
    """The top level of a file: imports, constants, functions and classes."""

    def __init__(self, tree: ast.Module, code: Code) -> None:
        self._tree = tree
        self._body = [each for each in tree.body if not _does_nothing(each)]
        self._code = code
        self._fills: ast.AST | None = None  # a class that inherits how its parameters are filled
        self._constants: set[str] = set()

    def check(self) -> None:
        """Raise NotPlainError at what is not known to be harmless."""
        for node in self._body:
            self._declare(node)
        self._code.filled = filled(self._tree, self._code.path)
        for node in self._body:
            self._look_into(node)
        if self._fills and self._code.resets:
            raise NotPlainError(self._code.resets)

    def _declare(self, node: ast.stmt) -> None:
        """Take down what a name of the top level stands for."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, path in _imported(node):
                self._name(node, name, path)
                if isinstance(node, ast.ImportFrom) and node.level and not node.module:
                    self._code.asked.add(name)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            self._name(node, node.name)
            if isinstance(node, ast.ClassDef):
                self._declare_class(node)
        elif name := self._made(node):
            self._name(node, name)
        elif not self._table(node):
            self._constant(node)

    def _declare_class(self, node: ast.ClassDef) -> None:
        """The class may be asked for its functions, and so may what a class method calls it."""
        self._code.asked.add(node.name)
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and _decorators(each) & {"classmethod"}:
                for parameter in each.args.args[:1]:
                    self._name(each, parameter.arg)
                    self._code.asked.add(parameter.arg)

    def _made(self, node: ast.stmt) -> str:
        """The name of a function or class that an assignment makes."""
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            return ""
        made = isinstance(node.value, ast.Lambda) or self._is_made(node.value)
        return node.targets[0].id if made and len(node.targets) == 1 else ""

    def _is_made(self, node: ast.expr) -> bool:
        """`vmap(head)` or `namedtuple("Pair", ["output", "weights"])`."""
        if not isinstance(node, ast.Call):
            return self._code.is_own(node)
        path = self._code.path(node.func)
        if path == "collections.namedtuple" and not node.keywords:
            return all(map(self._is_unchangeable, chain.from_iterable(map(_items, node.args))))
        return path in WRAPPERS and not node.keywords and all(map(self._is_made, node.args))

    def _name(self, node: ast.stmt, name: str, path: str = "") -> None:
        code = self._code
        known = code.paths.get(name, "" if name in code.own else path)
        if known != path or name in self._constants or name in RESERVED or name[:2] == "__":
            raise NotPlainError(node)
        if path:
            code.paths[name] = path
        else:
            code.own.add(name)

    def _constant(self, node: ast.stmt) -> None:
        """`SCALE = 1e-5`, in a file or in a class: no other value outlives a call."""
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            raise NotPlainError(node)
        if isinstance(node, ast.AnnAssign):
            self._code.annotation(node.annotation)
        if node.value is None:
            return
        for each in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if not isinstance(each, ast.Name):
                raise NotPlainError(node)
            self._code.bind(node, each.id)
            self._constants.add(each.id)
        self._check_unchangeable([node.value])

    def _table(self, node: ast.stmt) -> bool:
        """`WIDEST = {torch.float32: 1e9}`, which the code may only look up something in."""
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict | ast.List):
            return False
        for each in node.targets:
            if not isinstance(each, ast.Name) or each.id in self._constants:
                raise NotPlainError(node)
            self._code.bind(node, each.id)
            self._code.tables.add(each.id)
        self._check_unchangeable(_items(node.value))
        return True

    def _check_unchangeable(self, values: Iterable[ast.expr | None]) -> None:
        for each in values:
            if each is not None and not self._is_unchangeable(each):
                raise NotPlainError(each)

    def _is_unchangeable(self, node: ast.AST) -> bool:
        """Whether it is a value made of numbers, texts, and values of libraries."""
        if isinstance(node, ast.Name):
            return node.id in self._constants or self._code.path(node) in names().values
        if isinstance(node, ast.Attribute):
            return self._code.path(node) in names().values
        if isinstance(node, ast.Call):
            return self._is_number(node) and all(map(self._is_unchangeable, node.args))
        inside = ast.iter_child_nodes(node)
        return isinstance(node, OPERATIONS) and all(map(self._is_unchangeable, inside))

    def _is_number(self, node: ast.Call) -> bool:
        """`float("inf")` or `math.sqrt(2)`."""
        path = self._code.path(node.func)
        builtin = isinstance(node.func, ast.Name) and node.func.id in NUMBERS - self._code.own
        return not node.keywords and (path[:5] == "math." or (builtin and not path))

    def _look_into(self, node: ast.stmt) -> None:
        """Check what runs when something of the file is called."""
        if isinstance(node, ast.FunctionDef):
            self._function(node, set())
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            self._check_unchangeable(_defaults(node.value.args))
            self._code.check(node.value)
        elif isinstance(node, ast.ClassDef):
            self._check_head(node)
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    self._method(each)
                elif not _does_nothing(each):
                    self._constant(each)

    def _check_head(self, node: ast.ClassDef) -> None:
        known = BASES | FILLED | ERRORS | self._code.own
        bases = [self._code.path(each) or ast.unparse(each) for each in node.bases]
        special = node.keywords or node.decorator_list or getattr(node, "type_params", None)
        if special or len(bases) > 1 or not known.issuperset(bases):
            raise NotPlainError(node)
        if FILLED.intersection(bases):
            self._fills = node

    def _method(self, node: ast.FunctionDef) -> None:
        if node.name[:2] == "__" and node.name not in METHODS:
            raise NotPlainError(node)
        if is_reset(node.name):
            self._code.resets = node
        self._function(node, {"property", "staticmethod", "classmethod"})

    def _function(self, node: ast.FunctionDef, decorators: set[str]) -> None:
        """What it does when it is called; its defaults, and what decorates it, are there before."""
        if getattr(node, "type_params", None):
            raise NotPlainError(node)
        for each in node.decorator_list:
            if not (isinstance(each, ast.Name) and each.id in decorators):
                self._code.check_nodes(self._code.mode(each))
        self._code.annotation(node.returns)
        self._check_unchangeable(_defaults(node.args))
        self._code.check(node, without_first="classmethod" in _decorators(node))


def _does_nothing(node: ast.stmt) -> bool:
    """A docstring, `pass`, or what is done only if the file is run by itself."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If) and not node.orelse:
        return ast.unparse(node.test) == "__name__ == '__main__'"
    return isinstance(node, ast.Pass)


def _items(node: ast.expr) -> list[ast.expr]:
    """What has to be unchangeable of a value at the top level."""
    if isinstance(node, ast.Dict):
        return [*filter(None, node.keys), *node.values]
    return node.elts if isinstance(node, ast.List) else [node]


def _defaults(args: ast.arguments) -> Iterator[ast.expr]:
    yield from filter(None, (*args.defaults, *args.kw_defaults))


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import gives to things, with their full paths; of exercises it is empty."""
    known = names()
    for each in node.names:
        if isinstance(node, ast.ImportFrom):
            path = "" if node.level == 1 else f"{node.module}.{each.name}"
            fine = node.level == 1 or (not node.level and known.has(path) and path not in BY_PATH)
            name = each.asname or each.name
        else:
            path = each.name if each.asname else each.name.partition(".")[0]
            fine, name = each.name in known.modules, each.asname or path
        if not fine or each.name == "*":
            raise NotPlainError(node)
        yield name, path


def _static(tree: ast.Module) -> Iterator[str]:
    """Methods that are functions when they are read from an instance of their class."""
    for node in tree.body:
        for each in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(each, ast.FunctionDef) and "staticmethod" in _decorators(each):
                yield each.name


def _decorators(node: ast.FunctionDef) -> set[str]:
    return {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
