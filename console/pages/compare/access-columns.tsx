// The access of two people in three columns: only one, both, only the other. Each is grouped by type
// and source.
import { useState } from 'preact/hooks';
import { referenceAddress } from '../../model/reference.ts';
import { Status } from '../../ui/values/status.tsx';
import type { AccessRow, Presence } from './comparison.ts';
import type { Names } from './comparison-csv.ts';
import { type PathsById, throughText } from './through-text.ts';

/** null: could not be read. */
export interface PathsOfBoth {
  readonly first: PathsById | null;
  readonly second: PathsById | null;
}

export interface AccessColumnsProps {
  readonly rows: readonly AccessRow[];
  /** All rows, for the counts. */
  readonly whole: readonly AccessRow[];
  readonly names: Names;
  readonly paths: PathsOfBoth;
}

const COLUMNS: readonly Presence[] = ['first', 'both', 'second'];
const TYPE_TITLES: Readonly<Record<string, string>> = {
  ROLE: 'Roles',
  ACCESS_PROFILE: 'Access profiles',
  ENTITLEMENT: 'Entitlements',
};

export function AccessColumns({ rows, whole, names, paths }: AccessColumnsProps) {
  const titles = { first: `Only ${names.first}`, both: 'Both', second: `Only ${names.second}` };
  return (
    <div class="compare-columns">
      {COLUMNS.map((presence) => {
        const own = rows.filter((row) => row.presence === presence);
        const all = whole.filter((row) => row.presence === presence);
        return (
          <section class="compare-column" key={presence} aria-label={titles[presence]}>
            <h3>
              {titles[presence]} <span class="quiet">{all.length}</span>
            </h3>
            {own.length === 0 && (
              <p class="quiet">{all.length === 0 ? 'Nothing' : 'Hidden: no difference'}</p>
            )}
            {groupsOf(own).map(([title, group]) => (
              <section key={title} aria-label={title}>
                <h4>{title}</h4>
                <AccessGroup rows={group} names={names} paths={paths} />
              </section>
            ))}
          </section>
        );
      })}
    </div>
  );
}

/** Rows of a group that are shown at first. */
const SHOWN_MAX = 12;

interface AccessGroupProps {
  readonly rows: readonly AccessRow[];
  readonly names: Names;
  readonly paths: PathsOfBoth;
}

function AccessGroup({ rows, names, paths }: AccessGroupProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || rows.length <= SHOWN_MAX + 2 ? rows : rows.slice(0, SHOWN_MAX);
  return (
    <>
      <ul>
        {shown.map((row) => (
          <AccessItem key={row.id} row={row} names={names} paths={paths} />
        ))}
      </ul>
      {shown.length < rows.length && (
        <button type="button" class="link-button" onClick={() => setWhole(true)}>
          Show {rows.length - shown.length} more
        </button>
      )}
    </>
  );
}

function AccessItem({ row, names, paths }: { row: AccessRow; names: Names; paths: PathsOfBoth }) {
  const address = referenceAddress('', row);
  return (
    <li>
      {address === null ? row.name : <a href={address}>{row.name}</a>}
      {row.privileged && <Status word="Privileged" tone="warn" />}
      {row.type !== 'ROLE' && <p class="quiet">{heldText(row, names, paths)}</p>}
    </li>
  );
}

/** How an item is held; for each person apart only if the two differ. */
function heldText({ id, presence }: AccessRow, names: Names, paths: PathsOfBoth): string {
  const textOf = (of: PathsById | null) => (of === null ? '' : throughText(of.get(id) ?? []));
  const [first, second] = [textOf(paths.first), textOf(paths.second)];
  if (presence !== 'both') return presence === 'first' ? first : second;
  return first === second ? first : `${names.first}: ${first}; ${names.second}: ${second}`;
}

/** Rows by type and source, in their order. */
function groupsOf(rows: readonly AccessRow[]): [title: string, rows: AccessRow[]][] {
  const groups = new Map<string, AccessRow[]>();
  for (const row of rows) {
    const type = TYPE_TITLES[row.type] ?? 'Other access';
    const title = row.source === '' ? type : `${type} on ${row.source}`;
    const group = groups.get(title);
    if (group === undefined) groups.set(title, [row]);
    else group.push(row);
  }
  return [...groups];
}
