"""Tables of the docs that only this game has."""

from annotated_types import MaxLen

from react_env.content.files import LARGEST_FILE
from react_env.content.schema import Model
from react_env.games.arts_of_war import state
from react_env.games.arts_of_war.cards import compiler, schema


def card_limits() -> str:
    """How large an artist may be."""
    from react_env.docs_tables import table

    def longest(model: type[Model], field: str) -> int:
        return next(item.max_length for item in model.model_fields[field].metadata if isinstance(item, MaxLen))

    return table(
        ("what", "at most"),
        [
            ("kinds of summon", state.KINDS - 1),
            ("summons of all kinds", state.SLOTS - 1),
            ("of these, attached", state.ATTACHED),
            ("kinds of counter", state.COUNTERS),
            ("dice", state.DICE),
            ("kinds of token", state.TOKENS),
            ("kinds of tile", state.TILES),
            ("tiles with `on_cue`, the pools of all kinds together", state.PLANS),
            ("passives", state.TRIGGERS),
            ("of these, with `when: unit_moved`", state.MOVED_PASSIVES),
            ("ability cards", state.ABILITIES),
            ("effects of an action card", longest(schema.ActionCard, "effects")),
            ("effects on each side of an ability card", longest(schema.AbilityCard, "effects")),
            ("effects of an artist, all cards", compiler.EFFECT_LIMIT),
            ("rows of code, all programs (about one for each part, and one for each end)", compiler.CODE_LIMIT),
            ("different selections (`where`, `is`, `holds`, `zones`, `units`)", compiler.SEL_LIMIT),
            ("unit variables of an effect, besides `me`", state.R_ZONE - state.R_UNIT),
            ("zone variables of an effect", state.R_WAY - state.R_ZONE),
            ("direction variables of an effect", 1),
            ("bytes of the file", LARGEST_FILE),
        ],
    )


TABLES = {"card_limits": card_limits}
