"""Do the stubs of proofs keep their promises? Gates about what learners test with."""
