"""What `check` was asked for: an exercise, or one function or class of it."""

from collections.abc import Callable
from dataclasses import dataclass

from kata.course.curriculum import Exercise, exercises
from kata.course.naming import did_you_mean, exercise_named
from kata.course.source import contract
from kata.course.suite_code import about
from kata.errors import UserError

Defined = Callable[[Exercise], int]  # how many names of an exercise the cells define


@dataclass(frozen=True)
class Request:
    """An exercise, and the name in it that was asked for; empty for all of it."""

    exercise: Exercise
    name: str = ""

    def concerns(self, claim: str) -> bool:
        """Whether a claim is about what was asked for."""
        return not self.name or about(self.exercise, claim.partition("[")[0]) == self.name


def request_for(what: object, defined: Defined) -> Request:
    """The request for a function, a class, or the name of one or of an exercise."""
    name = what if isinstance(what, str) else getattr(what, "__name__", "")
    if name == "<lambda>":
        raise UserError("a lambda does not know its name: write it with `def`")
    if not name:
        raise UserError(
            "`check` takes a function, a class, or the name of an exercise such as "
            f'"ex05"; this is a {type(what).__name__}'
        )
    if candidates := [
        exercise for exercise in exercises().values() if name in contract(exercise).names
    ]:
        return Request(max(candidates, key=defined), name)
    if isinstance(what, str):
        return Request(exercise_named(name))
    names = [name for exercise in exercises().values() for name in contract(exercise).names]
    raise UserError(f"no exercise asks for `{name}`{did_you_mean(name, names)}")
