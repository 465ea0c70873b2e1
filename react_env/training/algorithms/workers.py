"""Evaluating and improving a network, by threads that share the work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from react_env.agents.models.model import Floats
from react_env.agents.models.torch_network import Processor
from react_env.extras import need

with need("train", "torch"):
    import torch

NEVER = -1e8  # the logit of an illegal action
SHARE = 256  # decisions worth a thread of their own


class Workers:
    """Threads that each evaluate a share of the observations: threads inside a single matrix product would mostly wait for each other.

    A GPU gets all observations at once.
    """

    def __init__(self, threads: int, processor: Processor) -> None:
        self.threads = threads if processor.device == "cpu" else 1
        self.processor = processor
        self.pool = ThreadPoolExecutor(self.threads, initializer=torch.set_num_threads, initargs=(1,))

    def evaluate(
        self, policy: Any, observations: npt.NDArray[np.int8], *more: npt.NDArray[Any]
    ) -> tuple[Floats, Floats]:
        """int8 (B, S) -> logits (B, A) and values (B,), float32. `more` (B, ...): further arguments of the policy, not converted."""

        def share(part: npt.NDArray[np.int8], *rest: npt.NDArray[Any]) -> tuple[torch.Tensor, torch.Tensor]:
            with torch.inference_mode(), self.processor.products():
                found: tuple[torch.Tensor, torch.Tensor] = policy(self.processor.put(part), *rest)
            return found

        parts = (np.array_split(column, self.shares(len(observations))) for column in (observations, *more))
        logits, values = zip(*self.pool.map(share, *parts), strict=True)
        return torch.cat(logits).cpu().numpy(), torch.cat(values).cpu().numpy()

    def descend(
        self,
        optimizer: torch.optim.Optimizer,
        loss_of: Callable[[npt.NDArray[np.int64]], tuple[torch.Tensor, npt.NDArray[np.float64]]],
        rows: npt.NDArray[np.int64],
        max_norm: float | None = None,
    ) -> npt.NDArray[np.float64]:
        """One step of `optimizer` along the gradient of the mean loss over the decisions `rows` (M,), each thread with a share of them.

        `loss_of` returns the mean loss over a share, and numbers to report. Returns the means of those numbers over `rows`. Gradients
        longer than `max_norm` are scaled down.
        """
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]

        def share(part: npt.NDArray[np.int64]) -> tuple[tuple[torch.Tensor, ...], npt.NDArray[np.float64]]:
            loss, numbers = loss_of(part)
            weight = len(part) / len(rows)
            return torch.autograd.grad(weight * loss, parameters), weight * numbers

        found = list(self.pool.map(share, np.array_split(rows, self.shares(len(rows)))))
        for parameter, *gradients in zip(parameters, *(gradients for gradients, _ in found), strict=True):
            parameter.grad = sum(gradients[1:], start=gradients[0])
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(parameters, max_norm)
        optimizer.step()
        return np.stack([numbers for _, numbers in found]).sum(0)

    def shares(self, count: int) -> int:
        """The number of parts into which `count` decisions are best divided."""
        return max(1, min(self.threads, count // SHARE))

    def close(self) -> None:
        """Shut down the threads."""
        self.pool.shutdown()
