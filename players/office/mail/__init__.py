"""Letters by e-mail: ordered as rows, sent by workers."""
