"""The demands on a new password: long, and none that is tried first; any characters will do."""

from __future__ import annotations

import re

from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from players.office.models import Federation, User

ROWS = (
    "1234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
    "йцукенгшщзхъ",
    "фывапролджэ",
    "ячсмитьбю",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
    "abcdefghijklmnopqrstuvwxyz",
)
"""Rows of keys that lie side by side, in several layouts, and the alphabet: neighbours make a run."""
RUN = 4
"""The number of neighbours in a row, either way round, that make a run."""
LEFT = 6
"""The number of characters that must be left without runs, repetitions and the office's own words."""
OWN_WORDS = ("federation", "ratings", "rating", "office", "password")


class LengthValidator:
    """Refuses a password of fewer than 15 characters (8 for whoever has a second factor) or more than 128."""

    def __init__(self, least: int = 15, least_with_factor: int = 8, most: int = 128) -> None:
        self.least, self.least_with_factor, self.most = least, least_with_factor, most

    def validate(self, password: str, user: User | None = None) -> None:
        least = self.least_with_factor if user and user.pk and is_mfa_enabled(user) else self.least
        if len(password) < least:
            words = _("This password is too short: it needs at least %(least)d characters.")
            raise ValidationError(words % {"least": least}, code="password_too_short")
        if len(password) > self.most:
            words = _("This password is too long: at most %(most)d characters are kept.")
            raise ValidationError(words % {"most": self.most}, code="password_too_long")

    def get_help_text(self) -> str:
        return _(
            "At least %(least)d characters, or %(less)d once you have a second factor. A few words that only"
            " you would put together are best; nothing is asked of capitals, digits or signs."
        ) % {"least": self.least, "less": self.least_with_factor}


class FamiliarPasswordValidator(CommonPasswordValidator):
    """Refuses what is tried first: common passwords, also padded with runs of keys or with our own words."""

    def validate(self, password: str, user: User | None = None) -> None:
        super().validate(password, user)
        bare = without_runs(without_words(password.casefold(), own_words(user)))
        once = re.sub(r"^(.+?)\1+$", r"\1", bare)
        if len(once) < LEFT or len(set(once)) < RUN or once in self.passwords:
            raise ValidationError(
                _("This password is easily guessed: a common one, or keys that lie in a row."),
                code="password_too_common",
            )

    def get_help_text(self) -> str:
        return _("None that many use, no keys in a row, not your name or your office’s.")


def own_words(user: User | None) -> tuple[str, ...]:
    """Words that stand on this site anyway: its own, and those in the names of the person's offices."""
    if user is None or user.pk is None:
        return OWN_WORDS
    names = Federation.objects.filter(appointments__user=user).values_list("name", "code")
    parts = {part for each in names for text in each for part in text.casefold().split()}
    return (*OWN_WORDS, *sorted((part for part in parts if len(part) >= 3), key=len, reverse=True))


def without_words(text: str, words: tuple[str, ...]) -> str:
    for word in words:
        text = text.replace(word, "")
    return text


def without_runs(text: str) -> str:
    """A password without runs of neighbouring keys, and with one of each character said over and over."""
    text = re.sub(r"(.)\1{2,}", r"\1", text)
    kept, place = "", 0
    while place < len(text):
        length = run_at(text, place)
        if length < RUN:
            kept, length = kept + text[place], 1
        place += length
    return kept


def run_at(text: str, start: int) -> int:
    """The number of characters from `start` on that lie side by side in a row of keys, read either way."""
    longest = 1
    for row in (*ROWS, *(row[::-1] for row in ROWS)):
        length = 1
        while start + length < len(text) and text[start : start + length + 1] in row * 2:
            length += 1
        longest = max(longest, length)
    return longest
