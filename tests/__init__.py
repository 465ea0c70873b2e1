"""The tests: worked examples of the rules, golden games, properties, past bugs."""

import os
from pathlib import Path

# Functions compiled for the tests are kept in the checkout from run to run, apart from those of other checkouts and installations.
# Processes that a test starts inherit the folder. If the environment names another one, it stays.
os.environ.setdefault("REACT_ENV_CACHE_DIR", str(Path(__file__).resolve().parents[1] / ".cache" / "react_env"))
