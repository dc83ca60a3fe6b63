// suite: slow
// Every filter field with every operator, every sorter and every parameter that the public specification
// or its prose names for a list (test/data/list-fields.json): accepted under every version, and right on
// the demo company.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
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
const VERSIONS = ['/v3', '/v2024', '/v2025', '/v2026', '/beta'];
const SPECIFICATION = '../shared/contract/openapi/collections.json';

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

const PARAMETERS: Readonly<Record<string, string>> = {
  detailLevel: 'SLIM',
  defaultFilter: 'CORRELATED_ONLY',
  'add-core-filters': 'true',
  'for-segment-ids': 'a,b',
  'include-unsegmented': 'true',
  'requested-for': 'me',
  'requested-by': 'me',
  'regarding-identity': 'me',
  includeIDNSource: 'false',
  type: 'appRequest',
  'account-id': IDS['/accounts'] ?? '',
  'segmented-for-identity': 'me',
};
/** Parameters that say why they are refused (docs/differences.md). */
const REFUSED = ['for-subadmin'];

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
});
after(() => service.stop());

async function get(path: string, parameters: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  return service.call('GET', `${path}?${query}`);
}

function pathOf(list: string): string {
  const [area = ''] = list.split('/{id}');
  return list.replace('{id}', IDS[area] ?? '');
}

async function allOf(list: string, parameters: Record<string, string> = {}): Promise<Listed[]> {
  const objects: Listed[] = [];
  for (let offset = 0; ; offset += 50) {
    const page = { ...parameters, limit: '50', offset: String(offset) };
    const answer = await get(`/v3${pathOf(list)}`, page);
    assert.equal(answer.status, 200, JSON.stringify(parameters));
    const read = (await answer.json()) as Listed[];
    objects.push(...read);
    if (read.length < 50) return objects;
  }
}

function heldBy(list: string, object: Listed, field: string): unknown {
  if (ABSENT[list]?.includes(field) || ALSO_ABSENT.includes(field)) return null;
  const own = VALUES[list]?.[field];
  if (own !== undefined) return own(object) ?? null;
  let value: unknown = object;
  for (const name of field.split('.')) value = (value as Listed | null | undefined)?.[name];
  return value ?? null;
}

const DATES = ['created', 'modified'];
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
          for (const version of VERSIONS) {
            const page = { filters: text, count: 'true', limit: '1' };
            const answer = await get(version + pathOf(list), page);
            assert.equal(answer.status, 200, `${text}: ${await answer.clone().text()}`);
            const total = answer.headers.get('x-total-count');
            assert.equal(total, String(expected.length), `${version} ${text}`);
          }
        }
      });
    }

    for (const sorter of sorters.split(' ').filter((name) => name !== '')) {
      test(`is sorted by ${sorter}`, async () => {
        for (const name of [sorter, `-${sorter}`]) {
          for (const version of VERSIONS) {
            const answer = await get(version + pathOf(list), { sorters: name, limit: '1' });
            assert.equal(answer.status, 200, `${version} ${name}`);
          }
          // An account has several of them, and none is its sort key (docs/differences.md).
          if (sorter === 'entitlements') continue;
          const values = (await allOf(list, { sorters: name })).map((object) =>
            heldBy(list, object, sorter),
          );
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
        for (const version of VERSIONS) {
          const value = PARAMETERS[name] ?? 'x';
          const answer = await get(version + pathOf(list), { [name]: value, limit: '1' });
          const expected = REFUSED.includes(name) ? 400 : 200;
          assert.equal(answer.status, expected, `${name}: ${await answer.clone().text()}`);
          assert.equal(answer.headers.get('warning'), null, name);
        }
      });
    }
  });
}

test('the fields are those of the specification, and what its prose adds', (context) => {
  if (!existsSync(SPECIFICATION)) return context.diagnostic(`there is no ${SPECIFICATION}`);
  const { paths } = JSON.parse(readFileSync(SPECIFICATION, 'utf8'));
  for (const [path, { get: operation }] of Object.entries<Listed>(paths)) {
    const sent: Listed = Object.fromEntries(
      operation.parameters.map((each: Listed) => [each['name'], each]),
    );
    if (sent['limit'] === undefined) continue;
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
