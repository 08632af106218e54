"""What to practise next, from what this learner got wrong or did not test for."""
