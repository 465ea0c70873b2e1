"""Fight Sequence: two psychics build a sequence of attacks and responses, which resolves from its end.

`game` assembles the parts for the engine: `sequence` (set-up, building, resolution, cleanup), `damage`, `cards` (hands, decks and what is
known of them), `hidden` (what a player cannot know), `actions` and `observation` (what a player may do and sees), `deck_files` (the cards),
`rules` (rulings), `state` (the record and the tables). The command line uses `terminal`, `card_files` and `lab`.
"""

from react_env.registry import Description

_PACKAGE = __name__
GAME = Description(
    id="fight_sequence-v0",
    title="Fight Sequence",
    load=f"{_PACKAGE}.game:load",
    brief=(
        "Your deck is your life: damage discards cards from it, and any damage with an empty deck loses the game. In turn you "
        "build attacks, each at least as fast as the Action before, or responses, or pass and draw a card. After two passes in "
        "a row the sequence resolves, the last Action first."
    ),
    config=f"{_PACKAGE}.rules:RulesConfig",
    seats="decks",
    terminal=f"{_PACKAGE}.terminal",
    words=f"{_PACKAGE}.words",
    card_files=f"{_PACKAGE}.card_files:FILES",
    lab=f"{_PACKAGE}.lab:Decks",
    goals={"random play, 1 thread": 2e6, "record of a state": 800, "first compilation, load and first step": 40},
    champion="mcts:1024,net=champion:4",
    levels={"easy": ("greedy", 0.24), "medium": ("greedy", 0.06), "hard": ("mcts:64", 0.03)},
    studied_by=("greedy", "scripted", "champion:4"),
    hidden="the opponent's hand, the order of both decks except a player's own cards put back",
    drawn="the first player, the shuffled decks",
)
