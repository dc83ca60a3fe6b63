// Adds a search of the search page to a dashboard, an existing one or a new one.
import { useMemo, useState } from 'preact/hooks';
import type { TileDefinition } from '../../../api/dashboard.ts';
import {
  createDashboard,
  getDashboard,
  listDashboards,
  replaceDashboard,
} from '../../../api/dashboards-api.ts';
import { kindOf } from '../../../model/kinds.ts';
import { readSearch } from '../../../model/search-state.ts';
import { FaultNotice, Waiting } from '../../../ui/notice.tsx';
import type { PageProps } from '../../../ui/page-props.ts';
import { go, whileHere } from '../../../ui/route.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { searchOf } from '../tile/tile-search.ts';
import { NEW_TILE, TileForm } from './tile-form.tsx';

const NEW = '';

/** `search` in the address is that of the search page, as it prints it. */
export function AddTilePage({ route }: PageProps) {
  const { value: all, fault, reload } = useLoad('dashboards', listDashboards);
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const address = route.parameters.get('search') ?? '';
  const state = useMemo(() => stateIn(address), [address]);
  const tile: TileDefinition = { ...NEW_TILE, title: titleFor(state), search: searchOf(state) };
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (all === undefined) return <Waiting />;
  const changeable = all.filter(({ mayChange }) => mayChange);
  const target = chosen ?? changeable[0]?.id ?? NEW;
  const add = async (definition: TileDefinition) => {
    const goOn = whileHere(go);
    if (target === NEW) {
      const tiles = [definition];
      const { dashboard } = await createDashboard({
        name: name.trim() || 'My dashboard',
        shared: false,
        tiles,
      });
      return () => goOn(`/dashboard/${dashboard.id}`);
    }
    const { dashboard, etag } = await getDashboard(target);
    await replaceDashboard(target, { ...dashboard, tiles: [...dashboard.tiles, definition] }, etag);
    return () => goOn(`/dashboard/${target}`);
  };
  return (
    <div class="page dashboards dashboard-add">
      <h1>Add to a dashboard</h1>
      <div class="tile tile-form">
        <label class="field">
          Dashboard
          <select value={target} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {changeable.map((dashboard) => (
              <option key={dashboard.id} value={dashboard.id}>
                {dashboard.name}
              </option>
            ))}
            <option value={NEW}>New dashboard</option>
          </select>
        </label>
        {target === NEW && (
          <label class="field">
            Name of the dashboard
            <input
              value={name}
              maxLength={120}
              placeholder="My dashboard"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </label>
        )}
        <TileForm
          tile={tile}
          submit="Add to the dashboard"
          onSubmit={add}
          onCancel={() => go(address === '' ? '/search' : address)}
        />
      </div>
    </div>
  );
}

/** Reads `/search/identities?q=…`. */
function stateIn(address: string) {
  const [path = '', parameters = ''] = address.split('?');
  return readSearch(path.split('/')[2] ?? '', new URLSearchParams(parameters));
}

/** A title for the user to change. */
function titleFor({ index, query }: ReturnType<typeof readSearch>): string {
  return query === '' ? kindOf(index).plural : query.slice(0, 60);
}
