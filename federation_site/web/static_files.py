from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Addresses of static files by their content; a page whose file was not collected is shown without it."""

    def stored_name(self, name: str) -> str:
        """The name with the content's digest; the plain one where the file was not collected."""
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored
