"""Seccomp: from now on the kernel carries out for this process what a computation needs, and nothing else.

It opens no file, makes no socket, starts, signals or looks into no process: each such call fails with EPERM.
https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

import ctypes
import platform
import sys

from tournaments.box.kernel_calls import gain_no_rights, prctl

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
