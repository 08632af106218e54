"""Starts the warm process, and tells it when to fork a worker and when to kill it."""

import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from kata.errors import HostError
from kata.grading.sandbox import sandbox
from kata.inside import orders
from kata.words import say

PATIENCE = 120  # seconds for an import of torch from a slow disk
# No user packages, no folder of the script, no bytecode written. Not -I, which would ignore the
# variables that `sandbox.environment` sets.
FLAGS = ("-s", "-P", "-B")
MOST_STARTS = 3  # of a process that crashes at once
INSIDE = Path(orders.__file__).parent
WORKER = INSIDE / "worker.py"


def shown() -> list[Path]:
    """All of the kata that a sandbox shows: a folder, and the ground floor, which it may import."""
    return [INSIDE, *INSIDE.parent.glob("*.py")]


class WarmProcess:
    """A process that has torch, inside bubblewrap if this machine has it.

    Args:
        memory: bytes for each worker, beyond what torch takes.
        seconds: of CPU time for each worker.
        modules: what the exercises need beside torch.
    """

    def __init__(self, memory: int, seconds: int, modules: Sequence[str] = ()) -> None:
        self._arguments = str(memory), str(seconds), *modules
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.parts: list[str] | None = None  # the locks that it has, once it is warm

    def handed_on(self) -> "WarmProcess":
        """For a fork of this process, which has to start one of its own if this one dies."""
        own = WarmProcess(0, 0)
        own._arguments, own.parts = self._arguments, self.parts
        return own

    def begin(self) -> None:
        """Start it, without waiting until it is warm."""
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mine.settimeout(PATIENCE)
        command = [sys.executable, *FLAGS, str(WORKER), str(theirs.fileno()), *self._arguments]
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

    def wait(self) -> None:
        """Wait until it is warm; one that does not get there is started again."""
        for left in reversed(range(MOST_STARTS)):
            if not self._control:
                self.begin()
            if self._greeted():
                return
            complaint = self._complaint()
            self.end()
            if not left:
                raise HostError(say("sandbox.no-warm-process", reason=complaint))

    def _greeted(self) -> bool:
        assert self._control
        with suppress(OSError):
            ready, *parts = self._control.recv(orders.SHORT).decode().split() or [""]
            if ready == orders.READY:
                self._compare(parts)
                return True
        return False

    def _compare(self, parts: list[str]) -> None:
        """A process that lacks a lock that this machine has must not run anything."""
        promised = sandbox.held() if self.parts is None else self.parts
        if lacking := sorted(set(promised) - set(parts)):
            self.end()
            raise HostError(say("sandbox.lacks", locks=", ".join(lacking)))
        self.parts = parts

    def _complaint(self) -> str:
        assert self._process
        self._process.kill()
        said = self._process.communicate()[1].decode("utf-8", "replace").strip()
        return said.splitlines()[-1] if said else say("sandbox.killed-early")

    def connect(self, order: bytes = orders.FORK) -> socket.socket:
        """A connection to a forker of one's own."""
        for _ in range(MOST_STARTS):
            if not self._control or self.parts is None:
                self.wait()
            mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            mine.settimeout(PATIENCE)
            with suppress(OSError), theirs:
                assert self._control
                socket.send_fds(self._control, [order], [theirs.fileno()])
                if self._control.recv(orders.SHORT) == order:
                    return mine
            mine.close()
            self.end()
        raise HostError(say("sandbox.no-worker"))

    def end(self) -> None:
        """Kill it, and with it all that it has forked."""
        if self._process:
            self._process.kill()
            self._process.wait()
            if self._process.stderr:
                self._process.stderr.close()
        if self._control:
            self._control.close()
        self._process = self._control = None


class Launcher:
    """Starts workers, one at a time, through a forker of its own."""

    def __init__(self, warm: WarmProcess, control: socket.socket | None = None) -> None:
        self._warm = warm
        self._control = control
        self._taught: set[str] = set()

    def warm_up(self) -> None:
        """Connect now, so that the start of the warm process is charged to no submission."""
        if not self._control:
            self._control, self._taught = self._warm.connect(), set()

    def teach(self, name: str, script: bytes) -> None:
        """See to it that workers know this script, which is one frame."""
        for _ in range(MOST_STARTS):
            self.warm_up()
            if name in self._taught or self._taught_now(name, script):
                self._taught.add(name)
                return
            self.end()
        raise HostError(say("sandbox.no-worker"))

    def get_ready_for_proofs(self, modules: Sequence[str]) -> None:
        """See to it that workers that run tests find these modules imported."""
        self.warm_up()
        for name in modules:
            order = b" ".join([orders.PROOFS, name.encode()])
            if name not in self._taught and self._order(order):
                self._taught.add(name)

    def _taught_now(self, name: str, script: bytes) -> bool:
        assert self._control
        mine, theirs = socket.socketpair()
        with mine, theirs, suppress(OSError):
            socket.send_fds(self._control, [name.encode()], [theirs.fileno()])
            theirs.close()
            mine.sendall(script)
            return self._control.recv(orders.SHORT).decode() == name
        return False

    def start(self, channel: socket.socket, printed: socket.socket) -> None:
        """Start a worker that answers and prints to these sockets."""
        for _ in range(MOST_STARTS):
            self.warm_up()
            assert self._control
            with suppress(OSError):
                descriptors = [channel.fileno(), printed.fileno()]
                socket.send_fds(self._control, [orders.START], descriptors)
                if self._control.recv(orders.SHORT) == orders.START:
                    return
            self.end()
        raise HostError(say("sandbox.no-worker"))

    def stop(self) -> None:
        """Kill the worker, whatever it is doing."""
        self._order(orders.STOP)

    def reason(self) -> str:
        """Why the worker exited by itself."""
        return self._order(orders.REASON).removeprefix(orders.REASON.decode())

    def seconds(self) -> float:
        """The CPU time that the worker has used, as the kernel counts it."""
        with suppress(ValueError):
            return float(self._order(orders.SECONDS))
        return 0.0

    def end(self) -> None:
        """Give the connection up, and with it the worker."""
        if self._control:
            self._control.close()
        self._control = None

    def end_all(self) -> None:
        """End the warm process, too."""
        self.end()
        self._warm.end()

    def _order(self, order: bytes) -> str:
        if self._control:
            with suppress(OSError):
                self._control.send(order)
                if answer := self._control.recv(orders.SHORT):
                    return answer.decode("utf-8", "replace")
        self.end()  # it crashed, and all that it had started died with it
        return ""
