// `via.role` and `via.accessProfile` in queries: who reaches something through a role.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addTenant, addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

const ref = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
const payroll = { id: 's1', name: 'Payroll' };
const wiki = { id: 's2', name: 'Wiki' };
const role = (id: string) => ({ id, type: 'ROLE', name: id });
const profile = (id: string, source: object) => ({ id, type: 'ACCESS_PROFILE', name: id, source });
const entitlement = (id: string, source: object, more: object = {}) => ({
  ...{ id, type: 'ENTITLEMENT', name: id, source, standalone: false },
  ...more,
});
const identity = (id: string, inactive: boolean, access: object[]) => ({
  ...{ _type: 'identity', id, name: id, inactive, access },
});

const ROLES = {
  analyst: {
    ...{ _type: 'role', id: 'r-analyst', name: 'Finance Analyst', requestable: true },
    ...{ accessProfiles: ref('p-pay'), entitlements: ref('e-wiki'), owner: { name: 'Ada' } },
  },
  auditor: {
    ...{ _type: 'role', id: 'r-auditor', name: 'Auditor', requestable: false },
    ...{ accessProfiles: [], entitlements: [] },
    dimensions: [{ id: 'd', name: 'EMEA', entitlements: ref('e-ledger'), accessProfiles: [] }],
  },
};
const DOCUMENTS = [
  ...Object.values(ROLES),
  { _type: 'accessprofile', id: 'p-pay', name: 'Pay run', entitlements: ref('e-pay') },
  // Holds the role and what it grants on both sources.
  identity('ann', true, [
    role('r-analyst'),
    profile('p-pay', payroll),
    entitlement('e-pay', payroll),
    entitlement('e-wiki', wiki),
  ]),
  // Has the entitlement without the role.
  identity('bob', true, [entitlement('e-pay', payroll, { standalone: true })]),
  // Has the role, and on the source an entitlement that the role does not grant.
  identity('cat', false, [
    role('r-analyst'),
    entitlement('e-other', payroll, { standalone: true }),
  ]),
  // Through the dimension of a role.
  identity('dan', false, [role('r-auditor'), entitlement('e-ledger', payroll)]),
  // Through an access profile that was requested alone.
  identity('eve', false, [profile('p-pay', payroll), entitlement('e-pay', payroll)]),
];

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments(DOCUMENTS);
});
after(() => service.stop());

const bodyOf = (query: string, indices = ['identities']) => ({ indices, query: { query } });
async function found(query: string): Promise<string> {
  const answer = await service.call('POST', '/v2024/search', {
    ...bodyOf(query),
    sort: ['id'],
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.equal(answer.headers.get('warning'), null);
  return (JSON.parse(text) as { id: string }[]).map(({ id }) => id).join(' ');
}

describe('a path in a query', () => {
  const check = (query: string, expected: string) =>
    test(`${query} finds ${expected || 'nothing'}`, async () => {
      assert.equal(await found(query), expected);
    });
  check('@access(via.role:"Finance Analyst" AND source.name:Payroll)', 'ann');
  check('inactive:true AND @access(via.role:* AND source.name:Payroll)', 'ann');
  check('@access(via.role:* AND source.name:Payroll)', 'ann dan');
  check('@access(source.name:Wiki AND via.role:analyst)', 'ann');
  check('@access(+source.name:Payroll +via.role:(analyst OR auditor))', 'ann dan');
  check('@access(via.role:analyst)', 'ann');
  check('@access(via.role:Finance* AND type:ACCESS_PROFILE)', 'ann');
  check('@access(via.role.id:r-auditor AND NOT standalone:true)', 'dan');
  check('@access(via.role.requestable:false)', 'dan');
  check('@access(via.role.owner.name:Ada AND source.name:Wiki)', 'ann');
  check('@access(via.role.exact:"Finance Analyst")', 'ann');
  check('@access(via.role:nothing)', '');
  check('@access(via.role:"Finance Analyst" AND id:e-other)', '');
  check('@access(via.accessProfile:"Pay run" AND type:ENTITLEMENT)', 'ann eve');
  check('@access(via.accessProfile:* AND source.name:Payroll) AND NOT @access(via.role:*)', 'eve');
  check(
    '@access(source.name:Payroll) AND NOT @access(via.role:* AND source.name:Payroll)',
    'bob cat eve',
  );
  check('@access(access.via.role:analyst AND access.source.name:Wiki)', 'ann');
});

describe('a path that cannot be planned is an error with its place', () => {
  const check = (query: string, message: RegExp) =>
    test(`${query}: ${message.source}`, async () => {
      const answer = await service.call('POST', '/v2024/search', bodyOf(query));
      const text = await answer.text();
      assert.equal(answer.status, 400, text);
      assert.match(text, message);
      assert.match(text, /\^/);
    });
  check('@access(via.role:x OR source.name:Payroll)', /offset 17: via\.role and .* by AND/);
  check('@access(via.role:x source.name:Payroll)', /offset 17: .*joined/);
  check('@access(NOT via.role:x)', /offset 21: .*joined/);
  check('@access((via.role:x OR name:y) AND name:z)', /offset 18: .*joined/);
  check('@access(via.role:x AND via.accessProfile:y)', /offset 41: one @access/);
  check('@access(via.team:x)', /offset 17: expected role or accessProfile after via\./);
  check('@access(via.role.nam:x)', /offset 21: roles have no field .*did you mean name\?/);
  check('@access.via.role:x', /joined/);
  check('access.via.role:x', /joined/);
});

test('other indexes have no paths', async () => {
  const body = bodyOf('@access(via.role:*)', ['identities', 'roles', 'events']);
  const answer = await service.call('POST', '/v2024/search/count', body);
  assert.equal(answer.headers.get('x-total-count'), '2');
});

test('counts and aggregations resolve paths', async () => {
  const query = '@access(via.role:* AND source.name:Payroll)';
  const body = {
    ...bodyOf(query),
    aggregationsDsl: { inactive: { terms: { field: 'inactive' } } },
  };
  const answer = await service.call('POST', '/v2024/search/aggregate?count=true', body);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('x-total-count'), '2');
});

test('a changed role changes the answer of the same request', async () => {
  const query = '@access(via.role:Auditor AND source.name:Payroll)';
  assert.equal(await found(query), 'dan');
  await service.addDocuments([{ ...ROLES.auditor, dimensions: [] }]);
  assert.equal(await found(query), '');
  await service.addDocuments([ROLES.auditor]);
  assert.equal(await found(query), 'dan');
});

test('the roles of another tenant grant nothing', async () => {
  const other = await addTenant(service, 'elsewhere');
  const line = JSON.stringify(DOCUMENTS.find((one) => one.id === 'ann'));
  const path = '/admin/v1/documents?refresh=wait';
  assert.equal((await other.call('POST', path, line)).status, 200);
  const count = await other.call('POST', '/v2024/search/count', bodyOf('@access(via.role:*)'));
  assert.equal(count.headers.get('x-total-count'), '0');
});

test('the explanation shows the roles, what they grant, and why a document matches', async () => {
  const path = '/v2024/search/explain?index=identities&id=ann';
  const body = bodyOf('@access(via.role:"Finance Analyst" AND source.name:Payroll)');
  const answer = await service.call('POST', path, body);
  assert.equal(answer.status, 200);
  const explanation = (await answer.json()) as {
    accessPaths: object[];
    matched: number;
    plan: string;
    document: { matched: boolean };
  };
  assert.deepEqual(explanation.accessPaths, [
    {
      index: 'roles',
      query: 'name:"finance analyst"',
      matched: 1,
      ids: ['r-analyst'],
      granted: 3,
    },
  ]);
  assert.equal(explanation.matched, 1);
  assert.match(explanation.plan, /e-pay/);
  assert.equal(explanation.document.matched, true);
});

test('of many roles, only those that grant a matching element are planned', async () => {
  const many = Array.from({ length: 400 }, (_, n) => ({
    ...{ _type: 'role', id: `m${n}`, name: `Many ${n}`, entitlements: ref(`me${n}`, 'e-pay') },
  }));
  const holders = [7, 8].map((n) =>
    identity(`many${n}`, true, [
      role(`m${n}`),
      entitlement(`me${n}`, { id: 's3', name: n === 7 ? 'Vault' : 'Shop' }),
    ]),
  );
  await service.addDocuments([...many, ...holders]);
  assert.equal(await found('@access(via.role:* AND source.name:Vault)'), 'many7');
  assert.equal(await found('@access(via.role:Many AND source.name:Shop)'), 'many8');
  assert.equal(await found('@access(via.role:* AND source.name:Wiki)'), 'ann');
  const answer = await service.call('POST', '/v2024/search/explain', {
    ...bodyOf('@access(via.role:Many AND source.name:Vault)'),
  });
  const { accessPaths } = (await answer.json()) as { accessPaths: object[] };
  assert.deepEqual(accessPaths, [
    { index: 'roles', query: 'name:many', matched: 400, ids: ['m7'], granted: 1 },
  ]);

  // All 400 grant e-pay, which ann and others hold on this source.
  const query = '@access(via.role:Many AND source.name:Payroll)';
  const refused = await service.call('POST', '/v2024/search', bodyOf(query));
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /offset 17.*CARDEA_MAX_CLAUSES/);
  assert.equal(await found('@access(via.role:"Many 7*" AND source.name:Payroll)'), '');
});

test('a search with accessPaths returns the paths of each element of access', async () => {
  const body = { ...bodyOf('id:(ann OR bob)'), sort: ['id'], accessPaths: true };
  const search = async (more: object, limit = 10) =>
    service.call('POST', `/v2024/search?limit=${limit}`, { ...body, ...more });
  type Found = { id: string; access: { id: string; via: { type: string; id: string }[][] }[] };
  const [ann, bob] = (await (await search({})).json()) as Found[];
  assert.deepEqual(
    ann?.access.map(({ id, via }) => [id, via.map((path) => path.map((step) => step.id))]),
    [
      ['r-analyst', []],
      ['p-pay', [['r-analyst']]],
      ['e-pay', [['r-analyst', 'p-pay']]],
      ['e-wiki', [['r-analyst']]],
    ],
  );
  assert.deepEqual(ann?.access[1]?.via[0]?.[0], {
    ...{ type: 'ROLE', id: 'r-analyst', name: 'Finance Analyst' },
  });
  assert.deepEqual(bob?.access[0]?.via, []);

  const narrow = { queryResultFilter: { includes: ['access.id', 'access.via'] } };
  const [projected] = (await (await search(narrow)).json()) as Found[];
  assert.deepEqual(Object.keys(projected?.access[2] ?? {}).sort(), ['id', 'via']);
  const [bare] = (await (await search({ includeNested: false })).json()) as object[];
  assert.equal('access' in (bare ?? {}), false);
  const [plain] = (await (await search({ accessPaths: false })).json()) as Found[];
  assert.equal('via' in (plain?.access[0] ?? {}), false);
  const mixed = await search({ indices: ['identities', 'roles'], query: { query: '*' } });
  assert.equal(mixed.status, 200);
  assert.equal((await search({}, 251)).status, 400);
  assert.equal((await search({ accessPaths: 'yes' })).status, 400);
});

describe('the paths of one identity', () => {
  const path = (id: string) => `/admin/v1/identities/${id}/access-paths`;
  const pathsOf = async (id: string) => {
    const answer = await service.call('GET', path(id));
    assert.equal(answer.status, 200);
    const { access } = (await answer.json()) as {
      access: { id: string; paths: { id: string }[][]; pathCount: number }[];
    };
    return Object.fromEntries(
      access.map(({ id: element, paths, pathCount }) => {
        assert.equal(pathCount, paths.length);
        return [element, paths.map((steps) => steps.map((step) => step.id).join(' > '))];
      }),
    );
  };

  test('name the roles and access profiles that grant each element', async () => {
    assert.deepEqual(await pathsOf('ann'), {
      'r-analyst': [],
      'p-pay': ['r-analyst'],
      'e-pay': ['r-analyst > p-pay'],
      'e-wiki': ['r-analyst'],
    });
    assert.deepEqual(await pathsOf('bob'), { 'e-pay': [] });
    assert.deepEqual(await pathsOf('dan'), { 'r-auditor': [], 'e-ledger': ['r-auditor'] });
    assert.deepEqual(await pathsOf('eve'), { 'p-pay': [], 'e-pay': ['p-pay'] });
  });

  test('need the right to read documents, in the own tenant', async () => {
    const helper = await addUser(service, { capabilities: ['HELPDESK'] });
    assert.equal((await helper.call('GET', path('ann'))).status, 403);
    const auditor = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
    assert.equal((await auditor.call('GET', path('ann'))).status, 200);
    const other = await addTenant(service, 'foreign');
    assert.equal((await other.call('GET', path('ann'))).status, 404);
    assert.equal((await service.call('GET', path('unknown'))).status, 404);
  });
});
