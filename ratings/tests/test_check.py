"""`python -m ratings.check`: published lists and kept checkpoints held against a journal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ratings.check import main
from ratings.replay import get_list_bytes
from ratings.rulesets.facts import Player, seal_player
from ratings.rulesets.journal import list_of_line, read_journal
from ratings.rulesets.journal_lines import plain, write_line
from ratings.tests.ended import with_end
from ratings.tests.journal_lines import closing, game, head, opening, player, rated, revised, section, unrated
from ratings.transparency_log import Checkpoint, Signer, Tree, leaf_hash, log_entry

OFFICE = [
    head(),
    player("101"),
    player("9"),
    opening("101", rating="1712.5", games=48),
    opening("9", rating="1500", games=20),
    section(
        entries=[{"player": "101"}, {"player": "9"}],
        games=[game("101", "9", "0-1"), game("9", "101", "1-0", 2)],
    ),
    rated(),
    closing("2024-04-01"),
    unrated(on="2024-04-02"),
    revised("2024-04-01", on="2024-04-03"),
]
ORIGIN = "ratings.example.org/csa/journal"
SIGNER = Signer(ORIGIN, bytes(range(32)))
OTHER = Signer(ORIGIN, bytes(range(1, 33)))


def bytes_of(lines: list[str]) -> bytes:
    return "".join(f"{each}\n" for each in lines).encode()


def sealed_lines(lines: list[str]) -> list[str]:
    journal = read_journal(lines)
    return [
        write_line(seal_player(fact), journal.ruleset) if isinstance(fact, Player) else written
        for written, (_number, fact) in zip(lines, journal.lines, strict=True)
    ]


def checkpoint(lines: list[str], size: int, signer: Signer = SIGNER) -> str:
    tree = Tree(leaf_hash(log_entry(each)) for each in sealed_lines(lines))
    return str(Checkpoint(signer.key.name, size, tree.root(size)).signed(signer))


def list_file(lines: list[str], line: int, track: str = "otb-main") -> dict[str, Any]:
    journal = read_journal(lines)
    rows = list_of_line(journal, line)[track]
    return {
        "form": 2,
        "origin": ORIGIN,
        "code": "csa",
        "track": track,
        "on": "2024-04-01",
        "revision": 1 if line == 8 else 2,
        "line": line,
        "edition": "Rating Regulations of 1 July 2020",
        "program": {"version": "1.0.0", "sha256": "ab" * 32},
        "sha256": sha256(get_list_bytes(bytes_of(lines), track, line)).hexdigest(),
        "checkpoint": checkpoint(lines, line),
        "rows": [[row.player, plain(row.rating), row.games] for row in rows],
    }


@pytest.fixture
def kept(tmp_path: Path) -> Callable[..., str]:
    """Writes a file and gives its path."""

    def write(name: str, content: object) -> str:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return write


Kept = Callable[..., str]


def test_what_agrees_is_ok_and_what_was_looked_at_is_said(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = kept("journal.ndjson", bytes_of(OFFICE))
    first, second = (kept(f"{line}.json", list_file(OFFICE, line)) for line in (8, 10))
    old = kept("old", checkpoint(OFFICE, 5))
    assert main([journal, first, second, "--since", old, "--key", str(SIGNER.key)]) == 0
    told = capsys.readouterr().out
    digest = sha256(bytes_of(OFFICE)).hexdigest()
    assert f"the journal of csa, 10 lines in their one form, SHA-256 {digest}" in told
    assert "otb-main of 2024-04-01, line 8: 2 rows agree" in told
    assert (
        "its checkpoint is the journal's; the file says it was drawn up by version 1.0.0 of the program"
        in told
    )
    assert f"the journal continues what was signed up to line 5 of {ORIGIN}" in told
    assert f"Signatures were checked, and are by the key {ORIGIN} (key id {SIGNER.key.id.hex()})\n" in told
    assert told.endswith("OK\n")


def test_a_journal_alone_is_looked_at(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([kept("journal.ndjson", bytes_of(OFFICE))]) == 0
    assert "Signatures were not checked: give the office's verifier key with --key" in capsys.readouterr().out


def test_a_journal_is_whole_by_its_end_line_or_may_have_been_cut(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = b"".join(with_end(OFFICE))
    assert main([kept("journal.ndjson", whole), kept("list.json", list_file(OFFICE, 8))]) == 0
    digest = sha256(bytes_of(OFFICE)).hexdigest()
    assert f"10 lines in their one form, SHA-256 {digest}; whole by its end line\n" in capsys.readouterr().out
    assert main([kept("journal.ndjson", bytes_of(OFFICE))]) == 0
    assert "; no end line lies beside it\n" in capsys.readouterr().out
    lines = whole.splitlines(keepends=True)
    assert main([kept("journal.ndjson", b"".join([*lines[:9], lines[-1]]))]) == 1
    assert "the end line is not that of the 9 lines above it" in capsys.readouterr().err


def test_a_withheld_name_leaves_every_proof(kept: Kept) -> None:
    withheld = [OFFICE[0], sealed_lines(OFFICE)[1], *OFFICE[2:]]
    assert '"name_seal"' in withheld[1]
    journal = kept("journal.ndjson", bytes_of(withheld))
    old, said = kept("old", checkpoint(OFFICE, 10)), kept("list.json", list_file(OFFICE, 8))
    assert main([journal, said, "--since", old, "--key", str(SIGNER.key)]) == 0


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 1
    told = capsys.readouterr()
    assert told.out == ""
    return told.err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": [["9", "1500", 22]]}, 'row 1 of otb-main of 2024-04-01 stands as ["9", "1500", 22] and'),
        ({"sha256": "0" * 64}, f"its checksum stands as {'0' * 64} and ought to be "),
        ({"on": "2024-05-01"}, "is of 2024-05-01, and line 8 publishes the list of 2024-04-01"),
        ({"line": 7}, "line 7 of the journal publishes no list"),
        ({"line": 11}, "stands in line 11, and the journal has 10"),
        ({"line": 0}, "stands in line 0, and the journal has 10"),
        ({"code": "pfo"}, "is of pfo, and the journal is of csa"),
        ({"track": "otb"}, "otb is no track here; there are: otb-main"),
        ({"form": 1}, "is in form 1, and this program reads form 2 only"),
        (
            {"edition": "Rating Regulations of 2031"},
            "and on 2024-04-01 “Rating Regulations of 1 July 2020” was",
        ),
        ({"edition": None}, "is no list's file: edition is missing"),
        ({"revision": 2}, "says it is revision 2 of otb-main of 2024-04-01, and line 8 publishes revision 1"),
        ({"revision": None}, "is no list's file: revision is missing"),
        ({"rows": None}, "is no list's file: rows is missing"),
        (
            {"origin": "elsewhere.example/csa/journal"},
            "its checkpoint is of ratings.example.org/csa/journal, and",
        ),
        ({"checkpoint": "nothing"}, "its checkpoint: a note is a text"),
    ],
)
def test_a_list_that_differs_is_named_with_what_ought_to_stand(
    changes: dict[str, Any], words: str, kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    said = kept("list.json", list_file(OFFICE, 8) | changes)
    assert words in refused([kept("journal.ndjson", bytes_of(OFFICE)), said], capsys)


def test_a_row_too_few_and_a_row_too_many_are_named(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    journal, said = kept("journal.ndjson", bytes_of(OFFICE)), list_file(OFFICE, 8)
    fewer = kept("fewer.json", said | {"rows": said["rows"][:1]})
    assert "row 2 of otb-main of 2024-04-01 stands as nothing and ought to be [" in refused(
        [journal, fewer], capsys
    )
    more = kept("more.json", said | {"rows": [*said["rows"], ["7", "100", 1]]})
    assert '["7", "100", 1] and ought to be nothing by line 8' in refused([journal, more], capsys)


def test_a_revised_list_is_held_against_its_own_line(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    journal = kept("journal.ndjson", bytes_of(OFFICE))
    as_first = kept("list.json", list_file(OFFICE, 8) | {"line": 10, "checkpoint": checkpoint(OFFICE, 10)})
    assert "by line 10 of the journal" in refused([journal, as_first], capsys)


def test_the_revision_is_counted_by_the_lines_that_say_otherwise_in_that_track(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    again = [*OFFICE, revised("2024-04-01", on="2024-04-04"), rated(on="2024-04-05")]
    again.append(revised("2024-04-01", on="2024-04-06"))
    journal = kept("journal.ndjson", bytes_of(again))
    third = kept("third.json", list_file(again, 13) | {"revision": 3})
    assert main([journal, kept("second.json", list_file(again, 10)), third]) == 0
    capsys.readouterr()
    assert "says it is revision 4 of otb-main of 2024-04-01, and line 13 publishes revision 3" in refused(
        [journal, kept("fourth.json", list_file(again, 13) | {"revision": 4})], capsys
    )
    assert "line 11 publishes no version of its own of otb-main" in refused(
        [journal, kept("same.json", list_file(again, 11))], capsys
    )


def test_the_number_of_a_version_after_one_of_another_program_is_remarked_not_counted(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other rules were applied, and by them its first version would have been the same."""
    again = [*OFFICE, revised("2024-04-01", on="2024-04-04")]
    journal = kept("journal.ndjson", bytes_of(again))
    said = list_file(again, 11) | {"revision": 3}
    former = {"former_program": {"version": "0.9.0", "sha256": "cd" * 32}}
    assert main([journal, kept("said.json", said | former)]) == 0
    assert "drawn up by another program, version 0.9.0" in capsys.readouterr().out
    assert "no version of its own" in refused([journal, kept("plain.json", said)], capsys)
    same = {"former_program": said["program"]}
    assert "no version of its own" in refused([journal, kept("same.json", said | same)], capsys)
    for revision in (1, 4):  # the first list and two revisions were published, and it is no first one
        other = said | former | {"revision": revision}
        assert "no version of its own" in refused([journal, kept("other.json", other)], capsys)
    right = list_file(again, 10) | former
    assert main([journal, kept("right.json", right)]) == 0
    assert "another program, version 0.9.0" not in capsys.readouterr().out


ALTERED: dict[str, Callable[[list[str]], list[str]]] = {
    "a result": lambda lines: [each.replace('"0-1"', '"1-0"') for each in lines],
    "a name": lambda lines: [each.replace("Player 101", "Player 102") for each in lines],
    "a salt": lambda lines: [lines[0], player("101", salt="0f" * 16), *lines[2:]],
    "the order": lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
    "a line taken out": lambda lines: [*lines[:4], *lines[5:]],
    "the end cut off": lambda lines: lines[:7],
    "a line put in": lambda lines: [*lines[:3], player("7"), *lines[3:]],
}


@pytest.mark.parametrize("altered", ALTERED)
def test_a_journal_altered_since_is_not_what_was_signed(
    altered: str, kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = kept("journal.ndjson", bytes_of(ALTERED[altered](OFFICE)))
    old = kept("old", checkpoint(OFFICE, 8))
    told = refused([journal, "--since", old], capsys)
    assert "lines are gone" in told or "the journal's first 8 lines are not those that were signed" in told


def test_what_comes_after_a_checkpoint_may_be_anything(kept: Kept) -> None:
    journal = kept("journal.ndjson", bytes_of([*OFFICE, player("7")]))
    assert main([journal, "--since", kept("old", checkpoint(OFFICE, 10))]) == 0


def test_a_checkpoint_that_another_key_signed_is_refused(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, forged = kept("journal.ndjson", bytes_of(OFFICE)), kept("old", checkpoint(OFFICE, 8, OTHER))
    assert "no known key signed the note" in refused(
        [journal, "--since", forged, "--key", str(SIGNER.key)], capsys
    )
    assert main([journal, "--since", forged]) == 0  # nobody said whose key it ought to be


def test_a_key_may_stand_in_a_file(kept: Kept) -> None:
    journal, old = kept("journal.ndjson", bytes_of(OFFICE)), kept("old", checkpoint(OFFICE, 8))
    key = kept("vkey", f"{SIGNER.key}\n{OTHER.key}\n{Signer(f'{ORIGIN}/2', bytes(32)).key}\n")
    assert main([journal, "--since", old, "--key", key]) == 0


def test_a_key_that_was_given_and_signed_nothing_is_no_ok(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, old = kept("journal.ndjson", bytes_of(OFFICE)), kept("old", checkpoint(OFFICE, 8))
    own, witness = str(SIGNER.key), str(OTHER.witness_key)
    assert "signed no checkpoint that was given" in refused([journal, "--key", own], capsys)
    assert "signed no checkpoint that was given" in refused(
        [journal, "--since", old, "--key", own, "--key", witness], capsys
    )
    assert "no known key signed the note" in refused([journal, "--since", old, "--key", witness], capsys)
    for wrong in (OTHER, Signer("elsewhere.example.org/journal", bytes(32))):
        assert f"{wrong.name} (key id {wrong.key.id.hex()}) signed no checkpoint" in refused(
            [journal, "--since", old, "--key", own, "--key", str(wrong.key)], capsys
        )
    unsigned = kept("list.json", list_file(OFFICE, 8) | {"checkpoint": None})
    assert main([journal, unsigned]) == 0
    capsys.readouterr()
    assert "carries no checkpoint, so there is no signature" in refused(
        [journal, unsigned, "--key", own], capsys
    )
    assert main([journal, "--since", old, "--key", kept("no keys", "")]) == 2


def test_a_witness_that_was_asked_for_has_signed_beside_the_office(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, note = kept("journal.ndjson", bytes_of(OFFICE)), checkpoint(OFFICE, 8)
    head, _, _ = note.partition("\n\n")
    keys = ["--key", str(SIGNER.key), "--key", str(OTHER.witness_key)]
    old = kept("old", note + OTHER.cosign(f"{head}\n", 1_800_000_000).line)
    assert main([journal, "--since", old, *keys]) == 0
    assert OTHER.witness_key.id.hex() in capsys.readouterr().out
    other = kept("other", note + OTHER.cosign(f"{head}\n\n", 1_800_000_000).line)
    assert "is not by its key" in refused([journal, "--since", other, *keys], capsys)
    alone = kept("alone", f"{head}\n\n" + OTHER.cosign(f"{head}\n", 1_800_000_000).line)
    assert "no known key signed the note" in refused([journal, "--since", alone, *keys], capsys)


def test_a_line_that_is_not_in_its_one_form_is_named(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    spaced = [*OFFICE[:6], OFFICE[6].replace(",", ", "), *OFFICE[7:]]
    told = refused([kept("journal.ndjson", bytes_of(spaced))], capsys)
    assert told.startswith("line 7 is not in its one form")
    assert OFFICE[6] in told


KEPT: dict[str, Callable[[str], str]] = {
    "without its last newline": lambda note: note.removesuffix("\n"),
    "with further empty lines": lambda note: note + "\n\n",
    "with a byte order mark": lambda note: "\ufeff" + note,
    "with another system's newlines": lambda note: note.replace("\n", "\r\n"),
    "with all of these": lambda note: "\ufeff" + note.replace("\n", "\r\n") + "\r\n",
}


@pytest.mark.parametrize("how", KEPT)
def test_a_checkpoint_may_be_kept_with_other_ends_and_its_signature_still_holds(
    how: str, kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = kept("journal.ndjson", bytes_of(OFFICE))
    old = kept("old", KEPT[how](checkpoint(OFFICE, 5)).encode())
    assert main([journal, "--since", old, "--key", str(SIGNER.key)]) == 0
    told = capsys.readouterr().out
    assert "the journal continues what was signed up to line 5" in told
    assert SIGNER.key.id.hex() in told


@pytest.mark.parametrize("altered", [" {}", "{} ", "\n{}", "{}\t"])
def test_a_checkpoint_altered_otherwise_is_still_no_note(
    altered: str, kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = kept("journal.ndjson", bytes_of(OFFICE))
    old = kept("old", altered.replace("{}", checkpoint(OFFICE, 5)))
    refused([journal, "--since", old, "--key", str(SIGNER.key)], capsys)


def test_a_kept_lists_file_stands_for_the_checkpoint_that_it_carries(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    said, key = kept("list.json", list_file(OFFICE, 8)), ["--key", str(SIGNER.key)]
    assert main([kept("later", bytes_of([*OFFICE, player("7")])), "--since", said, *key]) == 0
    assert (
        f"{said}: the journal continues what was signed up to line 8 of {ORIGIN}" in capsys.readouterr().out
    )
    rewritten = kept("rewritten", bytes_of(ALTERED["a salt"](OFFICE)))
    assert "the journal's first 8 lines are not those that were signed" in refused(
        [rewritten, "--since", said, *key], capsys
    )


def test_a_kept_lists_file_without_a_checkpoint_says_what_to_do(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    said = kept("list.json", list_file(OFFICE, 8) | {"checkpoint": None})
    told = refused([kept("journal.ndjson", bytes_of(OFFICE)), "--since", said], capsys)
    assert "carries no checkpoint: it was saved before its line was signed" in told


def test_a_malformed_journal_is_told_by_line(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused([kept("journal.ndjson", bytes_of([*OFFICE, "{}"]))], capsys)
    assert told.startswith("line 11: fact: ")


@pytest.mark.parametrize("content", ["[]", "{", "[" * 100_000, "\udcff", '"list"'])
def test_what_is_no_lists_file_is_refused(
    content: str, kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    said = kept("list.json", content.encode(errors="surrogateescape"))
    assert "is no list's file" in refused([kept("journal.ndjson", bytes_of(OFFICE)), said], capsys)


def test_a_list_without_a_checkpoint_yet_says_so(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    said = kept("list.json", list_file(OFFICE, 8) | {"checkpoint": None, "program": None})
    assert main([kept("journal.ndjson", bytes_of(OFFICE)), said]) == 0
    told = capsys.readouterr().out
    assert "it carries no checkpoint yet" in told
    assert "drawn up by" not in told


def test_what_cannot_be_read_or_understood_answers_2(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = kept("journal.ndjson", bytes_of(OFFICE))
    assert main([str(tmp_path / "nothing")]) == 2
    assert main([journal, str(tmp_path / "nothing")]) == 2
    assert main([journal, "--key", "a+b+AAAA"]) == 2
    assert "--key: “a+b+AAAA” is not a verifier key" in capsys.readouterr().err


def test_it_runs_without_django(kept: Kept) -> None:
    journal, said = kept("journal.ndjson", bytes_of(OFFICE)), kept("list.json", list_file(OFFICE, 8))
    program = "import sys; sys.modules['django'] = None; from ratings.check import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program, journal, said], capture_output=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, b"OK")
