"""The exercises and their four faces, as data: nothing here runs a learner's code."""
