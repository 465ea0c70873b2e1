"""A server of the page in this process, and a real Chromium that opens the page."""

from __future__ import annotations

import contextlib
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from react_env.web.server import LARGEST_MESSAGE, app

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)


@contextlib.contextmanager
def serving(folder: Path, **options: Any) -> Iterator[str]:
    """The page's host and port, while the server runs in a thread."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    page = app(folder, **options)
    config = uvicorn.Config(page, log_level="warning", ws_max_size=16 * LARGEST_MESSAGE, ws="websockets-sansio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the server keeps its games."""
    return tmp_path_factory.mktemp("games")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder) as found:
        yield found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """A page of 1200 by 900 with reduced motion; errors and warnings on its console fail the test."""
    yield from _page(chromium, tmp_path, 1200, 900)


@pytest.fixture
def telephone(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """The same for a telephone: 360 by 740, with touch."""
    yield from _page(chromium, tmp_path, 360, 740, has_touch=True, is_mobile=True)


def _page(chromium: Any, folder: Path, width: int, height: int, **options: Any) -> Iterator[Any]:
    context = chromium.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", accept_downloads=True, **options
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    complaints: list[str] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.complaints = complaints
    yield page
    page.screenshot(path=folder / "at_the_end.png")
    context.close()
    assert not complaints
