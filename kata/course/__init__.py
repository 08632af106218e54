"""The exercises and their four faces, as data. Nothing here runs a learner's code."""
