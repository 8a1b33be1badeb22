"""The language in which a reader is answered, and the addresses of one page in several languages.

An address that names a language is answered in it. Otherwise the reader's choice counts: the account's, else
that of the switch at a page's foot. Whoever chose none reads an office in its own language, and pages of no
office by what the browser asks for. So do staff, in an office too.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from django.conf import settings
from django.http import HttpRequest
from django.urls import get_script_prefix, set_script_prefix
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_supported_language_variant, gettext, override
from django.utils.translation.trans_real import parse_accept_lang_header

from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset


# ---- Chooses the language of an answer and of a letter.
class Speaking(Protocol):
    """A thing with a language of its own: an office."""

    @property
    def language(self) -> str: ...


def offered(code: str | None) -> str:
    """The code, if pages are offered in that language; empty otherwise."""
    return code if code and code in dict(settings.LANGUAGES) else ""


def fix_language(request: HttpRequest, code: str) -> None:
    """Have a request answered in this language, whoever asks: its address names it, or is of one alone."""
    request.fixed_language = code  # type: ignore[attr-defined]


def speak(request: HttpRequest, office: Speaking | None = None) -> None:
    """Answer a request in the language that is its reader's, in an office or outside all."""
    code = language_for(request, office)
    translation.activate(code)
    request.LANGUAGE_CODE = code


def language_for(request: HttpRequest, office: Speaking | None = None) -> str:
    """The language of the answer to a request: see above."""
    if fixed := getattr(request, "fixed_language", ""):
        return str(fixed)
    if chosen := chosen_language(request):
        return chosen
    own = office.language if office else settings.LANGUAGE_CODE
    return (
        own
        if office and not _signed_in(request)
        else first_accepted(request.headers.get("Accept-Language", "")) or own
    )


def chosen_language(request: HttpRequest) -> str:
    """The language that the reader chose, for the account or with the switch; empty: none."""
    of_account = request.user.language if _signed_in(request) else ""  # type: ignore[union-attr]
    return offered(of_account) or offered(request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME))


def first_accepted(header: str) -> str:
    """The language that a header `Accept-Language` likes best among those offered; empty: none."""
    for code, _liking in parse_accept_lang_header(header):
        if code == "*":
            break
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return ""


def _signed_in(request: Any) -> bool:
    """Whether somebody is; before the session was read nobody knows, and nobody is."""
    return hasattr(request, "user") and bool(request.user.is_authenticated)


# ---- Addresses of one page in several languages: `/csa/players/` in the office's, `/pl/csa/players/` in
# Polish.
#
# The language stands where a site below a folder has that folder, as the script's prefix: so every address
# that a page names stays in the page's language, and none has to know of it.
def split_language(path: str) -> tuple[str, str]:
    """Part a path within the site into the language that it begins with, or none, and the path without it."""
    code, slash, rest = path.removeprefix("/").partition("/")
    return (code, f"/{rest}") if slash and offered(code) else ("", path)


def plain_path(path: str) -> str:
    """The path of a page without its language, as the site's addresses are."""
    root = site_root()
    if not path.startswith(root):
        return path
    _code, rest = split_language(f"/{path.removeprefix(root)}")
    return root + rest.removeprefix("/")


def path_in(code: str, path: str) -> str:
    """The path of a page in a language, whatever language it names now; an empty code: in none."""
    plain = plain_path(path)
    root = site_root()
    return f"{root}{code}/{plain.removeprefix(root)}" if code else plain


def site_root() -> str:
    """The path at which the site begins, without any language: `/`, or a folder."""
    prefix = get_script_prefix()
    shorter, _slash, code = prefix.rstrip("/").rpartition("/")
    return f"{shorter}/" if offered(code) else prefix


def enter_language(code: str) -> None:
    """Have all addresses begin with a language from now on; an empty code: with none."""
    root = site_root()
    set_script_prefix(f"{root}{code}/" if code else root)


def said_by(office: Speaking, words: str) -> str | SafeString:
    """The words of an office, marked with its language where the page speaks another."""
    if not words or office.language == translation.get_language():
        return words
    return format_html('<span lang="{}">{}</span>', office.language, words)


def name_of_office(ruleset: Ruleset) -> str:
    """The ruleset's name in the language that the office is to speak."""
    with override(settings.OFFICE_LANGUAGE or equipment_of(ruleset).office.language):
        return gettext(ruleset.name)


# ---- A public page's addresses for search engines: its own, and those of the same page in other languages.
class Alternate(NamedTuple):
    code: str
    """The language, or `x-default` for readers of any other."""
    path: str


def canonical_path(path: str, office: Speaking | None) -> str:
    """The address of a page in the language in which it is read: without one where it is the office's own."""
    code = translation.get_language() or ""
    if office is None:
        return path_in(offered(get_script_prefix().rstrip("/").rpartition("/")[2]), path)
    return path_in("" if code == office.language else code, path)


def alternates(path: str, office: Speaking | None) -> list[Alternate]:
    """The addresses of the same page in each language; of one language, none."""
    if len(settings.LANGUAGES) < 2:
        return []
    own = office.language if office else None
    each = [Alternate(code, path_in("" if code == own else code, path)) for code, _name in settings.LANGUAGES]
    return [*each, Alternate("x-default", path_in("", path))]
