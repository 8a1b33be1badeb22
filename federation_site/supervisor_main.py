"""What `up` becomes when all is ready, without Django and its memory:
`python -m federation_site.supervisor_main HOST PORT MARK COMMANDS`.
"""

import json
import socket
import sys
import threading
import time

from federation_site import processes


def announce(host: str, port: int) -> None:
    """Say that the office is open as soon as the web server listens."""
    while not is_listening(host, port):
        time.sleep(0.2)
    print(f"The office is open: http://{host}:{port}/  (Ctrl-C closes it)", flush=True)


def is_listening(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def main(host: str, port: str, mark: str, commands: str) -> None:
    """Supervise the programs of `commands`, a JSON object, each of which keeps the descriptor `mark` open."""
    threading.Thread(target=announce, args=(host, int(port)), daemon=True).start()
    processes.supervise(json.loads(commands), on_change=say, inherit=[int(mark)])


if __name__ == "__main__":
    main(*sys.argv[1:])
