# coding: undefined
"""Against "the run goes on": a coding that is there to fail."""
