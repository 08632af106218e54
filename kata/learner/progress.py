"""What is known of a folder of exercises between runs: `.kata/NAME.json` beside the folder.

Where nobody may write there, as beside a home folder of a server for notebooks, it is inside.
"""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kata.course.target import Target
from kata.files import places, planted_membership, read_note, room_membership, write_note
from kata.text import clean
from kata.verdict import ExerciseVerdict, State, exercise_from_dict, exercise_to_dict

LARGEST_NUMBER = 1 << 40
FORM = 1  # version of the file format; a file in another format is ignored


class Progress:
    """Verdicts with the content that they are about, and how many hints have been read.

    Nothing depends on it: a file that cannot be read counts as empty, and a failed write is
    ignored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._places = folder, places(folder, ".json")
        self.path = next((place for place in self._places[::-1] if place.exists()), self._places[0])
        self._data = self._read()

    def passed(self, digest: str) -> bool:
        """Whether this content has passed its suite."""
        return digest in self._data["passed"]

    def verdict(self, slug: str, digest: str) -> ExerciseVerdict | None:
        """The last verdict on an exercise, if its content has not changed since."""
        value = self._data["exercises"].get(slug, {})
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            return exercise_from_dict(value["verdict"]) if value.get("digest") == digest else None
        return None

    def judged_at(self, slug: str) -> float:
        """When an exercise was last judged, in seconds since 1970; 0 if it never was."""
        return _number(self._data["exercises"].get(slug, {}).get("judged"))

    def note(self, verdict: ExerciseVerdict, digest: str, when: float | None = None) -> None:
        """Save the verdict on this content; hints that were read stay read."""
        judged = time.time() if when is None else when
        entry = {"digest": digest, "verdict": exercise_to_dict(verdict), "judged": judged}
        self._data["exercises"].setdefault(verdict.slug, {}).update(entry)
        met = self._data.setdefault("met", {}).setdefault(verdict.slug, [])
        met += [mistake.slug for mistake in verdict.mistakes if mistake.slug not in met]
        if verdict.state is State.PASSED and digest not in self._data["passed"]:
            self._data["passed"].append(digest)

    def met(self, slug: str) -> tuple[str, ...]:
        """The mistakes that were ever named in this exercise; nothing forgets them."""
        return tuple(self._data.get("met", {}).get(slug, ()))

    def hints(self, slug: str, topic: str) -> int:
        """How many hints about this topic have been read; a new topic begins at none."""
        value = self._data["exercises"].get(slug, {})
        return int(_number(value.get("hints"))) if value.get("topic") == topic else 0

    def topic(self, slug: str) -> str:
        """What the last hints were about; empty if none have been read."""
        return str(self._data["exercises"].get(slug, {}).get("topic", ""))

    def note_hints(self, slug: str, topic: str, count: int) -> None:
        """Save how many have been read."""
        self._data["exercises"].setdefault(slug, {}).update(topic=topic, hints=count)

    def proof(self, slug: str, digest: str) -> list[int] | None:
        """What was noted of the learner's own tests, if they have not changed since."""
        value = self._data.get("proofs", {}).get(slug, {})
        counts = value.get("counts")
        if value.get("digest") != digest or not isinstance(counts, list):
            return None
        return counts if all(isinstance(count, int) for count in counts) else None

    def note_proof(self, slug: str, digest: str, counts: list[int]) -> None:
        """Save what tests of this content are worth."""
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
        """Tell that room of verdicts; a line for the learner if it has ended, else empty.

        In no room, all that happens is a look for its file, and for one that is not believed.
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
    """Whether it has the form that this kata writes; not what it says."""
    exercises, met, proofs = data.get("exercises", ()), data.get("met", {}), data.get("proofs", {})
    tables = (exercises, met, proofs)
    if data.get("form") != FORM or not all(isinstance(table, dict) for table in tables):
        return False
    entries, lists = [*exercises.values(), *proofs.values()], [data.get("passed"), *met.values()]
    return all(isinstance(entry, dict) for entry in entries) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in lists
    )


def _number(value: object) -> float:
    """This number if it is one that a clock or a counter gives, else 0."""
    return value if isinstance(value, (int, float)) and 0 <= value < LARGEST_NUMBER else 0.0


def learner(
    folder: Path, memory: Progress, replaced: Mapping[str, str | bytes] | None = None
) -> Target:
    """A learner's folder, whose own exercises serve the later ones once they have passed.

    `replaced` are texts in place of files: what the cells of notebooks define.
    """
    target = Target(folder, replaced, trusts=lambda slug: memory.passed(target.digest(slug)))
    return target
