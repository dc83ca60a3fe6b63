import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snippet } from '../export/snippets.ts';
import { kindOf, labelOf } from './kinds.ts';
import { queryFaultOf } from './query-fault.ts';
import {
  boundsBody,
  facetsBody,
  histogramBody,
  intervalFor,
  rowsBody,
  searchBody,
  sortOf,
  tabsBody,
} from './search-body.ts';
import { wholeOf } from './search-state.ts';

const state = {
  ...wholeOf('events'),
  query: 'status:FAILED',
  narrowed: { type: ['AUTH'], 'actor.name': ['System', 'ada'] },
  span: { from: '2025-01-01T00:00:00.000Z', to: '2025-02-01T00:00:00.000Z' },
};
const typeFilter = { type: 'TERMS', terms: ['AUTH'] };

test('a state is asked with its query, what narrows it, its dates and an order that is total', () => {
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

test('nothing typed asks for everything; the best match has no order', () => {
  const whole = wholeOf('roles');
  assert.deepEqual(searchBody({ ...whole, sort: '' }), {
    indices: ['roles'],
    query: { query: '*' },
  });
  assert.deepEqual(sortOf({ ...whole, sort: '-id' }), ['-id']);
});

test('rows ask for what they show and what the next page begins behind', () => {
  const { queryResultFilter } = rowsBody({
    ...wholeOf('roles'),
    columns: ['owner.name'],
    sort: '-created',
  });
  assert.deepEqual(queryResultFilter, {
    includes: ['id', 'name', 'displayName', 'owner.name', 'created'],
  });
});

test('what is chosen of a facet does not count for its own values', () => {
  const [type, , , actor] = kindOf('events').facets;
  assert.ok(type !== undefined && actor !== undefined);
  const body = facetsBody(state, [actor], () => 6, 'actor.name');
  assert.deepEqual(Object.keys(body['filters'] as object), ['type', 'created']);
  assert.deepEqual(body['aggregationsDsl'], {
    facet0: { terms: { field: 'actor.name', size: 6 } },
  });
});

test('values below an array are counted by documents', () => {
  const facet = { field: 'accounts.source.name', label: '', nested: 'accounts' };
  const { aggregationsDsl } = facetsBody(wholeOf('identities'), [facet], () => 3, null);
  assert.match(JSON.stringify(aggregationsDsl), /"nested":\{"path":"accounts"\}.*reverse_nested/);
});

test('tabs count all types by the query alone', () => {
  assert.equal((tabsBody('')['indices'] as string[]).length, 6);
  assert.equal(tabsBody('x')['filters'], undefined);
});

test('a timeline has some dozens of bars, whatever it spans', () => {
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

test('a fault in the query is placed, another one is not', () => {
  const fault = {
    kind: 'refused' as const,
    message: 'Query string, offset 5: this quote is not closed',
  };
  assert.deepEqual(queryFaultOf(fault, 'name:"ada'), {
    offset: 5,
    sentence: 'This quote is not closed',
  });
  assert.equal(queryFaultOf(fault, 'a')?.offset, 1);
  assert.equal(queryFaultOf({ ...fault, message: 'filters.x: offset 5: no' }, 'a'), null);
  assert.equal(queryFaultOf({ ...fault, kind: 'away' }, 'a'), null);
});

test('snippets ask the same search, with its quotes kept from the shell and from Python', () => {
  const body = { query: { query: `name:"O'Hara\\""` } };
  const line = snippet('curl', body, 'http://here/');
  const quoted = /-d '(.*)'$/s.exec(line)?.[1]?.replaceAll(`'\\''`, "'");
  assert.deepEqual(JSON.parse(quoted ?? ''), body);
  assert.deepEqual(JSON.parse(snippet('body', body, '')), body);
  const python = /r"""\n(.*)\n"""/s.exec(snippet('python', body, ''))?.[1];
  assert.deepEqual(JSON.parse(python ?? ''), body);
  assert.ok(snippet('typescript', body, '').includes(JSON.stringify(body, null, 2)));
});

test('columns are headed by words', () => {
  const labels = [
    'displayName',
    'attributes.jobTitle',
    'source.name',
    'name',
    'accounts.source.name',
  ].map(labelOf);
  assert.deepEqual(labels, ['Display name', 'Job title', 'Source', 'Name', 'Source']);
});
