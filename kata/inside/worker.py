"""The processes in which submissions run: one that is warm, and a fork of it for each exercise.

A program of its own: it is started with an empty environment, holds nothing in memory but Python,
its libraries, this folder and what lies directly in `kata/`, and is sent the texts to execute. The
judge is at the other end of a socket.
"""

import gc
import os
import signal
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import torch

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from kata.inside import audit, wire  # noqa: E402
from kata.inside.exceptions import raised  # noqa: E402
from kata.inside.execute import Part, execute  # noqa: E402
from kata.inside.locks import Locks  # noqa: E402
from kata.inside.objects import Objects  # noqa: E402  # the path has to be there first
from kata.words import say  # noqa: E402

# Files that Python reads by itself: its own, and those whose lines it wants to show.
OWN = (sys.prefix, sys.base_prefix, str(ROOT / "kata"), "submission", "<", os.devnull)
START, STOP, REASON = b"start", b"stop", b"reason"
PATIENCE = 100  # milliseconds for a process that has closed its socket to exit
Content = tuple[Any, ...]
MOST_FRAMES = 2000  # of an error; a long recursion has a thousand
LONGEST_NAME = 200


class Watched:
    """Arrays that the learner's code may write into."""

    def __init__(self, arrays: wire.Arrays) -> None:
        self.arrays = arrays
        self._before = [_content(each) for each in arrays]

    def changed(self) -> list[list[Any]]:
        """The positions of those that have changed since then, with their present values."""
        pairs = enumerate(zip(self.arrays, self._before, strict=True))
        return [[n, _detached(each)] for n, (each, before) in pairs if _content(each) != before]


class Session:
    """One exercise: the requests that a judge can make, by name."""

    def __init__(self) -> None:
        self._loaded: Objects | None = None
        self._calls: list[tuple[wire.Arrays, wire.Arrays]] = []
        self._given = Watched([])
        self._results = Watched([])  # which the learner's code may write into later
        self._returned: wire.Arrays = []

    def begin(self, seed: int) -> None:
        """Begin a claim."""
        torch.default_generator.manual_seed(seed)
        self._calls.clear()
        self._results = Watched([])
        if self._loaded:
            self._loaded.forget()

    def load(self, _: wire.Arrays, parts: Sequence[Sequence[Any]]) -> dict[str, bool]:
        """Execute the exercise, after those that it needs."""
        for package, slug, path, text, needs in parts:
            module = execute(Part(package, slug, path, text, tuple(map(tuple, needs))))
        self._loaded = Objects(vars(module))
        return self._loaded.names()

    def call(self, given: wire.Arrays, grads: bool, what: str | int, *arguments: Any) -> Any:
        """The result of a function, or of a module."""
        leaves = [each for each in given if getattr(each, "requires_grad", False)]
        clones = {id(each): each.clone() for each in leaves}  # writing into a leaf is an error
        self._given = Watched([clones.get(id(each), each) for each in given])
        with torch.set_grad_enabled(grads):
            result = self.objects.call(what, *wire.swapped(arguments, clones))
        self._calls.append((wire.attached(result), leaves))
        self._returned = wire.arrays_in(result)
        return result

    def changes(self) -> list[Any]:
        """What the last call has changed in its arguments and in earlier results."""
        found = [self._given.changed(), self._results.changed()]
        self._given = Watched([])
        self._results = Watched([*self._results.arrays, *self._returned])
        self._returned = []
        return found

    def backward(self, _: wire.Arrays, call: int, grads: list[Any], everything: bool) -> list[Any]:
        """The gradients of what was given to a call; and, if asked for, of all parameters."""
        outputs, leaves = self._calls[call]
        sent = [(out, grad) for out, grad in zip(outputs, grads, strict=True) if grad is not None]
        ends = [_end(out) for out, _ in sent]
        ways = [grad for _, grad in sent]
        if not everything:
            return list(torch.autograd.grad(ends, leaves, ways, allow_unused=True))
        torch.autograd.backward(ends, ways)
        found = [each.grad for each in leaves]
        for each in leaves:
            each.grad = None
        return found

    def ask(self, _: wire.Arrays, question: str, *arguments: Any) -> Any:
        """Any other question about the learner's objects."""
        return getattr(self.objects, question)(*arguments)

    @property
    def objects(self) -> Objects:
        """What the learner's file defines, and what its functions have made."""
        assert self._loaded
        return self._loaded

    def modes(self) -> list[bool]:
        """Whether each module is in training mode."""
        return self._loaded.modes() if self._loaded else []


class Worker:
    """Answers one judge until it is stopped."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._session = Session()

    def work(self) -> None:
        """Read, do, answer, until the judge closes the connection or kills the process."""
        with suppress(EOFError, OSError):
            while True:
                request, _ = wire.decode(wire.receive(self._channel))
                reply = self._reply(*request)
                sys.stdout.flush()
                wire.send(self._channel, reply)

    def _reply(self, seed: int | None, orders: Sequence[bytes], question: bytes) -> bytes:
        try:
            if seed is not None:
                self._session.begin(seed)
            *_, found = [self._do(*wire.decode(each)) for each in (*orders, question)]
            return wire.check(self._encoded(found, fine=True))
        except BaseException as error:  # whatever it is, the judge decides what it means
            return self._encoded(_told(error), fine=False)

    def _encoded(self, found: Any, *, fine: bool) -> bytes:
        session = self._session
        return wire.encode([fine, found, session.changes(), session.modes(), audit.seen()])[0]

    def _do(self, order: Sequence[Any], given: wire.Arrays) -> Any:
        name, *arguments = order
        return getattr(self._session, name)(given, *arguments)


def _told(error: BaseException) -> dict[str, Any]:
    """An error as data."""
    found = raised(error)
    frames = [[each.file, each.line, each.function] for each in found.frames]
    kinds = [each[:LONGEST_NAME] for each in found.kinds]
    text = found.text.encode("utf-8", "backslashreplace").decode()  # no lone surrogates
    return {"kinds": kinds, "text": text, "frames": frames[-MOST_FRAMES:]}


def _end(output: Any) -> Any:
    """Where a backward pass can begin, which is not at a view made without gradients."""
    return output if output.grad_fn else output * 1


def _content(array: Any) -> Content:
    """A copy to compare with later; empty for layouts that have no plain memory."""
    with suppress(Exception):
        if hasattr(array, "detach"):
            flat = array.detach().reshape(-1)
            return array.shape, b"" if flat.is_meta else wire.memory_of(flat)
        return array.shape, b"" if array.dtype == object else array.tobytes()
    return ()


def _detached(array: Any) -> Any:
    return array.detach() if hasattr(array, "detach") else array


class Forker:
    """The warm process, and the worker that is forked from it."""

    def __init__(self, control: socket.socket, memory: int, seconds: int) -> None:
        folders = [each for each in sys.path if each != str(ROOT)]
        self._control = control
        self._locks = Locks([each for each in folders if Path(each).is_dir()], memory)
        self._seconds = seconds
        self._child = 0

    def run(self) -> None:
        """Start and stop workers until the grader closes the connection."""
        self._control.send(" ".join(["ready", *self._locks.parts]).encode())
        while True:
            order, descriptors, *_ = socket.recv_fds(self._control, 16, 2)
            answer = _end_of(self._child) if order == REASON else ""
            self._stop()
            if not order:
                return
            if order == START:
                self._start(*descriptors)
            self._control.send(answer.encode() or order)

    def _start(self, channel: int, printed: int) -> None:
        self._child = os.fork()
        if self._child == 0:
            _become_worker(self._locks, self._seconds, channel, printed)
        os.close(channel)
        os.close(printed)

    def _stop(self) -> None:
        """Kill the worker, and all that it may have started."""
        for process in {self._child, *_children()} - {0}:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while True:
                os.wait()
        self._child = 0


def _end_of(child: int) -> str:
    """How a process has ended; waits a moment for one that is just exiting."""
    for _ in range(PATIENCE):
        with suppress(ChildProcessError):
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                code = os.waitstatus_to_exitcode(status)
                return f"exit {code}" if code >= 0 else signal.strsignal(-code) or f"{-code}"
        time.sleep(0.001)
    return ""


def _children() -> list[int]:
    """Children of this process, including orphans that it has adopted."""
    with suppress(OSError):
        path = Path(f"/proc/self/task/{os.getpid()}/children")
        return [int(each) for each in path.read_text().split()]
    return []


def _become_worker(locks: Locks, seconds: int, channel: int, printed: int) -> None:
    """Never returns."""
    try:
        os.setsid()
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        locks.enter(seconds, keep=[0, 1, 2, channel])
        work(channel)
    except BaseException:  # it must not continue as a second forker
        traceback.print_exc()
    finally:
        os._exit(1)


def work(channel: int) -> None:
    """Answer requests, locked in or not."""
    sys.stdout = sys.stderr = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115  # until the process ends
    warnings.simplefilter("ignore")
    audit.watch((*OWN, *(each for each in sys.path if each not in {"", str(ROOT)})))
    Worker(socket.socket(fileno=channel)).work()


def warm_up() -> None:
    """Import torch, and run once what it initialises lazily."""
    from torch.nn import functional as F

    for each in iter_modules([str(Path(__file__).parent)]):  # a locked worker can read no file
        import_module(f"kata.inside.{each.name}")
    say("inside.unreadable")  # reads the texts
    torch.set_num_threads(1)  # a fork would inherit the locks of further threads
    x = torch.ones(1, 2, 4, requires_grad=True)
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    F.scaled_dot_product_attention(x, x, x).sum().backward()  # type: ignore[no-untyped-call]
    layer(x, x, x)[0].sum().backward()
    torch.optim.AdamW(layer.parameters()).step()
    torch.linalg.norm(x.softmax(-1) @ x.transpose(1, 2))


def main(control: str, memory: str, seconds: str) -> None:
    """The descriptor of the connection, and the limits of a worker: bytes, CPU seconds."""
    warm_up()
    sys.path[:] = [each for each in sys.path if each != str(ROOT)]
    gc.collect()
    gc.freeze()  # a fork that never walks these objects never copies their pages
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    Forker(socket.socket(fileno=int(control)), int(memory), int(seconds)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
