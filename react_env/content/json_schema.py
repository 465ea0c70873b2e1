"""The models of card files as JSON schema for editors."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]
_MARKS = "provenance"


def document(title: str, about: str, *models: type[BaseModel]) -> Schema:
    """The JSON schema (draft 2020-12) of files that one of these models can read; `about` says where they are explained."""
    definitions: dict[str, Schema] = {}
    for model in models:
        raw = model.model_json_schema(by_alias=True)
        definitions |= {name: _definition(schema) for name, schema in raw.pop("$defs", {}).items()}
        definitions[model.__name__] = _definition(raw)
    names = [model.__name__ for model in models]
    whole = definitions.pop(names[0]) if len(names) == 1 else {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": about,
        **whole,
        "$defs": dict(sorted(definitions.items())),
    }


def _definition(schema: Schema) -> Schema:
    """The schema of a model, with provenance for its own fields only, and without what only Python needs."""
    clean: Schema = _clean(schema)
    fields = clean.get("properties", {})  # a named union has none
    if _MARKS in fields:
        marks = fields.pop(_MARKS)
        fields[_MARKS] = {**marks, "propertyNames": {"enum": list(fields)}}
    return clean


def _clean(node: Any) -> Any:
    """Remove titles, descriptions, empty defaults and null: a file leaves out a key that says nothing."""
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
