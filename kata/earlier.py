"""What earlier exercises give, for cells of a notebook: `from kata.earlier.ex07_heads import …`.

A cell has no folder, so `from .ex07_heads import …` fails in it. This is the reference. Where a
notebook is judged, the same line counts as the import of a sibling: the learner's own exercise
serves there once it has passed.
"""

from kata.course.curriculum import SOLUTIONS

__path__ = [str(SOLUTIONS)]
