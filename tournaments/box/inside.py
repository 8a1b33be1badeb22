"""The inside of the box: a script that takes in a file, gives up what it does not need, then runs a reader.

`tournaments.box` starts it. The reader is a module with `main(data, *arguments)`, which prints what it read.
The locks follow below: calls of the Linux kernel, Landlock, seccomp, and limits that any Unix has. Each holds
without the others.
"""

import codecs
import ctypes
import errno
import importlib
import os
import platform
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

    reader = importlib.import_module(module)
    data = sys.stdin.buffer.read()
    import_for(data)
    confine()
    reader.main(data, *arguments)


# ---- Calls of the Linux kernel that Python has no name for. Each raises OSError where the kernel refuses.
PR_SET_NO_NEW_PRIVS = 38


def prctl(option: int, *values: object) -> None:
    _checked(_libc().prctl(option, *values))


def syscall(number: int, *values: object) -> int:
    return _checked(_libc().syscall(number, *values))


def gain_no_rights() -> None:
    """Let no program that this process runs have more rights than it; locks ask for that first."""
    prctl(PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))


def _libc() -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise OSError("not Linux")
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


# ---- Landlock, of Linux 5.13 and later: this process opens, makes, renames or deletes no file any more. From
# Linux 6.7 on it binds and connects no TCP port either, and from 6.12 on signals no process but its own.
# https://docs.kernel.org/userspace-api/landlock.html
CREATE_RULESET, RESTRICT_SELF = 444, 446  # of every architecture
ASK_VERSION = 1
FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""Every right over files, as bits, by the version of Landlock that brought more of them."""
TCP, TCP_SINCE = 0b11, 4
SIGNALS_AND_SOCKETS, SCOPES_SINCE = 0b11, 6


class LandlockRuleset(ctypes.Structure):
    """The rights that are refused unless a rule allows them; here no rule does."""

    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


def refuse_files() -> None:
    """Refuse this process all that this kernel's Landlock can refuse; raises OSError where it has none."""
    version = syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    ruleset = LandlockRuleset(
        files=max(bits for since, bits in FILES.items() if since <= version),
        tcp=TCP if version >= TCP_SINCE else 0,
        scopes=SIGNALS_AND_SOCKETS if version >= SCOPES_SINCE else 0,
    )
    # Older kernels know less of the structure, and take no bytes that they do not know unless these are 0.
    file = syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    try:
        gain_no_rights()
        syscall(RESTRICT_SELF, file, 0)
    finally:
        os.close(file)


# ---- Seccomp: the kernel carries out for this process only what a computation needs. It opens no file, makes
# no socket, starts, signals or looks into no process: each such call fails with EPERM.
# https://docs.kernel.org/userspace-api/seccomp_filter.html
PR_SET_SECCOMP, MODE_FILTER = 22, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # of the kernel's filter programs (BPF)
NUMBER, ARCHITECTURE = 0, 4  # where these two lie in what a filter is shown of a call
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000  # REFUSE: with errno 1, EPERM

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The machines whose numbers are known here: the column in `ALLOWED`, and the kernel's own name for it."""
ALLOWED = {
    # the open files: the one to be read, and those for output
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
    **{
        "clock_nanosleep": (230, 115),
        "nanosleep": (35, 101),
        "getrusage": (98, 165),
        "getrandom": (318, 278),
    },
}
"""The calls that stay allowed, with their numbers, one for each of `ARCHITECTURES`."""


class FilterStep(ctypes.Structure):
    """A step of a filter program: what to do with a value, and how many steps to skip if it holds or not."""

    _fields_ = [
        ("code", ctypes.c_uint16),
        ("if_so", ctypes.c_uint8),
        ("if_not", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class FilterProgram(ctypes.Structure):
    """A filter program as the kernel takes it."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.POINTER(FilterStep))]


def refuse_calls() -> None:
    """Refuse this process every call but `ALLOWED`; raises OSError where this machine has no such filter."""
    steps = filter_steps(platform.machine())
    program = FilterProgram(len(steps), (FilterStep * len(steps))(*steps))
    gain_no_rights()
    prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program))


def filter_steps(machine: str) -> list[FilterStep]:
    """The filter's program for a machine; OSError for one whose numbers of calls are not known here."""
    if machine not in ARCHITECTURES or sys.maxsize < 2**32:
        raise OSError(f"no numbers of calls for {machine}")
    column, architecture = ARCHITECTURES[machine]
    numbers = [of_machines[column] for of_machines in ALLOWED.values()]
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


# ---- The locks together: what a process gives up for good once it has all that it needs. Which of them there
# are depends on the system; `open_ways` asks by trying.
resource = importlib.import_module("resource") if os.name == "posix" else None


def confine() -> None:
    """Keep this process from opening files and sockets and from starting or touching processes, for good."""
    for lock in (refuse_files, refuse_descriptors_and_processes, refuse_calls):
        with suppress(OSError):  # not every system has it
            lock()


def refuse_descriptors_and_processes() -> None:
    """Allow no further file, socket or process: on any Unix. What is open stays open; root may fork on."""
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
ZIP = b"PK"


def import_for(data: bytes) -> None:
    """Import what reading this file may ask for, which the readers do not import themselves."""
    for encoding in (*ENCODINGS, NAMES_IN_ZIP):
        codecs.lookup(encoding)
    if data.startswith(ZIP):  # may hold a workbook; openpyxl takes half the time of reading a text
        importlib.import_module("openpyxl")


if __name__ == "__main__":
    run(*sys.argv[1:])
