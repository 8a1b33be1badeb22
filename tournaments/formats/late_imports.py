"""Imports that come in the middle of a file unless they are made before: a closed box opens no module."""

import codecs
import importlib

ENCODINGS = (
    "utf-8-sig",
    "utf-16-le",
    "utf-16-be",
    "cp850",
    "cp1250",
    "cp1251",
    "cp1252",
    "iso-8859-2",
    "iso-8859-7",
    "latin-1",
)
NAMES_IN_ZIP = "cp437"
ZIP = b"PK"


def import_for(data: bytes) -> None:
    """Import what reading this file may ask for, which the readers do not import themselves."""
    for encoding in (*ENCODINGS, NAMES_IN_ZIP):
        codecs.lookup(encoding)
    if data.startswith(ZIP):  # may hold a workbook; openpyxl takes half the time of reading a text
        importlib.import_module("openpyxl")
