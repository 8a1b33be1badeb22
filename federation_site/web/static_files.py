from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Addresses of static files by their content; a page whose file was not collected is shown without it."""

    def stored_name(self, name: str) -> str:
        """A static file's name with the digest of its content; the plain one if it was not collected."""
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored
