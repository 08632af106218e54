"""Starts the warm process, and tells it when to fork a worker and when to kill it."""

import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from kata.errors import HostError
from kata.grading.sandbox import sandbox
from kata.inside import worker
from kata.words import say

PATIENCE = 120  # seconds for an import of torch from a slow disk
# No user packages, no folder of the script, no bytecode written. Not -I, which would ignore the
# variables that `sandbox.environment` sets.
FLAGS = ("-s", "-P", "-B")
MOST_STARTS = 3  # of a process that crashes at once
SHORT = 64  # bytes of a message between the two
INSIDE = Path(worker.__file__).parent


def shown() -> list[Path]:
    """All of the kata that a sandbox shows: a folder, and the ground floor, which it may import."""
    return [INSIDE, *INSIDE.parent.glob("*.py")]


class Launcher:
    """The warm process, inside bubblewrap if this machine has it.

    Args:
        memory: bytes for each worker, beyond what torch takes.
        seconds: of CPU time for each worker.
    """

    def __init__(self, memory: int, seconds: int) -> None:
        self._limits = str(memory), str(seconds)
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.parts: list[str] = []

    def warm_up(self) -> None:
        """Start the process now, so that its start-up time is charged to no submission."""
        if not self._control:
            self._launch()

    def start(self, channel: socket.socket, printed: socket.socket) -> None:
        """Start a worker that answers and prints to these sockets."""
        for _ in range(MOST_STARTS):
            control = self._control or self._launch()
            with suppress(OSError):
                socket.send_fds(control, [worker.START], [channel.fileno(), printed.fileno()])
                if control.recv(SHORT) == worker.START:
                    return
            self.end()
        raise HostError(say("sandbox.no-worker"))

    def stop(self) -> None:
        """Kill the worker, whatever it is doing."""
        self._order(worker.STOP)

    def reason(self) -> str:
        """Why the worker exited by itself."""
        return self._order(worker.REASON).removeprefix(worker.REASON.decode())

    def end(self) -> None:
        """Kill the warm process, and with it the worker."""
        if self._process:
            self._process.kill()
            self._process.wait()
        if self._control:
            self._control.close()
        self._process = self._control = None

    def _order(self, order: bytes) -> str:
        if self._control:
            with suppress(OSError):
                self._control.send(order)
                if answer := self._control.recv(SHORT):
                    return answer.decode("utf-8", "replace")
        self.end()  # it crashed, and all that it had started died with it
        return ""

    def _launch(self) -> socket.socket:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mine.settimeout(PATIENCE)
        command = [sys.executable, *FLAGS, worker.__file__, str(theirs.fileno()), *self._limits]
        with theirs:
            self._process = subprocess.Popen(
                sandbox.confined(command, shown()),
                env=sandbox.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                cwd="/",
            )
        self._control = mine
        self._greet(mine)
        return mine

    def _greet(self, control: socket.socket) -> None:
        """Wait until it is warm."""
        assert self._process
        with suppress(OSError):
            ready, *self.parts = control.recv(SHORT).decode().split() or [""]
            if ready == "ready":
                return
        self._process.kill()
        complaint = self._process.communicate()[1].decode("utf-8", "replace").strip()
        self.end()
        last = complaint.splitlines()[-1] if complaint else ""
        raise HostError(say("sandbox.no-warm-process", reason=last))
