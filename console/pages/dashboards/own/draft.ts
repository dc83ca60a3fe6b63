// A dashboard while it is edited. Nothing is sent before it is saved as a whole.
// Invariant: the key of a tile stays the same while it is moved and changed.
import type { Dashboard, DashboardDefinition, TileDefinition } from '../../../api/dashboard.ts';

export interface DraftTile {
  readonly key: number;
  readonly definition: TileDefinition;
}

export interface Draft {
  readonly name: string;
  readonly shared: boolean;
  readonly tiles: readonly DraftTile[];
  readonly nextKey: number;
}

export function draftOf({ name, shared, tiles }: DashboardDefinition): Draft {
  return {
    ...{ name, shared, nextKey: tiles.length },
    tiles: tiles.map((definition, key) => ({ key, definition })),
  };
}

/** What is sent of a draft. */
export function definitionOf({ name, shared, tiles }: Draft): DashboardDefinition {
  return { name: name.trim(), shared, tiles: tiles.map(({ definition }) => definition) };
}

/** True if a draft of a dashboard would change it. */
export function isChanged(draft: Draft, dashboard: DashboardDefinition): boolean {
  const saved = definitionOf(draftOf(dashboard));
  return JSON.stringify(definitionOf(draft)) !== JSON.stringify(saved);
}

/** Moves a tile to a position; a position beyond the ends is the end. */
export function moveTile(draft: Draft, key: number, position: number): Draft {
  const tile = draft.tiles.find((one) => one.key === key);
  if (tile === undefined) return draft;
  const others = draft.tiles.filter((one) => one !== tile);
  const at = Math.min(Math.max(position, 0), others.length);
  return { ...draft, tiles: [...others.slice(0, at), tile, ...others.slice(at)] };
}

/** Replaces the definition of a tile, or adds a tile for the key null. */
export function putTile(draft: Draft, key: number | null, definition: TileDefinition): Draft {
  if (key === null) {
    const tile = { key: draft.nextKey, definition };
    return { ...draft, tiles: [...draft.tiles, tile], nextKey: draft.nextKey + 1 };
  }
  const tiles = draft.tiles.map((tile) => (tile.key === key ? { key, definition } : tile));
  return { ...draft, tiles };
}

export function removeTile(draft: Draft, key: number): Draft {
  return { ...draft, tiles: draft.tiles.filter((tile) => tile.key !== key) };
}

/**
 * A copy of the dashboard of another user: its tiles have the searches that they show, since the
 * saved searches stay those of their owner.
 */
export function copyOf({ name, tiles }: Dashboard): DashboardDefinition {
  return {
    name: `Copy of ${name}`.slice(0, 120),
    shared: false,
    tiles: tiles.flatMap((tile) =>
      tile.search === null
        ? []
        : [{ ...tile, savedSearchId: null, title: tile.title ?? tile.savedSearchName ?? name }],
    ),
  };
}
