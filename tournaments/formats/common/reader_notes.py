"""Notes of a reader: what it found in the file, and what it changed."""

from tournaments.formats.common.reading_result import (
    FileAdjustment,
    FileFinding,
    Level,
    Param,
    Reading,
    Sheet,
)

MOST = 1000  # findings, and adjustments, that one reading hands on: a person reads them


class Notes:
    def __init__(self) -> None:
        self._findings: list[FileFinding] = []
        self._adjustments: list[FileAdjustment] = []
        self.file = ""
        """The one of several files that is being read: it is named with the line."""

    def blocks(self, key: str, line: int | None = None, column: int | None = None, **params: Param) -> None:
        self._add("blocks", key, line, column, params)

    def asks(self, key: str, line: int | None = None, column: int | None = None, **params: Param) -> None:
        self._add("asks", key, line, column, params)

    def notice(self, key: str, line: int | None = None, column: int | None = None, **params: Param) -> None:
        self._add("notice", key, line, column, params)

    def adjusts(self, key: str, line: int | None, before: str, after: str) -> None:
        self._adjustments.append(FileAdjustment(key, line, before, after))

    def reading(self, sheet: Sheet | None) -> Reading:
        """Make the reading: the sheet and these notes by line, no more than a person can read."""
        findings = sorted(self._findings, key=lambda finding: finding.line or 0)
        adjustments = sorted(self._adjustments, key=lambda adjustment: adjustment.line or 0)
        beyond = max(len(findings), len(adjustments)) - MOST
        if beyond > 0:
            # A cut must not turn a blocked file into a clean one.
            findings = [*findings[:MOST], FileFinding("blocks", "too-much-to-list", params={"more": beyond})]
        return Reading(sheet, tuple(findings), tuple(adjustments[:MOST]))

    def _add(
        self, level: Level, key: str, line: int | None, column: int | None, params: dict[str, Param]
    ) -> None:
        where = str(params.pop("where", ""))  # not of the words: it stands beside them, as line and column do
        if self.file and line and not where:
            where = f"{self.file}:{line}"
        self._findings.append(FileFinding(level, key, line, column, params, where))
