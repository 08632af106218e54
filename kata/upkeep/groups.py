"""The groups of claims, and what mistakes cost: the idea, then the fine print, refusals last."""

from collections.abc import Iterator

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from kata.course.shares import PRICES, of_function
from kata.course.suite_code import HEADING_OR_CLAIM, Group, about, compiled, groups, used

REFUSAL = "raises"  # the helper by which a claim asks for an error


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
