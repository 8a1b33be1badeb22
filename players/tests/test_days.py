"""Days are written as each language writes them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from players.templatetags.ui import as_number, day_and_month, moment

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


def one_line(page: str) -> str:
    """A page's words with one blank between them; blanks at which no line breaks stay as they are."""
    return re.sub(r"[ \n]+", " ", page).strip()


@pytest.mark.parametrize(
    ("language", "written"),
    [("en", "26–27 September 2026"), ("cs", "26.–27.\u00a0září 2026"), ("pl", "26–27\u00a0września 2026")],
)
def test_of_two_days_in_one_month_the_first_stands_as_the_language_writes_a_day(
    language: str, written: str
) -> None:
    days = {"starts": date(2026, 9, 26), "ends": date(2026, 9, 27)}
    with override(language):
        assert one_line(render_to_string("tournaments/days.html", days)) == written
        short = one_line(render_to_string("ratings/_days.html", {"thing": days}))
    assert short.startswith(written.partition("–")[0])


def test_a_day_without_its_year_has_the_form_of_its_language() -> None:
    for language, written in (("en", "1 October"), ("cs", "1.\u00a0října"), ("ru", "1\u00a0октября")):
        with override(language):
            assert day_and_month(date(2026, 10, 1)) == written


@pytest.mark.parametrize(
    ("language", "long", "short"),
    [
        ("en", "7 June 2026, 15:04 UTC", "7 Jun 2026, 15:04 UTC"),
        ("pl", "7\u00a0czerwca 2026, 15:04 UTC", "7.06.2026, 15:04 UTC"),
        ("cs", "7.\u00a0června 2026, 15:04 UTC", "7.\u00a06.\u00a02026, 15:04 UTC"),
        ("ru", "7\u00a0июня 2026, 15:04 UTC", "07.06.2026, 15:04 UTC"),
    ],
)
def test_a_moment_has_the_form_of_its_language_and_its_zone(language: str, long: str, short: str) -> None:
    at = datetime(2026, 6, 7, 15, 4, tzinfo=UTC)
    with override(language):
        assert moment(at) == long
        assert moment(at, "SHORT_DATETIME_FORMAT") == short


def test_no_page_writes_a_month_or_the_order_of_a_day_by_itself() -> None:
    """Only the language's own forms, and those for programs and for comparing, stand in templates."""
    pages = [page for page in TEMPLATES.rglob("*") if page.suffix in (".html", ".txt")]
    forms = {form for page in pages for form in re.findall(r"""date:["']([^"']+)["']""", page.read_text())}
    own = {form for form in forms if not form.endswith("_FORMAT")}
    assert own == {"Y-m-d", "Y-m", "Ym", "c"}


@pytest.mark.parametrize(
    ("language", "written"), [("en", "0.30"), ("pl", "0,30"), ("cs", "0,30"), ("ru", "0,30")]
)
def test_the_numbers_beside_a_curve_have_the_decimal_sign_of_the_language(
    language: str, written: str
) -> None:
    with override(language):
        assert as_number("0.30") == written
        assert as_number("1400") == "1400"


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "4–6 Sep 2026"),
        ("cs", "4.–6.\u00a09.\u00a02026"),
        ("pl", "4–6.09.2026"),
        ("ru", "04–06.09.2026"),
    ],
)
def test_of_two_days_in_digits_the_first_has_as_many_as_the_last(language: str, written: str) -> None:
    thing = {"starts": date(2026, 9, 4), "ends": date(2026, 9, 6)}
    with override(language):
        assert (
            "".join(render_to_string("ratings/_days.html", {"thing": thing}).split("\n")).strip() == written
        )


@pytest.mark.parametrize("language", ["cs", "pl", "ru"])
def test_no_line_ends_between_a_day_and_its_month(language: str) -> None:
    forms = import_module(f"federation_site.formats.{language}.formats")
    written = [value for name, value in vars(forms).items() if name.endswith("_FORMAT")]
    assert len(written) > 5
    assert [form for form in written if re.search(r"j\.? [EnF]|n\. Y", form)] == []
