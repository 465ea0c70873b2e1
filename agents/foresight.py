"""The agent that looks ahead as greedy does, and judges what comes by a network's value.

Every legal action is tried on a copy in which all that its player cannot know has been redrawn; the chain is resolved as if nobody reacted;
and where greedy counts what lies on the board, the value of the network says how good the position is. What a network is poor at, to see
where a card will strike, the game itself works out; what rules of thumb are poor at, to weigh one position against another, was learned
(as in Tesauro's TD-Gammon, 1995). Everything runs in compiled code.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from agents.greedy import GreedyAgent, kernel
from agents.network_kernel import make_questions, new_thoughts, pack
from react_env.engine.compile import njit
from react_env.engine.kernels import foreign_hash

if TYPE_CHECKING:
    from agents.neural import NeuralAgent

WIN = 1000.0  # of a position in which the game is won; a value lies in -1..1

_RULES: dict[tuple[Any, ...], Any] = {}


class ForesightAgent(GreedyAgent):
    """Takes the action whose chain, if nobody reacts, ends best for it by the value of a network.

    Args:
        game: the rules.
        network: the agent of the network, made for this game.
        worlds: guesses of what is hidden that are averaged.
        threads: of the look-ahead.
    """

    kind = "foresight"

    def __init__(
        self, game: Any, network: NeuralAgent, *, worlds: int = 1, budget: int = 3000, threads: int = 1
    ) -> None:
        self._network = pack(network, game)
        super().__init__(game, worlds=worlds, budget=budget, threads=threads)
        self.name = f"{network.name}:look" if worlds == 1 else f"{network.name}:look{worlds}"

    def _make(self, rules: Any) -> Any:
        parts = _with_network(rules)
        return kernel(parts, parts.judge, None, parts.pick)

    def _tables(self, scratch: tuple[Any, ...]) -> Any:
        return self._rules.tables, self._network, scratch[-1]

    def _new_scratch(self) -> tuple[Any, ...]:
        return (*super()._new_scratch(), new_thoughts(self._network, self._rules))


def _with_network(rules: Any) -> Any:
    """The functions of `rules` that take, in place of a table, (table, network, scratch memory), and the network's judgement."""
    key = (rules.apply, rules.legal, rules.determinize, rules.follow_up, rules.window, rules.observe, rules.potential)
    if key in _RULES:
        return _RULES[key]
    prefix = f"{rules.id}{foreign_hash((*(k for k in key if k is not None), make_questions))}.foresight"
    apply, legal, determinize = rules.apply, rules.legal, rules.determinize
    worth = make_questions(rules, prefix, True).worth

    @njit(name=f"{prefix}.pick")
    def pick(tables: Any, number: Any) -> Any:
        # A tuple cannot hold a record, but an array of one.
        return tables[0][number : number + 1], tables[1], tables[2]

    @njit(name=f"{prefix}.apply")
    def apply_with(s: Any, t: Any, action: Any, mask: Any) -> None:
        apply(s, t[0][0], action, mask)

    @njit(name=f"{prefix}.legal")
    def legal_with(s: Any, t: Any, mask: Any) -> None:
        legal(s, t[0][0], mask)

    @njit(name=f"{prefix}.determinize")
    def determinize_with(s: Any, t: Any, player: Any) -> None:
        determinize(s, t[0][0], player)

    @njit(name=f"{prefix}.judge")
    def judge(s: Any, t: Any, player: Any) -> Any:
        if s.over != 0:
            return WIN * s.reward[player]
        return worth(t[1], t[2], s, t[0][0], player)

    _RULES[key] = SimpleNamespace(
        id=rules.id,
        apply=apply_with,
        legal=legal_with,
        determinize=determinize_with,
        evaluate=judge,
        judge=judge,
        follow_up=rules.follow_up,
        window=rules.window,
        pick=pick,
    )
    return _RULES[key]
