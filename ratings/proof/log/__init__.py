"""The journal as a transparency log: C2SP `signed-note`, `tlog-checkpoint`, `tlog-tiles`; hashes of RFC 6962.

Standard library only, but for signatures: those need the `cryptography` package
(`notes.signatures_can_be_checked`).
"""
