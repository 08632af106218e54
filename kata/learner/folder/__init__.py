"""The folder that `kata init` lays out for a learner."""
