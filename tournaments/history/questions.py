"""Questions, faults and notices of a history, each with its words; and the answers given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from ratings.law.ruleset import Ruleset
from tournaments.events.finding_words import in_words, say
from tournaments.history.models import History, HistoryAnswer

EXAMPLES = 5
"""The places of one cause that are named; the downloaded questions have all."""
OF_ONE_ANSWER = frozenset({"column", "label", "scheduled", "played"})
"""The particulars of a cause from which an answer for all of it is made."""
OF_PEOPLE = ("person", "person-twice", "name")
"""Questions about a spelling, which an answer names by its mark."""
ASKED_AS = {"person-not-there": "person"}
"""Questions that ask again what another has asked."""
ANSWERED = (*OF_PEOPLE, "id-kind")
"""Questions that an answer settles; all others the table does, or another file."""
LEVELS = ("blocks", "asks", "notice")
WORDS: Mapping[str, str] = {
    # Files and the table.
    "file-twice": gettext_noop("The same file is there twice. Leave one of them out in the table."),
    "file-filed": gettext_noop("The office has this very file already, with section %(section)s."),
    "row-without-file": gettext_noop("The table names files that are not there."),
    "row-twice": gettext_noop("The table has two rows for a file. Keep one."),
    "cell-wrong": gettext_noop("The table's column “%(column)s”: %(words)s"),
    "field-missing": gettext_noop(
        "Neither the file nor the table says: %(wanted)s. Give it in the table's column “%(column)s”; a row "
        "whose file is * holds for all."
    ),
    "region-unknown": gettext_noop("The office has no region “%(region)s”. It has: %(regions)s."),
    "in-future": gettext_noop("This lies after today. A history holds what was played and rated before."),
    "rated-before-end": gettext_noop(
        "The table says that this was rated on %(rated)s, before its last day, %(ends)s. A section is rated "
        "on its last day or later."
    ),
    "rounds-not-played": gettext_noop(
        "By the table %(scheduled)s rounds were scheduled; the file has games of %(played)s."
    ),
    "answer-of-nothing": gettext_noop("These answers belong to no spelling that the files have."),
    "ends-before-start": gettext_noop("The last day lies before the first."),
    "more-rounds": gettext_noop(
        "The file has games of %(played)s rounds, and says that %(scheduled)s were scheduled. Give the "
        "number of scheduled rounds in the table's column “rounds”: what lies behind them counts as finals."
    ),
    "rounds-are-finals": gettext_noop(
        "By the table %(scheduled)s rounds were scheduled; those behind them, of the %(played)s in the file, "
        "count as finals."
    ),
    "places-missing": gettext_noop(
        "Final places are missing, and the rules need them. Write “points” in the table's column “places” to "
        "have them worked out from points, then discs; or mend the file."
    ),
    "places-from-points": gettext_noop("Final places are worked out from points, then discs."),
    "struck": gettext_noop("A game is struck: %(words)s"),
    "strike-wrong": gettext_noop(
        "“%(text)s” in the column “strike” names no game of the file. Write “line 45: the reason” or “round "
        "3 12-15: the reason”, several with a semicolon."
    ),
    "twice-in-a-round": gettext_noop("Somebody has two games or byes in one round; strike one of them."),
    "not-rateable": gettext_noop("Clause %(clause)s: %(words)s"),
    "not-in-journal": gettext_noop("The journal does not take this section: %(words)s"),
    # People.
    "id-kind": gettext_noop(
        "The ids of these files are of no known kind (%(ids)s). Answer with one of: %(kinds)s; or give it in "
        "the table's column “ids”."
    ),
    "person": gettext_noop(
        "Who is this? The register, or another file, has somebody so much alike that a person has to say."
    ),
    "person-twice": gettext_noop(
        "One player stands twice in this file. Answer “new” if these are two people, or mend the file."
    ),
    "person-not-there": gettext_noop("An answer names somebody who is not there: %(value)s."),
    "name": gettext_noop("The files give no name. Answer with “Surname, First name”."),
    "taken-by-name": gettext_noop(
        "These were taken for one person by their name alone, with nothing against it. Answer “new” where "
        "that is wrong."
    ),
    "births-not-known": gettext_noop(
        "No file and no register tells when these were born; their pre-rating is that of an adult."
    ),
    "nation-missing": gettext_noop(
        "The nation of these players is not known, so that the rules may count them as foreigners. Give it "
        "in the table's column “nation” for those of whom the files give none."
    ),
    # The office.
    "journal-goes-on": gettext_noop(
        "The journal has a line of %(newest)s, and this history begins on %(first)s. Days never go backwards "
        "in a journal: a past goes in whole, and once."
    ),
    "journal-has-begun": gettext_noop(
        "The office has begun its own record: line %(line)s of its journal is a decision of its own. A past "
        "goes in before the first of these; behind them, the office's own lists would be called computed "
        "afterwards. Upload these files one by one instead."
    ),
    "before-openings": gettext_noop(
        "The office begins with the ratings of a list of %(day)s, and what was played until then counts in "
        "them. This begins no later: leave it out in the table (“leave_out”), or take the past in without "
        "opening ratings."
    ),
}


@dataclass(frozen=True, slots=True)
class Question:
    """Something found in a history: a question (`asks`), a fault (`blocks`) or a notice."""

    level: str
    key: str
    subject: str = ""
    """The thing that an answer names: a file's name, a person's mark."""
    where: str = ""
    """The place as people read it: file and line, or a name."""
    params: Mapping[str, Any] = field(default_factory=dict)
    proposed: str = ""
    """The answers that are offered, best first, with a comma."""
    clause_words: str = ""
    """Whole words made by a ruleset or reader, where the key is theirs."""

    def words(self) -> str:
        """The sentence: what is wrong, and what to do."""
        if self.clause_words:
            return self.clause_words
        if self.key in WORDS:
            return _(WORDS[self.key]) % in_words(self.params)
        return say(self.key, in_words(self.params))


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """All questions of one cause, as pages and the command show them."""

    level: str
    key: str
    words: str
    count: int
    examples: list[str]
    files: list[str] = field(default_factory=list)
    """The files of which it was found, so that one answer holds for all of them."""
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """A short digest by which a form names the cause that its page showed."""
        told = json.dumps([self.key, self.words, self.files])
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "mark": self.mark}


def by_cause(questions: Iterable[Question], files: Collection[str] = ()) -> list[QuestionGroup]:
    """Questions with the same words as one, what blocks first, then by how often it is found; `files`: the
    names of the history's files.
    """
    groups: dict[tuple[str, str, str], list[Question]] = {}
    for question in questions:
        groups.setdefault((question.level, question.key, question.words()), []).append(question)
    causes = [
        QuestionGroup(
            level,
            key,
            words,
            len(equal),
            [_example(each) for each in equal[:EXAMPLES]],
            list(dict.fromkeys(each.subject for each in equal if each.subject in files)),
            {name: equal[0].params[name] for name in OF_ONE_ANSWER & equal[0].params.keys()},
        )
        for (level, key, words), equal in groups.items()
    ]
    return sorted(causes, key=lambda each: (LEVELS.index(each.level), -each.count, each.key))


def _example(question: Question) -> str:
    return f"{question.where} → {question.proposed}" if question.proposed else question.where


def stand_in_the_way(questions: Iterable[Question]) -> bool:
    """Whether any of these has to be answered or mended before a history is written."""
    return any(each.level in ("blocks", "asks") for each in questions)


def ruleset_words(ruleset: Ruleset, key: str, params: Mapping[str, Any]) -> str:
    """The words of a ruleset's own finding."""
    return _(ruleset.words.messages.get(key, key)).format(**in_words(params))


class Answers:
    """A history's answers as they stand: by kind and subject, or one for all of a kind."""

    def __init__(self, history: History) -> None:
        rows = history.answers.values_list("kind", "subject", "value")
        self.said = {(kind, subject): value for kind, subject, value in rows}

    def of(self, kind: str, subject: str) -> str:
        """The answer to one question; empty if there is none."""
        return self.own(kind, subject) or self.of_all(kind)

    def of_all(self, kind: str) -> str:
        """The answer to all questions of a kind."""
        return self.own(kind, HistoryAnswer.ALL)

    def subjects(self, kind: str, value: str) -> set[str]:
        """The subjects of a kind that were answered so."""
        return {subject for (known, subject), said in self.said.items() if (known, said) == (kind, value)}

    def own(self, kind: str, subject: str) -> str:
        """The answer that was given to this very question, and not to all of its kind."""
        return self.said.get((kind, subject), "")
