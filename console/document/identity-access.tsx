// The access of an identity, by type, each with how it was granted: the role and access profile that
// contain it, and the request that added it.
import { readAccessPaths, search } from '../api/search-api.ts';
import type { Document } from '../api/wire.ts';
import { firstText, valuesAt } from '../search/document-value.ts';
import { printValue } from '../search/query/completion.ts';
import { Empty } from '../ui/notice.tsx';
import { Status } from '../ui/status.tsx';
import { useLoad } from '../ui/use-load.ts';
import { column, ElementTable, nameColumn } from './element-table.tsx';
import { Origin } from './origin.tsx';

const GROUPS = [
  { type: 'ROLE', title: 'Roles' },
  { type: 'ACCESS_PROFILE', title: 'Access profiles' },
  { type: 'ENTITLEMENT', title: 'Entitlements' },
];
const ACTIVITIES = 250;

export function Access({ of }: { of: Document }) {
  const id = firstText(of, 'id');
  const { value: activities } = useLoad(id, async (signal) => {
    const query = { query: `recipient.id:${printValue(id)}` };
    const body = { indices: ['accountactivities'], query, sort: ['-created', 'id'] };
    return (await search(body, { limit: ACTIVITIES }, signal)).hits;
  });
  const all = valuesAt(of, 'access');
  const { value: paths } = useLoad(id, (signal) => readAccessPaths(id, signal));
  if (all.length === 0) return <Empty icon="key" title="No access" />;
  const origin = {
    label: 'How it was granted',
    cell: (element: unknown) => (
      <Origin element={element} activities={activities ?? []} paths={paths} />
    ),
  };
  const name = nameColumn('Name', 'access');
  const nameWithFlag = {
    ...name,
    cell: (element: unknown) => (
      <>
        {name.cell(element)} {firstText(element, 'privileged') === 'true' && <Privileged />}
      </>
    ),
  };
  return (
    <>
      {GROUPS.map(({ type, title }) => {
        const elements = all.filter((element) => firstText(element, 'type').toUpperCase() === type);
        if (elements.length === 0) return null;
        const source = type === 'ROLE' ? [] : [column('Source', 'source')];
        return (
          <section key={type} class="related">
            <h2>
              {title} <span class="quiet">{elements.length}</span>
            </h2>
            <ElementTable
              label={title}
              elements={elements}
              columns={[
                nameWithFlag,
                column('Description', 'description'),
                ...source,
                ...(type === 'ENTITLEMENT' ? [] : [column('Owner', 'owner')]),
                ...(type === 'ROLE' ? [] : [origin]),
              ]}
            />
          </section>
        );
      })}
    </>
  );
}

function Privileged() {
  return <Status word="Privileged" tone="warn" />;
}
