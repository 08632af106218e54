"""Practice: hunts and proofs, drawn from what this learner got wrong or did not test for."""

FORMS = ("which", "line", "loss")  # of hunts: by evidence, in a file, behind a loss
