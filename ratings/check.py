"""Check published lists and older checkpoints against a journal, by the pure core alone.

    python -m ratings.check JOURNAL [LIST.json ...] [--since OLD_CHECKPOINT] [--key VKEY]

OLD_CHECKPOINT is a checkpoint that was kept, or a kept list's file, which carries one. Prints OK and what was
checked, or ends with 1 and the first difference. Nothing but these files is read: no database, no clock, no
settings, no Django. Where a key is given, a signature that is wrong or missing is a difference.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from ratings.rulesets import facts
from ratings.rulesets.journal import Journal, JournalLists, list_content, read_journal
from ratings.rulesets.journal_lines import JournalError, file_and_end_lines, plain, write_line
from ratings.transparency_log import (
    COSIGNATURE,
    ED25519,
    Checkpoint,
    NoteError,
    Tree,
    VerifierKey,
    leaf_hash,
    log_entry,
    parse_checkpoint,
    parse_note,
    read_checkpoint,
    read_keys,
    verify_note,
)


# ---- The JSON file of a published list
class CheckFailed(Exception):
    """Raised at the first difference; the message gives the found and the expected value."""


class ListFile(TypedDict):
    """The keys of a published list's JSON file that are checked (docs/journal.md)."""

    form: int
    origin: str | None
    code: str
    track: str
    on: str
    revision: int
    line: int
    edition: str
    program: dict[str, str] | None
    sha256: str
    checkpoint: str | None
    rows: list[list[Any]]
    former_program: NotRequired[dict[str, str]]
    """The program that drew up the version before this one, if it was another."""


KEY_TYPES: dict[str, tuple[type, ...]] = {
    "form": (int,),
    "origin": (str, type(None)),
    "code": (str,),
    "track": (str,),
    "on": (str,),
    "revision": (int,),
    "line": (int,),
    "edition": (str,),
    "program": (dict, type(None)),
    "sha256": (str,),
    "checkpoint": (str, type(None)),
    "rows": (list,),
}


def read_list(path: Path) -> ListFile:
    """Read a list's file; raise CheckFailed if it lacks a key that is checked."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CheckFailed(f"{path}: is no list's file: {error}") from error
    if not isinstance(content, dict):
        raise CheckFailed(f"{path}: is no list's file")
    for key, kinds in KEY_TYPES.items():
        if not isinstance(content.get(key), kinds) or (key not in content):
            raise CheckFailed(f"{path}: is no list's file: {key} is missing or is not what it should be")
    found: ListFile = content  # type: ignore[assignment]
    return found


def describe_program(file: ListFile) -> str:
    """Words for a message on which program drew a list up, because another may have other rules."""
    program = file["program"]
    if not program:
        return ""
    version, checksum = program.get("version", "?"), program.get("sha256", "?")
    drawn = f"version {version} of the program (ratings.pyz with SHA-256 {checksum})"
    return f"; the file says it was drawn up by {drawn}"


def find_former_program(file: ListFile) -> dict[str, str] | None:
    """The program that drew up the version before this one, according to the file; None if it is the same."""
    former, own = file.get("former_program"), file["program"]
    if not isinstance(former, dict) or not own or former.get("sha256") == own.get("sha256"):
        return None
    return former


# ---- The journal
DIFFERENT, MISUSED = 1, 2
"""Exit codes: something differs or is malformed; the command is wrong or a file cannot be read."""


@dataclass
class CheckedJournal:
    """A journal that was read without a problem, and what checks compute from it once."""

    lines: list[bytes]
    """The lines of the file, without line ends and without the end line."""
    journal: Journal
    given: list[list[VerifierKey]]
    """The keys that each argument gives, of which one must have signed; if empty, no signature is checked."""
    lists: dict[int, dict[str, list[facts.ListedPlayer]]] = field(default_factory=dict)
    signers: dict[VerifierKey, None] = field(default_factory=dict)
    """The keys whose signatures were verified, as an ordered set."""

    @property
    def keys(self) -> list[VerifierKey]:
        return [key for keys in self.given for key in keys]

    @cached_property
    def published(self) -> JournalLists:
        return JournalLists(self.journal)

    @cached_property
    def tree(self) -> Tree:
        """The journal as a log: an entry for each line in its sealed form."""
        return Tree(leaf_hash(log_entry(line)) for line in self.sealed_lines())

    def sealed_lines(self) -> Iterator[str]:
        for written, (_number, fact) in zip(self.lines, self.journal.lines, strict=True):
            if isinstance(fact, facts.Player):
                yield write_line(facts.seal_player(fact), self.journal.ruleset)
            else:
                yield written.decode()

    def lists_in_line(self, line: int) -> dict[str, list[facts.ListedPlayer]]:
        """The lists that a line published, by track; LookupError where it published none."""
        if line not in self.lists:
            self.lists[line] = self.published.list_of_line(line)
        return self.lists[line]


def check(
    journal: Path, lists: Iterable[Path], since: Path | None, keys: list[list[VerifierKey]]
) -> Iterator[str]:
    """Yield sentences on what was checked. Raises CheckFailed, JournalError or OSError."""
    lines = list(file_and_end_lines(journal))
    record = read_journal(lines)
    above = lines[: len(record.lines)]
    checked = CheckedJournal([line.removesuffix(b"\n") for line in above], record, keys)
    for written, (number, fact) in zip(checked.lines, record.lines, strict=True):
        expected = write_line(fact, record.ruleset)
        if written != expected.encode():
            raise CheckFailed(
                f"line {number} is not in its one form:\n"
                f"  it stands as    {written.decode()}\n"
                f"  and ought to be {expected}"
            )
    whole = "whole by its end line" if record.ended else "no end line lies beside it"
    yield (
        f"{journal}: the journal of {record.federation.code}, {len(checked.lines)} lines in their one form, "
        f"SHA-256 {sha256(b''.join(above)).hexdigest()}; {whole}"
    )
    for path, file in sorted(((path, read_list(path)) for path in lists), key=lambda each: each[1]["line"]):
        yield from check_list(checked, path, file)
    if since is not None:
        kept = read_kept_checkpoint(checked, since)
        check_checkpoint(checked, kept, str(since))
        yield f"{since}: the journal continues what was signed up to line {kept.size} of {kept.origin}"
    yield describe_signatures(checked)


# ---- Lists
def check_list(checked: CheckedJournal, path: Path, file: ListFile) -> Iterator[str]:
    """Check a list's file: its line, edition and revision, each row, its checksum, its checkpoint."""
    check_list_head(checked, file, path)
    try:
        expected = checked.lists_in_line(file["line"]).get(file["track"], [])
    except LookupError as error:
        raise CheckFailed(f"{path}: {error}{describe_program(file)}") from error
    check_rows(file, expected, path)
    uncounted = check_revision(checked, file, path)
    content = list_content(expected)
    if file["sha256"] != sha256(content).hexdigest():
        raise CheckFailed(
            f"{path}: its checksum stands as {file['sha256']} and ought to be {sha256(content).hexdigest()}"
        )
    if file["checkpoint"] is None and checked.keys:
        raise CheckFailed(
            f"{path}: carries no checkpoint, so there is no signature to check: it was saved before its line "
            "was signed. Save it again"
        )
    if file["checkpoint"] is None:
        proof = "; it carries no checkpoint yet"
    else:
        check_checkpoint(checked, read_list_checkpoint(checked, file, path), str(path))
        proof = "; its checkpoint is the journal's"
    yield (
        f"{path}: {file['track']} of {file['on']}, line {file['line']}: "
        f"{len(expected)} rows agree, SHA-256 {file['sha256']}{proof}{uncounted}{describe_program(file)}"
    )


def check_list_head(checked: CheckedJournal, file: ListFile, path: Path) -> None:
    """Check that a list's file names the journal's office, and its line's day and edition."""
    federation = checked.journal.federation
    tracks = [track.code for track in checked.journal.ruleset.tracks]
    if file["form"] != facts.LIST_FORM:
        raise CheckFailed(
            f"{path}: is in form {file['form']}, and this program reads form {facts.LIST_FORM} only"
        )
    if file["code"] != federation.code:
        raise CheckFailed(f"{path}: is of {file['code']}, and the journal is of {federation.code}")
    if file["track"] not in tracks:
        raise CheckFailed(f"{path}: {file['track']} is no track here; there are: {', '.join(tracks)}")
    if not 1 <= file["line"] <= len(checked.lines):
        raise CheckFailed(f"{path}: stands in line {file['line']}, and the journal has {len(checked.lines)}")
    day = find_list_day(checked.journal.lines[file["line"] - 1].fact)
    if day is None:
        raise CheckFailed(f"{path}: line {file['line']} of the journal publishes no list")
    if file["on"] != day.isoformat():
        raise CheckFailed(f"{path}: is of {file['on']}, and line {file['line']} publishes the list of {day}")
    edition = checked.journal.ruleset.edition_on_or_first(day).name
    if file["edition"] != edition:
        raise CheckFailed(
            f"{path}: says it was drawn up by the edition “{file['edition']}”, and on {day} "
            f"“{edition}” was in force{describe_program(file)}"
        )


def find_list_day(fact: facts.JournalFact) -> date | None:
    """The day whose list a line publishes; None if it publishes none."""
    match fact:
        case facts.Revised(list=day) | facts.ListClosing(on=day):
            return day
    return None


def check_revision(checked: CheckedJournal, file: ListFile, path: Path) -> str:
    """Check the revision in a list's file: each line that changes the day's list in its track makes one.

    Where the file says that another program drew up the version before, no journal shows what that one had:
    the revision is then at most the number of lines that publish the day's list, and the returned remark says
    so.
    """
    revision, newest, is_new, lines = 0, b"", False, 0
    for number, fact in checked.journal.lines[: file["line"]]:
        day = find_list_day(fact)
        if day is not None and day.isoformat() == file["on"]:
            content = list_content(checked.lists_in_line(number).get(file["track"], []))
            is_new = content != newest
            revision, newest, lines = revision + is_new, content, lines + 1
    if is_new and file["revision"] == revision:
        return ""
    if (former := find_former_program(file)) and max(2, revision) <= file["revision"] <= lines:
        drawn = f"version {former.get('version', '?')} (SHA-256 {former.get('sha256', '?')})"
        return f"; the version before it was drawn up by another program, {drawn}, and is not compared"
    if not is_new:
        raise CheckFailed(
            f"{path}: line {file['line']} publishes no version of its own of {file['track']}: "
            "it says nothing otherwise than what stood before"
        )
    raise CheckFailed(
        f"{path}: says it is revision {file['revision']} of {file['track']} of {file['on']}, "
        f"and line {file['line']} publishes revision {revision}"
    )


def check_rows(file: ListFile, expected: list[facts.ListedPlayer], path: Path) -> None:
    """Check each row of a list's file against the journal's."""
    given = [[row.player, plain(row.rating), row.games] for row in expected]
    for number, (stands, should) in enumerate(zip_longest(file["rows"], given), start=1):
        if stands != should:
            raise CheckFailed(
                f"{path}: row {number} of {file['track']} of {file['on']} "
                f"stands as {format_list_row(stands)} "
                f"and ought to be {format_list_row(should)} by line {file['line']} of the journal"
                f"{describe_program(file)}"
            )


def format_list_row(row: Any) -> str:
    return "nothing" if row is None else json.dumps(row, ensure_ascii=False)


# ---- Checkpoints
def read_kept_checkpoint(checked: CheckedJournal, path: Path) -> Checkpoint:
    """Read a checkpoint that a reader kept, by itself or in a list's file.

    Accepts a byte order mark, CRLF, and blank lines or a missing newline at the end, which browsers and
    editors cause. Everything else must follow the form of a signed note.
    """
    text = path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n").rstrip("\n") + "\n"
    if not text.startswith("{"):
        return read_signed_checkpoint(checked, text, str(path))
    file = read_list(path)
    if file["checkpoint"] is None:
        raise CheckFailed(
            f"{path}: carries no checkpoint: it was saved before its line was signed. "
            "Give --since a list's file that was saved later, or a checkpoint"
        )
    return read_list_checkpoint(checked, file, path)


def read_list_checkpoint(checked: CheckedJournal, file: ListFile, path: Path) -> Checkpoint:
    """Read the checkpoint in a list's file, which must be of the list's log and end at the list's line."""
    found = read_signed_checkpoint(checked, file["checkpoint"] or "", str(path))
    if found.origin != file["origin"]:
        raise CheckFailed(f"{path}: its checkpoint is of {found.origin}, and the list of {file['origin']}")
    if found.size != file["line"]:
        raise CheckFailed(
            f"{path}: its checkpoint is of {found.size} lines, and the list stands in line {file['line']}"
        )
    return found


def read_signed_checkpoint(checked: CheckedJournal, note: str, where: str) -> Checkpoint:
    """Read a checkpoint, and check that a known key signed it, if there are keys."""
    try:
        if not checked.keys:
            return read_checkpoint(note)
        signed = parse_note(note)
        # Of an office's keys one has signed; witnesses may have signed later, or something else.
        own = [key for key in checked.keys if key.kind == ED25519]
        witnesses = [key for key in checked.keys if key.kind == COSIGNATURE]
        named = [key for key in witnesses if any(each.made_by(key) for each in signed.signatures)]
        for keys in (own, named if own else witnesses):
            if keys:
                checked.signers.update(dict.fromkeys(verify_note(signed, keys)))
        return parse_checkpoint(signed.text)
    except NoteError as error:
        raise CheckFailed(f"{where}: its checkpoint: {error}") from error


def check_checkpoint(checked: CheckedJournal, checkpoint: Checkpoint, where: str) -> None:
    """Check that the journal begins with the lines that a checkpoint signs, in their sealed form."""
    size = checkpoint.size
    if size > checked.tree.size:
        raise CheckFailed(
            f"{where}: {size} lines were signed, and the journal has {checked.tree.size}: lines are gone"
        )
    if checked.tree.root(size) != checkpoint.root:
        raise CheckFailed(
            f"{where}: the journal's first {size} lines are not those that were signed: "
            f"their root stands as {checked.tree.root(size).hex()} and ought to be {checkpoint.root.hex()}; "
            "a line, a name or a salt among them is another, or a line was put in or taken out"
        )


def describe_signatures(checked: CheckedJournal) -> str:
    """The last sentence of a check: which keys' signatures were checked.

    Raises `CheckFailed` where a key was given and signed nothing; of an office's keys in a file one will do.
    """
    if not checked.keys:
        return "Signatures were not checked: give the office's verifier key with --key"
    for keys in checked.given:
        office_signed = any(key.kind == ED25519 and key in checked.signers for key in keys)
        for key in keys:
            if key in checked.signers or (key.kind == ED25519 and office_signed):
                continue
            raise CheckFailed(f"{key.name} (key id {key.id.hex()}) signed no checkpoint that was given")
    named = ", ".join(f"{key.name} (key id {key.id.hex()})" for key in checked.signers)
    return f"Signatures were checked, and are by the key {named}"


# ---- The command
def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m ratings.check", description="Hold published lists against an open journal."
    )
    parser.add_argument("journal", metavar="JOURNAL", type=Path, help="the journal's file")
    parser.add_argument("lists", metavar="LIST.json", type=Path, nargs="*", help="a published list's file")
    parser.add_argument(
        "--since",
        metavar="OLD_CHECKPOINT",
        type=Path,
        help="a checkpoint or a list's file that was kept: does it still hold?",
    )
    parser.add_argument(
        "--key", metavar="VKEY", action="append", default=[], help="the office's verifier key, or its file"
    )
    given = parser.parse_args(arguments)
    try:
        keys = [read_keys(argument) for argument in given.key]
        sentences = list(check(given.journal, given.lists, given.since, keys))
    except (CheckFailed, JournalError) as error:
        print(error, file=sys.stderr)
        return DIFFERENT
    except NoteError as error:
        print(f"--key: {error}", file=sys.stderr)
        return MISUSED
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return MISUSED
    print("\n".join(sentences))
    print("OK")
    return 0


if __name__ == "__main__":
    sys.exit(main())
