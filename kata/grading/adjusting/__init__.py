"""What an instructor adds to the verdicts: who is who, what came late, what is overruled."""
