"""What the numbers in compiled rules stand for.

A compiled function reads records, whose fields a type checker does not know: to the checker all of these are `Any`. The names are for the
reader, and the same in all games.
"""

from typing import Any

State = Any  # the record of a game
Table = Any  # the record of what does not change during a game
Player = Any  # 0 to P - 1
Action = Any  # an id
Mask = Any  # bool (A,)
Features = Any  # int8 or float32, to write to
Card = Any  # its number among its owner's cards
Zone = Any  # of the board; -1 nowhere
Unit = Any  # of both players, those of player 0 first; -1 none
Slot = Any  # of a chain, a row or a sequence
Way = Any  # a direction, 0 to 3
Frame = Any  # a running program
Row = Any  # of one of the tables, or its number
Kind = Any  # a constant that names one kind of something
Number = Any  # a count
Flag = Any  # whether something is so
Value = Any  # a float, larger is better
