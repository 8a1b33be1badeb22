"""The words of each sport's own regulation: catalogues have no others for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TERMS = [
    (
        "ratings/rulesets/ssdc/locale/ru",
        r"подтвер\w+ (спортивного )?разряд|разряд\w* подтвер",
        "присвоен (2.5.1)",
    ),
    ("locale/ru", r"подтвер\w+ (спортивного )?разряд|разряд\w* подтвер", "присвоен"),
    ("ratings/rulesets/mahjong/locale/ru", r"\bтур(ы|ов|а|е)?\b", "игровая сессия (1.5)"),
    ("ratings/rulesets/piskvorky/locale/cs", r"bodov\w+ zisk", "Body: “bodový zisk” is the rating"),
    ("locale/cs", r"bodov\w+ zisk", "Body"),
]
"""A catalogue, what it must not say, and the word of the regulation in its place."""


@pytest.mark.parametrize(("catalogue", "wrong", "right"), TERMS, ids=[each[0] for each in TERMS])
def test_a_catalogue_uses_the_word_of_the_regulation(catalogue: str, wrong: str, right: str) -> None:
    text = (ROOT / catalogue / "LC_MESSAGES/django.po").read_text()
    said = re.sub(r'"\n"', "", "\n".join(re.split(r"^msgid .*$", text, flags=re.MULTILINE)))
    assert re.findall(wrong, said, re.IGNORECASE) == [], right
