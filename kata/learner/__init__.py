"""What is known of a learner's folder, and watching it."""
