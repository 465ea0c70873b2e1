"""`python -m react_env.cli`."""

from react_env.cli import main

main()
