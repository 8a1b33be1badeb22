"""Answers as text that two records share: what is seen, what leads on, what can be sent."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from html.parser import HTMLParser

from pypdf import PdfReader

DRAWN_ANEW = ("csrfmiddlewaretoken", "once")
"""Fields whose values each opened page draws for itself."""
LEADING = ("href", "action", "formaction", "src", "data-hx-get", "hx-get", "data-hx-post", "hx-post")
SHOWN = ("alt", "title", "aria-label", "placeholder", "content", "datetime", "data-label", "d", "points")
"""Attributes that lead on, and those that somebody sees or hears."""
FIELDS = ("input", "button", "textarea", "select", "option")
STATES = ("checked", "selected", "required", "disabled", "readonly", "hidden", "open")
LEVELS = [
    (r"[\w.-]+/journal\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+", "<key>"),
    (r"— (\S+) [A-Za-z0-9+/=]{80,}", r"— \1 <signature>"),
    (r"(?<=One file of )[\d.,]+(?= KB)", "<size>"),
    (r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])", "<hash>"),
    (r"ratings-[\w.]+?-[0-9a-f]{8}\.pyz", "<program>"),
    (r"(?<=\"salt\":\")[0-9a-f]{32}", "<token>"),
    (r"[\w=-]{6,}(:|%3A)[0-9A-Za-z]{6}(:|%3A)[\w-]{43}", "<token>"),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<token>"),
    (r"\.[0-9a-f]{12}(?=\.\w+)", ""),
]
"""What is another with each run, or with each version of the sources, and the mark in its place."""


@dataclass
class Leveller:
    """Puts marks in the place of whatever no two records share."""

    known: set[str] = field(default_factory=set)
    """Checksums of what never may change: they stay."""
    places: dict[str, str] = field(default_factory=dict)
    """Folders of this run, and their marks."""

    def __call__(self, text: str) -> str:
        for place, mark in self.places.items():
            text = text.replace(place, mark)
        for pattern, mark in LEVELS:
            text = re.sub(pattern, mark, text)
        return re.sub(r"\b[0-9a-f]{64}\b", lambda m: m[0] if m[0] in self.known else "<hash>", text)


@dataclass
class Form:
    """A form as a page offers it."""

    action: str
    method: str
    fields: list[dict[str, str]] = field(default_factory=list)

    def kind(self) -> tuple[str, ...]:
        """The names of its fields, without numbers."""
        return tuple(sorted({re.sub(r"\d+", "N", each["name"]) for each in self.fields}))

    def is_like(self, other: Form) -> bool:
        return (self.action, self.kind()) == (other.action, other.kind())

    def buttons(self) -> list[dict[str, str]]:
        """What each of its named buttons sends; of a form without any, that nothing is sent with it."""
        named = [each for each in self.fields if each["tag"] == "button"]
        return [{each["name"]: each.get("value", "")} for each in named] or [{}]


@dataclass
class Page(HTMLParser):
    """The lines that a page shows, one for each text, link and field; its links and forms."""

    lines: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.silent, self.inside, self.text = False, False, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_text()
        said = {name: value or "" for name, value in attrs}
        self.silent = tag in ("script", "style")
        if self.silent or tag == "use" or said.get("rel") in ("stylesheet", "preload", "icon", "manifest"):
            return
        kept = [f"{name}={said[name]}" for name in (*LEADING, *SHOWN) if said.get(name)]
        if tag in FIELDS or tag == "form":
            shown = said | {"value": "<token>"} if said.get("name") in DRAWN_ANEW else said
            kept += [f"{name}={shown[name]}" for name in ("type", "method", "name", "value") if name in shown]
        kept += [name for name in STATES if name in said]
        if kept or tag in FIELDS:
            self.lines.append(" ".join([f"<{tag}>", *kept]))
        self.links += [said[name] for name in ("href", "data-hx-get", "hx-get") if said.get(name)]
        self._keep_form(tag, said)

    def _keep_form(self, tag: str, said: dict[str, str]) -> None:
        if tag == "form":
            self.forms.append(Form(said.get("action", ""), said.get("method", "get").lower()))
            self.inside = True
        elif self.inside and tag == "option" and self.forms[-1].fields:
            select = self.forms[-1].fields[-1]
            select["options"] = f"{select.get('options', '')}\n{said.get('value', '')}"
            if "selected" in said:
                select["value"] = said.get("value", "")
        elif self.inside and tag in FIELDS and said.get("name"):
            self.forms[-1].fields.append(said | {"tag": tag})

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.inside and self.forms[-1].fields:
            self.forms[-1].fields[-1]["value"] = self.text.strip()
        self._end_text()
        self.silent = False
        self.inside = self.inside and tag != "form"

    def handle_data(self, data: str) -> None:
        self.text += "" if self.silent else data

    def _end_text(self) -> None:
        if words := " ".join(self.text.split()):
            self.lines.append(words)
        self.text = ""


@lru_cache(4)
def page_of(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    return page


def read(body: bytes, media: str) -> str:
    """What somebody reads in an answer: a page's lines, a text, what is packed in it, else its checksum."""
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as packed:
            return "\n".join(f"== {name}\n{read(packed.read(name), '')}" for name in packed.namelist())
    if body.startswith(b"%PDF"):
        return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(body)).pages)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return f"{len(body)} bytes, {digest(body)}"
    if "html" in media:
        return "\n".join(page_of(text).lines)
    if "json" in media and "nd" not in media:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    return text.replace("><", ">\n<") if text.startswith("<?xml") else text.replace("},{", "},\n{")


def digest(data: str | bytes) -> str:
    """A checksum of our own, shorter than those that are levelled."""
    return sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:40]
