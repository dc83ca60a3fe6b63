// The tiles of a user's dashboard, in four columns.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { SearchState } from '../../../model/search-state.ts';
import { Icon } from '../../../ui/icon.tsx';
import { TileView } from '../parts/tile-view.tsx';
import type { DraftTile } from './draft.ts';
import { ownTile, titleOf } from './own-tile.ts';

export function OwnTiles({
  tiles,
  span,
}: {
  tiles: readonly DraftTile[];
  span: SearchState['span'];
}) {
  return (
    <div class="own-tiles">
      {tiles.map((tile) => (
        <div class="own-tile" data-width={tile.definition.width} key={tile.key}>
          <OwnTile tile={tile} span={span} />
        </div>
      ))}
    </div>
  );
}

/** A tile, or that its saved search is missing. */
export function OwnTile({
  tile: { key, definition },
  span = null,
  children,
}: {
  tile: DraftTile;
  span?: SearchState['span'];
  children?: ComponentChildren;
}) {
  const tile = useMemo(() => ownTile(definition, key, span), [definition, key, span]);
  if (tile !== null) return <TileView tile={tile}>{children}</TileView>;
  const title = titleOf(definition);
  return (
    <section class="tile dashboard-tile" aria-label={title}>
      {children}
      <h2>{title}</h2>
      <p class="notice notice-plain">
        <Icon name="alert" size={16} />
        <span>The saved search was deleted, or its owner does not share it with you.</span>
      </p>
    </section>
  );
}
