"""Which wrong answers stand for the traps that every learner's own tests should catch?"""
