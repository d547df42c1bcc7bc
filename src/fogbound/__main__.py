"""`python -m fogbound` is the same as `fogbound`."""

from fogbound.cli import main

main()
