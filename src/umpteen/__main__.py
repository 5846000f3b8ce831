"""`python -m umpteen` is the command `umpteen`."""

from umpteen.app.cli import main

main()
