"""Reading artist files: by name from an edition, or by path, with errors that name the file, the card and the field."""

import os
from functools import lru_cache
from pathlib import Path

from react_env.content.files import Fault, parse, read_text, short, shown, with_suggestion
from react_env.errors import CardError, OptionError, did_you_mean
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.bounds import check_bounds
from react_env.games.arts_of_war.cards.compiler import Compiler
from react_env.games.arts_of_war.cards.loops import check_loops
from react_env.games.arts_of_war.rules import BOARD, STANDARD, artist_files, edition_folder


def artists(edition: str | Path = STANDARD) -> tuple[str, ...]:
    """The names of the artists of an edition, its own and those that it takes from `standard`, sorted. Raises OptionError."""
    return tuple(artist_files(edition))


def load_artist(
    name_or_path: str | Path, edition: str | Path = STANDARD, *, allow_unbounded_abilities: bool = False
) -> C.Artist:
    """An artist of an edition by name, or any artist by the path of its YAML file.

    Raises OptionError for a name that does not exist, CardError for a file that cannot be used. A file whose abilities
    or triggers could go on for ever is refused unless `allow_unbounded_abilities` (AW-C6, AW-C14).
    """
    files, name = artist_files(edition), str(name_or_path)
    if isinstance(name_or_path, str) and name in files:
        artist = read_artist(files[name], allow_unbounded_abilities=allow_unbounded_abilities)
        check_file_name(files[name], artist)
        return artist
    path = Path(name_or_path)
    if path.suffix in (".yaml", ".yml"):
        try:
            found = path.expanduser()
            there = found.exists() or found.is_symlink()
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise OptionError(f"artist file {shown(name)[:200]} cannot be read: {reason}") from None
        if there:
            return read_artist(found, allow_unbounded_abilities=allow_unbounded_abilities)
        raise OptionError(f"no artist file {shown(name)}")
    message = f"unknown artist {short(name)}; edition {shown(edition)} has: {', '.join(files)}"
    if os.path.isfile(edition_folder(edition) / f"{path.name}.yml"):
        raise OptionError(f"{message}; {path.name}.yml must be called {path.name}.yaml")
    raise OptionError(f"{message}; an artist of your own is named by its .yaml file{did_you_mean(name, files)}")


def check_file_name(path: Path, artist: C.Artist) -> None:
    """Check that a file of an edition bears its artist's id. Raises CardError."""
    if path.stem != artist.id:
        raise CardError(
            f"{shown(path)}: field 'id' is {artist.id!r}, but in an edition the file bears the artist's id: "
            f"call the file {artist.id}.yaml, or write id: {path.stem}"
        )


def read_artist(path: Path, *, allow_unbounded_abilities: bool = False, most: int = 5) -> C.Artist:
    """The artist in the file `path`. Raises CardError, which names the first `most` mistakes, one per line."""
    text = read_text(path)
    if path.name == BOARD:
        raise CardError(f"{shown(path)}: the field and the rules of an edition; an artist has a file of its own")
    return parse_artist(text, shown(path), allow_unbounded_abilities=allow_unbounded_abilities, most=most)


# Reading a file costs more than all that is made from it, and environments, agents and matches each load their game.
@lru_cache(maxsize=64)
def parse_artist(
    text: str, source: str = "artist", *, allow_unbounded_abilities: bool = False, most: int = 5
) -> C.Artist:
    """The artist in the YAML `text`; `source` names it in errors. Raises CardError, with at most `most` mistakes."""
    document = parse(text, source, "an artist file", C.Artist.model_fields)
    try:
        artist = document.read_as(C.Artist, most)
        Compiler().artist(0, artist)
        if not allow_unbounded_abilities:
            check_loops(artist)
            check_bounds(artist)
    except Fault as fault:
        raise CardError(document.fault(fault.location, with_suggestion(fault.message))) from None
    except RecursionError:
        raise CardError(f"{source}: nested too deeply") from None
    return artist
