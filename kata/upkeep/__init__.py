"""The upkeep of the course: gates, mutants, and skeletons of new exercises."""
