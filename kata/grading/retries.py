"""How often the grader tries again what may fail through no fault of a submission."""

STARTS = 3  # of a process that ends at once
CRASHES = 3  # judges for one submission: whoever crashes is replaced
KILLS = 4  # workers for one exercise, or for one run of tests, if somebody outside kills them
