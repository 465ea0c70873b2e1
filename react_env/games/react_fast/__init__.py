"""React Fast: two to eight players place cards in turn and slap the pile when two cards match; traveling cards bend the rules.

`game` assembles the parts for the engine: `turn` (set-up, turns, chances, traveling cards, rounds), `window` (who slaps when, and the
result), `latency` (how fast a hand is), `hidden` (what a player cannot know), `actions` and `observation` (what a player may do and sees),
`rules` (rulings and reaction profiles), `state` (the record and the tables), `log` and `view` (the game in words). `terminal` draws the
game, `live` lets a person play against the clock, and `balance` measures what decides a game.
"""

from react_env.registry import Description

_PACKAGE = __name__
GAME = Description(
    id="react_fast-v0",
    title="React Fast",
    load=f"{_PACKAGE}.game:load",
    brief=(
        "Be the last player in the game, or own used traveling cards of all four suits. In turn everybody places the top card "
        "of the deck on the pile. Slap when it has the number of the card before: the first hand takes the pile. A wrong slap "
        "costs two cards. After a J, Q, K or A the next player has 1, 2, 3 or 4 chances to place another one, or loses the pile "
        "to whoever placed that card."
    ),
    players=(2, 8),
    terminal=f"{_PACKAGE}.terminal",
    words=f"{_PACKAGE}.words",
    live=f"{_PACKAGE}.live",
    balance=f"{_PACKAGE}.balance.command:balance",
    config=f"{_PACKAGE}.rules:RulesConfig",
    goals={"random play to OpenSpiel": 60, "record of a state": 1024, "first compilation, load and first step": 40},
    levels={"easy": ("random", 0.0), "medium": ("greedy", 0.38), "hard": ("scripted", 0.15)},
    hidden="the order of the decks, except cards that were seen going there; what others have just committed to; how fast the others are",
    drawn="the deal, the speed of each player, every latency",
)
