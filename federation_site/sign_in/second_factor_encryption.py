"""Second factors as they are kept: secrets of authenticator apps and recovery codes lie encrypted."""

from __future__ import annotations

import hashlib
import secrets
from base64 import b32encode, urlsafe_b64encode

import structlog
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

log = structlog.get_logger("federation_site.sign_in")


class OfficeFactors(DefaultMFAAdapter):
    """Encrypts second factors by `SECRET_KEY`: a copy of the database alone gives nobody one."""

    def encrypt(self, text: str) -> str:
        return cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret of a second factor; a random one, which no code fits, where its key is not known."""
        try:
            return cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            log.error("a second factor cannot be read: it was encrypted by another SECRET_KEY")
            return b32encode(secrets.token_bytes(20)).decode()


def cipher() -> MultiFernet:
    """The cipher for second factors: encrypts by `SECRET_KEY`, and reads by `SECRET_KEY_FALLBACKS` too."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"second factors " + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])
