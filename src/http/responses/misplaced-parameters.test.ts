import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialect } from '../requests/endpoint.ts';
import { parameterWarnings } from './misplaced-parameters.ts';

const LIST = {
  names: ['limit', 'offset', 'count', 'filters', 'sorters', 'filters'],
  form: {
    filters: {
      id: { kind: 'text', operators: ['eq', 'in'] },
      alias: { kind: 'text', operators: ['sw'] },
      'source.name': 'text',
      firstName: 'text',
      created: { kind: 'date', operators: ['ge'] },
    },
    sorters: ['alias', 'created'],
    limitMax: 50,
  },
} as const;
const NERM = {
  names: ['limit', 'offset', 'order', 'metadata', 'id', 'uid', 'status', 'profile_type_id'],
  orders: ['id', 'uid', 'created_at'],
};
const OPEN = { ...NERM, names: [...NERM.names, 'name'], orders: ['name'], isOpen: true };

/** What is sent instead of a parameter; null: nothing is known of it. */
const CASES: readonly [dialect: Dialect | 'open', name: string, send: string | null][] = [
  ['isc', 'filter', 'filters, such as filters=alias sw "A"'],
  ['isc', 'query', 'filters, such as filters=alias sw "A"'],
  ['isc', 'sort', 'sorters, such as sorters=created'],
  ['isc', 'order_by', 'sorters, such as sorters=created'],
  ['isc', 'page', 'offset, the number of records to skip'],
  ['isc', 'startIndex', 'offset, the number of records to skip'],
  ['isc', 'pageSize', 'limit, such as limit=50'],
  ['isc', 'per_page', 'limit, such as limit=50'],
  ['isc', 'itemsPerPage', 'limit, such as limit=50'],
  ['isc', '$top', 'limit, such as limit=50'],
  ['isc', 'includeTotal', 'count=true'],
  ['isc', 'Limit', 'limit'],
  ['isc', 'limt', 'limit'],
  ['isc', 'source.name', 'filters=source.name eq "A"'],
  ['isc', 'source_name', 'filters=source.name eq "A"'],
  ['isc', 'firstname', 'filters=firstName eq "A"'],
  ['isc', 'alias', 'filters=alias sw "A"'],
  ['isc', 'created', 'filters=created ge 2026-01-31T00:00:00Z'],
  ['isc', 'name', 'filters=source.name eq "A"'],
  ['isc', 'colour', null],
  ['isc', 'status', null],
  ['isc', 'a b', null],
  ['nerm', 'filters', 'each attribute by its name, such as uid=ada'],
  ['open', 'query', 'each attribute by its name, such as name=Ada'],
  ['nerm', 'filter[status]', 'status=...'],
  ['nerm', 'filter[name]', null],
  ['open', 'attributes[first_name]', 'first_name=...'],
  ['open', 'attributes.first_name', 'first_name=...'],
  ['nerm', 'sort', 'order, such as order=created_at, which is ascending'],
  ['open', 'sorters', 'order, such as order=name, which is ascending'],
  ['nerm', 'page_size', 'limit, such as limit=100'],
  ['nerm', 'page', 'offset, the number of records to skip'],
  ['nerm', 'count', 'metadata=true'],
  ['nerm', 'profileTypeId', 'profile_type_id'],
  ['nerm', 'stauts', 'status'],
  ['nerm', 'colour', null],
  ['nerm', '__proto__', null],
  ['search', 'sort', '"sort": ["name", "-created"] in the body'],
  ['search', 'size', 'limit in the URL, such as ?limit=250'],
  ['search', 'startIndex', 'offset in the URL, such as ?offset=250'],
  ['search', 'ofset', 'offset'],
  ['search', 'colour', null],
];
for (const [dialect, name, send] of CASES) {
  test(`a ${dialect} list says ${send ?? 'nothing'} of ${name}`, () => {
    const known = dialect === 'open' ? OPEN : dialect === 'nerm' ? NERM : LIST;
    const format = dialect === 'open' ? 'nerm' : dialect;
    const [ignored, mend, ...more] = parameterWarnings([name], known, format);
    const once = [...new Set(known.names)].join(', ');
    assert.equal(ignored?.text, `Ignored unknown parameters "${name}"; known are ${once}`);
    assert.equal(mend?.text, send === null ? undefined : `Instead of "${name}" send ${send}`);
    assert.deepEqual(more, []);
  });
}

test('a route without sorters or filters suggests neither', () => {
  const texts = parameterWarnings(['sort', 'name', 'limit'], { names: ['owner-id'] }, 'isc');
  assert.deepEqual(texts, [
    { text: 'Ignored unknown parameters "sort", "name", "limit"; known are owner-id' },
  ]);
});

test('warns of nothing if nothing is unknown, and shows a bounded part of many', () => {
  assert.deepEqual(parameterWarnings([], LIST, 'isc'), []);
  const names = Array.from({ length: 300 }, (_, n) => `${'x'.repeat(500)}${n}`);
  const known = names.map((_, n) => `known_parameter_${n}`);
  const texts = parameterWarnings(names, { names: known }, 'isc');
  assert.equal(texts.length, 1);
  assert.match(
    texts[0]?.text ?? '',
    /and 295 more; known are known_parameter_0, .* and 2\d\d more$/,
  );
  assert.ok((texts[0]?.text.length ?? 0) < 900);
});
