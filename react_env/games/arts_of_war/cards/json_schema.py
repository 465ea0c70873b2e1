"""The JSON schema of artist files, for editors: completion, and most mistakes underlined while typing."""

from __future__ import annotations

from react_env.content.json_schema import Schema, document
from react_env.games.arts_of_war.cards.schema import Artist


def json_schema() -> Schema:
    """What an artist file may look like, as JSON schema (draft 2020-12).

    It knows keys, types and sizes; names, scopes and the rules of a kit are checked by `react-env cards check` only.
    """
    about = "An artist of Re;ACT - The Arts of War. docs/arts_of_war/card_files.md says what each part means."
    schema = document("Artist", about, Artist)
    schema["$defs"]["DamageArgs"] |= {"minProperties": 1, "maxProperties": 1}
    return schema
