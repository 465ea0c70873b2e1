"""Small hand-made artists for the tests of the reference model: the public facts of two kits, and one of everything else."""

from __future__ import annotations

from typing import Any

import yaml

INKER: dict[str, Any] = yaml.safe_load("""
format: 1
id: inker
name: Calligrapher
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
summons: {can: {name: Can, count: 2}}
tokens:
  ink: {name: Ink, place: unit, pool: 2, stacks: true, lasts: turn}
tiles:
  push: {name: Push, pool: 3, on_enter: [{move: {unit: unit, way: {away_from: me}}}]}
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

KITS = {"inker": INKER, "leaper": LEAPER, "floorer": FLOORER}
