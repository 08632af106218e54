"""`join("http://…")`: the leader of a room sees what `check` finds here, until `leave()`."""

from kata.course.naming import exercise_named
from kata.learner.attending import joining
from kata.learner.attending.protocol import door
from kata.learner.attending.welcome import welcome
from kata.notebook.check import friendly
from kata.notebook.helps import standings
from kata.notebook.kernel import cells
from kata.notebook.reply import Reply
from kata.notebook.work import Work


@friendly
def join(link: str, name: str = "") -> Reply:
    """Join a room, by its link and with a name of your own."""
    work = Work(cells())
    member = joining.join(work.folder, door(link), name, standings(work))
    return Reply([*filter(None, welcome(member)), joining.sent_last(work.folder)])


@friendly
def share(what: str = "") -> Reply:
    """Show the leader your code of one exercise, as it is now; without one, show nothing more."""
    work, exercise = Work(cells()), exercise_named(what or "ex01")
    text = work.text(exercise) if what else ""
    return Reply([joining.share(work.folder, exercise.slug, text)])


@friendly
def leave() -> Reply:
    """Leave the room; it forgets you."""
    return Reply([joining.leave(Work(cells()).folder)])
