"""Pages as tests read them."""

import re


def unbroken(html: str) -> str:
    """HTML as if laid out on one line: without the spaces at tags' edges and the line breaks in them."""
    return re.sub(r" ?([<>]) ?", r"\1", re.sub(r"\s+", " ", html))
