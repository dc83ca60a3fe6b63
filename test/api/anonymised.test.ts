// suite: slow
// An anonymised export of a tenant hides every name, address, number and id, and the tenant made from
// it answers questions about its structure as the original does.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { Anonymiser } from '../../src/export/anonymise/anonymiser.ts';
import { fieldKind } from '../../src/export/anonymise/field-kinds.ts';
import { TenantExport } from '../../src/export/tenant-export.ts';
import { jsonSource } from '../../src/json/json-source.ts';
import { INDEX_NAMES, indexOfType } from '../../src/query/mapping/document-types.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import type { ImportReport } from '../../src/service/imports/documents.ts';
import { putDemoProfiles } from '../support/demo-profiles.ts';
import { type RunningService, startService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are looked at member by member
type Document = Record<string, any>;

const NOW = Date.UTC(2025, 5, 30);
const COMPANY = { seed: 1, identities: 300, now: NOW };
const PROFILES = 200;
/** Twenty weeks. */
const SHIFT_DAYS = -140;
const key = Buffer.alloc(32, 5);

/** A person whose name is everywhere that a name can be. */
const PLANTED: readonly Document[] = [
  {
    ...{
      _type: 'identity',
      id: 'id-of-quillfeather',
      name: 'xanthippe.quillfeather',
      inactive: false,
    },
    ...{ displayName: 'Xanthippe Quillfeather', firstName: 'Xanthippe', lastName: 'QUILLFEATHER' },
    ...{ email: 'Xanthippe.Quillfeather@hollowmere.example', phone: '+1 555 987 6543' },
    ...{
      employeeNumber: '48151623',
      created: '2023-04-05T06:07:08.009Z',
      tags: ['Quillfeather pool'],
    },
    manager: {
      id: 'id-of-quillfeather',
      name: 'xanthippe.quillfeather',
      displayName: 'Xanthippe Quillfeather',
    },
    attributes: {
      ...{
        nickname: 'quillfeatherly',
        badge: 48151623,
        motto: 'Ask Xanthippe Quillfeather, extension 48151623.',
      },
      ...{
        born: '1980-12-24',
        homepage: 'https://hollowmere.example/~quillfeather',
        isRemote: true,
      },
    },
    accounts: [
      {
        ...{
          id: 'account-of-quillfeather',
          name: 'ZQUILLFEATHER',
          disabled: false,
          privileged: true,
        },
        accountId: 'CN=Quillfeather\\, Xanthippe,OU=Falconry,DC=hollowmere,DC=example',
        source: {
          id: 'src-hollowmere',
          name: 'Hollowmere Directory',
          type: 'Active Directory - Direct',
        },
        accountAttributes: {
          mail: 'xanthippe.quillfeather@hollowmere.example',
          proxies: ['SMTP:zquill48151623'],
        },
        entitlementAttributes: { memberOf: ['CN=Falconry Keepers,DC=hollowmere'] },
      },
    ],
  },
  {
    ...{
      _type: 'event',
      id: 'event-of-quillfeather',
      name: 'Create Account Passed',
      status: 'PASSED',
    },
    ...{
      actor: { name: 'xanthippe.quillfeather' },
      target: { name: 'XANTHIPPE.QUILLFEATHER' },
      type: 'PROVISIONING',
    },
    ...{
      created: '2025-06-01T00:00:00Z',
      ipAddress: '198.51.100.77',
      technicalName: 'ACCOUNT_CREATE_PASSED',
    },
    attributes: {
      error: 'Quillfeather is unknown in Hollowmere.',
      accountName: 'xanthippe.quillfeather',
    },
  },
  {
    ...{ _type: 'accountactivity', id: 'activity-of-quillfeather', action: 'Access Request' },
    ...{
      created: '2025-06-01T00:00:00Z',
      sources: 'Hollowmere Directory',
      errors: ['No Quillfeather.'],
    },
    recipient: { id: 'id-of-quillfeather', name: 'xanthippe.quillfeather', type: 'Identity' },
    approvals: [
      {
        comments: [
          {
            comment: 'Xanthippe Quillfeather called me at +1 555 987 6543.',
            commenter: 'xanthippe.quillfeather',
          },
        ],
        owner: { id: 'id-of-quillfeather', name: 'xanthippe.quillfeather', type: 'Identity' },
      },
    ],
  },
  {
    ...{ _type: 'role', id: 'role-of-quillfeather', name: 'Quillfeather Deputy', enabled: true },
    description: 'Stands in for Xanthippe Quillfeather of Falconry.',
    owner: {
      id: 'id-of-quillfeather',
      name: 'xanthippe.quillfeather',
      email: 'xanthippe.quillfeather@hollowmere.example',
    },
  },
];

let original: RunningService;
let anonymous: RunningService;
let documents: readonly Document[];
/** Everything that was exported. */
let exported: string;
let exportedDocuments: readonly Document[];
let exportedUsers: readonly Document[];
let exportedRecords: readonly Document[];
let profiles: readonly Document[];

before(async () => {
  original = await startService();
  anonymous = await startService();
  documents = [...demoDocuments(COMPANY), ...PLANTED];
  await original.addDocuments(documents);
  const users = demoAuthUsers({ ...COMPANY, tenant: 'test' });
  await imported(
    original,
    'importAuthUsers',
    [...users].map((user) => JSON.stringify(user)).join('\n'),
  );
  const demo = await putDemoProfiles(
    original,
    PROFILES,
    new Date(NOW).toISOString(),
    COMPANY.identities,
  );
  profiles = [...demo.profiles()];
  const run = new TenantExport({
    ...{ records: original.cardea.store.read, tenantId: original.tenantId, indexes: INDEX_NAMES },
    ...{ findMatches: null, anonymiser: new Anonymiser({ key, shiftDays: SHIFT_DAYS, keep: [] }) },
  });
  const parts: string[] = [];
  for (const [use, source] of [
    ['importDocuments', run.documents()],
    ['importAuthUsers', run.authUsers()],
    ['importProfiles', run.profiles()],
  ] as const) {
    const text = await textOf(source);
    parts.push(text);
    const { sequence } = await imported(anonymous, use, text);
    await anonymous.cardea.services.status.waitUntilSearchable(sequence, 60_000);
  }
  exported = parts.join('');
  const [first = [], second = [], third = []] = parts.map((text) =>
    text.split('\n').flatMap((line): Document[] => (line === '' ? [] : [JSON.parse(line)])),
  );
  [exportedDocuments, exportedUsers, exportedRecords] = [first, second, third];
});
after(async () => {
  await original.stop();
  await anonymous.stop();
});

async function textOf(source: AsyncIterable<{ readonly bytes: Uint8Array }>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const { bytes } of source) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

async function imported(
  { cardea, tenantId }: RunningService,
  use: 'importDocuments' | 'importAuthUsers' | 'importProfiles',
  text: string,
): Promise<ImportReport> {
  async function* bytes() {
    yield Buffer.from(text);
  }
  const report = await cardea.documents[use](operatorOf(tenantId), jsonSource(bytes()), {
    isSeed: true,
  });
  assert.deepEqual([report.failed, report.faults], [0, []]);
  return report;
}

describe('the export', () => {
  test('has nothing of a person whose name is everywhere', () => {
    const folded = exported.toLowerCase();
    for (const trace of [
      'xanth',
      'quill',
      'feather',
      'hollowmere',
      'falconry',
      '48151623',
      '987 6543',
      '1980-12-24',
    ]) {
      assert.ok(!folded.includes(trace), trace);
    }
  });

  test('has no word and no number of the documents that is replaced', () => {
    const kept = new Set(['https', 'example', 'system', 'identitynow']);
    const hidden = new Set<string>();
    for (const { _type, ...members } of documents) {
      const index = indexOfType(_type);
      assert.ok(index);
      visit(members, '', (path, value) => {
        const to = fieldKind(index, path) === 'keep' ? kept : hidden;
        for (const word of wordsOf(value)) to.add(word);
      });
    }
    const words = new Set<string>();
    for (const { _type, capabilities, ...members } of [...exportedDocuments, ...exportedUsers]) {
      visit(members, '', (_, value) => {
        for (const word of wordsOf(value)) words.add(word);
      });
    }
    const long = [...hidden].filter((word) => !kept.has(word) && !isShort(word));
    assert.ok(long.length > 1000, String(long.length));
    assert.deepEqual(
      long.filter((word) => words.has(word)),
      [],
    );
  });

  test('has no name, address or number of a profile', () => {
    const names = 'first_name last_name email phone worker_number organization_name'.split(' ');
    const hidden = new Set<string>();
    for (const { uid, name, attributes } of profiles) {
      const values = [uid, name, ...names.map((member) => attributes[member] ?? '')];
      for (const value of values) for (const word of wordsOf(value)) hidden.add(word);
    }
    const words = new Set<string>();
    const shown = exportedRecords.filter(({ attributes }) => attributes !== undefined);
    assert.equal(shown.length, PROFILES);
    for (const profile of shown) {
      visit(profile, '', (_, value) => {
        for (const word of wordsOf(value)) words.add(word);
      });
    }
    const long = [...hidden].filter((word) => !isShort(word) && word !== 'example');
    assert.ok(long.length > 200, String(long.length));
    assert.deepEqual(
      long.filter((word) => words.has(word)),
      [],
    );
  });

  test('keeps references: ids, managers, owners, actors and auth users resolve', () => {
    const values = [...exportedDocuments, ...exportedUsers, ...exportedRecords];
    const identities = new Map(
      values.filter(({ _type }) => _type === 'identity').map((one) => [one['id'], one]),
    );
    const access = new Map(
      values
        .filter(({ _type }) => /role|access|entitle/.test(_type))
        .map((one) => [one['id'], one]),
    );
    const names = new Set([...identities.values()].map(({ name }) => name));
    for (const {
      manager,
      access: held,
      displayName,
      firstName,
      lastName,
      accounts,
    } of identities.values()) {
      if (manager) assert.equal(identities.get(manager.id)?.['displayName'], manager.displayName);
      for (const { id, name } of held ?? []) assert.equal(access.get(id)?.['name'], name);
      if (/^\p{Script=Latin}+ \p{Script=Latin}+$/u.test(displayName) && firstName) {
        assert.equal(displayName.toLowerCase(), `${firstName} ${lastName}`.toLowerCase());
      }
      assert.ok(Array.isArray(accounts));
    }
    let actors = 0;
    for (const { _type, actor } of values) {
      if (_type !== 'event' || actor.name === 'System') continue;
      assert.ok(names.has(actor.name), actor.name);
      actors += 1;
    }
    assert.ok(actors > 50);
    const users = values.filter(({ capabilities }) => Array.isArray(capabilities));
    const known = users.filter(({ id, uid }) => identities.get(id)?.['name'] === uid);
    assert.ok(known.length >= users.length - 1, `${known.length} of ${users.length}`);
    const sponsors = values.filter(({ user }) => user !== undefined).map(({ user }) => user);
    assert.ok(sponsors.length > 20);
    for (const { login, sailpoint_identity_id: id } of sponsors) {
      if (id) assert.equal(identities.get(id)?.['name'], login);
    }
  });
});

const wordsOf = (value: unknown): string[] =>
  String(value)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Codes and short numbers may be replaced by one another, and so may the parts of dates.
 */
const isShort = (word: string): boolean =>
  /^\p{L}{1,4}$|^\p{N}{1,6}$|^\d+t\d+$|^[a-z]\d{1,6}$|^\d{1,6}z$/u.test(word);

function visit(value: unknown, path: string, found: (path: string, value: unknown) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, path, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      visit(inner, path === '' ? name : `${path}.${name}`, found);
    }
  } else if (typeof value === 'string' || typeof value === 'number') found(path, value);
}

const shifted = (day: string): string =>
  new Date(Date.parse(day) + SHIFT_DAYS * 86_400_000).toISOString().slice(0, 10);

describe('questions about the structure', () => {
  const count = async (service: RunningService, index: string, query: string) => {
    const body = { indices: [index], query: { query } };
    const answer = await service.call('POST', '/v2024/search/count', body);
    assert.equal(answer.status, 204);
    return Number(answer.headers.get('x-total-count'));
  };
  for (const [index, query] of [
    ['identities', '*'],
    ['identities', 'inactive:true AND @accounts(disabled:false)'],
    ['identities', '@accounts(privileged:true AND disabled:false)'],
    ['identities', '@accounts(source.type:"Active Directory - Direct" AND disabled:true)'],
    ['identities', '@access(type:ROLE) AND NOT @access(privileged:true)'],
    ['identities', '@access(type:ENTITLEMENT AND standalone:true AND attribute:memberOf)'],
    ['identities', 'accessCount:[8 TO *]'],
    ['identities', 'NOT _exists_:identityProfile'],
    ['identities', 'NOT _exists_:manager AND isManager:false'],
    ['identities', 'attributes.cloudLifecycleState:terminated'],
    ['identities', 'status:LOCKED OR processingState:ERROR'],
    ['roles', 'enabled:true AND @entitlements(privileged:false)'],
    ['accessprofiles', 'requestable:true AND _exists_:apps'],
    ['entitlements', 'privileged:true AND @permissions(rights:DELETE)'],
    ['events', 'technicalName:*_FAILED AND actor.name:System'],
    ['events', 'type:AUTH'],
    ['accountactivities', '@approvals(result:Rejected) OR status:Failure'],
    ['accountactivities', '@originalRequests(op:Modify AND attributeRequests.op:Remove)'],
  ] as const) {
    test(`${index}: ${query}`, async () => {
      const total = await count(original, index, query);
      assert.ok(total > 0, 'it finds nothing');
      assert.equal(await count(anonymous, index, query), total);
    });
  }

  for (const [index, field, from, until] of [
    ['identities', 'created', '2022-01-01', '2024-12-31'],
    ['identities', 'attributes.endDate', '2025-07-01', '2026-12-31'],
    ['identities', '@accounts.accountAttributes.lastLogin', '2000-01-01', '2025-03-31'],
    ['events', 'created', '2025-06-01', '2025-06-30'],
    ['accountactivities', '@approvals.modified', '2025-01-01', '2025-06-30'],
  ] as const) {
    test(`${index}: ${field} in a time that is shifted`, async () => {
      const query = (day: (text: string) => string) => `${field}:[${day(from)} TO ${day(until)}]`;
      const total = await count(
        original,
        index,
        query((day) => day),
      );
      assert.ok(total > 0, 'it finds nothing');
      assert.equal(await count(anonymous, index, query(shifted)), total);
    });
  }

  /** The audit trail of this service is not exported. */
  const NOT_AUDITED = { query: 'NOT stack:cardea' };
  const buckets = async (service: RunningService, index: string, aggregation: object) => {
    const body = { indices: [index], query: NOT_AUDITED, aggregationsDsl: { all: aggregation } };
    const answer = await service.call('POST', '/v2024/search/aggregate', {
      ...body,
      aggregationType: 'DSL',
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    const { aggregations } = (await answer.json()) as Document;
    const counts = (aggregations['all'].terms ?? aggregations['all']).buckets as Document[];
    return counts.map(({ doc_count }) => doc_count as number).sort((a, b) => b - a);
  };
  const terms = (field: string) => ({ terms: { field, size: 500 } });
  for (const [index, name, aggregation] of [
    ['identities', 'attributes.department', terms('attributes.department.exact')],
    ['identities', 'attributes.city', terms('attributes.city.exact')],
    ['identities', 'attributes.jobTitle', terms('attributes.jobTitle.exact')],
    ['identities', 'attributes.costCenter', terms('attributes.costCenter.exact')],
    ['identities', 'lastName', terms('lastName.exact')],
    ['identities', 'manager.id', terms('manager.id')],
    [
      'identities',
      'accounts.source.name',
      { nested: { path: 'accounts' }, aggs: { terms: terms('accounts.source.name.exact') } },
    ],
    [
      'identities',
      'access.name',
      { nested: { path: 'access' }, aggs: { terms: terms('access.name.exact') } },
    ],
    ['entitlements', 'source.name', terms('source.name.exact')],
    ['events', 'actor.name', terms('actor.name.exact')],
  ] as const) {
    test(`${index}: the numbers of ${name}`, async () => {
      const counts = await buckets(original, index, aggregation);
      assert.ok(counts.length > 3, String(counts));
      assert.deepEqual(await buckets(anonymous, index, aggregation), counts);
    });
  }

  test('profiles have the same types, states and days, and sponsors', async () => {
    const { store } = original.cardea;
    const totals = async (service: RunningService) => {
      const { read } = service.cardea.store;
      const all = [];
      for (const status of ['Active', 'Inactive', 'On Leave', 'Terminated']) {
        all.push(await read.countProfiles(service.tenantId, { status }));
      }
      const types = await read.resourcePage(service.tenantId, 'profileType', {
        ...{ where: [], order: 'uid', limit: 10, offset: 0, total: false },
      });
      for (const { id } of types.rows) {
        all.push(await read.countProfiles(service.tenantId, { profileTypeId: id }));
      }
      return all;
    };
    assert.ok((await store.read.countProfiles(original.tenantId, {})) === PROFILES);
    assert.deepEqual(await totals(anonymous), await totals(original));
  });
});
