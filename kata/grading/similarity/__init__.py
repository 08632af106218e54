"""Flags: who handed in nearly the same program, and where a library did the work."""
