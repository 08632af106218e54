"""The verdicts on a class in the form that each reader uses: pure functions of the verdicts."""
