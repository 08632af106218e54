"""Sandboxed processes: starting them, and talking to them."""
