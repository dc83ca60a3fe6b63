import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialect } from '../endpoint.ts';
import { parameterWarnings } from './misplaced-parameters.ts';

const LIST = ['limit', 'offset', 'count', 'filters', 'sorters'];
const NERM = ['limit', 'offset', 'order', 'metadata', 'id', 'uid', 'name', 'profile_type_id'];

/** What is sent instead of a parameter; null: nothing is known of it. */
const CASES: readonly [dialect: Dialect, name: string, send: string | null][] = [
  ['isc', 'filter', 'filters, such as filters=name sw "A"'],
  ['isc', 'query', 'filters, such as filters=name sw "A"'],
  ['isc', 'sort', 'sorters, such as sorters=name,-modified'],
  ['isc', 'order_by', 'sorters, such as sorters=name,-modified'],
  ['isc', 'page', 'offset, the number of records to skip'],
  ['isc', 'pageSize', 'limit, such as limit=250'],
  ['isc', 'per_page', 'limit, such as limit=250'],
  ['isc', '$top', 'limit, such as limit=250'],
  ['isc', 'includeTotal', 'count=true'],
  ['isc', 'Limit', 'limit'],
  ['isc', 'source.name', 'filters=source.name eq "..."'],
  ['isc', 'name', 'filters=name eq "..."'],
  ['isc', 'a b', null],
  ['nerm', 'filters', 'each attribute by its name, such as name=Ada'],
  ['nerm', 'query', 'each attribute by its name, such as name=Ada'],
  ['nerm', 'filter[name]', 'name=...'],
  ['nerm', 'attributes[first_name]', 'first_name=...'],
  ['nerm', 'attributes.first_name', 'first_name=...'],
  ['nerm', 'sort', 'order, such as order=name, which is ascending'],
  ['nerm', 'sorters', 'order, such as order=name, which is ascending'],
  ['nerm', 'page_size', 'limit, such as limit=100'],
  ['nerm', 'page', 'offset, the number of records to skip'],
  ['nerm', 'count', 'metadata=true'],
  ['nerm', 'profileTypeId', 'profile_type_id'],
  ['nerm', 'colour', null],
  ['nerm', '__proto__', null],
  ['search', 'sort', '"sort": ["name", "-created"] in the body'],
  ['search', 'size', 'limit in the URL, such as ?limit=250'],
  ['search', 'colour', null],
];
for (const [dialect, name, send] of CASES) {
  test(`a ${dialect} list says ${send ?? 'nothing'} of ${name}`, () => {
    const known = dialect === 'nerm' ? NERM : LIST;
    const [ignored, mend, ...more] = parameterWarnings([name], known, dialect);
    assert.equal(
      ignored?.text,
      `Ignored unknown parameters "${name}"; known are ${known.join(', ')}`,
    );
    assert.equal(mend?.text, send === null ? undefined : `Instead of "${name}" send ${send}`);
    assert.deepEqual(more, []);
  });
}

test('a route without sorters or filters suggests neither', () => {
  const texts = parameterWarnings(['sort', 'name', 'limit'], ['owner-id'], 'isc');
  assert.deepEqual(texts, [
    { text: 'Ignored unknown parameters "sort", "name", "limit"; known are owner-id' },
  ]);
});

test('warns of nothing if nothing is unknown, and shows a bounded part of many', () => {
  assert.deepEqual(parameterWarnings([], LIST, 'isc'), []);
  const names = Array.from({ length: 300 }, (_, n) => `${'x'.repeat(500)}${n}`);
  const known = names.map((_, n) => `known_parameter_${n}`);
  const texts = parameterWarnings(names, known, 'isc');
  assert.equal(texts.length, 1);
  assert.match(
    texts[0]?.text ?? '',
    /and 295 more; known are known_parameter_0, .* and 2\d\d more$/,
  );
  assert.ok((texts[0]?.text.length ?? 0) < 900);
});
