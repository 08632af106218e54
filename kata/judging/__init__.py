"""A graded suite against one answer, claim by claim."""
