"""The journal of a class: a line for every graded submission, so that a crash loses nothing.

Called by `run`. The file is not trusted: lines end with a checksum under a key that only this user
has on this machine. A line that is damaged or was written by anybody else counts as absent, and
that work is graded again. A verdict counts for all work with the same key.
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
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unicodedata import normalize

from kata.class_verdict import (
    SubmissionVerdict,
    Work,
    submission_from_dict,
    submission_to_dict,
    timeless,
)
from kata.course.curriculum import earlier, exercises
from kata.files import KEY_LENGTH, append_to, own_key
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options, engine, ground, way
from kata.grading.rubric import mark
from kata.marks import PROOF, Proved
from kata.plain import decode, encode
from kata.verdict import ExerciseVerdict, State

if sys.platform != "win32":
    import fcntl

JOURNAL = "journal.jsonl"
CHECKSUM = re.compile(rb', "sum": "([0-9a-f]{32})"\}\n')
CHECKSUM_LENGTH = len(b', "sum": "0123456789abcdef0123456789abcdef"}\n')
IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)
NAMES = re.compile(r"[^\W\d]\w*")
ENCODING = re.compile(rb"coding[:=][ \t]*(?!utf-8\b)[-\w.]", re.IGNORECASE)
HEAD = 400  # bytes in which the encoding of a file may be named


class Journal:
    """The lines about graded submissions, of which the last one about a student counts.

    Every verdict has a key of all that it depends on. As long as that is the same the verdict is
    kept, for every student with this work; points are applied when it is read.

    Args:
        folder: where the results are.
        options: what is judged, and how; verdicts of another engine do not count.
    """

    def __init__(self, folder: Path, options: Options) -> None:
        self._path, self._options = folder / JOURNAL, options
        self._keys, self._engine = Keys(options), engine()
        self._lines: dict[str, Line] = {}  # by student
        self._offsets: dict[str, int] = {}  # of the line with the verdict, by its key
        self.proofs: set[str] = set()  # the exercises of which anybody has written one
        self._changed = ""  # why earlier verdicts do not count
        self._seal = own_seal()
        self._file = append_to(self._path)
        self._end = self._read()

    def _read(self) -> int:
        """Index the file, and return where the next line goes."""
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
                self._place(entry, offset)
                proofs = {"student": "", "proofs": entry["verdict"]["proofs"]}
                self._note_proofs(submission_from_dict(proofs))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return  # of an earlier form

    def _place(self, entry: dict[str, Any], offset: int) -> None:
        verdict, keys, late = entry["verdict"], dict(entry["keys"]), _late(entry)
        remarks = (verdict["id"], *verdict["notes"], verdict["problem"])
        renewed = frozenset(slug for slug, before in entry["ways"].items()
                            if self._keys.ways.get(slug) != before)  # fmt: skip
        works = tuple(decode(Work, work) for work in entry["works"])
        self._lines[verdict["student"]] = Line(keys, offset, remarks, renewed, works)
        self._offsets |= {key: offset for name, key in keys.items() if name not in late}

    @property
    def outdated(self) -> str:
        """Why no earlier verdict counts: "choices", "engine" or "unknown"; empty if one does."""
        return "" if self._lines else self._changed

    def renewed(self, students: Iterable[str]) -> list[str]:
        """List the exercises with a suite that has changed since one of these was graded."""
        lines = [self._lines[student] for student in students if student in self._lines]
        return [slug for slug in self._options.slugs if any(slug in line.renewed for line in lines)]

    def forget(self, student: str) -> None:
        """Drop the verdicts on this student's work, for all students with the same work."""
        if line := self._lines.pop(student, None):
            for key in line.keys.values():
                self._offsets.pop(key, None)

    def is_new(self, student: str) -> bool:
        """Return whether nothing has been noted about this student."""
        return student not in self._lines

    def knows(self, submission: Submission) -> bool:
        """Return whether all that is chosen of this student's work has been graded."""
        line = self._lines.get(submission.student)
        # As it would be written down: notes may be cut in a verdict.
        verdict = SubmissionVerdict("", notes=submission.notes, problem=submission.problem)
        remarks = (submission.id, *verdict.notes, verdict.problem)
        keys = self._keys.of(submission).items()
        return line is not None and line.remarks == remarks and keys <= line.keys.items()

    def work(self, submission: Submission) -> tuple[str, ...]:
        """Return all keys of a work, which are equal for equal work."""
        return tuple(self._keys.of(submission).values())

    def is_settled(self, submission: Submission) -> bool:
        """Return whether nothing of this work is left to judge."""
        return {*self.work(submission)} <= self._offsets.keys()

    def settled(self, submission: Submission) -> SubmissionVerdict:
        """Collect all verdicts that exist on this work, from whichever students."""
        verdict = cache(self._verdict)  # several are often in one line
        exercises: list[ExerciseVerdict] = []
        proofs: list[Proved] = []
        works: list[Work] = []
        for name, key in self._keys.of(submission).items():
            if key not in self._offsets:
                continue
            line, slug = verdict(self._offsets[key]), name.removeprefix(PROOF)
            works += (work for work in line.works if work.name == name)
            if name == slug:
                exercises += (exercise for exercise in line.exercises if exercise.slug == slug)
            else:
                proofs += (proof for proof in line.proofs if proof.slug == slug)
        return SubmissionVerdict(
            submission.student, tuple(exercises), proofs=tuple(proofs), works=tuple(works)
        )

    def note(self, submission: Submission, verdict: SubmissionVerdict) -> None:
        """Append the verdict on this student."""
        verdict = self._marked(verdict)
        verdict = replace(
            verdict, student=submission.student, id=submission.id, notes=submission.notes
        )
        self._note_proofs(verdict)
        exercises = verdict.exercises
        entry = {
            "ground": self._keys.ground,
            "engine": self._engine,
            "keys": self._keys.of(submission) if exercises else {},
            "ways": {exercise.slug: self._keys.ways[exercise.slug] for exercise in exercises},
            "seconds": {exercise.slug: [claim.seconds for claim in exercise.claims]
                        for exercise in exercises},
            "lost": bool(verdict.problem and not submission.problem),  # retried in the next run
            "works": encode(verdict.works),
            "verdict": timeless(submission_to_dict(verdict)),
        }  # fmt: skip
        offset = self._append(signed(json.dumps(entry, allow_nan=False).encode(), self._seal))
        self._place(entry, offset)

    def _note_proofs(self, verdict: SubmissionVerdict) -> None:
        self.proofs |= {proof.slug for proof in verdict.begun_proofs}

    def _append(self, line: bytes) -> int:
        """Write the line, and return where it starts. The next run drops an incomplete line."""
        offset, rest = self._end, line
        while rest:
            rest = rest[self._file.write(rest) :]
        self._end += len(line)
        return offset

    def verdicts(self, students: Iterable[str]) -> Iterator[SubmissionVerdict]:
        """Yield the verdicts on these students, limited to the chosen exercises, one at a time."""
        for student in students:
            if student in self._lines:
                yield self._marked(self._verdict(self._lines[student].offset))

    def works(self, student: str) -> Iterator[Work]:
        """Yield the works on the chosen exercises, to be compared with those of others."""
        for work in self._lines[student].works if student in self._lines else ():
            if work.name.removeprefix(PROOF) in self._options.slugs:
                yield work

    def _marked(self, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """Apply the points of this run to a verdict, and leave out other exercises."""
        by_slug = {exercise.slug: exercise for exercise in verdict.exercises}
        exercises = tuple(by_slug[slug] for slug in self._options.slugs if slug in by_slug)
        points, rubric = self._options.points, self._options.rubric
        marks = tuple(mark(exercise, points[exercise.slug], rubric) for exercise in exercises)
        slugs = {exercise.slug for exercise in exercises}
        proofs = tuple(proof for proof in verdict.proofs if proof.slug in slugs)
        return replace(verdict, exercises=exercises, marks=marks, proofs=proofs)

    def _verdict(self, offset: int) -> SubmissionVerdict:
        """Read a verdict, with its seconds, which are kept beside it."""
        with self._path.open("rb") as file:
            file.seek(offset)
            entry = json.loads(file.readline())
        for exercise in entry["verdict"]["exercises"]:
            times = entry["seconds"].get(exercise["slug"], [])
            for claim, seconds in zip(exercise["claims"], times, strict=False):
                claim["seconds"] = seconds
        return submission_from_dict(entry["verdict"] | {"works": entry["works"]})

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(frozen=True)
class Line:
    """The last line about a student."""

    keys: Mapping[str, str]  # of the verdicts, by exercise
    offset: int  # where it lies in the file
    remarks: tuple[str, ...]  # the student's id, the notes, and why nothing could be judged
    renewed: frozenset[str]  # the exercises that had another suite
    works: tuple[Work, ...]


def _late(entry: Mapping[str, Any]) -> set[str]:
    """Return the exercises that ran out of time: that may be the machine's doing, so that the
    verdict counts for nobody else.

    Raises ValueError if the line is not whole.
    """
    exercises = entry["verdict"]["exercises"]
    proofs = {PROOF + proof["slug"] for proof in entry["verdict"]["proofs"]}
    slugs = {exercise["slug"] for exercise in exercises}
    if entry["keys"] and slugs | proofs != entry["keys"].keys():
        raise ValueError(entry["keys"])
    judged = all(exercise["claims"] for exercise in exercises)
    if not judged or not isinstance(entry["seconds"], dict):
        raise ValueError(exercises)
    late = State.TIMED_OUT.value
    return {exercise["slug"] for exercise in exercises
            if any(claim["state"] == late for claim in exercise["claims"])}  # fmt: skip


# Checksums


def own_seal() -> bytes:
    """Return the user's key of checksums; where it cannot be kept, a new one for this run."""
    try:
        return own_key()
    except OSError:
        return secrets.token_bytes(KEY_LENGTH)


def signed(entry: bytes, seal: bytes) -> bytes:
    """Make the line of an entry, which ends with its checksum."""
    return entry[:-1] + f', "sum": "{_checksum(entry[:-1], seal)}"}}\n'.encode()


def _is_whole(line: bytes, seal: bytes) -> bool:
    """Return whether every byte of the line is as this user wrote it."""
    match = CHECKSUM.fullmatch(line[-CHECKSUM_LENGTH:])
    return match is not None and hmac.compare_digest(
        match[1].decode(), _checksum(line[:-CHECKSUM_LENGTH], seal)
    )


def _checksum(entry: bytes, seal: bytes) -> str:
    return hmac.new(seal, entry, "sha256").hexdigest()[:32]


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other runs of the grader out of the folder, where system and disk have locks."""
    if sys.platform == "win32":
        yield
        return
    key = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(key, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(key)
        reason = "another run of the grader is writing there"
        raise OSError(error.errno, reason, str(folder)) from None
    except OSError:  # the disk has no locks
        pass
    try:
        yield
    finally:
        os.close(key)


# Keys: everything that the verdict on an exercise depends on


class Keys:
    """The keys of verdicts: a verdict counts as long as its key is the same.

    A key is a hash of the file, of the student's own files that it may import and whether they are
    chosen, of their suites, of the engine, and of whether the packages that it imports are
    installed. Points and reports change no key. `ground` is the same for all exercises; `ways` are
    the exercises' own parts.
    """

    def __init__(self, options: Options) -> None:
        self._slugs = options.slugs
        self._last: tuple[Submission | None, dict[str, str]] = (None, {})
        self.ground = ground(options)
        self._before = {slug: {*earlier(exercise)} for slug, exercise in exercises().items()}
        self.ways = {slug: way(exercise, self.ground) for slug, exercise in exercises().items()}

    def of(self, submission: Submission) -> dict[str, str]:
        """Return keys by exercise, and by `proof ` and the exercise; none for unreadable work."""
        if self._last[0] is not submission:  # it is asked for several times in a row
            self._last = submission, {} if submission.problem else self._all(submission)
        return self._last[1]

    def _all(self, submission: Submission) -> dict[str, str]:
        keys = {slug: self._key(submission, slug) for slug in self._slugs}
        proven = (slug for slug in self._slugs if slug in submission.proofs)
        return keys | {PROOF + slug: self._of_proof(submission, slug) for slug in proven}

    def _key(self, submission: Submission, slug: str) -> str:
        total = sha256(f"{slug} {self.ways[slug]}".encode())
        for name in (slug, *sorted(self._stood_on(submission, slug))):
            content = submission.files.get(name, b"")
            total.update(f"\0{name} {self.ways[name]} {name in self._slugs}".encode())
            total.update(f" {name in submission.files} {len(content)}\0".encode() + content)
            origin, unread = submission.notebooks.get(name), submission.unread.get(name)
            for value in (_packages(content), origin, unread):
                total.update(repr(value).encode("utf-8", "backslashreplace"))
        return total.hexdigest()[:24]

    def _of_proof(self, submission: Submission, slug: str) -> str:
        content = submission.proofs[slug]
        return sha256(f"proof {self.ways[slug]}\0".encode() + content).hexdigest()[:24]

    def _stood_on(self, submission: Submission, slug: str) -> set[str]:
        """Return the student's own exercises that one may import, directly or through others."""
        imported: set[str] = set()
        waiting = [slug]
        while waiting:
            content = submission.files.get(waiting.pop(), b"")
            new = (self._before[slug] & _named(content) & submission.files.keys()) - imported
            imported |= new
            waiting += new
        return imported


@lru_cache(maxsize=4096)
def _named(content: bytes) -> frozenset[str]:
    """Return the exercises that a file names: it can import no other."""
    text = _text(content)
    return frozenset(slug for slug in exercises() if not text or slug in text)


def _text(content: bytes) -> str:
    """Return the text as Python reads names in it; "" if the file has an encoding of its own."""
    if ENCODING.search(content[:HEAD]):
        return ""
    text = content.decode("utf-8", "replace")
    return text if text.isascii() else normalize("NFKC", text)


@lru_cache(maxsize=4096)
def _packages(content: bytes) -> tuple[tuple[str, bool], ...]:
    """List the packages that a file imports, and whether they are installed."""
    words = {name for names in IMPORTS.findall(_text(content)) for name in NAMES.findall(names)}
    return tuple((name, _is_installed(name)) for name in sorted(words - sys.stdlib_module_names))


@cache
def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # of a module that is being run
        return True
