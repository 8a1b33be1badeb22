"""The inside of the box: a script that takes in a file, gives up what it does not need, then runs a reader.

`run_box.py` starts it. The reader is a module with `main(data, *arguments)`, which prints what it read.
"""

import errno
import importlib
import sys
from contextlib import suppress
from pathlib import Path

MEMORY = 512 * 1024 * 1024  # bytes of address space
CPU = 20  # seconds
OUTPUT = 64 * 1024 * 1024  # bytes, of stdout and of stderr
CPU_FLAG = "--cpu="  # before the module's name: other seconds, where a reader is known to need them
OUT_OF_MEMORY = 78  # exit codes that are nobody else's
OUTPUT_TOO_LONG = 79


def limit_this_process(cpu: int = CPU) -> None:
    try:
        import resource
    except ImportError:  # not a Unix: the parent's clock is what is left
        return
    limits = [
        (resource.RLIMIT_AS, MEMORY, MEMORY),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, OUTPUT, OUTPUT),
        (resource.RLIMIT_CORE, 0, 0),
    ]
    for what, soft, hard in limits:
        with suppress(ValueError, OSError):  # macOS refuses some; a lower limit may already hold
            resource.setrlimit(what, (soft, hard))


def run(*arguments: str) -> None:
    """Run a reader of this project on stdin; `-I` is in force, so nothing else can be imported."""
    cpu, (module, *rest) = CPU, arguments
    if module.startswith(CPU_FLAG):
        cpu, (module, *rest) = int(module.removeprefix(CPU_FLAG)), rest
    limit_this_process(cpu)
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    try:
        read_confined(module, *rest)
        sys.stdout.flush()
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
    except OSError as error:
        sys.exit(OUTPUT_TOO_LONG if error.errno == errno.EFBIG else str(error))


def read_confined(module: str, *arguments: str) -> None:
    """Have all that the reader needs, the file too; close the box; only then look at the file."""
    from tournaments.box.confine import confine
    from tournaments.formats.late_imports import import_for

    reader = importlib.import_module(module)
    data = sys.stdin.buffer.read()
    import_for(data)
    confine()
    reader.main(data, *arguments)


if __name__ == "__main__":
    run(*sys.argv[1:])
