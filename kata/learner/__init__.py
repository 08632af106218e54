"""The learner's folder: what is remembered of it, how pytest runs it, and how it is watched."""
