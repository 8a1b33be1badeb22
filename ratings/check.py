"""Checks published lists and older checkpoints against a journal, by the pure core alone.

    python -m ratings.check JOURNAL [LIST.json ...] [--since OLD_CHECKPOINT] [--key VKEY]

OLD_CHECKPOINT is a checkpoint that was kept, or a kept list's file, which carries one. Prints OK and what was
checked, or ends with 1 and the first difference. Nothing but these files is read: no database, no clock, no
settings, no Django. Signatures are checked if the `cryptography` package is installed.
"""

from __future__ import annotations

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

from ratings import transparency_log
from ratings.rulesets.facts import LIST_FORM, JournalFact, ListClosing, ListedPlayer, Player, Revised, sealed
from ratings.rulesets.journal import Journal, JournalLists, list_content, read_journal
from ratings.rulesets.journal_lines import JournalError, file_lines, plain, write_line
from ratings.transparency_log import Checkpoint, Tree, entry_of, leaf_hash, open_checkpoint, read_checkpoint


# ---- The JSON file of a published list, as far as it is checked.
class CheckFailed(Exception):
    """Raised at the first difference; the message says what stands, and what ought to."""


class ListFile(TypedDict):
    """A published list's JSON file, read: the keys that are checked (docs/journal.md)."""

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
    """The program that drew up the version before this one, where that was another."""


KINDS: dict[str, tuple[type, ...]] = {
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
    """Read a list's file with the keys that are checked; CheckFailed where it is none."""
    try:
        said = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CheckFailed(f"{path}: is no list's file: {error}") from error
    if not isinstance(said, dict):
        raise CheckFailed(f"{path}: is no list's file")
    for key, kinds in KINDS.items():
        if not isinstance(said.get(key), kinds) or (key not in said):
            raise CheckFailed(f"{path}: is no list's file: {key} is missing or is not what it should be")
    found: ListFile = said  # type: ignore[assignment]
    return found


def program_needed(said: ListFile) -> str:
    """The words of a message on which program drew a list up: another may know other rules."""
    program = said["program"]
    if not program:
        return ""
    version, checksum = program.get("version", "?"), program.get("sha256", "?")
    drawn = f"version {version} of the program (ratings.pyz with SHA-256 {checksum})"
    return f"; the file says it was drawn up by {drawn}"


def former_program(said: ListFile) -> dict[str, str] | None:
    """The other program that drew up the version before this one, by what the file says; None: the same."""
    former, own = said.get("former_program"), said["program"]
    if not isinstance(former, dict) or not own or former.get("sha256") == own.get("sha256"):
        return None
    return former


# ---- The checks of a journal, of lists and of checkpoints.
DIFFERENT, MISUSED = 1, 2
"""Exit codes: something differs or is malformed; the command is wrong or a file cannot be read."""


@dataclass
class CheckedJournal:
    """A journal that was read without a problem, and what checks work out of it once."""

    lines: list[bytes]
    """The lines as they stand in the file, without line ends and without the end line."""
    journal: Journal
    keys: list[transparency_log.VerifierKey]
    """The keys with which checkpoints must be signed; none: no signature is checked."""
    lists: dict[int, dict[str, list[ListedPlayer]]] = field(default_factory=dict)
    signers: dict[transparency_log.VerifierKey, None] = field(default_factory=dict)
    """The keys whose signatures were checked and held, each once."""

    @cached_property
    def published(self) -> JournalLists:
        return JournalLists(self.journal)

    @cached_property
    def tree(self) -> Tree:
        """The journal as a log: an entry for each line in its sealed form."""
        return Tree(leaf_hash(entry_of(line)) for line in self.sealed_lines())

    def sealed_lines(self) -> Iterator[str]:
        for written, (_number, fact) in zip(self.lines, self.journal.lines, strict=True):
            if isinstance(fact, Player):
                yield write_line(sealed(fact), self.journal.ruleset)
            else:
                yield written.decode()

    def list_of(self, line: int) -> dict[str, list[ListedPlayer]]:
        """The lists that a line published, by track; LookupError where it published none."""
        if line not in self.lists:
            self.lists[line] = self.published.list_of_line(line)
        return self.lists[line]


def check(
    journal: Path, lists: Iterable[Path], since: Path | None, keys: list[transparency_log.VerifierKey]
) -> Iterator[str]:
    """Check the files and say what was checked, sentence by sentence.

    Raises CheckFailed, JournalError or OSError.
    """
    lines = list(file_lines(journal))
    record = read_journal(lines)
    above = lines[: len(record.lines)]
    held = CheckedJournal([line.removesuffix(b"\n") for line in above], record, keys)
    # Check that each line of the journal is the canonical line of its fact.
    for written, (number, fact) in zip(held.lines, held.journal.lines, strict=True):
        ought = write_line(fact, held.journal.ruleset)
        if written != ought.encode():
            raise CheckFailed(
                f"line {number} is not in its one form:\n"
                f"  it stands as    {written.decode()}\n"
                f"  and ought to be {ought}"
            )
    whole = "whole by its end line" if record.ended else "no end line lies beside it"
    yield (
        f"{journal}: the journal of {record.federation.code}, {len(held.lines)} lines in their one form, "
        f"SHA-256 {sha256(b''.join(above)).hexdigest()}; {whole}"
    )
    for path, said in sorted(((path, read_list(path)) for path in lists), key=lambda each: each[1]["line"]):
        yield from check_list(held, path, said)
    if since is not None:
        kept = kept_checkpoint(held, since)
        check_checkpoint(held, kept, str(since))
        yield f"{since}: the journal continues what was signed up to line {kept.size} of {kept.origin}"
    yield signatures(held)


# ---------------------------------------------------------------- lists
def check_list(held: CheckedJournal, path: Path, said: ListFile) -> Iterator[str]:
    """Check a list's file: its line, edition and revision, each row, its checksum, its checkpoint."""
    check_head(held, said, path)
    try:
        ought = held.list_of(said["line"]).get(said["track"], [])
    except LookupError as error:
        raise CheckFailed(f"{path}: {error}{program_needed(said)}") from error
    check_rows(said, ought, path)
    uncounted = check_revision(held, said, path)
    content = list_content(ought)
    if said["sha256"] != sha256(content).hexdigest():
        raise CheckFailed(
            f"{path}: its checksum stands as {said['sha256']} and ought to be {sha256(content).hexdigest()}"
        )
    if said["checkpoint"] is None:
        proof = "; it carries no checkpoint yet"
    else:
        check_checkpoint(held, checkpoint_of(held, said, path), str(path))
        proof = "; its checkpoint is the journal's"
    yield (
        f"{path}: {said['track']} of {said['on']}, line {said['line']}: "
        f"{len(ought)} rows agree, SHA-256 {said['sha256']}{proof}{uncounted}{program_needed(said)}"
    )


def check_head(held: CheckedJournal, said: ListFile, path: Path) -> None:
    """Check that a list's file names the journal's office, and its line's day and edition."""
    federation = held.journal.federation
    tracks = [track.code for track in held.journal.ruleset.tracks]
    if said["form"] != LIST_FORM:
        raise CheckFailed(f"{path}: is in form {said['form']}, and this program reads form {LIST_FORM} only")
    if said["code"] != federation.code:
        raise CheckFailed(f"{path}: is of {said['code']}, and the journal is of {federation.code}")
    if said["track"] not in tracks:
        raise CheckFailed(f"{path}: {said['track']} is no track here; there are: {', '.join(tracks)}")
    if not 1 <= said["line"] <= len(held.lines):
        raise CheckFailed(f"{path}: stands in line {said['line']}, and the journal has {len(held.lines)}")
    day = day_of_list(held.journal.lines[said["line"] - 1].fact)
    if day is None:
        raise CheckFailed(f"{path}: line {said['line']} of the journal publishes no list")
    if said["on"] != day.isoformat():
        raise CheckFailed(f"{path}: is of {said['on']}, and line {said['line']} publishes the list of {day}")
    edition = held.journal.ruleset.edition_of_day(day).name
    if said["edition"] != edition:
        raise CheckFailed(
            f"{path}: says it was drawn up by the edition “{said['edition']}”, and on {day} "
            f"“{edition}” was in force{program_needed(said)}"
        )


def day_of_list(fact: JournalFact) -> date | None:
    """The day whose list a line publishes; None where it publishes none."""
    match fact:
        case Revised(list=day):
            return day
        case ListClosing(on=day):
            return day
    return None


def check_revision(held: CheckedJournal, said: ListFile, path: Path) -> str:
    """Check the revision in a list's file: each line that changes the day's list in its track makes one.

    Where the file says that another program drew up the version before, no journal shows what that one had:
    the revision is then no more than the lines that publish the day's list, and a remark says so.
    """
    revision, newest, is_new, lines = 0, b"", False, 0
    for number, fact in held.journal.lines[: said["line"]]:
        day = day_of_list(fact)
        if day is not None and day.isoformat() == said["on"]:
            content = list_content(held.list_of(number).get(said["track"], []))
            is_new = content != newest
            revision, newest, lines = revision + is_new, content, lines + 1
    if is_new and said["revision"] == revision:
        return ""
    if (former := former_program(said)) and max(2, revision) <= said["revision"] <= lines:
        drawn = f"version {former.get('version', '?')} (SHA-256 {former.get('sha256', '?')})"
        return f"; the version before it was drawn up by another program, {drawn}, and is not compared"
    if not is_new:
        raise CheckFailed(
            f"{path}: line {said['line']} publishes no version of its own of {said['track']}: "
            "it says nothing otherwise than what stood before"
        )
    raise CheckFailed(
        f"{path}: says it is revision {said['revision']} of {said['track']} of {said['on']}, "
        f"and line {said['line']} publishes revision {revision}"
    )


def check_rows(said: ListFile, ought: list[ListedPlayer], path: Path) -> None:
    """Check each row of a list's file against the journal's; the first that differs is named."""
    given = [[row.player, plain(row.rating), row.games] for row in ought]
    for number, (stands, should) in enumerate(zip_longest(said["rows"], given), start=1):
        if stands != should:
            raise CheckFailed(
                f"{path}: row {number} of {said['track']} of {said['on']} stands as {as_json(stands)} "
                f"and ought to be {as_json(should)} by line {said['line']} of the journal"
                f"{program_needed(said)}"
            )


def as_json(row: Any) -> str:
    return "nothing" if row is None else json.dumps(row, ensure_ascii=False)


# ---------------------------------------------------------------- checkpoints
def kept_checkpoint(held: CheckedJournal, path: Path) -> Checkpoint:
    """Read a checkpoint that a reader kept, by itself or in a list's file.

    Accepts a byte order mark, CRLF, and blank lines or a missing newline at the end, which browsers and
    editors cause. Everything else must follow the form of a signed note.
    """
    text = path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n").rstrip("\n") + "\n"
    if not text.startswith("{"):
        return signed(held, text, str(path))
    said = read_list(path)
    if said["checkpoint"] is None:
        raise CheckFailed(
            f"{path}: carries no checkpoint: it was saved before its line was signed. "
            "Give --since a list's file that was saved later, or a checkpoint"
        )
    return checkpoint_of(held, said, path)


def checkpoint_of(held: CheckedJournal, said: ListFile, path: Path) -> Checkpoint:
    """Read the checkpoint in a list's file, which must be of the list's log and end at the list's line."""
    found = signed(held, said["checkpoint"] or "", str(path))
    if found.origin != said["origin"]:
        raise CheckFailed(f"{path}: its checkpoint is of {found.origin}, and the list of {said['origin']}")
    if found.size != said["line"]:
        raise CheckFailed(
            f"{path}: its checkpoint is of {found.size} lines, and the list stands in line {said['line']}"
        )
    return found


def signed(held: CheckedJournal, note: str, where: str) -> Checkpoint:
    """Read a checkpoint, and check that a known key signed it, if there are keys and the means to check."""
    try:
        if held.keys and transparency_log.signatures_can_be_checked:
            found, by = open_checkpoint(note, held.keys)
            held.signers.update(dict.fromkeys(by))
            return found
        return read_checkpoint(note)
    except transparency_log.NoteError as error:
        raise CheckFailed(f"{where}: its checkpoint: {error}") from error


def check_checkpoint(held: CheckedJournal, checkpoint: Checkpoint, where: str) -> None:
    """Check that the journal begins with the very lines that a checkpoint signs, in their sealed form."""
    size = checkpoint.size
    if size > held.tree.size:
        raise CheckFailed(
            f"{where}: {size} lines were signed, and the journal has {held.tree.size}: lines are gone"
        )
    if held.tree.root(size) != checkpoint.root:
        raise CheckFailed(
            f"{where}: the journal's first {size} lines are not those that were signed: "
            f"their root stands as {held.tree.root(size).hex()} and ought to be {checkpoint.root.hex()}; "
            "a line, a name or a salt among them is another, or a line was put in or taken out"
        )


def signatures(held: CheckedJournal) -> str:
    """The last sentence of a check: which keys' signatures were checked, or why none was."""
    if not transparency_log.signatures_can_be_checked:
        return "Signatures were not checked: that needs the package cryptography (pip install cryptography)"
    if not held.keys:
        return "Signatures were not checked: give the office's verifier key with --key"
    if not held.signers:
        return "Signatures were not checked: no file that was given carries a checkpoint"
    keys = ", ".join(f"{key.name} (key id {key.id.hex()})" for key in held.signers)
    return f"Signatures were checked, and are by the key {keys}"


# ---------------------------------------------------------------- the command
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
        keys = [transparency_log.parse_key(line) for key in given.key for line in _text(key).split()]
        looked_at = list(check(given.journal, given.lists, given.since, keys))
    except (CheckFailed, JournalError) as error:
        print(error, file=sys.stderr)
        return DIFFERENT
    except transparency_log.NoteError as error:
        print(f"--key: {error}", file=sys.stderr)
        return MISUSED
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return MISUSED
    print("\n".join(looked_at))
    print("OK")
    return 0


def _text(key: str) -> str:
    """The text of the verifier keys in an argument: the argument itself, or the file that it names."""
    path = Path(key)
    return path.read_text(encoding="utf-8") if "+" not in key or path.is_file() else key


if __name__ == "__main__":
    sys.exit(main())
