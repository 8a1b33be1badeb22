"""`python -m tournaments.formats [NAME] < FILE`: the reading of one file as JSON. The box runs this as its
child.
"""

import sys

from tournaments.formats import read_any
from tournaments.formats.common import reading_as_json

if __name__ == "__main__":
    sys.stdout.write(reading_as_json.dump(read_any(sys.stdin.buffer.read(), *sys.argv[1:2])))
