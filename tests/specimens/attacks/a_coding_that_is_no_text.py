# coding: rot13
"""Against "the run goes on": a coding that Python knows, and that is no text."""
