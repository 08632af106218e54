"""A deadline, when work was handed in, and what coming late costs."""
