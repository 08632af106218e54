"""What proves the hunts: their gates, and the losses of wrong answers that were trained."""
