// The access of an identity, by type, each with how it was granted: the role and access profile that
// contain it, and the request that added it.
import { search } from '../api/search-api.ts';
import type { Document } from '../api/wire.ts';
import { firstText, instantText, valuesAt } from '../search/document-value.ts';
import { printValue } from '../search/query/completion.ts';
import { Empty } from '../ui/notice.tsx';
import { Status } from '../ui/status.tsx';
import { useLoad } from '../ui/use-load.ts';
import { column, ElementTable, nameColumn } from './element-table.tsx';
import { grantsOf, type HeldDocuments, heldIds } from './grants.ts';
import { provenanceOf } from './provenance.ts';
import { documentAddress } from './reference.ts';

const GROUPS = [
  { type: 'ROLE', title: 'Roles' },
  { type: 'ACCESS_PROFILE', title: 'Access profiles' },
  { type: 'ENTITLEMENT', title: 'Entitlements' },
];
const ACTIVITIES = 250;
/** Roles and access profiles that are loaded to explain grants. */
const HELD_MAX = 250;
const NOTHING_HELD: HeldDocuments = { roles: [], accessProfiles: [] };

export function Access({ of }: { of: Document }) {
  const id = firstText(of, 'id');
  const { value: activities } = useLoad(id, async (signal) => {
    const query = { query: `recipient.id:${printValue(id)}` };
    const body = { indices: ['accountactivities'], query, sort: ['-created', 'id'] };
    return (await search(body, { limit: ACTIVITIES }, signal)).hits;
  });
  const all = valuesAt(of, 'access');
  const { value: held } = useLoad(`held by ${id}`, (signal) => loadHeld(all, signal));
  if (all.length === 0) return <Empty icon="key" title="No access" />;
  const origin = {
    label: 'How it was granted',
    cell: (element: unknown) => (
      <Origin element={element} activities={activities ?? []} held={held ?? NOTHING_HELD} />
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

interface OriginProps {
  readonly element: unknown;
  readonly activities: readonly Document[];
  readonly held: HeldDocuments;
}

function Origin({ element, activities, held }: OriginProps) {
  const { origin, request } = provenanceOf(element, activities);
  const grants = grantsOf(element, held);
  if (grants.length === 0 && origin === '' && request === null) return <span class="quiet">–</span>;
  return (
    <>
      {grants.length === 0 && origin !== '' && <p>{origin}</p>}
      {grants.map((grant) => (
        <p key={grant.map(({ id }) => id).join(' ')}>
          {grant.map(({ index, id, name }, at) => (
            <span key={id}>
              {at > 0 && ' → '}
              <a href={documentAddress(index, id)}>{name}</a>
            </span>
          ))}
        </p>
      ))}
      {request !== null && (
        <p>
          <a href={documentAddress('accountactivities', request.activityId)}>
            Requested {instantText(request.created)}
          </a>{' '}
          by <a href={documentAddress('identities', request.requesterId)}>{request.requester}</a>
          {request.approvers.length > 0 && `, approved by ${request.approvers.join(', ')}`}
        </p>
      )}
    </>
  );
}

/** Loads the documents of the roles and access profiles that a person holds. */
async function loadHeld(access: readonly unknown[], signal: AbortSignal): Promise<HeldDocuments> {
  const load = async (index: 'roles' | 'accessprofiles', ids: readonly string[]) => {
    if (ids.length === 0) return [];
    const query = { query: `id:(${ids.slice(0, HELD_MAX).map(printValue).join(' OR ')})` };
    const includes = ['id', 'name', 'entitlements', 'accessProfiles'];
    const body = { indices: [index], query, queryResultFilter: { includes } };
    return (await search(body, { limit: HELD_MAX }, signal)).hits;
  };
  const [roles, accessProfiles] = await Promise.all([
    load('roles', heldIds(access, 'ROLE')),
    load('accessprofiles', heldIds(access, 'ACCESS_PROFILE')),
  ]);
  return { roles, accessProfiles };
}
