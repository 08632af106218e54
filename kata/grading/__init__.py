"""Marks for a class: what instructors run.

One submission on its way:

1. `cli` reads the options once, and `run.grade` plans: roster, deadline, overrules, names. Nothing
   has been judged yet.
2. `collecting` lists who handed in; a process with limits reads each hand-in, and says which file
   counts.
3. `journal` has a key for each exercise of it: what is known is settled, and equal work waits for
   the first that is judged.
4. `judges` hands what is left to a free judge: a fork of the process that has imported torch.
5. `verdicts.judge` takes exercise after exercise: at sight (missing, a stub, not Python), known by
   its text, or else
6. by script: one message to the worker, which answers claim by claim; equal answers are judged
   once.
7. A worker that has found a file right takes the next one. What is not right in a used worker is
   judged once more in a fresh one; what may keep state, printed or was noticed, is asked live.
8. `similarity.flags`, the diagnosis and `verdicts.disclosure` make one verdict of it, with the
   steps by which the works of a class are compared.
9. `journal.note` appends one line; an interruption from here on loses nothing.
10. `adjusting` renames and changes marks as planned, and every report that was asked for reads the
    verdicts in one pass.
"""
