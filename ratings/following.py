"""Letters to readers who follow a player, a region or the lists of a rating.

A mail address is confirmed by a link before it gets anything, is used for nothing else, stands on no page,
and is deleted at one click from each letter (RFC 8058). Whoever follows a player who asks not to be named
gets no further letter, and is deleted too. A letter says what the public pages say at the moment in which it
is sent.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _, ngettext

from players.display import localize_decimal
from players.mail import COMPOSERS, ComposedLetter, order_letter, override_language, render_in_layout
from players.models import Federation, Letter, Player, Region
from players.record import Refused, lock_ledger
from players.settings import today
from ratings.models import Change, DaysTakenOver, Fact, Following, ListRow, RatingList
from ratings.results import AsOf
from ratings.rulesets.ruleset import Track
from ratings.statement import Movement, read_statement
from tournaments.models import Entry, Section, Stage

CONFIRMATION_PERIOD = timedelta(days=3)
"""The time to confirm a mail address; what was not confirmed is deleted after it."""
MOST_OF_OFFICE = 500
"""Addresses that may wait for their confirmation in one office."""
MOST_NEWS = 20
"""The most sections and lists of one letter."""
CONFIRM, END = "ratings.following.confirm", "ratings.following.end"
PAGES = {CONFIRM: "ratings:confirm_following", END: "ratings:end_following"}
CONFIRMATION, NEWS = "follow-confirmation", "follow-news"


# ---- What can be followed
@dataclass(frozen=True, slots=True)
class Subject:
    """A player, a region, or the lists of a rating; exactly one of them."""

    office: Federation
    player: Player | None = None
    region: Region | None = None
    track: Track | None = None

    @property
    def about(self) -> str:
        """The subject as `Following.about` and an address name it."""
        return f"{self.kind} {self.key}"

    @property
    def kind(self) -> str:
        return "player" if self.player else "region" if self.region else "track"

    @property
    def key(self) -> str:
        return self.player.number if self.player else self.region.code if self.region else self._track.code

    @property
    def name(self) -> str:
        """The name in the language in force."""
        if self.player:
            return self.player.shown_name
        return self.region.name if self.region else _(self._track.name)

    @property
    def _track(self) -> Track:
        assert self.track is not None
        return self.track


def find_subject(office: Federation, kind: str, key: str) -> Subject | None:
    """What can be followed under a name; of a merged entry, the player who stays. None if there is no such
    thing, or the player asked not to be named.
    """
    if kind == "player":
        people = Player.objects.of(office).select_related("merged_into__federation", "federation")
        player = people.filter(number=key).first()
        player = player and (player.merged_into or player)
        return Subject(office, player=player) if player and player.name and not player.withheld else None
    if kind == "region":
        region = Region.objects.filter(federation=office, code=key).first() if office.regional else None
        return Subject(office, region=region) if region else None
    found = (each for each in office.ruleset.tracks if kind == "track" and each.code == key)
    return next((Subject(office, track=each) for each in found), None)


def subject_of(following: Following) -> Subject | None:
    kind, _space, key = following.about.partition(" ")
    return find_subject(following.federation, kind, key)


# ---- Asking, confirming, ending
class TooManyWait(Refused):
    """Too many addresses of the office wait for their confirmation."""


@transaction.atomic
def follow(*, about: Subject, email: str, at: datetime, language: str = "") -> None:
    """Order the letter by which an address confirms that it follows something; one that follows it already
    gets none.

    Raises `TooManyWait`, whatever the address.
    """
    office, email = about.office, email.lower()
    lock_ledger(office)
    waiting = Following.objects.filter(federation=office, confirmed_on=None)
    if waiting.count() >= MOST_OF_OFFICE:
        raise TooManyWait(_("Too many people asked for letters lately. Try again tomorrow."))
    following, _new = Following.objects.get_or_create(
        federation=office, email=email, about=about.about, defaults={"language": language, "asked_at": at}
    )
    if following.confirmed_on is None:
        following.language, following.asked_at = language, at
        following.save(update_fields=["language", "asked_at"])
        order_letter(email, CONFIRMATION, following=following.pk)


@transaction.atomic
def confirm_following(following: Following, on: date) -> None:
    """Begin the letters: about what comes from now on."""
    facts = lock_ledger(following.federation).facts
    waiting = Following.objects.filter(pk=following.pk, confirmed_on=None)
    waiting.update(confirmed_on=on, told=facts)


def end_following(following: Following) -> None:
    following.delete()


def end_followings_of(players: Iterable[Player]) -> None:
    """Delete the addresses that follow players who asked not to be named."""
    for player in players:
        Following.objects.filter(federation=player.federation_id, about=f"player {player.number}").delete()


def delete_unconfirmed_followings(now: datetime) -> None:
    """Delete the addresses of all offices that were not confirmed in time."""
    Following.objects.filter(confirmed_on=None, asked_at__lt=now - CONFIRMATION_PERIOD).delete()


def make_link(following: Following, purpose: str) -> str:
    """The address of the page on which a following is confirmed or ended. Its token is stored nowhere, and
    covers the moment of asking because another row may get the same key after a restore.
    """
    values = [following.pk, following.asked_at.isoformat()]
    page = reverse(PAGES[purpose], args=[following.federation.code])
    return f"{settings.SITE_ADDRESS}{page}?{urlencode({'following': signing.dumps(values, salt=purpose)})}"


def find_following(token: str, purpose: str, office: Federation) -> Following | None:
    """The office's following of a token; None if the token is invalid or too old, or it is gone."""
    try:
        oldest = CONFIRMATION_PERIOD if purpose == CONFIRM else None
        key, asked = signing.loads(token, salt=purpose, max_age=oldest)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    following = Following.objects.filter(pk=key, federation=office).first()
    return following if following and following.asked_at.isoformat() == asked else None


# ---- Which letters are due
def order_letters_to_followers() -> None:
    """Order the letters about what was rated and published in all offices: one a day at most for each
    following, and none while ratings are computed.
    """
    for office in Federation.objects.exclude(followings=None).select_related("ledger"):
        if not office.ledger.pending:
            _order_letters(office, office.ledger.line)


@transaction.atomic
def _order_letters(office: Federation, line: int) -> None:
    day = today(office)
    confirmed = Following.objects.filter(federation=office, told__lt=line).exclude(confirmed_on=None)
    due = list(confirmed.exclude(sent_on=day).select_for_update().order_by("pk"))
    if not due:
        return
    news = _News(office, min(each.told for each in due), line)
    for following in due:
        subject = subject_of(following)
        if subject is None:
            following.delete()
            continue
        if news.concerns(subject, following.told):
            order_letter(following.email, NEWS, following=following.pk, after=following.told, line=line)
            following.sent_on = day
        following.told = line
        following.save(update_fields=["told", "sent_on"])


class _News:
    """An office's own sections and lists of some lines of the journal, as known now."""

    def __init__(self, office: Federation, after: int, line: int) -> None:
        over = DaysTakenOver(office)
        rated = Fact.objects.filter(
            federation=office, kind="rated", number__gt=after, number__lte=line, section__stage=Stage.RATED
        )
        found = rated.in_force().select_related("section__event__region", "section__event__federation")
        self.rated = [each for each in found.order_by("number") if over.day_for_line(each.number) is None]
        lists = RatingList.objects.of(office).without_content().select_related("fact")
        lists = lists.filter(fact__number__gt=after, fact__number__lte=line).order_by("fact__number", "track")
        self.lists = [each for each in lists if over.day_for_line(each.fact.number) is None]
        for each in self.lists:
            each.federation = office

    def concerns(self, subject: Subject, after: int) -> bool:
        return any(True for _each in self.about(subject, after))

    def about(self, subject: Subject, after: int) -> Iterator[Fact | RatingList]:
        """Yield the rated sections and the lists, after a line, that concern somebody who follows this."""
        for line in self.rated:
            if line.number > after and line.section and _is_played_by(line.section, subject):
                yield line
        for each in self.lists:
            if each.fact.number > after and _is_listed(each, subject):
                yield each


def _is_played_by(section: Section, subject: Subject) -> bool:
    if subject.player:
        return _entries(section, subject.player).exists()
    return subject.region is not None and section.event.region_id == subject.region.pk


def _entries(section: Section, player: Player) -> QuerySet[Entry]:
    return section.entries.filter(Q(player=player) | Q(player__merged_into=player))


def _is_listed(found: RatingList, subject: Subject) -> bool:
    if subject.player:
        return ListRow.objects.filter(rating_list=found, player=subject.player).exists()
    return subject.track is None or subject.track.code == found.track


# ---- Letters
def compose_confirmation(letter: Letter) -> ComposedLetter | None:
    """The letter with the link that confirms an address; None if that is done, or nothing is followed any
    more.
    """
    following = _following(letter)
    subject = subject_of(following) if following and following.confirmed_on is None else None
    if following is None or subject is None:
        return None
    with override_language(following.language or following.federation.language):
        context = {"subject": subject, "office": subject.office, "link": make_link(following, CONFIRM)}
        return _compose("confirmation", following, context)


def compose_news(letter: Letter) -> ComposedLetter | None:
    """The letter about what is new; None if it is not followed any more, or was taken back meanwhile."""
    following = _following(letter)
    subject = subject_of(following) if following and following.confirmed_on else None
    if following is None or subject is None:
        return None
    after, line = int(letter.particulars["after"]), int(letter.particulars["line"])
    found = list(_News(subject.office, after, line).about(subject, after))
    if not found:
        return None
    with override_language(following.language or following.federation.language):
        news = list(_in_words(subject, found[-MOST_NEWS:]))
        context = {"subject": subject, "office": subject.office, "news": news}
        return _compose("news", following, context, switches=make_link(following, END))


COMPOSERS[CONFIRMATION] = compose_confirmation
COMPOSERS[NEWS] = compose_news


def _following(letter: Letter) -> Following | None:
    """The letter's following, if it still has the letter's address."""
    found = Following.objects.filter(pk=letter.particulars["following"], email=letter.email)
    return found.select_related("federation").first()


def _compose(
    name: str, following: Following, context: Mapping[str, object], switches: str = ""
) -> ComposedLetter:
    text = render_to_string(f"letters/following/{name}.txt", dict(context))
    subject, _line, body = text.strip().partition("\n")
    office = following.federation.name
    composed = render_in_layout(subject.strip(), body.strip(), office=office, switches_url=switches)
    return ComposedLetter(composed.subject, composed.text, composed.html, switches, one_click=bool(switches))


def _in_words(subject: Subject, found: Iterable[Fact | RatingList]) -> Iterator[str]:
    """Yield a paragraph about each section and list, with its address."""
    items = list(found)
    lines = [each for each in items if isinstance(each, Fact)]
    moved = read_movements(subject.player, lines) if subject.player else {}
    for each in items:
        if isinstance(each, Fact):
            assert each.section is not None
            moves = movements_in_words(subject.office, moved.get(each.number, {}))
            words = [f"{each.section}", until_in_words(each.section), moves]
            url = each.section.get_absolute_url()
        else:
            words = [_list_title(each), _list_row_in_words(each, subject)]
            url = each.get_absolute_url() + _list_query(subject)
        yield "\n".join([*filter(None, words), f"{settings.SITE_ADDRESS}{url}"])


def _list_title(found: RatingList) -> str:
    tracks = {each.code: each.name for each in found.federation.ruleset.tracks}
    values = {"track": _(tracks[found.track]), "day": date_format(found.on, "DATE_FORMAT")}
    if found.revision > 1:
        return _("%(track)s, %(day)s, revision %(revision)s") % {**values, "revision": found.revision}
    return _("%(track)s, %(day)s") % values


def _list_row_in_words(found: RatingList, subject: Subject) -> str:
    if subject.player is None:
        words = ngettext("%(count)s player.", "%(count)s players.", found.players)
        return words % {"count": found.players}
    row = ListRow.objects.get(rating_list=found, player=subject.player)
    rating = localize_decimal(f"{row.rating:.{subject.office.publication.decimals}f}")
    return _("Rating %(rating)s, rank %(rank)s.") % {"rating": rating, "rank": row.rank}


def _list_query(subject: Subject) -> str:
    if subject.player:
        return f"?{urlencode({'player': subject.key})}#p{subject.key}"
    return f"?{urlencode({'region': subject.key})}" if subject.region else ""


# ---- What a rated section did to a player's ratings, in words: for letters and feeds
def read_movements(player: Player, lines: Iterable[Fact]) -> dict[int, dict[str, Movement]]:
    """What these lines moved of a player's ratings, by the line's number and the track."""
    found: dict[int, dict[str, Movement]] = defaultdict(dict)
    asked = AsOf(player.federation, today(player.federation), None)
    tracks = Change.objects.filter(player=player, fact__in=[line.pk for line in lines])
    for track in set(tracks.order_by().values_list("track", flat=True)):
        for row in read_statement(player, track, asked):
            if row.drift is None:
                found[row.move.line][track] = row.movement
    return found


def movements_in_words(office: Federation, moved: Mapping[str, Movement]) -> str:
    """The ratings before and after an event in each track that it moved, in the order of the tracks, and
    what waits for the next list.
    """
    return " ".join(
        f"{_(track.name)}: {_movement_in_words(moved[track.code].as_shown(office.publication.decimals))}."
        for track in office.ruleset.tracks
        if track.code in moved and moved[track.code].moves
    )


def _movement_in_words(shown: Movement) -> str:
    before, after = ("–" if each.rating is None else localize_decimal(f"{each.rating:f}") for each in shown)
    waits = f"{'+' if shown.waits > 0 else '−'}{localize_decimal(f'{abs(shown.waits):f}')} {_('waiting')}"
    return f"{before} → {after} ({waits})" if shown.waits else f"{before} → {after}"


def until_in_words(section: Section) -> str:
    return _("Played until %(day)s.") % {"day": date_format(section.ends, "DATE_FORMAT")}
