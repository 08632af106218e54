"""The processes that run submissions: how they are started, taught and killed.

Called by `pool`, `channel` and the judges. A warm process has imported torch; for every judge it
forks a forker, which forks one worker after the other in milliseconds. This side imports no torch,
and runs nothing of a submission.
"""

import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from kata.course.curriculum import exercises
from kata.errors import HostError
from kata.grading import sandbox
from kata.grading.options import STARTS, Options
from kata.inside import locks, orders
from kata.text import clean

MIB = 2**20
PATIENCE = 120  # seconds for an import of torch from a slow disk
# No user packages, no folder of the script, no bytecode written. Not -I, which would ignore the
# variables that `sandbox.environment` sets.
FLAGS = ("-s", "-P", "-B")
INSIDE = Path(orders.__file__).parent
WORKER = INSIDE / "worker.py"
NO_WORKER = "no process can be started for submissions: each one exits at once"


def warm_process(options: Options) -> "WarmProcess":
    """Describe the process of which workers are forks; it imports what the exercises need."""
    modules = dict.fromkeys(name for slug in options.slugs for name in exercises()[slug].imports)
    return WarmProcess(options.memory * MIB, int(options.patience) + 1, [*modules])


class Ancestor:
    """A process of which others are forks, and the connection by which it gets orders.

    Args:
        patience: seconds for it to answer.
    """

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_ready = self._has_ended = False

    def begin(self) -> socket.socket:
        """Start it, without waiting until it is ready."""
        mine, theirs = self._pair()
        with theirs:
            self._process = self._started(theirs.fileno())
        self._control = mine
        return mine

    def _started(self, descriptor: int) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    def _pair(self) -> tuple[socket.socket, socket.socket]:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mine.settimeout(self._patience)
        return mine, theirs

    def _kill(self) -> None:
        process, control = self._process, self._control
        self._process = self._control = None
        self._is_ready = False
        if process:
            process.kill()
            process.wait()
            if process.stderr:
                process.stderr.close()
        if control:
            control.close()


class WarmProcess(Ancestor):
    """A process that has torch, inside bubblewrap if this machine has it.

    Args:
        memory: bytes for a worker, beyond what torch takes.
        seconds: of CPU time for a worker.
        modules: what the exercises need beside torch.
    """

    def __init__(self, memory: int, seconds: int, modules: Sequence[str] = ()) -> None:
        super().__init__(PATIENCE)
        self._arguments = str(memory), str(seconds), *modules
        self.parts: list[str] | None = None  # the locks that it has, once it is warm

    def copy(self) -> "WarmProcess":
        """Copy this for a forked judge, which starts a process of its own if this one dies."""
        copy = WarmProcess(0, 0)
        copy._arguments, copy.parts = self._arguments, self.parts
        return copy

    def _started(self, descriptor: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, *FLAGS, str(WORKER), str(descriptor), *self._arguments]
        return subprocess.Popen(
            sandbox.confined(command, visible_paths()),
            env=sandbox.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[descriptor],
            cwd="/",
        )

    def wait(self) -> socket.socket:
        """Wait until it is warm; one that does not get there is started again.

        Raises HostError if none does, or if it has been ended for good.
        """
        complaint = ""
        for _ in range(STARTS):
            if self._has_ended:
                break
            control = self._control or self.begin()
            if self._is_ready or self._greets(control):
                return control
            complaint = self._complaint()
            self._kill()
        raise HostError(f"the process that runs submissions does not start: {clean(complaint)}")

    def _greets(self, control: socket.socket) -> bool:
        with suppress(OSError):
            ready, *parts = control.recv(orders.SHORT).decode().split() or [""]
            if ready == orders.READY:
                self._compare(parts)
                self._is_ready = True
        return self._is_ready

    def _compare(self, parts: list[str]) -> None:
        """Kill a process that lacks a lock that this machine has: it must not run anything."""
        promised = {*sandbox.layers()} & {*locks.PARTS} if self.parts is None else {*self.parts}
        if lacking := sorted(promised - {*parts}):
            self._kill()
            raise HostError("the process that runs submissions lacks locks that this machine has: "
                            + ", ".join(lacking))  # fmt: skip
        self.parts = parts

    def _complaint(self) -> str:
        if not self._process:
            return ""
        self._process.kill()
        errors = self._process.communicate()[1].decode("utf-8", "replace").strip()
        return errors.splitlines()[-1] if errors else "it was killed while it started"

    def connect(self, order: bytes = orders.FORK) -> socket.socket:
        """Have it fork a forker, and return the connection to that one."""
        for _ in range(STARTS):
            control = self.wait()
            mine, theirs = self._pair()
            with suppress(OSError), theirs:
                socket.send_fds(control, [order], [theirs.fileno()])
                if control.recv(orders.SHORT) == order:
                    return mine
            mine.close()
            self._kill()
        raise HostError(NO_WORKER)

    def end(self) -> None:
        """Kill it, and with it all that it has forked; it is not started again."""
        self._has_ended = True
        self._kill()


def visible_paths() -> list[Path]:
    """List all of the kata that a sandbox shows: a folder, and the ground floor it may import."""
    return [INSIDE, *INSIDE.parent.glob("*.py")]


class Launcher:
    """The launcher of workers, one at a time, through a forker of its own."""

    def __init__(self, warm: WarmProcess, control: socket.socket | None = None) -> None:
        self._warm = warm
        self._control = control
        self._taught: set[str] = set()

    def warm_up(self) -> socket.socket:
        """Connect now, so that the start of the warm process is charged to no submission."""
        if not self._control:
            self._control, self._taught = self._warm.connect(), set()
        return self._control

    def teach(self, name: str, script: bytes) -> None:
        """Teach the workers this script, which is one frame."""

        def learned(control: socket.socket) -> bool:
            if name in self._taught:
                return True
            mine, theirs = socket.socketpair()
            with mine, theirs:
                socket.send_fds(control, [name.encode()], [theirs.fileno()])
                theirs.close()
                mine.sendall(script)
                return control.recv(orders.SHORT).decode() == name

        self._insist(learned)
        self._taught.add(name)

    def get_ready_for_proofs(self, modules: Sequence[str]) -> None:
        """Import these modules for the workers that run tests."""
        self.warm_up()
        for name in modules:
            order = b" ".join([orders.PROOFS, name.encode()])
            if name not in self._taught and self._order(order):
                self._taught.add(name)

    def start(self, channel: socket.socket, printed: socket.socket) -> None:
        """Start a worker that answers and prints to these sockets."""

        def started(control: socket.socket) -> bool:
            socket.send_fds(control, [orders.START], [channel.fileno(), printed.fileno()])
            return control.recv(orders.SHORT) == orders.START

        self._insist(started)

    def _insist(self, succeeds: Callable[[socket.socket], bool]) -> None:
        """Try it with a new forker where one has crashed."""
        for _ in range(STARTS):
            control = self.warm_up()
            with suppress(OSError):
                if succeeds(control):
                    return
            self.end()
        raise HostError(NO_WORKER)

    def stop(self) -> None:
        """Kill the worker, whatever it is doing."""
        self._order(orders.STOP)

    def reason(self) -> str:
        """Say why the worker exited by itself."""
        return self._order(orders.REASON).removeprefix(orders.REASON.decode())

    def seconds(self) -> float:
        """Return the CPU time that the worker has used, as the kernel counts it."""
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
