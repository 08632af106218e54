"""Right answers, trivial ones and those of later exercises, and the groups of claims."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from kata.course.catalogue import PRICES, bugs, of_function
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import read, siblings
from kata.course.suite_code import HEADING_OR_CLAIM, Group, about, compiled, groups, used
from kata.course.target import SUBMISSION, Target
from kata.diagnosis.observe import observe
from kata.diagnosis.suspects import needed
from kata.proofs.answers import because
from kata.proofs.judge import judge
from kata.proofs.proof import Proof
from kata.upkeep.faces import accepted

REFUSAL = "raises"  # the helper by which a claim asks for an error
# Each result in the shape and dtype of the right one, filled by `_fill`.
_FILLED = """

def _filled(value):
    if isinstance(value, tuple):
        return tuple(_filled(each) for each in value)
    return _fill(value)


def _filled_function(function):
    return lambda *args, **kwargs: _filled(function(*args, **kwargs))


def _filled_module(kind):
    class Filled(nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            self.inner = [kind(*args, **kwargs)]

        def forward(self, *args, **kwargs):
            return _filled(self.inner[0](*args, **kwargs))

    return Filled


for _name, _thing in list(globals().items()):
    if getattr(_thing, "__module__", None) == __name__ and not _name.startswith("_"):
        _as_filled = _filled_module if isinstance(_thing, type) else _filled_function
        globals()[_name] = _as_filled(_thing)
"""
_ZEROS = """

def _fill(value):
    return value * 0 if value.dtype != bool and "bool" not in str(value.dtype) else value & ~value
"""
# Seeded, so that this gate gives the same verdict every time.
_NOISE = """
from random import Random as _Random

_random = _Random(7)


def _fill(value):
    plain = value.detach() if hasattr(value, "detach") else value
    numbers = [_random.gauss(0, 1) for _ in range(plain.reshape(-1).shape[0])]
    made = plain.reshape(-1) * 0 if "bool" not in str(plain.dtype) else plain.reshape(-1) & False
    for place, number in enumerate(numbers):
        made[place] = number if "bool" not in str(plain.dtype) else number > 0
    return made.reshape(plain.shape)
"""
Answers = Mapping[str, Path]
MODELS = ROOT / "tests" / "proofs"
LEVEL = 1


def claims_are_in_groups(exercise: Exercise) -> Iterator[str]:
    """A suite has its headings in their order, and each function has an idea.

    An exercise of one's own may leave them out.
    """
    lines = exercise.suite.read_text(encoding="utf-8").splitlines()
    found = [line[1] for text in lines if (line := HEADING_OR_CLAIM.match(text)) and line[1]]
    if exercise.is_own and not found:
        return
    if found not in ([*Group], [*Group][:2]):
        yield f"the headings are {', '.join(found) or 'missing'}, not {', '.join(Group)}"
    if found and HEADING_OR_CLAIM.match(_first(lines)) is None:
        yield f"a claim stands before `# {Group.IDEA}`"
    of_the_idea = {about(exercise, claim) for claim, group in groups(exercise).items()
                   if group is Group.IDEA}  # fmt: skip
    everything = {about(exercise, claim) for claim in groups(exercise)}
    for name in sorted(everything - of_the_idea):
        yield f"no claim is about the idea of {name}"


def _first(lines: list[str]) -> str:
    """The first heading, or nothing if a claim stands before it."""
    line = next(text for text in lines if HEADING_OR_CLAIM.match(text))
    return line if line.startswith("#") else ""


def refusals_are_last(exercise: Exercise) -> Iterator[str]:
    """All claims that ask for an error are refusals, and no others."""
    codes = compiled(exercise)
    for claim, group in groups(exercise).items():
        asks = any(REFUSAL in names for names in used(claim, codes))
        if asks and group is not Group.REFUSALS and not exercise.is_own:
            yield f"{claim} asks for an error, and stands below `# {group}`"
        if group is Group.REFUSALS and not asks:
            yield f"{claim} asks for no error, and stands below `# {group}`"


def shares_are_of_functions(exercise: Exercise) -> Iterator[str]:
    """Each share in curriculum.toml is that of a function or class, and claims are about all."""
    names = {about(exercise, claim) for claim in groups(exercise)}
    for name in exercise.shares:
        if name not in names:
            yield f"there is a share of {name}, which no claim is about"
    for name in names:
        if of_function(exercise, name) < 1:
            yield f"{name} has no share of the points"


def prices_are_read(exercise: Exercise) -> Iterator[str]:
    """Somebody has said what each trap of level 1 costs, and each mistake that happened."""
    for bug in bugs(exercise):
        if bug.price and bug.price not in PRICES:
            yield f"{bug.slug}: {bug.price} is no price, only {', '.join(PRICES)}"
        if (bug.level or bug.is_real) and not bug.price:
            yield f"{bug.slug} has no price"


def right_answers_quote_their_contract(exercise: Exercise) -> Iterator[str]:
    """The docstring of each ends with words of the stub, as they stand there."""
    contract = " ".join(read(exercise.stub).text.split())  # without its line breaks
    for path in accepted(exercise):
        quoted = because(read(path).text)
        if not quoted:
            yield f'{path.name}: its docstring does not end with the line `The contract: "…"`'
        elif quoted not in contract:
            yield f"{path.name}: this does not stand in {exercise.stub.name}: {quoted}"


def trivial_answers(exercise: Exercise) -> dict[str, str]:
    """The text of each answer, by what it returns."""
    text = read(exercise.solution).text
    return {
        "return None": _returning(text, first=False),
        "return the first argument": _returning(text, first=True),
        "zeros of the right shape": text + _ZEROS + _FILLED,
        "noise of the right shape": text + _NOISE + _FILLED,
    }


def _returning(text: str, *, first: bool) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = ast.parse(_body(node, first=first)).body
    return ast.unparse(tree)


def _body(function: ast.FunctionDef, *, first: bool) -> str:
    if function.name == "__init__":
        return "super().__init__()"
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    return f"return {names[0]}" if first and names else "return None"


def references_stand_on_accepted(exercise: Exercise) -> Iterator[str]:
    """The solution passes on top of right answers in other styles: each one has its turn.

    An earlier suite that accepts an answer vouches for it to all later exercises.
    """
    failing = [chosen for chosen in _turns(exercise) if _failures(exercise, chosen)]
    blamed = [text for chosen in failing for text in _blamed(exercise, chosen)]
    yield from dict.fromkeys(blamed)  # whoever comes first has several turns


def accepted_against_accepted(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Right answers that fail on top of a right answer to an exercise that they import."""
    for answer in accepted(exercise):
        for need in sorted(siblings(read(answer).tree)):
            for below in accepted(exercises()[need]):
                if _failures(exercise, {exercise.slug: answer, need: below}):
                    yield _named(answer), _named(below)


def _named(answer: Path) -> str:
    return f"{answer.parent.name.split('_')[0]}/{answer.name}"


def _turns(exercise: Exercise) -> Iterator[Answers]:
    """In each turn another answer to every earlier exercise at once, until all had a turn."""
    answers = {each.slug: accepted(each) for each in needed(exercise)}
    for turn in range(max(map(len, answers.values()), default=0)):
        yield {slug: paths[turn % len(paths)] for slug, paths in answers.items() if paths}


def _blamed(exercise: Exercise, chosen: Answers) -> Iterator[str]:
    """Which of them alone makes the solution fail; or all of them, if it takes several."""
    alone = {path: _failures(exercise, {slug: path}) for slug, path in chosen.items()}
    for path, failures in alone.items():
        if failures:
            yield f"the solution fails {failures[0]} on top of {path.parent.name}/{path.name}"
    if not any(alone.values()):
        together = ", ".join(f"{path.parent.name}/{path.name}" for path in chosen.values())
        yield f"the solution fails {_failures(exercise, chosen)[0]} on top of {together}"


def _failures(exercise: Exercise, chosen: Answers) -> list[str]:
    """The claims that the solution fails with these answers below it, and other solutions."""
    judged = (*needed(exercise), *(exercises()[slug] for slug in chosen), exercise)
    paths = {each.slug: each.solution for each in judged}
    texts = {slug: read(path).text for slug, path in (paths | dict(chosen)).items()}
    seen = observe(exercise, Target(SUBMISSION, texts, trusts=texts.__contains__))
    return [claim.name for claim in seen.verdict.judged if not claim.held]


def model_file(exercise: Exercise) -> Path:
    """Where its model proof is; an exercise may have none."""
    return MODELS / exercise.filename


def model_proof_catches_level_1(exercise: Exercise) -> Iterator[str]:
    """It refuses no right answer, and no wrong one of level 1 gets past it."""
    path = model_file(exercise)
    if not path.exists():
        return
    verdict = judge(Proof.of(exercise, path, path.read_text(encoding="utf-8")), level=LEVEL)
    for test in verdict.refuses:
        yield f"{test.name} refuses a right answer: {test.refusals} {test.remark}"
    for wrong in verdict.survivors(LEVEL):
        yield f"{wrong} gets past it"
    if not verdict.is_done:
        yield f"it is not done: {verdict.error}"
