"""`python -m tournaments.formats [NAME] < FILE`: the reading of one file as JSON. The box runs this as its
child.
"""

import sys

from tournaments.formats import read_any
from tournaments.formats.common import wire

if __name__ == "__main__":
    sys.stdout.write(wire.dump(read_any(sys.stdin.buffer.read(), *sys.argv[1:2])))
