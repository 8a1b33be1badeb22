"""Answers to the questions of a past, by somebody who knows everybody, from table to table."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict

from tests.pasts.othello import OthelloPast
from tests.pasts.people import Person
from tests.pasts.play import Past

_WHERE = re.compile(r"(?P<mark>\w+) (?P<name>[^(]*?)(?: \((?P<birth>\d{4}[\d-]*)?[^)]*\))?, (?P<file>\S+)")
_OFFER = re.compile(r"(?P<answer>\w+) (?P<name>[^(]*?)(?: \((?P<birth>\d{4}[\d-]*)?[^)]*\))?")


class WhoKnows:
    """Somebody who was there."""

    def __init__(self, past: Past | OthelloPast) -> None:
        self.in_file: dict[tuple[str, str], Person] = {}
        self.names: dict[str, set[Person]] = defaultdict(set)
        for section in past.sections:
            for who, written in zip(section.seats, section.written, strict=True):
                name = f"{written.surname}, {written.first_name}"
                self.in_file[section.file, name] = who
                self.names[name].add(who)

    def fill_in(self, questions: bytes) -> tuple[bytes, int]:
        """Fill the table of questions in; return it, and how many were answered."""
        rows = list(csv.DictReader(io.StringIO(questions.decode("utf-8-sig"))))
        out = io.StringIO()
        table = csv.DictWriter(out, [*rows[0]] if rows else ["question", "subject", "answer"])
        table.writeheader()
        for row in rows:
            assert row["question"] == "person", row
            table.writerow(
                {**row, "answer": self.answer(row["where"].lstrip("'"), row["proposed"].lstrip("'"))}
            )
        return out.getvalue().encode(), len(rows)

    def put_right(self, who_is_who: bytes) -> tuple[bytes, int]:
        """Fill the table of who is who in where somebody was taken for another, or one person for two; return
        it, and in how many rows.
        """
        rows = list(csv.DictReader(io.StringIO(who_is_who.decode("utf-8-sig"))))
        meant = {row["subject"]: self._meant(row["where"].lstrip("'")) for row in rows}
        marks: dict[Person, str] = {}
        for row in rows:
            mark = row["proposed"].lstrip("'").split()[0]
            who = meant[row["subject"]]
            if meant[mark] is who:
                marks.setdefault(who, mark)
            row["taken"] = mark
        wrong = [(row, marks.get(meant[row["subject"]], "new")) for row in rows]
        said = [(row["subject"], mark) for row, mark in wrong if mark != row["taken"]]
        out = io.StringIO()
        table = csv.writer(out)
        table.writerows([("question", "subject", "answer"), *(("person", *each) for each in said)])
        return out.getvalue().encode(), len(said)

    def _meant(self, where: str) -> Person:
        asked = _WHERE.fullmatch(where)
        assert asked, where
        return self.in_file[asked["file"], asked["name"]]

    def answer(self, where: str, proposed: str) -> str:
        who = self._meant(where)
        for text in proposed.split(" | "):
            offer = _OFFER.fullmatch(text)
            assert offer, proposed
            known = self.names[offer["name"]]
            born = offer["birth"] or ""
            if who in known and (len(known) == 1 or who.birth.isoformat().startswith(born)):
                return offer["answer"]
        return "new"
