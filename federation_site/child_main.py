"""Runs a program that ends with its parent: `python -m federation_site.child_main PID MODULE …`.

When the process PID dies, the program is asked to terminate; when the program dies, its children are killed.
"""

import os
import runpy
import signal
import sys

from federation_site import processes


def main(pid: int, module: str, *arguments: str) -> None:
    """Run `module` like `python -m`, until the process `pid` ends."""
    processes.call_when_parent_ends(pid, processes.close)
    if hasattr(signal, "SIGTTOU"):  # a terminal may stop background processes that write to it
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.register_at_fork(after_in_child=processes.end_with_whoever_forked)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__")


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
elif __name__ == "__mp_main__":  # in a process that the program spawned
    processes.call_when_parent_ends(os.getppid(), processes.end_at_once)
