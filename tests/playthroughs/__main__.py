"""Write the playthroughs anew: `python -m tests.playthroughs`."""

from tests.playthroughs import HERE, file_of, pick, text_of


def main() -> None:
    """Pick the games again, since other cards make other games, and write them."""
    games = pick()
    for old in HERE.glob("*.txt"):
        old.unlink()
    for number, played in enumerate(games, 1):
        path = file_of(number, played)
        path.write_text(text_of(played), encoding="utf-8")
        print(f"{path.name}: {len(path.read_text(encoding='utf-8').splitlines())} lines")


if __name__ == "__main__":
    main()
