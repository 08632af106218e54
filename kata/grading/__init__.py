"""Marks for a class: what instructors run.

One submission on its way:

1. `cli` reads the options once, and `run.grade` plans: roster, deadline, overrules, names. Nothing
   has been judged yet.
2. `collecting` lists the students; a process with limits reads their work, and says which files
   count.
3. `journal` has a key for every exercise in it: an earlier verdict under the same key is used
   again, and equal work waits for the first that is judged.
4. `pool` sends the rest to a free judge: a fork of the process that has imported torch.
5. `judge` takes exercise after exercise: at sight (missing, a stub, not Python), by an earlier
   verdict on the same text, or else
6. by script: one message to the worker, which answers claim by claim; equal answers are judged
   once.
7. After a file that is right, its worker takes the next one. What is not right in a used worker is
   judged once more in a fresh one; what may keep state, printed or was noticed, is asked live.
8. `flags`, the diagnosis and `disclosure` make one verdict of it, with the steps by which the works
   of a class are compared.
9. `journal.note` appends one line; an interruption from here on loses nothing.
10. `adjusted` renames and changes marks as planned, and every report that was asked for reads the
    verdicts in one pass.
"""
