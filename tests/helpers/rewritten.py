"""Mistakes of the catalogue as other people wrote them, and how each is named."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import Observation, observe
from kata.verdict import Diagnosis, Fit
from tests.helpers.answers import suspects

REWRITTEN = ROOT / "tests" / "specimens" / "rewritten"
FILES = sorted(REWRITTEN.rglob("*.py"))
TABLE = tomllib.loads((REWRITTEN / "outcomes.toml").read_text(encoding="utf-8"))
EXCEPTIONS: Mapping[str, Mapping[str, Any]] = {each["file"]: each for each in TABLE["exception"]}
SURE = {Fit.ONE, Fit.LIKE, Fit.TWINS, Fit.NEAR, Fit.PART}


def seen(exercise: Exercise, text: str) -> Observation:
    """What the suite finds."""
    return observe(exercise, target_of(exercise, text))


def named(exercise: Exercise, text: str) -> Diagnosis | None:
    """What it is diagnosed as."""
    return diagnose(exercise, seen(exercise, text).findings, suspects(exercise.slug), text)


def slugs(found: Diagnosis | None) -> list[str]:
    """The mistakes of a diagnosis."""
    return [each.slug for each in found.mistakes] if found else []


def named_otherwise(path: Path) -> str:
    """How it is named, if that is not its own name, or what is listed for it."""
    found = named(exercises()[path.parent.name], path.read_text(encoding="utf-8"))
    told = f"{slugs(found)} {found.fit if found else ''}"
    if exception := EXCEPTIONS.get(f"{path.parent.name}/{path.name}"):
        return "" if slugs(found) == exception["named"] else told
    return "" if found and path.stem in slugs(found) and found.fit in SURE else told
