"""Messages about ZIPs of several sections; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


ARCHIVES: dict[str, str] = {
    "archive-no-zip": _(
        "This is not a ZIP archive. Pack the files of the sections into one, or upload this file on the page "
        "of its section."
    ),
    "archive-is-workbook": _("This is a workbook, not a ZIP of files. Upload it on the page of its section."),
    "archive-too-big": _(
        "The archive is larger than %(most)s MB. Pack the files of the tournament only, or upload each on "
        "the page of its section."
    ),
    "archive-empty": _("There is no file in this ZIP archive. Pack the files of the sections again."),
    "archive-too-many": _(
        "There are %(count)s files in this ZIP archive, and at most %(most)s are allowed. Pack only the "
        "files of the tournament."
    ),
    "archive-unpacks-too-big": _(
        "This ZIP archive unpacks to more than %(most)s MB, which no event needs. Pack only the files of the "
        "tournament."
    ),
    "archive-locked": _(
        "This ZIP archive is locked by a password (%(name)s). Pack the files without one and upload it again."
    ),
    "archive-packed-otherwise": _(
        "A file in this ZIP archive is packed in a way that is not opened here (%(name)s). Pack the files "
        "with the tool of your own system: “Compressed folder” or “Compress”."
    ),
    "archive-same-name": _(
        "Two files in this ZIP archive have the same name (%(name)s), so it is not clear which one you "
        "mean. Pack the files again."
    ),
    "archive-broken": _(
        "This ZIP archive is damaged and cannot be unpacked. Pack the files again and upload that archive."
    ),
    # One file of an archive.
    "zip-within": _(
        "This is an archive within the archive, which is not opened. Unpack it and pack its files with the "
        "others."
    ),
    "file-too-big": _("This file is larger than 2 MB. Event files are smaller."),
}
