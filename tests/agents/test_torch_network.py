"""The network in torch computes the same as the network in NumPy."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from react_env.agents.models.model import Architecture, ModelInfo
from react_env.agents.models.torch_network import Processor, TorchAgent
from react_env.agents.players.neural import NeuralAgent
from react_env.errors import OptionError
from tests.agents.games import game_of


def parts(architecture: Architecture, game: Any) -> tuple[Any, Any, Any]:
    """Random weights, their info, and the observations and masks of 300 positions."""
    fitted = architecture.fitted(game)
    info = ModelInfo.of(game, fitted)
    rng = np.random.default_rng(0)
    weights = {
        name: rng.normal(0, 0.1, shape).astype(np.float32)
        for name, shape in fitted.shapes(info.observation_size, info.action_count).items()
    }
    weights["scale"] = np.asarray(game.layout.scale, np.float32)
    batch = game.batch(300, seed=3)
    words = np.arange(300, dtype=np.uint64)
    for _ in range(20):
        batch.step(batch.random_actions(words))
    return weights, info, (batch.observations, batch.action_masks)


@pytest.mark.parametrize(
    "name", ["arts_of_war-v0", "arts_of_war-v0, mixed", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"]
)
@pytest.mark.parametrize(
    "architecture",
    [
        Architecture((32,), (16,), (16,), "relu", 8),
        Architecture((), (16,), (), "tanh", 0),
        Architecture((24, 16), (), (8, 8), "relu", 4),
        Architecture((24, 16), (8,), (8,), "relu", 4, pool_width=6),
        Architecture((24,), (8,), (8,), "tanh", 0, pool_width=6),
        Architecture((), (), (), "relu", 4),
    ],
)
def test_logits_and_values_are_the_same(name: str, architecture: Architecture) -> None:
    weights, info, (observations, masks) = parts(architecture, game_of(name))
    numpy, by_torch = NeuralAgent(weights, info), TorchAgent(weights, info, processor=Processor(), threads=2)
    np.testing.assert_allclose(by_torch.logits(observations), numpy.logits(observations), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(by_torch.values(observations), numpy.values(observations), rtol=1e-3, atol=1e-4)
    rng = np.random.default_rng
    np.testing.assert_array_equal(by_torch.act(observations, masks, rng(0)), numpy.act(observations, masks, rng(0)))
    half = TorchAgent(weights, info, processor=Processor(half=True))
    chosen = half.act(observations, masks, rng(0))
    assert masks[np.arange(len(masks)), chosen].all()
    assert (chosen == numpy.act(observations, masks, rng(0))).mean() > 0.9


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_refused() -> None:
    assert Processor.of("auto") == Processor.of("cpu")
    with pytest.raises(OptionError, match="device is cuda: torch finds no GPU here"):
        Processor.of("cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here")
def test_a_gpu_gives_the_same_logits_and_values() -> None:
    weights, info, (observations, _) = parts(
        Architecture((32,), (16,), (16,), "relu", 8, pool_width=6), game_of("react_fast-v0")
    )
    there, here = TorchAgent(weights, info, processor=Processor("cuda")), NeuralAgent(weights, info)
    np.testing.assert_allclose(there.logits(observations), here.logits(observations), rtol=1e-2, atol=1e-3)
    np.testing.assert_allclose(there.values(observations), here.values(observations), rtol=1e-2, atol=1e-3)
