"""A message as text: claim, inputs, evidence, cause; then the map and the learner's own lines.

Where nothing is wrong with a value, what happened comes first, and the claim last.
"""

from collections.abc import Sequence

from kata.judging.limits import LONGEST_OUTPUT
from kata.judging.values import ALIGNED
from kata.terminal.style import Style
from kata.verdict import Diagnosis, ExerciseVerdict, Fit, Message, Mistake

MOST_BESIDE = 3  # claims that are listed below the first one
# Fits with one mistake, which the headline names.
ALONE = {Fit.ONE, Fit.LIKE, Fit.NEAR, Fit.PART, Fit.CRASH, Fit.KIND}
HEADLINES = {
    Fit.ONE: "known mistake, with the same result in {claims}:",
    Fit.LIKE: "the same result in {claims} as a known mistake:",
    Fit.NEAR: "known mistake, with the same result in {claims}:",
    Fit.PART: "a known mistake explains this claim, and perhaps not all of the others:",
    Fit.EITHER: "one of two known mistakes; the claims that were run cannot tell them apart:",
    Fit.TWINS: "a known mistake in one of these forms, which no claim can tell apart:",
    Fit.BOTH: "two known mistakes, which together explain {claims}:",
    Fit.CRASH: "an error with a known cause:",
    Fit.KIND: "a known kind of mistake:",
}
# Of the learner's own prints: the message above them should stay in sight.
MOST_LINES = 10


def message(
    message: Message,
    style: Style,
    diagnosis: Diagnosis | None = None,
    beside: Sequence[str] = (),
) -> str:
    """Return everything that a learner reads about a claim that failed.

    `beside` are other claims that fail. They help where no mistake explains this one.
    """
    lines = [style.paint(line, "bold") for line in _wrapped(message.brief, style, 0)]
    lines += _wrapped(message.inputs, style, 2)
    if not message.leads:
        lines += [style.paint(line, "red") for line in _wrapped(message.rest, style, 2)]
    lines += [*_wrapped(message.compared, style, 2), *_wrapped(message.remark, style, 2)]
    lines += cause(diagnosis, style) if diagnosis else _own_cause(message, style)
    if beside and not message.leads and (not diagnosis or diagnosis.fit is Fit.KIND):
        lines += _beside(beside, style)
    if message.picture and not (message.compared and len(message.picture.got) == 1):
        # Most runs draw nothing, and a run with nothing written should start fast.
        from kata.terminal.heat_map import heat_map

        lines += [f"    {line}" for line in heat_map(message.picture, style)]
    lines += [f"    {line}" for frame in message.frames for line in frame.splitlines()]
    if message.leads and message.rest:
        lines += [style.paint(line, "dim") for line in style.wrap(while_checking(message), 2)]
    return "\n".join(lines)


def while_checking(message: Message) -> str:
    """Return the line with the claim, for a message that begins with what happened."""
    return f"while checking: {message.rest}"


def _wrapped(text: str, style: Style, indent: int) -> list[str]:
    """Wrap lines one by one, unless they are aligned; an empty text has no line."""
    lines = []
    for paragraph in text.splitlines():
        if paragraph.startswith(ALIGNED):
            lines.append(" " * indent + paragraph)
        else:
            lines += style.wrap(paragraph, indent)
    return lines


def _own_cause(message: Message, style: Style) -> list[str]:
    return [style.paint(line, "cyan") for line in _wrapped(message.cause, style, 2)]


def _beside(claims: Sequence[str], style: Style) -> list[str]:
    """List the next claims that fail: what they have in common is often what is wrong."""
    more = len(claims) - MOST_BESIDE
    items = [f"- {claim}" for claim in claims[:MOST_BESIDE]]
    items += [f"and {more} more"] if more > 0 else []
    head = style.wrap("these claims fail too:", 2)
    return [*head, *(line for claim in items for line in style.wrap(claim, 4))]


def cause(diagnosis: Diagnosis, style: Style) -> list[str]:
    """Return the lines about the mistakes that explain the results."""
    head = headline(diagnosis)
    lines = [style.paint(line, "cyan", "bold") for line in style.wrap(head, 2)]
    # No claim can tell twins apart, so that they have the same symptom.
    has_symptom = diagnosis.fit is not Fit.TWINS
    for mistake in diagnosis.mistakes:
        lines += _mistake(
            mistake, style, has_title=diagnosis.fit not in ALONE, has_symptom=has_symptom
        )
    return lines


def headline(diagnosis: Diagnosis) -> str:
    """Return the line above the mistakes: how many claims they explain, and so how surely."""
    text = HEADLINES[diagnosis.fit].format(claims=_claims(diagnosis))
    return f"{text} {diagnosis.mistakes[0].title}" if diagnosis.fit in ALONE else text


def _claims(diagnosis: Diagnosis) -> str:
    """Say how many failing claims are explained."""
    about = f" about `{diagnosis.about}`" if diagnosis.about else ""
    if diagnosis.claims < diagnosis.failing:
        text = f"{diagnosis.claims} of the {diagnosis.failing} claims{about} that fail"
    else:
        text = "this claim" if diagnosis.claims == 1 else f"all {diagnosis.claims} claims{about}"
    if not diagnosis.others:
        return text
    verb = "other fails" if diagnosis.others == 1 else "others fail"
    return f"{text}; {diagnosis.others} {verb}, too"


def _mistake(mistake: Mistake, style: Style, *, has_title: bool, has_symptom: bool) -> list[str]:
    lines = style.wrap(f"- {mistake.title}", 4) if has_title else []
    texts = [mistake.symptom if has_symptom else "", mistake.why]
    lines += [line for text in texts if text for line in style.wrap(text, 6 if has_title else 4)]
    return [style.paint(line, "cyan") for line in lines]


def prints(verdict: ExerciseVerdict) -> list[str]:
    """Return the lines that the failing call has printed: only the last, if they are many."""
    if not (printed := verdict.printed.strip()):
        return []
    lines = printed[-LONGEST_OUTPUT:].splitlines()[-MOST_LINES:]
    whole = len("\n".join(lines)) == len(printed)
    return ["printed by this call:" if whole else "printed by this call, at its end:", *lines]
