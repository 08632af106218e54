"""What is known of a folder of exercises between runs: `.kata/NAME.json` beside the folder."""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kata.course.target import Target
from kata.verdict import ExerciseVerdict, State, exercise_from_dict, exercise_to_dict

FORM = 1  # version of the file format; a file in another format is ignored


class Progress:
    """Verdicts with the content that they are about, and how many hints have been read.

    Nothing depends on it: a file that cannot be read counts as empty, and a failed write is
    ignored.
    """

    def __init__(self, folder: Path) -> None:
        folder = folder.absolute()
        self.path = folder.parent / ".kata" / f"{folder.name}.json"
        self._data = self._read()

    def passed(self, digest: str) -> bool:
        """Whether this content has passed its suite."""
        return digest in self._data["passed"]

    def verdict(self, slug: str, digest: str) -> ExerciseVerdict | None:
        """The last verdict on an exercise, if its content has not changed since."""
        known = self._data["exercises"].get(slug, {})
        return exercise_from_dict(known["verdict"]) if known.get("digest") == digest else None

    def judged_at(self, slug: str) -> float:
        """When an exercise was last judged, in seconds since 1970; 0 if it never was."""
        return float(self._data["exercises"].get(slug, {}).get("judged", 0))

    def note(self, verdict: ExerciseVerdict, digest: str, when: float | None = None) -> None:
        """Save the verdict on this content; hints that were read stay read."""
        judged = time.time() if when is None else when
        known = {"digest": digest, "verdict": exercise_to_dict(verdict), "judged": judged}
        self._data["exercises"].setdefault(verdict.slug, {}).update(known)
        if verdict.state is State.PASSED and digest not in self._data["passed"]:
            self._data["passed"].append(digest)

    def hints(self, slug: str, topic: str) -> int:
        """How many hints about this topic have been read; a new topic begins at none."""
        known = self._data["exercises"].get(slug, {})
        return int(known.get("hints", 0)) if known.get("topic") == topic else 0

    def note_hints(self, slug: str, topic: str, count: int) -> None:
        """Save how many have been read."""
        self._data["exercises"].setdefault(slug, {}).update(topic=topic, hints=count)

    def forget(self, slug: str) -> None:
        """Forget everything about an exercise."""
        self._data["exercises"].pop(slug, None)

    def save(self) -> bool:
        """Replace the file in one step; False if it could not be written."""
        with suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            (self.path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
            part = self.path.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(self._data), encoding="utf-8")
            part.replace(self.path)
            return True
        return False

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError, AttributeError):
            data: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
            if data.get("form") == FORM:
                return data
        return {"form": FORM, "passed": [], "exercises": {}}


def learner(
    folder: Path, memory: Progress, replaced: Mapping[str, str | bytes] | None = None
) -> Target:
    """A learner's folder, whose own exercises serve the later ones once they have passed.

    `replaced` are texts in place of files: what the cells of notebooks define.
    """
    target = Target(folder, replaced, trusts=lambda slug: memory.passed(target.digest(slug)))
    return target
