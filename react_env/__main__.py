"""`python -m react_env`: the command line."""

from react_env.cli import main

main()
