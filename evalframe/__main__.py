"""`python -m evalframe`: the command line."""

import sys

from evalframe.cli import main

sys.exit(main())
