"""Which wrong answers do a learner's own tests catch, and which right ones do they refuse?"""
