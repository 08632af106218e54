"""All that stands beside a learner's code in its process: the folder that a sandbox shows."""
