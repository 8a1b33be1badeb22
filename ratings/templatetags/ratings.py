"""Template tags for pages that show ratings."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import template
from django.template.defaultfilters import stringfilter
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from players.languages.words_of_office import said_by
from players.office.models import Federation
from players.office.settings_schema import today
from players.templatetags import ui
from ratings.equipment.publication_profile import Page
from ratings.equipment.rule_table_pages import pages_of
from ratings.law.ruleset import Edition
from ratings.law.ruleset_helpers.example_files import TITLE, Example
from ratings.lists.models import ListRow
from ratings.public.common import disclosure_limits
from ratings.public.common.worded_tables import label_of
from ratings.public.players.player_pages import with_ratings
from ratings.results.workings import clause_url, exact
from tournaments.filing.changes.notices import told_by_headline

register = template.Library()
register.filter("told_by_headline", told_by_headline)


@register.filter
def rated(value: Decimal | None, office: Federation) -> str:
    """A rating as text, with as many decimals as the office's federation shows."""
    return ui.rating(value, office.publication.decimals)


@register.simple_tag
def look_up_ratings(cards: Sequence[dict[str, Any]], office: Federation) -> str:
    """Set `shown_ratings` on the players offered in these cards of entries, all together; write nothing."""
    players = {offer.player.pk: offer.player for card in cards for offer in card["offers"]}
    with_ratings(office, list(players.values()), today(office))
    for card in cards:
        for offer in card["offers"]:
            offer.player.shown_ratings = players[offer.player.pk].shown_ratings
    return ""


@register.filter
def without_names(text: str, office: Federation) -> str:
    """A text that officials wrote, for the public: names of people who asked not to be named are replaced."""
    return said_by(office, disclosure_limits.without_names(office, text))


@register.filter
def exactly(value: Decimal) -> str:
    """A number with every digit that is kept of it."""
    return exact(value)


@register.filter
def counted(number: int, office: Federation) -> str:
    """The number of games behind a rating in words, or of whatever the office's rules count instead."""
    if "games" in office.ruleset.words.messages:
        return f"{label_of('games', office.ruleset)}: {number}"
    return ngettext("%(number)s game", "%(number)s games", number) % {"number": number}


@register.filter
def track_name(code: str, office: Federation) -> str:
    """The name of a track."""
    return next((_(track.name) for track in office.ruleset.tracks if track.code == code), code)


@register.filter
def rating_name(code: str, office: Federation) -> str:
    """The heading for ratings of a track, with the track's name unless the office has only one."""
    if len(office.ruleset.tracks) == 1:
        return _("Rating")
    return _("%(track)s rating") % {"track": track_name(code, office)}


@register.filter
def words(text: str) -> str:
    """Translate a text that a ruleset has marked for translation."""
    return _(text) if text else ""


@register.filter(is_safe=True)
@stringfilter
def continued(text: str) -> str:
    """A sentence as it goes on after another part of it: it begins with a small letter."""
    return text[:1].lower() + text[1:]


@register.filter
def titled(example: Example) -> str:
    """The title of a worked example in the reader's language."""
    return pgettext(TITLE, example.title)


@register.filter
def further_pages(office: Federation | None) -> Sequence[Page]:
    """The pages of the office's further tables, for the navigation; an error page may have no office."""
    return pages_of(office.ruleset) if office else ()


@register.inclusion_tag("components/clause.html")
def clause(office: Federation, number: str, edition: Edition | str = "") -> dict[str, str]:
    """The context to show a clause's number as a link to its text, in the edition given or the newest."""
    of = office.ruleset.newest if isinstance(edition, str) else edition
    return {"clause": number, "url": clause_url(office, number, of)}


@register.simple_tag
def moved(row: ListRow, places: int) -> SafeString:
    """The change of a list row's rating since the list before."""
    return ui.delta(None if row.previous is None else row.rating - row.previous, places)
