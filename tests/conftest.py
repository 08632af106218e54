"""What all tests start is stopped by Ctrl-C, as it is for a person.

A shell that was told to work in the background has Ctrl-C ignored, in all that it starts.
"""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
