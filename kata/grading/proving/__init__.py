"""What are a learner's own tests worth? They run in one worker, what they test in another one."""
