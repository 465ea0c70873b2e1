"""Games on many machines, by Ray (extra "ray").

What is played is cut into pieces that depend on nothing but what they are told, so the same seed gives the same games however many
machines there are, and in whatever order they finish. Ray plays a piece again whose worker or machine has died. Results come back to the
machine that asked, which alone writes files.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import pickle
import platform
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import react_env
from react_env.engine.compile import cache_dir
from react_env.errors import OptionError, ReactEnvError
from react_env.extras import need
from react_env.files import write_aside

T = TypeVar("T")
LOCAL = "local"
AHEAD = 3  # pieces for each core that wait or are being played
_TICK = 0.2  # seconds
RETRIES = 20  # of a piece whose worker has died
_SILENCE = 5.0  # seconds after which nobody is taken to live at an address
_TRIES = "RAY_gcs_server_port_wait_time_s"  # how often Ray tries an address at which something answers, some 40 seconds each time


class ClusterError(ReactEnvError):
    """The machines cannot work together; the message says which one and why."""


@dataclass(frozen=True)
class Shared:
    """What `Cluster.share` has sent. Ray does not unpack it: a game among it reads files by names that count from the folder of a piece."""

    reference: Any

    def content(self) -> Any:
        """The content, on the machine that plays."""
        import ray

        return pickle.loads(ray.get(self.reference))


class Cluster:
    """Machines that play games.

    Args:
        address: of a Ray cluster, such as "10.0.0.1:6379" or "auto"; "local": this machine alone, as many workers as it has cores.
        workers: with "local", how many; None: one for each core.

    Attributes:
        cores: of all machines together.

    Raises:
        MissingPackage: Ray is not installed.
        ClusterError: it cannot be reached, or a machine has another version of this library, of NumPy, Numba or Python.
    """

    def __init__(self, address: str, workers: int | None = None) -> None:
        with need("ray"):
            import ray

        self._ray: Any = ray
        self._remotes: dict[Callable[..., Any], Any] = {}
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if address == LOCAL:
                self._ray.init(address="local", num_cpus=workers or os.cpu_count(), include_dashboard=False, **quiet)
            else:
                _knock(os.environ.get("RAY_ADDRESS", address) if address == "auto" else address)
                with _trying_once():
                    self._ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError, OSError, ray.exceptions.RayError) as error:
            hint = " (one that asks for a token needs RAY_AUTH_MODE=token here, too)" if ":" in address else ""
            raise ClusterError(f"--ray {address}: no Ray cluster answers there: {error}{hint}") from error
        self.cores = int(self._ray.cluster_resources().get("CPU", 1))
        try:
            self._compare()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the machines go."""
        self._ray.shutdown()

    def _compare(self) -> None:
        """ClusterError unless all machines have the versions that this one has."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ours = here()
        for node in self._ray.nodes():
            if not node["Alive"] or not node["Resources"].get("CPU"):
                continue
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            try:
                found = self._ray.get(self._ray.remote(versions).options(scheduling_strategy=there).remote())
            except self._ray.exceptions.TaskUnschedulableError:  # it has died, and Ray had not noticed yet
                continue
            except self._ray.exceptions.RayError as error:
                raise ClusterError(f"{node['NodeManagerAddress']}: {_last_line(error)}") from error
            differ = [
                f"{name} {found.get(name)}, here {value}" for name, value in ours.items() if found.get(name) != value
            ]
            if differ:
                raise ClusterError(f"{node['NodeManagerAddress']} has {'; '.join(differ)}")

    def share(self, content: Any) -> Shared:
        """Something that many pieces are told, sent to each machine once; the function of a piece is given the content itself."""
        return Shared(self._ray.put(pickle.dumps(content)))

    def each(
        self,
        function: Callable[..., T],
        pieces: Iterable[tuple[Any, ...]],
        tick: Callable[[], bool] = lambda: True,
    ) -> Iterator[tuple[int, T]]:
        """`function` of each piece's arguments, on any machine: (number of the piece, its result) as they come.

        Pieces are taken as there is room for them, so they may be made late. `tick` is called while they are waited for; False ends it.

        Raises:
            ClusterError: a piece cannot be played, though it was tried again and again.
        """
        ray = self._ray
        remote = self._remotes.get(function)
        if remote is None:
            named = {"num_cpus": 1, "max_retries": RETRIES, "name": function.__name__}
            remote = self._remotes[function] = ray.remote(_there).options(**named)
        folder = os.getcwd()
        waiting = enumerate(pieces)
        running: dict[Any, int] = {}
        try:
            while True:
                for number, arguments in islice(waiting, max(0, AHEAD * self.cores - len(running))):
                    running[remote.remote(function, folder, arguments)] = number
                if not running:
                    return
                ready, _ = ray.wait(list(running), num_returns=1, timeout=_TICK)
                if not tick():
                    return
                if not ready:
                    continue
                done = ready[0]
                number = running.pop(done)
                try:
                    result = ray.get(done)
                except ray.exceptions.RayTaskError as error:
                    cause = error.cause
                    raise cause if isinstance(cause, ReactEnvError) else ClusterError(_last_line(error)) from error
                except ray.exceptions.RayError as error:
                    raise ClusterError(_last_line(error)) from error
                yield number, result
        finally:
            for task in running:
                ray.cancel(task, force=True)


def _knock(address: str) -> None:
    """ClusterError where nobody listens: Ray itself would try for many minutes. What is no HOST:PORT is left to Ray."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SILENCE).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ClusterError(f"--ray {address}: no Ray cluster answers there: {error}") from error


@contextmanager
def _trying_once() -> Iterator[None]:
    """Ray tries an address once, unless its setting says how often: what answers there may be no Ray, and 20 times are 14 minutes."""
    if _TRIES in os.environ:
        yield
        return
    os.environ[_TRIES] = "1"
    try:
        yield
    finally:
        del os.environ[_TRIES]  # a head that is started here waits by it, too


def _there(function: Callable[..., T], folder: str, arguments: tuple[Any, ...]) -> T:
    """A piece, on the machine that plays it: in the folder of the command, where it has that, so that names of files mean the same."""
    if os.path.isdir(folder):
        os.chdir(folder)
    try:
        return function(*(one.content() if isinstance(one, Shared) else one for one in arguments))
    except ReactEnvError as error:
        error.args = (f"on {platform.node()}: {error}",)
        raise


def versions() -> dict[str, str]:
    """What has to be the same on all machines."""
    import numba
    import numpy

    python = ".".join(map(str, sys.version_info[:2]))
    return {
        "react_env": react_env.__version__,
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "Python": python,
    }


def here() -> dict[str, str]:
    """What this machine has. (`versions` itself travels to the others.)"""
    return versions()


# -- agents ---------------------------------------------------------------------------------------------------------------------


# What stands before and behind a folder, the files in it, and where an own agent or a card file lies here.
Package: TypeAlias = tuple[str, str, tuple[tuple[str, bytes], ...], str]


def parcel(spec: str) -> Package:
    """An agent's name with the files behind it, to be unpacked elsewhere: those of a model, also as the network of a search, or of an own
    agent. Or the name of a deck, or its file."""
    from react_env.agents.registry import available
    from react_env.agents.search.mcts import network_of

    name, colon, rest = spec.partition(":")
    if name == "mcts" and (net := network_of(rest)):
        head, named, tail = spec.partition("net=")
        before, behind, files, origin = parcel(net)
        return f"{head}{named}{before}", f"{behind}{tail.removeprefix(net)}", files, origin
    if name in available():  # also where a file or a folder is called so
        return "", spec, (), ""
    path = Path(name).expanduser()
    if (path / "model.safetensors").is_file():
        return (
            "",
            f"{colon}{rest}",
            _read(file for file in path.iterdir() if file.suffix in (".safetensors", ".json")),
            "",
        )
    if path.suffix and path.is_file():
        beside = [path, path.with_suffix(".json")] if path.suffix == ".safetensors" else [path]
        origin = str(path.parent.absolute()) if path.suffix != ".safetensors" else ""
        return "", f"/{path.name}{colon}{rest}", _read(file for file in beside if file.is_file()), origin
    return "", spec, (), ""


def _read(files: Iterable[Path]) -> tuple[tuple[str, bytes], ...]:
    return tuple((file.name, file.read_bytes()) for file in sorted(files))


def unpacked(package: Package) -> str:
    """The name by which `agents.load` finds what `parcel` has packed, on this machine.

    What lies at the same place here, too, is taken from there, where it finds what lies beside it; but not a model.
    """
    before, behind, files, origin = package
    if not files:
        return f"{before}{behind}"
    if origin and all(_holds(Path(origin, name), data) for name, data in files):
        return f"{before}{origin}{behind}"
    content = b"".join(name.encode() + data for name, data in files)
    return f"{before}{_folder_of(files, hashlib.sha256(content).hexdigest()[:16])}{behind}"


def _holds(file: Path, data: bytes) -> bool:
    try:
        return file.read_bytes() == data
    except OSError:
        return False


def _folder_of(files: tuple[tuple[str, bytes], ...], digest: str) -> Path:
    """A folder with these files: one for all processes, since nothing that Ray ends could remove its own. It goes from the cache as
    compiled code does, two weeks after its last use."""
    folder = cache_dir() / f"agent-{digest}"
    try:
        for name, data in files:
            if not (folder / name).exists():
                write_aside(folder / name, data)
        os.utime(folder)
        return folder
    except OSError:
        return _folder_for_now(files)


@lru_cache(maxsize=64)
def _folder_for_now(files: tuple[tuple[str, bytes], ...]) -> Path:
    """As `_folder_of`, where there is no cache that can be written."""
    folder = tempfile.mkdtemp(prefix="react_env-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, data in files:
        Path(folder, name).write_bytes(data)
    return Path(folder)


def check_rules(game: Any, rules_hash: str) -> None:
    """ClusterError where a machine plays by other rules than the one that asked."""
    if game.rules_hash != rules_hash:
        raise ClusterError(
            f"{game.id} has other rules there: {game.rules_hash}, not {rules_hash}; the card files there differ"
        )


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def cluster_of(address: str | None) -> Cluster | None:
    """The cluster that --ray names; None without it. OptionError for an empty address."""
    if address is None:
        return None
    if not address:
        raise OptionError("--ray: give an address, or local")
    return Cluster(address)


def on(address: str | None) -> AbstractContextManager[Cluster | None]:
    """`cluster_of`, let go at the end."""
    return cluster_of(address) or nullcontext()
