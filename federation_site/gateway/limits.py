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
"""The time after which a request that waited for a thread is refused: its reader has left by then."""

PUBLIC_THREADS, PUBLIC_QUEUE = 4, 64
STAFF_THREADS, STAFF_QUEUE = 3, 64
SIGN_IN_THREADS, SIGN_IN_QUEUE = 1, 16
"""For each process: the threads of a lane, and the requests that may wait for one of them."""
