"""Gates about the claims of a suite: their rules, their groups, and their shares."""

import ast
from collections.abc import Iterator

from kata.course.catalogue import of_function
from kata.course.curriculum import Exercise
from kata.course.source import functions, read
from kata.course.suite_code import HEADING_OR_CLAIM, Group, about, compiled, groups, used
from kata.course.target import reference
from kata.judging.attempt import Attempt
from kata.judging.judge import NO_GPU, check, device_missing, suite
from kata.verdict import State

REFUSAL = "raises"  # the helper by which a claim asks for an error


def suite_follows_its_rules(exercise: Exercise) -> Iterator[str]:
    """Each claim has a sentence, asserts through the helpers, and never uses the solution."""
    text = read(exercise.suite)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Assert):
            yield f"line {node.lineno}: a bare assert"
    for name, function in functions(text.tree):
        if name.startswith("test_") and not ast.get_docstring(function):
            yield f"{name} has no sentence for the learner"
    if "solutions" in text.text:
        yield "the suite names the solutions"


def claims_are_in_groups(exercise: Exercise) -> Iterator[str]:
    """A suite has its headings in their order, and every function has an idea.

    An instructor's own exercise may leave them out.
    """
    lines = exercise.suite.read_text(encoding="utf-8").splitlines()
    headings = [line[1] for text in lines if (line := HEADING_OR_CLAIM.match(text)) and line[1]]
    if exercise.is_own and not headings:
        return
    if headings not in ([*Group], [*Group][:2]):
        yield f"the headings are {', '.join(headings) or 'missing'}, not {', '.join(Group)}"
    if headings and HEADING_OR_CLAIM.match(_first(lines)) is None:
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


def cuda_claims_exist(exercise: Exercise) -> Iterator[str]:
    """A torch exercise has claims for a GPU; where there is none they are skipped with a reason."""
    on_gpu = [claim for claim in suite(exercise) if claim.device == "cuda"]
    if exercise.library == "torch" and not on_gpu:
        yield "no claim takes `device`, so nothing is judged on a GPU"
    if on_gpu and device_missing("cuda"):
        verdict = check(on_gpu[0], Attempt(exercise, reference()))
        reason = verdict.message.claim if verdict.message else ""
        if (verdict.state, reason) != (State.SKIPPED, NO_GPU):
            yield "a claim on a GPU does not skip with its reason"
