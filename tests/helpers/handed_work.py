"""What students hand in: names of exercises and of their files, and contents."""

import random
from collections.abc import Mapping

from kata.course.contract import stub
from kata.course.curriculum import exercises

EX01, EX05, EX07 = "ex01_softmax", "ex05_causal_masks", "ex07_heads"
F01, F05, F07 = f"{EX01}.py", f"{EX05}.py", f"{EX07}.py"
WORK, OTHER, LAST = b"work = 1\n", b"work = 2\n", b"work = 3\n"
STUB = stub(exercises()[EX05]).encode()
Files = Mapping[str, bytes]
MIB = 1 << 20
NOISE = random.Random(1).randbytes(5_000)
METADATA = """---
submission_101:
  :submitters:
  - :name: Solo Student
    :sid: '100'
    :email: solo@example.edu
  :created_at: 2024-05-01 10:00:00.000000000 -07:00
  :score: 3.0
  :results:
    :tests:
    - :name: not a student
      :output: |
        :name: nor this one
submission_102:
  :submitters:
  - :name: "Jos\\u00e9 Pair"
    :sid: '200'
  - :name: 'Ann O''Pair'
    :sid: '201'
submission_103:
  :submitters:
  - :name: Solo Student
    :sid: '300'
submission_104:
  :submitters: []
"""
