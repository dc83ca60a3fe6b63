// Sections of the page of an identity: access with its origin, accounts, apps, owned objects,
// events and activities.
import { readAccessPaths, search } from '../api/search-api.ts';
import type { Document } from '../api/wire.ts';
import { printValue } from '../search/completion.ts';
import { firstText, valuesAt } from '../search/document-value.ts';
import { labelOf } from '../search/kinds.ts';
import { Empty } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import { column, columnsFrom, ElementTable, nameColumn } from './element-table.tsx';
import { Facts } from './facts.tsx';
import { Origin } from './origin.tsx';
import { Related } from './related.tsx';
import type { Section } from './section.ts';

/** The sections, in the order of the tabs. */
export function identitySections(identity: Document): Section[] {
  const id = printValue(firstText(identity, 'id'));
  const name = printValue(firstText(identity, 'name'));
  const owned = valuesAt(identity, 'owns').flatMap((owns) => valuesIn(owns));
  return [
    {
      name: 'access',
      label: 'Access',
      count: valuesAt(identity, 'access').length,
      Body: () => <Access of={identity} />,
    },
    {
      name: 'accounts',
      label: 'Accounts',
      count: valuesAt(identity, 'accounts').length,
      Body: () => <Accounts of={identity} />,
    },
    {
      name: 'apps',
      label: 'Apps',
      count: valuesAt(identity, 'apps').length,
      Body: () => <Apps of={identity} />,
    },
    { name: 'owns', label: 'Owns', count: owned.length, Body: () => <Owns of={identity} /> },
    {
      name: 'events',
      label: 'Events',
      Body: () => (
        <Related
          title="Events"
          index="events"
          query={`target.name.exact:${name} OR actor.name.exact:${name} OR attributes.targetId:${id}`}
        />
      ),
    },
    {
      name: 'activities',
      label: 'Activities',
      Body: () => (
        <Related
          title="Account activities"
          index="accountactivities"
          query={`recipient.id:${id} OR requester.id:${id}`}
        />
      ),
    },
  ];
}

const GROUPS = [
  { type: 'ROLE', title: 'Roles' },
  { type: 'ACCESS_PROFILE', title: 'Access profiles' },
  { type: 'ENTITLEMENT', title: 'Entitlements' },
];
const ACTIVITIES = 250;

function Access({ of }: { of: Document }) {
  const id = firstText(of, 'id');
  const { value: activities } = useLoad(id, async (signal) => {
    const query = { query: `recipient.id:${printValue(id)}` };
    const body = { indices: ['accountactivities'], query, sort: ['-created', 'id'] };
    return (await search(body, { limit: ACTIVITIES }, signal)).hits;
  });
  const { value: paths } = useLoad(id, (signal) => readAccessPaths(id, signal));
  const all = valuesAt(of, 'access');
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
  return <span class="chip chip-warn">Privileged</span>;
}

const FLAGS = ['disabled', 'locked', 'privileged', 'manuallyCorrelated'];

function Accounts({ of }: { of: Document }) {
  return (
    <ElementTable
      label="Accounts"
      elements={valuesAt(of, 'accounts')}
      columns={[
        column('Source', 'source'),
        column('Name', 'name'),
        column('Account ID', 'accountId'),
        {
          label: 'Status',
          cell: (account) =>
            FLAGS.filter((flag) => firstText(account, flag) === 'true').map((flag) => (
              <span key={flag} class={flag === 'privileged' ? 'chip chip-warn' : 'chip'}>
                {labelOf(flag)}
              </span>
            )),
        },
        column('Password last set', 'passwordLastSet'),
        column('Created', 'created'),
        { label: 'Attributes', cell: (account) => <AccountAttributes of={account} /> },
      ]}
    />
  );
}

function AccountAttributes({ of }: { of: unknown }) {
  const maps = [...valuesAt(of, 'accountAttributes'), ...valuesAt(of, 'entitlementAttributes')];
  const attributes: Document = Object.assign({}, ...maps);
  const count = Object.keys(attributes).length;
  if (count === 0) return <span class="quiet">–</span>;
  return (
    <details>
      <summary>{count}</summary>
      <Facts of={attributes} />
    </details>
  );
}

function Apps({ of }: { of: Document }) {
  const columns = [
    nameColumn('Name', 'apps'),
    column('Source', 'source'),
    column('Account', 'account.accountId'),
  ];
  return <ElementTable label="Apps" elements={valuesAt(of, 'apps')} columns={columns} />;
}

function Owns({ of }: { of: Document }) {
  const owned = valuesAt(of, 'owns').flatMap((owns) =>
    typeof owns === 'object' && owns !== null ? Object.entries(owns) : [],
  );
  const lists = owned.filter(([, list]) => Array.isArray(list) && list.length > 0);
  if (lists.length === 0) return <Empty icon="cards" title="Owns nothing" />;
  return (
    <>
      {lists.map(([member, list]) => (
        <section key={member} class="related">
          <h2>{labelOf(member)}</h2>
          <ElementTable
            label={labelOf(member)}
            elements={list}
            columns={columnsFrom(member, list)}
          />
        </section>
      ))}
    </>
  );
}

function valuesIn(owns: unknown): unknown[] {
  if (typeof owns !== 'object' || owns === null) return [];
  return Object.values(owns).filter(Array.isArray).flat();
}
