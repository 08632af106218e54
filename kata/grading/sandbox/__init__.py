"""Processes that are locked in: starting them, and talking to them."""
