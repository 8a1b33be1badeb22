"""Where each stored value comes from: the table of all columns, by which decisions hold what they leave
(`players.held`) and which the tests alter at random.

A column is held by decisions, or `verify` compares it with something else that is stored (a line, a decision,
a file), or no page, letter or line of the journal is untrue by it, for a reason. A further column without any
of these fails `test_sources.py`.
"""

from collections.abc import Mapping

from players.held import Held, Sources

_JOB = "which worker has the row, and how far it has come"
_KEY = "a key for searching"
_LETTING_GO = "the decision that let the bytes go"
_LINE = "the journal's line"
_FOLD = "a replay of the journal"
_CHAIN = "the record's chain and its signed heads"
_BYTES = "the file's checksum, and that with the decision that filed it"
_BY_LOT = "replays of some past days, drawn by lot; the database refuses changes"
_SINCE = "replays of past days, all or some drawn by lot; no page depends on the line within a day"
_SIGNED = "the signed checkpoints"
_DRAFT = "a draft of an official: what is written of it, decisions and lines hold"
_RULES = "what programs found when they compared their rules; the decision says which hold"
_WORKED_OUT = "the worker computes it again from what is held"
_NOTES = "the decision that has its words; the database refuses changes"
_ACCOUNT = "a person's own account, which no office's pages show: they show the appointment's name"

_SECTION = ("section__event__number", "section__code")


def _of_section(part: str, columns: str, *, by: str = "section__") -> Held:
    """Rows that belong to a section, or to its entries; `by`: the path to the section."""
    key = (f"{by}event__number", f"{by}code")
    return Held(part, f"{by}event__federation", key, tuple(columns.split()))


def _of(part: str, key: str, columns: str, *, federation: str = "federation") -> Held:
    return Held(part, federation, tuple(key.split()), tuple(columns.split()))


_OF_PLAYER = "player__federation"
_ANNOUNCED = "notice notice_on first_starts first_ends"
_SENT = ("by__pk", "on", "at", "name", "size", "sha256")

SOURCES: Mapping[str, Sources] = {
    # ---- The office, its people, its record
    "players.Federation": Sources(
        _of("office", "", "code name ruleset_slug accent settings demo", federation="pk"),
        needless={"next_player_number": "a counter"},
    ),
    "players.Region": Sources(_of("office", "", "code name")),
    "players.Appointment": Sources(
        _of("appointment", "pk", "user__pk role region__code name starts ends"),
        needless={"invited_at": "when a letter was sent last"},
    ),
    "players.FilingKey": Sources(
        needless={
            "appointment region name digest made_on ended_on": "with what programs file; the decisions that"
            " made and ended it tell of it"
        }
    ),
    "players.User": Sources(
        needless={
            "password last_login email name is_active joined language letters": _ACCOUNT,
            "session_number": "a counter of sign-ins",
        }
    ),
    "players.Decision": Sources(
        checked={"federation number kind by at on about sealed_details held hash": _CHAIN}
    ),
    "players.DecisionWords": Sources(checked={"decision key salt value": "the digest in the decision"}),
    "players.HeldPart": Sources(
        checked={"federation decision part digest salt": "the digest in the decision"}
    ),
    "players.SentForm": Sources(
        needless={"federation mark made at": "so that a form sent twice makes one thing"}
    ),
    "players.Ledger": Sources(
        checked={"facts": _LINE, "decisions": _CHAIN},
        needless={
            "federation wanted done line signed folded to_fold not_before": "counters",
            "last_error finished_at": "what happened last",
            "holder heartbeat attempts": _JOB,
            "rules agreed_rules": "the rules by which the worker computes again",
            "restored_at held": "they stop the office until its operator decides",
        },
    ),
    "players.Letter": Sources(
        needless={
            "email kind particulars subject text at due tries": "a letter on its way, deleted once sent"
        }
    ),
    "players.LettersOrdered": Sources(needless={"federation number": "a counter"}),
    # ---- The register
    "players.Player": Sources(
        _of(
            "player",
            "number",
            "surname first_name sex born nation resident included_by region__code title salt name_seal club"
            " deceased merged_into__number withheld registered_on",
        ),
        checked={"name_key first_name_key sort_key": "the name"},
    ),
    "players.FormerName": Sources(
        _of("player", "player__number", "surname first_name until", federation=_OF_PLAYER),
        needless={"name_key first_name_key": _KEY},
    ),
    "players.NameWord": Sources(needless={"player former key": _KEY}),
    "players.SealedName": Sources(checked={"federation seal name salt": "the seal in the journal's line"}),
    "players.BirthDate": Sources(_of("player", "player__number", "day", federation=_OF_PLAYER)),
    "players.Identifier": Sources(_of("player", "player__number", "kind value")),
    "players.PairOfTwo": Sources(
        _of("player", "one__number", "other__number on", federation="one__federation")
    ),
    "players.Transfer": Sources(
        _of(
            "player",
            "player__number",
            "giving__code taking__code reason asked_by__pk asked_on state starts answer decided_by__pk"
            " decided_on",
        )
    ),
    "players.ProofFile": Sources(
        checked={
            "federation player region transfer decision by on name kind size": _NOTES,
            "sha256 content": _BYTES,
            "let_go_on let_go_because": _LETTING_GO,
        }
    ),
    "players.RegisterImport": Sources(
        checked={"sha256 content": _BYTES, "let_go_on let_go_because": _LETTING_GO},
        needless={
            "holder heartbeat attempts progress": _JOB,
            "federation by at on name size takes_numbers reading head naming opening coming_list state reason"
            " notices counts digest stale leave_out confirmed_by confirmed_on": _DRAFT,
        },
    ),
    "players.NamedColumns": Sources(needless={"federation key naming": _DRAFT}),
    "players.RegisterLine": Sources(
        needless={"register_import line kind player number name changes opening problems": _DRAFT}
    ),
    # ---- Events and what was filed
    "tournaments.Event": Sources(
        _of(
            "event",
            "number",
            "name place region__code country starts ends organizer arbiters state registered_on"
            f" registered_by__pk {_ANNOUNCED}",
        ),
        needless={"version": "a counter"},
    ),
    "tournaments.Section": Sources(
        _of_section(
            "section",
            "name stage stage_before closed_with_event starts ends format rounds finals team particulars"
            " round_dates permissions before_play remarks submitted_by__pk registered_on filed_on"
            f" submitted_on first_rated_submission rated_on {_ANNOUNCED}",
            by="",
        ),
        needless={
            "version": "a counter",
            "id_kind hints": "what the file's readers offer until a person answers",
            "notice_read_at": "when a region opened a page",
        },
    ),
    "tournaments.Entry": Sources(
        _of_section(
            "entries",
            "number surname first_name sex birth title filed_id id_kind other_ids federation rating points"
            " place place_said discs team women line player__number region__code match left_round"
            " left_notified",
        ),
        needless={"candidates": "what the search offers until a person chooses"},
    ),
    "tournaments.Game": Sources(
        _of_section("entries", "order round first__number second__number result excused line")
    ),
    "tournaments.Bye": Sources(_of_section("entries", "round entry__number kind")),
    "tournaments.Finding": Sources(
        checked={"waived_because": "the decisions that waived it, and the permissions of its section"},
        needless={"section source level clause key params where line column": _WORKED_OUT},
    ),
    "tournaments.Adjustment": Sources(_of_section("entries", "key line before after")),
    "tournaments.FiledSheet": Sources(
        _of_section("entries", "upload__sha256 content lines", by="upload__section__")
    ),
    "tournaments.Upload": Sources(
        Held("section", "federation", _SECTION, _SENT),
        checked={"content": _BYTES, "let_go_on let_go_because": _LETTING_GO},
        needless={"holder heartbeat attempts state progress reason": _JOB, "dialect": "the reader's word"},
    ),
    "tournaments.Archive": Sources(
        Held("event", "federation", ("event__number",), ("section__code", *_SENT)),
        checked={"content": _BYTES, "let_go_on let_go_because": _LETTING_GO},
        needless={"holder heartbeat attempts state progress reason": _JOB},
    ),
    "tournaments.ArchivedFile": Sources(
        checked={"content": _BYTES, "let_go_on let_go_because": _LETTING_GO},
        needless={
            "archive number name size sha256 seen reason blocked tournament dialect kind players rounds"
            " starts ends team time_control said left_out"
            " upload": "the reader's word until it is a section's file"
        },
    ),
    "tournaments.SectionTaking": Sources(
        needless={"section official since": "who is at a section: word for colleagues, which locks nothing"}
    ),
    "tournaments.Remark": Sources(
        checked={"section kind by at decision sealed_words place answers_to tie tied_to upload": _NOTES}
    ),
    "tournaments.Remark_players": Sources(needless={"remark player": "for those who ask for their data"}),
    "tournaments.Case": Sources(
        _of(
            "case",
            "pk",
            "region__code section__event__number section__code player__number track line email name language"
            " state reported_at opened_on due closed_on outcome",
        ),
        needless={"version": "a counter"},
    ),
    "tournaments.CaseMessage": Sources(
        _of("case", "case__pk", "author by__pk at words internal", federation="case__federation")
    ),
    "tournaments.PermissionRequest": Sources(
        _of_section(
            "section",
            "clause reason state asked_by__pk asked_on answered_by__pk answered_on answer",
        )
    ),
    "tournaments.History": Sources(
        checked={"sha256": "the decision that wrote it", "let_go_on let_go_because": _LETTING_GO},
        needless={
            "holder heartbeat attempts progress": _JOB,
            "federation by at on name batches source size content table table_name rows state reason outcome"
            " who_is_who digest stale confirmed_by confirmed_on": _DRAFT,
        },
    ),
    "tournaments.HistoryFile": Sources(
        checked={"sha256 section": "the digest in the decision that wrote the history"},
        needless={
            "let_go_on let_go_because history batch number name size content reading": _DRAFT,
        },
    ),
    "tournaments.HistoryAnswer": Sources(needless={"history kind subject value by at": _DRAFT}),
    "tournaments.Correction": Sources(
        checked={"section what where before after by decision reason upload": _NOTES}
    ),
    "tournaments.Correction_players": Sources(
        needless={"correction player": "for those who ask for their data"}
    ),
    "tournaments.MendingProposal": Sources(
        _of_section("section", "version changes code words after_list further by__pk on")
    ),
    "tournaments.Appeal": Sources(
        _of_section("section", "refusal__number reason by__pk on state decided_by__pk decided_on answer")
    ),
    # ---- The journal, its log, and what follows from it
    "ratings.LogKey": Sources(checked={"federation number origin vkey reason at": _SIGNED}),
    "ratings.Checkpoint": Sources(checked={"federation number key size note edge at": _SIGNED}),
    "ratings.Cosignature": Sources(checked={"checkpoint vkey line at": "the decision that took it"}),
    "ratings.TreeTile": Sources(checked={"federation level index content root": _LINE}),
    "ratings.Fact": Sources(
        checked={
            "federation number line": _SIGNED,
            "kind subject on takes first_rated particulars pres section order fingerprint folded": _LINE,
            "taken_back": _LINE,
        }
    ),
    "ratings.StatedPre": Sources(checked={"federation player line pre": _LINE}),
    "ratings.RatingList": Sources(
        checked={
            "federation track on revision supersedes fact edition players content sha256": _FOLD,
            "program_version program_sha256": "the kept program",
            "note published_at": "the decision that published it",
        },
        needless={"ledger": "by which the list before is found; the database refuses changes"},
    ),
    "ratings.ListRow": Sources(
        checked={"rating_list player rank position rating previous games status": _FOLD}
    ),
    "ratings.Change": Sources(
        checked={"fact player track order before after points games state": _FOLD, "since": _SINCE}
    ),
    "ratings.PastChange": Sources(
        checked={"since until fact player track order before after points games state": _BY_LOT}
    ),
    "ratings.Standing": Sources(checked={"federation player track order rating games due state": _FOLD}),
    "ratings.Erratum": Sources(checked={"fact players": _FOLD}),
    "ratings.CorrectedRating": Sources(checked={"erratum player track position before after": _FOLD}),
    "ratings.Wide": Sources(
        checked={"federation order state": _FOLD},
        needless={
            "since": "no page depends on the line within a day, and replays of past days are compared by lot"
        },
    ),
    "ratings.PastWide": Sources(checked={"since until federation order state": _BY_LOT}),
    "ratings.HintsSearch": Sources(needless={"section version line decision far at": _WORKED_OUT}),
    "ratings.Hint": Sources(needless={"section kind key order evidence": _WORKED_OUT}),
    "ratings.Hint_players": Sources(needless={"hint player": _WORKED_OUT}),
    "ratings.HintAnswer": Sources(
        checked={"section kind key version outcome evidence decision remark": _NOTES}
    ),
    "ratings.HintAnswer_players": Sources(needless={"hintanswer player": "for those who ask for their data"}),
    "ratings.RulesVersion": Sources(
        needless={
            "federation rules program compared_at line moves effects decision in_force_at left_at": _RULES
        }
    ),
    "ratings.ProgramFile": Sources(checked={"version sha256 content": "the lists that it drew up"}),
    "ratings.ReviewFigures": Sources(needless={"section version line at on moves most": _WORKED_OUT}),
    "ratings.DoublesCount": Sources(needless={"federation pairs decision at": _WORKED_OUT}),
    "ratings.Following": Sources(
        needless={
            "federation email about language asked_at confirmed_on told sent_on": "a reader's own"
            " address, which no page shows; deleted at one click"
        }
    ),
    "ratings.MergeOutlook": Sources(
        needless={
            "holder heartbeat attempts": _JOB,
            "federation player into asked_at state done total mark content": _WORKED_OUT,
        }
    ),
    # ---- The site
    "federation_site.SignOfLife": Sources(needless={"name at details": "when work was last done"}),
    "federation_site.Message": Sources(needless={"queue payload": "a message that wakes a worker"}),
    "federation_site.PastSignIn": Sources(
        needless={"user at outcome network device": "sign-ins, for their person"}
    ),
}
