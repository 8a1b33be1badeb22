"""The pages' fonts, made again: `python -m tests.cut_fonts` fetches the originals with npm, cuts them down.

Each is cut to the letters that people of the federations write, and is told by another name than the
original's, which its licence reserves. static/VENDOR.md says what they were made of.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

FOLDER = Path(__file__).resolve().parent.parent / "static" / "fonts"
POLISH_AND_CZECH = "ĄąĆćĘęŁłŃńŚśŹźŻżČčĎďĚěŇňŘřŠšŤťŮůŽž"
SIGNS = "‐‑‒–—‘’‚“”„†‡•…′″⁄€№™←↑→↓↕∑−√≈≠≤≥▲▸▼▾✓ΔΣ\u2009\u202f"
FIRST = {*map(ord, POLISH_AND_CZECH + SIGNS), *range(0x20, 0x7F), *range(0xA0, 0x100)}
"""What pages in Latin letters need: it is fetched with each page."""
LATIN_OF_OTHERS = {*range(0x100, 0x180), *map(ord, "ȘșȚț")} - {*map(ord, "ĲĳĿŀŉſ")}
CYRILLIC = {*range(0x410, 0x450), *map(ord, "ЁёЄєІіЇїҐґЎў")}
FURTHER = LATIN_OF_OTHERS - FIRST
"""What is fetched by the pages alone that show a letter of it."""
RUSSIAN = {*CYRILLIC, *map(ord, SIGNS + "×÷"), *range(0x20, 0x7F), *range(0xA0, 0xC0)}
"""All that a page in Russian needs, in one file; other pages take the Cyrillic of it."""
PARTS = {"": FIRST, "-further": FURTHER, "-cyrillic": RUSSIAN}


@dataclass(frozen=True, slots=True)
class Face:
    """A font of the pages: how it is told, and what it is cut from."""

    name: str
    package: str
    checksum: str
    """SHA-256 of the package as npm hands it out."""
    original: str
    axes: dict[str, float | tuple[float, float]]
    """Weights from and to, or the one that is kept; the size for which the letters are drawn."""

    @property
    def file(self) -> str:
        return self.name.lower().replace(" ", "-")


FACES = (
    Face(
        "Record Sans",
        "source-sans@3.52.0",
        "49cf78ddd79b436591ee696785222b54ff28102922e3d3df297fe382d7fdfa88",
        "VF/SourceSans3VF-Upright.ttf",
        {"wght": (400, 700)},
    ),
    Face(
        "Record Serif",
        "source-serif@4.5.1",
        "19a448df98f4aa777de3452b0a1e29aa7ffe29252fe552c8a2d2531702d80746",
        "VAR/SourceSerif4Variable-Roman.ttf",
        {"wght": 600, "opsz": 20},
    ),
)


def fetch(face: Face, folder: Path) -> Path:
    """The font as its makers publish it, out of a package of which every byte is known."""
    packed = subprocess.run(
        ["npm", "pack", "--silent", face.package], cwd=folder, check=True, capture_output=True, text=True
    )
    package = folder / packed.stdout.split()[-1]
    checksum = hashlib.sha256(package.read_bytes()).hexdigest()
    if checksum != face.checksum:
        raise SystemExit(f"{face.package} has the checksum {checksum}, not {face.checksum}.")
    with tarfile.open(package) as files:
        content = files.extractfile(f"package/{face.original}")
        if content is None:
            raise SystemExit(f"{face.package} has no {face.original}.")
        path = folder / Path(face.original).name
        with path.open("wb") as original:
            shutil.copyfileobj(content, original)
    return path


def cut(original: Path, face: Face, letters: set[int]) -> TTFont:
    """The font with these letters, even figures and kerning, and nothing else."""
    font = TTFont(original, recalcTimestamp=False)
    options = subset.Options(
        layout_features=["kern", "tnum"], hinting=False, name_IDs=[0, 1, 2, 3, 4, 6, 13, 14]
    )
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    instancer.instantiateVariableFont(font, face.axes, inplace=True)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6):
            record.string = face.file if record.nameID == 6 else face.name
    font.flavor = "woff2"
    return font


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for face in FACES:
            original = fetch(face, Path(folder))
            for part, letters in PARTS.items():
                path = FOLDER / f"{face.file}{part}.woff2"
                cut(original, face, letters).save(path)
                print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
