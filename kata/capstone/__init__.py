"""What do the pieces make together? Models of the learner's own parts, which learn something."""
