"""Flags: a library did the work, two are alike, the process is reached; honest work gets none.

Of the answers of others, and of the disguises, a part is tried here, and tests/long tries them all.
"""

import ast
from collections.abc import Callable
from itertools import combinations, product

import pytest

from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import contract
from kata.grading import steps
from kata.grading.alike import (
    Comparison,
    Group,
    are_alike,
    can_tell,
    enough,
    evidence,
    flag,
    reference,
    work_of,
)
from kata.grading.flags import Flag, flags
from kata.grading.steps import program
from tests.helpers.sampling import everything, sample

SPECIMENS = ROOT / "tests" / "specimens"
EX = {each.short: each for each in exercises().values()}
# At the size of the reference.
TOO_SMALL = {"ex01", "ex04", "ex07", "ex08", "ex13", "ex14", "ex15", "ex22", "ex28"}
DELEGATING = {  # right answers in which a library does what the stub asks for
    "ex03/builtin", "ex04/builtin", "ex05/fused", "ex06/fused_kernel", "ex06/fused_with_mask",
    "ex08/builtin", "ex09/torch_does_it", "ex11/torch_does_it", "ex12/one_group",
    "ex12/torch_does_it", "ex20/torch_does_it", "ex23/library_kernel", "ex23/vocabulary_second",
    "ex26/fused_kernel", "ex23/newcomer_1", "ex23/careful_1",
}  # fmt: skip
LIKE_THE_REFERENCE = {"ex28/newcomer_1"}  # step by step, by somebody who never saw it
# These share most steps with the reference, or with one another.
NEAREST = {"ex09/newcomer_1", "ex09/careful_1", "ex18/careful_1", "ex25/newcomer_1"}
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
SIZEABLE = ("ex05", "ex09", "ex16")


def honest(exercise: Exercise) -> dict[str, str]:
    """Answers that were written independently: right ones, blind attempts, mistakes from titles."""
    folders = (exercise.accepted, SPECIMENS / "attempts" / exercise.slug,
               SPECIMENS / "rewritten" / exercise.slug)  # fmt: skip
    paths = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}


def some_honest(exercise: Exercise) -> dict[str, str]:
    """Answers that are tried now: some, and those of which something is said."""
    texts = honest(exercise)
    told = DELEGATING | LIKE_THE_REFERENCE | NEAREST
    always = [name for name in texts if f"{exercise.short}/{name}" in told]
    return {name: texts[name] for name in sample([*texts], always, one_in=16)}


def solution(exercise: Exercise) -> str:
    return exercise.solution.read_text(encoding="utf-8")


def letters(exercise: Exercise, text: str) -> str:
    return program(exercise, text).letters


def kinds(exercise: Exercise, text: str) -> list[str]:
    return [flag.kind for flag in flags(exercise, text)]


def groups(exercise: Exercise, texts: dict[str, str]) -> list[Group]:
    comparison = Comparison()
    for student, text in texts.items():
        comparison.add(student, work_of(exercise, text))
    return comparison.groups().get(exercise.slug, [])


# Honest work


def test_honest_work_is_flagged_only_where_a_library_does_it() -> None:
    flagged = {f"{short}/{name}": found for short, exercise in EX.items()
               for name, text in some_honest(exercise).items()
               if (found := kinds(exercise, text))}  # fmt: skip

    told = {name: ["delegates"] for name in DELEGATING}
    assert flagged == told | {name: ["reference"] for name in LIKE_THE_REFERENCE}


def test_no_two_honest_answers_are_alike() -> None:
    grouped, nearest = {}, {}
    for short, exercise in EX.items():
        texts = some_honest(exercise)
        programs = [letters(exercise, text) for text in (solution(exercise), *texts.values())]
        grouped[short] = groups(exercise, texts)
        nearest[short] = max(evidence(*pair) for pair in combinations(programs, 2))

    assert {short: found for short, found in grouped.items() if found} == {}
    assert {short: near for short, near in nearest.items() if near > enough(EX[short]) - 4} == {}


def test_a_stub_has_no_steps_and_no_flags() -> None:
    for exercise in EX.values():
        stub = exercise.stub.read_text(encoding="utf-8")
        found = letters(exercise, stub), flags(exercise, stub)

        assert (exercise.short, *found) == (exercise.short, "", [])
        assert groups(exercise, {"a": stub, "b": stub}) == [], exercise.short


def test_which_exercises_are_too_small_to_compare() -> None:
    small = {short for short, each in EX.items() if not can_tell(each, reference(each.slug))}

    assert small == TOO_SMALL
    assert groups(EX["ex14"], dict.fromkeys("ab", honest(EX["ex14"])["careful_1"])) == []


# Libraries


def attention(top: str, call: str) -> str:
    head = "def scaled_dot_product_attention(query, key, value):"
    return f"{top}\n\n\n{head}\n    return {call}(query, key, value), None\n"


SDPA = "torch.nn.functional.scaled_dot_product_attention"


def test_a_library_is_found_under_any_name() -> None:
    for top, call, name, line in [
        ("import torch", SDPA, SDPA, 5),
        ("import torch.nn.functional as G", "G.scaled_dot_product_attention", SDPA, 5),
        ("from torch.nn import functional", "functional.scaled_dot_product_attention", SDPA, 5),
        ("from torch.nn.functional import scaled_dot_product_attention as a", "a", SDPA, 5),
        ("from torch.nn import functional as F; a = F.scaled_dot_product_attention", "a", SDPA, 1),
        ("try:\n    from torch.nn.functional import scaled_dot_product_attention as a\n"
         "except ImportError:\n    a = None", "a", SDPA, 8),
        ("import jax", "jax.nn.dot_product_attention", "jax.nn.dot_product_attention", 5),
    ]:  # fmt: skip
        text = f"`{name}` does what ex04 asks for: line {line}"

        assert flags(EX["ex04"], attention(top, call)) == [Flag("delegates", text)], top


CHECK = "torch.allclose(softmax(x), F.softmax(x))"
DELEGATES = [
    ("ex01", "import torch\ndef softmax(scores, axis=-1):\n"
             "    return torch.from_numpy(scores).softmax(axis).numpy()"),
    ("ex01", "from scipy import special\ndef softmax(scores, axis=-1):\n"
             "    return special.softmax(scores, axis)"),
    ("ex01", "from scipy.special import softmax"),
    ("ex01", "from scipy import special\nsoftmax = special.softmax"),
    ("ex12", "from torch.nn.functional import *\nclass LayerNorm(Module):\n"
             "    def forward(self, x):\n        return layer_norm(x, self.shape)"),
    ("ex12", "import torch\nclass LayerNorm(torch.nn.LayerNorm):\n    pass"),
    ("ex09", "from torch import nn\nclass MultiHeadAttention(nn.Module):\n"
             "    def __init__(self, d_model, num_heads):\n        super().__init__()\n"
             "        self.inner = nn.MultiheadAttention(d_model, num_heads)"),
    ("ex15", "from torch import nn\nclass Encoder(nn.TransformerEncoder):\n    pass"),
]  # fmt: skip
COMPUTES = [
    "from torch.nn import functional as F\ndef softmax(x, axis=-1):\n    return x",
    "from torch.nn.functional import softmax\ndef softmax(x, axis=-1):\n    return softmax(x)",
    f"{'from torch.nn import functional as F'}\ndef softmax(x, axis=-1):\n    return x\n"
    f'if __name__ == "__main__":\n    assert {CHECK}',
    f"import torch.nn.functional as F\ndef softmax(x, axis=-1):\n    return x\n"
    f"def test_softmax():\n    assert {CHECK}",
    "from torch.nn import Softmax\ndef softmax(x: Softmax, axis=-1) -> Softmax:\n    return x",
    "class Ours:\n    def softmax(self, x):\n        return self.softmax(x)\n"
    "def softmax(x, axis=-1):\n    return Ours(x)",
]  # fmt: skip
STAYS_INSIDE = [
    "class A:\n    def f(self, n):\n        return getattr(self, f'w_{n}'), vars(self)",
    "import torch\nf = torch.compile, torch.bool\ndef g(m):\n    return m.eval(), m.modules()",
    "import sys\nlargest = sys.float_info.max, sys.maxsize",
    "def compile(x):\n    return x\ny = compile(1)",
    "def f(eval):\n    return eval, f.__name__, f.__class__, f.__doc__",
    'if __name__ == "__main__":\n    print("__main__")',
]  # fmt: skip


@pytest.mark.parametrize(("short", "text", "kinds_of_flags"), [
    *((short, text, ["delegates"]) for short, text in DELEGATES),
    *(("ex01", text, []) for text in COMPUTES),
    *(("ex01", f"{text}\ndef softmax(x):\n    return x\n", []) for text in STAYS_INSIDE),
])  # fmt: skip
def test_what_delegates_or_reaches_and_what_does_not(
    short: str, text: str, kinds_of_flags: list[str]
) -> None:
    assert kinds(EX[short], text) == kinds_of_flags


def test_lines_are_listed_once_and_in_order() -> None:
    text = honest(EX["ex04"])["builtin"]
    numbered = enumerate(text.splitlines(), start=1)
    first, second = (at for at, line in numbered if "F.scaled_dot_product_attention(" in line)

    assert [flag.text for flag in flags(EX["ex04"], text)] == [
        f"`{SDPA}` does what ex04 asks for: lines {first}, {second}"
    ]


# Disguises


def named(node: ast.AST, top: list[ast.stmt]) -> str:
    """The field with a name that a file may change: of a variable, a definition, of `self`."""
    match node:
        case ast.Name():
            return "id"
        case ast.arg():
            return "arg"
        case ast.Attribute(value=ast.Name(id="self")):
            return "attr"
        case ast.FunctionDef() | ast.ClassDef():
            return "name" if node in top else ""
    return ""


def renamed(tree: ast.Module, exercise: Exercise) -> None:
    """Other names for variables, and for all else that a file may rename without breaking."""
    nodes = [(node, field) for node in ast.walk(tree) if (field := named(node, tree.body))]
    own = {(field == "attr", getattr(node, field)) for node, field in nodes
           if not isinstance(getattr(node, "ctx", None), ast.Load)}  # fmt: skip
    own -= {(False, name) for name in ("self", *contract(exercise).names)}
    for node, field in nodes:
        if (field == "attr", name := getattr(node, field)) in own:
            setattr(node, field, f"my_{name}")


def reordered(tree: ast.Module, _: Exercise) -> None:
    """Functions, classes and methods in reverse order."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            moved = [each for each in node.body if isinstance(each, DEFINITIONS)]
            node.body = [each for each in node.body if each not in moved] + moved[::-1]


def redocumented(tree: ast.Module, _: Exercise) -> None:
    """Other docstrings, no annotations; parsing has removed the comments."""
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS):
            documented = ast.get_docstring(node) is not None
            node.body = [*ast.parse('"""Mine."""').body, *node.body[documented:]]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None


NOTHING = ast.parse('pass\nunused = 0\nassert True\nprint("here")\n"a note"\nidle: int = 1').body


def padded(tree: ast.Module, _: Exercise) -> None:
    """A line without effect before each line."""
    lines = 0
    for node in [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.If)]:
        body = node.body
        node.body = []
        for each in body:
            node.body += [NOTHING[lines % len(NOTHING)], each]
            lines += 1


def split(tree: ast.Module, _: Exercise) -> None:
    """A variable for each intermediate result."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.For | ast.If):
            node.body = [line for each in node.body for line in in_parts(each)]


def in_parts(line: ast.stmt) -> list[ast.stmt]:
    if not isinstance(line, ast.Assign | ast.Return) or line.value is None:
        return [line]
    before: list[ast.stmt] = []
    split_operands(line.value, before)
    return [*before, line]


def split_operands(node: ast.expr, before: list[ast.stmt]) -> None:
    if isinstance(node, ast.BinOp):
        node.left, node.right = kept(node.left, before), kept(node.right, before)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            node.func.value = kept(node.func.value, before)
        node.args = [kept(each, before) for each in node.args]
        for keyword in node.keywords:
            keyword.value = kept(keyword.value, before)


def kept(node: ast.expr, before: list[ast.stmt]) -> ast.expr:
    if not isinstance(node, ast.BinOp | ast.Call) or "super" in ast.unparse(node):
        return node
    split_operands(node, before)
    name = f"part_{id(node)}"
    before.append(ast.Assign([ast.Name(name, ast.Store())], node))
    return ast.Name(name, ast.Load())


Disguise = Callable[[ast.Module, Exercise], None]
DISGUISES: tuple[Disguise, ...] = (renamed, reordered, redocumented, padded, split)


def disguised(text: str, exercise: Exercise, *ways: Disguise) -> str:
    tree = ast.parse(text)
    for way in ways:
        way(tree, exercise)
    return ast.unparse(ast.fix_missing_locations(tree))


def tried(exercise: Exercise) -> list[tuple[Disguise, ...]]:
    """Disguises that are tried now: all at once, and, of sizeable answers, one by one."""
    alone = [(way,) for way in DISGUISES] if everything() or exercise.short in SIZEABLE else []
    return [DISGUISES, *alone]


def some_exercises() -> list[Exercise]:
    """Exercises whose answers are disguised now."""
    return [EX[short] for short in sample([*EX], SIZEABLE)]


@pytest.mark.parametrize("exercise", some_exercises(), ids=lambda exercise: exercise.short)
def test_a_copy_is_found_in_every_disguise(exercise: Exercise) -> None:
    texts = honest(exercise)
    for name, ways in product(texts if everything() else [*texts][:1], tried(exercise)):
        copy, original = disguised(texts[name], exercise, *ways), letters(exercise, texts[name])
        right = [Group(("ann", "ben"), 1.0)] if can_tell(exercise, original) else []

        assert letters(exercise, copy) == original, (name, ways)
        assert groups(exercise, {"ann": texts[name], "ben": copy}) == right, (name, ways)


@pytest.mark.parametrize("exercise", some_exercises(), ids=lambda exercise: exercise.short)
def test_the_reference_is_found_in_every_disguise(exercise: Exercise) -> None:
    text = solution(exercise)
    for ways in tried(exercise):
        copy = disguised(text, exercise, *ways)

        assert exercise.short in TOO_SMALL or kinds(exercise, copy) == ["reference"], ways
        assert groups(exercise, {"ann": text, "ben": copy}) == [], ways


def test_the_reference_under_other_names_is_the_reference() -> None:
    for short, exercise in EX.items():
        said = "as short right answers often are" if short in TOO_SMALL else "names aside"
        right = [Flag("reference", f"the same program as the reference, {said}")]
        assert (short, flags(exercise, solution(exercise))) == (short, right)
        if exercise in some_exercises():
            copy = disguised(solution(exercise), exercise, renamed, redocumented)
            assert (short, flags(exercise, copy)) == (short, right)


def test_a_reordered_reference_is_flagged_as_such() -> None:
    copy = disguised(solution(EX["ex12"]), EX["ex12"], reordered, padded)

    assert [flag.text for flag in flags(EX["ex12"], copy)] == [
        "100 % the same steps as the reference, names and order aside"
    ]


ADDS, TAKES = 'x):\n    """Doc."""\n    return x + 1  # why', "a, b=1):\n    return a - b"


@pytest.mark.parametrize(("one", "other", "same"), [
    (ADDS, "value: int) -> int:\n    return value + 1", True),
    (ADDS, "x):\n    return 1 + x", False),
    (TAKES, "b, a=1):\n    return b - a", True),
    (TAKES, "b, a=1):\n    return a - b", False),
    (TAKES, "a, b=2):\n    return a - b", False),
])  # fmt: skip
def test_what_makes_another_program(one: str, other: str, same: bool) -> None:
    """Exchanged names and other defaults; not other names, comments and annotations."""
    first, second = (program(EX["ex01"], f"def softmax({body}\n").spelled for body in (one, other))

    assert (first == second) is same


def test_the_order_of_keywords_makes_no_difference() -> None:
    one, other = (
        f"def softmax(x):\n    return dict({order})" for order in ("a=x, b=2", "b=2, a=x")
    )

    assert letters(EX["ex01"], one) == letters(EX["ex01"], other) != ""


def test_an_extra_step_does_not_hide_a_copy() -> None:
    text = honest(EX["ex16"])["careful_1"]
    copy = text.replace("return ", "x = np.asarray(x)\n    return ", 1)
    assert copy != text

    (group,) = groups(EX["ex16"], {"ann": text, "ben": copy})

    assert 0.96 < group.near < 1


# Groups


def copied(*shorts: str) -> Comparison:
    """A class in which ann and ben share these exercises, and all others work alone."""
    comparison = Comparison()
    for short in SIZEABLE:
        texts = list(honest(EX[short]).values())
        names = ["ann", "ben", "cem", "dag"]
        for number, name in enumerate(names):
            alone = name != "ben" or short not in shorts
            comparison.add(name, work_of(EX[short], texts[number * alone]))
    return comparison


@pytest.mark.parametrize("shorts", [(), ("ex05", "ex16")])
def test_a_group_counts_the_exercises_in_which_its_students_are_alike(
    shorts: tuple[str, ...],
) -> None:
    both = [Group(("ann", "ben"), 1.0, 2)]

    assert copied(*shorts).groups() == {EX[short].slug: both for short in shorts}


def test_the_last_file_of_a_student_counts() -> None:
    texts = honest(EX["ex05"])
    comparison = Comparison()
    for name, text in (("ann", "additive"), ("ben", "additive"), ("ben", "fused")):
        comparison.add(name, work_of(EX["ex05"], texts[text]))

    assert comparison.groups() == {}


def test_equal_texts_are_copies_even_if_similar_to_the_reference() -> None:
    """There are few ways to be right, but a shared mistake and comment are no coincidence."""
    reference = EX["ex05"].solution.read_text(encoding="utf-8")
    wrong = reference.replace("tril(", "triu(", 1) + "\n# at last\n"
    assert wrong != reference
    texts = {"ann": wrong, "ben": wrong.replace("\n", "\r\n"), "cem": f"{wrong}#", "dag": reference}

    assert groups(EX["ex05"], texts | {"eve": reference}) == [Group(("ann", "ben"), 1.0)]


def test_copies_of_copies_are_one_group() -> None:
    text = honest(EX["ex05"])["row_by_row"]
    more = "mask_scores.own = [{}]\n"
    calls = [f"max({number}, {number})" for number in range(25)]
    texts = {str(count): text + more.format(", ".join(calls[:count])) for count in range(25)}

    (group,) = groups(EX["ex05"], texts)

    assert group.students == tuple(sorted(texts))
    assert group.near > 0.98
    assert not are_alike(
        EX["ex05"], letters(EX["ex05"], texts["0"]), letters(EX["ex05"], texts["24"])
    )


def test_the_flag_of_a_group() -> None:
    two = flag(Group(("ann", "ben"), 0.987), "ann")
    again = flag(Group(("ann", "ben"), 0.987, 3), "ann")
    many = flag(Group(tuple("abcdef"), 1.0, 4), "b")

    assert two == "98 % the same steps as ben, names and order aside"
    assert again == f"{two}; the two are alike in 3 exercises"
    assert many == ("100 % the same steps as a, c, d and 2 more, names and order aside; "
                         "two of them are alike in 4 exercises")  # fmt: skip


# Files of all kinds


SUM = "1" + "+1" * 2500
HEX = f"0x{'f' * 20_000}"


@pytest.mark.timeout(60)  # all of them are made to be slow
def test_no_file_stops_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps.MOST == 100_000
    monkeypatch.setattr(steps, "MOST", 40_000)
    cases = [
        ("", []),
        ("def softmax(", []),
        ("\0", []),
        ("# coding: " + "x" * 20_000, []),
        ("x = " + "-" * 900 + "1", []),
        ("def softmax(x):\n    return " + "+".join("x" * 2_000), ["unread"]),
        ("def softmax(x):\n    return " + "+".join("x" * 16_000), []),  # Python cannot read it
        ("def softmax(x):\n    return x" + ".y" * 2_000, ["unread"]),
        ("def softmax(x):\n    return x" + "()" * 2_000, ["unread"]),
        ("def softmax(x):\n    if x: pass\n" + "    elif x: pass\n" * 1500, ["unread"]),
        ("def softmax(x, y=" + SUM + "):\n    return x", []),
        ("def softmax(x, y=" + HEX + "):\n    return x", []),
        (f"def softmax(x):\n    return {HEX}", []),
        ("def softmax(x):\n" + "    x = x()\n" * 1_500, []),
        ("def softmax(x):\n" + "    x = x, x\n" * 1_500, []),
        ("def softmax(x):\n    return " + "<".join("x" * 20_002), ["unread"]),
        ("a" + " = a" * 2_500 + " = 1\ndef softmax(x):\n    return a", []),
        ("def softmax(x):\n    return x\n" + "x = 1\n" * 1_500 + "import gc", ["reaches"]),
        ("import gc\ndef softmax(x):\n    return " + SUM, ["reaches", "unread"]),
    ]

    for text, right in cases:
        assert kinds(EX["ex01"], text) == right, text[:60]
        assert groups(EX["ex01"], {"ann": text, "ben": text}) == [], text[:60]


def test_a_long_number_hides_no_copy() -> None:
    for more in (f"unused = {SUM}", f"unused = {HEX}", "def f(x=" + SUM + "): ..."):
        assert kinds(EX["ex12"], f"{solution(EX['ex12'])}\n{more}\n") == ["reference"], more[:20]


# What reaches the process, and what hides a name


def test_no_wrong_answer_in_the_repository_reaches_the_process() -> None:
    wrong = {}
    for exercise in EX.values():
        folders = [SPECIMENS / each / exercise.slug for each in ("wrong", "strangers/seen")]
        paths = {str(path): path for folder in folders for path in sorted(folder.rglob("*.py"))}
        for name in sample([*paths], one_in=9):
            found = {*kinds(exercise, paths[name].read_text(encoding="utf-8"))}
            wrong |= {name: found} if found - {"delegates", "reference"} else {}

        assert len(paths) + len(honest(exercise)) >= 6, exercise.short

    assert wrong == {}


F = "from torch.nn import functional as F"
REACHES = [
    ("import __main__ as w", "`__main__`"), ("from kata.inside import worker", "`kata`"),
    ("import gc", "`gc`"), ("from ctypes import CDLL", "`ctypes`"),
    ("import sys as s; t = s.modules", "`sys.modules`"),
    ("from sys import modules", "`sys.modules`"),
    ("import torch; t = torch.sys.modules", "`sys.modules`"),
    ("import numpy as np; t = np.ctypeslib", "`ctypeslib`"),
    ("import sys; t = sys._getframe(1)", "`sys._getframe`, `_getframe`"),
    ("try: 1 / 0\nexcept Exception as e: t = e.__traceback__", "`__traceback__`"),
    ("t = (x for x in 'a').gi_frame.f_back", "`f_back`, `gi_frame`"),
    ("match 1:\n    case Exception(__traceback__=t): pass", "`__traceback__`"),
    ("t = '{0.__globals__}'.format(len)", "`__globals__`"),
    ("t = getattr(print, '__self__', '__subclasses__')", "`__subclasses__`"),
]  # fmt: skip
HIDES = [
    (f"{F}\nf = getattr(F, 'soft' + 'max')", "`getattr`"),
    (f"{F}\ng = F\nf = vars(g)['softmax']", "`vars`"),
    (f"{F}\nf = F.__dict__['softmax']", "`__dict__`"),
    ("from importlib import import_module as f", "`importlib`"),
    ("f = __import__('torch').softmax", "`__import__`"), ("f = eval('soft' + 'max')", "`eval`"),
    ("exec('import torch')", "`exec`"), ("f = globals()['__nam' + 'e__']", "`globals`"),
    ("import pickle", "`pickle`"), ("from operator import attrgetter", "`operator.attrgetter`"),
    ("import types; f = types.FunctionType", "`types.FunctionType`"),
    (f"{F}\nsetattr(F, 'softmax', None)", "`setattr`"),
]  # fmt: skip
LOOKS = "can look into the process that runs the code, and change what it reports"
HIDDEN = "can call what the text does not name"


@pytest.mark.parametrize(("kind", "top", "text"), [
    *(("reaches", top, f"{names} {LOOKS}") for top, names in REACHES),
    *(("hides", top, f"{names} {HIDDEN}") for top, names in HIDES),
])  # fmt: skip
def test_what_reaches_the_process_or_hides_a_name_is_flagged(
    kind: str, top: str, text: str
) -> None:
    (flag,) = flags(EX["ex01"], f"{top}\ndef softmax(x):\n    return x\n")

    assert (flag.kind, flag.text.rpartition(": line ")[0]) == (kind, text)


def test_a_flag_is_short_whatever_the_file_holds() -> None:
    text = "import gc\n" * 3000
    deep = f"from torch.{'n' * 300} import softmax\n" * 60

    (flag,) = flags(EX["ex01"], text)
    assert flag.text.endswith("lines 1, 2, 3, 4, 5, 6, 7, 8 and 2992 more")
    (flag,) = flags(EX["ex01"], deep)
    assert len(flag.text) < 200


def test_a_large_class_of_different_programs_has_no_groups() -> None:
    comparison = Comparison()
    for short in SIZEABLE[:2]:
        texts = list(honest(EX[short]).values())
        name = contract(EX[short]).names[0]
        for number in range(300 if everything() else 10):
            own = ", ".join(f"max({number}, {each})" for each in range(20))
            text = f"{texts[number % len(texts)]}\n{name}.own = [{own}]\n"
            flags(EX[short], text)
            comparison.add(str(number), work_of(EX[short], text))

    assert comparison.groups() == {}
