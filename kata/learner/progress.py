"""The progress in a folder of exercises, from run to run: `.kata/NAME.json` beside the folder.

Where nobody may write there, as beside a home folder of a server for notebooks, it is inside.
"""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kata.course.target import Target
from kata.files import note_paths, planted_membership, read_note, room_membership, write_note
from kata.text import clean
from kata.verdict import ExerciseVerdict, State, exercise_from_dict, exercise_to_dict

LARGEST_NUMBER = 1 << 40
FORM = 1  # version of the file format; a file in another format is ignored


class Progress:
    """Verdicts with the content that they are about, and the number of hints that were read.

    No verdict depends on it: a file that cannot be read counts as empty, and a failed write is
    ignored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._places = folder, note_paths(folder, ".json")
        self.path = next((place for place in self._places[::-1] if place.exists()), self._places[0])
        self._data = self._read()

    def passed(self, digest: str) -> bool:
        """Return whether this content has passed its suite."""
        return digest in self._data["passed"]

    @property
    def has_passed_any(self) -> bool:
        """True if any content has passed."""
        return bool(self._data["passed"])

    def verdict(self, slug: str, digest: str) -> ExerciseVerdict | None:
        """Return the last verdict on an exercise, if its content has not changed since."""
        value = self._data["exercises"].get(slug, {})
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            return exercise_from_dict(value["verdict"]) if value.get("digest") == digest else None
        return None

    def judged_at(self, slug: str) -> float:
        """Return the time when an exercise was last judged, in seconds since 1970; 0 for never."""
        return _number(self._data["exercises"].get(slug, {}).get("judged"))

    def note(self, verdict: ExerciseVerdict, digest: str, when: float | None = None) -> None:
        """Note the verdict on this content; hints that were read stay read."""
        judged = time.time() if when is None else when
        entry = {"digest": digest, "verdict": exercise_to_dict(verdict), "judged": judged}
        self._data["exercises"].setdefault(verdict.slug, {}).update(entry)
        met = self._data.setdefault("met", {}).setdefault(verdict.slug, [])
        met += [mistake.slug for mistake in verdict.mistakes if mistake.slug not in met]
        if verdict.state is State.PASSED and digest not in self._data["passed"]:
            self._data["passed"].append(digest)

    def met(self, slug: str) -> tuple[str, ...]:
        """Return the mistakes that were ever named in this exercise; they are never forgotten."""
        return tuple(self._data.get("met", {}).get(slug, ()))

    def hints(self, slug: str, topic: str) -> int:
        """Return how many hints about this topic have been read; a new topic begins at none."""
        value = self._data["exercises"].get(slug, {})
        return int(_number(value.get("hints"))) if value.get("topic") == topic else 0

    def topic(self, slug: str) -> str:
        """Return the topic of the last hints; empty if none have been read."""
        return str(self._data["exercises"].get(slug, {}).get("topic", ""))

    def note_hints(self, slug: str, topic: str, count: int) -> None:
        """Note how many hints about this topic have been read."""
        self._data["exercises"].setdefault(slug, {}).update(topic=topic, hints=count)

    def proof(self, slug: str, digest: str) -> list[int] | None:
        """Return the counts of the learner's own tests, if they have not changed since."""
        value = self._data.get("proofs", {}).get(slug, {})
        counts = value.get("counts")
        if value.get("digest") != digest or not isinstance(counts, list):
            return None
        return counts if all(isinstance(count, int) for count in counts) else None

    def note_proof(self, slug: str, digest: str, counts: list[int]) -> None:
        """Note the counts of tests with this content."""
        self._data.setdefault("proofs", {})[slug] = {"digest": digest, "counts": counts}

    def forget(self, slug: str) -> None:
        """Forget everything about an exercise."""
        self._data["exercises"].pop(slug, None)

    def save(self) -> bool:
        """Replace the file in one step; False if it could not be written."""
        for place in dict.fromkeys((self.path, *self._places)):
            with suppress(OSError):
                write_note(place, json.dumps(self._data))
                self.path = place
                return True
        return False

    def tell(self, verdicts: Sequence[ExerciseVerdict]) -> str:
        """Send the verdicts to the room; return a line if it has ended, for the learner.

        Outside of a room there is only a look for its file, and for a file that is not believed.
        """
        membership = room_membership(self._folder)
        if not membership.exists():
            planted = planted_membership(self._folder)
            return _not_believed(planted) if planted else ""
        from kata.live.attending import tell

        return tell(membership, verdicts)

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            data = read_note(self.path)
            if _is_whole(data):
                return data
        return {"form": FORM, "passed": [], "exercises": {}}


def _not_believed(planted: Path) -> str:
    return clean(
        f"{planted} says that this folder is in a room; it is not believed, "
        "as anybody could have put it there, and `kata leave` deletes it"
    )


def _is_whole(data: Mapping[str, Any]) -> bool:
    exercises, met, proofs = data.get("exercises", ()), data.get("met", {}), data.get("proofs", {})
    tables = (exercises, met, proofs)
    if data.get("form") != FORM or not all(isinstance(table, dict) for table in tables):
        return False
    entries, lists = [*exercises.values(), *proofs.values()], [data.get("passed"), *met.values()]
    return all(isinstance(entry, dict) for entry in entries) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in lists
    )


def _number(value: object) -> float:
    """Return a number that a clock or a counter can have; 0 for anything else."""
    return value if isinstance(value, (int, float)) and 0 <= value < LARGEST_NUMBER else 0.0


def learner_target(
    folder: Path, progress: Progress, replaced: Mapping[str, str | bytes] | None = None
) -> Target:
    """Return a learner's folder as a target, whose passed exercises serve the later ones.

    `replaced` are texts in place of files, from the cells of notebooks.
    """
    target = Target(folder, replaced, trusts=lambda slug: progress.passed(target.digest(slug)))
    return target
