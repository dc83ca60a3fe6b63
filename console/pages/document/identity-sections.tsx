// Sections of the page of an identity: access with its origin, accounts, apps, owned objects,
// events and activities.

import { printValue } from '../../model/completion.ts';
import { firstText, valuesAt } from '../../model/document-value.ts';
import { labelOf } from '../../model/kinds.ts';
import type { Document } from '../../model/wire.ts';
import { Empty } from '../../ui/notice.tsx';
import { Status } from '../../ui/values/status.tsx';
import { Value } from '../../ui/values/value.tsx';
import { type Column, column, columnsFrom, ElementTable, nameColumn } from './element-table.tsx';
import { Facts } from './facts.tsx';
import { Access } from './identity-access.tsx';
import { Related } from './related.tsx';
import type { Section } from './section.ts';
import { accountStates, accountsByConcern, stateCounts } from './summary.ts';
import { TimelineSection } from './timeline-section.tsx';

/** The sections, in the order of the tabs. */
export function identitySections(identity: Document): Section[] {
  const id = printValue(firstText(identity, 'id'));
  const name = printValue(firstText(identity, 'name'));
  const events = `target.name.exact:${name} OR actor.name.exact:${name} OR attributes.targetId:${id}`;
  const activities = `recipient.id:${id} OR requester.id:${id}`;
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
      name: 'timeline',
      label: 'Timeline',
      about: ['events', 'accountactivities'],
      Body: () => <TimelineSection events={events} activities={activities} />,
    },
    {
      name: 'events',
      label: 'Events',
      about: ['events'],
      Body: () => <Related title="Events" index="events" query={events} />,
    },
    {
      name: 'activities',
      label: 'Activities',
      about: ['accountactivities'],
      Body: () => (
        <Related title="Account activities" index="accountactivities" query={activities} />
      ),
    },
  ];
}

function Accounts({ of }: { of: Document }) {
  const accounts = accountsByConcern(valuesAt(of, 'accounts'), Date.now());
  return (
    <>
      <div class="chips">
        {stateCounts(accounts, Date.now()).map(({ text, tone, count }) => (
          <Status key={text} word={`${count} ${text.toLowerCase()}`} tone={tone} />
        ))}
      </div>
      <ElementTable label="Accounts" elements={accounts} columns={ACCOUNT_COLUMNS} />
    </>
  );
}

const ACCOUNT_COLUMNS: readonly Column[] = [
  column('Source', 'source'),
  {
    label: 'State',
    cell: (account) => (
      <span class="chips">
        {accountStates(account, Date.now()).map(({ text, tone }) => (
          <Status key={text} word={text} tone={tone} />
        ))}
      </span>
    ),
  },
  { label: 'Account', cell: (account) => <AccountName of={account} /> },
  column('Last login', 'accountAttributes.lastLogin'),
  column('Password last set', 'passwordLastSet'),
  column('Created', 'created'),
  { label: 'Attributes', cell: (account) => <AccountAttributes of={account} /> },
];

/** The name, and the id on the source if it is another text. */
function AccountName({ of }: { of: unknown }) {
  const [name, id] = [firstText(of, 'name'), firstText(of, 'accountId')];
  return (
    <>
      <Value value={name || id} />
      {name !== '' && id !== '' && id !== name && (
        <p class="account-id quiet">
          <Value value={id} />
        </p>
      )}
    </>
  );
}

function AccountAttributes({ of }: { of: unknown }) {
  const maps = [...valuesAt(of, 'accountAttributes'), ...valuesAt(of, 'entitlementAttributes')];
  const attributes: Document = Object.assign({}, ...maps);
  const count = Object.keys(attributes).length;
  if (count === 0) return <span class="quiet">–</span>;
  return (
    <details>
      <summary aria-label={`${count} attributes`}>{count}</summary>
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
