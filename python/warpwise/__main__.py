"""python -m warpwise: the same as the command warpwise."""

import sys

from .cli import main

sys.exit(main())
