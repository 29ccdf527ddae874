"""`python -m engram`: the command line."""

import sys

from engram.interfaces.cli import main

sys.exit(main())
