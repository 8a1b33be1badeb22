"""What stands in no log."""

from __future__ import annotations

import subprocess
import sys

import pytest

from federation_site.logs import mask_secrets

LINK = "/accounts/password/reset/key/3-d9xq7b-0f1e2d3c/"
MASKED = "/accounts/password/reset/key/…/"
WRITING = """
import logging, structlog
from federation_site.logs import configure_logging
configure_logging(level="INFO", json={json})
structlog.get_logger("somebody.of.ours").info("request", path="{link}", status=302)
logging.getLogger("django.request").warning("Not Found: %s", "{link}")
"""


@pytest.mark.parametrize("json", [True, False])
def test_the_key_of_a_password_link_is_in_no_line_of_ours_or_of_any_library(json: bool) -> None:
    script = WRITING.format(json=json, link=LINK)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "d9xq7b" not in done.stderr
    assert done.stderr.count("/accounts/password/reset/key/") == 2


def test_other_paths_are_logged_as_they_are() -> None:
    assert mask_secrets(None, "", {"path": LINK, "status": 1}) == {"path": MASKED, "status": 1}
    assert mask_secrets(None, "", {"path": "/csa/lists/"}) == {"path": "/csa/lists/"}
    assert mask_secrets(None, "", {"path": "/csa/key/1/"}) == {"path": "/csa/key/1/"}
