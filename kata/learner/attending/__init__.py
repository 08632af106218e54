"""A learner's side of a live room: joining one, what is sent to it, and leaving it."""
