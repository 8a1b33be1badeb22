"""The journal as a transparency log: C2SP `signed-note`, `tlog-checkpoint`, `tlog-tiles`; hashes of RFC 6962.

Standard library only, except for signatures, which need the `cryptography` package
(`signed_notes.signatures_can_be_checked`).
"""
