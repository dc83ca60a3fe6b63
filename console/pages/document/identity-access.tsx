// The access of an identity: as a graph, or as tables by type. The tables say how each element was
// granted: the role and access profile that contain it, and the request that added it.
import { readAccessPaths, search } from '../../api/search-api.ts';
import { printValue } from '../../model/completion.ts';
import { firstText, valuesAt } from '../../model/document-value.ts';
import { documentAddress } from '../../model/reference.ts';
import type { Document } from '../../model/wire.ts';
import { Empty } from '../../ui/notice.tsx';
import { replace } from '../../ui/route.ts';
import { useLoad } from '../../ui/use-load.ts';
import { useMedia } from '../../ui/use-media.ts';
import { useRoute } from '../../ui/use-route.ts';
import { Status } from '../../ui/values/status.tsx';
import { column, ElementTable, nameColumn } from './element-table.tsx';
import { GraphSection } from './graph-section.tsx';
import { Origin } from './origin.tsx';

const GROUPS = [
  { type: 'ROLE', title: 'Roles' },
  { type: 'ACCESS_PROFILE', title: 'Access profiles' },
  { type: 'ENTITLEMENT', title: 'Entitlements' },
];
const ACTIVITIES = 250;
/** Windows in which the graph fits beside the navigation. */
const WIDE = '(min-width: 1000px)';
type View = 'graph' | 'table';

/** The access of an identity. The address has the view once it was chosen. */
export function Access({ of }: { of: Document }) {
  const chosen = useRoute().parameters.get('view');
  const isWide = useMedia(WIDE);
  if (valuesAt(of, 'access').length === 0) return <Empty icon="key" title="No access" />;
  const view = chosen === 'graph' || chosen === 'table' ? chosen : isWide ? 'graph' : 'table';
  const address = documentAddress('identities', firstText(of, 'id'));
  const choose = (to: View) => replace(`${address}?tab=access&view=${to}`);
  return (
    <>
      <fieldset class="choice access-views">
        <legend class="unseen">Show access as</legend>
        <ViewOption label="Graph" isChosen={view === 'graph'} onChoose={() => choose('graph')} />
        <ViewOption label="Table" isChosen={view === 'table'} onChoose={() => choose('table')} />
      </fieldset>
      {view === 'graph' ? (
        <GraphSection index="identities" document={of} />
      ) : (
        <AccessTables of={of} />
      )}
    </>
  );
}

interface ViewOptionProps {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function ViewOption({ label, isChosen, onChoose }: ViewOptionProps) {
  return (
    <label class="choice-option">
      <input type="radio" name="access-view" checked={isChosen} onChange={onChoose} />
      <span>{label}</span>
    </label>
  );
}

function AccessTables({ of }: { of: Document }) {
  const id = firstText(of, 'id');
  const { value: activities } = useLoad(id, async (signal) => {
    const query = { query: `recipient.id:${printValue(id)}` };
    const body = { indices: ['accountactivities'], query, sort: ['-created', 'id'] };
    return (await search(body, { limit: ACTIVITIES }, signal)).hits;
  });
  const isPrivileged = (element: unknown) => firstText(element, 'privileged') === 'true';
  // Privileged elements first; the order of the document otherwise.
  const all = [...valuesAt(of, 'access')].sort(
    (one, other) => Number(isPrivileged(other)) - Number(isPrivileged(one)),
  );
  const { value: paths } = useLoad(id, (signal) => readAccessPaths(id, signal));
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
        {name.cell(element)} {isPrivileged(element) && <Privileged />}
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
                ...source,
                ...(type === 'ROLE' ? [] : [origin]),
                column('Description', 'description'),
                ...(type === 'ENTITLEMENT' ? [] : [column('Owner', 'owner')]),
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
