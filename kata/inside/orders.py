"""What the grader tells the warm process and its forkers, in messages of a few bytes."""

FORK = b"fork"  # start a forker for a connection
START, STOP, REASON, SECONDS = b"start", b"stop", b"reason", b"seconds"  # others name a script
SCRIPTED = b"script "  # a message to a worker that begins with it names a script; no request does
READY = "ready"
SHORT = 256  # bytes of an order, and of its answer
