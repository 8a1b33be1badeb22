"""Limits on one visitor's use of the office. Times are in seconds, sizes in bytes."""

PUBLIC_BODY = 64 * 1024
"""The largest body of somebody who is not signed in: the forms that they may send are short."""
STAFF_BODY = 31 * 1024 * 1024
"""The largest body of somebody who is signed in: a table of the register, and what a form adds to it."""
IN_MEMORY = 512 * 1024
"""The size from which a body or an answer lies in a temporary file."""

BODY_PATIENCE = 10.0
"""The time in which any body must have arrived …"""
BODY_PACE = 16 * 1024
"""… and the bytes that each further second must bring."""
ANSWER_PATIENCE = 20.0
"""The time in which a reader must take the next part of an answer."""
PART = 64 * 1024

TURNS = 8
"""The requests of one visitor that are answered at once; further ones wait for their turn."""
WAITING_TURNS = 64
"""The requests of one visitor that may wait for their turn; one more is refused."""
QUEUE_PATIENCE = 10.0
"""The time after which a request that waited for its turn or a thread is refused: its reader has left."""
PUBLIC_PATIENCE = 2.0
"""The same for the public's lane: beyond capacity a stranger hears soon that the office is busy."""

PUBLIC_THREADS, STAFF_THREADS, SIGN_IN_THREADS = 2, 6, 1
"""The threads of a lane in each web process. Strangers have what a core can do; of the staff more may wait
for whoever writes the database, and their colleagues read on.
"""
PUBLIC_QUEUE, STAFF_QUEUE, SIGN_IN_QUEUE = 32, 64, 16
"""The requests that may wait for a thread of a lane."""


def share(most: int, processes: int) -> int:
    """The part of one web process in what all of them on a machine may hold together; at least one.

    Turns and queues are the machine's: the system gives connections to its processes by lot.
    """
    return max(1, most // processes)
