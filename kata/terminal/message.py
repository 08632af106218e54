"""A message as text: claim, inputs, evidence, cause; then the map and the learner's own lines.

Where nothing is wrong with a value, what happened comes first, and the claim last.
"""

from collections.abc import Sequence

from kata.judging.describe import ALIGNED
from kata.terminal.style import Style
from kata.terminal.text_maps import heat_map
from kata.verdict import Diagnosis, Fit, Message, Mistake

MOST_BESIDE = 3  # claims that are listed below the first one
# The headline names the one mistake.
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


def message(
    message: Message,
    style: Style,
    diagnosis: Diagnosis | None = None,
    beside: Sequence[str] = (),
) -> str:
    """Everything that a learner reads about a claim that failed.

    `beside` are other claims that fail; they tell something where no known mistake was found.
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
        lines += [f"    {line}" for line in heat_map(message.picture, style)]
    lines += [f"    {line}" for frame in message.frames for line in frame.splitlines()]
    if message.leads and message.rest:
        lines += [style.paint(line, "dim") for line in style.wrap(while_checking(message), 2)]
    return "\n".join(lines)


def while_checking(message: Message) -> str:
    """The claim, where what happened comes first."""
    return f"while checking: {message.rest}"


def _wrapped(text: str, style: Style, indent: int) -> list[str]:
    """Each line wrapped by itself, unless it is aligned with others; none for an empty text."""
    margin = " " * indent
    return [
        line
        for paragraph in text.splitlines()
        for line in (
            [f"{margin}{paragraph}"]
            if paragraph.startswith(ALIGNED)
            else style.wrap(paragraph, indent)
        )
    ]


def _own_cause(message: Message, style: Style) -> list[str]:
    return [style.paint(line, "cyan") for line in _wrapped(message.cause, style, 2)]


def _beside(claims: Sequence[str], style: Style) -> list[str]:
    """The next claims that fail; what they have in common is often what is wrong."""
    more = len(claims) - MOST_BESIDE
    items = [f"- {claim}" for claim in claims[:MOST_BESIDE]]
    items += [f"and {more} more"] if more > 0 else []
    head = style.wrap("these claims fail too:", 2)
    return [*head, *(line for claim in items for line in style.wrap(claim, 4))]


def cause(diagnosis: Diagnosis, style: Style) -> list[str]:
    """The known mistakes behind what was seen."""
    head = headline(diagnosis)
    lines = [style.paint(line, "cyan", "bold") for line in style.wrap(head, 2)]
    for mistake in diagnosis.mistakes:
        # No claim can tell twins apart, so that they have the same symptom.
        twin = diagnosis.fit is Fit.TWINS
        lines += _explained(mistake, style, titled=diagnosis.fit not in ALONE, symptom=not twin)
    return lines


def headline(diagnosis: Diagnosis) -> str:
    """The line above the mistakes: how many claims they explain, and so how sure they are."""
    text = HEADLINES[diagnosis.fit].format(claims=_claims(diagnosis))
    return f"{text} {diagnosis.mistakes[0].title}" if diagnosis.fit in ALONE else text


def _claims(diagnosis: Diagnosis) -> str:
    """The number of failing claims that are explained."""
    about = f" about `{diagnosis.about}`" if diagnosis.about else ""
    if diagnosis.claims < diagnosis.failing:
        text = f"{diagnosis.claims} of the {diagnosis.failing} claims{about} that fail"
    else:
        text = "this claim" if diagnosis.claims == 1 else f"all {diagnosis.claims} claims{about}"
    if not diagnosis.others:
        return text
    verb = "other fails" if diagnosis.others == 1 else "others fail"
    return f"{text}; {diagnosis.others} {verb}, too"


def _explained(mistake: Mistake, style: Style, *, titled: bool, symptom: bool) -> list[str]:
    """The lines of a mistake: its title if there are several, its symptom and the reason."""
    lines = style.wrap(f"- {mistake.title}", 4) if titled else []
    texts = [mistake.symptom if symptom else "", mistake.why]
    lines += [line for text in texts if text for line in style.wrap(text, 6 if titled else 4)]
    return [style.paint(line, "cyan") for line in lines]
