"""A learner's tests in one process, and what they test in another one."""
