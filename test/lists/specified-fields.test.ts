// suite: slow
// Every filter field with every operator, every sorter and every parameter that the public specification
// or its prose names for a list (test/data/list-fields.json): under every version the rows of the demo
// company are those of a naive evaluation, and sorters give the same order.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { fold } from '../../src/query/analysis/fold.ts';
import { type RunningService, startService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: objects of all lists
type Listed = Readonly<Record<string, any>>;

interface Specified {
  readonly filters: Readonly<Record<string, string>>;
  readonly sorters: string;
  readonly parameters: string;
}

const LISTS: Readonly<Record<string, Specified>> = JSON.parse(
  readFileSync('test/data/list-fields.json', 'utf8'),
);
const SPECIFICATIONS = '../shared/contract/openapi';

const DOCUMENTS = [
  ...demoDocuments({ seed: 3, identities: 60, now: Date.UTC(2026, 10, 28) }),
] as unknown as readonly Listed[];
const documentOf = new Map(DOCUMENTS.map((document) => [document['id'], document]));
const PEOPLE = DOCUMENTS.filter(({ _type }) => _type === 'identity');
const heldRoles = PEOPLE.flatMap(({ access }) => access).filter(({ type }) => type === 'ROLE');
/** Objects that have what is listed below them. */
const IDS: Readonly<Record<string, string>> = {
  '/roles': heldRoles.find(({ id }) => documentOf.get(id)?.['entitlements']?.length > 0).id,
  '/access-profiles': DOCUMENTS.find(
    ({ _type, entitlements = [] }) => _type === 'accessprofile' && entitlements.length > 0,
  )?.['id'],
  '/accounts': PEOPLE.flatMap(({ accounts }) => accounts).find(
    ({ entitlementAttributes = {} }) => Object.values(entitlementAttributes).flat().length > 0,
  ).id,
};

/** Where an object has the value of a field, if not at the path of the same name. */
type Values = Readonly<Record<string, (object: Listed) => unknown>>;

const document = (member: string) => (object: Listed) => documentOf.get(object['id'])?.[member];
const PERSON: Values = { firstname: document('firstName'), lastname: document('lastName') };
/** Sorted as the service documents it: by the first place of the value alone. */
const VALUES: Readonly<Record<string, Values>> = {
  '/accounts': {
    'source.displayableName': ({ sourceName }) => sourceName,
    'identity.correlated': () => true,
    'identity.identityState': ({ identityId }) =>
      documentOf.get(identityId)?.['attributes']?.identityState,
    entitlements: ({ id, identityId }) => {
      const { accounts } = documentOf.get(identityId) as Listed;
      const account = accounts.find((each: Listed) => each['id'] === id);
      return Object.values(account.entitlementAttributes ?? {}).flat()[0];
    },
  },
  '/identities': {
    ...PERSON,
    uid: ({ alias }) => alias,
    email: ({ emailAddress }) => emailAddress,
    cloudStatus: ({ identityStatus }) => identityStatus,
    correlated: () => true,
    protected: document('protected'),
  },
  '/public-identities': PERSON,
  '/entitlements': { type: ({ sourceSchemaObjectType }) => sourceSchemaObjectType },
};
/** Fields that no document of the demo has: they match with isnull and ne alone, and do not sort. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  '/accounts': ['modified', 'origin', 'uuid', 'recommendation.method', 'sourceOwner.name'],
  '/entitlements': ['owner.id'],
  '/sources': Object.keys(LISTS['/sources']?.filters ?? {})
    .concat(LISTS['/sources']?.sorters.split(' ') ?? [])
    .filter((name) => !['id', 'name', 'type', 'authoritative'].includes(name)),
};
const ALSO_ABSENT = ['source.authoritative', 'source.connectionType'];

const ACTIVITY = DOCUMENTS.find(
  ({ _type, requester, recipient }) =>
    _type === 'accountactivity' && requester?.id !== recipient?.id,
) as Listed;
const REQUESTER: string = ACTIVITY['requester'].id;
const RECIPIENT: string = ACTIVITY['recipient'].id;
const names = (member: string, id: string) => (object: Listed) =>
  documentOf.get(object['id'])?.[member]?.id === id;

/** A value of each parameter, and whether an object of the list has a row with it. */
const PARAMETERS: Readonly<
  Record<string, readonly [value: string, isListed: (object: Listed) => boolean]>
> = {
  detailLevel: ['SLIM', () => true],
  defaultFilter: ['CORRELATED_ONLY', () => true],
  'add-core-filters': [
    'true',
    ({ id, alias, email }) =>
      ![alias ?? null, email, documentOf.get(id)?.['lastName'] ?? null].includes(null),
  ],
  'for-segment-ids': ['a,b', ({ segments = [] }) => segments.length === 0],
  'include-unsegmented': ['true', () => true],
  'segmented-for-identity': ['me', ({ segments = [] }) => segments.length === 0],
  'requested-for': [RECIPIENT, names('recipient', RECIPIENT)],
  'requested-by': [REQUESTER, names('requester', REQUESTER)],
  'regarding-identity': [
    REQUESTER,
    (object) => names('requester', REQUESTER)(object) || names('recipient', REQUESTER)(object),
  ],
  includeIDNSource: ['false', ({ name }) => name !== 'IdentityNow'],
  type: ['appRequest', ({ type }) => type === 'appRequest'],
  'account-id': [IDS['/accounts'] ?? '', ({ id }) => ENTITLED.has(id)],
  'owner-id': ['me', ({ owner }) => owner.id === service.adminId],
};
/** The entitlements of that account. */
const ENTITLED = new Set<string>();
/** Parameters that say why they are refused (docs/differences.md). */
const REFUSED = ['for-subadmin'];

/** The largest page of every list. */
const PAGE = 50;

let service: RunningService;
before(async () => {
  service = await startService();
  const administrator = {
    _type: 'identity',
    id: service.adminId,
    name: 'administrator',
    displayName: 'Administrator',
  };
  documentOf.set(service.adminId, administrator);
  await service.addDocuments([...DOCUMENTS, administrator] as Record<string, unknown>[]);
  await addResources();
  const path = pathOf('/accounts/{id}/entitlements');
  for (const { id } of await allOf('/accounts/{id}/entitlements')) ENTITLED.add(id);
  assert.ok(ENTITLED.size > 0, path);
});

/** Adds what the demo company has no documents of: credentials, saved and scheduled searches. */
async function addResources(): Promise<void> {
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await service.call('POST', `/v3${path}`, body);
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return JSON.parse(text).id;
  };
  const schedule = { type: 'DAILY', hours: { type: 'LIST', values: ['3'] } };
  const recipients = [{ type: 'IDENTITY', id: service.adminId }];
  for (const name of ['one', 'two', 'three']) {
    await post('/personal-access-tokens', { name, scope: [] });
    await post('/oauth-clients', { name, grantTypes: ['CLIENT_CREDENTIALS'] });
    const search = { name, indices: ['roles'], query: 'name:a' };
    const savedSearchId = await post('/saved-searches', search);
    await post('/scheduled-searches', { savedSearchId, recipients, schedule });
  }
}
after(() => service.stop());

async function get(path: string, parameters: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  return service.call('GET', `${path}?${query}`);
}

function pathOf(list: string): string {
  const [area = ''] = list.split('/{id}');
  return list.replace('{id}', IDS[area] ?? '');
}

/** The paths of a list: under every version, and with the version behind the area. */
function pathsOf(list: string): string[] {
  const [, area = '', rest = ''] = /^(\/[\w-]+)(.*)$/.exec(pathOf(list)) ?? [];
  return publicPrefixes(area).map((prefix) => prefix + rest);
}

async function allOf(list: string, parameters: Record<string, string> = {}): Promise<Listed[]> {
  const objects: Listed[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = { ...parameters, limit: String(PAGE), offset: String(offset) };
    const answer = await get(`/v3${pathOf(list)}`, page);
    assert.equal(answer.status, 200, JSON.stringify(parameters));
    const read = (await answer.json()) as Listed[];
    objects.push(...read);
    if (read.length < PAGE) return objects;
  }
}

const idsOf = (objects: readonly Listed[]) => objects.map(({ id }) => id);

/** Fails unless a list has these rows, in their order, and says nothing about the request. */
async function hasRows(
  path: string,
  parameters: Record<string, string>,
  expected: readonly Listed[],
): Promise<void> {
  const sent = `${path} ${JSON.stringify(parameters)}`;
  const answer = await get(path, { ...parameters, count: 'true', limit: String(PAGE) });
  assert.equal(answer.status, 200, `${sent}: ${await answer.clone().text()}`);
  assert.equal(answer.headers.get('x-total-count'), String(expected.length), sent);
  const rows = (await answer.json()) as Listed[];
  assert.deepEqual(idsOf(rows), idsOf(expected.slice(0, PAGE)), sent);
  assert.equal(answer.headers.get('warning'), null, sent);
}

function heldBy(list: string, object: Listed, field: string): unknown {
  if (ABSENT[list]?.includes(field) || ALSO_ABSENT.includes(field)) return null;
  const own = VALUES[list]?.[field];
  if (own !== undefined) return own(object) ?? null;
  let value: unknown = object;
  for (const name of field.split('.')) value = (value as Listed | null | undefined)?.[name];
  return value ?? null;
}

const DATES = ['created', 'modified', 'lastUsed'];
const FLAGS = [
  ...['hasEntitlements', 'uncorrelated', 'manuallyCorrelated', 'identity.correlated', 'healthy'],
  ...['source.authoritative', 'correlated', 'protected', 'requestable', 'dimensional'],
  'authoritative',
];

/** The value in the form in which it is compared. */
function comparable(field: string, value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'boolean') return value;
  return DATES.includes(field) ? Date.parse(String(value)) : fold(String(value));
}

function holds(field: string, operator: string, held: unknown, operand: unknown): boolean {
  const [one, other] = [comparable(field, held), comparable(field, operand)];
  if (operator === 'isnull') return one === null;
  if (operator === 'ne') return one === null || one !== other;
  if (one === null || other === null) return false;
  const difference = order(one, other);
  switch (operator) {
    case 'eq':
    case 'in':
      return difference === 0;
    case 'sw':
      return String(held).toLowerCase().startsWith(String(operand).slice(0, 4).toLowerCase());
    case 'co':
      return String(one).includes(String(other).slice(1, 4));
    case 'gt':
      return difference > 0;
    case 'ge':
      return difference >= 0;
    case 'lt':
      return difference < 0;
    case 'le':
      return difference <= 0;
    default:
      return false;
  }
}

function order(one: string | number | boolean, other: string | number | boolean): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return Number(one) - Number(other);
}

/** The comparison as it is sent: text in upper case, so far as that is the same without case. */
function written(field: string, operator: string, operand: unknown): string {
  if (operator === 'isnull') return `${field} isnull`;
  if (FLAGS.includes(field)) return `${field} ${operator} ${operand}`;
  const text = String(operand);
  const upper = fold(text.toUpperCase()) === fold(text) ? text.toUpperCase() : text;
  const part =
    operator === 'sw' ? upper.slice(0, 4) : operator === 'co' ? upper.slice(1, 4) : upper;
  const quoted = JSON.stringify(
    DATES.includes(field) && operator === 'sw' ? text.slice(0, 4) : part,
  );
  return `${field} ${operator} ${operator === 'in' || operator === 'ca' ? `(${quoted})` : quoted}`;
}

function operandOf(list: string, objects: readonly Listed[], field: string): unknown {
  const values = objects.map((object) => heldBy(list, object, field));
  const held = values.filter((value) => value !== null);
  if (held.length > 0) return held[held.length >> 1];
  return FLAGS.includes(field) ? true : DATES.includes(field) ? '2026-01-01T00:00:00Z' : 'none';
}

for (const [list, { filters, sorters, parameters }] of Object.entries(LISTS)) {
  describe(list, () => {
    let objects: readonly Listed[];
    before(async () => {
      objects = await allOf(list);
      assert.ok(objects.length > 0);
    });

    for (const [field, operators] of Object.entries(filters)) {
      test(`is filtered by ${field} with ${operators}`, async () => {
        const operand = operandOf(list, objects, field);
        for (const operator of operators.split(' ')) {
          const text = written(field, operator, operand);
          const expected = objects.filter((object) =>
            holds(field, operator, heldBy(list, object, field), operand),
          );
          for (const path of pathsOf(list)) await hasRows(path, { filters: text }, expected);
        }
      });
    }

    for (const sorter of sorters.split(' ').filter((name) => name !== '')) {
      test(`is sorted by ${sorter}`, async () => {
        for (const name of [sorter, `-${sorter}`]) {
          const sorted = await allOf(list, { sorters: name });
          for (const path of pathsOf(list)) await hasRows(path, { sorters: name }, sorted);
          // An account has several of them, and none is its sort key (docs/differences.md).
          if (sorter === 'entitlements') continue;
          const values = sorted.map((object) => heldBy(list, object, sorter));
          assert.equal(values.length, objects.length, name);
          const keys = values.map((value) => comparable(sorter, value));
          for (const [at, key] of keys.entries()) {
            const last = keys[at - 1];
            if (at === 0 || last === undefined) continue;
            if (last === null || key === null) assert.equal(key, null, `${name}: missing is last`);
            else assert.ok(order(last, key) * (name === sorter ? 1 : -1) <= 0, `${name} at ${at}`);
          }
        }
      });
    }

    for (const name of parameters.split(' ').filter((each) => each !== '')) {
      test(`has the parameter ${name}`, async () => {
        for (const path of pathsOf(list)) {
          if (REFUSED.includes(name)) {
            assert.equal((await get(path, { [name]: 'me' })).status, 400, name);
            continue;
          }
          const [value, isListed] = PARAMETERS[name] ?? assert.fail(name);
          await hasRows(path, { [name]: value }, objects.filter(isListed));
        }
      });
    }

    test('has pages', async () => {
      for (const path of pathsOf(list)) {
        const page = { limit: '2', offset: '1', count: 'true' };
        const answer = await get(path, page);
        const rows = (await answer.json()) as Listed[];
        assert.deepEqual(idsOf(rows), idsOf(objects.slice(1, 3)), path);
        assert.equal(answer.headers.get('x-total-count'), String(objects.length), path);
      }
    });
  });
}

test('the fields are those of the specification, and what its prose adds', (context) => {
  if (!existsSync(SPECIFICATIONS)) return context.diagnostic(`there is no ${SPECIFICATIONS}`);
  const specified = ['collections', 'personal-access-tokens', 'saved-search'].map((name) =>
    JSON.parse(readFileSync(`${SPECIFICATIONS}/${name}.json`, 'utf8')),
  );
  const operations = specified.flatMap(({ paths, components }) =>
    Object.entries<Listed>(paths).map(([path, item]) => ({ path, item, components })),
  );
  for (const { path, item, components } of operations) {
    const sent: Listed = Object.fromEntries(
      (item['get']?.parameters ?? []).map(({ $ref, ...own }: Listed) => {
        const each = $ref === undefined ? own : components.parameters[$ref.split('/').at(-1)];
        return [each.name, each];
      }),
    );
    if (sent['limit'] === undefined && sent['filters'] === undefined) continue;
    const list = LISTS[path];
    assert.ok(list, path);
    const fields = (sent['filters']?.description ?? '').matchAll(
      /\*\*([\w.]+)\*\*: \*([a-z, ]+)\*/g,
    );
    for (const [, field, operators] of fields) {
      for (const operator of operators.split(/,\s*/)) {
        assert.ok(
          list.filters[field]?.split(' ').includes(operator),
          `${path} ${field} ${operator}`,
        );
      }
    }
    const sorted = /fields: \*\*([^*]+)\*\*/.exec(sent['sorters']?.description ?? '')?.[1] ?? '';
    for (const name of sorted.split(/,\s*/).filter((each) => each !== '')) {
      assert.ok(list.sorters.split(' ').includes(name), `${path} sorted by ${name}`);
    }
    const paging = ['limit', 'offset', 'count', 'filters', 'sorters', 'id'];
    for (const name of Object.keys(sent).filter((each) => !paging.includes(each))) {
      assert.ok(list.parameters.split(' ').includes(name), `${path} ${name}`);
    }
  }
});
