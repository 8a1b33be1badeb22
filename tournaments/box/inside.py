"""The inside of the box: a script that reads a file's bytes, locks itself, then runs a reader on them.

`tournaments.box` starts it. The reader is a module with `main(data, *arguments)`, which prints what it read,
in one line where it reads many files.
The locks are Landlock, seccomp, and limits that any Unix has; each works without the others.
"""

import codecs
import ctypes
import errno
import importlib
import json
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

MEMORY = 512 * 1024 * 1024  # bytes of address space
CPU = 20  # seconds
OUTPUT = 64 * 1024 * 1024  # bytes, of stdout and of stderr
CPU_FLAG = "--cpu="  # before the module's name: other seconds for a reader that needs them
MANY_FLAG = "--many"  # before the module's name: stdin holds many files behind a line with names and sizes
OUT_OF_MEMORY = 78  # exit codes that nothing else uses
OUTPUT_TOO_LONG = 79


def limit_resources(cpu: int = CPU) -> None:
    try:
        import resource
    except ImportError:  # not a Unix: only the parent's clock works
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
    """Run a reader of this project on stdin, with other modules out of reach because of `-I`."""
    cpu, (module, *rest) = CPU, arguments
    if many := module == MANY_FLAG:
        module, *rest = rest
    if module.startswith(CPU_FLAG):
        cpu, (module, *rest) = int(module.removeprefix(CPU_FLAG)), rest
    limit_resources(cpu)
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    try:
        read_confined(module, *rest, many=many)
        sys.stdout.flush()
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
    except OSError as error:
        sys.exit(OUTPUT_TOO_LONG if error.errno == errno.EFBIG else str(error))


def read_confined(module: str, *arguments: str, many: bool = False) -> None:
    """Import all that the reader needs and take in the bytes; lock the box; only then look at the bytes."""
    reader = importlib.import_module(module)
    data = sys.stdin.buffer.read()
    import_for(data)
    confine()
    if many:
        read_many(reader, data, *arguments)
    else:
        reader.main(data, *arguments)


def read_many(reader: ModuleType, data: bytes, *arguments: str) -> None:
    """Run the reader on each of many files; its words are out, in a line, before it begins the next."""
    head, _end, body = data.partition(b"\n")
    at = 0
    for name, size in json.loads(head):
        reader.main(body[at : at + size], name, *arguments)
        sys.stdout.write("\n")
        sys.stdout.flush()
        at += size


# ---- Calls of the Linux kernel that Python has no functions for. Each raises OSError if the kernel refuses.
#
# By ctypes, because pyseccomp needs libseccomp of the system, which many machines and images lack.
PR_SET_NO_NEW_PRIVS = 38


def prctl(option: int, *values: object) -> None:
    _check_result(_libc().prctl(option, *values))


def syscall(number: int, *values: object) -> int:
    return _check_result(_libc().syscall(number, *values))


def set_no_new_privileges() -> None:
    """Let no program that this process runs have more rights than it, which the locks require."""
    prctl(PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))


def _libc() -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise OSError("not Linux")
    return ctypes.CDLL(None, use_errno=True)


def _check_result(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


# ---- Landlock, of Linux 5.13 and later: this process can no longer open, make, rename or delete files, from
# Linux 6.7 on bind or connect TCP ports, and from 6.12 on signal other processes.
# https://docs.kernel.org/userspace-api/landlock.html
CREATE_RULESET, RESTRICT_SELF = 444, 446  # of every architecture
ASK_VERSION = 1
FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights over files, as bits, by the version of Landlock that added some."""
TCP, TCP_SINCE = 0b11, 4
SIGNALS_AND_SOCKETS, SCOPES_SINCE = 0b11, 6


class LandlockRuleset(ctypes.Structure):
    """The rights that are refused unless a rule allows them; no rule does here."""

    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


def refuse_files() -> None:
    """Refuse this process all that this kernel's Landlock can refuse; raises OSError if it has none."""
    version = syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    ruleset = LandlockRuleset(
        files=max(bits for since, bits in FILE_RIGHTS.items() if since <= version),
        tcp=TCP if version >= TCP_SINCE else 0,
        scopes=SIGNALS_AND_SOCKETS if version >= SCOPES_SINCE else 0,
    )
    # Older kernels know only a part of the structure, and accept the rest only if it is 0.
    file = syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    try:
        set_no_new_privileges()
        syscall(RESTRICT_SELF, file, 0)
    finally:
        os.close(file)


# ---- Seccomp: this process can only make the system calls that a computation needs. Those that open files,
# make sockets, or start, signal or inspect processes fail with EPERM.
# https://docs.kernel.org/userspace-api/seccomp_filter.html
PR_SET_SECCOMP, MODE_FILTER = 22, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # of the kernel's filter programs (BPF)
NUMBER, ARCHITECTURE = 0, 4  # offsets in the data about a call that a filter gets
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000  # REFUSE: with errno 1, EPERM

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Known machines: the column in `ALLOWED_CALLS`, and the kernel's code for the machine."""
ALLOWED_CALLS = {
    # open files: the one to be read, and those for output
    **{"read": (0, 63), "readv": (19, 65), "pread64": (17, 67), "lseek": (8, 62), "close": (3, 57)},
    **{"write": (1, 64), "writev": (20, 66), "pwrite64": (18, 68)},
    # memory
    **{"mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226)},
    **{"brk": (12, 214), "madvise": (28, 233)},
    # its own threads of execution, signals and end
    **{"futex": (202, 98), "sched_yield": (24, 124), "getpid": (39, 172), "gettid": (186, 178)},
    **{"rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139)},
    **{"sigaltstack": (131, 132), "restart_syscall": (219, 128), "exit": (60, 93), "exit_group": (231, 94)},
    # clocks and chance
    **{"clock_gettime": (228, 113), "clock_getres": (229, 114), "gettimeofday": (96, 169)},
    **{"clock_nanosleep": (230, 115), "nanosleep": (35, 101), "getrusage": (98, 165)},
    **{"getrandom": (318, 278)},
}
"""The allowed calls, with their numbers on each of `ARCHITECTURES`."""


class FilterStep(ctypes.Structure):
    """A step of a filter program: what to do with a value, and how many steps to skip if it is so or not."""

    _fields_ = [
        ("code", ctypes.c_uint16),
        ("if_so", ctypes.c_uint8),
        ("if_not", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.POINTER(FilterStep))]


def refuse_calls() -> None:
    """Refuse this process all but `ALLOWED_CALLS`; raises OSError if this machine has no such filter."""
    steps = filter_steps(platform.machine())
    program = FilterProgram(len(steps), (FilterStep * len(steps))(*steps))
    set_no_new_privileges()
    prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program))


def filter_steps(machine: str) -> list[FilterStep]:
    """The filter program for a machine; raises OSError if it is not among `ARCHITECTURES`."""
    if machine not in ARCHITECTURES or sys.maxsize < 2**32:
        raise OSError(f"no numbers of calls for {machine}")
    column, architecture = ARCHITECTURES[machine]
    numbers = [by_machine[column] for by_machine in ALLOWED_CALLS.values()]
    allowed = [FilterStep(JUMP_IF_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    return [
        FilterStep(LOAD, 0, 0, ARCHITECTURE),
        FilterStep(JUMP_IF_EQUAL, 1, 0, architecture),
        FilterStep(RETURN, 0, 0, KILL),
        FilterStep(LOAD, 0, 0, NUMBER),
        *allowed,
        FilterStep(RETURN, 0, 0, REFUSE),
        FilterStep(RETURN, 0, 0, ALLOW),
    ]


# ---- All locks. Which of them there are depends on the system; `open_ways` finds out by trying.
resource = importlib.import_module("resource") if os.name == "posix" else None


def confine() -> None:
    """Keep this process for good from opening files and sockets, and from starting or touching processes."""
    for lock in (refuse_files, refuse_descriptors_and_processes, refuse_calls):
        with suppress(OSError):  # not every system has it
            lock()


def refuse_descriptors_and_processes() -> None:
    """Allow no further files, sockets or processes, on any Unix. Open ones stay open; root can still fork."""
    if resource is None:
        return
    for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (0, 0))


ENCODINGS = (
    "utf-8-sig",
    "utf-16-le",
    "utf-16-be",
    "cp850",
    "cp1250",
    "cp1251",
    "cp1252",
    "iso-8859-2",
    "iso-8859-7",
    "latin-1",
)
NAMES_IN_ZIP = "cp437"
ZIP = b"PK\x03\x04"


def import_for(data: bytes) -> None:
    """Import what reading this file may need and readers do not import themselves."""
    for encoding in (*ENCODINGS, NAMES_IN_ZIP):
        codecs.lookup(encoding)
    if ZIP in data:  # may be a workbook; openpyxl takes half the time of reading a text
        importlib.import_module("openpyxl")


if __name__ == "__main__":
    run(*sys.argv[1:])
