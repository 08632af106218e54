"""The parts of the instructor's book: a page for each exercise, and the lists behind them."""
