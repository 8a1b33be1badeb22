"""Evidence that a file is of a section, from names, rounds and days. A person decides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from pathlib import PurePosixPath

from rapidfuzz import fuzz

from players.register.name_folding import words

ALIKE = 85  # of 100: two spellings of one name
WEIGHTS: Mapping[str, int] = {
    "tournament": 60,
    "file-name": 50,
    "tournament-alike": 30,
    "file-name-alike": 25,
    "rounds": 10,
    "days": 5,
    "rounds-differ": -20,
    "days-differ": -20,
}
NAMES = {"tournament", "file-name", "tournament-alike", "file-name-alike"}
AGAINST = {"rounds-differ", "days-differ"}
_FORMAT_WORDS = (
    ("double", "double-round-robin"),
    ("robin", "round-robin"),
    ("berger", "round-robin"),
    ("knock", "knockout"),
    ("scheveningen", "scheveningen"),
    ("swiss", "swiss"),
)
"""The format of play that a word of the file means, the more special words first."""
_COMMON = frozenset(words("section group division tournament"))


@dataclass(frozen=True, slots=True)
class Side:
    """A section, or what a file says of itself; `names`: each by the key of the evidence that it is."""

    key: object
    names: Mapping[str, str]
    rounds: int | None = None
    starts: date | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class SectionProposal:
    section: object
    evidence: tuple[str, ...]


def propose(
    files: Sequence[Side], sections: Sequence[Side], *, event: str, free: Collection[object]
) -> dict[object, SectionProposal]:
    """Propose a section for each file, by key. If two are as likely, none: nothing is guessed.

    `free`: the sections that may take a file, which counts when one file and one section are left.
    """
    evidence = {(f.key, s.key): evidence_of(f, s, event) for f in files for s in sections}
    scores = {pair: score(found) for pair, found in evidence.items() if NAMES & set(found)}
    found = {
        file: SectionProposal(section, evidence[file, section])
        for file, section in _bests(scores)
        if scores[file, section] > 0
    }
    left = [file.key for file in files if file.key not in found]
    taken = {proposal.section for proposal in found.values()}
    open_ones = [section.key for section in sections if section.key in free and section.key not in taken]
    if len(left) == len(open_ones) == 1:
        told = evidence[left[0], open_ones[0]]
        if not AGAINST & set(told):
            found[left[0]] = SectionProposal(open_ones[0], ("only-one-left", *told))
    return found


def score(evidence: Iterable[str]) -> int:
    return sum(WEIGHTS[key] for key in evidence)


Pair = tuple[object, object]


def _bests(scores: Mapping[Pair, int]) -> Iterator[Pair]:
    """Yield the pairs of file and section that score higher than the file with any other section, and than
    the section with any other file.
    """
    by_file, by_section = defaultdict[object, list[int]](list), defaultdict[object, list[int]](list)
    for (file, section), points in scores.items():
        by_file[file].append(points)
        by_section[section].append(points)
    for points_of in (by_file, by_section):
        for ranked in points_of.values():
            ranked.sort(reverse=True)
    for (file, section), points in scores.items():
        if all(_leads(points, ranked) for ranked in (by_file[file], by_section[section])):
            yield file, section


def _leads(points: int, ranked: Sequence[int]) -> bool:
    """Whether `points` are the highest, and nothing else as high. `ranked`: all, the highest first."""
    return points == ranked[0] and (len(ranked) == 1 or points > ranked[1])


def evidence_of(file: Side, section: Side, event: str) -> tuple[str, ...]:
    return (*_names(file, section, event), *_rounds(file, section), *_days(file, section))


def _names(file: Side, section: Side, event: str) -> Iterable[str]:
    """The best evidence that a name of the file is one of the section's names: one key, or none."""
    found = [
        key
        for evidence, text in file.names.items()
        for name in section.names.values()
        if (key := _likeness(evidence, own_words(text, event), own_words(name, "")))
    ]
    return sorted(found, key=lambda key: -WEIGHTS[key])[:1]


def _likeness(evidence: str, said: Sequence[str], wanted: Sequence[str]) -> str:
    """The key `evidence` if the file's words (`said`) hold the section's name (`wanted`), with `-alike`
    behind it if they are all much like it; else empty.
    """
    name = "".join(wanted)
    if not name:
        return ""
    if any(name in accumulate(said[start:]) for start in range(len(said))):
        return evidence
    return f"{evidence}-alike" if len(name) > 3 and fuzz.ratio(name, "".join(said)) >= ALIKE else ""


def own_words(text: str, event: str) -> list[str]:
    """The words of a name that are neither the event's nor common to sections; all if none is left."""
    everything = words(text)
    passed_over = Counter(words(event))
    kept = []
    for word in everything:
        if passed_over[word]:
            passed_over[word] -= 1
        elif word not in _COMMON:
            kept.append(word)
    return kept or list(everything)


def _rounds(file: Side, section: Side) -> Iterable[str]:
    if file.rounds and section.rounds:
        yield "rounds" if file.rounds == section.rounds else "rounds-differ"


def _days(file: Side, section: Side) -> Iterable[str]:
    if file.starts and file.ends and section.starts and section.ends:
        within = section.starts <= file.starts and file.ends <= section.ends
        yield "days" if within else "days-differ"


def bare_name(path: str) -> str:
    """The file's name without folders and suffix: `Soweto/Section A.trf` → `Section A`."""
    return PurePosixPath(path.replace("\\", "/")).stem


def name_for_section(tournament: str, event: str) -> str:
    """The name of a new section: the tournament's name without the event's at its beginning."""
    if words(tournament)[: len(words(event))] != words(event):
        return tournament.strip()
    return tournament[len(event) :].strip(" -–—,.:;/|") or tournament.strip()


def format_in(kind: str) -> str:
    """The format of play that a file's words name; empty if they name none."""
    return next((code for word, code in _FORMAT_WORDS if word in kind.casefold()), "")
