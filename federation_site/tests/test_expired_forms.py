"""A form whose token is not this session's is refused; who typed it gets the words back, and nobody else."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
WORDS = "Round 3 was played late, <b>ask</b> the arbiter."
SHOWN = "Round 3 was played late, &lt;b&gt;ask&lt;/b&gt; the arbiter."


def sent(site: str, **fields: str) -> tuple[int, str]:
    headers = {"Sec-Fetch-Site": site} if site else {}
    answer = Client(enforce_csrf_checks=True).post("/accounts/login/", fields, headers=headers)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize(
    ("site", "given_back"), [("same-origin", True), ("same-site", False), ("cross-site", False), ("", False)]
)
def test_words_come_back_to_a_page_of_this_site_alone(site: str, given_back: bool) -> None:
    status, page = sent(site, words=WORDS)
    assert status == 403
    assert "This form has expired" in page
    assert (SHOWN in page) == given_back
    assert WORDS not in page


@pytest.mark.parametrize(
    ("name", "value", "given_back"),
    [
        ("words", "Twelve chars", True),
        ("words", "Eleven char", False),
        ("words", "Oneverylongtokenwithoutaspace", False),
        ("password", "correct horse battery staple", False),
        ("new_password1", "correct horse battery staple", False),
    ],
)
def test_neither_passwords_nor_tokens_nor_names_come_back(name: str, value: str, given_back: bool) -> None:
    assert (value in sent("same-origin", **{name: value})[1]) == given_back


def test_of_a_very_long_text_the_beginning_comes_back() -> None:
    page = sent("same-origin", words="long " * 1000)[1]
    assert page.count("long ") < 500
