"""The parts of the instructor's book: a page for each exercise, the references, and the lists behind."""
