"""`join("http://…")`: the leader of a room sees what `check` finds here, until `leave()`."""

from kata.course.naming import exercise_named
from kata.learner.attending import joining
from kata.learner.attending.agreed import door
from kata.learner.attending.told import welcome
from kata.notebook.check import friendly
from kata.notebook.helps import standings
from kata.notebook.kernel import cells
from kata.notebook.said import Said
from kata.notebook.work import Work


@friendly
def join(link: str, name: str = "") -> Said:
    """Join a room, by its link and with a name of your own."""
    work = Work(cells())
    member = joining.join(work.folder, door(link), name, standings(work))
    return Said([*filter(None, welcome(member)), joining.sent_last(work.folder)])


@friendly
def share(what: str = "") -> Said:
    """Show the leader your code of one exercise, as it is now; without one, show nothing more."""
    work, exercise = Work(cells()), exercise_named(what or "ex01")
    text = work.text(exercise) if what else ""
    return Said([joining.share(work.folder, exercise.slug, text)])


@friendly
def leave() -> Said:
    """Leave the room; it forgets you."""
    return Said([joining.leave(Work(cells()).folder)])
