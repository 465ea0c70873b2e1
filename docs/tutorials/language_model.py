"""A language model as an agent: python docs/tutorials/language_model.py --url http://127.0.0.1:8000/v1/chat/completions --model NAME

What a player may see is text (`game.text(state, player)`), and so are the legal actions; a model is shown both and answers with a number.
The client is yours: here any server that speaks the chat completions protocol, asked by the standard library. Without `--url` a stub
answers, which takes the first action, so that the script runs without a model.

An answer that is no number of the list is asked for once more; then the first action is taken. How often that happens is told at the end:
it is a result, too.
"""

import argparse
import json
import re
import urllib.request

import react_env
from react_env.content.words import card_words
from react_env.registry import describe

RULES = (
    "You play {title} as player_{player}. {brief} Each message shows what you can see and a numbered list of what you may do. "
    "Answer with the number of your choice and nothing else. The cards:\n{cards}"
)


def stub(messages):
    """Stands for a model."""
    return "1"


def asked(url, model, key):
    """A function of the messages that asks a server."""

    def ask(messages):
        body = json.dumps({"model": model, "messages": messages, "temperature": 0}).encode()
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=120) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]

    return ask


class Model:
    """Chooses by asking; `odd` counts the answers that made no sense."""

    def __init__(self, game, player, ask):
        self.game, self.player, self.ask, self.odd = game, player, ask, 0

    def choose(self, state):
        game = self.game
        legal = game.legal_actions(state).tolist()
        if len(legal) == 1:
            return legal[0]
        words = {card.name: " ".join(card.lines) for card in card_words(game, state, self.player)}
        cards = "\n".join(f"{name}: {text}" for name, text in words.items())
        about = describe(game.id)
        rules = RULES.format(title=about.title, brief=about.brief, player=self.player, cards=cards)
        choices = "\n".join(f"{n}. {game.action_text(state, action)}" for n, action in enumerate(legal, 1))
        recent = "\n".join(game.log_lines(state)[-12:])
        seen = f"What happened last:\n{recent}\n\nNow:\n{game.text(state, self.player)}\n\nYou may:\n{choices}"
        messages = [{"role": "system", "content": rules}, {"role": "user", "content": seen}]
        for _ in range(2):
            answer = self.ask(messages)
            found = re.search(r"\d+", answer)
            if found and 1 <= int(found[0]) <= len(legal):
                return legal[int(found[0]) - 1]
            self.odd += 1
            messages += [
                {"role": "assistant", "content": answer},
                {"role": "user", "content": f"Answer with a number from 1 to {len(legal)}."},
            ]
        return legal[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="fight_sequence-v0")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--games", type=int, default=2, help="an even number plays both seats")
    parser.add_argument("--url", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--key", default="")
    options = parser.parse_args()

    from react_env.agents.process.asked import Asked

    game = react_env.load(options.game)
    ask = asked(options.url, options.model, options.key) if options.url else stub
    won = odd = decisions = 0
    for number in range(options.games):
        seat, opponent = number % 2, Asked(options.against, game, seed=number)
        state, model = game.new(seed=number // 2), Model(game, number % 2, ask)
        while not state["over"]:
            mine = game.to_play(state) == seat
            game.step(state, model.choose(state) if mine else opponent.choice(state))
            decisions += mine
        won += bool(game.rewards(state)[seat] > 0)
        odd += model.odd
    print(f"won {won} of {options.games} games against {options.against}; {odd} odd answers in {decisions} decisions")


if __name__ == "__main__":
    main()
