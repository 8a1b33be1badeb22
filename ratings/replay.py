"""`python -m ratings.replay JOURNAL …`: ratings and lists from a journal alone."""

import sys

from ratings.proof.replay import main

if __name__ == "__main__":
    sys.exit(main())
