"""The JSON schema of artist files, for editors: completion, and most mistakes underlined while typing."""

from __future__ import annotations

from react_env.content.json_schema import Schema, definition
from react_env.games.arts_of_war.cards.schema import Artist


def json_schema() -> Schema:
    """What an artist file may look like, as JSON schema (draft 2020-12).

    It knows keys, types and sizes; names, scopes and the rules of a kit are checked by `react-env cards check` only.
    """
    raw = Artist.model_json_schema(by_alias=True)
    definitions = {name: definition(schema) for name, schema in raw.pop("$defs").items()}
    artist = definition(raw)
    definitions["DamageArgs"] |= {"minProperties": 1, "maxProperties": 1}
    about = "An artist of Re;ACT - The Arts of War. docs/arts_of_war/card_files.md says what each part means."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Artist",
        "description": about,
        **{key: value for key, value in artist.items() if key not in ("title", "description")},
        "$defs": dict(sorted(definitions.items())),
    }
