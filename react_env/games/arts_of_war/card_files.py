"""The artists of Re;ACT for `react-env cards`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_env.content.card_files import CardFiles, Finding
from react_env.content.json_schema import document
from react_env.errors import OptionError
from react_env.games.arts_of_war import cards
from react_env.games.arts_of_war.cards import inspection, printer
from react_env.games.arts_of_war.cards.schema import Artist
from react_env.games.arts_of_war.rules import artist_files, default_artists, own_artists

if TYPE_CHECKING:
    from rich.console import RenderableType


class Artists(CardFiles):
    noun = "artist"
    keys = frozenset(Artist.model_fields)
    editions = True

    def title(self, edition: str) -> str:
        return f"Artists of Re;ACT, edition {edition}"

    def names(self, edition: str) -> Sequence[str]:
        return cards.artists(edition)

    def about(self, name: str, edition: str) -> str:
        origin = "" if name in own_artists(edition) else "  (from standard)"
        return cards.load_artist(name, edition).name + origin

    def content(self, edition: str) -> Mapping[str, Any]:
        return {
            "edition": edition,
            "artists": list(cards.artists(edition)),
            "own": list(own_artists(edition)),
            "default": list(default_artists(edition)),
            "files": {name: str(file) for name, file in artist_files(edition).items()},
        }

    def load(self, name: str, edition: str) -> Artist:
        return cards.load_artist(name, edition)

    def page(self, card_file: Artist) -> RenderableType:
        return printer.artist_page(card_file)

    def file(self, name: str) -> Path:
        if name not in artist_files("standard"):
            raise OptionError(f"there is no artist {name!r:.40}")
        return artist_files("standard")[name]

    def played(self, file: Path, other: str) -> dict[str, Any]:
        return {"edition": str(file.parent), "artists": [file.stem, other]}

    def inspect(self, path: str) -> list[Finding]:
        return inspection.inspect(path)

    def json_schema(self) -> dict[str, Any]:
        """The schema covers keys, types and sizes; only `react-env cards check` checks names, scopes and the rules of a kit."""
        about = "An artist of Re;ACT - The Arts of War. docs/arts_of_war/card_files.md says what each part means."
        return document("Artist", about, Artist)


ARTISTS = Artists()
