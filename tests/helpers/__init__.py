"""What tests share.

learner_folder  a learner's folder, and pytest or a command of `kata` run in it
command         a command called in this process, with words, keys, environment and folder
warm            forks of one process that has imported torch: programs, and judges of learners
preloaded       what that process has imported
fresh_python    a program: pytest in forks of a Python that has imported nothing else
other_process   a pytest plugin that runs tests in another process, as xdist does
processes       the processes that a program has started, as Linux lists them
watching        `kata watch` in a process of its own
another_kata    a copy of the whole kata that a test may change
answers         an exercise's solution with another body, and the mistakes it is compared with
rewritten       mistakes as other people wrote them, and how each is named
source_code     the project's code as trees, and the words that talk down
later           modules that take long to import, imported at their first use
documented      the schema and the examples of a page in docs/
grader          the grader in this process, with judges that are lent to every run
classroom       a class whose marks are known before it is graded
odd_class       a class with odd names and every possible verdict, made without grading
adjusted_class  a small class for rosters, late work and overrules, made without grading
handed_work     names and contents of files that students hand in
handing_in      submissions in every layout, and what the grader collects from them
proofs          tests of ex05 and ex01 as learners write them
locked          a script: processes that lock themselves in and then try things
lacking         a script: runs a command as if the system lacked Landlock or seccomp
open_room       a live room with a real server
crowd           learners who save, a leader who looks, and some who mean harm
crowd_hostile   a program: those who mean harm
siege           a room with that crowd in it, and what came of it
editor          a pytest plugin that notes what an editor would show
run_all         a program: runs the cells of notebooks in IPython
lab             a notebook in a real JupyterLab
browser         pages in Debian's Chromium
page_reader     the tags and the text of an HTML page
left_out        what gates did not judge again, told at the end of a run
sampling        which of many specimens are tried at every push
"""
