"""A reader that a file has taken over, for the tests of the closed box: it tries every way out that it knows.

It calls the kernel through the C library, as code that has taken Python over would. The file says, as JSON,
what to try it on. It prints for each way `done` or the name of the error with which the kernel refused it; at
the end, in a line of its own, what came of running another program.
"""

import ctypes
import errno
import json
import signal
import socket
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)
WRONLY_CREAT = 0o101
AF_UNIX, AF_INET, STREAM = 1, 2, 1
PTRACE_SEIZE = 0x4206
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
CLONE, IO_URING_SETUP, PROCESS_VM_READV, PIDFD_OPEN, OPEN_TREE = 56, 425, 310, 434, 428  # numbers of x86-64
RLIMIT_NOFILE = 7


class Vector(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def main(data: bytes) -> None:
    asked = json.loads(data)
    ways = files(asked["folder"], asked["secret"])
    ways |= processes(asked["bystander"], asked["parent"])
    ways |= network(asked["port"], asked["socket"])
    ways |= loosening()
    print(json.dumps(ways), flush=True)
    # the last, for nothing comes after it where it goes well
    print(outcome(libc.execv(b"/bin/true", (ctypes.c_char_p * 2)(b"/bin/true", None))))


def outcome(result: int) -> str:
    return "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]


def files(folder: str, secret: str) -> dict[str, str]:
    kept, new, folder_too = f"{folder}/kept".encode(), f"{folder}/new".encode(), f"{folder}/folder".encode()
    return {
        "read the secret key": outcome(libc.open(secret.encode(), 0)),
        "write a file": outcome(libc.open(new, WRONLY_CREAT, 0o600)),
        "cut a file": outcome(libc.truncate(kept, ctypes.c_long(0))),
        "rename a file": outcome(libc.rename(kept, new)),
        "link a file": outcome(libc.symlink(kept, f"{folder}/link".encode())),
        "delete a file": outcome(libc.unlink(secret.encode())),
        "change a file's rights": outcome(libc.chmod(new, 0o777)),
        "make a folder": outcome(libc.mkdir(folder_too, 0o700)),
        "open by its number": outcome(libc.open(b"/proc/self/fd/0", 0)),
        "open memory": outcome(libc.memfd_create(b"m", 0)),
    }


def processes(bystander: int, parent: int) -> dict[str, str]:
    own, other = Vector(ctypes.addressof(ctypes.create_string_buffer(8)), 8), Vector(0x400000, 8)
    readv = (ctypes.byref(own), ctypes.c_ulong(1), ctypes.byref(other), ctypes.c_ulong(1), ctypes.c_ulong(0))
    return {
        "read the parent's environment": outcome(libc.open(f"/proc/{parent}/environ".encode(), 0)),
        "open the parent's memory": outcome(libc.open(f"/proc/{parent}/mem".encode(), 2)),
        "read another's memory": outcome(libc.syscall(PROCESS_VM_READV, bystander, *readv)),
        "trace": outcome(libc.ptrace(ctypes.c_long(PTRACE_SEIZE), bystander, None, None)),
        "signal the parent": outcome(libc.kill(parent, 0)),
        "kill another": outcome(libc.kill(bystander, signal.SIGKILL)),
        "kill through a file": outcome(libc.syscall(PIDFD_OPEN, bystander, 0)),
        "fork": outcome(forked()),
        "lower another's priority": outcome(libc.setpriority(0, bystander, 19)),
        "limit another": outcome(libc.prlimit(bystander, RLIMIT_NOFILE, (ctypes.c_ulong * 2)(0, 0), None)),
    }


def forked() -> int:
    result: int = libc.fork()
    if result == 0:
        libc._exit(0)
    return result


def network(port: int, path: str) -> dict[str, str]:
    return {
        "make a socket": outcome(libc.socket(AF_INET, STREAM, 0)),
        "make a local socket": outcome(libc.socket(AF_UNIX, STREAM, 0)),
        "make a pair of sockets": outcome(libc.socketpair(AF_UNIX, STREAM, 0, (ctypes.c_int * 2)())),
        "connect": connected(port),
        "connect to a local socket": connected_locally(path),
    }


def connected(port: int) -> str:
    return attempted(lambda: socket.socket(AF_INET).connect(("127.0.0.1", port)))


def connected_locally(path: str) -> str:
    return attempted(lambda: socket.socket(AF_UNIX).connect(path))


def attempted(way: Any) -> str:
    try:
        way()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "?")
    return "done"


def loosening() -> dict[str, str]:
    more = (ctypes.c_ulong * 2)(100, 100)
    return {
        "raise its limits": outcome(libc.setrlimit(RLIMIT_NOFILE, more)),
        "enter namespaces": outcome(libc.unshare(NEW_USER | NEW_NETWORK)),
        "a ring of calls": outcome(libc.syscall(IO_URING_SETUP, 1, None)),
        "an open tree": outcome(libc.syscall(OPEN_TREE, -100, b"/", 0)),
        "load a program into the kernel": outcome(libc.syscall(321, 5, None, 0)),
        "call in the old numbering": outcome(libc.syscall(0x40000000 + 39)),
    }
