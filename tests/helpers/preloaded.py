"""What forks of the warm process have already imported; one wrong answer was judged and explained.

That process imports this module when it starts, see `warm`.
"""

import contextlib
import gc
import importlib
import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest

SHARED = (
    *("torch", "kata.judging.judge", "kata.diagnosis.diagnose", "kata.learner.prints"),
    *("kata.plugin.hooks", "kata.plugin.collection", "kata.learner.hints"),
)
WRONG = "import numpy as np\ndef softmax(scores, axis=-1):\n    return scores / scores.sum()\n"
PATH = [*sys.path]

gc.disable()
for _name in SHARED:
    importlib.import_module(_name)
with TemporaryDirectory() as _home, contextlib.redirect_stdout(io.StringIO()):
    Path(_home, "mine").mkdir()
    Path(_home, "mine", "ex01_softmax.py").write_text(WRONG)
    pytest.main([f"{_home}/mine"])  # pytest rewrites plugins while it imports them: this one, too
# The real one judges every exercise, which takes longer than the tests of a judge.
sys.modules["kata.learner.preload"] = ModuleType("kata.learner.preload")
gc.collect()
gc.freeze()
gc.enable()
