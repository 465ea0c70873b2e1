"""Nothing goes on for ever: AW-C14 for turns, and the same for what triggers while a chain resolves."""

from react_env.games.arts_of_war.cards.schema import Artist


def check_bounds(artist: Artist) -> None:
    """Raises Fault where a turn could be endless."""
