"""The rules of HTML find what is wrong, and nothing in what is right."""

from __future__ import annotations

import pytest

from tests.links.html_rules import faults_of


def page(body: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>x</title></head><body><h1>x</h1>{body}</body></html>'


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<div><p>x</div>", "</div> closes nothing here"),
        ("<div>", "</body> closes nothing here"),
        ("<p><ul><li>x</li></ul></p>", "<ul> in <p>"),
        ('<p><a href="/"><div>x</div></a></p>', "<div> in <p>"),
        ("<span><details><summary>x</summary></details></span>", "<details> in <span>"),
        ("<ul><div>x</div></ul>", "<div> in <ul>"),
        ("<div><li>x</li></div>", "<li> in <div>"),
        ("<table><tr><td>x</td></tr></table>", "<tr> in <table>"),
        ("<table><tbody><tr><td>x</td></tr><tr><td colspan='2'>x</td></tr></tbody></table>", "its column 2"),
        ('<a href="/"><button>x</button></a>', "<button> in a link or button"),
        ('<p id="a">x</p><p id="a">x</p>', "id 'a' stands there 2 times"),
        ('<label for="a">x</label>', "for='a' names no id"),
        ('<p aria-describedby="a b" id="a">x</p>', "aria-describedby='b' names no id"),
        ('<form action=""></form>', "action of <form> is empty"),
        ('<p hx-get="/">x</p>', "hx-get of <p> is no attribute"),
        ('<p class="a" class="b">x</p>', "class stands twice in <p>"),
        ('<img src="/x.png">', "an <img> without alt"),
        ("<h1>x</h1>", "2 h1"),
        ("<p/>", "<p/> is no void element"),
    ],
)
def test_what_is_wrong_is_told(body: str, told: str) -> None:
    assert any(told in fault for fault in faults_of(page(body))), faults_of(page(body))


@pytest.mark.parametrize(
    "body",
    [
        "<div><p>x<br>y</p><ul><li>x</li></ul></div>",
        '<div><a href="/"><div>x</div></a></div>',
        "<details><summary><h2>x</h2></summary><p>x</p></details>",
        "<dl><div><dt>x</dt><dd><pre>x</pre></dd></div></dl>",
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td rowspan='2'>x</td><td>x</td></tr><tr><td>x</td></tr>"
        "<tr><td colspan='2'>x</td></tr></tbody></table>",
        '<label for="a">x</label><input id="a" name="a" value="">',
        '<p data-hx-get="/">x</p><img src="/x.png" alt="">',
        '<svg viewBox="0 0 1 1"><path d="M0 0"/><text>x</text></svg>',
    ],
)
def test_what_is_right_is_let_be(body: str) -> None:
    assert faults_of(page(body)) == []


def test_a_page_wants_a_language_and_one_heading() -> None:
    assert faults_of("<html><body></body></html>") == ["no language (line 1)", "0 h1 (line 1)"]
