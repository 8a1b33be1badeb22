from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Names static files by their content; a page is shown even if a file of it was not collected."""

    def stored_name(self, name: str) -> str:
        """A static file's name with the digest of its content; the plain one if it was not collected."""
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored
