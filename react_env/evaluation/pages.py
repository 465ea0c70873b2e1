"""Pages in one file each: what their templates have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from react_env.extras import need

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(*packages: str) -> Environment:
    """Where Jinja finds the templates of `packages`, and of this one, which holds the style of all pages (page.css)."""
    need("eval", "jinja2")
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "react_env.evaluation")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
