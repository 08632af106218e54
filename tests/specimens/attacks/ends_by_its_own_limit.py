"""Against "the run goes on": sets a limit by which the system kills it, as if somebody else had."""

import resource

try:
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
except (OSError, ValueError):
    pass


def softmax(scores, axis=-1):
    while True:
        pass
