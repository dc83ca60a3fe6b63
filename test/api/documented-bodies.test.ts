// Bodies whose readers are written by hand say the same as their schemas in docs/openapi.yaml: what a schema refuses the reader
// refuses, naming the member, and no bound of the reader is missing from the schema. The values follow from the schemas, so a
// new member is tried at once. Records of profile management: resource-bodies.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { readUserChange } from '../../src/service/accounts/auth-user-administration.ts';
import { readApiKeyRequest } from '../../src/service/credentials/api-key-request.ts';
import { readClientRequest } from '../../src/service/credentials/oauth-client-request.ts';
import { readTokenRequest } from '../../src/service/credentials/personal-access-token-request.ts';
import { readDashboard } from '../../src/service/dashboards/dashboard-request.ts';
import { readSavedSearch } from '../../src/service/saved-searches/saved-search-request.ts';
import { readScheduledSearch } from '../../src/service/saved-searches/scheduled-search-request.ts';
import { readView } from '../../src/service/views/view-request.ts';
import { readFaultPlan } from '../../src/testing/powers/fault-rules.ts';
import { openapi, validatorOf } from '../support/openapi.ts';

type Json = { readonly [name: string]: unknown };

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface Body {
  /** A schema of the document, or the operation whose body has one in place. */
  readonly name: string;
  readonly pointer?: string;
  /** As the service reads it. */
  readonly read: (body: unknown) => unknown;
  /** Bodies that together have every member. */
  readonly taken: readonly Json[];
  /** Members that are not read. */
  readonly ignored?: readonly string[];
}

/** Causes that tell a bound. */
const BOUND = /: (?:must be )?(?:(?:at most|from|1 to|a whole number from) \d|at least one )/;
const NOW = Date.parse('2026-06-01T00:00:00Z');
const SEARCH = { indices: ['events'], query: '*' };
const HOURS = { type: 'LIST', values: ['9'] };
const SCHEDULED = {
  savedSearchId: 'x',
  recipients: [{ type: 'IDENTITY', id: 'x' }],
  schedule: { type: 'DAILY', hours: HOURS },
};
const scheduled = (schedule: unknown) => readScheduledSearch({ ...SCHEDULED, schedule });

const BODIES: readonly Body[] = [
  { name: 'NewSavedSearch', read: readSavedSearch, taken: examples('SavedSearch') },
  {
    name: 'SavedSearchColumn',
    read: (column) => readSavedSearch({ ...SEARCH, columns: { role: [column] } }),
    taken: [{ field: 'name', header: null }],
  },
  { name: 'NewScheduledSearch', read: readScheduledSearch, taken: examples('ScheduledSearch') },
  {
    name: 'Schedule',
    read: scheduled,
    taken: [
      {
        type: 'DAILY',
        hours: HOURS,
        timeZoneId: 'Europe/Oslo',
        expiration: '2030-01-01T00:00:00Z',
      },
      { type: 'ANNUALLY', hours: HOURS, months: HOURS, days: HOURS },
    ],
  },
  {
    name: 'ScheduleSelector',
    read: (days) => scheduled({ type: 'MONTHLY', hours: HOURS, days }),
    taken: [
      { type: 'LIST', values: ['9'] },
      { type: 'RANGE', values: ['1', '9'], interval: 2 },
    ],
  },
  {
    name: 'IdentityReference',
    read: (identity) => readScheduledSearch({ ...SCHEDULED, recipients: [identity] }),
    taken: [{ type: 'IDENTITY', id: 'x' }],
  },
  { name: 'NewDashboard', read: readDashboard, taken: examples('Dashboard') },
  {
    name: 'DashboardTile',
    read: (tile) => readDashboard({ name: 'Payroll', tiles: [tile] }),
    taken: [
      { kind: 'number', savedSearchId: 'x', alarmAbove: 7 },
      { kind: 'values', title: 'Cities', field: 'attributes.city', size: 5, search: SEARCH },
      { kind: 'time', title: 'Events', width: 4, field: 'created', search: SEARCH },
      { kind: 'rows', title: 'Events', size: 50, search: SEARCH },
    ],
  },
  {
    name: 'NewView',
    read: (body) => readView(body, null),
    taken: examples('View'),
    ignored: ['created', 'modified'],
  },
  {
    name: 'NewPersonalAccessToken',
    read: (body) => readTokenRequest(body, NOW),
    taken: [{ name: 'x', expirationDate: '2026-07-01T00:00:00Z' }],
  },
  { name: 'NewOAuthClient', read: readClientRequest, taken: [{ name: 'x' }] },
  {
    name: 'the body that creates an API key',
    pointer: '#/paths/~1admin~1v1~1api-keys/post/requestBody/content/application~1json/schema',
    read: (body) => readApiKeyRequest(body, NOW),
    taken: [{ name: 'x', expires: '2026-07-01T00:00:00Z' }],
  },
  {
    name: 'the change of an auth user',
    pointer:
      '#/paths/~1admin~1v1~1auth-users~1{id}/patch/requestBody/content/application~1json/schema',
    read: readUserChange,
    taken: [{ enabled: false }, { view: 'sales' }, { view: null }],
  },
  {
    name: 'the match of a fault',
    pointer: '#/components/schemas/FaultRule/properties/match',
    read: (match) => readFaultPlan([{ match, then: { drop: true } }]),
    taken: [{ method: 'GET', path: '/v3/search', client: 'x', every: 2 }],
  },
  {
    name: 'the effect of a fault',
    pointer: '#/components/schemas/FaultRule/properties/then',
    read: (then) => readFaultPlan([{ match: {}, then }]),
    taken: [{ status: 503, retryAfter: 1, delayMs: 5 }],
  },
  {
    name: 'a plan of faults',
    pointer: '#/components/schemas/FaultPlan/oneOf/1',
    read: readFaultPlan,
    taken: [{ seed: 7, faults: [] }],
  },
];

for (const body of BODIES) {
  const { name, pointer = `#/components/schemas/${name}`, read, taken, ignored = [] } = body;
  const isAllowed = validatorOf(pointer);
  const { properties, required } = membersOf({ $ref: pointer });

  test(`${name}: what the document shows is taken`, () => {
    for (const body of taken) {
      assert.ok(isAllowed(body), JSON.stringify(isAllowed.errors));
      read(body);
    }
  });

  test(`${name}: what the document refuses is refused, member by member`, () => {
    for (const [member, schema] of properties) {
      if (ignored.includes(member)) continue;
      const missing = required.has(member) ? [undefined] : [];
      for (const value of [...wrongValues(schema), ...missing]) {
        const at = `${member}: ${JSON.stringify(value)?.slice(0, 60)}`;
        const bodies = withMember(taken, member, value);
        assert.ok(!bodies.some((body) => isAllowed(body)), `${at} is allowed`);
        // Some members are ignored where others make them meaningless.
        const causes = bodies.flatMap((body) => causesOf(() => read(body)));
        assert.ok(causes.length > 0, `${at} is taken`);
        for (const cause of causes) assert.ok(cause.includes(member), `${at}: ${cause}`);
      }
    }
  });

  test(`${name}: the document has the bounds of the reader`, () => {
    for (const [member, schema] of properties) {
      for (const value of extremeValues(schema)) {
        const at = `${member}: ${JSON.stringify(value).slice(0, 60)}`;
        for (const body of withMember(taken, member, value)) {
          for (const cause of causesOf(() => read(body))) {
            assert.doesNotMatch(cause, BOUND, at);
          }
        }
      }
    }
  });
}

function withMember(bodies: readonly Json[], member: string, value: unknown): readonly Json[] {
  return bodies.map((body) => JSON.parse(JSON.stringify({ ...body, [member]: value })));
}

function causesOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error.details.causes ?? [];
  }
}

/** Values that a schema does not allow, but for null: readers take null as absent. */
function wrongValues(of: Schema): readonly unknown[] {
  const schema = resolved(of);
  if (schema.oneOf !== undefined) return wrongValues(schema.oneOf[0] ?? {});
  if (schema.enum !== undefined || schema.const !== undefined) return ['nonsense', 77];
  const { items, additionalProperties: inner } = schema;
  switch (typeOf(schema)) {
    case 'string':
      return [
        ...[7, ['x']],
        ...only(schema.maxLength, (max) => 'x'.repeat(max + 1)),
        ...only(schema.minLength, () => ''),
        ...only(schema.pattern, () => 'no name!'),
        ...only(schema.format, () => 'tomorrow'),
      ];
    case 'boolean':
      return ['true', 1];
    case 'number':
    case 'integer':
      return [
        ...['1', ...(schema.type === 'number' ? [] : [1.5])],
        ...only(schema.minimum, (min) => min - 1),
        ...only(schema.maximum, (max) => max + 1),
      ];
    case 'array':
      return [
        ...['nonsense', {}, [7]],
        ...only(schema.minItems, () => []),
        ...only(schema.maxItems, (max) => Array(max + 1).fill(itemOf(items))),
      ];
    case 'object':
      return [
        ...['nonsense', 7, []],
        ...(typeof inner === 'object' ? wrongValues(inner).map((value) => ({ roles: value })) : []),
      ];
    default:
      return [];
  }
}

/** The largest and smallest values that a schema allows, and large and empty ones where it has no bounds. */
function extremeValues(of: Schema): readonly unknown[] {
  const schema = resolved(of);
  if (schema.oneOf !== undefined) return extremeValues(schema.oneOf[0] ?? {});
  const { maxLength = 5_000, minLength = 0, maxItems = 1_000, minItems = 0 } = schema;
  switch (typeOf(schema)) {
    case 'string':
      if (schema.enum || schema.pattern || schema.format) return [];
      return ['x'.repeat(maxLength), 'x'.repeat(minLength)];
    case 'number':
    case 'integer':
      return [schema.minimum ?? 0, schema.maximum ?? 2 ** 40];
    case 'array':
      return [maxItems, minItems].map((length) => Array(length).fill(itemOf(schema.items)));
    default:
      return [];
  }
}

function only<T>(bound: T | undefined, wrong: (bound: T) => unknown): readonly unknown[] {
  return bound === undefined ? [] : [wrong(bound)];
}

function itemOf(items: Schema = {}): unknown {
  const { type, properties } = resolved(items);
  return type === 'object' || properties !== undefined ? {} : 'x';
}

function typeOf({ type }: Schema): string | undefined {
  return [type].flat().find((one) => one !== 'null');
}

/** The members of a schema and of those that it consists of. */
function membersOf(of: Schema): { properties: [string, Schema][]; required: Set<string> } {
  const schema = resolved(of);
  const parts = (schema.allOf ?? []).map(membersOf);
  const properties = [
    ...Object.entries(schema.properties ?? {}),
    ...parts.flatMap((part) => part.properties),
  ];
  const required = [...(schema.required ?? []), ...parts.flatMap((part) => [...part.required])];
  return { properties, required: new Set(required) };
}

function resolved({ $ref, ...schema }: Schema): Schema {
  if ($ref === undefined) return schema;
  const names = $ref
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/'));
  return { ...resolved(names.reduce<Json>((at, name) => at[name] as Json, openapi)), ...schema };
}

/** The examples of a request body in the document. */
function examples(body: string): readonly Json[] {
  const { content } = resolved({ $ref: `#/components/requestBodies/${body}` }) as {
    content: Record<string, { example?: Json; examples?: Record<string, { value: Json }> }>;
  };
  const { example, examples: named = {} } = content['application/json'] ?? {};
  const all = [...(example ? [example] : []), ...Object.values(named).map(({ value }) => value)];
  assert.ok(all.length > 0, `${body} has no example`);
  return all;
}
