"""Pairs about one hint at review: two officials answer it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tests.races.day import day
from tests.races.pairs import Deed, Order, Pair, Race
from tests.races.sections import deed

if TYPE_CHECKING:
    from ratings.models import Hint
    from tests.races.scene import Scene


def _hint(scene: Scene) -> Hint:
    """The same event filed twice: the hint that the worker finds in the second."""
    from django.utils import timezone

    from players.identity import read_names
    from ratings.hints import search_and_save_hints
    from ratings.models import Hint

    one = scene.submitted()
    other = scene.submitted(like=one)
    search_and_save_hints(other, read_names(scene.office), day(), timezone.now())
    return Hint.objects.select_related("section__event__federation").get(section=other, kind="same-event")


def answering(who: str, hint: Hint, answer: str) -> Deed:
    told = {"key": hint.key, "answer": answer, "words": "The club played twice."}
    return deed(who, hint.section, "hints", "answer-hint", **told)


def _answers(hint: Hint, outcomes: tuple[str, str], done: Order) -> str:
    found = list(hint.section.hint_answers.values_list("outcome", flat=True))
    wanted = [outcomes[place] for place in done]
    return "" if found == wanted else f"{hint.section.key} has answers {found}, not {wanted}"


def answer_twice(scene: Scene, _number: int) -> Pair:
    hint = _hint(scene)
    deeds = answering("nomsa", hint, "right"), answering("sizwe", hint, "right")
    return Pair(deeds, partial(_answers, hint, ("right", "right")))


def answer_and_ask(scene: Scene, _number: int) -> Pair:
    """A hint of which the region was asked stays open; one that is right is asked about no more."""
    hint = _hint(scene)
    asking = deed(
        "sizwe", hint.section, "hints", "ask", "answer-hint", key=hint.key, answer="asked", words="Twice?"
    )
    may: frozenset[Order] = frozenset({(0,), (1, 0)})
    deeds = answering("nomsa", hint, "right"), asking
    return Pair(deeds, partial(_answers, hint, ("right", "asked")), may)


RACES = [
    Race("answer-hint/answer-hint", answer_twice),
    Race("answer-hint/ask", answer_and_ask),
]
