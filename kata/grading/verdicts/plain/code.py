"""What the code of a plain file may do: an allow-list over the nodes of its syntax tree.

It keeps one thing true: no variable, no attribute and no container ever holds anything that can be
changed and outlives a call, which is every function and class of the file, every library, and
little else. They may be called, inherited from and compared with. So whatever a call changes, it
has made or was given, and it is gone with the call or with its module.

A name means one thing in the whole file: what would need scopes to be understood is refused.
"""

import ast
import builtins
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from kata.grading.verdicts.plain.names import (
    FILLING,
    SHARED,
    UNFILLED,
    WITHOUT_HOLES,
    names,
    of_libraries,
)
from kata.grading.verdicts.plain.words import Words

Nodes = Iterable[ast.AST | None]
OTHER_BUILTINS = frozenset(dir(builtins)) - names().builtins
# Calls of these are understood by name, so nothing else may have it.
RESERVED = names().call_first | {"isinstance", "issubclass", "super", "type", "property"}
RESERVED |= {"getattr", "hasattr", "setattr", "staticmethod", "enumerate", "len", "range"}
ASKS_MORE = re.compile(r"\{[^{}:!]*[.\[]|\{[^{}]*\{")  # an attribute, or a format put together
DEEPEST = 6  # parts of a library's name
MOST_WORDS = 20  # calls of `getattr` and its like with a name that is put together
IN_ANNOTATIONS = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant),
    *(ast.BinOp, ast.BitOr, ast.Load),
)


class NotPlainError(Exception):
    """A construct that is not known to be harmless."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__(node)
        self.node = node


class AliasError(Exception):
    """A variable is another name for what outlives a call: the file is to be read again so."""


@dataclass
class Code:
    """The code of one file.

    Attributes:
        own: functions and classes of the file, and all that it imports from earlier exercises.
        asked: of those, classes of the file and whole exercises, whose parts may be called.
        paths: what it imports from libraries, each name with its full path.
        tables: dictionaries and lists of constants, which may only be looked up in.
        static: functions that the instances of its classes give away as they are.
        filled: calls that return memory as it was, which the next lines fill.
    """

    own: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    paths: dict[str, str] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    static: set[str] = field(default_factory=set)
    filled: frozenset[int] = frozenset()
    aliases: set[str] = field(default_factory=set)
    resets: ast.AST | None = None  # what may keep a module from filling its parameters
    asked_by_word: int = 0
    inside: ast.AST = field(default_factory=ast.Pass)  # the function that is looked at
    variables: set[str] = field(default_factory=set)  # its parameters

    def check(self, function: ast.FunctionDef | ast.Lambda, *, without_first: bool = False) -> None:
        """Raise NotPlainError at what is not known to be harmless in a function of the file."""
        args = function.args
        given = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        self.inside = function
        self.variables = {each.arg for each in given if each}
        body = function.body if isinstance(function, ast.FunctionDef) else [function.body]
        self.check_nodes([*given[without_first:], *body])

    def check_nodes(self, nodes: Nodes) -> None:
        """Raise NotPlainError at what is not known to be harmless."""
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node is not None:
                rule = RULES.get(type(node))
                if rule is None:
                    raise NotPlainError(node)
                waiting.extend(rule(self, node))

    def path(self, node: ast.expr) -> str:
        """The full path of a library's name; empty if it is none."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute) and len(parts) < DEEPEST:
            parts.append(node.attr)
            node = node.value
        root = self.paths.get(node.id) if isinstance(node, ast.Name) else None
        return ".".join([root, *reversed(parts)]) if root else ""

    def is_own(self, node: ast.AST) -> bool:
        """Whether it is a function or class of the file, or of an earlier exercise."""
        return isinstance(node, ast.Name) and node.id in self.own

    def is_kind(self, node: ast.expr) -> bool:
        """Whether it is a class, or several, that a value can be asked for."""
        if isinstance(node, ast.Tuple):
            return all(map(self.is_kind, node.elts))
        builtin = isinstance(node, ast.Name) and node.id in names().builtins
        return builtin or self.is_own(node) or self.path(node) in names().kinds

    def bind(self, node: ast.AST, name: str | None) -> Nodes:
        """The code gives a name to something: it must have no other meaning in the file."""
        if name and (self.is_taken(name) or name in RESERVED or name[:2] == "__"):
            raise NotPlainError(node)
        return ()

    def is_taken(self, name: str) -> bool:
        """Whether the name stands for something that outlives a call."""
        return name in self.own or name in self.paths or name in self.tables

    def name(self, node: ast.Name) -> Nodes:
        """A variable, or a value of a library that nobody can change."""
        if not isinstance(node.ctx, ast.Load):
            return self.bind(node, node.id)
        taken = self.is_taken(node.id) and self.paths.get(node.id) not in names().values
        builtin = node.id in OTHER_BUILTINS and node.id not in self.variables
        if taken or builtin or node.id[:2] == "__":
            raise NotPlainError(node)
        return ()

    def attribute(self, node: ast.Attribute) -> Nodes:
        """An attribute that is read, set or deleted."""
        if path := self.path(node):
            if path in names().values and isinstance(node.ctx, ast.Load):
                return ()
            raise NotPlainError(node)
        if node.attr in self.static:
            raise NotPlainError(node)
        self.check_attribute(node, node.attr, node.value)
        if not isinstance(node.ctx, ast.Load) and is_reset(node.attr):
            self.resets = node
        made = node.value if isinstance(node.ctx, ast.Load) else None
        if isinstance(made, ast.Call) and self.path(made.func) in SHARED:
            return (*made.args, *made.keywords)
        return (node.value,)

    def check_attribute(self, node: ast.AST, name: str, of: ast.AST) -> None:
        """The attribute is listed, or no object of a library has one of this name."""
        if name in names().attributes:
            return
        private = name[:1] == "_" and not (isinstance(of, ast.Name) and of.id == "self")
        if private or name[:2] == "__" or name in of_libraries():
            raise NotPlainError(node)

    def call(self, node: ast.Call) -> Nodes:
        """A call of a value, of a function of the file, or of one that is listed."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in SPECIAL:
            return SPECIAL[name](self, node)
        if inner := self.filled_at_once(node):
            of = () if self.path(inner.func) else (inner.func,)
            return (*of, *inner.args, *inner.keywords, *node.args, *node.keywords)
        if self.is_text(node):
            return (*node.args, *node.keywords)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "set_":
            return self.set_whole(node, node.func.value)
        path = self.path(node.func)
        self.check_result(node, path)
        calls_first = (path or name) in names().call_first
        args = node.args[1:] if calls_first and self.is_function(node.args, path) else node.args
        return (*self.callee(node.func, path), *args, *node.keywords)

    def callee(self, function: ast.expr, path: str) -> Nodes:
        """What is left to look at of the function that is called."""
        if path in names().calls or self.is_own(function):
            return ()
        if path or not isinstance(function, ast.Attribute):
            if path[-9:] == ".__init__" and path[:-9] in names().kinds:
                return ()
            return (function,)
        if function.attr != "__init__" or not self.has_init(function.value):
            self.check_attribute(function, function.attr, function.value)
        return () if self.is_asked(function.value) else (function.value,)

    def is_asked(self, node: ast.expr) -> bool:
        """Whether it is a class of the file or an earlier exercise, whose functions are called.

        It is not any other name that comes from there, which may be a library.
        """
        return isinstance(node, ast.Name) and node.id in self.asked

    def has_init(self, node: ast.expr) -> bool:
        """Whether it is a class of the file, or stands for what a class inherits."""
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id == "super"
        return self.is_asked(node)

    def is_function(self, args: list[ast.expr], to: str) -> bool:
        """Whether a call is given a function first, to call it."""
        if not args or self.is_own(args[0]):
            return bool(args)
        if isinstance(args[0], ast.Attribute) and args[0].attr in self.static:
            return isinstance(args[0].value, ast.Name) and args[0].value.id == "self"
        path = self.path(args[0])
        risky = path in UNFILLED or path in SHARED
        if to == "functools.partial":  # more arguments come later, `where` among them
            risky |= path[:9] != "torch.nn." and path not in WITHOUT_HOLES
        return path in names().calls and not risky

    def filled_at_once(self, node: ast.Call) -> ast.Call | None:
        """The call whose result is filled by this one: `torch.empty_like(x).bernoulli_(p)`."""
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in FILLING:
            return None
        inner = function.value
        return inner if isinstance(inner, ast.Call) and self.is_unfilled(inner) else None

    def is_unfilled(self, node: ast.Call) -> bool:
        """Whether a call returns memory as it was."""
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return self.path(node.func) in UNFILLED or method == "new_empty"

    def is_text(self, node: ast.Call) -> bool:
        """Whether it is `"{} of {}".format(a, b)`, which reads no attributes."""
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr != "format":
            return False
        text = function.value.value if isinstance(function.value, ast.Constant) else None
        return isinstance(text, str) and not ASKS_MORE.search(text)

    def set_whole(self, node: ast.Call, of: ast.expr) -> Nodes:
        """`x.set_(y)`; with a size, it can be larger than what has been filled."""
        if node.keywords or len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
            raise NotPlainError(node)
        return (of, *node.args)

    def check_result(self, node: ast.Call, path: str) -> None:
        """No call returns memory as it was, or an object that others get, too."""
        unfilled = self.is_unfilled(node) and id(node) not in self.filled
        if path in SHARED or unfilled or (path[:6] == "numpy." and self.has_holes(node)):
            raise NotPlainError(node)

    def has_holes(self, node: ast.Call) -> bool:
        """Whether `where=` leaves out what no `out=` has filled before."""
        given = {each.arg: each.value for each in node.keywords}
        out = given.get("out")
        full = isinstance(out, ast.Call) and self.path(out.func)[:6] == "numpy."
        return None in given or ("where" in given and not full)

    def compare(self, node: ast.Compare) -> Nodes:
        """A comparison, also of kinds: `type(shape) is int`."""
        left, rest = node.left, node.comparators
        function = left.func if isinstance(left, ast.Call) and len(left.args) == 1 else None
        if isinstance(left, ast.Call) and isinstance(function, ast.Name) and function.id == "type":
            return (*left.args, *(each for each in rest if not self.is_kind(each)))
        return (left, *(each for each in rest if not _is_set_of_constants(each)))

    def asks_kind(self, node: ast.Call) -> Nodes:
        """`isinstance(x, Kind)`."""
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            raise NotPlainError(node)
        return (*node.args[:1], *(each for each in node.args[1:] if not self.is_kind(each)))

    def base(self, node: ast.Call) -> Nodes:
        """`super()`, or `super(Kind, self)`."""
        given = node.args[1:] if node.args and self.is_own(node.args[0]) else node.args
        return (*given, *node.keywords)

    def dynamic(self, node: ast.Call) -> Nodes:
        """`getattr(x, name)` and its like are what they would be with a dot."""
        self.asked_by_word += 1
        fine = len(node.args) > 1 and not node.keywords and self.asked_by_word <= MOST_WORDS
        known = Words(self.inside).of(node.args[1]) if fine else None
        if known is None:
            raise NotPlainError(node)
        for each in known:
            self.check_word(node, each)
        return (node.args[0], *node.args[2:])

    def check_word(self, node: ast.Call, word: str) -> None:
        """It is the name of a harmless attribute, or begins as none that is not."""
        if word in names().attributes:
            return
        start = word.rstrip("*")
        begin_so = {each for each in of_libraries() | self.static if each.startswith(start)}
        found = begin_so - names().attributes if word != start else {start} & self.static
        if found or not start or start[:1] == "_":
            raise NotPlainError(node)
        self.check_attribute(node, start, node)

    def sets(self, node: ast.Call) -> Nodes:
        """`setattr(x, name, value)` concerns x alone, whatever the name."""
        if node.keywords or len(node.args) != 3:
            raise NotPlainError(node)
        if not isinstance(node.args[1], ast.Constant) or is_reset(node.args[1].value):
            self.resets = node
        return node.args

    def set_of_numbers(self, node: ast.SetComp) -> Nodes:
        """`{len(part) for part in parts}`: sets of other things differ in order from run to run."""
        function = node.elt.func if isinstance(node.elt, ast.Call) else None
        if not isinstance(function, ast.Name) or function.id != "len":
            raise NotPlainError(node)
        return (node.elt, *node.generators)

    def counts(self, node: ast.Call) -> Nodes:
        """`len({...})`, which does not tell in which order a set is."""
        if node.keywords or len(node.args) != 1:
            raise NotPlainError(node)
        given = node.args[0]
        if isinstance(given, ast.SetComp):
            return (given.elt, *given.generators)
        return given.elts if isinstance(given, ast.Set) else (given,)

    def item(self, node: ast.Subscript) -> Nodes:
        """`x[i]`; in a table of constants it may only be looked up."""
        table = node.value if isinstance(node.ctx, ast.Load) else None
        if isinstance(table, ast.Name) and table.id in self.tables:
            return (node.slice,)
        return (node.value, node.slice)

    def alias(self, node: ast.Assign) -> Nodes:
        """An assignment; `make = EncoderLayer` makes the name one more for what is called."""
        target, value = node.targets[0], node.value
        if isinstance(value, ast.Attribute) and self.is_asked(value.value):
            self.check_attribute(value, value.attr, value.value)
        elif not self.is_own(value):
            return (*node.targets, value)
        if not isinstance(target, ast.Name) or len(node.targets) > 1:
            raise NotPlainError(node)
        if target.id not in self.aliases:
            raise AliasError(target.id)
        return ()

    def context(self, node: ast.With) -> Nodes:
        """`with torch.no_grad():`, which ends what it begins; no generator waits before that."""
        waits = any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))
        if waits or any(each.optional_vars for each in node.items):
            raise NotPlainError(node)
        given = [each for item in node.items for each in self.mode(item.context_expr)]
        return (*given, *node.body)

    def mode(self, node: ast.expr) -> Nodes:
        """`torch.no_grad()`, as a context or a decorator: what is left to look at."""
        if isinstance(node, ast.Call) and self.path(node.func) in names().contexts:
            return (*node.args, *node.keywords)
        raise NotPlainError(node)

    def function(self, node: ast.FunctionDef) -> Nodes:
        """A function in a function, which is made anew in each call."""
        if getattr(node, "type_params", None) or node.decorator_list:
            raise NotPlainError(node)
        self.bind(node, node.name)
        self.annotation(node.returns)
        return (node.args, *node.body)

    def parameter(self, node: ast.arg) -> Nodes:
        """A parameter, and what it is said to be."""
        self.annotation(node.annotation)
        return self.bind(node, node.arg)

    def annotation(self, node: ast.expr | None) -> None:
        """It is evaluated, but calls nothing."""
        if node is None or isinstance(node, (ast.Name, ast.Constant)):
            return
        for each in ast.walk(node):
            if not isinstance(each, IN_ANNOTATIONS):
                raise NotPlainError(each)

    def pattern(self, node: ast.MatchClass) -> Nodes:
        """`case tuple():`, which asks for a kind and nothing more."""
        if node.kwd_attrs or not self.is_kind(node.cls):
            raise NotPlainError(node)
        return node.patterns

    def handler(self, node: ast.ExceptHandler) -> Nodes:
        """`except ValueError as error:`."""
        self.bind(node, node.name)
        return (node.type, *node.body)

    def comprehension(self, node: ast.comprehension) -> Nodes:
        """`for x in y if z`."""
        if node.is_async:
            raise NotPlainError(node.iter)
        return (node.target, node.iter, *node.ifs)


def is_reset(name: object) -> bool:
    """Whether a module calls it to fill its parameters."""
    return isinstance(name, str) and name.endswith("reset_parameters")


def _is_set_of_constants(node: ast.expr) -> bool:
    """Something that is only looked into: the order of a set differs from run to run."""
    return isinstance(node, ast.Set) and all(isinstance(e, ast.Constant) for e in node.elts)


def _nothing(_: Code, __: Any) -> Nodes:
    return ()


SPECIAL: dict[str, Callable[[Code, ast.Call], Nodes]] = {
    "isinstance": Code.asks_kind,
    "issubclass": Code.asks_kind,
    "super": Code.base,
    "getattr": Code.dynamic,
    "hasattr": Code.dynamic,
    "setattr": Code.sets,
    "len": Code.counts,
}
RULES: dict[type, Callable[[Code, Any], Nodes]] = {
    # what means something for names and memory
    ast.Name: Code.name,
    ast.Attribute: Code.attribute,
    ast.Call: Code.call,
    ast.Compare: Code.compare,
    ast.With: Code.context,
    ast.FunctionDef: Code.function,
    ast.arg: Code.parameter,
    ast.ExceptHandler: Code.handler,
    ast.comprehension: Code.comprehension,
    # statements
    ast.Expr: lambda _, node: (node.value,),
    ast.Return: lambda _, node: (node.value,),
    ast.Assign: Code.alias,
    ast.AugAssign: lambda _, node: (node.target, node.value),
    ast.AnnAssign: lambda _, node: (node.target, node.value),  # here it is not evaluated
    ast.Delete: lambda _, node: node.targets,
    ast.If: lambda _, node: (node.test, *node.body, *node.orelse),
    ast.For: lambda _, node: (node.target, node.iter, *node.body, *node.orelse),
    ast.While: lambda _, node: (node.test, *node.body, *node.orelse),
    ast.Try: lambda _, node: (*node.body, *node.handlers, *node.orelse, *node.finalbody),
    ast.Raise: lambda _, node: (node.exc, node.cause),
    ast.Assert: lambda _, node: (node.test, node.msg),
    ast.Match: lambda _, node: (node.subject, *node.cases),
    ast.match_case: lambda _, node: (node.pattern, node.guard, *node.body),
    ast.Pass: _nothing,
    ast.Break: _nothing,
    ast.Continue: _nothing,
    # patterns
    ast.MatchValue: lambda _, node: (node.value,),
    ast.MatchSingleton: _nothing,
    ast.MatchSequence: lambda _, node: node.patterns,
    ast.MatchOr: lambda _, node: node.patterns,
    ast.MatchAs: lambda code, node: (*code.bind(node, node.name), node.pattern),
    ast.MatchStar: lambda code, node: code.bind(node, node.name),
    ast.MatchClass: Code.pattern,
    # expressions
    ast.Constant: _nothing,
    ast.BinOp: lambda _, node: (node.left, node.right),
    ast.BoolOp: lambda _, node: node.values,
    ast.UnaryOp: lambda _, node: (node.operand,),
    ast.IfExp: lambda _, node: (node.test, node.body, node.orelse),
    ast.NamedExpr: lambda _, node: (node.target, node.value),
    ast.Subscript: Code.item,
    ast.Slice: lambda _, node: (node.lower, node.upper, node.step),
    ast.Yield: lambda _, node: (node.value,),
    ast.YieldFrom: lambda _, node: (node.value,),
    ast.Starred: lambda _, node: (node.value,),
    ast.Tuple: lambda _, node: node.elts,
    ast.List: lambda _, node: node.elts,
    ast.Dict: lambda _, node: (*node.keys, *node.values),
    ast.ListComp: lambda _, node: (node.elt, *node.generators),
    ast.GeneratorExp: lambda _, node: (node.elt, *node.generators),
    ast.SetComp: Code.set_of_numbers,
    ast.DictComp: lambda _, node: (node.key, node.value, *node.generators),
    ast.JoinedStr: lambda _, node: node.values,
    ast.FormattedValue: lambda _, node: (node.value, node.format_spec),
    ast.Lambda: lambda _, node: (node.args, node.body),
    ast.keyword: lambda _, node: (node.value,),
    ast.arguments: lambda _, node: (
        *(*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg),
        *(*node.defaults, *node.kw_defaults),
    ),
}
