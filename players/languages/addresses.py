"""Addresses of one page in several languages: `/csa/players/` in the office's, `/pl/csa/players/` in Polish.

The language stands where a site below a folder has that folder, as the script's prefix: so every address that
a page names stays in the page's language, and none has to know of it.
"""

from __future__ import annotations

from django.urls import get_script_prefix, set_script_prefix

from players.languages.choice import offered


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


def language_of_addresses() -> str:
    """The language with which addresses begin now; empty: none."""
    return offered(get_script_prefix().rstrip("/").rpartition("/")[2])
