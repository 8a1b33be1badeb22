"""Makes a federation's demo office from an invented story: journal, staff, record of decisions, present
events by the office's own services, and event files for a newcomer to upload.
"""

import random
import secrets
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_noop

from players import models
from players.access import get_rights
from players.appointments import create_regions
from players.languages import translate_ruleset_name
from players.names import fold_words
from players.record import write_decisions
from players.writing import load_or_create_secret
from ratings import approval
from ratings.demo.story import (
    REWRITABLE_FORMATS,
    EntrantPool,
    FiledSection,
    Story,
    draw_round_count,
    first_weekday_from,
    invent_story,
    journal_particulars,
    plan_event_on_day,
    play_section,
    recompute_places,
    round_days,
    swap_result,
)
from ratings.intake import Intake, write_office
from ratings.letters import skip_past_decisions
from ratings.models import Standing
from ratings.recompute import recompute
from ratings.rulesets import facts, journal, rulesets
from ratings.rulesets.demo import (
    FILED,
    OFFERED,
    REFUSED,
    REGISTERED,
    RETURNED,
    Demo,
    DemoUser,
    Person,
    PlannedEvent,
    PlayedSection,
    PresentEvent,
)
from ratings.rulesets.facts import Bye, Section as SectionFact
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments import section_files
from tournaments.before_play import admit_before_play
from tournaments.models import Event, Section, Stage
from tournaments.registration import SectionParticulars, register_event
from tournaments.section_files import FilePlayer
from tournaments.sections import dump_particulars
from tournaments.submission import submit
from tournaments.uploads import receive_file


def demo_rulesets_without_office() -> list[Ruleset]:
    """Return the rulesets that bring a demo and whose code no office has yet."""
    taken = set(models.Federation.objects.values_list("code", flat=True))
    return [each for each in rulesets().values() if equipment_of(each).demo and each.slug not in taken]


# ---- Files for a newcomer to upload
def demo_folder(federation: models.Federation) -> Path:
    return Path(settings.VAR) / "demo" / federation.code


def list_demo_files_to_upload(
    federation: models.Federation, region_keys: frozenset[int] | None = None
) -> list[tuple[Event, str]]:
    """Return the events whose demo file nobody uploaded yet, each with the file's name, of these
    regions (primary keys) or of all.
    """
    if not federation.demo or not demo_folder(federation).is_dir():
        return []
    waiting = federation.events.filter(sections__stage=Stage.REGISTERED).distinct()
    if region_keys is not None:
        waiting = waiting.filter(region__in=region_keys)
    files = {path.name.partition("_")[0]: path.name for path in sorted(demo_folder(federation).iterdir())}
    return [(event, files[event.number]) for event in waiting if event.number in files]


# ---- Staff of a demo office
PASSWORD_LETTERS = "abcdefghijkmnpqrstuvwxyz"
"""The letters of demo passwords: none that looks like another."""


@dataclass(slots=True)
class Staff:
    official: models.User
    regional: dict[str, models.User] = field(default_factory=dict)
    """The regional administrators by the region's code."""


def get_or_create_demo_password() -> str:
    """Return the password of all demo people of this installation, stored in a file that its owner alone may
    read, and made on first use.

    If the file was lost, or an older version gave everybody the same, all demo people get the new one.
    """
    path = Path(settings.VAR) / "demo_password"
    lost = not path.exists()
    groups = ("".join(secrets.choice(PASSWORD_LETTERS) for _each in range(4)) for _group in range(4))
    password = load_or_create_secret(path, "-".join(groups))
    if lost:
        invented = models.User.objects.filter(appointments__federation__demo=True, password__contains="$")
        invented.exclude(appointments__federation__demo=False).update(password=make_password(password))
    return password


def email_of(person: DemoUser) -> str:
    return f"{person.name.lower()}@example.org"


def _get_or_create_user(person: DemoUser, password: str) -> models.User:
    """Get or create the account of a person of the demo; `password`: its hash, made once for all of them."""
    email = email_of(person)
    user = models.User.objects.filter(email=email).first() or models.User.objects.create_user(
        email, name=person.name
    )
    if person.password:
        user.password = password
        user.save(update_fields=["password"])
    return user


# ---- Introduction printed at every start
STEPS = (
    gettext_noop(
        "Sign in as %(files)s. At the foot of the desk is the file of “%(event)s”, which waits to be filed:"
        "\n     download it (it lies here too: %(file)s)"
    ),
    gettext_noop("Open that event from the desk, upload the file, answer what it leaves open, submit it."),
    gettext_noop("Sign in as %(decides)s, look at who would gain and lose, approve it, and publish a list."),
)


def introduction(offices: Sequence[models.Federation]) -> Iterator[str]:
    """Yield the introduction's lines: the sign-ins of every demo office, then the first steps in the first
    office that still has an event file to be uploaded.
    """
    yield _("Sign in with the password %(password)s as") % {"password": get_or_create_demo_password()}
    for federation in offices:
        yield ""
        yield f"  {federation.name}  /{federation.code}/"
        yield from sign_in_lines(federation)
    yield ""
    yield _("The letters that the offices write: %(address)s") % {"address": reverse("mailbox")}
    yield ""
    for federation in offices:
        if steps := list(first_steps(federation)):
            yield from steps
            return


def sign_in_lines(federation: models.Federation) -> Iterator[str]:
    regions = {region.code: region.name for region in federation.regions.all()}
    for person in people_with_password(federation):
        role = models.Role(person.role).label
        what = f"{role}, {regions[person.region]}" if len(regions) > 1 and person.region else role
        yield f"    {email_of(person):24} {what}"


def people_with_password(federation: models.Federation) -> list[DemoUser]:
    demo: Demo | None = federation.equipment.demo
    return [person for person in demo.sign_ins if person.password] if demo else []


def first_steps(federation: models.Federation) -> Iterator[str]:
    people = people_with_password(federation)
    files = next((person for person in people if person.role == models.Role.REGIONAL), None)
    decides = next((person for person in people if person.role == models.Role.OFFICIAL), None)
    if files is None or decides is None:
        return
    waiting = [
        (event, name)
        for event, name in list_demo_files_to_upload(federation)
        if event.region.code == files.region
    ]
    if not waiting:
        return
    event, name = waiting[0]
    words = {
        "event": event.name,
        "file": demo_folder(federation) / name,
        "files": email_of(files),
        "decides": email_of(decides),
    }
    yield _("What to try first:")
    for number, step in enumerate(STEPS, start=1):
        yield f"  {number}. " + _(step) % words
    yield ""


# ---- Record of past decisions
PastDecision = tuple[models.Decision, dict[str, Any]]
"""A decision and its details."""


def _past_decision(
    on: date,
    hour: int,
    kind: str,
    about: str,
    by: models.User | None,
    details: Mapping[str, Any] | None = None,
) -> PastDecision:
    """A decision of the story, not numbered yet, and its details."""
    at = datetime.combine(on, time(hour), UTC)
    return models.Decision(kind=kind, by=by, at=at, on=on, about=about), {**(details or {})}


def write_record(federation: models.Federation, story: Story, staff: Staff) -> None:
    official, ruleset = staff.official, {"ruleset": federation.ruleset_slug}
    decisions = [_past_decision(story.start, 5, "create", "office", None, ruleset)]
    decisions += [_past_decision(story.start, 5, *rest) for rest in _appointments(federation)]
    for filed in story.filed:
        decisions += _decisions_of(filed, staff, story.demo.present.exchanged)
    decisions += [_past_decision(on, 6, "publish", f"list {on}", official) for on in story.lists]
    for rank in story.confirmed:
        about, ground = f"player {rank.player}", {"rank": rank.rank, "ground": rank.ground}
        decisions.append(_past_decision(rank.on, 5, "confirm-rank", about, official, ground))
    for fact in story.notes:
        about, winner = f"season {fact.season}", {"winner": fact.winner}
        decisions.append(_past_decision(fact.on, 20, "record-playoff", about, official, winner))
    decisions.sort(key=lambda pair: pair[0].at)
    lines = _lines_by_decision(story)
    for number, (decision, details) in enumerate(decisions, start=1):
        decision.federation, decision.number = federation, number
        decision.at = decision.at.replace(minute=number * 7 % 60)
        if numbers := lines[decision.kind, decision.about]:
            details["fact"] = numbers.popleft()
    write_decisions(federation, decisions, parts=None)


def _lines_by_decision(story: Story) -> dict[tuple[str, str], deque[int]]:
    """The numbers of the journal's lines that decisions wrote, in order, by the decision's kind and subject:
    `("approve", "section 7/A")`.
    """
    found: dict[tuple[str, str], deque[int]] = defaultdict(deque)
    for number, fact in enumerate(story.lines, start=1):
        match fact:
            case facts.Rated():
                found["approve", f"section {fact.section}"].append(number)
            case facts.Unrated():
                found["unrate", f"section {fact.section}"].append(number)
            case facts.ListClosing():
                found["publish", f"list {fact.on}"].append(number)
            case facts.Rank():
                found["confirm-rank", f"player {fact.player}"].append(number)
            case facts.Playoff():
                found["record-playoff", f"season {fact.season}"].append(number)
    return found


def _appointments(federation: models.Federation) -> Iterator[tuple[str, str, None, dict[str, Any]]]:
    for appointment in federation.appointments.select_related("region"):
        region = appointment.region.code if appointment.region else None
        details = {"role": appointment.role, "region": region, "starts": appointment.starts.isoformat()}
        yield "appoint", f"appointment {appointment.pk}", None, details


def _decisions_of(filed: FiledSection, staff: Staff, exchanged: str) -> Iterator[PastDecision]:
    region, about = staff.regional[filed.plan.region], f"section {filed.section.id}"
    event = filed.section.id.rpartition("/")[0]
    if filed.section.id.endswith("/A"):
        yield _past_decision(filed.registered, 8, "register", f"event {event}", region)
    if filed.admitted:
        yield _past_decision(filed.admitted, 9, "admit", about, staff.official, {"waived": [], "reason": ""})
    yield _past_decision(filed.filed, 15, "file", about, region)
    yield _past_decision(filed.submitted, 16, "submit", about, region, {"new_players": [], "waived": []})
    yield _past_decision(filed.rated, 17, "approve", about, staff.official)
    if filed.unrated:
        yield _past_decision(filed.unrated, 18, "unrate", about, staff.official, {"reason": exchanged})
    if filed.rerated:
        yield _past_decision(filed.rerated, 19, "submit", about, region, {"new_players": [], "waived": []})
        yield _past_decision(filed.rerated, 20, "approve", about, staff.official)


# ---- Present events: played in memory, then handled by the office's own services
FILING_HOUR = 9
"""The hour of the day, UTC, at which the demo's regions upload files."""


@dataclass(slots=True)
class PresentEventMaker:
    """Plays the demo's present events and handles them by the services that people use."""

    federation: models.Federation
    story: Story
    staff: Staff
    rng: random.Random
    pool: EntrantPool

    @property
    def today(self) -> date:
        return self.story.today

    @property
    def demo(self) -> Demo:
        return self.story.demo

    def play_first_section(self, live: PresentEvent) -> PlayedSection:
        """Play the first section of an event that ended as many days ago as it says, or in the week before
        that; nobody is absent from an offered one.
        """
        kind = live.kind
        first = self.today - timedelta(days=live.days + kind.apart * (kind.days - 1))
        plan = self.plan(live, first - timedelta(days=6))
        group = kind.groups[0]
        entrants = self.pool.draw(self.rng, plan, group, self.rng.randint(*kind.size))
        calm = live.stage == OFFERED
        return PlayedSection(
            plan, play_section(self.rng, self.pool, "0/A", plan, group.name, entrants, nobody_absent=calm)
        )

    def plan(self, live: PresentEvent, earliest: date) -> PlannedEvent:
        first = first_weekday_from(earliest, live.kind.weekday)
        return plan_event_on_day(self.rng, self.demo, live.kind, live.region, first, live.place, live.variant)

    def register(
        self, live: PresentEvent, plan: PlannedEvent, names: Sequence[str], *, rounds: int, before: int = 0
    ) -> Section:
        """Register a planned event with a section for each name, and return the first of them, with the
        decision before play if it has one.

        `before`: days before the start, 0 for the demo's usual number.
        """
        by = self.staff.regional[plan.region]
        on = min(self.today, plan.starts - timedelta(days=before or self.demo.present.live_before))
        particulars = self._particulars(plan, timed=live.timed)
        region = self.federation.regions.get(code=plan.region)
        event = register_event(
            another=True,  # two invented events may have one name
            rights=get_rights(by, self.federation, on),
            by=by,
            on=on,
            name=plan.name,
            region=region,
            organizer=self.demo.habits.organizer.format(region=region, email=by.email),
            place=plan.place,
            country=plan.kind.country,
            starts=plan.starts,
            ends=plan.ends,
            sections=[
                SectionParticulars(name, plan.kind.format, rounds=rounds, particulars=particulars)
                for name in names
            ],
        )
        section = event.sections.all()[0]
        if not live.admitted or self.federation.ruleset.sections.admission is None:
            return section
        on = min(self.today, event.registered_on + timedelta(days=1))
        return admit_before_play(
            section=section, by=self.staff.official, on=on, version=section.version, reason=""
        )

    def _particulars(self, plan: PlannedEvent, *, timed: bool) -> dict[str, Any]:
        bare = facts.Section("0/A", "", "", plan.starts, plan.ends, plan.kind.format, 1, ())
        ruleset, own = self.federation.ruleset, journal_particulars(self.federation.ruleset, plan)
        values = dict(plan.particulars) | dump_particulars(replace(bare, **own), ruleset)
        left_out = {
            field.name for field in ruleset.sections.fields if field.kind == "time_controls" and not timed
        }
        return {name: value for name, value in values.items() if value and name not in left_out}

    def file(
        self,
        section: Section,
        played: PlayedSection,
        *,
        on: date,
        live: PresentEvent | None = None,
        changes: Mapping[int, FilePlayer] | None = None,
    ) -> None:
        """Upload a played section's file, as its region would."""
        style = live.style if live and live.style else self.demo.style
        upload = receive_file(
            section=section,
            by=self.staff.regional[section.event.region.code],
            at=datetime.combine(on, time(FILING_HOUR), UTC),
            on=on,
            name=f"{section.event.number}-{section.code}.{section_files.SAMPLE_SUFFIXES[style]}",
            data=self.event_file(played, live=live, changes=changes),
        )[0]
        section_files.read_upload_without_box(upload)

    def submit(self, section: Section, *, on: date, reasons: Mapping[str, str]) -> Section:
        """Confirm the players in doubt and submit the section, as its region would.

        `reasons`: for waivers, by the finding's key.
        """
        by = self.staff.regional[section.event.region.code]
        section = section_files.save_prefilled_details(section, by=by, on=on)
        waivable = section.findings.filter(level="waivable")
        waived = {finding.pk: reasons.get(finding.key, self.demo.present.asked) for finding in waivable}
        return submit(section=section, by=by, on=on, version=section.version, waiver_reasons=waived)

    def event_file(
        self,
        played: PlayedSection,
        *,
        live: PresentEvent | None = None,
        changes: Mapping[int, FilePlayer] | None = None,
    ) -> bytes:
        """Write a played section's file, as a pairing program or a person with a table does.

        `changes`: players whom the file names otherwise than the register, by starting number.
        """
        lines = self.file_players(played)
        for place, line in (changes or {}).items():
            lines[place - 1] = line
        plan, section = played
        return section_files.render_sample_file(
            (live and live.style) or self.demo.style,
            section,
            lines,
            city=plan.place,
            federation=self.demo.home,
            round_days=round_days(plan, section.rounds) if live is None or live.dated else (),
            time_text=time_control_text(plan) if live is None or live.timed else "",
            arbiters=self._arbiters(played),
        )

    def file_players(self, played: PlayedSection) -> list[FilePlayer]:
        """Return the players of a played section by starting number, as the register has them today."""
        numbers = [entry.player for entry in played.section.entries]
        rows = (
            models.Player.objects.of(self.federation).filter(number__in=numbers).select_related("birth_date")
        )
        players = {player.number: player for player in rows}
        track = self.federation.ruleset.sections.tracks_of(played.section)[0]
        ratings = self._ratings(numbers, track)
        return [
            section_files.make_file_player(players[number], start_number, ratings.get(number))
            for start_number, number in enumerate(numbers, start=1)
        ]

    def _ratings(self, numbers: Sequence[str], track: str) -> dict[str, int]:
        rows = Standing.objects.filter(player__number__in=numbers, track=track, federation=self.federation)
        return {
            number: int(Decimal(rating or 0).quantize(Decimal(1), ROUND_HALF_UP))
            for number, rating in rows.exclude(rating=None).values_list("player__number", "rating")
        }

    def _arbiters(self, played: PlayedSection) -> list[tuple[str, str, str]]:
        """Title, name and id of up to two adults of the region who did not play."""
        playing = {entry.player for entry in played.section.entries}
        grown = [
            p for p in self.pool.people_by_region[played.plan.region] if self.today.year - p.birth.year > 30
        ]
        free = [person for person in grown if person.number not in playing][:20]
        titles = self.demo.habits.arbiter_titles[1:3] or ("", "")
        titled = zip(titles, self.rng.sample(free, min(2, len(free))), strict=False)
        return [(title, f"{person.first_name} {person.surname}", person.number) for title, person in titled]


def time_control_text(plan: PlannedEvent) -> str:
    controls: Sequence[facts.TimeControl] = plan.particulars.get("time_controls", ())
    if not controls:
        return ""
    return f"{controls[0].minutes[0]} minutes + {controls[0].increment} seconds per move"


def make_present_events(maker: PresentEventMaker) -> None:
    """Make the events of the demo's present days, each until the stage that it is to reach; the files of
    offered ones take the place of older ones.
    """
    folder = demo_folder(maker.federation)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for live in maker.demo.present.live:
        if live.stage == REGISTERED:
            plan = maker.plan(live, maker.today + timedelta(days=live.days))
            names = [group.name for group in live.kind.groups]
            rounds = draw_round_count(maker.rng, live.kind, live.kind.size[0])
            maker.register(live, plan, names, rounds=rounds, before=(plan.starts - maker.today).days + 2)
            continue
        played = maker.play_first_section(live)
        if live.stage == OFFERED:
            played = played._replace(section=with_absences(played.section, maker.federation.ruleset))
        section = maker.register(live, played.plan, [played.section.name], rounds=played.section.rounds)
        if live.stage == OFFERED:
            name = f"{section.event.number}_{'-'.join(fold_words(section.event.name))}.{live.suffix}"
            changes = misnamed_players(maker, played, live)
            (folder / name).write_bytes(maker.event_file(played, live=live, changes=changes))
        else:
            _file_and_decide(maker, live, played, section)


def _file_and_decide(
    maker: PresentEventMaker, live: PresentEvent, played: PlayedSection, section: Section
) -> None:
    on = min(maker.today, played.section.ends + timedelta(days=1))
    lines = maker.file_players(played)
    changes = {place: blur_file_player(lines[place - 1]) for place in live.vague}
    maker.file(section, played, on=on, live=live, changes=changes)
    if live.stage == FILED:
        return
    section = maker.submit(section, on=on, reasons=live.reasons)
    decide = {RETURNED: approval.return_section, REFUSED: approval.record_refusal}.get(live.stage)
    if decide:
        by, on = maker.staff.official, max(on, maker.today - timedelta(days=2))
        decide(section=section, by=by, on=on, version=section.version, reason=live.words)


def blur_file_player(line: FilePlayer) -> FilePlayer:
    """Return a player with an initial for a first name, without id and birth, so that a person has to match
    them.
    """
    return replace(line, first_name=f"{line.first_name[0]}.", birth=None, identifier=None)


def correct_listed_sections(maker: PresentEventMaker) -> None:
    """Un-rate two sections that are in a published list: one is filed and rated again, the other stays
    un-rated for people to go on with.
    """
    newest = max(maker.story.lists, default=maker.story.start)
    listed = [
        filed
        for filed in maker.story.filed
        if filed.section.format in REWRITABLE_FORMATS
        and not filed.rerated
        and filed.rated < newest
        and filed.plan.kind in maker.demo.events.kinds
    ]
    if len(listed) < 2:  # a young office: nothing to correct yet
        return
    again, last = listed[-1], listed[-2]
    section = _unrate(maker, again.section.id)
    played = PlayedSection(again.plan, swap_result(again.section, maker.federation.ruleset))
    on = maker.today - timedelta(days=1)
    maker.file(section, played, on=on)
    section = maker.submit(section, on=on, reasons={})
    approval.approve(section=section, by=maker.staff.official, on=on, version=section.version)
    _unrate(maker, last.section.id)


def _unrate(maker: PresentEventMaker, key: str) -> Section:
    number, _slash, code = key.partition("/")
    section = Section.objects.select_related("event").get(
        event__federation=maker.federation, event__number=number, code=code, stage=Stage.RATED
    )
    on, by = maker.today - timedelta(days=1), maker.staff.official
    approval.unrate(
        section=section,
        by=by,
        on=on,
        version=section.version,
        reason="result",
        words=maker.demo.present.exchanged,
        after_list=True,
    )
    return section


PLAYERS_WITHOUT_ID = 3
"""The number of players whose id a demo file leaves out: they are matched by name and birth."""


def with_absences(section: SectionFact, ruleset: Ruleset) -> SectionFact:
    """Give the last round of a Swiss section a forfeit, a requested bye and an allocated one, so that its
    file shows them.
    """
    if section.format != "swiss":
        return section
    games = list(section.games)
    last = [place for place, game in enumerate(games) if game.round == section.rounds]
    middle = last[len(last) // 2]
    games[middle] = games[middle]._replace(result="+:-")
    idle = games.pop(last[-1])
    byes = (Bye(idle.round, idle.first, "half"), Bye(idle.round, idle.second, "pairing"))
    return recompute_places(replace(section, games=tuple(games), byes=(*section.byes, *byes)), ruleset)


def misnamed_players(
    maker: PresentEventMaker, played: PlayedSection, offer: PresentEvent
) -> dict[int, FilePlayer]:
    """Return the players whom a file names otherwise than the register, by starting number: some without id,
    one whom a person has to match, two who are in no register.
    """
    lines = maker.file_players(played)
    size = len(lines)
    changes = replace_with_fide_ids(maker.federation, lines) if offer.other_ids else {}
    unique = [place for place in range(2, size - 3) if _is_unique(maker.federation, lines[place - 1])]
    without_id, doubtful = unique[:PLAYERS_WITHOUT_ID], unique[PLAYERS_WITHOUT_ID]
    changes |= {place: replace(lines[place - 1], identifier=None) for place in without_id}
    changes[doubtful] = blur_file_player(lines[doubtful - 1])
    for place, new in zip((size - 2, size), offer.new, strict=True):
        changes[place] = FilePlayer(
            place,
            new["surname"],
            new["surname"],
            new["first_name"],
            sex=new["sex"],
            birth=new["birth"],
            federation=new["nation"],
        )
    return changes


def replace_with_fide_ids(
    federation: models.Federation, lines: Sequence[FilePlayer]
) -> dict[int, FilePlayer]:
    """Return the players of a file who have a FIDE id, with it in place of the federation's, by starting
    number.
    """
    known = models.Identifier.objects.filter(federation=federation)
    ids = dict(known.values_list("player__number", "value"))
    return {
        place: replace(line, identifier=ids[line.identifier])
        for place, line in enumerate(lines, start=1)
        if line.identifier in ids
    }


def _is_unique(federation: models.Federation, line: FilePlayer) -> bool:
    player = models.Player.objects.get(federation=federation, number=line.identifier)
    others = models.Player.objects.filter(federation=federation, name_key=player.name_key, born=player.born)
    return others.count() == 1


# ---- Making the office
Say = Callable[[str], None]


@transaction.atomic
def make_office(
    ruleset: Ruleset, *, today: date, seed: int, scale: float = 1.0, start: date | None = None, say: Say
) -> models.Federation:
    """Make a federation's whole demo office in one transaction.

    `start`: the first day of the record, by default the demo's; `scale`: the share of the full number of
    players and events; `say`: a function that prints the progress.
    """
    story = invent_story(ruleset, today=today, seed=seed, scale=scale, start=start)
    federation, regions = _open(story)
    password = make_password(get_or_create_demo_password())
    users = {person: _get_or_create_user(person, password) for person in story.demo.sign_ins}
    models.Appointment.objects.bulk_create(
        models.Appointment(
            user=user,
            name=person.name,
            role=person.role,
            federation=federation,
            region=regions[person.region] if person.region else None,
            starts=story.start,
        )
        for person, user in users.items()
    )
    official = next(user for person, user in users.items() if person.role == models.Role.OFFICIAL)
    staff = Staff(official, {person.region: user for person, user in users.items() if person.region})
    say(
        _("  %(players)s players, %(sections)s rated sections, %(games)s games, %(lists)s lists")
        % {
            "players": len({line.id for line in story.lines if isinstance(line, facts.Player)}),
            "sections": len(story.filed),
            "games": sum(len(filed.section.games) for filed in story.filed),
            "lists": len(story.lists),
        }
    )
    lines = [journal.JournalLine(number, fact) for number, fact in enumerate(story.lines, start=1)]
    write_office(Intake(federation, lines))
    models.Ledger.objects.filter(federation=federation).update(facts=len(lines), wanted=1)
    complete_past(federation, story, regions, staff, random.Random(f"office {seed}"))
    recompute(federation, on_fact=QuarterReports(say))
    known = set(models.Player.objects.of(federation).values_list("number", flat=True))
    people = [person for person in story.people if person.number in known]
    maker = PresentEventMaker(
        federation,
        story,
        staff,
        random.Random(f"live {seed} {today}"),
        EntrantPool(story.ruleset, story.demo, people, story.start),
    )
    correct_listed_sections(maker)
    recompute(federation)
    skip_past_decisions(federation)  # no letters about seasons long over
    make_present_events(maker)
    return federation


class QuarterReports:
    def __init__(self, say: Say) -> None:
        self.say, self.reported = say, 0

    def __call__(self, done: int, total: int) -> None:
        quarter = done * 4 // total
        if quarter > self.reported:
            self.reported = quarter
            words = _("  %(done)s of %(total)s lines of the journal are rated")
            self.say(words % {"done": done, "total": total})


def _open(story: Story) -> tuple[models.Federation, dict[str, models.Region]]:
    ruleset, name = story.ruleset, translate_ruleset_name(story.ruleset)
    contact = f"{ruleset.slug}@example.org"
    federation = models.Federation.objects.create(
        code=ruleset.slug,
        name=name,
        settings={"contact": contact, "responsible": f"{name}\n{contact}"},
        ruleset_slug=ruleset.slug,
        accent=story.demo.accent,
        next_player_number=story.demo.population.first_number,
        demo=True,
    )
    models.Ledger.objects.create(federation=federation)
    return federation, {region.code: region for region in create_regions(federation, ruleset)}


def complete_past(
    federation: models.Federation,
    story: Story,
    regions: dict[str, models.Region],
    staff: Staff,
    rng: random.Random,
) -> None:
    """Write what the journal does not have of the past: events' places, people and regions, sections' days,
    players' births and titles, and the record of decisions.
    """
    events = {event.number: event for event in federation.events.all()}
    hosts = Hosts(story, rng)
    registered: dict[str, date] = {}
    playing: dict[str, set[str]] = {}
    for filed in story.filed:
        number = filed.section.id.rpartition("/")[0]
        registered[number] = filed.registered
        playing.setdefault(number, set()).update(entry.player for entry in filed.section.entries)
    for number, event in events.items():
        plan = story.plans[number]
        event.region, event.place = regions[plan.region], plan.place
        event.organizer = hosts.organizer(plan.region)
        event.arbiters = hosts.arbiters(plan.region, playing[number])
        event.registered_on, event.registered_by = registered[number], staff.regional[plan.region]
    fields = ["region", "place", "organizer", "arbiters", "registered_on", "registered_by"]
    Event.objects.bulk_update(events.values(), fields, batch_size=100)
    _complete_sections(federation, story, staff)
    federation.regions.exclude(code__in=regions).delete()  # the intake's own, for events of no region
    keys = dict(models.Player.objects.of(federation).values_list("number", "pk"))
    known = [(keys[person.number], person) for person in story.people if person.number in keys]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {models.Player._meta.db_table} SET title = %s, sex = %s, born = %s, registered_on = %s"
            " WHERE id = %s",
            [(p.title, p.sex, p.birth.year, p.joined, key) for key, p in known],
        )
    births = (models.BirthDate(player_id=key, day=person.birth) for key, person in known)
    models.BirthDate.objects.bulk_create(births, batch_size=2_000)
    models.Identifier.objects.bulk_create(
        models.Identifier(federation=federation, player_id=key, kind="fide", value=person.fide_id)
        for key, person in known
        if person.fide_id
    )
    withheld = [key for key, person in known if person.withheld]
    models.Player.objects.filter(pk__in=withheld).update(withheld=True)
    write_record(federation, story, staff)


class Hosts:
    """Draws organisers and arbiters of past events: adults of the region, or of any region if it has none."""

    def __init__(self, story: Story, rng: random.Random) -> None:
        self.rng, self.titles = rng, story.demo.habits.arbiter_titles
        self.anywhere = [p for p in story.people if story.start.year - p.birth.year >= 25 and p.region]
        self.people: dict[str, list[Person]] = {}
        for person in self.anywhere:
            self.people.setdefault(person.region, []).append(person)

    def organizer(self, region: str) -> str:
        person = self.rng.choice(self.adults(region)[:12])
        return f"{person.first_name} {person.surname}, {person.number}"

    def arbiters(self, region: str, playing: set[str]) -> list[dict[str, str]]:
        """Return one to three arbiters as an event's row has them (`name`, `title`, `id`), the chief first;
        none of `playing`.
        """
        some = [person for person in self.adults(region) if person.number not in playing][12:30]
        chosen = self.rng.sample(some, min(len(some), self.rng.randint(1, 3)))
        return [
            {"name": f"{p.first_name} {p.surname}", "title": self.rng.choice(self.titles), "id": p.number}
            for p in chosen
        ]

    def adults(self, region: str) -> list[Person]:
        return self.people.get(region, self.anywhere)


def _complete_sections(federation: models.Federation, story: Story, staff: Staff) -> None:
    filed_sections = {filed.section.id: filed for filed in story.filed}
    # The journal has these; the other particulars are for acceptance.
    recorded = {each.name for each in story.ruleset.sections.fields}
    sections = list(Section.objects.filter(event__federation=federation).select_related("event"))
    for section in sections:
        filed = filed_sections[section.key]
        section.filed_on, section.submitted_on = filed.filed, filed.submitted
        section.submitted_by = staff.regional[filed.plan.region]
        section.round_dates = [day.isoformat() for day in filed.round_days]
        section.version = 3
        section.particulars |= {n: value for n, value in filed.plan.particulars.items() if n not in recorded}
        if filed.admitted:
            section.permissions = [admission(section, filed.admitted)]
    fields = ["filed_on", "submitted_on", "submitted_by", "round_dates", "version", "particulars"]
    fields += ["permissions"]
    Section.objects.bulk_update(sections, fields, batch_size=100)


def admission(section: Section, on: date) -> dict[str, Any]:
    declared = {"format": section.format, "rounds": section.rounds, "particulars": section.particulars}
    return {"clause": "", "reason": "", "on": on.isoformat(), "declared": declared}
