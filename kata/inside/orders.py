"""What goes over sockets beside the messages of a session: orders, and how frames begin.

Judges send them and workers obey them, so both ends import this module; it imports nothing.
"""

# To the warm process and its forkers, in messages of a few bytes. What is none of these names a
# script, which is to be learnt.
FORK = b"fork"  # start a forker for a connection
FORK_BESIDE = b"fork beside"  # the same, on the core of the one that is forked next
START, STOP, REASON, SECONDS = b"start", b"stop", b"reason", b"seconds"
PROOFS = b"proofs"  # get ready for workers that run tests
READY = "ready"
SHORT = 256  # bytes of an order, and of its answer

# How messages to a worker begin that are no requests: a script to answer, a role in a proof.
SCRIPTED, TESTER, TESTED = b"script ", b"tests ", b"tested "

# How frames of a proof begin: for the process at the other end, or for the judge.
ASK, ANSWER, REPORT = b"?", b"!", b"."
AGAIN = ""  # in place of the name of a test: execute the proof anew, with the seed that follows
NO_MEMORY_LEFT = 3  # an exit status
