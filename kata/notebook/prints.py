"""What a learner's code prints while it is judged: kept, and shown for the call that fails."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from kata.judging.attempt import Attempt
from kata.judging.limits import LONGEST_OUTPUT


class Listening(Attempt):
    """Remembers what the latest call has printed."""

    def listen(self) -> "Prints":
        """Begin to listen, to all claims alike."""
        self.prints = Prints()
        return self.prints

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """Run the learner's code."""
        self.prints.forget()
        with super().guarded(name):
            yield


class Prints(io.TextIOBase):
    """The end of what was printed, however much it was."""

    def __init__(self) -> None:
        self.end = ""

    def write(self, text: str) -> int:
        """Keep the end."""
        self.end = (self.end + text[-LONGEST_OUTPUT:])[-LONGEST_OUTPUT:]
        return len(text)

    def writable(self) -> bool:
        """What `print` asks for."""
        return True

    def forget(self) -> None:
        """Begin anew."""
        self.end = ""


@contextmanager
def listening(attempt: Listening) -> Iterator[Prints]:
    """Keep what is printed out of the output of the cell."""
    prints = attempt.listen()
    with redirect_stdout(prints), redirect_stderr(prints):
        yield prints
