"""A list's page checks itself in the browser, and names a history that is not the one the browser kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from ratings import transparency_log
from ratings.transparency_log import WIDTH, Checkpoint, SignedNote, Signer, Tree
from tests.browser import PHONE, Visitors

pytestmark = pytest.mark.browser
LIST = "/csa/lists/2025-04/otb-main/"
DATA = re.compile(r'(<script id="check-list" type="application/json">)(.*?)(</script>)', re.DOTALL)
OFFICE, SUCCESSOR = (Signer("ratings.example.org/csa/journal", bytes([number]) * 32) for number in (1, 2))
LATER = Signer("ratings.example.org/csa/journal/2", bytes([3]) * 32)
WITNESS = Signer("witness.example.org/w1", bytes([4]) * 32)
AGREES, FORKED = "OK.", "The office shows another history than on"


@dataclass
class Log:
    """The log that the browser is shown in place of the office's: its real lines, and any after them."""

    page: Page
    data: dict[str, Any]
    """What the page's script is given."""
    tree: Tree
    signer: Signer = OFFICE
    size: int = 0
    keys: list[dict[str, str]] = field(default_factory=list)
    witnesses: list[dict[str, Any]] = field(default_factory=list)
    rows: Callable[[list[Any]], list[Any]] = list
    newest: SignedNote | None = None
    """What is shown as the newest checkpoint in place of this tree's."""

    def show(self, size: int, *, altered: int | None = None) -> None:
        """Go on to that many lines; `altered`: the index of a line that is another than before."""
        leaves = [self.tree.node(0, index) for index in range(min(self.tree.size, size))]
        leaves += [transparency_log.leaf_hash(b"%d" % index) for index in range(len(leaves), size)]
        if altered is not None:
            leaves[altered] = transparency_log.leaf_hash(b"forged")
        self.tree, self.size = Tree(leaves), size

    def note(self, size: int, *signers: Signer) -> SignedNote:
        signers = signers or (self.signer,)
        return Checkpoint(signers[0].name, size, self.tree.root(size)).signed(*signers)

    def answer(self, route: Route) -> None:
        path = route.request.url.split("?")[0].partition("/csa/")[2]
        if path.endswith("list.json"):
            content = json.loads(route.fetch().text())
            content |= {"origin": self.signer.name, "checkpoint": str(self.note(content["line"]))}
            route.fulfill(json=content | {"rows": self.rows(content["rows"])})
        elif path == "journal/checkpoint":
            note = self.newest or self.note(self.size)
            route.fulfill(body=str(note.beside([WITNESS.cosign(note.text, 1_800_000_000)])))
        elif path.startswith("journal/tile/"):
            tile = transparency_log.parse_tile_path(path.removeprefix("journal/"))
            assert tile, path
            hashes = (
                self.tree.node(8 * tile.level, tile.index * WIDTH + place) for place in range(tile.width)
            )
            route.fulfill(body=b"".join(hashes))
        else:
            keys = self.keys or [key_row(self.signer)]
            data = self.data | {"keys": keys, "witnesses": self.witnesses}
            text = json.dumps(data).replace("<", "\\u003C")
            html = DATA.sub(lambda found: found[1] + text + found[3], route.fetch().text())
            route.fulfill(body=html, content_type="text/html; charset=utf-8")

    def check(self) -> str:
        """Open the list's page, check it at one tap, and return what it says."""
        self.page.goto(LIST)
        return tap(self.page)


def tap(page: Page) -> str:
    button = page.get_by_role("button", name="Check this list here")
    button.click()
    expect(button).to_be_enabled()
    return str(page.locator("[data-said]").inner_text())


def key_row(signer: Signer, *, first: str = "", reason: str = "") -> dict[str, str]:
    at = "2027-05-03T10:00:00+00:00"
    return {"origin": signer.name, "vkey": str(signer.key), "first": first, "at": at, "reason": reason}


@pytest.fixture
def log(visitors: Visitors) -> Log:
    page = visitors.enter()
    page.goto(LIST)
    found = DATA.search(page.content())
    assert found
    data = json.loads(found[2])
    content = page.request.get(f"/csa/journal/tile/0/000.p/{data['line']}").body()
    shown = Log(page, data, Tree(transparency_log.split_tile(content)))
    shown.show(data["line"])
    for pattern in (f"**{LIST}", "**/list.json", "**/csa/journal/**"):
        page.route(pattern, shown.answer)
    return shown


def kept(page: Page) -> Any:
    return json.loads(page.evaluate("localStorage.getItem('checkpoints')") or "{}")


def test_a_visitor_checks_a_list_at_one_tap_and_the_browser_compares_the_next_time(
    visitors: Visitors,
) -> None:
    reader = visitors.enter(PHONE)
    reader.goto(LIST)
    said = tap(reader)
    assert "The rows have the checksum of this page." in said
    assert "This browser has nothing older at hand." in said
    assert AGREES in said
    visitors.look(reader)
    reader.goto("/csa/check/")
    said = tap(reader)
    assert "Nothing was rewritten since" in said
    assert AGREES in said
    assert "--key" not in said
    reader.get_by_text("With a terminal, from the journal itself").click()
    expect(reader.locator(".prove")).to_contain_text("--key")
    visitors.look(reader)


def test_a_log_may_grow_through_all_levels_of_tiles(log: Log) -> None:
    log.witnesses = [{"vkey": str(WITNESS.witness_key), "own": False}]
    assert AGREES in log.check()
    for size in (256, 257, 600, 65_536, 70_001):
        log.show(size)
        said = log.check()
        assert "Nothing was rewritten since" in said, size
        assert "Witnessed by witness.example.org/w1 on" in said
        assert AGREES in said, size
    [[checkpoint]] = [office.values() for office in kept(log.page).values()]
    assert transparency_log.read_checkpoint(checkpoint["note"]).size == 70_001


@pytest.mark.parametrize("altered", ["a line before", "a line at the end", "lines gone"])
def test_a_forked_history_is_named_and_what_was_kept_stays(log: Log, altered: str) -> None:
    log.show(600)
    assert AGREES in log.check()
    before = kept(log.page)
    if altered == "lines gone":
        log.show(599)
    else:
        log.show(700, altered=log.data["line"] + 5 if altered == "a line before" else 599)
    said = log.check()
    assert FORKED in said
    assert "600" in said
    assert AGREES not in said
    [office] = before.values()
    [checkpoint] = office.values()
    expect(log.page.locator("[data-value=kept]")).to_have_text(checkpoint["note"])
    expect(log.page.locator("[data-value=now]")).to_contain_text(
        "\n599\n" if "gone" in altered else "\n700\n"
    )
    assert kept(log.page) == before


def test_a_list_that_the_newest_checkpoint_does_not_continue_is_named_at_the_first_visit(log: Log) -> None:
    log.show(600)
    other = Log(log.page, log.data, log.tree)
    other.show(600, altered=599)
    log.newest = other.note(600)
    assert "The office shows two histories" in log.check()
    log.data["entry"] += " "
    assert "The line of the journal that publishes the list is not in the checkpoint." in log.check()
    assert kept(log.page) == {}


def test_altered_rows_and_a_wrong_signature_are_named(log: Log) -> None:
    log.rows = lambda rows: [[rows[0][0], "3000", rows[0][2]], *rows[1:]]
    assert "The rows have another checksum" in log.check()
    log.rows = list
    log.keys = [key_row(Signer(OFFICE.name, bytes(32)))]
    assert f"A signature is not by the key of {OFFICE.name}" in log.check()
    assert kept(log.page) == {}


def test_a_new_key_is_taken_if_the_one_that_was_kept_signed_the_change(log: Log) -> None:
    log.show(600)
    assert AGREES in log.check()
    log.show(650)
    announced, alone = log.note(640, OFFICE, SUCCESSOR), log.note(640, SUCCESSOR)
    log.signer = SUCCESSOR
    log.keys = [key_row(SUCCESSOR, first=str(alone)), key_row(OFFICE)]
    said = log.check()
    assert "It is signed by another key than this browser kept" in said
    assert AGREES not in said
    log.keys = [key_row(SUCCESSOR, first=str(announced)), key_row(OFFICE)]
    said = log.check()
    assert "The office has a new key since." in said
    assert AGREES in said
    assert "new key" not in log.check()


def test_a_new_origin_is_told_with_its_reason_and_is_no_forgery(log: Log) -> None:
    log.show(600)
    assert AGREES in log.check()
    log.show(500, altered=400)
    log.signer = LATER
    log.keys = [key_row(LATER, reason="The disk was lost."), key_row(OFFICE)]
    said = log.check()
    assert "The office began a new log on 3 May 2027" in said or "May 3, 2027" in said
    assert "The disk was lost." in said
    assert FORKED not in said
    assert AGREES in said
    assert "began a new log" not in log.check()


@pytest.mark.parametrize("kept_before", [True, False])
def test_a_page_older_than_a_change_of_keys_says_so_and_is_checked_with_the_new_key(
    log: Log, kept_before: bool
) -> None:
    log.show(600)
    if kept_before:
        assert AGREES in log.check()
    log.page.goto(LIST)
    log.signer = SUCCESSOR
    log.keys = [key_row(SUCCESSOR, first=str(log.note(590, OFFICE, SUCCESSOR))), key_row(OFFICE)]
    said = tap(log.page)
    assert "The office has had a new key since" in said
    assert ("The office has a new key since. The one that this browser kept signed" in said) == kept_before
    assert AGREES in said
    assert "this page is older" not in tap(log.page)
    log.show(500, altered=400)
    log.signer = LATER
    log.keys = [key_row(LATER, reason="The disk was lost."), *log.keys]
    said = tap(log.page)
    assert "The disk was lost.” This page is older." in said
    assert "not by the key" not in said
    assert AGREES in said


def test_a_signature_by_no_key_that_the_office_names_today_is_named(log: Log) -> None:
    log.show(600)
    log.page.goto(LIST)
    log.newest = log.note(600, Signer(OFFICE.name, bytes(32)))
    assert f"A signature is not by the key of {OFFICE.name}" in tap(log.page)
    log.keys = [key_row(SUCCESSOR), key_row(OFFICE)]
    said = tap(log.page)
    assert "The office has had a new key since" in said
    assert f"A signature is not by the key of {OFFICE.name}" in said
    assert kept(log.page) == {}


def test_a_browser_without_ed25519_says_so_and_keeps_nothing(log: Log) -> None:
    log.page.add_init_script("crypto.subtle.importKey = () => Promise.reject(new Error('unknown'))")
    said = log.check()
    assert "This browser cannot check signatures" in said
    assert AGREES not in said
    assert kept(log.page) == {}


def test_without_script_the_commands_are_there(visitors: Visitors) -> None:
    reader = visitors.enter(PHONE, java_script_enabled=False)
    reader.goto(LIST)
    expect(reader.get_by_role("button", name="Check this list here")).to_be_hidden()
    reader.get_by_text("With a terminal, from the journal itself").click()
    expect(reader.locator(".prove")).to_contain_text("--key")
