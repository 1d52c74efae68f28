"""`python -m samemind` is the `samemind` command."""

import sys

from samemind.cli.main import main

sys.exit(main())
