"""The pure parts of what installs the packages; the whole of it is tried by .ci/run on every fresh clone."""

import contextlib
import functools
import hashlib
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from federation_site import install


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(install, "VENV", tmp_path)
    monkeypatch.setattr(install, "PYTHON", tmp_path / "bin" / "python")
    monkeypatch.setattr(install, "STAMP", tmp_path / ".installed")
    return tmp_path


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python without pip and ensurepip, no uv, no index of one's own, nobody's root."""
    monkeypatch.setattr(install, "has_module", lambda *_: False)
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)


def test_a_lock_that_changed_has_another_fingerprint(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("django==5.2.19\n")
    before = install.fingerprint(lock)
    lock.write_text("django==5.2.20\n")
    assert install.fingerprint(lock) != before


def test_an_install_that_broke_off_leaves_no_stamp(venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (venv / ".installed").write_text("an older lock\n")
    lock = venv / "requirements.txt"
    lock.write_text("")
    monkeypatch.setattr(install, "installer", lambda: ["false"])
    with pytest.raises(Exception, match="non-zero exit status"):
        install.install(lock)
    assert install.installed_locks() == []


def test_what_was_installed_is_stamped_beside_what_was_there(
    venv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (venv / ".installed").write_text("an older lock\n")
    lock = venv / "requirements.txt"
    lock.write_text("")
    monkeypatch.setattr(install, "installer", lambda: ["true"])
    install.install(lock)
    assert install.installed_locks() == ["an older lock", install.fingerprint(lock)]


def test_a_failed_install_says_what_to_do(venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "ROOT", venv)
    monkeypatch.setattr(install, "installer", lambda: ["false"])
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.delenv("NO_BOOTSTRAP", raising=False)
    (venv / ".installed").write_text("an older lock\n")
    (venv / "requirements.txt").write_text("")
    with pytest.raises(SystemExit, match="Run the same command again"):
        install.continue_in_venv("requirements.txt")


def test_no_bootstrap_leaves_the_machine_alone(venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_BOOTSTRAP", "1")
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    install.continue_in_venv("a file that is not there")


def test_an_environment_of_ones_own_is_left_alone(venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_BOOTSTRAP", raising=False)
    monkeypatch.setattr(sys, "prefix", "/somewhere/else")
    install.continue_in_venv("a file that is not there")


def test_an_old_python_is_told_the_version_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 6))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed"):
        install.continue_in_venv("requirements.txt")


@pytest.mark.usefixtures("bare_machine")
def test_without_any_installer_the_missing_package_is_named_and_nothing_is_run(
    venv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("a command was run"))
    with pytest.raises(SystemExit, match=rf"apt-get install python3\.{sys.version_info.minor}-venv"):
        install.install(venv / "requirements.txt")


@pytest.mark.usefixtures("bare_machine")
def test_uv_serves_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/uv" if name == "uv" else None)
    assert install.has_other_installer()
    assert install.installer()[:3] == ["/usr/bin/uv", "pip", "install"]


def test_the_links_of_an_index_are_read_relative_to_its_page() -> None:
    wheel = install.PIP_WHEEL
    page = f'<html><a class="x" href="../../files/{wheel}#sha256=ab">{wheel}</a>'
    links = install.wheel_links(page, "https://index.example/simple/pip/")
    assert links == {wheel: f"https://index.example/files/{wheel}"}


def test_a_pip_with_another_checksum_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "index.html").write_text(f'<a href="{install.PIP_WHEEL}">{install.PIP_WHEEL}</a>')
    assert hashlib.sha256(b"not pip").hexdigest() != install.PIP_SHA256
    (tmp_path / "pip" / install.PIP_WHEEL).write_bytes(b"not pip")
    with serve(tmp_path) as address, pytest.raises(OSError, match="checksum differs"):
        install.fetch_pip(address, tmp_path)


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
