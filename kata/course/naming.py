"""Exercises by the names that people type, and suggestions for misspelled names."""

from difflib import get_close_matches
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.errors import UserError


def exercise_named(name: str) -> Exercise:
    """The exercise called `ex05`, `05`, `5`, `ex05_causal_masks`, or a path to such a file."""
    wanted = Path(name).name.removesuffix(".py")
    short = f"ex{wanted.removeprefix('ex'):0>2}"
    for slug, exercise in exercises().items():
        if slug == wanted or exercise.short == short:
            return exercise
    known = [*exercises(), *(each.short for each in exercises().values())]
    if close := did_you_mean(wanted, known):
        raise UserError(f"no exercise is called {name}{close}")
    there = ", ".join(each.short for each in exercises().values())
    raise UserError(f"no exercise is called {name}; there are: {there}")


def stray(name: str, stem: str) -> str:
    """A sentence about a file whose name, without its ending, is almost that of an exercise."""
    return f"{name} is not the name of an exercise{did_you_mean(stem, list(exercises()))}"


def misspelled(name: str, candidates: list[str]) -> str:
    """A half-sentence that suggests this name in place of a similar one; else empty."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{name}` where it says `{close[0]}`?" if close else ""


def did_you_mean(name: str, candidates: list[str] | tuple[str, ...]) -> str:
    """A half-sentence that suggests a candidate similar to this name; else empty."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""
