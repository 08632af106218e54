"""Gates about parity: cells of a notebook and the grader's processes give the verdicts of a file.

Experiments that stand around an answer in a notebook make no difference. The gates about worker
processes are asked by `kata check --graded` only.
"""

import ast
import atexit
import time
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from kata.course.catalogue import applied, bugs, target_of, wrong_answer
from kata.course.cells import Assembly, Cell, assembled
from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.diagnosis.observe import Observation, observe
from kata.diagnosis.search import CLOSE, alike
from kata.upkeep.faces import accepted
from kata.upkeep.right_answers import observe_answers
from kata.upkeep.wrong_answers import Selection, misnamed, observe_bugs, suspects_of
from kata.verdict import State

if TYPE_CHECKING:
    from kata.grading.judge import Judge

ONE_IN = 12  # answers, in a run that is not to take long
# Each of these would break the file that holds it.
NOISE = (
    "!pip install torch",
    "%matplotlib inline\n!ls \\\n  -l",
    "%%bash\ndef no_python {",
    "%%timeit\nsoftmax = causal_mask = None\n",
    "files = !ls\n%time broken = 1 / 0",
    "print(1 / 0)\nnobody_has_this?",
    "x = [",
    "text = '''\n%matplotlib inline\n'''; print(text, 1 / 0)",
    "import matplotlib_is_not_here as plt\nplt.imshow(1 / 0)",
    "for head in range(1 // 0):\n    print(head)",
    "plt.plot(losses, 'o'); plt.show()  # is it better?",
    'if __name__ == "__main__":\n    1 / 0',
    "await nothing()",
    "1 / 0\nreturn 3",
)
FIRST_TRIES = {  # they do nothing
    ast.FunctionDef: "def {name}(*arguments, **options):\n    return 1 / 0",
    ast.ClassDef: "class {name}:\n    tried = 'nothing'",
    ast.Assign: "{name} = 'nothing'",
}
# Wrong answers of which a worker's process judges some claims otherwise: gradients that reach an
# earlier call through what a module has kept of it, and memory that was never written.
OTHERWISE = {
    ("ex22", "cache-of-the-last-call"),
    ("ex22", "one-network-for-all-blocks"),
    ("ex28", "parts-shared-by-layers"),
}
LONG = 3600  # seconds; nothing here is meant to run out of time


def cells_are_judged_like_files(exercise: Exercise, selection: Selection = None) -> Iterator[str]:
    """Some answers, cut into cells with experiments between them, do what their files do."""
    yield from _cell_differences(exercise, selection, ONE_IN)


def all_cells_are_judged_like_files(
    exercise: Exercise, selection: Selection = None
) -> Iterator[str]:
    """All answers do: the solution, right answers in other styles, all mistakes in all forms."""
    yield from _cell_differences(exercise, selection, 1)


def _cell_differences(exercise: Exercise, selection: Selection, one_in: int) -> Iterator[str]:
    answers = [*_right(exercise), *_wrong(exercise, selection)]
    for name, text in answers[::one_in]:
        cells = notebook(text, Random(f"{exercise.slug} {name}"))
        assembly = assembled(cells, exercise)
        yield from (f"{name}: {line}" for line in misplaced(assembly, cells))
        if not same_program(assembly.text, text):
            differences = judged_otherwise(exercise, assembly.text, text)
            yield from (f"{name}: {difference}" for difference in differences)


def _right(exercise: Exercise) -> Iterator[tuple[str, str]]:
    for path in (exercise.solution, *accepted(exercise)):
        yield path.name, read(path).text


def _wrong(exercise: Exercise, selection: Selection) -> Iterator[tuple[str, str]]:
    for bug in bugs(exercise) if selection is None else selection:
        for form in bug.forms:
            for text in applied(exercise, form):
                yield bug.slug, text


def misplaced(assembly: Assembly, cells: list[Cell]) -> Iterator[str]:
    """Yield the lines that are not where their places say."""
    lines = {cell.number: cell.text.splitlines() for cell in cells}
    for number, line in enumerate(assembly.text.split("\n"), start=1):
        cell, at = assembly.places.get(number, (0, 0))
        if line not in (lines[cell][at - 1] if cell else ""):
            yield f"line {number} is said to be line {at} of cell {cell}"


def same_program(text: str, other: str) -> bool:
    """Return whether two texts are the same statements, so that every claim finds the same.

    That is a proof, and takes a hundredth of the time of judging both.
    """
    return _statements(text) == _statements(other)


def _statements(text: str) -> list[str]:
    tree = ast.parse(text)
    return [ast.dump(statement) for statement in tree.body[ast.get_docstring(tree) is not None :]]


def judged_otherwise(exercise: Exercise, mine: str, text: str) -> Iterator[str]:
    """Yield the claims that these two texts do not fare alike in."""
    wanted, actual = _states(exercise, text), _states(exercise, mine)
    for claim, state in wanted.items():
        if actual[claim] != state:
            yield f"{claim} is {state} as a file, {actual[claim]} as cells"


def _states(exercise: Exercise, text: str) -> dict[str, State]:
    findings = observe(exercise, target_of(exercise, text)).findings
    return {claim: finding.verdict.state for claim, finding in findings.items()}


# -- a notebook, as learners write it


def notebook(text: str, chance: Random) -> list[Cell]:
    """Return the statements of a file as cells, alone or together, with noise around them."""
    tree, lines = ast.parse(text), text.splitlines()
    names = _locals(tree)
    texts: list[str] = []
    for node in tree.body:
        if chance.random() < 0.5:
            texts.append(chance.choice([*NOISE, *_shadows(names)]))
        if chance.random() < 0.4:
            texts += _first_try(node)
        texts.append(_as_a_cell(node, _own_lines(node, lines), chance))
        if chance.random() < 0.2 and len(texts) > 1:
            texts = _together(texts)
    texts += [chance.choice(NOISE), *_shadows(names)]
    return [Cell(number, text) for number, text in enumerate(texts, start=1)]


def _locals(tree: ast.Module) -> list[str]:
    """Names that exist only within functions, which an experiment may use as well."""
    tops = {
        node for statement in tree.body for node in (statement, *ast.iter_child_nodes(statement))
    }
    names = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    taken = {node.id for node in tops if isinstance(node, ast.Name)}
    return sorted(names - taken)


def _shadows(names: list[str]) -> list[str]:
    return [f"{name} = 1 / 0" for name in names]


def _first_try(node: ast.stmt) -> Iterator[str]:
    """A first try at what this statement defines."""
    targets = node.targets if isinstance(node, ast.Assign) else [node]
    for target in targets:
        name = target.id if isinstance(target, ast.Name) else getattr(target, "name", "")
        if name and type(node) in FIRST_TRIES:
            yield FIRST_TRIES[type(node)].format(name=name)


def _as_a_cell(node: ast.stmt, text: str, chance: Random) -> str:
    """A statement with what people have around it."""
    before = ["", "", "\n\n", "%%time\n", "%load_ext autoreload\n", "größe = 1 / 0; "]
    after = ["", "", "\n", "\n!ls", "\nnp.round(1 / 0)", "\nhelp?", "; 1 / 0"]
    simple = not hasattr(node, "body")
    first = chance.choice(before if simple else before[:-1])
    return f"{first}{text}{chance.choice(after if simple else after[:-1])}"


def _own_lines(node: ast.stmt, lines: list[str]) -> str:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(expression.lineno for expression in decorators)])
    return "\n".join(lines[first - 1 : node.end_lineno])


def _together(cells: list[str]) -> list[str]:
    """The last two as one, if the first is Python to its end and no magic begins the second."""
    try:
        compile(cells[-2], "cell", "exec")
    except SyntaxError:
        return cells
    return cells if cells[-1].startswith("%%") else [*cells[:-2], "\n\n".join(cells[-2:])]


# -- the worker processes of the grader


def every_bug_is_graded_alike(exercise: Exercise) -> Iterator[str]:
    """Each bug gets the same verdict on every claim in a worker process, and the same diagnosis.

    Some that keep state may get another verdict on a claim, but are not judged right there either.
    """
    suspects = suspects_of(exercise)
    for bug, here in observe_bugs(exercise):
        there = graded(exercise, wrong_answer(exercise, bug))
        if (exercise.short, bug.slug) in OTHERWISE:
            if not there.first:
                yield f"{bug.slug}: is judged right in a process of its own"
            continue
        yield from (f"{bug.slug}: {difference}" for difference in _differences(here, there))
        yield from misnamed(exercise, bug, there, suspects)


def every_right_answer_is_graded_alike(exercise: Exercise) -> Iterator[str]:
    """The stub, the solution and the right answers in other styles get the same verdicts there."""
    for path, here in observe_answers(exercise):
        differences = _differences(here, graded(exercise, read(path).text))
        yield from (f"{path.parent.name}/{path.name}: {difference}" for difference in differences)


def _differences(here: Observation, there: Observation) -> Iterator[str]:
    for claim, finding in there.findings.items():
        if not alike(here.findings[claim], finding, CLOSE):
            states = here.findings[claim].verdict.state, finding.verdict.state
            yield f"{claim} is judged {' here, '.join(states)} in a process of its own"


def graded(exercise: Exercise, text: str) -> Observation:
    """Judge all claims on this text as the grader does: its code runs in a worker process."""
    judge, target = _judge(), target_of(exercise, text)
    judge.prepare(target, [exercise])
    findings = judge.observed(exercise, target, time.monotonic() + LONG).findings
    return Observation(exercise.slug, findings)


@cache
def _judge() -> "Judge":
    from kata.grading.judge import judge_for  # with it comes torch
    from kata.grading.options import Options

    judge = judge_for(Options(tuple(exercises()), {}))
    atexit.register(judge.end)
    return judge


PARITY_GATES: tuple[Callable[[Exercise], Iterator[str]], ...] = (
    every_bug_is_graded_alike,
    every_right_answer_is_graded_alike,
)
