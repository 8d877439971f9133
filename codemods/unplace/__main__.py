"""`python -m unplace`."""

import sys

from unplace.cli import main

if __name__ == "__main__":
    sys.exit(main())
