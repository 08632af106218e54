"""What has been graded so far, appended to a file line by line: a crash loses nothing.

Each line ends with a checksum of itself, made with a key that only this user has on this machine.
One that was damaged, or that anybody else has written, counts as absent, and that work is graded
again.
"""

import hmac
import json
import os
import re
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kata import state
from kata.class_verdict import SubmissionVerdict, submission_from_dict, submission_to_dict, timeless
from kata.files import append_to
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.fingerprint import engine
from kata.grading.keys import Keys
from kata.grading.marks import mark
from kata.grading.options import Options
from kata.proved import PROOF
from kata.verdict import State
from kata.words import say

if sys.platform != "win32":
    import fcntl

NAME = "journal.jsonl"
SUM = re.compile(rb', "sum": "([0-9a-f]{32})"\}\n')
LENGTH = len(b', "sum": "0123456789abcdef0123456789abcdef"}\n')


@dataclass(frozen=True)
class Place:
    """Where the last line about a student lies, and what is in it.

    Attributes:
        keys: of the verdicts, by exercise.
        offset: of the line.
        about: the student's id, the notes, and why nothing could be judged.
        renewed: the exercises whose suite was another one.
    """

    keys: Mapping[str, str]
    offset: int
    about: tuple[str, ...]
    renewed: frozenset[str]


class Journal:
    """One line for each graded submission; the last one about a student counts.

    Every verdict has a key of all that it depends on. As long as that is the same the verdict is
    kept, whoever handed it in; points are applied when it is read.

    Args:
        folder: where the results are.
        options: what is judged, and how; verdicts of another engine do not count.
    """

    def __init__(self, folder: Path, options: Options) -> None:
        self._path, self._options = folder / NAME, options
        self._keys, self._engine = Keys(options), engine()
        self._places: dict[str, Place] = {}
        self._kept: dict[str, int] = {}  # where the line with the verdict of this key lies
        self.proofs: set[str] = set()  # the exercises of which anybody has written one
        self._changed = ""  # why earlier verdicts do not count
        self._seal = _key()
        self._file = append_to(self._path)
        self._end = self._read()

    def _read(self) -> int:
        """Index the file; returns where the next line goes."""
        offset = 0
        with self._path.open("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):  # the grader was killed while writing it
                    self._file.truncate(offset)
                    break
                self._index(line, offset)
                offset += len(line)
        return offset

    def _index(self, line: bytes, offset: int) -> None:
        if not _is_whole(line, self._seal):
            self._changed = self._changed or "unknown"
            return
        try:
            entry = json.loads(line)
            if entry.get("ground") != self._keys.ground:
                same = entry.get("engine") == self._engine
                self._changed = "choices" if same else "engine"
            elif not entry.get("lost"):
                verdict = entry["verdict"]
                about = (verdict.get("id", ""), *verdict["notes"], verdict["problem"])
                self._place(verdict["student"], entry, offset, about)
                self._note_proofs(submission_from_dict({"student": "", **_proofs(verdict)}))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return  # of an earlier form

    def _place(
        self, student: str, entry: dict[str, Any], offset: int, about: tuple[str, ...]
    ) -> None:
        keys, ways, late = dict(entry["keys"]), entry["ways"], _late(entry)
        renewed = (slug for slug, way in ways.items() if self._keys.ways.get(slug) != way)
        self._places[student] = Place(keys, offset, about, frozenset(renewed))
        self._kept |= {key: offset for name, key in keys.items() if name not in late}

    @property
    def outdated(self) -> str:
        """Why no earlier verdict counts: "choices", "engine" or "unknown"; empty if one does."""
        return "" if self._places else self._changed

    def renewed(self, students: Iterable[str]) -> list[str]:
        """The exercises whose suite has changed since one of these was graded."""
        places = (self._places[each] for each in students if each in self._places)
        found = {slug for each in places for slug in each.renewed}
        return [slug for slug in self._options.slugs if slug in found]

    def forget(self, student: str) -> None:
        """What is known of this student's work counts no longer, for nobody."""
        place = self._places.pop(student, None)
        for key in place.keys.values() if place else ():
            self._kept.pop(key, None)

    def knows(self, handed: HandedIn) -> bool:
        """Whether all that is chosen of this student's work has been graded."""
        place = self._places.get(handed.student)
        if place is None or place.about != _about(handed):
            return False
        return self._keys.of(handed).items() <= place.keys.items()

    def settled(self, handed: HandedIn) -> SubmissionVerdict:
        """Of this work all that is known, whoever has handed it in before."""
        found = SubmissionVerdict(handed.student)
        lines: dict[int, SubmissionVerdict] = {}
        for name, key in self._keys.of(handed).items():
            if key in self._kept:
                offset = self._kept[key]
                lines[offset] = lines.get(offset) or self._verdict(offset)
                found = _with(found, name, lines[offset])
        return found

    def is_new(self, student: str) -> bool:
        """Whether nothing has been noted about this student."""
        return student not in self._places

    def is_settled(self, handed: HandedIn) -> bool:
        """Whether nothing of this work is left to judge."""
        return set(self._keys.of(handed).values()) <= self._kept.keys()

    def note(self, handed: HandedIn, verdict: SubmissionVerdict) -> None:
        """Append the verdict on this student."""
        verdict = self._marked(verdict)
        verdict = replace(verdict, student=handed.student, id=handed.id, notes=handed.notes)
        self._note_proofs(verdict)
        entry: dict[str, Any] = {"ground": self._keys.ground, "engine": self._engine}
        entry["keys"] = self._keys.of(handed) if verdict.exercises else {}
        entry["ways"] = {each.slug: self._keys.ways[each.slug] for each in verdict.exercises}
        entry["seconds"] = {e.slug: [c.seconds for c in e.claims] for e in verdict.exercises}
        entry["lost"] = bool(verdict.problem and not handed.problem)  # retried in the next run
        entry["verdict"] = timeless(submission_to_dict(verdict))
        offset = self._append(_with_sum(json.dumps(entry, allow_nan=False).encode(), self._seal))
        about = (verdict.id, *verdict.notes, verdict.problem)
        self._place(handed.student, entry, offset, about)

    def _note_proofs(self, verdict: SubmissionVerdict) -> None:
        self.proofs |= {each.slug for each in verdict.begun_proofs}

    def _append(self, line: bytes) -> int:
        """Write the line; returns where it starts. The next run drops an incomplete line."""
        offset, rest = self._end, line
        while rest:
            rest = rest[self._file.write(rest) :]
        self._end += len(line)
        return offset

    def verdicts(self, students: Iterable[str]) -> Iterator[SubmissionVerdict]:
        """The verdicts on these, read one after the other, on what is chosen."""
        for student in students:
            if student in self._places:
                yield self._marked(self._verdict(self._places[student].offset))

    def _marked(self, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """With the points of this run, and no other exercises."""
        by_slug = {each.slug: each for each in verdict.exercises}
        chosen = [slug for slug in self._options.slugs if slug in by_slug]
        exercises = tuple(by_slug[slug] for slug in chosen)
        points, rubric = self._options.points, self._options.rubric
        marks = tuple(mark(each, points[each.slug], rubric) for each in exercises)
        proofs = tuple(each for each in verdict.proofs if each.slug in chosen)
        return replace(verdict, exercises=exercises, marks=marks, proofs=proofs)

    def _verdict(self, offset: int) -> SubmissionVerdict:
        """With its seconds, which are kept beside it."""
        entry = self._entry(offset)
        for exercise in entry["verdict"]["exercises"]:
            times = entry["seconds"].get(exercise["slug"], [])
            for claim, seconds in zip(exercise["claims"], times, strict=False):
                claim["seconds"] = seconds
        return submission_from_dict(entry["verdict"])

    def _entry(self, offset: int) -> dict[str, Any]:
        with self._path.open("rb") as file:
            file.seek(offset)
            return json.loads(file.readline())  # type: ignore[no-any-return]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _late(entry: Mapping[str, Any]) -> set[str]:
    """Exercises whose time was up, perhaps because others took it: nobody else's verdict.

    Raises ValueError if the line is not whole.
    """
    found = entry["verdict"]["exercises"]
    proofs = {PROOF + each["slug"] for each in entry["verdict"]["proofs"]}
    if entry["keys"] and {each["slug"] for each in found} | proofs != entry["keys"].keys():
        raise ValueError(entry["keys"])
    if not all(each["claims"] for each in found) or not isinstance(entry["seconds"], dict):
        raise ValueError(found)
    late = State.TIMED_OUT.value
    return {e["slug"] for e in found if any(claim["state"] == late for claim in e["claims"])}


def _with(found: SubmissionVerdict, name: str, known: SubmissionVerdict) -> SubmissionVerdict:
    """With one verdict more: on an exercise, or on a proof."""
    slug = name.removeprefix(PROOF)
    if name != slug:
        (proof,) = (each for each in known.proofs if each.slug == slug)
        return replace(found, proofs=(*found.proofs, proof))
    (exercise,) = (each for each in known.exercises if each.slug == slug)
    return replace(found, exercises=(*found.exercises, exercise))


def _proofs(verdict: dict[str, Any]) -> dict[str, Any]:
    return {"proofs": verdict.get("proofs", [])}


def _about(handed: HandedIn) -> tuple[str, ...]:
    """What a verdict says of the student beside the work: notes may be cut in it."""
    verdict = SubmissionVerdict(handed.student, (), (), handed.notes, handed.problem, handed.id)
    return (verdict.id, *verdict.notes, verdict.problem)


def _key() -> bytes:
    """The user's own; where it cannot be kept, one that no later run knows."""
    try:
        return state.own_key()
    except OSError:
        return secrets.token_bytes(state.LENGTH)


def _with_sum(entry: bytes, seal: bytes) -> bytes:
    """A line for this entry, which ends with its checksum."""
    return entry[:-1] + f', "sum": "{_sum(entry[:-1], seal)}"}}\n'.encode()


def _is_whole(line: bytes, seal: bytes) -> bool:
    """Whether every byte of the line is as this user wrote it."""
    found = SUM.fullmatch(line[-LENGTH:])
    return found is not None and hmac.compare_digest(found[1].decode(), _sum(line[:-LENGTH], seal))


def _sum(entry: bytes, seal: bytes) -> str:
    return hmac.new(seal, entry, "sha256").hexdigest()[:32]


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other runs of the grader out of the folder, where system and disk have locks."""
    if sys.platform == "win32":
        yield
        return
    key = os.open(folder, os.O_RDONLY)
    try:
        _lock(key, folder)
        yield
    finally:
        os.close(key)


def _lock(key: int, folder: Path) -> None:
    if sys.platform != "win32":
        try:
            fcntl.flock(key, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OSError(error.errno, say("grading.busy"), str(folder)) from None
        except OSError:  # the disk has no locks
            return
