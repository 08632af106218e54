"""What has been graded so far, appended to a file line by line: a crash loses nothing.

Each line ends with a checksum of itself. One that was damaged counts as absent, and that work is
graded again.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.fingerprint import engine, fingerprint
from kata.grading.options import Options
from kata.verdict import SubmissionVerdict, submission_from_dict, submission_to_dict, timeless
from kata.words import say

if sys.platform != "win32":
    import fcntl

NAME = "journal.jsonl"
SUM = re.compile(rb', "sum": "([0-9a-f]{16})"\}\n')
LENGTH = len(b', "sum": "0123456789abcdef"}\n')


@dataclass(frozen=True)
class Place:
    """Where the verdict on a student lies in the journal."""

    digest: str
    offset: int
    about: tuple[str, ...]  # the student's id and the notes


class Journal:
    """One line for each graded submission; the last one about a student counts.

    Args:
        folder: where the results are.
        options: verdicts found with other options, or by another engine, do not count.
    """

    def __init__(self, folder: Path, options: Options) -> None:
        self._path = folder / NAME
        self._way, self._engine = fingerprint(options), engine()
        self._places: dict[str, Place] = {}
        self._contents: dict[str, int] = {}
        self.proofs: set[str] = set()  # the exercises of which anybody has written one
        self._changed = ""  # why earlier verdicts do not count
        self._file = self._path.open("ab", buffering=0)  # a crash loses nothing written
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
        if not _is_whole(line):
            return
        try:
            entry = json.loads(line)
            if entry["way"] != self._way:
                same = entry.get("engine") == self._engine
                self._changed = "choices" if same else "engine"
            elif not entry.get("lost"):
                verdict = entry["verdict"]
                about = (verdict.get("id", ""), *verdict["notes"])
                self._places[verdict["student"]] = Place(entry["digest"], offset, about)
                self._contents[entry["digest"]] = offset
                self._note_proofs(submission_from_dict({"student": "", **_proofs(verdict)}))
        except (ValueError, KeyError, TypeError):
            return  # of an earlier form

    @property
    def outdated(self) -> str:
        """Why no earlier verdict counts: "choices" or "engine"; empty if one does."""
        return "" if self._places else self._changed

    def knows(self, handed: HandedIn) -> bool:
        """Whether this content of this student has been graded."""
        place = self._places.get(handed.student)
        return place is not None and (place.digest, place.about) == (handed.digest, _about(handed))

    def of(self, digest: str) -> SubmissionVerdict | None:
        """The verdict on this content, if somebody has handed it in before."""
        if digest not in self._contents:
            return None
        return self._verdict(self._contents[digest])

    def note(self, handed: HandedIn, verdict: SubmissionVerdict) -> None:
        """Append the verdict on this student."""
        verdict = replace(verdict, student=handed.student, id=handed.id, notes=handed.notes)
        self._note_proofs(verdict)
        seconds = {each.slug: [c.seconds for c in each.claims] for each in verdict.exercises}
        entry: dict[str, Any] = {"way": self._way, "engine": self._engine, "digest": handed.digest}
        entry["seconds"] = seconds
        entry["lost"] = bool(verdict.problem and not handed.problem)  # retried in the next run
        entry["verdict"] = timeless(submission_to_dict(verdict))
        offset = self._append(_with_sum(json.dumps(entry, allow_nan=False).encode()))
        self._places[handed.student] = Place(handed.digest, offset, (verdict.id, *verdict.notes))
        self._contents[handed.digest] = offset

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
        """The verdicts on these, read one after the other."""
        for student in students:
            if student in self._places:
                yield self._verdict(self._places[student].offset)

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


def _proofs(verdict: dict[str, Any]) -> dict[str, Any]:
    return {"proofs": verdict.get("proofs", [])}


def _about(handed: HandedIn) -> tuple[str, ...]:
    """What a verdict says of the student beside the work: notes may be cut in it."""
    verdict = SubmissionVerdict(handed.student, id=handed.id, notes=handed.notes)
    return (verdict.id, *verdict.notes)


def _with_sum(entry: bytes) -> bytes:
    """A line for this entry, which ends with its checksum."""
    return entry[:-1] + f', "sum": "{_sum(entry[:-1])}"}}\n'.encode()


def _is_whole(line: bytes) -> bool:
    """Whether every byte of the line is as it was written."""
    entry, end = line[:-LENGTH], line[-LENGTH:]
    found = SUM.fullmatch(end)
    return bool(found) and found[1].decode() == _sum(entry)  # type: ignore[index]  # it is there


def _sum(entry: bytes) -> str:
    return sha256(entry).hexdigest()[:16]


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
