// A page writes exactly as many bytes as it announces, at any offset: the JSON of its hits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { SourceFilter } from '../../query/query.ts';
import type { Hit } from '../ports/search-backend.ts';
import { type HitRows, PageForm } from './hit-page.ts';

const TENANT = { id: 't1', name: 'acme', pod: 'local', created: '2026-01-01T00:00:00.000Z' };
const ALL: SourceFilter = { includes: [], excludes: [], nested: true };
const GUARD = 0xee;

function hit(root: string, nested = '', more: Partial<Hit> = {}): Hit {
  const [rootBytes, nestedBytes] = [Buffer.from(root), Buffer.from(nested)];
  return {
    ...{ index: 'identities', id: 'x', score: null, sort: [] },
    ...{ root: rootBytes, nested: nestedBytes },
    ...more,
  };
}

/** The same hit as a backend returns it that has both parts in one piece. */
function inOnePiece(one: Hit): Hit {
  const bytes = Buffer.concat([one.root, one.nested]);
  return { ...one, joined: { bytes, rootLength: one.root.length } };
}

function formOf(source: SourceFilter): PageForm {
  return new PageForm(source, (index) => staticMapping(index, TENANT));
}

function written(hits: readonly Hit[], source = ALL): unknown {
  return joined(formOf(source).page(hits));
}

/** Concatenates the output of all pieces; each must write exactly its length. */
function joined(pieces: readonly HitRows[]): unknown {
  const start = 5;
  const written = pieces.map((piece) => {
    const target = Buffer.alloc(piece.length + 2 * start, GUARD);
    piece.writeTo(target, start);
    assert.ok(target.subarray(0, start).every((byte) => byte === GUARD));
    assert.ok(target.subarray(start + piece.length).every((byte) => byte === GUARD));
    return target.subarray(start, start + piece.length);
  });
  return JSON.parse(Buffer.concat(written).toString());
}

const ENVELOPE = { _type: 'identity', _version: 'v2', pod: 'local', org: 'acme' };
const CASES: readonly [string, readonly Hit[], SourceFilter, readonly object[]][] = [
  ['nothing', [], ALL, []],
  ['a document', [hit('{"id":"ä"}')], ALL, [{ id: 'ä', ...ENVELOPE }]],
  [
    'nested members',
    [hit('{"id":"1"}', '"access":[{"a":1}]')],
    ALL,
    [{ id: '1', access: [{ a: 1 }], ...ENVELOPE }],
  ],
  [
    'a projection',
    [hit('{"id":"1","name":"n"}'), hit('{"id":"2"}')],
    { ...ALL, includes: ['id'] },
    [{ id: '1' }, { id: '2' }],
  ],
];
for (const [name, hits, source, expected] of CASES) {
  test(`a page of ${name}`, () => {
    const rows = written(hits, source) as Record<string, unknown>[];
    assert.equal(rows.length, expected.length);
    for (const [i, row] of rows.entries()) assert.deepEqual({ ...row, ...expected[i] }, row);
    assert.deepEqual(written(hits.map(inOnePiece), source), rows);
  });
}

test('a projection parses one document per step, and gives the same page as in one go', () => {
  const hits = Array.from({ length: 40 }, (_, n) => hit(`{"id":"${n}","name":"n${n}"}`));
  const form = formOf({ ...ALL, includes: ['id'] });
  assert.equal(form.projects, true);
  const steps = form.pageSteps(hits);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  assert.equal(count, hits.length);
  assert.deepEqual(joined(step.value), written(hits, { ...ALL, includes: ['id'] }));
});

test('splits a large page into several pieces that form one array', () => {
  const text = 'x'.repeat(10_000);
  const hits = Array.from({ length: 200 }, (_, n) => hit(`{"id":"${n}","text":"${text}"}`));
  const pieces = formOf(ALL).page(hits);
  assert.ok(pieces.length >= 7, `${pieces.length} pieces`);
  for (const piece of pieces) assert.ok(piece.length < 300_000, `${piece.length} bytes`);
  const rows = joined(pieces) as { id: string }[];
  assert.deepEqual(
    rows.map(({ id }) => id),
    hits.map((_, n) => String(n)),
  );
});

test('each index and each kind of element has its own envelope, even for an empty element', () => {
  const hits = [
    hit('{"id":"1"}'),
    hit('{"id":"2"}', '', { index: 'roles' }),
    hit('{"id":"3"}', '', { elementOf: 'access' }),
    hit('{}', '', { elementOf: 'access' }),
    hit('{}'),
    hit('{"id":"5"}'),
  ];
  for (const page of [hits, hits.map(inOnePiece)]) {
    assert.deepEqual(
      (written(page) as Record<string, unknown>[]).map(({ _type }) => _type),
      ['identity', 'role', 'access', 'access', 'identity', 'identity'],
    );
  }
});

test('one form projects several pages', () => {
  const form = formOf({ ...ALL, includes: ['id', 'access.a'] });
  const show = (hits: readonly Hit[]) =>
    (joined(form.page(hits)) as { id: string; access?: unknown }[]).map(({ id, access }) => [
      id,
      access,
    ]);
  const ada = hit('{"id":"1"}', '"access":[{"a":1,"b":2}]');
  const bob = hit('{"id":"2","name":"n"}');
  assert.deepEqual(show([ada, bob]), [
    ['1', [{ a: 1 }]],
    ['2', undefined],
  ]);
  assert.deepEqual(show([bob]), [['2', undefined]]);
});

test('releases the memory of the hits with the last piece', () => {
  let released = 0;
  const release = () => {
    released += 1;
  };
  const form = new PageForm(ALL, (index) => staticMapping(index, TENANT));
  const hits = Array.from({ length: 3 }, () => hit(`{"id":"${'x'.repeat(200_000)}"}`));
  const pieces = form.page(hits, release);
  assert.ok(pieces.length > 1);
  assert.deepEqual(
    pieces.map((piece) => piece.release === release),
    pieces.map((_, at) => at === pieces.length - 1),
  );
  assert.equal(released, 0);
});
