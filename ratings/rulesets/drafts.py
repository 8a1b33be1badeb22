"""Drafts of a regulation: a file that says which numbers and rules should be others, and the law under it."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

from ratings.rulesets import rulesets
from ratings.rulesets.facts import Value, gettext_noop as _
from ratings.rulesets.parameters import Dated, Parameter, Parameters, numbers_by_key
from ratings.rulesets.ruleset import Edition, Ruleset, with_parameters

GREATEST_NUMBER = Decimal(1_000_000)
MOST_DECIMALS = 16
LONGEST_NAME = 200
KEYS = ("ruleset", "name", "author", "from", "parameters", "rules")
RULES_FILE = re.compile(r"[A-Za-z0-9_-]+\.py")


class DraftError(ValueError):
    """Raised for a draft that cannot be read; `message`, to be translated, has places for `params`."""

    def __init__(self, message: str, **params: str) -> None:
        super().__init__(message % params)
        self.message, self.params = message, params


@dataclass(frozen=True, slots=True)
class Draft:
    """Other numbers and rules for a regulation."""

    ruleset: str
    name: str
    author: str = ""
    since: date | None = None
    """The day from which the numbers hold; None: over the whole history."""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    """The new values by the key of their parameter."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """Sources of replaced rules by the module of the edition, as for `load_rules`."""


def read_draft(text: str, read_rules: Callable[[str], str] | None = None) -> Draft:
    """The draft of a TOML file. Raises `DraftError` where it cannot be one.

    `read_rules`: returns the text of a file of rules beside it, whose code runs with the law; None: a draft
    with such files is refused.
    """
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, InvalidOperation, RecursionError, ValueError) as fault:
        raise DraftError(_("This is no TOML file: %(fault)s."), fault=str(fault)) from fault
    if strange := [key for key in data if key not in KEYS]:
        raise DraftError(
            _("A draft has no “%(key)s”. It has: %(keys)s."), key=strange[0], keys=", ".join(KEYS)
        )
    slug, name = _read_text(data, "ruleset"), _read_text(data, "name")
    for key, value in (("ruleset", slug), ("name", name)):
        if not value:
            raise DraftError(_("A draft says its “%(key)s”."), key=key)
    if slug not in rulesets():
        raise DraftError(
            _("There are no regulations “%(slug)s”. There are: %(known)s."),
            slug=slug,
            known=", ".join(rulesets()),
        )
    return Draft(
        slug,
        name,
        _read_text(data, "author"),
        _read_day(data.get("from")),
        _read_parameters(rulesets()[slug], data.get("parameters", {})),
        _read_rules(rulesets()[slug], data.get("rules", {}), read_rules),
    )


def _read_text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not value.isprintable():
        raise DraftError(
            _("“%(key)s” is a line of at most %(most)s characters, in quotes."),
            key=key,
            most=str(LONGEST_NAME),
        )
    return value.strip()


def _read_day(value: Any) -> date | None:
    if value is None or type(value) is date:
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise DraftError(
            _("“from” is a day, such as 2027-01-01, not “%(value)s”."), value=str(value)
        ) from None


def _read_parameters(ruleset: Ruleset, values: Any) -> dict[str, Value]:
    if not isinstance(values, dict):
        raise DraftError(_("“parameters” is a table of keys and numbers."))
    known = numbers_by_key(ruleset.newest.parameters)
    found: dict[str, Value] = {}
    for key, value in _flatten(values):
        if key not in known:
            raise DraftError(
                _("“%(slug)s” has no number “%(key)s”. Near it are: %(near)s."),
                slug=ruleset.slug,
                key=key,
                near=", ".join(get_close_matches(key, known, cutoff=0)),
            )
        found[key] = read_number(known[key], value)
    return found


def _read_rules(ruleset: Ruleset, files: Any, read: Callable[[str], str] | None) -> dict[str, str]:
    """The sources of the files, by module; one file alone is that of the edition itself."""
    named = {"": files} if isinstance(files, str) else files
    found: dict[str, str] = {}
    edition = ruleset.newest.rules.__name__
    if not isinstance(named, dict) or not all(
        isinstance(file, str) and RULES_FILE.fullmatch(file) for file in named.values()
    ):
        raise DraftError(_('“rules” names files of Python beside the draft, such as "formulas.py".'))
    for module, file in named.items():
        if module and (not module.isidentifier() or find_spec(f"{edition}.{module}") is None):
            raise DraftError(_("“%(slug)s” has no rules “%(module)s”."), slug=ruleset.slug, module=module)
        if read is None:
            raise DraftError(
                _("The draft has rules in Python. They run only where you say that you trust them.")
            )
        found[module] = read(file)
        try:
            compile(found[module], file, "exec")
        except (SyntaxError, ValueError) as fault:
            raise DraftError(_("%(file)s: %(fault)s."), file=file, fault=str(fault)) from fault
    return found


def _flatten(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each key with its value; a key without quotes, of which TOML makes tables, too."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", each) for inner, each in _flatten(value))
        else:
            yield key, value


def read_number(parameter: Parameter, value: Any) -> Value:
    """A value for a parameter, whole where the law has it whole. Raises `DraftError` for any other."""
    key = parameter.key
    number = Decimal("NaN")
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        with suppress(InvalidOperation):
            number = Decimal(value)
    if not number.is_finite():
        shown = str(value)[:LONGEST_NAME]
        raise DraftError(
            _('“%(key)s” is a number, such as "20" or "0.5", not “%(value)s”.'), key=key, value=shown
        )
    exponent = number.as_tuple().exponent
    if abs(number) > GREATEST_NUMBER or (isinstance(exponent, int) and -exponent > MOST_DECIMALS):
        raise DraftError(
            _("“%(key)s” is at most %(greatest)s, and has at most %(decimals)s decimals."),
            key=key,
            greatest=str(GREATEST_NUMBER),
            decimals=str(MOST_DECIMALS),
        )
    is_whole = number == number.to_integral_value()
    if not isinstance(parameter.value, int):
        return number.quantize(Decimal(1)) if is_whole else number.normalize()
    if not is_whole:
        raise DraftError(_("“%(key)s” is a whole number, not %(value)s."), key=key, value=str(number))
    return int(number)


def apply_draft(draft: Draft, ruleset: Ruleset | None = None) -> Ruleset:
    """The regulations under a draft: its numbers hold from its day on, or over the whole history, whatever
    later editions say of them. `ruleset`: the regulations, if they are not those of that name.
    """
    law = ruleset or rulesets()[draft.ruleset]
    editions = list(law.editions)
    if draft.since and draft.since > editions[0].in_force:
        current = law.edition_on(draft.since)
        if current.in_force != draft.since:
            place = editions.index(current) + 1
            editions.insert(
                place, replace(current, in_force=draft.since, name=f"{current.name}: {draft.name}")
            )
    return law.with_editions(
        tuple(
            _with_draft(each, draft) if draft.since is None or each.in_force >= draft.since else each
            for each in editions
        )
    )


def _with_draft(edition: Edition, draft: Draft) -> Edition:
    changed = set_values(edition.parameters, draft)
    return with_parameters(edition, changed, edition.parameters, draft.rules)


def set_values(parameters: Parameters, draft: Draft) -> Parameters:
    """The parameters with those values of a draft that differ from theirs."""
    known = numbers_by_key(parameters)
    for key, value in draft.parameters.items():
        if key in known and known[key].value != value:
            further = Dated(draft.since, value, draft.name)
            parameters = tuple(each.with_value(key, further) for each in parameters)
    return parameters
