// The form of a tile: which search it shows, and how. The search is run before it is accepted, so
// that an error in the query is shown where it can be corrected.

import { useState } from 'preact/hooks';
import type { SearchDefinition } from '../../../../src/query/search-definition.ts';
import type { TileDefinition, TileKind } from '../../../api/dashboard.ts';
import { type ApiFault, asFault } from '../../../api/fault.ts';
import { listSavedSearches, type SavedSearch } from '../../../api/saved-searches-api.ts';
import { count } from '../../../api/search-api.ts';
import { KINDS } from '../../../model/kinds.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { useIsClosed } from '../../../ui/forms/use-is-closed.ts';
import { FaultNotice } from '../../../ui/notice.tsx';
import { useLoad } from '../../../ui/use-load.ts';
import { useUnsaved } from '../../../ui/use-unsaved.ts';
import { useFields } from '../../search/query/use-fields.ts';
import { bodyOf, indexOf } from '../tile/tile-search.ts';
import { DEFAULT_SIZE, dateFieldOf } from './own-tile.ts';

export interface TileFormProps {
  readonly tile: TileDefinition;
  readonly submit: string;
  /** Takes the tile. @returns what leaves the form */
  readonly onSubmit: (tile: TileDefinition) => Promise<() => void>;
  readonly onCancel: () => void;
}

const KIND_NAMES: readonly (readonly [kind: TileKind, name: string])[] = [
  ['number', 'Number'],
  ['values', 'Most frequent values'],
  ['time', 'Over time'],
  ['rows', 'First rows'],
];

/** A tile of nothing yet. */
export const NEW_TILE: TileDefinition = {
  ...{ title: '', kind: 'number', width: 1, savedSearchId: null, field: null, size: null },
  alarmAbove: null,
  search: {
    ...{ indices: ['identities'], query: '*', columns: {}, fields: null, sort: null },
    ...{ orderBy: null, filters: null },
  },
};

export function TileForm({ tile: initial, submit, onSubmit, onCancel }: TileFormProps) {
  const [tile, setTile] = useState(initial);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const release = useUnsaved(JSON.stringify(tile) !== JSON.stringify(initial));
  const { value: saved } = useLoad('saved searches', (signal) => listSavedSearches({}, signal));
  const change = (changed: Partial<TileDefinition>) => setTile({ ...tile, ...changed });
  const { search } = tile;
  const isClosed = useIsClosed();
  const finish = async () => {
    setBusy(true);
    setFault(null);
    try {
      if (search !== null) await count(bodyOf(search));
      if (isClosed.current) return;
      const leave = await onSubmit(accepted(tile));
      release();
      leave();
    } catch (error) {
      setFault(asFault(error));
    } finally {
      setBusy(false);
    }
  };
  const cancel = () => {
    release();
    onCancel();
  };
  return (
    <form
      class="tile-form"
      onSubmit={(event) => {
        event.preventDefault();
        void finish();
      }}
    >
      <SearchFields tile={tile} saved={saved ?? []} onChange={change} />
      <label class="field">
        Title
        <input
          value={tile.title ?? ''}
          maxLength={120}
          required={tile.savedSearchId === null}
          placeholder={tile.savedSearchId === null ? '' : (tile.savedSearchName ?? '')}
          onInput={({ currentTarget }) => change({ title: currentTarget.value })}
        />
      </label>
      <fieldset class="choice tile-kinds" aria-label="Show as">
        {KIND_NAMES.map(([kind, name]) => (
          <label class="choice-option" key={kind}>
            <input
              type="radio"
              name="kind"
              checked={tile.kind === kind}
              onChange={() =>
                change({ kind, width: kind === 'number' ? 1 : kind === 'values' ? 2 : 4 })
              }
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <KindFields tile={tile} onChange={change} />
      {fault !== null && <FaultNotice fault={fault} />}
      <div class="buttons">
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <Button type="submit" class="button button-main" disabled={search === null} isIdle={isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

type Change = (changed: Partial<TileDefinition>) => void;

/** A saved search, or an index and a query. */
function SearchFields({
  tile,
  saved,
  onChange,
}: {
  tile: TileDefinition;
  saved: readonly SavedSearch[];
  onChange: Change;
}) {
  const { savedSearchId, search } = tile;
  const choose = (id: string) => {
    const one = saved.find((candidate) => candidate.id === id);
    if (one !== undefined) onChange({ savedSearchId: id, savedSearchName: one.name, search: one });
    else
      onChange({ savedSearchId: null, savedSearchName: null, search: search ?? NEW_TILE.search });
  };
  const isListed = saved.some(({ id }) => id === savedSearchId);
  return (
    <>
      <label class="field">
        Search
        <select
          value={savedSearchId ?? ''}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="">Enter a search here</option>
          {savedSearchId !== null && !isListed && (
            <option value={savedSearchId}>
              {tile.savedSearchName ?? 'A deleted saved search'}
            </option>
          )}
          {saved.map(({ id, name }) => (
            <option key={id} value={id}>
              {name === '' ? id : name}
            </option>
          ))}
        </select>
      </label>
      {savedSearchId === null && search !== null && (
        <div class="tile-search">
          <label class="field">
            Documents
            <select
              value={indexOf(search)}
              onChange={({ currentTarget }) =>
                onChange({
                  search: { ...search, indices: [currentTarget.value], columns: {}, orderBy: null },
                })
              }
            >
              {KINDS.map(({ index, plural }) => (
                <option key={index} value={index}>
                  {plural}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            Query
            <input
              value={search.query}
              spellcheck={false}
              required
              onInput={({ currentTarget }) =>
                onChange({ search: { ...search, query: currentTarget.value } })
              }
            />
          </label>
          <Filters search={search} onChange={onChange} />
          <p class="quiet tile-filters">
            For filters and columns, use <em>Add to dashboard</em> on the search page.
          </p>
        </div>
      )}
    </>
  );
}

function Filters({ search, onChange }: { search: SearchDefinition; onChange: Change }) {
  const fields = Object.keys(search.filters ?? {});
  if (fields.length === 0) return null;
  return (
    <p class="quiet tile-filters">
      Filtered by {fields.join(', ')}{' '}
      <button
        type="button"
        class="link-button"
        onClick={() => onChange({ search: { ...search, filters: null } })}
      >
        Remove filters
      </button>
    </p>
  );
}

function KindFields({ tile, onChange }: { tile: TileDefinition; onChange: Change }) {
  const { kind, search } = tile;
  switch (kind) {
    case 'number':
      return (
        <NumberField
          label="Show in red above (optional)"
          value={tile.alarmAbove}
          range={[0, Number.MAX_SAFE_INTEGER]}
          onValue={(alarmAbove) => onChange({ alarmAbove })}
        />
      );
    case 'values':
      return (
        <>
          <FieldInput label="Field" tile={tile} onChange={onChange} isRequired />
          <NumberField
            label="Values"
            value={tile.size}
            placeholder={String(DEFAULT_SIZE)}
            range={[1, 50]}
            onValue={(size) => onChange({ size })}
          />
        </>
      );
    case 'time':
      return (
        <FieldInput
          label={`Date field (${search === null ? 'created' : dateFieldOf(search)} if empty)`}
          tile={tile}
          onChange={onChange}
        />
      );
    case 'rows':
      return (
        <NumberField
          label="Rows"
          value={tile.size}
          placeholder={String(DEFAULT_SIZE)}
          range={[1, 50]}
          onValue={(size) => onChange({ size })}
        />
      );
  }
}

function FieldInput({
  label,
  tile: { search, field, kind },
  isRequired = false,
  onChange,
}: {
  label: string;
  tile: TileDefinition;
  isRequired?: boolean;
  onChange: Change;
}) {
  const fields = useFields(search === null ? 'identities' : indexOf(search));
  const offered = kind === 'time' ? fields.filter(({ type }) => type === 'date') : fields;
  return (
    <label class="field">
      {label}
      <input
        value={field ?? ''}
        list="tile-fields"
        required={isRequired}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange({ field: currentTarget.value })}
      />
      <datalist id="tile-fields">
        {offered.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </label>
  );
}

function NumberField({
  label,
  value,
  placeholder = '',
  range: [min, max],
  onValue,
}: {
  label: string;
  value: number | null;
  /** What an empty field stands for. */
  placeholder?: string;
  range: readonly [min: number, max: number];
  onValue: (value: number | null) => void;
}) {
  return (
    <label class="field">
      {label}
      <input
        type="number"
        min={min}
        max={max}
        placeholder={placeholder}
        value={value ?? ''}
        onInput={({ currentTarget: { value: text, valueAsNumber } }) =>
          onValue(text === '' || Number.isNaN(valueAsNumber) ? null : valueAsNumber)
        }
      />
    </label>
  );
}

/** The tile without what its kind does not have. */
function accepted(tile: TileDefinition): TileDefinition {
  const { kind, title, field, size, alarmAbove } = tile;
  const hasField = kind === 'values' || kind === 'time';
  return {
    ...tile,
    title: title?.trim() || null,
    field: hasField ? field?.trim() || null : null,
    size: kind === 'values' || kind === 'rows' ? size : null,
    alarmAbove: kind === 'number' ? alarmAbove : null,
  };
}
