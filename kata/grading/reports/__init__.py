"""The verdicts on a class as files for people and platforms: pure functions of the verdicts."""
