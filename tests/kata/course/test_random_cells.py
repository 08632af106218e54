"""Random notebooks: the text that is made of the cells does what running all of them does.

What names alone cannot tell is left open, in one of a thousand of these: that a list with two names
was changed by the other one, or that a loop ran at least once before its variable was deleted.
"""

from random import Random

from kata.course.cells import Cell, assembled
from kata.course.curriculum import exercises
from tests.helpers import run_all
from tests.helpers.sampling import everything

EX01 = exercises()["ex01_softmax"]
NOTEBOOKS = 1000 if everything() else 200
STATEMENTS = """
{a} = {n}
{a} = {b}
{a}, {b} = {b}, {a}
{a} = [{b}, {n}]
{a} = [{a}, {n}]
{a} = {f}()
{a} = [{f}() for {b} in range(2)]
{a} += {b}
{a}: int
{a}: list = [{n}]
{a} = [{n}]; {a}.append({f}())
{a} = {{}}; {a}[{n}] = {b}
if {n}: {a} = {b}
if not {n}: {a} = {f}()
for {a} in range({n}): {b} = {f}()
for {a} in range(2): {b} = [{a}, {c}]
for {a} in ({n}, {b}): pass
while {a}: break
with suppress(Exception): {a} = {b}
try: {a} = {missing}|except NameError: {a} = {b}
try: import {missing}|except ImportError as {a}: {b} = {n}
del {a}
print({a}, {f}())
print({a} := {n})
import math as {a}
from math import pi as {a}
from math import *
def {f}(): return {a}
def {f}(x={a}): return x, {b}
def {f}(x={g}()): return x
def {f}(): return {g}() if {n} else {a}
def {f}({a}={n}): return {a}, {b}
def {f}(): return [{a} for {a} in range(2)], {b}
def {f}(): return (lambda {a}: ({a}, {b}))(1)
def {f}():| global {a}| {a} = {n}| return {b}
{f}()
@lambda function: lambda: ({a}, function())|def {f}(): return {b}
{f} = (lambda function: lambda: (1, function()))({f})
{f} = {g}
{f}.note = {a}
def {f}(): return getattr({g}, "note", {n})
class {k}: {a} = {b}
class {k}:| {a} = {n}| {c} = {a}| def get(self): return self.{a}, {b}
class {k}({l}): {b} = {n}
{k}.{a} = {b}
{k}.get = lambda self: {a}
setattr({k}, "{a}", {n})
{a} = {k}().__class__.__name__
def {f}(): return {k}.__name__, getattr({k}, "{a}", {n})
def {f}(): return getattr({k}(), "get", {g})()
""".strip().split("\n")
START = """
from contextlib import suppress
A = 1
B = 2
C = 3
def f(): return A
def g(): return B
class K: pass
class L: pass
""".strip().split("\n")


def statement(chance: Random) -> str:
    a, b, c = chance.sample("ABC", 3)
    (f, g), (k, l) = chance.sample("fg", 2), chance.sample("KL", 2)  # noqa: E741
    text = chance.choice(STATEMENTS).replace("|", "\n")
    n = chance.randrange(9)
    return text.format(a=a, b=b, c=c, f=f, g=g, k=k, l=l, n=n, missing="there_is_no_such_thing")


def notebook(chance: Random) -> list[str]:
    statements = [statement(chance) for _ in range(chance.randrange(3, 14))]
    needed = chance.choice(
        ["A, B", "f()", "g(), C", "K().get(), L.__name__", "A, getattr(L, 'B', 0)"]
    )
    statements.insert(chance.randrange(len(statements) + 1), f"def softmax(): return {needed}")
    return [*START, *statements]


def after(cells: list[str]) -> str:
    """What the function gives once all cells were run; empty if one of them failed."""
    names: dict[str, object] = {"print": lambda *_: None, "__name__": "notebook"}
    try:
        for each in cells:
            exec(each, names)
    except Exception:
        return ""
    return comparable(run_all.result(names))


def comparable(result: str) -> str:
    """Without the addresses of functions and objects."""
    return " ".join(part for part in result.split() if not part.startswith("0x"))


def test_random_notebooks_do_the_same_as_one_text() -> None:
    compared = 0
    for seed in range(NOTEBOOKS):
        cells = notebook(Random(seed))
        if wanted := after(cells):
            compared += 1
            text = assembled([Cell(at, each) for at, each in enumerate(cells)], EX01).text
            assert (seed, after([text])) == (seed, wanted), "\n".join(
                [*cells, "# as one text:", text]
            )
    assert compared > NOTEBOOKS / 4
