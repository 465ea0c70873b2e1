"""A look at whole card files: everything that is wrong with a file or an edition folder, and what looks like a slip."""

from __future__ import annotations

import os
from pathlib import Path

from react_env.content.card_files import MOST, Finding
from react_env.content.files import parse, read_text, shown
from react_env.errors import ReactEnvError
from react_env.games.arts_of_war import rules
from react_env.games.arts_of_war.cards.advice import advice
from react_env.games.arts_of_war.cards.reader import check_file_name, parse_artist
from react_env.games.arts_of_war.cards.schema import Artist


def inspect(path: str | Path) -> list[Finding]:
    """A finding for the file at `path`, or for each card file of an edition: a folder, or an installed one by name. Never raises."""
    target = Path(path)
    installed = isinstance(path, str) and path in rules.editions() and not os.path.exists(target)
    try:
        if not installed and not target.expanduser().is_dir():
            target = target.expanduser()
            if target.name == rules.WEIGHTS:
                return [_weights(target)]
            return [_board(target) if target.name == rules.BOARD else _artist(target, in_edition=False, free=False)]
        edition = path if installed else target
        folder = rules.edition_folder(edition)
    except ReactEnvError as error:
        return [Finding(shown(path), errors=[str(error)])]
    except (OSError, ValueError, RuntimeError) as error:
        return [Finding(shown(path), errors=[f"cannot be read: {getattr(error, 'strerror', None) or error}"])]
    found = [_board(board, edition)] if os.path.lexists(board := folder / rules.BOARD) else []
    free = bool(found) and found[0].ok and rules.load_rules(edition).allow_unbounded_abilities
    found += [_artist(folder / f"{name}.yaml", in_edition=True, free=free) for name in rules.own_artists(edition)]
    if os.path.lexists(weights := folder / rules.WEIGHTS):
        found.append(_weights(weights))
    for file in sorted(folder.glob("*.yml")):
        found.append(Finding(shown(file), warnings=[f"is not read; card files are called {file.stem}.yaml"]))
    return found


def _board(path: Path, edition: str | Path | None = None) -> Finding:
    finding = Finding(shown(path))
    with finding.noting():
        rules.read_board(path)
        if edition is not None:
            rules.default_artists(edition)
    return finding


def _weights(path: Path) -> Finding:
    from react_env.games.arts_of_war.value import read  # not at the top: it imports compiled functions

    finding = Finding(shown(path))
    with finding.noting():
        read(path)
    return finding


def _artist(path: Path, in_edition: bool, free: bool) -> Finding:
    finding = Finding(shown(path))
    with finding.noting():
        text = read_text(path)
        artist = parse_artist(text, finding.file, allow_unbounded_abilities=free, most=MOST)
        if in_edition:
            check_file_name(path, artist)
        finding.id = artist.id
        document = parse(text, finding.file, "an artist file", Artist.model_fields)
        for location, message in advice(artist):
            finding.warnings.append(document.fault(location, message).removeprefix(f"{finding.file}: "))
        if path.stem != artist.id:
            finding.warnings.append(f"to be part of an edition, the file must be called {artist.id}.yaml")
    return finding
