"""Limits that hold wherever a learner's work is judged."""

TIME_LIMIT = 10  # seconds a claim; the slowest takes a thousandth of it
LONGEST_OUTPUT = 500  # characters of the learner's own prints that are shown
