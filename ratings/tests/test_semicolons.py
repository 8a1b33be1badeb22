"""A list with semicolons, for spreadsheets where commas stand in decimals."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from ratings.rulesets import rulesets
from ratings.rulesets.downloads import COMMON_DOWNLOADS, SEMICOLONS, DownloadHead, DownloadRow
from ratings.rulesets.profile import equipment_of
from ratings.tests.files import filled

HEAD = DownloadHead("ssdc", "classic", date(2024, 4, 1), 1, "Regulations", "0" * 64)
LINE = DownloadRow(1, "101", "Lavrova", "=Inna; Olga", None, "f", "M", "SSDC", Decimal("1712.5"), 40, None)


def test_semicolons_separate_and_a_byte_order_mark_says_utf_8() -> None:
    told = filled(SEMICOLONS.write, HEAD, LINE).decode()
    header, row, end = told.split("\r\n")
    assert header == "\ufeffrank;number;surname;first_name;title;region;rating;games;previous;born"
    assert row == """"1";"101";"Lavrova";"'=Inna; Olga";"M";"SSDC";"1713";"40";"";\"\""""
    assert end == ""


def test_the_layouts_of_each_federation_have_addresses_of_their_own() -> None:
    for ruleset in rulesets().values():
        layouts = [*equipment_of(ruleset).publication.downloads, *COMMON_DOWNLOADS]
        assert len({(layout.code, layout.suffix) for layout in layouts}) == len(layouts)
    assert SEMICOLONS in equipment_of(rulesets()["ssdc"]).publication.downloads
    assert SEMICOLONS in equipment_of(rulesets()["piskvorky"]).publication.downloads
