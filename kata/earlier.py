"""Earlier exercises for the cells of a notebook: `from kata.earlier.ex07_heads import …`.

A cell has no folder, so that `from .ex07_heads import …` fails in it. It gets the reference. Where
a notebook is judged, the line counts as the import of a sibling: the learner's own exercise serves
once it has passed.
"""

from kata.course.curriculum import SOLUTIONS

__path__ = [str(SOLUTIONS)]
