"""Works that are alike, side by side, for the instructor."""

from kata.grading.reports.side_by_side.page import FILE, given, write

__all__ = ["FILE", "given", "write"]
