"""Commands in folders that somebody else has prepared: nothing happens but what was typed."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kata.__main__ import main
from kata.course.curriculum import ROOT
from tests.helpers.command import called
from tests.helpers.planted import SCENES, Place, planted
from tests.helpers.sampling import sample

LONGEST = 10.0  # seconds of computing, for a command
WHOSE = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
PATIENCE = 120  # seconds, for a busy machine; who waits for a pipe waits for ever
# Quick ones, called in this process.
WORDS = (
    ["board"], ["board", "--json"], ["hint", "ex05"], ["hint", "ex01", "--proof"],
    ["call", "ex01", "--list"], ["reset", "ex01"], ["reset", "ex01", "--proof"], ["submit"],
    ["init", "."], ["update"], ["hunt", "--check"], ["hunt", "--answer", "1"],
    ["hunt", "ex01", "--form", "line", "--seed", "1"], ["practice", "--minutes", "1"],
    ["room", "--forget"], ["join"], ["share", "ex01"], ["share", "--stop"], ["leave"],
    ["solution", "ex05", "--reveal"],
)  # fmt: skip
# Those that start judges or run what is in the folder, as programs of their own.
KATA = [sys.executable, "-P", "-m", "kata"]
PROGRAMS = (
    [*KATA, "verdict", "ex01"], [*KATA, "doctor"], [*KATA, "prove", "ex01"],
    [*KATA, "notebooks"], [*KATA, "platform", "gradescope", "--only", "ex01"],
    [*KATA, "call", "ex05", "1", "--repro", "call_ex01.py"],
    [*KATA, "grade", ".", "--only", "ex01"], [*KATA, "grade", "exercises", "--only", "ex01"],
    [sys.executable, "-P", str(ROOT / "grader.py"), ".", "--only", "ex01"],
    [sys.executable, "-P", "-m", "pytest", "-q"],
)  # fmt: skip
TRIED = ("links_to_what_is_not_there", "pipes", "linked_caches", "loops_and_names")
# Each program in some of the folders; tests/long has all.
PAIRS = sample([(scene, words) for scene in SCENES for words in PROGRAMS], one_in=41)


def environment(place: Place) -> dict[str, str]:
    """With a home and a state folder of this test's own."""
    home = place.here.parent / "home"
    return {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"),
            "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}  # fmt: skip


def in_this_process(words: Sequence[str], place: Place) -> str:
    # `update` is not to find where this checkout came from, and fetch it.
    nowhere = {"GIT_DIR": str(place.here.parent / "no.git")}
    done = called(main, words, place.here, environment(place) | nowhere)
    return done.out + done.err


def as_a_program(words: Sequence[str], place: Place) -> str:
    done = subprocess.run(
        words, cwd=place.here, env=environment(place), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def computed() -> float:
    """Seconds of this process and of all that it has waited for."""
    return sum(sum(resource.getrusage(whose)[:2]) for whose in WHOSE)


def wrong(scene: str, words: Sequence[str], folder: Path) -> Mapping[str, object]:
    """What a command has done that nobody typed."""
    with planted(folder, scene) as place:
        before, begun = place.outside_now(), computed()
        said = (in_this_process if words in WORDS else as_a_program)(words, place)
        took, after = computed() - begun, place.outside_now()
        found = {
            "changed": {each for each in before.keys() | after.keys()
                        if before.get(each) != after.get(each)},
            "called": place.calls,
            "took": took if took > LONGEST else 0,
            "traceback": said if "Traceback" in said or "INTERNALERROR" in said else "",
            "escapes": [each for each in ("\x1b", "\u202e") if each in said],
        }  # fmt: skip
    shutil.rmtree(folder)
    return {what: each for what, each in found.items() if each}


@pytest.mark.parametrize("scene", sample([*SCENES], TRIED, one_in=3))
def test_a_quick_command_does_what_was_typed(scene: str, tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(len(WORDS))]
    found = {
        " ".join(words): wrong(scene, words, folder)
        for words, folder in zip(WORDS, folders, strict=True)
    }

    assert {words: each for words, each in found.items() if each} == {}


@pytest.mark.parametrize(("scene", "words"), PAIRS)
def test_a_program_does_what_was_typed(scene: str, words: list[str], tmp_path: Path) -> None:
    assert wrong(scene, words, tmp_path / "1") == {}


def test_many_things_are_planted(tmp_path: Path) -> None:
    count = 0
    for number, scene in enumerate(SCENES):
        with planted(tmp_path / str(number), scene) as place:
            count += len(place.planted)

    assert count >= 60
