"""`react-env` with the toy game among its games: for tests that need a process of its own."""

from react_env.registry import GAMES

GAMES["toy-v0"] = "tests.toy:GAME"

if __name__ == "__main__":
    from react_env.cli import main

    main()
