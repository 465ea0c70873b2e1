"""A mistake in a card file, by its place in the file; the reader turns it into a `CardError`."""

from collections.abc import Sequence

Location = Sequence[str | int]  # keys and positions from the top of the file


class Fault(Exception):
    """`message` says what is wrong at `location` and what would be allowed."""

    def __init__(self, location: Location, message: str) -> None:
        super().__init__(message)
        self.location = tuple(location)
        self.message = message
