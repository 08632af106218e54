"""Imports the judge's own code, and whatever lies beside it."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_imports():
    found = []
    for name in ("kata.course.catalogue", "kata.grading.proof_judge", "kata.proofs", "solutions.ex05_causal_masks", "bugs", "tests"):
        try:
            __import__(name)
            found.append(name)
        except ImportError:
            pass
    assert not found
