"""Games on many machines, through Ray (extra "ray").

The work is divided into pieces that depend only on their arguments, so the same seed gives the same games however many machines there
are, and in whatever order they finish. If a worker or machine dies, Ray plays its piece again. Results come back to the machine that
asked; only that machine writes files.
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
from react_env.processors import processors

T = TypeVar("T")
LOCAL = "local"
AHEAD = 3  # pieces for each core that are waiting or being played
_TICK = 0.2  # seconds
RETRIES = 20  # of a piece whose worker has died
_SILENCE = 5.0  # seconds without an answer after which an address counts as dead
_TRIES = "RAY_gcs_server_port_wait_time_s"  # how often Ray tries an address that answers, some 40 seconds each time


class ClusterError(ReactEnvError):
    """The machines cannot work together; the message says which one and why."""


@dataclass(frozen=True)
class Shared:
    """What `Cluster.share` has sent. Ray leaves it packed: a game in it reads files by names relative to a piece's folder."""

    reference: Any

    def content(self) -> Any:
        """The content, on the machine that plays."""
        import ray

        return pickle.loads(ray.get(self.reference))


class Cluster:
    """Machines that play games.

    Args:
        address: of a Ray cluster, such as "10.0.0.1:6379" or "auto"; "local": this machine alone.
        workers: with "local", how many; None: one for each core that this process may use.

    Attributes:
        cores: of all machines together.

    Raises:
        MissingPackage: Ray is not installed.
        ClusterError: the cluster cannot be reached, or a machine has another version of this library, NumPy, Numba or Python.
    """

    def __init__(self, address: str, workers: int | None = None) -> None:
        with need("ray"):
            import ray

        self._ray: Any = ray
        self._remotes: dict[Callable[..., Any], tuple[Any, bytes]] = {}  # `_there` as Ray calls it, and what it calls
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if address == LOCAL:
                self._ray.init(address="local", num_cpus=workers or processors(), include_dashboard=False, **quiet)
            else:
                _knock(os.environ.get("RAY_ADDRESS", address) if address == "auto" else address)
                with _trying_once():
                    self._ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError, OSError, ray.exceptions.RayError) as error:
            hint = " (one that asks for a token needs RAY_AUTH_MODE=token here, too)" if ":" in address else ""
            raise ClusterError(f"--ray {address}: no Ray cluster answers there: {error}{hint}") from error
        # Ray tells of a worker that has died on standard output, even without log_to_driver: in the middle of what --json prints.
        self._ray._private.worker._worker_logs_enabled = False
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
        """Disconnect from the machines."""
        self._ray.shutdown()

    def _compare(self) -> None:
        """Raise ClusterError unless all machines have the same versions as this one."""
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
        """Send an argument of many pieces to each machine once. The function of a piece receives the content itself."""
        return Shared(self._ray.put(pickle.dumps(content)))

    def each(
        self,
        function: Callable[..., T],
        pieces: Iterable[tuple[Any, ...]],
        tick: Callable[[], bool] = lambda: True,
    ) -> Iterator[tuple[int, T]]:
        """Call `function` with each piece's arguments, on any machine. Yields (number of the piece, its result) as they finish.

        Pieces are taken only when there is room for them, so a generator can make them late. `tick` is called while waiting; False ends it.

        Raises:
            ClusterError: a piece raised an error that is not this library's (those are raised as they are), or its worker kept dying.
        """
        ray = self._ray
        if function not in self._remotes:
            named = {"num_cpus": 1, "max_retries": RETRIES, "name": function.__name__}
            self._remotes[function] = ray.remote(_there).options(**named), ray.cloudpickle.dumps(function)
        remote, packed = self._remotes[function]
        folder = os.getcwd()
        waiting = enumerate(pieces)
        running: dict[Any, int] = {}
        try:
            while True:
                for number, arguments in islice(waiting, max(0, AHEAD * self.cores - len(running))):
                    running[remote.remote(packed, folder, arguments)] = number
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
    """Raise ClusterError if nothing listens there: Ray itself would try for many minutes. Anything but HOST:PORT is left to Ray."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SILENCE).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ClusterError(f"--ray {address}: no Ray cluster answers there: {error}") from error


@contextmanager
def _trying_once() -> Iterator[None]:
    """Make Ray try an address once, unless its setting says how often: what answers may not be Ray, and 20 tries take 14 minutes."""
    if _TRIES in os.environ:
        yield
        return
    os.environ[_TRIES] = "1"
    try:
        yield
    finally:
        del os.environ[_TRIES]  # otherwise a head that is started here would use it, too


def _there(function: bytes, folder: str, arguments: tuple[Any, ...]) -> Any:
    """Play a piece on this machine, in the folder of the command if it exists here, so that file names mean the same.

    The function is pickled, because its module may need a package that is missing here. Every error names this machine.
    """
    if os.path.isdir(folder):
        os.chdir(folder)
    try:
        call = pickle.loads(function)
        return call(*(one.content() if isinstance(one, Shared) else one for one in arguments))
    except ReactEnvError as error:
        error.args = (f"on {platform.node()}: {error}",)
        raise
    except Exception as error:
        raise ClusterError(f"on {platform.node()}: {type(error).__name__}: {error}") from error


def versions() -> dict[str, str]:
    """The versions that must be the same on all machines."""
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
    """The versions of this machine. (`versions` itself is sent to the others.)"""
    return versions()


# -- agents ---------------------------------------------------------------------------------------------------------------------


# The text before and after a folder's path, the files in it, and where a user's agent or card file is on this machine.
Package: TypeAlias = tuple[str, str, tuple[tuple[str, bytes], ...], str]


def parcel(spec: str) -> Package:
    """Pack an agent's name with its files, to be unpacked elsewhere: the files of a model (also as the network of a search), or of a user's
    own agent. It also packs a deck, by name or with its file."""
    from react_env.agents.registry import available
    from react_env.agents.search.mcts import network_of

    name, colon, rest = spec.partition(":")
    if name == "mcts" and (net := network_of(rest)):
        head, named, tail = spec.partition("net=")
        before, behind, files, origin = parcel(net)
        return f"{head}{named}{before}", f"{behind}{tail.removeprefix(net)}", files, origin
    if name in available():  # even if a file or a folder has that name
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
    """The name by which `agents.load` finds on this machine what `parcel` has packed.

    If the same file is at the same path here, it is used from there, with the files beside it. A model is always unpacked.
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
    """A folder with these files, shared by all processes: one that Ray ends could not remove its own. Like compiled code, it leaves the
    cache two weeks after its last use."""
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
    """As `_folder_of`, if no cache can be written."""
    folder = tempfile.mkdtemp(prefix="react_env-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, data in files:
        Path(folder, name).write_bytes(data)
    return Path(folder)


def check_rules(game: Any, rules_hash: str) -> None:
    """Raise ClusterError if this machine plays by other rules than the one that asked."""
    if game.rules_hash != rules_hash:
        raise ClusterError(
            f"{game.id} has other rules there: {game.rules_hash}, not {rules_hash}; the card files there differ"
        )


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def cluster_of(address: str | None) -> Cluster | None:
    """The cluster that --ray names, or None without it. Raises OptionError for an empty address."""
    if address is None:
        return None
    if not address:
        raise OptionError("--ray: give an address, or local")
    return Cluster(address)


def on(address: str | None) -> AbstractContextManager[Cluster | None]:
    """`cluster_of` as a context, which disconnects at the end."""
    return cluster_of(address) or nullcontext()
