"""Against "it cannot start processes": a child of a child that would outlive the run."""

import os
import subprocess
import time


def _daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)


def softmax(scores, axis=-1):
    for attempt in (_daemon, lambda: os.posix_spawn("/bin/sleep", ["sleep", "1000"], {}),
                    lambda: subprocess.Popen(["sleep", "1000"], start_new_session=True),
                    lambda: os.system("sleep 1000 &"), lambda: os.execv("/bin/sleep", ["sleep", "9"])):
        try:
            attempt()
        except OSError:
            continue
    return scores
