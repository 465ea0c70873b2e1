"""Reality TCG: two players build decks of Characters, Maneuvers, Traps, Food and Lands, and fight for each other's Influence Points.

`game` assembles the parts for the engine: `turn` (set-up, phases, choices), `battle` (damage, effects of cards, the chain), `actions` and
`observation` (what a player may do and sees), `hidden` (what a player cannot know), `cards` (set and deck files), `rules` (the options),
`state` (the record and the tables), `log` and `view` (the game in words). `terminal` draws the game; `react-env cards`, `decks` and
`balance` use `card_files`, `deck_space` and `lab`.
"""

from react_env.registry import Description

_PACKAGE = __name__
GAME = Description(
    id="reality_tcg-v0",
    title="Reality TCG",
    load=f"{_PACKAGE}.game:load",
    brief=(
        "Take all 20 IP of the opponent to win. Damage beyond what a Character can take costs its owner IP, and so does an "
        "attack on an empty Active Zone. In your turn you summon Characters and play cards for Energy, and your Active "
        "Character attacks once. Food and Traps answer what the other does."
    ),
    config=f"{_PACKAGE}.rules:RulesConfig",
    seats="decks",
    terminal=f"{_PACKAGE}.terminal",
    words=f"{_PACKAGE}.words",
    card_files=f"{_PACKAGE}.card_files:FILES",
    lab=f"{_PACKAGE}.lab:Decks",
    deck_space=f"{_PACKAGE}.deck_space:Decks",
    every={"decks": "random"},
    goals={"random play to OpenSpiel": 60, "record of a state": 2048, "first compilation, load and first step": 45},
    levels={"easy": ("scripted", 0.4), "medium": ("scripted", 0.16), "hard": ("champion:1,width=0", 0.11)},
    hidden="the opponent's hand and set Traps, the order of both decks",
    drawn='who goes first, the shuffled decks; with `decks="random"` the decks',
)
