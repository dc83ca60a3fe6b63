import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSteps } from '../../../query/steps.ts';
import { setBit } from '../../rows/bit-set.ts';
import { allLive } from '../../sections/live-docs.ts';
import type { RowSet } from '../collecting/rows.ts';
import type { OrdinalKeys } from './key-column.ts';
import { countKeys } from './key-counts.ts';

const ROWS = 1_000;
const KEYS = 3;
/** Row 0 has no key, the others one of three in turn. */
const ORDS = Int32Array.from({ length: ROWS }, (_, row) => (row === 0 ? -1 : row % KEYS));
const FREQUENCIES = [333, 333, 333];
const COUNTED = [...FREQUENCIES, 1];

const setOf = (...rows: number[]): Uint32Array => {
  const bits = new Uint32Array(allLive(ROWS).length);
  for (const row of rows) setBit(bits, row);
  return bits;
};

const allBut = (row: number): Uint32Array => {
  const bits = allLive(ROWS).slice();
  bits[row >>> 5]! &= ~(1 << (row & 31));
  return bits;
};

const cases: readonly {
  readonly of: string;
  readonly rows: RowSet;
  readonly setSize: number;
  readonly empty: 'counted' | 'ignored';
  readonly expected: readonly number[];
  /** Whether the frequencies of keys are read instead of all rows. */
  readonly byFrequency: boolean;
}[] = [
  {
    ...{ of: 'all rows', rows: null, setSize: ROWS, empty: 'ignored' },
    ...{ expected: FREQUENCIES, byFrequency: true },
  },
  {
    ...{ of: 'all rows but one', rows: allBut(4), setSize: ROWS - 1, empty: 'ignored' },
    ...{ expected: [333, 332, 333], byFrequency: true },
  },
  {
    ...{ of: 'two rows', rows: setOf(5, 9), setSize: 2, empty: 'ignored' },
    ...{ expected: [1, 0, 1], byFrequency: false },
  },
  {
    ...{ of: 'all rows, with those without a key', rows: null, setSize: ROWS, empty: 'counted' },
    ...{ expected: COUNTED, byFrequency: false },
  },
];

for (const { of, rows, setSize, empty, expected, byFrequency } of cases) {
  test(`counts the keys of ${of} ${byFrequency ? 'by their frequencies' : 'row by row'}`, () => {
    let read = 0;
    const column: OrdinalKeys = {
      ...{ kind: 'ordinals', ords: ORDS, start: null, size: KEYS },
      frequency(ord) {
        read += 1;
        return FREQUENCIES[ord]!;
      },
    };
    const counts = runSteps(countKeys(column, { rows, rowCount: ROWS, setSize, empty }));
    assert.deepEqual([...counts].slice(0, expected.length), expected);
    assert.equal(read, byFrequency ? KEYS : 0);
  });
}
