"""A mistake in a card file, by its place in the file; the reader turns it into a `CardError`."""

from react_env.games.arts_of_war.files import Location

__all__ = ["Fault", "Location"]


class Fault(Exception):
    """`message` says what is wrong at `location` and what would be allowed."""

    def __init__(self, location: Location, message: str) -> None:
        super().__init__(message)
        self.location = tuple(location)
        self.message = message
