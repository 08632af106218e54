"""What forks of the warm process have already imported; one wrong answer was judged and explained.

That process imports this module when it starts, see `warm`.
"""

import contextlib
import functools
import gc
import importlib.metadata
import io
import logging
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest

SHARED = (
    *("torch", "kata.judging.judge", "kata.diagnosis.diagnose", "kata.learner.judge_process"),
    *("kata.learner.reporter", "kata.learner.collection", "kata.learner.status"),
)
WRONG = "import numpy as np\ndef softmax(scores, axis=-1):\n    return scores / scores.sum()\n"
PATH = [*sys.path]

gc.disable()
# pytest reads what each installed distribution offers, twice in every run.
_DISTRIBUTIONS = [*importlib.metadata.distributions()]
importlib.metadata.distributions = lambda: iter(_DISTRIBUTIONS)
for _name in ("entry_points", "files", "metadata"):
    _read = getattr(importlib.metadata.Distribution, _name).fget
    setattr(importlib.metadata.Distribution, _name, property(functools.cache(_read)))
for _name in SHARED:
    importlib.import_module(_name)
with TemporaryDirectory() as _home, contextlib.redirect_stdout(io.StringIO()):
    Path(_home, "mine").mkdir()
    Path(_home, "mine", "ex01_softmax.py").write_text(WRONG)
    pytest.main([f"{_home}/mine"])  # pytest rewrites plugins while it imports them: this one, too
# pytest would add its handlers to each logger that keeps to itself, six times in every claim.
for _name in list(logging.root.manager.loggerDict):
    logging.getLogger(_name).propagate = True
# The real one judges every exercise, which takes longer than the tests of a judge.
sys.modules["kata.learner.preload"] = ModuleType("kata.learner.preload")
gc.collect()
gc.freeze()
gc.set_threshold(50_000, 20, 50)
gc.enable()
