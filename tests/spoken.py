"""What pages say in the language that a walk is made in: the words of the catalogues, by their English text.

A text that the catalogue of that language lacks stops the walk. In English every text stands for itself.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import zip_longest
from typing import Any, cast

from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext, pgettext, trans_real


def say(text: str, context: str = "", /, **values: Any) -> str:
    """The text in the language of the walk, with these values in the places that it keeps for them."""
    _known(f"{context}\x04{text}" if context else text, text)
    translated = pgettext(context, text) if context else gettext(text)
    return translated % values if values else translated


def say_count(one: str, many: str, count: int, /, **values: Any) -> str:
    """The text in the form that goes with a number, which is a value of it too where it names one."""
    _known((one, 0), one)
    return ngettext(one, many, count) % values


def say_name(name: str) -> str:
    """What may be a word of the catalogue or a name that is the same in all languages."""
    return gettext(name) if name else name


def beginning(text: str, context: str = "", /) -> re.Pattern[str]:
    """Whatever begins with the text."""
    return re.compile(rf"^\s*{_spaced(say(text, context))}")


def whatever(text: str, /, **values: Any) -> re.Pattern[str]:
    """The text with these values, and anything in its other places."""
    return _pattern(say(text), values)


def whatever_count(one: str, many: str, count: int, /, **values: Any) -> re.Pattern[str]:
    """The text in the form that goes with a number, with anything in its other places."""
    _known((one, 0), one)
    return _pattern(ngettext(one, many, count), values)


def in_any_number(one: str, many: str) -> re.Pattern[str]:
    """The text in each of its forms, with anything in its places."""
    return re.compile("|".join(whatever_count(one, many, count).pattern for count in (1, 2, 5)), re.DOTALL)


def before_values(text: str) -> re.Pattern[str]:
    """What the text says before its first value."""
    return re.compile(_spaced(_PLACE.split(say(text))[0]))


def say_day(day: date, form: str = "DATE_FORMAT") -> str:
    return date_format(day, form)


_PLACE = re.compile(r"%\((\w+)\)[sd]|\{(\w+)\}")


def _pattern(translated: str, values: dict[str, Any]) -> re.Pattern[str]:
    fixed, by_percent, by_brace = (_PLACE.split(translated)[start::3] for start in range(3))
    names = [percent or brace for percent, brace in zip(by_percent, by_brace, strict=True)]
    between = [re.escape(str(values[name])) if name in values else ".*" for name in names]
    return re.compile(r"\s*".join(_alternately([_spaced(each) for each in fixed], between)), re.DOTALL)


def _spaced(words: str) -> str:
    """With any spaces: text has those that break no line, the names of links and buttons do not."""
    return r"\s+".join(map(re.escape, words.split()))


def _alternately(words: list[str], values: list[str]) -> list[str]:
    return [part for pair in zip_longest(words, values, fillvalue="") for part in pair if part]


def _known(key: Any, text: str) -> None:
    language, catalogue = translation.get_language() or "en", cast(Any, trans_real.catalog())._catalog
    if language != "en" and key not in catalogue:
        raise LookupError(f"“{text}” is not said in {language}")
