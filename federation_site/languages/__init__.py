"""The catalogues of translations: what is to be translated, what was, and its form for programs."""
