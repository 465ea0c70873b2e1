"""The JSON schema of artist files, for editors: completion, and most mistakes underlined while typing."""

from __future__ import annotations

from typing import Any

from react_env.games.arts_of_war.cards.schema import Artist

Schema = dict[str, Any]
_MARKS = "provenance"


def json_schema() -> Schema:
    """What an artist file may look like, as JSON schema (draft 2020-12).

    It knows keys, types and sizes; names, scopes and the rules of a kit are checked by `react-env cards check` only.
    """
    raw = Artist.model_json_schema(by_alias=True)
    definitions = {name: _definition(schema) for name, schema in raw.pop("$defs").items()}
    artist = _definition(raw)
    shared = {  # long lists of alternatives that stand in many places
        "Part": definitions["Effect"]["properties"]["do"]["items"],
        "CostPart": definitions["Effect"]["properties"]["cost"]["items"],
        "Condition": definitions["If"]["properties"]["if"],
    }
    definitions = {name: _refer(schema, shared) for name, schema in definitions.items()} | {
        name: {"anyOf": schema["anyOf"]} for name, schema in shared.items()
    }
    definitions["DamageArgs"] |= {"minProperties": 1, "maxProperties": 1}
    about = "An artist of Re;ACT - The Arts of War. docs/arts_of_war/card_files.md says what each part means."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Artist",
        "description": about,
        **{key: value for key, value in artist.items() if key not in ("title", "description")},
        "$defs": dict(sorted(definitions.items())),
    }


def _definition(schema: Schema) -> Schema:
    """A model, with provenance for its own fields only, and without what only Python needs."""
    clean: Schema = _clean(schema)
    fields = clean["properties"]
    if _MARKS in fields:
        marks = fields.pop(_MARKS)
        fields[_MARKS] = {**marks, "propertyNames": {"enum": list(fields)}}
    return clean


def _clean(node: Any) -> Any:
    """Without titles made from names, and without null: a key that says nothing is left out of the file."""
    if isinstance(node, list):
        return [_clean(item) for item in node]
    if not isinstance(node, dict):
        return node
    clean: Schema = {}
    for key, value in node.items():
        if key in ("properties", "patternProperties"):
            clean[key] = {name: _clean(inner) for name, inner in value.items()}
        elif key == "oneOf":
            clean["anyOf"] = _clean(value)
        elif key == "anyOf":
            clean["anyOf"] = [_clean(item) for item in value if item != {"type": "null"}]
        elif key not in ("title", "description") and not (key == "default" and value in (None, {}, [])):
            clean[key] = _clean(value)
    if "patternProperties" in clean:
        clean["additionalProperties"] = False
    if len(clean.get("anyOf", ())) == 1:
        return clean | clean.pop("anyOf")[0]
    return clean


def _refer(node: Any, shared: dict[str, Schema]) -> Any:
    """With `$ref` in place of each shared schema."""
    if isinstance(node, list):
        return [_refer(item, shared) for item in node]
    if not isinstance(node, dict):
        return node
    for name, schema in shared.items():
        if node == schema:
            return {"$ref": f"#/$defs/{name}"}
    return {key: _refer(value, shared) for key, value in node.items()}
