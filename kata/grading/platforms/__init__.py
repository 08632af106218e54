"""Grading where a learning platform runs it: what is uploaded, and what happens there."""
