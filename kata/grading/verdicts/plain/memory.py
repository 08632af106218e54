"""Memory that is used as it was found: `np.empty` returns what earlier calls left there.

It is harmless where all numbers are written before any is read. That is seen of two usual forms
alone. The next statement is a loop over all items, which does nothing with the array but set them:

    scores = np.empty(len(keys))
    for s, key in enumerate(keys):
        scores[s] = query @ key

Or it is a parameter, and the same lines draw it or make it constant:

    self.gamma = nn.Parameter(torch.empty(shape))
    nn.init.ones_(self.gamma)
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

NEW = {"empty", "empty_like", "new_empty"}
LOOP = (ast.For, ast.Assign, ast.Expr)  # what a loop that fills may consist of
MOST = 8  # arrays of a file that are looked at: each takes a while
Path = Callable[[ast.expr], str]
Block = Sequence[ast.stmt]


def filled(tree: ast.Module, path: Path) -> frozenset[int]:
    """The calls, by their `id`, whose result is filled before it is read.

    `path` tells the full name of what is a library's.
    """
    return frozenset(id(call) for call in islice(_filled(tree, path), MOST))


def _filled(tree: ast.Module, path: Path) -> Iterator[ast.Call]:
    new = islice(_new(tree), MOST)
    for function, block, at in new:
        node = block[at]
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            target, call, after = node.targets[0], node.value, block[at + 1 :]
            if isinstance(target, ast.Name):
                filling = _Filling(function, target.id, _sizes(call))
                yield from [call] if filling.is_done_by(after) else []
            elif path(call.func) == "torch.nn.Parameter" and block is function.body:
                inner = call.args[0]
                if isinstance(inner, ast.Call) and _is_drawn(after, target, path):
                    yield inner


def _new(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, Block, int]]:
    """Where something new is given a name: the function, the block of lines, the place in it."""
    tops = [each for node in tree.body for each in (node, *getattr(node, "body", ()))]
    for function in tops:
        if isinstance(function, ast.FunctionDef):
            for block in _blocks(function.body):
                yield from ((function, block, at) for at, each in enumerate(block) if _makes(each))


def _blocks(body: Block) -> Iterator[Block]:
    yield body
    for node in body:
        for name in ("body", "orelse", "finalbody"):
            yield from _blocks(getattr(node, name, ()))


def _makes(node: ast.stmt) -> bool:
    """Whether it is `x = np.empty(…)` or `x = nn.Parameter(torch.empty(…))`."""
    if not isinstance(node, ast.Assign) or len(node.targets) > 1:
        return False
    call = node.value
    if isinstance(call, ast.Call) and len(call.args) == 1 and isinstance(call.args[0], ast.Call):
        call = call if _is_new(call) else call.args[0]
    return isinstance(call, ast.Call) and _is_new(call)


def _is_new(call: ast.Call) -> bool:
    function = call.func
    return (getattr(function, "attr", "") or getattr(function, "id", "")) in NEW


def _is_drawn(after: Block, parameter: ast.expr, path: Path) -> bool:
    """Whether `nn.init.ones_(parameter)` follows, with nothing between but other parameters."""
    name = ast.unparse(parameter)
    for node in after:
        call = node.value if isinstance(node, ast.Expr) else None
        of_init = isinstance(call, ast.Call) and path(call.func)[:14] == "torch.nn.init."
        if isinstance(call, ast.Call) and of_init and call.args:
            if ast.unparse(call.args[0]) == name:
                return not any(name in ast.unparse(each) for each in call.args[1:])
        elif not _makes(node):
            return False
        if name in ast.unparse(node):
            return False
    return False


def _sizes(call: ast.Call) -> list[str]:
    """The sizes of a new array, as they stand there; none if they are another array's."""
    given = call.args
    if len(given) == 1 and isinstance(given[0], ast.Tuple):
        given = given[0].elts
    return [ast.unparse(each) for each in given if not isinstance(each, ast.Starred)]


@dataclass
class _Filling:
    """A new array, and the loops that set its items."""

    function: ast.FunctionDef
    array: str
    sizes: list[str]

    def is_done_by(self, after: Block) -> bool:
        """Whether the next statement is a loop that fills the array.

        Nothing outside of these lines may name it: a function that was defined before could read
        it. And its sizes are still what they were when it was made.
        """
        inside = 1 + sum(_uses(each, self.array) for each in after)
        fills = bool(after) and isinstance(after[0], ast.For) and self._fills(after[0], {})
        return fills and inside == _uses(self.function, self.array) and self._keeps_sizes()

    def _keeps_sizes(self) -> bool:
        """Whether nothing in a size gets another value in the function."""
        args = self.function.args
        bound = [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        names = (each for each in ast.walk(self.function) if isinstance(each, ast.Name))
        bound += [each.id for each in names if not isinstance(each.ctx, ast.Load)]
        inside = {word for size in self.sizes for word in re.findall(r"\w+", size)}
        return all(times == 1 for name, times in Counter(bound).items() if name in inside)

    def _fills(self, loop: ast.For, places: dict[str, str]) -> bool:
        """Whether a loop sets all items, in each pass those of one place, and does nothing else.

        `places` are the variables that count the passes of loops around it, each with how many.
        """
        places = {**places, **_counted(loop)}
        if loop.orelse or not all(isinstance(each, LOOP) for each in loop.body):
            return False
        used = [each for each in loop.body if _uses(each, self.array)]
        return (
            bool(used)
            and not _uses(loop.iter, self.array)
            and all(self._is_full(each, places) for each in used)
        )

    def _is_full(self, node: ast.stmt, places: dict[str, str]) -> bool:
        if isinstance(node, ast.For):
            return self._fills(node, places)
        if not isinstance(node, ast.Assign) or _uses(node, self.array) != 1:
            return False
        item = node.targets[0]
        array = item.value if isinstance(item, ast.Subscript) else None
        named = isinstance(array, ast.Name) and array.id == self.array
        return named and isinstance(item, ast.Subscript) and self._is_all(item.slice, places)

    def _is_all(self, index: ast.expr, places: dict[str, str]) -> bool:
        """Whether the index comes to all items, since each loop goes through a whole axis."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        counted = []
        for part, size in zip_longest(parts, self.sizes):
            if isinstance(part, ast.Name) and places.get(part.id) == size:
                counted.append(part.id)
            elif part is not None and not (isinstance(part, ast.Slice) and _is_whole(part)):
                return False
        return sorted(counted) == sorted(places)


def _is_whole(part: ast.Slice) -> bool:
    return part.lower is part.upper is part.step is None


def _counted(loop: ast.For) -> dict[str, str]:
    """The variable that counts the passes of a loop, with how many: `range(n)`, `enumerate(x)`."""
    source, target = loop.iter, loop.target
    if not isinstance(source, ast.Call) or len(source.args) != 1 or source.keywords:
        return {"": ""}
    size = ast.unparse(source.args[0])
    if getattr(source.func, "id", "") == "range" and isinstance(target, ast.Name):
        return {target.id: size}
    if getattr(source.func, "id", "") == "enumerate" and isinstance(target, ast.Tuple):
        return {getattr(target.elts[0], "id", ""): f"len({size})"}
    return {"": ""}


def _uses(node: ast.AST, name: str) -> int:
    return sum(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))
