"""The design system: what its tags say, and that its pages keep their promises."""

from __future__ import annotations

import hashlib
import re
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.template import Context, Template
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.formats import number_format

from players.display import LEFT, RIGHT, WIDTH, draw_curve, round_rating
from players.templatetags.ui import LEVELS, STAGES, clause_label, delta, grouped, rating
from players.tests import styleguide
from tests.pages import unbroken

TEMPLATES = Path(__file__).resolve().parent.parent.parent / "templates"
STATIC = TEMPLATES.parent / "static"
PARTS = """
particulars tiles tabs cross in-short curve search chips pager stepper drop progress findings form-errors rows
confirm empty crumbs masthead colophon lead danger
message-success message-warning message-error message-info
boards top
"""
pytestmark = pytest.mark.urls("allauth.account.urls")


def render(source: str, **context: Any) -> str:
    return unbroken(Template("" + source).render(Context(context)))


@pytest.fixture(scope="module")
def guide() -> str:
    return styleguide.page()


def test_a_rating_is_shown_with_one_place_half_up() -> None:
    assert [rating(Decimal(text)) for text in ("1832.44", "1832.45", "1832")] == [
        "1832.4",
        "1832.5",
        "1832.0",
    ]


def test_a_missing_rating_is_a_dash() -> None:
    assert rating(None) == "–"


@pytest.mark.parametrize(
    ("points", "seen", "said"),
    [
        ("12.34", "+12.3 ▲", "up 12.3"),
        ("-4.05", "−4.1 ▼", "down 4.1"),
        ("0.04", "±0.0", "unchanged"),
        ("-0.04", "±0.0", "unchanged"),
    ],
)
def test_points_are_said_in_words_beside_their_sign(points: str, seen: str, said: str) -> None:
    html = render("{% delta points %}", points=Decimal(points))
    assert seen in html
    assert said in html


def test_no_rating_before_means_no_points() -> None:
    assert "no rating before" in render("{% delta None %}")


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_an_icon_and_words(stage: str) -> None:
    html = render("{% stage_badge stage %}", stage=stage)
    assert str(STAGES[stage][0]) in html
    assert f"#{STAGES[stage][1]}" in html


def test_findings_stand_gravest_first_and_else_in_their_own_order() -> None:
    found = [SimpleNamespace(level=level, words=f"about {level}") for level in reversed(list(LEVELS))]
    found.append(SimpleNamespace(level="blocks", words="second that blocks"))
    html = render("{% findings found %}", found=found)
    words = re.findall(r'finding-words">(.*?)<', html)
    assert words == ["about blocks", "second that blocks", "about asks", "about waivable", "about notice"]


@pytest.mark.parametrize(("count", "folded"), [(4, 0), (5, 3), (46, 44)])
def test_many_findings_of_one_cause_stand_together_and_are_folded(count: int, folded: int) -> None:
    found = [SimpleNamespace(level="notice", cause="birth", words=f"birth {n}") for n in range(count)]
    found.insert(2, SimpleNamespace(level="notice", cause="name", words="a name"))
    html = render("{% findings found %}", found=found)
    words = re.findall(r'finding-words">(.*?)<', html)
    assert words == [*(f"birth {n}" for n in range(count)), "a name"]
    assert (f"{folded} more of the same cause" in html) == bool(folded)
    assert html.count("<details>") == bool(folded)


def test_no_findings_say_so_kindly() -> None:
    assert "Nothing stands in the way" in render(
        "{% findings found empty='Nothing stands in the way' %}", found=[]
    )


def test_an_excerpt_marks_its_column_counted_from_one() -> None:
    assert "012 17<mark>.</mark>11" in render("{% excerpt '012 17.11' 3 7 %}")


def test_an_excerpt_of_a_long_line_keeps_the_marked_column_in_sight() -> None:
    html = render("{% excerpt text 3 300 %}", text="a" * 299 + "b" + "c" * 300)
    assert "<mark>b</mark>" in html
    assert len(html) < 400


def test_a_column_beyond_the_line_marks_nothing() -> None:
    assert "<mark>" not in render("{% excerpt 'short' 1 80 %}")


def test_what_a_file_says_is_escaped() -> None:
    assert "<script>" not in render("{% excerpt '<script>alert(1)</script>' 1 1 %}")


@pytest.mark.parametrize(
    ("language", "four", "five"),
    [
        ("en", "2,387", "12,387"),
        ("pl", "2387", "12\xa0387"),
        ("cs", "2\xa0387", "12\xa0387"),
        ("ru", "2\xa0387", "12\xa0387"),
    ],
)
def test_thousands_stand_apart_as_the_language_writes_them(language: str, four: str, five: str) -> None:
    with translation.override(language):
        assert [grouped(number) for number in (387, 2387, 12387)] == ["387", four, five]


def test_the_breadcrumb_ends_with_the_page_itself() -> None:
    html = render("{% breadcrumb 'Events' '/e/' 'Open' %}")
    assert '<a href="/e/">Events</a>' in html
    assert '<li aria-current="page">Open</li>' in html


def test_a_breadcrumb_that_ends_in_an_address_is_refused() -> None:
    with pytest.raises(ValueError, match="this page's label: /o/"):
        render("{% breadcrumb 'Events' '/e/' 'Open' '/o/' %}")


@pytest.mark.parametrize(
    ("path", "current"),
    [("/x/events/", "page"), ("/x/events/7/", "true"), ("/x/", None), ("/x/lists/", None)],
)
def test_the_navigation_marks_where_one_is(path: str, current: str | None) -> None:
    html = render("{% nav_link '/x/events/' 'Events' %}", request=SimpleNamespace(path=path))
    assert re.findall(r'aria-current="(\w+)"', html) == ([current] if current else [])


def test_a_curve_spans_its_frame_and_steps_at_each_point() -> None:
    points = [(date(2026, 1, 1) + timedelta(days=40 * n), Decimal(1500 + 10 * n), "") for n in range(5)]
    curve = draw_curve(points)
    assert curve.dots[0][0] == f"{LEFT:.1f}"
    assert curve.last[0] == f"{WIDTH - RIGHT:.1f}"
    assert curve.line.count("H") == curve.line.count("V") == 4
    assert (curve.high, curve.low) == (points[4], points[0])


@pytest.mark.parametrize("days", range(2, 400, 3))
def test_no_two_days_below_a_curve_touch(days: int) -> None:
    """A letter is nine units wide at most; what ends at the edge reaches to its left."""
    start = date(2026, 1, 10)
    ticks = draw_curve([(start, Decimal(1500), ""), (start + timedelta(days), Decimal(1600), "")]).x_ticks
    ends = [float(at) if anchor == "end" else float(at) + 4.5 * len(label) for at, label, anchor in ticks]
    begins = [end - 9 * len(label) for end, (_at, label, _anchor) in zip(ends, ticks, strict=True)]
    assert ticks
    assert all(begin > end for end, begin in zip(ends, begins[1:], strict=False))


@pytest.mark.parametrize(("last", "anchor"), [(date(2026, 4, 2), "end"), (date(2026, 4, 29), "middle")])
def test_a_label_at_the_right_edge_of_a_curve_ends_there(last: date, anchor: str) -> None:
    curve = draw_curve([(date(2026, 1, 1), Decimal(1500), ""), (last, Decimal(1600), "")])
    assert [label for _at, label, _anchor in curve.x_ticks] == ["2026-01", "2026-02", "2026-03", "2026-04"]
    assert [anchor for _at, _label, anchor in curve.x_ticks] == ["middle", "middle", "middle", anchor]


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        ("1500", "1900", ["1500", "1600", "1700", "1800", "1900", "2000"]),
        ("1500", "1501", ["1400", "1450", "1500", "1550", "1600"]),
        ("0.9427", "0.9606", ["0.90", "0.95", "1.00"]),
        ("0", "1", ["0.0", "0.5", "1.0", "1.5"]),
        ("-20", "20", ["-20", "-10", "0", "10", "20", "30"]),
    ],
)
def test_the_lines_of_a_curve_fit_ratings_in_points_and_ratings_between_0_and_1(
    low: str, high: str, labels: list[str]
) -> None:
    curve = draw_curve([(date(2026, 1, 1), Decimal(low), ""), (date(2026, 6, 1), Decimal(high), "")])
    assert [label for _at, label, _anchor in curve.y_ticks] == labels


@pytest.mark.parametrize("rating", ["0.9", "12", "999", "2435"])
def test_a_few_points_are_no_cliff(rating: str) -> None:
    """The curve's height is a tenth of the rating at least."""
    low = Decimal(rating)
    curve = draw_curve([(date(2026, 1, 1), low, ""), (date(2026, 6, 1), low * Decimal("1.004"), "")])
    bottom, top = curve.levels
    assert bottom <= low
    assert top - bottom >= low / 10


def test_a_rating_is_drawn_up_to_the_day_on_which_it_still_held() -> None:
    points = [(date(2026, 1, 1), Decimal(1500), ""), (date(2026, 2, 1), Decimal(1510), "")]
    curve = draw_curve(points, until=date(2026, 6, 1))
    assert curve.line.endswith(f"H{WIDTH - RIGHT:.1f}")
    assert curve.days == (date(2026, 1, 1), date(2026, 6, 1))


def test_a_curve_of_one_day_or_of_one_rating_can_be_drawn() -> None:
    same_day = [(date(2026, 1, 1), Decimal(1500), ""), (date(2026, 1, 1), Decimal(1510), "")]
    same_rating = [(date(2026, 1, 1), Decimal(1500), ""), (date(2026, 3, 1), Decimal(1500), "")]
    assert draw_curve(same_day).line.startswith("M")
    assert draw_curve(same_rating).line.startswith("M")


def test_a_single_rating_is_no_curve_but_still_a_table() -> None:
    html = render("{% rating_curve points 'One' %}", points=[(date(2026, 1, 1), Decimal(1500), "opening")])
    assert "<svg" not in html
    assert "1500.0" in html


def test_the_style_guide_renders_every_component(guide: str) -> None:
    for part in PARTS.split():
        assert re.search(rf'class="[^"]*\b{part}\b', guide), part


def test_pages_keep_the_content_security_policy(guide: str) -> None:
    """No style attributes, no handlers, no scripts in the page, nothing from other hosts."""
    assert not re.search(r"\s(style|on\w+)=", guide)
    assert not re.search(r"<script(?![^>]*\ssrc=)", guide)
    assert not re.search(r'(src|href|action)="(https?:)?//', guide)


def test_ids_are_unique_on_a_page(guide: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', guide)
    assert sorted(set(ids)) == sorted(ids)


def test_every_icon_that_is_used_is_drawn() -> None:
    drawn = set(re.findall(r'<symbol id="([^"]+)"', (STATIC / "icons.svg").read_text()))
    used = {icon for _, icon in STAGES.values()} | {icon for _, icon, _ in LEVELS.values()}
    for template in TEMPLATES.rglob("*.html"):
        used |= set(re.findall(r'icon(?:\.html" with name)?="([a-z]+)"', template.read_text()))
    assert used <= drawn


@pytest.mark.parametrize("page", ["400.html", "500.html", "503.html"])
def test_a_page_for_faults_needs_no_context(page: str) -> None:
    assert "<h1>" in render_to_string(page)


def test_a_fault_names_the_number_to_tell_the_office() -> None:
    assert "a3f9" in render_to_string("500.html", {"request_id": "a3f9"})


def test_the_copied_stylesheet_is_the_one_that_was_copied() -> None:
    first, *middle, last = (STATIC / "css/pico.css").read_bytes().split(b"\n")[:-1]
    assert (first, last) == (b"@layer base {", b"}")
    checksum = hashlib.sha256(b"\n".join(middle)).hexdigest()
    assert checksum in (STATIC / "VENDOR.md").read_text()


@pytest.mark.parametrize("language", ["en", "pl", "cs", "ru"])
@pytest.mark.parametrize("places", [0, 1, 3])
@pytest.mark.parametrize("value", ["1512.25", "1512.35", "-0.0004", "-12.5", "0", "123456.7"])
def test_a_rating_is_written_as_the_readers_language_writes_numbers(
    value: str, places: int, language: str
) -> None:
    with translation.override(language):
        rounded = round_rating(Decimal(value), places)
        assert rating(Decimal(value), places) == number_format(rounded, decimal_pos=places)


def test_points_are_told_in_words_of_each_readers_language() -> None:
    told = {}
    for language in ("en", "pl", "en"):
        with translation.override(language):
            told[language] = [
                delta(each, 1) for each in (Decimal("1.25"), Decimal("-1.25"), Decimal(0), None)
            ]
    assert ["up 1.3" in told["en"][0], "down 1.3" in told["en"][1]] == [True, True]
    assert ["unchanged" in told["en"][2], "no rating before" in told["en"][3]] == [True, True]
    assert all("1,3" in each for each in told["pl"][:2])
    assert not set(told["en"]) & set(told["pl"])


@pytest.mark.parametrize(
    ("clause", "told"), [("31", "§31"), ("D-CSA-9", "D-CSA-9"), ("D-7", "D-7"), ("preamble", "preambuła")]
)
def test_a_clause_is_told_by_its_number_a_reading_by_its_name_and_the_rest_in_words(
    clause: str, told: str
) -> None:
    with translation.override("pl"):
        assert clause_label(clause) == told
