// Figures do not depend on the segment in which a document is stored: a document moves to another one
// when any of its fields changes, also one that a view hides.
import assert from 'node:assert/strict';
import test from 'node:test';
import { drive } from '../../../../test/support/engine-search.ts';
import { sourceDocument, testMapping, testSegment } from '../../../../test/support/segments.ts';
import type { Aggregation, Aggregations } from '../../../query/aggregation.ts';
import { DateCache } from '../../../query/dates/date-cache.ts';
import { visibleSegments } from '../../hits/visible-segments.ts';
import { QueryCache } from '../../index/query-cache.ts';
import { aggregate } from '../aggregator.ts';
import { RequestAggregation } from '../collecting/collector.ts';

const mapping = testMapping({ id: 'keyword', ratio: 'double', phone: 'keyword' });
const source = { kind: 'numbers', field: 'ratio', column: 'value', type: 'double' } as const;
const FIGURES: Aggregations = Object.fromEntries(
  (['sum', 'avg', 'stats', 'extendedStats'] as const).map((kind): [string, Aggregation] => [
    kind,
    { kind, source },
  ]),
);
const PERCENTILES: Aggregations = {
  percentiles: { kind: 'percentiles', source, percents: [1, 25, 50, 75, 99.9], keyed: true },
};

/** The figures through a view that shows everything but the field `phone`. */
function figuresOf(
  segments: readonly (readonly number[])[],
  ratios: readonly (readonly number[])[],
  aggregations: Aggregations,
): unknown {
  const views = segments.map((numbers) => ({
    segment: testSegment(
      mapping,
      numbers.map((n) => sourceDocument(`i${n}`, { ratio: ratios[n], phone: String(n) })),
    ),
    ...{ liveDocs: null, liveCount: numbers.length },
  }));
  const all = { kind: 'matchAll' } as const;
  const visible = drive(visibleSegments({ views, cache: new QueryCache() }, all)).value;
  const target = { index: 'identities', mapping, query: all, aggregations, ...visible } as const;
  return drive(aggregate([target], [aggregations], 100)).value;
}

/** Moves every document that `moves` names into a segment of its own. */
const spread = (count: number, moves: (n: number) => boolean): number[][] => {
  const all = Array.from({ length: count }, (_, n) => n);
  return [all.filter((n) => !moves(n)), ...all.filter(moves).map((n) => [n])];
};

test('sums of fractions are the same after documents have moved to other segments', () => {
  const ratios = [0.1, 0.7, 340.68, 0.3, 1e16, 0.2, -1e16, 123.45, 0.1].map((one) => [one]);
  const { length } = ratios;
  const first = figuresOf(
    spread(length, () => false),
    ratios,
    FIGURES,
  ) as {
    sum: { value: number };
  };
  assert.equal(first.sum.value, 465.53000000000003);
  for (let moved = 0; moved < length; moved++) {
    for (const moves of [(n: number) => n === moved, (n: number) => n > moved]) {
      assert.deepEqual(figuresOf(spread(length, moves), ratios, FIGURES), first, `${moved}`);
    }
  }
});

test('percentiles of many values through a view are exact, wherever they are stored', () => {
  // 12,000 values, tenths from 0 to 1,199.9.
  const ratios = Array.from({ length: 120 }, (_, n) =>
    Array.from({ length: 100 }, (_value, at) => (((n * 100 + at) * 7919) % 12_000) / 10),
  );
  const expected = {
    percentiles: { values: { '1.0': 12, '25.0': 300, '50.0': 600, '75.0': 900, '99.9': 1198.8 } },
  };
  for (const moves of [() => false, (n: number) => n % 7 === 3, (n: number) => n > 60]) {
    assert.deepEqual(
      JSON.parse(JSON.stringify(figuresOf(spread(120, moves), ratios, PERCENTILES))),
      expected,
    );
  }
});

test('more values than are kept are refused, since their percentiles would not be exact', () => {
  const request = new RequestAggregation(1, new DateCache());
  for (let count = 0; count < 1_000_000; count++) request.addExactValue();
  assert.throws(() => request.addExactValue(), {
    code: 'request_invalid',
    message: /more than 1,000,000 values .* not available through a view/,
  });
});
