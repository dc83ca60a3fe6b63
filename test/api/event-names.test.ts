// The names of events over HTTP: what acts write, and that a trail with names of earlier versions is
// found by either name and stays as it was written.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verifyAudit } from '../../src/service/audit/audit-verification.ts';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';
import { addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

interface Event {
  readonly id: string;
  readonly action: string;
  readonly type: string;
  readonly technicalName: string;
  readonly status: string;
}

async function searchable(): Promise<void> {
  const { status } = service.cardea.services;
  await status.waitUntilSearchable(await status.lastSequence(), 60_000);
}

async function search(body: object): Promise<{ events: Event[]; warning: string | null }> {
  await searchable();
  const sent = { indices: ['events'], sort: ['id'], ...body };
  const answer = await service.call('POST', '/v3/search?limit=250', sent);
  assert.equal(answer.status, 200);
  return { events: (await answer.json()) as Event[], warning: answer.headers.get('warning') };
}

const query = (text: string) => search({ query: { query: text } });
const PATCH = { 'content-type': 'application/json-patch+json' };
const post = (path: string, body: object) => service.call('POST', path, body);
const patch = (path: string, operations: object) => service.call('PATCH', path, operations, PATCH);
const idIn = async (answer: Response) => ((await answer.json()) as { id: string }).id;

const SEARCH = { name: 'named', indices: ['identities'], query: 'name:x' };
const CLIENT = {
  ...{ name: 'named', description: null, accessTokenValiditySeconds: 750 },
  ...{ grantTypes: ['CLIENT_CREDENTIALS'], accessType: 'ONLINE', enabled: true },
};
const schedule = (savedSearchId: string) => ({
  ...{ savedSearchId, recipients: [{ type: 'IDENTITY', id: service.adminId }] },
  schedule: { type: 'DAILY', hours: { type: 'LIST', values: ['3'] } },
});

/** Creates, changes and deletes a resource. */
async function threeActs(path: string, body: object, change: (at: string) => Promise<Response>) {
  const created = await post(path, body);
  const at = `${path}/${await idIn(created)}`;
  return [created, await change(at), await service.call('DELETE', at)];
}

const rename = (at: string) => patch(at, [{ op: 'replace', path: '/name', value: 'renamed' }]);

/** Adds a level to a new user, and takes it away. */
async function levels(level: string): Promise<Response[]> {
  const [id = ''] = await service.addAuthUsers(1);
  const path = `/v3/auth-users/${id}`;
  const given = await patch(path, [{ op: 'add', path: '/capabilities/-', value: level }]);
  const taken = await patch(path, [{ op: 'replace', path: '/capabilities', value: [] }]);
  return [given, taken];
}

type Acts = readonly [name: string, act: () => Promise<Response[]>, events: readonly string[]];

/** Levels that the public events name, and their names in them. */
const LEVEL_NAMES: readonly (readonly [level: string, name: string])[] = [
  ['ORG_ADMIN', 'ADMIN'],
  ...['CERT_ADMIN', 'HELPDESK', 'REPORT_ADMIN', 'ROLE_ADMIN', 'SOURCE_ADMIN'].map(
    (level) => [level, level] as const,
  ),
];

const acts: readonly Acts[] = [
  [
    'personal access tokens',
    () => threeActs('/v3/personal-access-tokens', { name: 'named' }, rename),
    [
      'AUTH PERSONAL_ACCESS_TOKEN_CREATED PERSONAL_ACCESS_TOKEN_CREATE_PASSED',
      'AUTH PERSONAL_ACCESS_TOKEN_UPDATED PERSONAL_ACCESS_TOKEN_MODIFY_PASSED',
      'AUTH PERSONAL_ACCESS_TOKEN_DELETED PERSONAL_ACCESS_TOKEN_DELETE_PASSED',
    ],
  ],
  [
    'API clients',
    () => threeActs('/v3/oauth-clients', CLIENT, rename),
    [
      'AUTH API_CLIENT_CREATED API_CLIENT_CREATE_PASSED',
      'AUTH API_CLIENT_UPDATED API_CLIENT_MODIFY_PASSED',
      'AUTH API_CLIENT_DELETED API_CLIENT_DELETE_PASSED',
    ],
  ],
  [
    'saved searches',
    () =>
      threeActs('/v2024/saved-searches', SEARCH, (at) =>
        service.call('PUT', at, { ...SEARCH, query: 'name:y' }),
      ),
    [
      'SYSTEM_CONFIG SAVED_SEARCH_CREATE_PASSED SAVED_SEARCH_CREATE_PASSED',
      'SYSTEM_CONFIG SAVED_SEARCH_UPDATE_PASSED SAVED_SEARCH_UPDATE_PASSED',
      'SYSTEM_CONFIG SAVED_SEARCH_DELETE_PASSED SAVED_SEARCH_DELETE_PASSED',
    ],
  ],
  [
    'scheduled searches',
    async () => {
      const saved = await idIn(await post('/v2024/saved-searches', SEARCH));
      return threeActs('/v2024/scheduled-searches', schedule(saved), (at) =>
        service.call('PUT', at, { ...schedule(saved), name: 'renamed' }),
      );
    },
    [
      'SYSTEM_CONFIG SUBSCRIPTION_CREATE_PASSED SUBSCRIPTION_CREATE_PASSED',
      'SYSTEM_CONFIG SUBSCRIPTION_UPDATE_PASSED SUBSCRIPTION_UPDATE_PASSED',
      'SYSTEM_CONFIG SUBSCRIPTION_DELETE_PASSED SUBSCRIPTION_DELETE_PASSED',
    ],
  ],
  ...LEVEL_NAMES.map(
    ([level, name]): Acts => [
      `the level ${level}`,
      () => levels(level),
      [
        'USER_MANAGEMENT CAPABILITY_UPDATE_EVENT AUTH_USER_MODIFY_PASSED',
        `USER_MANAGEMENT USER_${name}_GRANT USER_ROLE_${name}_GRANT_PASSED`,
        'USER_MANAGEMENT CAPABILITY_UPDATE_EVENT AUTH_USER_MODIFY_PASSED',
        `USER_MANAGEMENT USER_${name}_REVOKE USER_ROLE_${name}_REVOKE_PASSED`,
      ],
    ],
  ),
  [
    'a level without a name of its own',
    () => levels('CLOUD_GOV_USER'),
    [
      'USER_MANAGEMENT CAPABILITY_UPDATE_EVENT AUTH_USER_MODIFY_PASSED',
      'USER_MANAGEMENT CAPABILITY_UPDATE_EVENT AUTH_USER_MODIFY_PASSED',
    ],
  ],
  [
    'the deletion of an auth user',
    async () => {
      const [id = ''] = await service.addAuthUsers(1);
      return [await service.call('DELETE', `/admin/v1/auth-users/${id}`)];
    },
    ['USER_MANAGEMENT USER_DELETE AUTH_USER_DELETE_PASSED'],
  ],
  [
    'roles of profile management, which are not those of the public events',
    async () => [await post('/api/roles', { roles: [{ name: 'named' }] })],
    ['PROFILE_MANAGEMENT CreateNeRole NE_ROLE_CREATE_PASSED'],
  ],
];

describe('acts write events under the public names:', () => {
  for (const [name, act, expected] of acts) {
    test(name, async () => {
      const written: string[] = [];
      for (const answer of await act()) {
        assert.ok(answer.ok, `${answer.status} ${answer.url}`);
        const { events } = await query(
          `attributes.requestId:${answer.headers.get('slpt-request-id')}`,
        );
        written.push(
          ...events.map((one) => `${one.type} ${one.action} ${one.technicalName}`).sort(),
        );
      }
      // The change of levels and the level itself are one transaction, in no order.
      assert.deepEqual(written.sort(), [...expected].sort());
    });
  }

  test('token requests', async () => {
    const user = await addUser(service, {});
    await user.call('GET', `/v3/auth-users/${user.userId}`);
    const { events } = await query(`action:PERSONAL_ACCESS_TOKEN_USED AND target.name:*`);
    assert.ok(events.length > 0);
    for (const event of events) {
      assert.deepEqual(
        [event.type, event.technicalName],
        ['AUTH', 'AUTHENTICATION_REQUEST_PASSED'],
      );
    }
  });
});

/** An event as an earlier version wrote it. */
function formerEvent(n: number, members: object): StoredDocument {
  const id = `former${n}`.padEnd(32, '0');
  const created = '2025-01-01T00:00:00.000Z';
  const root = {
    ...{ id, created, synced: created, name: 'Former', type: 'AUTH', operation: 'CREATE' },
    ...{ status: 'PASSED', actor: { name: 'a' }, target: { name: 'former' }, trackingNumber: id },
    ...{ stack: 'cardea', attributes: { actorId: 'a' }, ...members },
  };
  const text = new TextEncoder().encode(JSON.stringify(root));
  return { index: 'events', id, root: text, nested: new Uint8Array(0) };
}

describe('a trail that an earlier version wrote', () => {
  before(async () => {
    const events = [
      formerEvent(1, { action: 'CreateApiClient', technicalName: 'API_CLIENT_CREATE_PASSED' }),
      formerEvent(2, { action: 'ModifySavedSearch', technicalName: 'SAVED_SEARCH_MODIFY_PASSED' }),
      formerEvent(3, { action: 'RequestToken', technicalName: 'AUTHENTICATION_REQUEST_PASSED' }),
    ];
    const { store } = service.cardea;
    await store.write((records) => records.appendAuditEvents(service.tenantId, events));
    await post('/v3/oauth-clients', CLIENT);
    const id = await idIn(await post('/v2024/saved-searches', SEARCH));
    await service.call('PUT', `/v2024/saved-searches/${id}`, { ...SEARCH, query: 'name:z' });
  });

  const field = (name: string, value: string) => ({
    queryType: 'DSL',
    queryDsl: { match: { [name]: value } },
  });
  const filtered = (value: string) => ({
    query: { query: '*' },
    filters: { action: { type: 'TERMS', terms: [value] } },
  });
  const forms: readonly (readonly [string, (name: string) => object])[] = [
    ['a query', (name) => ({ query: { query: `action:${name}` } })],
    ['an exact value', (name) => ({ query: { query: `action.exact:"${name}"` } })],
    ['a filter', filtered],
    ['the query DSL', (name) => field('action', name)],
    ['words without a field', (name) => ({ query: { query: name } })],
  ];
  for (const [form, body] of forms) {
    test(`is found by either name in ${form}, with a warning for the former one`, async () => {
      const before = await search(body('CreateApiClient'));
      const now = await search(body('API_CLIENT_CREATED'));
      assert.deepEqual(before.events, now.events);
      const actions = new Set(before.events.map(({ action }) => action));
      assert.deepEqual([...actions].sort(), ['API_CLIENT_CREATED', 'CreateApiClient']);
      assert.match(String(before.warning), /CreateApiClient.*API_CLIENT_CREATED/);
      assert.equal(now.warning, null);
    });
  }

  test('is found by either technical name', async () => {
    const before = await query('technicalName:SAVED_SEARCH_MODIFY_PASSED');
    const now = await query('technicalName:SAVED_SEARCH_UPDATE_PASSED');
    assert.deepEqual(before.events, now.events);
    assert.ok(before.events.some(({ action }) => action === 'ModifySavedSearch'));
    assert.ok(before.events.some(({ action }) => action === 'SAVED_SEARCH_UPDATE_PASSED'));
  });

  test('is counted, aggregated and listed as rows by either name', async () => {
    const { events } = await query('action:RequestToken');
    const body = { indices: ['events'], query: { query: 'action:RequestToken' } };
    const counted = await post('/v3/search/count', body);
    assert.equal(counted.headers.get('x-total-count'), String(events.length));
    assert.match(String(counted.headers.get('warning')), /PERSONAL_ACCESS_TOKEN_USED/);
    const filter = { term: { action: 'RequestToken' } };
    const aggregated = await post('/v3/search/aggregate', {
      indices: ['events'],
      aggregationsDsl: { sign_ins: { filter } },
    });
    const { aggregations } = (await aggregated.json()) as {
      aggregations: { sign_ins: { doc_count: number } };
    };
    assert.equal(aggregations.sign_ins.doc_count, events.length);
    const rows = await service.call('POST', '/v3/search/rows', body, { accept: 'text/csv' });
    assert.equal((await rows.text()).trim().split('\n').length - 1, events.length);
  });

  test('stays as it was written, and verifies', async () => {
    const { store } = service.cardea;
    const { faults } = await verifyAudit(store.read, service.tenantId, []);
    assert.deepEqual(faults, []);
    const [former] = (await query('target.name:former AND action:CreateApiClient')).events;
    assert.equal(former?.action, 'CreateApiClient');
  });
});
