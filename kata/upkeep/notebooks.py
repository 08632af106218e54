"""Whether an answer in the cells of a notebook is judged like its file, whatever is around it."""

import ast
from collections.abc import Iterator
from random import Random

from kata.course.catalogue import applied, bugs, target_of
from kata.course.cells import Assembly, Cell, assembled
from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.diagnosis.observe import observe
from kata.upkeep.faces import accepted
from kata.upkeep.observing import Some
from kata.verdict import State

ONE_IN = 12  # in a run that is not to take long
# What would break the file that holds it.
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
EARLIER = {  # a first try, which does nothing
    ast.FunctionDef: "def {name}(*arguments, **options):\n    return 1 / 0",
    ast.ClassDef: "class {name}:\n    tried = 'nothing'",
    ast.Assign: "{name} = 'nothing'",
}


def cells_are_judged_like_files(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """Some answers, cut into cells with experiments between them, do what their files do."""
    yield from _differences(exercise, some, ONE_IN)


def all_cells_are_judged_like_files(exercise: Exercise, some: Some = None) -> Iterator[str]:
    """All answers do: the solution, right answers in other styles, known mistakes in all forms."""
    yield from _differences(exercise, some, 1)


def _differences(exercise: Exercise, some: Some, one_in: int) -> Iterator[str]:
    for name, text in [*_right(exercise), *_wrong(exercise, some)][::one_in]:
        cells = notebook(text, Random(f"{exercise.slug} {name}"))
        assembly = assembled(cells, exercise)
        yield from (f"{name}: {each}" for each in misplaced(assembly, cells))
        if not same_program(assembly.text, text):
            yield from (
                f"{name}: {each}" for each in judged_otherwise(exercise, assembly.text, text)
            )


def _right(exercise: Exercise) -> Iterator[tuple[str, str]]:
    for path in (exercise.solution, *accepted(exercise)):
        yield path.name, read(path).text


def _wrong(exercise: Exercise, some: Some) -> Iterator[tuple[str, str]]:
    for bug in bugs(exercise) if some is None else some:
        for form in bug.forms:
            for text in applied(exercise, form):
                yield bug.slug, text


def same_program(one: str, other: str) -> bool:
    """Whether they are the same statements, so that every claim finds the same.

    That is a proof, and takes a hundredth of the time of judging both.
    """
    return _statements(one) == _statements(other)


def _statements(text: str) -> list[str]:
    tree = ast.parse(text)
    return [ast.dump(statement) for statement in tree.body[ast.get_docstring(tree) is not None :]]


def judged_otherwise(exercise: Exercise, mine: str, text: str) -> Iterator[str]:
    """The claims that these two texts do not fare alike in."""
    wanted, got = _states(exercise, text), _states(exercise, mine)
    for claim, state in wanted.items():
        if got[claim] != state:
            yield f"{claim} is {state} as a file, {got[claim]} as cells"


def _states(exercise: Exercise, text: str) -> dict[str, State]:
    findings = observe(exercise, target_of(exercise, text)).findings
    return {claim: finding.verdict.state for claim, finding in findings.items()}


def misplaced(assembly: Assembly, cells: list[Cell]) -> Iterator[str]:
    """Lines that are not where their places say."""
    lines = {cell.number: cell.text.splitlines() for cell in cells}
    for number, line in enumerate(assembly.text.split("\n"), start=1):
        cell, at = assembly.places.get(number, (0, 0))
        if line not in (lines[cell][at - 1] if cell else ""):
            yield f"line {number} is said to be line {at} of cell {cell}"


def notebook(text: str, chance: Random) -> list[Cell]:
    """The statements of a file in cells of their own or together, with noise around them."""
    tree, lines = ast.parse(text), text.splitlines()
    locals_ = _locals(tree)
    texts: list[str] = []
    for node in tree.body:
        if chance.random() < 0.5:
            texts.append(chance.choice([*NOISE, *_shadows(locals_)]))
        if chance.random() < 0.4:
            texts += _earlier(node)
        texts.append(_as_a_cell(node, _own_lines(node, lines), chance))
        if chance.random() < 0.2 and len(texts) > 1:
            texts = _together(texts)
    texts += [chance.choice(NOISE), *_shadows(locals_)]
    return [Cell(number, each) for number, each in enumerate(texts, start=1)]


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


def _as_a_cell(node: ast.stmt, text: str, chance: Random) -> str:
    """A statement with what people have around it."""
    before = ["", "", "\n\n", "%%time\n", "%load_ext autoreload\n", "größe = 1 / 0; "]
    after = ["", "", "\n", "\n!ls", "\nnp.round(1 / 0)", "\nhelp?", "; 1 / 0"]
    simple = not hasattr(node, "body")
    first = chance.choice(before if simple else before[:-1])
    return f"{first}{text}{chance.choice(after if simple else after[:-1])}"


def _earlier(node: ast.stmt) -> Iterator[str]:
    """A first try at what this statement defines."""
    targets = node.targets if isinstance(node, ast.Assign) else [node]
    for target in targets:
        name = target.id if isinstance(target, ast.Name) else getattr(target, "name", "")
        if name and type(node) in EARLIER:
            yield EARLIER[type(node)].format(name=name)


def _locals(tree: ast.Module) -> list[str]:
    """Names that are only known within functions, which an experiment may use as well."""
    tops = {
        node for statement in tree.body for node in (statement, *ast.iter_child_nodes(statement))
    }
    names = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    taken = {each.id for node in tops for each in [node] if isinstance(each, ast.Name)}
    return sorted(names - taken)


def _shadows(names: list[str]) -> list[str]:
    return [f"{name} = 1 / 0" for name in names]
