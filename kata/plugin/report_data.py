"""What a report carries beside pytest's own fields: plain data, which xdist sends on."""

from dataclasses import dataclass

import pytest

from kata.plain import decode
from kata.verdict import ClaimVerdict, Diagnosis, Message

Key = tuple[str, str]  # a folder, and the slug of an exercise in it


@dataclass(frozen=True)
class JudgedClaim:
    """A verdict, and what the main process has to know of the exercise that it is about.

    Args:
        claim: the verdict.
        folder: where the exercise file lies, or the path of a file that is no exercise.
        slug: of the exercise; empty for a file that is none.
        board: whether it is a learner's own work, which the board shows.
        digest: of the content that was judged; empty if no claim was checked.
        stand_ins: the earlier exercises for which the reference stood in.
        total: how many claims of the exercise can be checked on this machine.
        line: where the claim begins in its suite.
    """

    claim: ClaimVerdict
    folder: str
    slug: str = ""
    board: bool = False
    digest: str = ""
    stand_ins: tuple[str, ...] = ()
    total: int = 1
    line: int = 0

    @property
    def key(self) -> Key:
        """The key: which exercise of which folder."""
        return self.folder, self.slug

    @property
    def message(self) -> Message:
        """The message that a learner reads."""
        return self.claim.message or Message(self.claim.name)


@dataclass(frozen=True)
class DiagnosedFile:
    """The mistake behind the claims of one exercise that failed."""

    folder: str
    slug: str
    diagnosis: Diagnosis


def judged_claim(report: pytest.TestReport) -> JudgedClaim | None:
    """The verdict in the report of a claim; none in a report of something else."""
    data = getattr(report, "kata", None)
    return data and decode(JudgedClaim, data)


def diagnosed_file(report: pytest.TestReport) -> DiagnosedFile | None:
    """The mistake in the report of a failed claim, if one was recognised in its file."""
    data = getattr(report, "kata_diagnosis", None)
    return data and decode(DiagnosedFile, data)
