import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snippet } from '../export/snippets.ts';
import { queryFaultOf } from '../pages/search/query/query-fault.ts';
import { kindOf, labelOf } from './kinds.ts';
import {
  anyCase,
  boundsBody,
  facetsBody,
  histogramBody,
  intervalFor,
  rowsBody,
  searchBody,
  sortKeysOf,
  tabsBody,
} from './search-body.ts';
import { defaultSearch } from './search-state.ts';

const state = {
  ...defaultSearch('events'),
  query: 'status:FAILED',
  facetFilters: { type: ['AUTH'], 'actor.name': ['System', 'ada'] },
  span: { from: '2025-01-01T00:00:00.000Z', to: '2025-02-01T00:00:00.000Z' },
};
const typeFilter = { type: 'TERMS', terms: ['AUTH'] };

test('builds a body with the query, facet filters, dates and a total order', () => {
  assert.deepEqual(searchBody(state), {
    indices: ['events'],
    query: { query: 'status:FAILED' },
    filters: {
      type: typeFilter,
      'actor.name': { type: 'TERMS', terms: ['System', 'ada'] },
      created: {
        type: 'RANGE',
        range: {
          lower: { value: '2025-01-01T00:00:00.000Z', inclusive: true },
          upper: { value: '2025-02-01T00:00:00.000Z', inclusive: false },
        },
      },
    },
    sort: ['-created', 'id'],
  });
});

test('searches for everything without a query, and without a sort by relevance', () => {
  const whole = defaultSearch('roles');
  assert.deepEqual(searchBody({ ...whole, sort: '' }), {
    indices: ['roles'],
    query: { query: '*' },
  });
  assert.deepEqual(sortKeysOf({ ...whole, sort: '-id' }), ['-id']);
});

test('requests the members that rows show and those of the sort', () => {
  const { queryResultFilter } = rowsBody({
    ...defaultSearch('roles'),
    columns: ['owner.name'],
    sort: '-created',
  });
  assert.deepEqual(queryResultFilter, {
    includes: ['id', 'name', 'displayName', 'owner.name', 'created'],
  });
});

test('leaves the selection of a facet out of its own counts', () => {
  const [type, , , actor] = kindOf('events').facets;
  assert.ok(type !== undefined && actor !== undefined);
  const body = facetsBody(state, [actor], () => 6, 'actor.name');
  assert.deepEqual(Object.keys(body['filters'] as object), ['type', 'created']);
  assert.deepEqual(body['aggregationsDsl'], {
    facet0: { terms: { field: 'actor.name', size: 6 } },
  });
});

test('excludes values with a filter of its own', () => {
  const { filters } = searchBody({ ...defaultSearch('roles'), excluded: { enabled: ['false'] } });
  assert.deepEqual(filters, { enabled: { type: 'TERMS', terms: ['false'], exclude: true } });
});

test('finds facet values by the start of a word, in any case', () => {
  const pattern = new RegExp(`^(?:${anyCase('sal')})$`);
  for (const value of ['Sales', 'SALES', 'Field Sales', 'pre-sales']) assert.match(value, pattern);
  for (const value of ['Universal', 'Legal']) assert.doesNotMatch(value, pattern);
  assert.match('a.b (x)', new RegExp(`^(?:${anyCase('a.b (')})$`));
  const facet = { field: 'source.name', label: 'Source' };
  const body = facetsBody(defaultSearch('roles'), [facet], () => 20, null, 'a');
  assert.match(JSON.stringify(body), /"include":"\(\.\*\[\^A-Za-z0-9\]\)\?\(a\|A\)\.\*"/);
});

test('counts documents, not elements, for the values of a nested array', () => {
  const facet = { field: 'accounts.source.name', label: '', nested: 'accounts' };
  const { aggregationsDsl } = facetsBody(defaultSearch('identities'), [facet], () => 3, null);
  assert.match(JSON.stringify(aggregationsDsl), /"nested":\{"path":"accounts"\}.*reverse_nested/);
});

test('counts all types by the query alone', () => {
  assert.equal((tabsBody('')['indices'] as string[]).length, 6);
  assert.equal(tabsBody('x')['filters'], undefined);
});

test('chooses an interval with at most 180 bars for any time range', () => {
  const day = 86_400_000;
  const lengths: Record<string, number> = {
    minute: 6e4,
    hour: 36e5,
    day,
    week: 7 * day,
    month: 30 * day,
    year: 365 * day,
  };
  for (const span of [day / 24, day / 2, 3 * day, 30 * day, 365 * day, 3_000 * day, 20_000 * day]) {
    const bars = span / (lengths[intervalFor(span)] ?? 0);
    assert.ok(bars <= 180, `${span}: ${intervalFor(span)} makes ${bars}`);
  }
  assert.match(
    JSON.stringify([boundsBody(state, 'created'), histogramBody(state, 'created', 'day')]),
    /calendar_interval":"day"/,
  );
});

test('finds the position of a syntax error, and none for other faults', () => {
  const fault = {
    kind: 'refused' as const,
    message: 'Query string, offset 5: this quote is not closed',
  };
  assert.deepEqual(queryFaultOf(fault, 'name:"ada'), {
    offset: 5,
    message: 'This quote is not closed',
  });
  assert.equal(queryFaultOf(fault, 'a')?.offset, 1);
  assert.equal(queryFaultOf({ ...fault, message: 'filters.x: offset 5: no' }, 'a'), null);
  assert.equal(queryFaultOf({ ...fault, kind: 'unavailable' }, 'a'), null);
});

test('writes snippets of the same search, with quotes escaped for the shell and Python', () => {
  const body = { query: { query: `name:"O'Hara\\""` } };
  const line = snippet('curl', body, 'http://cardea.example/');
  const quoted = /-d '(.*)'$/s.exec(line)?.[1]?.replaceAll(`'\\''`, "'");
  assert.deepEqual(JSON.parse(quoted ?? ''), body);
  assert.deepEqual(JSON.parse(snippet('body', body, '')), body);
  const python = /r"""\n(.*)\n"""/s.exec(snippet('python', body, ''))?.[1];
  assert.deepEqual(JSON.parse(python ?? ''), body);
  assert.ok(snippet('typescript', body, '').includes(JSON.stringify(body, null, 2)));
});

test('makes labels of field names', () => {
  const labels = [
    'displayName',
    'attributes.jobTitle',
    'source.name',
    'name',
    'accounts.source.name',
    'attributes.is.contractor',
    'attributes.cost.center.name',
  ].map(labelOf);
  assert.deepEqual(labels, [
    'Display name',
    'Job title',
    'Source',
    'Name',
    'Source',
    'Is contractor',
    'Cost center name',
  ]);
});
