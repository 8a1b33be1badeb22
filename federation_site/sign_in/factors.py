"""Second factors as they are kept: secrets of authenticator apps and recovery codes lie encrypted."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


class OfficeFactors(DefaultMFAAdapter):
    """Encrypts by `SECRET_KEY`: a copy of the database alone gives nobody a second factor."""

    def encrypt(self, text: str) -> str:
        return cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return cipher().decrypt(encrypted_text.encode()).decode()


def cipher() -> MultiFernet:
    """By the present key; what former keys encrypted (`SECRET_KEY_FALLBACKS`) is still read."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"second factors " + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])
