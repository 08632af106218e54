"""What the grader tells the warm process and its forkers, in messages of a few bytes."""

FORK = b"fork"  # start a forker for a connection
FORK_BESIDE = b"fork beside"  # the same, on the core of the one that is forked next
START, STOP, REASON, SECONDS = b"start", b"stop", b"reason", b"seconds"  # others name a script
PROOFS = b"proofs"  # get ready for workers that run tests
SCRIPTED = b"script "  # a message to a worker that begins with it names a script; no request does
# Messages to a worker that begin with these are about a proof; no request does, either.
TESTER, TESTED = b"tests ", b"tested "
READY = "ready"
SHORT = 256  # bytes of an order, and of its answer
