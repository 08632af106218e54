"""Marks for a class: what instructors run."""
