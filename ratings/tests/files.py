"""Files that an office offers, as a test reads them."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from django.test import Client

from ratings.rulesets.downloads import DownloadHead, DownloadRow


def filled(
    write: Callable[[DownloadHead, Iterable[DownloadRow], BinaryIO], None],
    head: DownloadHead,
    *lines: DownloadRow,
) -> bytes:
    """What a layout makes of these lines."""
    file = io.BytesIO()
    write(head, iter(lines), file)
    return file.getvalue()


def fetched(client: Client, address: str) -> bytes:
    """What is sent in parts."""
    response: Any = client.get(address)
    assert response.status_code == 200, address
    return b"".join(response.streaming_content)


def unzipped(content: bytes) -> bytes:
    """The one file inside."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        [name] = archive.namelist()
        return archive.read(name)


def inside(content: bytes) -> str:
    """All that stands in the files inside."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "".join(archive.read(name).decode() for name in archive.namelist())


def table_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
