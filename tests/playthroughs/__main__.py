"""Write the playthroughs anew: `python -m tests.playthroughs`; of some games only: `python -m tests.playthroughs fight_sequence`."""

import sys

from tests.playthroughs import SHOWS, file_of, files, pick, text_of


def main(names: list[str]) -> None:
    """Pick the games again, since changed cards change the games, and write them."""
    for name in names:
        picked = pick(SHOWS[name])
        for old in files(name):
            old.unlink()
        for number, played in enumerate(picked, 1):
            path = file_of(number, played)
            path.write_text(text_of(played), encoding="utf-8")
            print(f"{path.name}: {len(path.read_text(encoding='utf-8').splitlines())} lines")


if __name__ == "__main__":
    main(sys.argv[1:] or list(SHOWS))
