"""Two hundred checks in one process: nothing grows, memory included."""

import json
import subprocess
import sys
from pathlib import Path

from kata.course.curriculum import ROOT

MOST_GROWTH = 10.0  # MiB, for what an allocator keeps; it was 1.4 in 200, and 0.1 in 200 more
CHECKS = """
import gc, json, os, sys, threading
from pathlib import Path
from tests.kata.notebook.test_check import INVERTED, cells_of, one

folder = Path("exercises").absolute()
wrong, right = cells_of("ex05_causal_masks", INVERTED), cells_of("ex05_causal_masks")

def checks(count):
    for _ in range(count // 2):
        assert "the allowed keys are hidden" in repr(one(wrong, folder, "ex05"))
        assert one(right, folder, "mask_weights")
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "mib": pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        "same": [len(sys.modules), threading.active_count(), len(os.listdir("/proc/self/task"))],
        "objects": len(gc.get_objects()),
    }

print(json.dumps([checks(160), checks(200)]))
"""


def test_two_hundred_checks_with_torch_leak_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{CHECKS}"]
    found = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    before, after = json.loads(found.stdout)
    assert after["same"] == before["same"]  # modules and threads
    assert after["objects"] < before["objects"] + 20  # a tenth of one for each check
    assert after["mib"] < before["mib"] + MOST_GROWTH
