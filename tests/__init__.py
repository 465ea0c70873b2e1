"""The tests: worked examples of the rules, golden games, properties, past bugs."""

import os
from pathlib import Path

# The functions compiled for the tests lie in the checkout, where no other checkout and nothing else of ours on the machine writes;
# they are kept from run to run. Processes that a test starts inherit the folder, and whoever has named another one keeps it.
os.environ.setdefault("REACT_ENV_CACHE_DIR", str(Path(__file__).resolve().parents[1] / ".cache" / "react_env"))
