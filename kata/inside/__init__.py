"""All that stands beside a learner's code in its process: the folder that a sandbox shows.

The judge uses the same wire format and orders. Nothing here may import another room of the kata.
"""
