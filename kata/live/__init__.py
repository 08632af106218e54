"""The live room: who of a workshop is where, as the learners who have joined it tell."""
