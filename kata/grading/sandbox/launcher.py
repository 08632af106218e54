"""Starts the process that workers are forks of, and tells it when to start and stop one."""

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
# Nothing from the user's own packages or the worker's folder, and nothing written. Not -I: it would
# ignore the variables that `sandbox.environment` sets.
FLAGS = ("-s", "-P", "-B")
MOST_STARTS = 3  # of a process that dies at once
SHORT = 64  # bytes of what is said between the two
INSIDE = Path(worker.__file__).parent


def shown() -> list[Path]:
    """All of the kata that a sandbox shows: a folder, and the ground floor, which it may import."""
    return [INSIDE, *INSIDE.parent.glob("*.py")]


class Launcher:
    """The warm process, behind the walls that this machine has.

    Args:
        memory: bytes for each worker, beyond what torch takes.
        seconds: that a worker may compute.
    """

    def __init__(self, memory: int, seconds: int) -> None:
        self._limits = str(memory), str(seconds)
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.parts: list[str] = []

    def warm_up(self) -> None:
        """Start the process now: it takes seconds, which are nobody's."""
        if not self._control:
            self._launch()

    def start(self, channel: socket.socket, printed: socket.socket) -> None:
        """Start a worker that answers there, and prints there."""
        for _ in range(MOST_STARTS):
            control = self._control or self._launch()
            with suppress(OSError):
                socket.send_fds(control, [worker.START], [channel.fileno(), printed.fileno()])
                if control.recv(SHORT) == worker.START:
                    return
            self.end()
        raise HostError(say("sandbox.no-worker"))

    def stop(self) -> None:
        """End the worker, whatever it does."""
        self._order(worker.STOP)

    def reason(self) -> str:
        """Why the worker has ended by itself."""
        return self._order(worker.REASON).removeprefix(worker.REASON.decode())

    def end(self) -> None:
        """End everything."""
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
        self.end()  # it died, and with it everything that it had started
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
        raise HostError(say("sandbox.no-nursery", reason=last))
