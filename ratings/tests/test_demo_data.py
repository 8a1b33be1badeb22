"""The file of a demo's data: what a mistake in it brings, and what a kind of events has from another."""

from __future__ import annotations

import re
from decimal import Decimal
from importlib.resources import files
from typing import Any

import pytest

from ratings.rulesets import rulesets
from ratings.rulesets.demo import load_demo, read_kinds, read_variant
from ratings.rulesets.facts import TimeControl
from ratings.rulesets.profile import equipment_of

TEXT = files("ratings.rulesets.piskvorky").joinpath("demo.toml").read_text("utf-8")


@pytest.mark.parametrize("slug", rulesets())
def test_a_demo_is_read_from_the_file_beside_its_law(slug: str) -> None:
    has_file = files(f"ratings.rulesets.{slug}").joinpath("demo.toml").is_file()
    assert bool(equipment_of(rulesets()[slug]).demo) == has_file


def test_a_field_or_table_that_is_unknown_or_missing_is_named() -> None:
    with pytest.raises(TypeError, match="playrs"):
        load_demo(TEXT.replace("\nplayers = ", "\nplayrs = "), {})
    with pytest.raises(TypeError, match="home"):
        load_demo(re.sub(r"\nhome = .*", "", TEXT), {})
    with pytest.raises(KeyError, match="strength"):
        load_demo(re.sub(r"\nstrength = .*", "", TEXT), {})
    with pytest.raises(TypeError, match="habit"):
        load_demo(TEXT.replace("[habits]", "[habit]"), {})


def test_a_kind_that_is_unknown_is_named() -> None:
    with pytest.raises(KeyError, match="clubs"):
        load_demo(TEXT.replace('kind = "club"', 'kind = "clubs"', 1), {})


def test_a_function_stands_in_place_of_data() -> None:
    demo = load_demo(TEXT, {"demo": {"result": lambda rng, one, other: "1/2"}})
    assert demo.result(None, 1, 2) == "1/2"  # type: ignore[arg-type]


def test_a_kind_has_the_fields_of_the_usual_one_or_of_the_one_it_is_like() -> None:
    tables: dict[str, dict[str, Any]] = {
        "usual": {"days": 2, "groups": [{"name": "Main"}]},
        "open": {"name": "Open", "size": [8, 10]},
        "cup": {"like": "open", "name": "Cup", "days": 3},
    }
    kinds = read_kinds(tables, {"status": "city"})
    assert (kinds["open"].days, kinds["open"].groups[0].name) == (2, "Main")
    assert (kinds["cup"].name, kinds["cup"].size, kinds["cup"].days) == ("Cup", [8, 10], 3)
    assert kinds["cup"].variants == [{"status": "city"}]


def test_a_time_control_is_minutes_and_seconds_a_move() -> None:
    fields = read_variant({"time_controls": "90+30"}, {"platform": "otb"})
    assert fields == {"time_controls": (TimeControl((Decimal(90),), Decimal(30)),), "platform": "otb"}
