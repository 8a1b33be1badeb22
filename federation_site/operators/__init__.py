"""The page of those who run the site, for all offices of it together."""
