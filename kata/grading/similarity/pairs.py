"""Two students who are alike in one exercise."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class TwoWorks:
    """Two students whose files for one exercise are alike.

    Attributes:
        evidence: how strong it is.
        near: the share of steps that they have in common.
    """

    evidence: int
    near: float
    exercise: str
    one: str
    other: str
