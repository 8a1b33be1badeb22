"""Dockerfile, .dockerignore and docker-compose.yml, read as their tools read them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Image:
    """What a Dockerfile says of an image."""

    environment: dict[str, str]
    runs: list[tuple[str, str]]
    """Each RUN line, with the user whom it runs as."""
    user: str
    folder: str
    command: list[str]


def read_dockerfile(text: str) -> Image:
    """Read the instructions of a Dockerfile with one stage, whose CMD is a JSON list."""
    environment, runs, user, folder, command = (
        dict[str, str](),
        list[tuple[str, str]](),
        "root",
        "/",
        list[str](),
    )
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\n\s*", "", lines).splitlines():
        what, _space, rest = line.strip().partition(" ")
        if what == "ENV":
            environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif what == "RUN":
            runs.append((rest, user))
        elif what == "USER":
            user = rest
        elif what == "WORKDIR":
            folder = rest
        elif what == "CMD":
            command = json.loads(rest)
    return Image(environment, runs, user, folder, command)


class Ignored:
    """The patterns of a .dockerignore: of those that fit a path or a folder above it the last one decides."""

    def __init__(self, text: str) -> None:
        rules = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        self._rules = [(not rule.startswith("!"), _pattern(rule.lstrip("!"))) for rule in rules]

    def __call__(self, path: str) -> bool:
        """Whether a file, named from the top folder, stays outside the image."""
        parts = path.split("/")
        above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        left_out = False
        for leaves_out, pattern in self._rules:
            if any(pattern.fullmatch(each) for each in above):
                left_out = leaves_out
        return left_out


def _pattern(rule: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]*\])", rule.strip("/"))
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile(
        "".join(meaning.get(part, part if part.startswith("[") else re.escape(part)) for part in parts)
    )


class Unset(Exception):
    """A refusal of compose to start: a variable that has no default is not set."""


def read_compose(environment: Mapping[str, str]) -> dict[str, Any]:
    """docker-compose.yml with its variables filled in from `environment`. Raises `Unset`."""

    def fill(found: re.Match[str]) -> str:
        name, sign, words = found["name"], found["sign"] or "", found["words"] or ""
        value = environment.get(name)
        if value or (value is not None and ":" not in sign):
            return value
        if "?" in sign:
            raise Unset(f"{name}: {words}")
        return words if "-" in sign else ""

    def walk(found: Any) -> Any:
        if isinstance(found, dict):
            return {key: walk(value) for key, value in found.items()}
        if isinstance(found, list):
            return [walk(value) for value in found]
        return VARIABLE.sub(fill, found) if isinstance(found, str) else found

    filled: dict[str, Any] = walk(yaml.safe_load((ROOT / "docker-compose.yml").read_text()))
    for service in filled["services"].values():
        given = service.get("environment", {})
        handed_on = {name: environment.get(name) for name, value in given.items() if value is None}
        given = {name: value for name, value in (given | handed_on).items() if value is not None}
        service["environment"] = given
    return filled


VARIABLE = re.compile(r"(?<!\$)\$\{(?P<name>\w+)(?:(?P<sign>:?[-?])(?P<words>[^}]*))?\}")


def words_of(command: str | list[str]) -> list[str]:
    """The words of a command in compose: a list as it stands, a line as a shell would part it."""
    words = shlex.split(command) if isinstance(command, str) else command
    return [word.replace("$$", "$") for word in words]
