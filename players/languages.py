"""The language of a response, and the URLs of one page in several languages.

The language in the URL comes first, then the reader's choice (the account's, else that of the switch on every
page). Without a choice, an office's pages are in its language, and other pages and those for people who are
signed in in the browser's.
"""

from typing import Any, Protocol

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


# ---- The language of a response
class HasLanguage(Protocol):
    """An object with a language of its own: an office."""

    @property
    def language(self) -> str: ...


def supported_language(code: str | None) -> str:
    """The code if the site has that language, else empty."""
    return code if code and code in dict(settings.LANGUAGES) else ""


def force_language(request: HttpRequest, code: str) -> None:
    """Answer a request in this language whatever the reader chose."""
    request.fixed_language = code  # type: ignore[attr-defined]


def activate_language(request: HttpRequest, office: HasLanguage | None = None) -> None:
    """Activate the language for a request."""
    code = language_for(request, office)
    translation.activate(code)
    request.LANGUAGE_CODE = code


def language_for(request: HttpRequest, office: HasLanguage | None = None) -> str:
    if fixed := getattr(request, "fixed_language", ""):
        return str(fixed)
    if chosen := chosen_language(request):
        return chosen
    own = office.language if office else settings.LANGUAGE_CODE
    if office and not _signed_in(request):
        return own
    return find_accepted_language(request.headers.get("Accept-Language", "")) or own


def chosen_language(request: HttpRequest) -> str:
    """The language that the reader chose for the account or with the switch; empty: none."""
    own = request.user.language if _signed_in(request) else ""  # type: ignore[union-attr]
    return supported_language(own) or supported_language(request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME))


def find_accepted_language(header: str) -> str:
    """The site's language that an `Accept-Language` header prefers; empty: none."""
    for code, _quality in parse_accept_lang_header(header):
        if code == "*":
            break
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return ""


def _signed_in(request: Any) -> bool:
    """Whether the user is signed in; False before the session was read."""
    return hasattr(request, "user") and bool(request.user.is_authenticated)


# ---- URLs of one page in several languages: `/csa/players/` in the office's, `/pl/csa/players/` in Polish
#
# The language is part of the script prefix, so that all URLs on a page are in the page's language.
def split_language(path: str) -> tuple[str, str]:
    """Split a path within the site into its language, which may be empty, and the path without it."""
    code, slash, rest = path.removeprefix("/").partition("/")
    return (code, f"/{rest}") if slash and supported_language(code) else ("", path)


def path_without_language(path: str) -> str:
    """The path of a page without its language."""
    root = site_root()
    if not path.startswith(root):
        return path
    _code, rest = split_language(f"/{path.removeprefix(root)}")
    return root + rest.removeprefix("/")


def path_in_language(code: str, path: str) -> str:
    """The path of a page with another language, or with none if the code is empty."""
    plain = path_without_language(path)
    root = site_root()
    return f"{root}{code}/{plain.removeprefix(root)}" if code else plain


def site_root() -> str:
    """The path of the site without a language: `/`, or a folder."""
    prefix = get_script_prefix()
    shorter, _slash, code = prefix.rstrip("/").rpartition("/")
    return f"{shorter}/" if supported_language(code) else prefix


def set_url_language(code: str) -> None:
    """Let all URLs begin with a language from now on, or with none if the code is empty."""
    root = site_root()
    set_script_prefix(f"{root}{code}/" if code else root)


def mark_language(office: HasLanguage, words: str) -> str | SafeString:
    """An office's text, marked with its language if the page has another."""
    if not words or office.language == translation.get_language():
        return words
    return format_html('<span lang="{}">{}</span>', office.language, words)


def translate_ruleset_name(ruleset: Ruleset) -> str:
    """The ruleset's name in the language of its offices."""
    with override(settings.OFFICE_LANGUAGE or equipment_of(ruleset).office.language):
        return gettext(ruleset.name)


# ---- URLs for search engines
def canonical_path(path: str, office: HasLanguage | None) -> str:
    """The URL of a page in the language in force, which is left out if it is the office's own."""
    code = translation.get_language() or ""
    if office is None:
        return path_in_language(supported_language(get_script_prefix().rstrip("/").rpartition("/")[2]), path)
    return path_in_language("" if code == office.language else code, path)


def alternates(path: str, office: HasLanguage | None) -> list[tuple[str, str]]:
    """Each language, and `x-default` for all others, with the page's URL; empty if there is one language."""
    if len(settings.LANGUAGES) < 2:
        return []
    own = office.language if office else None
    each = [(code, path_in_language("" if code == own else code, path)) for code, _name in settings.LANGUAGES]
    return [*each, ("x-default", path_in_language("", path))]
