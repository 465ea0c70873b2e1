"""Small hand-made artists for the tests of the reference model; together they use every part of the effect language."""

from __future__ import annotations

from typing import Any

import yaml

INKER: dict[str, Any] = yaml.safe_load("""
format: 1
id: inker
name: Calligrapher
concept: Marks units with ink, and pushes them about.
summons: {spirit: {name: Sealbrush Spirit, count: 4}}
tokens: {ink: {name: Ink, place: unit, pool: 3, stacks: false, lasts: game}}
actions:
  - id: flowing_ink
    name: Flowing Ink
    copies: 8
    effects:
      - kind: reaction
        cost: [{choose_direction: way}]
        do: [{choose_unit: {as: it, where: {}}}, {add_token: {token: ink, to: it}}, {move: {unit: it, way: way}}]
  - id: summoning_ink
    name: Summoning Ink
    copies: 8
    effects:
      - kind: intention
        do:
          - {choose_unit: {as: it, where: {}}}
          - {add_token: {token: ink, to: it}}
          - {choose_zone: {as: z, where: {adjacent_to: me}}}
          - {summon: {kind: spirit, zone: z}}
  - id: blot
    name: Blot
    copies: 7
    effects:
      - kind: intention
        cost: [{choose_unit: {as: it, where: {token: ink}}}, {remove_token: {token: ink, from: it}}, {discard: 1}]
        do: [{damage: {zone: it}}]
      - kind: reaction
        cost: [{choose_unit: {as: it, where: {side: theirs}}}, {choose_zone: {as: z, where: {adjacent_to: it}}}]
        do: [{damage: {zone: z}}]
  - id: spill
    name: Spill
    copies: 7
    effects:
      - kind: intention
        do:
          - for_each:
              unit: x
              where: {token: ink}
              order: {nearest: me}
              do: [{move: {unit: x, way: {away_from: me}}}, {exhaust: x}]
          - damage: {units: {adjacent_to: me}}
abilities:
  - id: inker
    name: Calligrapher
    unit: artist
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [progress]}
      - {kind: intention, cost: [{exhaust: me}], do: [{draw: 2}]}
    ascended:
      mode: until_used
      name: Master Calligrapher
      effects:
        - {kind: intention, cost: [{exhaust: me}], do: [{damage: {units: {side: theirs}}}, descend]}
        - {kind: reaction, cost: [{exhaust: me}], do: [progress]}
  - id: spirit
    name: Sealbrush Spirit
    unit: spirit
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [{choose_direction: w}, {move: {unit: me, way: w}}]}
      - kind: intention
        cost: [{exhaust: me}, {choose_zone: {as: target, where: {adjacent_to: me}}}]
        do: [{if: {unit: me, is: {token: ink}}, then: [{damage: {zone: target}}]}]
  - id: respite
    name: Sheathing Respite
    unit: none
    effects:
      - {kind: reaction, cost: [{discard: 1}], do: [{may: [{draw: 1}]}]}
""")

LEAPER: dict[str, Any] = yaml.safe_load("""
format: 1
id: leaper
name: Dancer
concept: Leaves scales behind her, and leaps.
summons: {fish: {name: Dancing Fish, count: 2}}
tokens:
  scale:
    name: Scale
    place: zone
    pool: 9
    stacks: true
    lasts: game
    at: {count: 3, do: [{summon: {kind: fish, zone: here}}, {remove_token: {token: scale, from: here, count: all}}]}
  guard: {name: Block, place: zone, pool: 2, stacks: false, lasts: turn, blocks_damage: true}
passives:
  - name: Shed Scales
    when: unit_moved
    where: {side: mine, kind: artist}
    do: [{add_token: {token: scale, to: left}}]
actions:
  - id: pivoting_step
    name: Pivoting Step
    copies: 8
    effects:
      - {kind: reaction, do: [{choose_unit: {as: it, where: {adjacent_to: me}}}, {swap: {unit: me, with: it}}]}
  - id: calling_step
    name: Calling Step
    copies: 8
    effects:
      - kind: intention
        do:
          - for_each: {unit: x, where: {in_line_with: me}, do: [{move: {unit: x, way: {toward: me}}}]}
          - {choose_direction: way}
          - {jump: {unit: me, way: way}}
  - id: shatter
    name: Shatter
    copies: 7
    effects:
      - kind: intention
        cost: [{choose_zone: {as: z, where: {token: scale}}}, {remove_token: {token: scale, from: z}}]
        do: [{damage: {zones: {adjacent_to: z}}}]
  - id: guard
    name: Guard
    copies: 7
    effects:
      - kind: reaction
        do: [{choose_zone: {as: z, where: {within: {of: me, distance: 1}}}}, {add_token: {token: guard, to: z}}]
abilities:
  - id: leaper
    name: Dancer
    unit: artist
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [{choose_direction: w}, {jump: {unit: me, way: w}}]}
      - {kind: intention, cost: [{exhaust: me}], do: [progress]}
      - {kind: reaction, cost: [{exhaust: me}, {choose_direction: w}], do: [{jump: {unit: me, way: w}}]}
    ascended:
      mode: immediate
      name: Grand Finale
      do:
        - {choose_unit: {as: it, where: {side: theirs}, optional: true}}
        - {damage: {zone: it}}
        - descend
  - id: fish
    name: Dancing Fish
    unit: fish
    effects:
      - kind: intention
        cost: [{exhaust: me}]
        do:
          - choose_one:
              - [{damage: {units: {adjacent_to: me, other_than: me}}}]
              - [{let: {zone: z, of: me}}, {remove: me}, {add_token: {token: scale, to: z}}]
""")

# Without a deck: tiles, start- and end-of-turn passives.
FLOORER: dict[str, Any] = yaml.safe_load("""
format: 1
id: floorer
name: Floorer
concept: Paints the floor, and pushes people onto it.
summons: {can: {name: Can, count: 2}}
tokens:
  ink: {name: Ink, place: unit, pool: 2, stacks: true, lasts: turn}
tiles:
  push: {name: Push, pool: 3, on_enter: [{remove_tile: {zone: here}}, {move: {unit: unit, way: {away_from: me}}}]}
  spike: {name: Spike, pool: 2, on_enter: [{damage: {zone: here}}, {remove_tile: {zone: here}}]}
passives:
  - name: Dawn
    when: start_of_my_turn
    do:
      - {choose_zone: {as: z, where: {tile: false, occupied: false, in_line_with: me}, optional: true}}
      - {place_tile: {tile: push, zone: z}}
  - name: Dusk
    when: end_of_every_turn
    do: [{may: [{choose_unit: {as: it, where: {}}}, {add_token: {token: ink, to: it}}]}]
abilities:
  - id: floorer
    name: Floorer
    unit: artist
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [progress]}
      - kind: intention
        cost: [{exhaust: me}]
        do:
          - {choose_zone: {as: z, where: {adjacent_to: me}}}
          - {place_tile: {tile: spike, zone: z}}
          - {summon: {kind: can, zone: z}}
    ascended:
      mode: until_used
      name: Floorer Ascended
      effects:
        - kind: reaction
          cost: [{exhaust: me}, {choose_unit: {as: it, where: {side: theirs}}}]
          do: [{damage: {zone: it}}, descend]
  - id: can
    name: Can
    unit: can
    effects:
      - kind: reaction
        cost: [{exhaust: me}, {choose_direction: w}]
        do: [{move: {unit: me, way: w}}, {choose_unit: {as: it, where: {adjacent_to: me}}}, {swap: {unit: me, with: it}}]
      - kind: intention
        cost:
          - {exhaust: me}
          - {choose_zone: {as: a, where: {tile: true}}}
          - {choose_zone: {as: b, where: {adjacent_to: me}}}
        do:
          - {move_tile: {from: a, to: b}}
          - if: {zones: {tile: true}, at_least: 3}
            then: [{refresh: me}]
            else: [{damage: {zones: {holds: {token: ink}}}}]
""")

# Dice, a body of three, something in place of the draw, and a second form with an ascension of its own.
ROLLER: dict[str, Any] = yaml.safe_load("""
format: 1
id: roller
name: Roller
concept: Dice in place of a deck, and blades that move with her.
summons:
  blade: {name: Blade, count: 2, attached: true}
  pawn: {name: Pawn, count: 1}
counters:
  luck: {name: Luck, start: 4, dice: {count: 3, sides: 6}}
  grit: {name: Grit, start: 1, most: 5}
passives:
  - name: Arms
    when: setup
    do:
      - {choose_zone: {as: one, where: {diagonal_to: me, occupied: false}}}
      - {summon: {kind: blade, zone: one}}
      - {choose_zone: {as: other, where: {diagonal_to: me, occupied: false}}}
      - {summon: {kind: blade, zone: other}}
  - name: Throw
    when: instead_of_draw
    do: [{roll: 2}, {gain: {counter: grit, count: 1}}]
  - name: Footwork
    when: unit_moved
    where: {side: mine, kind: blade}
    do: [{gain: {counter: luck, count: 1}}]
abilities:
  - id: roller
    name: Roller
    unit: artist
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [progress]}
      - kind: intention
        cost: [{exhaust: me}, {choose_direction: w}]
        do: [{move: {unit: me, way: w}}, {if: {form: first}, then: [{gain: {counter: luck, count: 2}}]}]
      - kind: reaction
        cost: [{pay: {counter: luck, count: 5}}, {choose_direction: w}]
        do: [{jump: {unit: me, way: w}}, {roll: 1}]
    ascended:
      mode: becomes
      name: Gambler
      effects:
        - kind: intention
          cost: [{exhaust: me}, {pay: {counter: grit, count: 1}}]
          do: [progress, {damage: {units: {side: theirs, diagonal_to: me}}}]
        - kind: intention
          cost: [{exhaust: me}, {require: {counter: grit, at_least: 2}}]
          do:
            - {spend: {counter: grit, count: 9}}
            - {roll: 3}
            - if: {counter: luck, at_least: 12}
              then: [{damage: {units: {side: theirs, within: {of: me, distance: 3}}}}]
              else: [{gain: {counter: grit, count: all}}]
      do: [{gain: {counter: luck, count: all}}, {choose_direction: w}, {move: {unit: me, way: w}}]
      ascended:
        mode: until_used
        name: High Roller
        effects:
          - kind: intention
            cost: [{exhaust: me}, {require: {ascended: true}}]
            do: [{spend: {counter: luck, count: all}}, {damage: {units: {side: theirs, kind: artist}}}, descend]
          - {kind: reaction, cost: [{exhaust: me}], do: [{roll: 1}, progress]}
  - id: blade
    name: Blade
    unit: blade
    effects:
      - kind: intention
        cost: [{exhaust: me}]
        do: [{choose_unit: {as: it, where: {within: {of: me, distance: 2}}}}, {swap: {unit: me, with: it}}]
      - kind: intention
        cost: [{exhaust: me}, {choose_zone: {as: z, where: {touching: {side: mine, kind: blade}}}}, {pay: {counter: luck, count: 3}}]
        do: [{damage: {zone: z}}]
  - id: forge
    name: Forge
    unit: none
    effects:
      - kind: intention
        cost: [{pay: {counter: grit, count: 2}}, {choose_zone: {as: z, where: {occupied: false}}}]
        do: [{summon: {kind: blade, zone: z}}]
      - kind: intention
        cost: [{pay: {counter: grit, count: 1}}, {choose_zone: {as: z, where: {touching: {}, occupied: false}}}]
        do: [{summon: {kind: pawn, zone: z}}]
""")

# Face-down Reactions, two at a time; some cannot always be paid for.
AUGUR: dict[str, Any] = yaml.safe_load("""
format: 1
id: augur
name: Augur
concept: Lays Reactions face down.
face_down: 2
summons: {raven: {name: Raven, count: 2}}
counters: {omen: {name: Omen, start: 0, most: 4}}
tokens: {ward: {name: Block, place: zone, pool: 2, stacks: false, lasts: turn, blocks_damage: true}}
actions:
  - id: foresight
    name: Foresight
    copies: 8
    effects:
      - {kind: reaction, do: [{gain: {counter: omen, count: 1}}, {draw: 1}]}
  - id: snare
    name: Snare
    copies: 8
    effects:
      - kind: reaction
        cost: [{choose_unit: {as: it, where: {side: theirs}}}]
        do: [{move: {unit: it, way: {away_from: me}}}, {exhaust: it}]
      - {kind: intention, do: [{choose_unit: {as: it, where: {}, optional: true}}, {move: {unit: it, way: {toward: me}}}]}
  - id: doom
    name: Doom
    copies: 7
    effects:
      - kind: reaction
        cost: [{discard: 1}, {choose_zone: {as: z, where: {adjacent_to: me}}}]
        do: [{damage: {zone: z}}]
      - kind: reaction
        cost: [{pay: {counter: omen, count: 2}}]
        do: [{damage: {units: {side: theirs, touching: {side: mine}}}}]
  - id: gather
    name: Gather
    copies: 7
    effects:
      - {kind: intention, do: [{choose_zone: {as: z, where: {adjacent_to: me}}}, {summon: {kind: raven, zone: z}}]}
abilities:
  - id: augur
    name: Augur
    unit: artist
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [progress]}
      - {kind: intention, cost: [{exhaust: me}], do: [{draw: 2}]}
      - {kind: reaction, cost: [{exhaust: me}], do: [{let: {zone: z, of: me}}, {add_token: {token: ward, to: z}}]}
    ascended:
      mode: until_used
      name: Oracle
      effects:
        - {kind: intention, cost: [{exhaust: me}], do: [{damage: {units: {side: theirs, in_line_with: me}}}, descend]}
        - {kind: reaction, cost: [{exhaust: me}], do: [progress]}
  - id: raven
    name: Raven
    unit: raven
    effects:
      - kind: intention
        cost: [{exhaust: me}, {choose_direction: w}]
        do: [{jump: {unit: me, way: w}}, {damage: {units: {side: theirs, adjacent_to: me}}}]
      - {kind: reaction, cost: [{exhaust: me}], do: [{choose_unit: {as: it, where: {diagonal_to: me}}}, {swap: {unit: me, with: it}}]}
""")

# Cannot be damaged, and loses with its last tattoo; its second form ascends and descends at once.
KEEPER: dict[str, Any] = yaml.safe_load("""
format: 1
id: keeper
name: Keeper
concept: Cannot be harmed, and lives as long as a tattoo does.
immune: true
vital: tattoo
summons: {tattoo: {name: Tattoo, count: 3}, moth: {name: Moth, count: 2}}
tokens: {guard: {name: Guard, place: zone, pool: 2, stacks: false, blocks_damage: true}}
passives:
  - name: First Lines
    when: setup
    do:
      - {choose_zone: {as: one, where: {adjacent_to: me}}}
      - {summon: {kind: tattoo, zone: one}}
      - {choose_zone: {as: other, where: {diagonal_to: me, occupied: false}}}
      - {summon: {kind: tattoo, zone: other}}
actions:
  - id: offering
    name: Offering
    copies: 8
    effects:
      - kind: intention
        cost: [{choose_zone: {as: z, where: {holds: {side: mine, kind: summon}}}}, {sacrifice: z}]
        do: [{damage: {units: {adjacent_to: z}}}]
      - kind: reaction
        cost: [{choose_zone: {as: z, where: {holds: {side: mine, kind: moth}}}}, {sacrifice: z}]
        do: [{draw: 1}, {add_token: {token: guard, to: z}}]
  - id: etch
    name: Etch
    copies: 8
    effects:
      - kind: intention
        do: [{choose_zone: {as: z, where: {touching: {side: mine}, occupied: false}}}, {summon: {kind: tattoo, zone: z}}]
  - id: cover
    name: Cover
    copies: 7
    effects:
      - kind: reaction
        cost: [{require: {units: {side: mine, kind: tattoo}, at_least: 2}}]
        do: [{choose_zone: {as: z, where: {holds: {side: mine}}}}, {add_token: {token: guard, to: z}}]
  - id: fade
    name: Fade
    copies: 7
    effects:
      - kind: intention
        do: [{choose_unit: {as: it, where: {side: mine, kind: tattoo}}}, {remove: it}, {draw: 2}]
      - {kind: reaction, do: [{damage: {units: {kind: tattoo}}}, {damage: {units: {side: theirs, kind: artist}}}]}
abilities:
  - id: keeper
    name: Keeper
    unit: artist
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [progress]}
      - kind: intention
        cost: [{exhaust: me}]
        do:
          - choose_one:
              - [{choose_zone: {as: z, where: {diagonal_to: me}}}, {summon: {kind: moth, zone: z}}]
              - [{damage: {units: {in_line_with: me, side: theirs}}}]
              - [{if: {units: {side: mine, kind: moth}, at_least: 2}, then: [defeat]}]
    ascended:
      mode: becomes
      name: Canvas
      effects:
        - {kind: intention, cost: [{exhaust: me}], do: [progress]}
        - {kind: reaction, cost: [{exhaust: me}], do: [{choose_direction: w}, {jump: {unit: me, way: w}}]}
      ascended:
        mode: immediate
        name: Last Line
        do: [{damage: {units: {side: theirs}}}, {damage: {units: {side: mine}}}, descend]
  - id: tattoo
    name: Tattoo
    unit: tattoo
    effects:
      - kind: intention
        cost: [{exhaust: me}, {choose_zone: {as: z, where: {diagonal_to: me}}}]
        do: [{damage: {zone: z}}]
      - {kind: reaction, cost: [{exhaust: me}, {choose_direction: w}], do: [{move: {unit: me, way: w}}]}
""")

# Frames in the open: laid, moved about, and carried out by whoever stands there.
FRAMER: dict[str, Any] = yaml.safe_load("""
format: 1
id: framer
name: Framer
concept: Plans in frames, and calls them up.
summons: {cel: {name: Cel, count: 3}}
counters: {reel: {name: Reel, start: 2, most: 6}}
tiles:
  step:
    name: Step
    pool: 3
    directed: true
    on_cue: [{move: {unit: unit, way: way}}]
  strike:
    name: Strike
    pool: 2
    on_cue:
      - if: {unit: unit, is: {side: mine}}
        then: [{damage: {zones: {adjacent_to: here, holds: {side: theirs}}}}]
        else: [{remove_tile: {zone: here}}]
    on_enter: [{gain: {counter: reel, count: 1}}]
  gust:
    name: Gust
    pool: 2
    directed: true
    on_enter: [{remove_tile: {zone: here}}, {jump: {unit: unit, way: way}}]
  splice:
    name: Splice
    pool: 1
    on_cue:
      - choose_one:
          - [{choose_zone: {as: to, where: {adjacent_to: here}}}, {move_tile: {from: here, to: to}}]
          - [{choose_zone: {as: to, where: {tile: true, other_than: here}}}, {remove_tile: {zone: to}}]
      - {summon: {kind: cel, zone: here}}
passives:
  - name: Develop
    when: instead_of_draw
    do: [{gain: {counter: reel, count: 2}}]
  - name: Reprise
    when: end_of_every_turn
    do: [{if: {counter: reel, at_least: 6}, then: [cue]}]
abilities:
  - id: framer
    name: Framer
    unit: artist
    effects:
      - {kind: intention, cost: [{exhaust: me}], do: [progress]}
      - {kind: intention, cost: [{exhaust: me}], do: [cue]}
      - {kind: reaction, cost: [{exhaust: me}], do: [{choose_direction: w}, {move: {unit: me, way: w}}]}
    ascended:
      mode: immediate
      name: Premiere
      do: [cue, cue, {if: {ascended: true}, then: [{gain: {counter: reel, count: all}}]}, descend]
  - id: sketch
    name: Sketch
    unit: none
    effects:
      - kind: intention
        cost: [{pay: {counter: reel, count: 1}}, {choose_direction: w}, {choose_zone: {as: z, where: {tile: false}}}]
        do: [{place_tile: {tile: step, zone: z, way: w}}]
      - kind: intention
        cost: [{pay: {counter: reel, count: 1}}, {choose_zone: {as: z, where: {tile: false}}}]
        do:
          - choose_one:
              - [{place_tile: {tile: strike, zone: z}}]
              - [{place_tile: {tile: splice, zone: z}}]
              - [{choose_direction: w}, {place_tile: {tile: gust, zone: z, way: w}}]
      - kind: reaction
        cost:
          - {pay: {counter: reel, count: 2}}
          - {choose_zone: {as: z, where: {tile: step}}}
          - {choose_zone: {as: to, where: {adjacent_to: z}}}
        do: [{move_tile: {from: z, to: to}}]
      - kind: intention
        cost: [{pay: {counter: reel, count: 2}}, {choose_zone: {as: z, where: {tile: true}}}]
        do: [{remove_tile: {zone: z}}, {summon: {kind: cel, zone: z}}]
  - id: cel
    name: Cel
    unit: cel
    effects:
      - {kind: intention, cost: [{exhaust: me}, {choose_direction: w}], do: [{move: {unit: me, way: w}}]}
""")

KITS = {
    "inker": INKER,
    "leaper": LEAPER,
    "floorer": FLOORER,
    "roller": ROLLER,
    "augur": AUGUR,
    "keeper": KEEPER,
    "framer": FRAMER,
}
