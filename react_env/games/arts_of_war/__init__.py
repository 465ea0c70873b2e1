"""Re;ACT - The Arts of War: two artists duel on a grid with a reaction chain.

`game` puts the parts together for the engine. The rooms, in the order of the rulebook: `turn` (set-up, phases, decisions), `masterpiece`,
`chain`, `effects` (the interpreter), `board` (units, tokens, tiles, damage), `hidden` (what a player cannot know); `actions` and
`observation` are what a player may do and sees; `cards` reads the artists; `state` holds the record and the tables. `terminal`,
`card_files`, `lab` and `chance` are the parts of this game that the command line, the balance laboratory and OpenSpiel need.
"""

from react_env.registry import Description

_PACKAGE = __name__
GAME = Description(
    id="arts_of_war-v0",
    title="Re;ACT - The Arts of War",
    load=f"{_PACKAGE}.game:load",
    brief=(
        "Deal three damage to the opponent's artist to win. In your turn you play Intentions. Each begins a chain, to which "
        "both players may add Reactions; the last card resolves first. A summon that takes damage is removed. Your three "
        "masterpiece cards, side by side and in order, make your artist ascend. Whoever has to draw from an empty deck loses."
    ),
    config=f"{_PACKAGE}.rules:RulesConfig",
    seats="artists",
    terminal=f"{_PACKAGE}.terminal",
    words=f"{_PACKAGE}.words",
    card_files=f"{_PACKAGE}.card_files:ARTISTS",
    lab=f"{_PACKAGE}.lab:Artists",
    chance=f"{_PACKAGE}.chance",
    tables=f"{_PACKAGE}.tables:TABLES",
    small={"edition": "small"},
    every={"artists": "random"},
    goals={
        "random play, 1 thread": 1e6,
        "record of a state": 1600,
        "first compilation, load and first step": 45,
        "training": 15_000,
    },
    levels={
        "easy": ("greedy", 0.0),
        "medium": ("champion:1,width=0,policy=no", 0.09),
        "hard": ("champion:1,width=0,policy=no", 0.015),
    },
    champion="mcts:256,rollout=greedy,net=champion:4",
    studied_by=("greedy", "scripted", "champion:4"),
    hidden="the opponent's hand and face-down cards, the order of both decks",
    drawn='the first player, the shuffled decks, dice; with `artists="random"` the pairing',
)
