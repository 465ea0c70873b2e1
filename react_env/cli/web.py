"""`react-env web`: play, watch and look at games in a browser."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from react_env.cli.common import output
from react_env.errors import OptionError
from react_env.extras import need

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def web(
    results: Annotated[
        list[Path] | None,
        Argument(metavar="[RESULTS...]", help="Files of arenas and folders of training runs, shown as they grow."),
    ] = None,
    port: Annotated[int, Option(metavar="N", min=0, max=65535, help="0: any free port.")] = 8765,
    host: Annotated[
        str, Option(metavar="ADDRESS", help="Where to listen; other machines need the token in the address.")
    ] = "127.0.0.1",
    agent: Annotated[
        list[str] | None,
        Option(metavar="AGENT", help="Also offer this model file or FILE.py:CLASS; repeatable."),
    ] = None,
    folder: Annotated[
        Path | None, Option(metavar="FOLDER", help="Where games are kept.  [default: ~/.local/state/react_env/games]")
    ] = None,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Play and watch games in a browser, on a page that this machine serves.

    Games are kept and continue after a restart. Ctrl-C ends it.
    """
    need("web")
    import socket
    import threading
    import webbrowser

    import uvicorn

    from react_env.agents.registry import check_spec
    from react_env.web.server import LARGEST_MESSAGE, app

    for spec in agent or ():
        check_spec(spec)
    token = None if host in _LOOPBACK else secrets.token_urlsafe(16)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":  # on other systems it would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)  # requests that come before the page is ready wait
    except OSError as error:
        raise OptionError(f"--host {host} --port {port}: {error.strerror}; --port 0 takes any that is free") from None
    port = int(listener.getsockname()[1])
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    place = folder if folder is not None else _games()
    page = app(place, tuple(agent or ()), token, hosts=(shown, host), results=tuple(results or ()))
    address = f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
    output().print(f"{address}   (Ctrl-C ends it)", soft_wrap=True)
    if browser and token is None:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    config = uvicorn.Config(
        page, log_level="warning", ws_max_size=16 * LARGEST_MESSAGE, ws="websockets-sansio", timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])


def _games() -> Path:
    """Where games are kept unless --folder says otherwise."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(base) / "react_env" / "games"
