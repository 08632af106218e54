"""Against "it cannot start processes": starts threads until there are no more."""

import threading
import time

threading.stack_size(1 << 16)


def softmax(scores, axis=-1):
    started = 0
    try:
        for _ in range(100_000):
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
            started += 1
    except (RuntimeError, MemoryError):
        pass
    return scores + started
