"""Commands for people who do the exercises: watch, board, hint, solution, reset, submit, …"""
