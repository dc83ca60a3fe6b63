// Explanations as files that are reviewed like code: plans over the demo company's mapping, and documents held against
// them; UPDATE_GOLDEN=1 writes them anew. Times are left out.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';

const DOCUMENTS: readonly Record<string, unknown>[] = [
  {
    _type: 'identity',
    id: 'ada',
    name: 'ada.byron',
    displayName: 'Ada Byron',
    attributes: { city: 'London' },
    accounts: [
      { id: 'a1', source: { name: 'Payroll' }, disabled: false },
      { id: 'a2', source: { name: 'Directory' }, disabled: true },
    ],
  },
  { _type: 'identity', id: 'bob', name: 'bob.stone', displayName: 'Bob Stone', accountCount: 3 },
  { _type: 'role', id: 'r1', name: 'Ada role', description: 'for Ada' },
];

/** File name, what is sent, and the document asked about. */
const CASES: readonly (readonly [name: string, body: object, parameters?: string])[] = [
  ['one-index', { indices: ['identities'], query: { query: 'name:ada* AND accountCount:>2' } }],
  [
    'shared-clause',
    { indices: ['identities', 'roles'], query: { query: 'ada +name:"ada role"' }, sort: ['-name'] },
  ],
  [
    'typing-errors',
    {
      indices: ['identities'],
      query: { query: 'dispalyName:ada OR @acounts(disabled:true)' },
      filters: { nmae: { terms: ['x'] }, created: { range: { lower: { value: '2024' } } } },
    },
  ],
  ['values', { queryType: 'TYPEAHEAD', typeAheadQuery: { query: 'ada b', field: 'displayName' } }],
  [
    'calculated',
    {
      indices: ['identities'],
      query: { query: 'accountCount:>2', innerHit: { type: 'accounts', query: 'disabled:false' } },
      sort: ['-accountCount', 'name'],
      queryResultFilter: { includes: ['id', 'attributes.*'] },
      aggregationsDsl: {
        Cities: {
          terms: { field: 'attributes.city.exact', size: 3 },
          aggs: { open: { nested: { path: 'accounts' } }, seen: { max: { field: 'modified' } } },
        },
        old: { filter: { range: { created: { lt: '2020-01-01' } } } },
      },
    },
    'limit=20&count=true',
  ],
  [
    'nested-in-vain',
    {
      indices: ['identities'],
      query: { query: '@accounts(source.name:payroll AND disabled:true) attributes.city:london' },
    },
    'id=ada',
  ],
  [
    'kept-out',
    {
      indices: ['identities'],
      queryType: 'DSL',
      queryDsl: {
        bool: {
          must: [{ match: { displayName: 'ada byron' } }],
          must_not: [{ exists: { field: 'accounts' } }],
        },
      },
    },
    'index=identities&id=ada',
  ],
];

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments(DOCUMENTS);
});
after(() => service.stop());

for (const [name, body, parameters = ''] of CASES) {
  test(`${name} is explained as reviewed`, async () => {
    const answer = await service.call('POST', `/v2024/search/explain?${parameters}`, body);
    assert.equal(answer.status, 200);
    const { milliseconds, ...told } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(Object.keys(milliseconds as object), ['plan', 'search', 'fetch', 'count']);
    const text = `${JSON.stringify({ request: body, parameters, ...told }, null, 2)}\n`;
    const file = `test/golden/explain/${name}.txt`;
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
    assert.equal(text, readFileSync(file, 'utf8'));
  });
}
