"""The journal's log in the formats of C2SP and RFC 6962: the published examples, each rule's both sides."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from ratings import transparency_log
from ratings.tests import log_proofs
from ratings.transparency_log import NoteError, Signer, Tile, Tree, VerifierKey

ROOT = Path(__file__).resolve().parents[2]

# RFC 6962's test vectors as every implementation has them: eight entries, and the roots of the first 1 to 8.
ENTRIES = [bytes.fromhex(e) for e in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

# The example of Go's golang.org/x/mod/sumdb/note.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETERS_LINE = (
    "— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ENOCHS_LINE = (
    "— EnochRoot "
    "rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)

# The example of C2SP's tlog-checkpoint and tlog-cosignature; the keys are not published.
BEHIND_THE_SOFA = """example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
"""  # noqa: E501
A_ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="

ALICE = Signer("ratings.example.org/csa/journal", bytes(range(32)))


def leaves(count: int) -> list[bytes]:
    return [transparency_log.leaf_hash(b"%d" % number) for number in range(count)]


# ---------------------------------------------------------------- the tree (RFC 6962)


def test_the_roots_of_the_published_entries_are_the_published_roots() -> None:
    whole = Tree(map(transparency_log.leaf_hash, ENTRIES))
    assert [whole.root(size).hex() for size in range(1, 9)] == ROOTS
    assert whole.root(0) == Tree().root() == hashlib.sha256(b"").digest()


def test_an_entry_is_the_hexadecimal_checksum_of_the_line_without_its_newline() -> None:
    line = '{"fact":"list","on":"2024-04-01"}'
    assert transparency_log.log_entry(line) == hashlib.sha256(line.encode()).hexdigest().encode()


@given(st.integers(1, 300), st.data())
def test_an_inclusion_proof_shows_its_leaf_in_its_tree_and_nothing_else(
    size: int, data: st.DataObject
) -> None:
    whole = Tree(leaves(size))
    index = data.draw(st.integers(0, size - 1))
    proof = log_proofs.inclusion_proof(whole.node, index, size)
    log_proofs.verify_inclusion(whole.node(0, index), index, size, proof, whole.root())
    with pytest.raises(transparency_log.ProofError):
        log_proofs.verify_inclusion(transparency_log.leaf_hash(b"another"), index, size, proof, whole.root())
    with pytest.raises(transparency_log.ProofError):
        log_proofs.verify_inclusion(whole.node(0, index), index, size, [*proof, bytes(32)], whole.root())
    if proof:
        with pytest.raises(transparency_log.ProofError):
            log_proofs.verify_inclusion(whole.node(0, index), index, size, proof[:-1], whole.root())


@given(st.integers(1, 300), st.data())
def test_a_consistency_proof_shows_that_a_tree_continues_another_and_nothing_else(
    size: int, data: st.DataObject
) -> None:
    whole = Tree(leaves(size))
    old = data.draw(st.integers(0, size))
    proof = transparency_log.consistency_proof(whole.node, old, size)
    transparency_log.verify_consistency(old, whole.root(old), size, whole.root(), proof)
    with pytest.raises(transparency_log.ProofError):
        transparency_log.verify_consistency(old, bytes(32), size, whole.root(), proof)
    with pytest.raises(transparency_log.ProofError):
        transparency_log.verify_consistency(old, whole.root(old), size, whole.root(), [*proof, bytes(32)])
    if old > 0:
        with pytest.raises(transparency_log.ProofError):
            transparency_log.verify_consistency(old, whole.root(old), size, bytes(32), proof)
    if proof:
        with pytest.raises(transparency_log.ProofError):
            transparency_log.verify_consistency(old, whole.root(old), size, whole.root(), proof[:-1])


@pytest.mark.parametrize("index", [-1, 5])
def test_no_proof_speaks_of_a_leaf_outside_the_tree(index: int) -> None:
    whole = Tree(leaves(5))
    with pytest.raises(transparency_log.ProofError, match=f"no leaf {index} in a tree of 5"):
        log_proofs.inclusion_proof(whole.node, index, 5)
    with pytest.raises(transparency_log.ProofError, match=f"no leaf {index} in a tree of 5"):
        log_proofs.verify_inclusion(bytes(32), index, 5, [], whole.root())


def test_no_tree_continues_a_longer_one() -> None:
    whole = Tree(leaves(6))
    for make in (
        lambda: transparency_log.consistency_proof(whole.node, 6, 5),
        lambda: transparency_log.verify_consistency(6, whole.root(6), 5, whole.root(5), []),
    ):
        with pytest.raises(transparency_log.ProofError, match="a tree of 5 does not continue one of 6"):
            make()


# ---------------------------------------------------------------- tiles (C2SP tlog-tiles)


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "tile/0/000"),
        (Tile(0, 999), "tile/0/999"),
        (Tile(0, 1000), "tile/0/x001/000"),
        (Tile(0, 1234067), "tile/0/x001/x234/067"),  # the text's own example
        (Tile(1, 0, 17), "tile/1/000.p/17"),
        (Tile(63, 5, 255), "tile/63/005.p/255"),
        (Tile(transparency_log.ENTRIES_LEVEL, 12, 3), "tile/entries/012.p/3"),
    ],
)
def test_a_tile_has_one_path(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert transparency_log.parse_tile_path(path) == tile


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/0", "tile/0/0000", "tile/00/000", "tile/64/000", "tile/0/x000/001", "tile/0/000.p/0",
        "tile/0/000.p/256", "tile/0/000.p/03", "tile/0/001/000", "tile/data/000", "tile/0/000/",
        "tile/0/x001", "/tile/0/000", "tile/0/٠٠٠",
    ],
)  # fmt: skip
def test_any_other_way_to_write_a_path_is_no_tile(path: str) -> None:
    assert transparency_log.parse_tile_path(path) is None


def test_a_tree_of_70000_has_the_tiles_that_the_text_names() -> None:
    found = list(log_proofs.iterate_tiles(70_000))
    assert len([t for t in found if t.level == 0 and t.full]) == 273
    assert [(t.level, t.width) for t in found if not t.full] == [(0, 112), (1, 17), (2, 1)]
    assert len([t for t in found if t.level == 1 and t.full]) == 1
    assert len(found) == 273 + 1 + 1 + 1 + 1


def test_a_tree_of_256_has_a_full_tile_and_one_hash_above() -> None:
    assert list(log_proofs.iterate_tiles(255)) == [Tile(0, 0, 255)]
    assert list(log_proofs.iterate_tiles(256)) == [Tile(0, 0), Tile(1, 0, 1)]
    assert list(log_proofs.iterate_tiles(300, old_size=256)) == [Tile(0, 1, 44), Tile(1, 0, 1)]
    assert list(log_proofs.iterate_tiles(0)) == []


def content_of(whole: Tree, tile: Tile) -> bytes:
    first = tile.index * transparency_log.WIDTH
    return b"".join(whole.node(tile.level * transparency_log.HEIGHT, first + at) for at in range(tile.width))


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 511, 512, 700, 65_536 + 256 + 3])
def test_roots_and_proofs_come_out_of_tiles_alone(size: int) -> None:
    whole = Tree(leaves(size))
    reader = transparency_log.TileReader(lambda tile: content_of(whole, tile), size)
    assert transparency_log.tree_root(reader.node, size) == whole.root()
    for index in {0, size // 2, size - 1}:
        assert log_proofs.inclusion_proof(reader.node, index, size) == log_proofs.inclusion_proof(
            whole.node, index, size
        )
    for old in {1, size // 2 or 1, size}:
        assert transparency_log.consistency_proof(
            reader.node, old, size
        ) == transparency_log.consistency_proof(whole.node, old, size)


def test_the_hash_above_a_full_tile_is_its_trees_root_and_a_partial_one_has_none() -> None:
    whole = Tree(leaves(256))
    assert transparency_log.tile_root(content_of(whole, Tile(0, 0))) == whole.root()
    with pytest.raises(ValueError, match="only a full tile"):
        transparency_log.tile_root(bytes(32 * 255))


def test_a_bundle_holds_entries_each_behind_its_length_as_a_big_endian_uint16() -> None:
    entry = transparency_log.log_entry("a line")
    assert transparency_log.pack_bundle([entry]) == b"\x00\x40" + entry
    assert log_proofs.split_bundle(transparency_log.pack_bundle([entry, b"", b"x" * 300])) == [
        entry,
        b"",
        b"x" * 300,
    ]
    with pytest.raises(ValueError, match="ends within an entry"):
        log_proofs.split_bundle(transparency_log.pack_bundle([entry])[:-1])


# ---------------------------------------------------------------- signed notes (C2SP signed-note)


def test_the_published_note_opens_with_its_key_and_signing_gives_the_same_bytes() -> None:
    signer = transparency_log.parse_signer(PETERS_SECRET)
    assert str(signer.key) == PETER
    assert signer.secret() == PETERS_SECRET
    assert str(transparency_log.SignedNote(TEXT).signed(signer)) == f"{TEXT}\n{PETERS_LINE}"
    note = transparency_log.parse_note(f"{TEXT}\n{PETERS_LINE}{ENOCHS_LINE}")
    both = [transparency_log.parse_key(PETER), transparency_log.parse_key(ENOCH)]
    assert transparency_log.verify_note(note, both) == both
    assert str(note) == f"{TEXT}\n{PETERS_LINE}{ENOCHS_LINE}"


def test_a_note_of_a_known_key_with_a_wrong_signature_is_refused() -> None:
    altered = transparency_log.parse_note(f"{TEXT.replace('answer', 'cause')}\n{PETERS_LINE}")
    with pytest.raises(NoteError, match="the signature of PeterNeumann is not by its key"):
        transparency_log.verify_note(altered, [transparency_log.parse_key(PETER)])


def test_a_note_of_unknown_keys_alone_is_refused() -> None:
    note = transparency_log.parse_note(f"{TEXT}\n{PETERS_LINE}")
    with pytest.raises(NoteError, match="no known key signed the note"):
        transparency_log.verify_note(
            note, [transparency_log.parse_key(ENOCH), VerifierKey("PeterNeumann", bytes(32))]
        )


@pytest.mark.parametrize("at", range(len(PETER)))
def test_a_verifier_key_with_any_letter_altered_is_refused(at: int) -> None:
    """As Go's own test does it."""
    altered = PETER[:at] + chr(ord(PETER[at]) + 1) + PETER[at + 1 :]
    with pytest.raises(NoteError):
        transparency_log.parse_key(altered)


@pytest.mark.parametrize(
    "key",
    ["PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
     "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
     "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", ""],
)  # fmt: skip
def test_a_key_of_another_length_or_type_or_without_a_name_is_refused(key: str) -> None:
    with pytest.raises(NoteError):
        transparency_log.parse_key(key)


@pytest.mark.parametrize(
    "note",
    ["", "text\n", "text\n\n", f"text\n{PETERS_LINE}", f"{TEXT}\n{PETERS_LINE}".rstrip("\n"),
     f"{TEXT}\n{PETERS_LINE}".replace("—", "-"), f"a\tb\n\n{PETERS_LINE}", f"{TEXT}\n— x AAAA\n",
     f"{TEXT}\n{PETERS_LINE * 65}"],
)  # fmt: skip
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(NoteError):
        transparency_log.parse_note(note)


def test_a_private_keys_words_never_stand_in_an_error_or_a_printed_signer() -> None:
    with pytest.raises(NoteError) as refused:
        transparency_log.parse_signer(PETERS_SECRET.replace("c74f20a3", "c74f20a4"))
    assert "AYEK" not in str(refused.value)
    assert "AYEK" not in repr(transparency_log.parse_signer(PETERS_SECRET))


# ---------------------------------------------------------------- checkpoints (C2SP tlog-checkpoint)


def test_the_published_checkpoint_reads_as_the_text_says() -> None:
    read = transparency_log.read_checkpoint(BEHIND_THE_SOFA)
    assert (read.origin, read.size, read.extensions) == ("example.com/behind-the-sofa", 20_852_163, ())
    assert base64.b64encode(read.root).decode() == "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
    assert str(transparency_log.parse_note(BEHIND_THE_SOFA)) == BEHIND_THE_SOFA
    assert read.decisions is None


def test_a_checkpoint_is_signed_read_and_carries_the_head_of_the_decisions() -> None:
    said = transparency_log.Checkpoint(
        ALICE.name, 5, Tree(leaves(5)).root(), (transparency_log.decisions_line(7, "ab" * 32),)
    )
    note = str(said.signed(ALICE))
    assert transparency_log.verify_note(transparency_log.parse_note(note), [ALICE.key]) == [ALICE.key]
    assert transparency_log.read_checkpoint(note) == said
    assert said.decisions == (7, "ab" * 32)
    altered = transparency_log.parse_note(note.replace("\n5\n", "\n6\n"))
    with pytest.raises(NoteError, match="not by its key"):
        transparency_log.verify_note(altered, [ALICE.key])


@pytest.mark.parametrize(
    "text",
    [
        "a\n1\n", f"a\n1\n{A_ROOT}", f"a\n01\n{A_ROOT}\n", f"a\n-1\n{A_ROOT}\n", f"a\n1\n{A_ROOT[:-1]}\n",
        "a\n1\nAAAA\n", f"\n1\n{A_ROOT}\n", f"a\n1\n{A_ROOT}\n\nx\n",
    ],
)  # fmt: skip
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        transparency_log.parse_checkpoint(text)


def test_a_witness_signs_with_its_time_and_another_time_is_refused() -> None:
    said = transparency_log.Checkpoint(ALICE.name, 5, Tree(leaves(5)).root())
    witness = Signer("witness.example.com/w1", bytes(range(1, 33)))
    key, time = witness.witness_key, 1_679_315_147
    signed = witness.cosign(said.text, time)
    assert signed.time == time
    raw = witness.sign(f"cosignature/v1\ntime {time}\n{said.text}").signature
    assert signed.signature[8:] == raw
    transparency_log.check_signature(signed, key, said.text)
    later = transparency_log.Signature(key.name, key.id, (time + 1).to_bytes(8, "big") + raw)
    with pytest.raises(NoteError, match="not by its key"):
        transparency_log.check_signature(later, key, said.text)
    assert transparency_log.parse_key(str(key)) == key


# ---------------------------------------------------------------- without anything installed


def test_signatures_are_made_and_checked_without_any_package() -> None:
    program = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from ratings import transparency_log as log\n"
        f"peter, enoch = log.parse_key({PETER!r}), log.parse_key({ENOCH!r})\n"
        f"note = log.parse_note({TEXT + chr(10) + PETERS_LINE!r})\n"
        "assert log.verify_note(note, [peter]) == [peter]\n"
        f"assert log.SignedNote(note.text).signed(log.parse_signer({PETERS_SECRET!r})) == note\n"
        "forged = log.Signature(enoch.name, enoch.id, note.signatures[0].signature)\n"
        "try:\n    log.check_signature(forged, enoch, note.text)\n"
        "except log.NoteError:\n    print('django' in sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "False"
