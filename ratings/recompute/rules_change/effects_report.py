"""Tells in plain words what other rules would move in an office, and why they are not in force yet."""

from __future__ import annotations

from collections.abc import Iterator

from players.office.models import Federation, Ledger
from ratings.law.journal import plain
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import are_in_force, own_rules
from ratings.recompute.rules_change.effects import MovedRating, RulesEffects


def effects_in_words(effects: RulesEffects) -> Iterator[str]:
    """Say what would move: one sentence with the counts, then a line for each of the largest examples."""
    if not effects.moves:
        yield f"{effects.facts} facts folded: nothing that is shown or published would be otherwise"
        if effects.texts:
            yield f"{effects.texts} rows would be stored in other words, and say the same"
        return
    yield f"{effects.facts} facts folded: {counted(effects)}"
    for each in effects.moved:
        moved = f"{_rating(each.before)} → {_rating(each.after)}{_by(each)}"
        yield f"  player {each.player}, {each.track}: {moved}"
    yield from _named("sections and other facts", effects.named_sections, effects.sections)
    yield from _named("lists that stay as published", effects.named_lists, effects.lists)


def counted(effects: RulesEffects) -> str:
    """The counts of what would be otherwise, in one phrase."""
    parts = [
        _count(effects.ratings, "present rating"),
        _count(effects.players, "player"),
        _count(effects.sections, "section or other fact", "sections or other facts"),
        _count(effects.lists, "published list"),
    ]
    tables = "; what is kept for the whole federation, too" if effects.tables else ""
    return f"otherwise would be {', '.join(parts)}{tables}"


def why_not_in_force(federation: Federation) -> str:
    """Say why this program folds nothing for an office, and what to do; empty where it does."""
    if found := why_left_alone(federation):
        return found
    if are_in_force(federation, Ledger.objects.get(federation=federation)):
        return ""
    return "what is stored is being compared with the rules of this program: wait for the worker"


def why_left_alone(federation: Federation) -> str:
    """Say why the worker leaves an office alone although it knows what it stores; empty where it works, or
    has not compared the rules yet.
    """
    ledger = Ledger.objects.get(federation=federation)
    if are_in_force(federation, ledger):
        return ""
    code, own = federation.code, own_rules(federation)
    known = RulesVersion.objects.filter(federation=federation, rules=own).first()
    if ledger.last_error:
        return f"the rules of this program cannot be applied to what is stored: {ledger.last_error}"
    if ledger.agreed_rules:
        return "other rules were agreed to, and the worker that has them is still to fold everything anew"
    if known is not None and known.left_at is not None:
        return (
            f"the rules of this program were in force until {known.left_at:%Y-%m-%d %H:%M}, and others are "
            f"now: is this an older program? If they are to come back: manage.py recompute {code} --all"
        )
    if (asked := RulesVersion.objects.waiting_in(federation, own_rules(federation))) is not None:
        return (
            f"the rules of version {asked.program} wait for the office's word, "
            f"{counted(RulesEffects.of_json(asked.effects))}. Say it on the office's desk, or see "
            f"manage.py recompute {code} --all --preview and then leave --preview out"
        )
    return ""


def _count(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or f'{one}s'}"


def _rating(rating: object) -> str:
    return "none" if rating is None else plain(rating)  # type: ignore[arg-type]


def _by(each: MovedRating) -> str:
    return "" if each.by is None else f" ({'+' if each.by > 0 else ''}{plain(each.by)})"


def _named(what: str, names: list[str], count: int) -> Iterator[str]:
    if names:
        more = f" and {count - len(names)} more" if count > len(names) else ""
        yield f"  {what}: {', '.join(names)}{more}"
