import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { wholeRanges } from '../sections/paged-section.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import { BlockPostings, readDocFreq } from './postings.ts';
import { PostingsWriter } from './postings-writer.ts';

interface Entry {
  readonly row: number;
  readonly positions: readonly number[];
}

/** Row lists of various sizes around the block size, dense and sparse. */
const entries = fc
  .tuple(
    fc.constantFrom(1, 2, 3, 127, 128, 129, 256, 400),
    fc.constantFrom(1, 5, 300, 70_000),
    fc.infiniteStream(fc.nat(1000)),
  )
  .map(([count, stride, random]): Entry[] => {
    let row = -1;
    return Array.from({ length: count }, () => {
      row += 1 + ((random.next().value as number) % stride);
      let position = 0;
      const freq = 1 + ((random.next().value as number) % 3);
      const positions = Array.from({ length: freq }, () => {
        position += (random.next().value as number) % 200;
        return position++;
      });
      return { row, positions };
    });
  });

/** For every row of the longest list with the widest strides. */
const NORMS = new Uint8Array(400 * 70_001).fill(1);

function written(
  terms: readonly (readonly Entry[])[],
  form: 'positions' | 'rows',
  norms: Uint8Array = NORMS,
) {
  const writer = new PostingsWriter(terms.length, form === 'positions' ? norms : null);
  for (const term of terms) {
    for (const { row, positions } of term) {
      writer.doc(row);
      if (form === 'positions') for (const position of positions) writer.position(position);
    }
    writer.endTerm();
  }
  return writer.finish();
}

for (const form of ['positions', 'rows'] as const) {
  test(`postings with ${form} are read as they were written, term by term`, () => {
    fc.assert(
      fc.property(fc.array(entries, { minLength: 1, maxLength: 4 }), (terms) => {
        const { bytes, starts, positions } = written(terms, form);
        const ranges = form === 'rows' ? null : wholeRanges(() => positions);
        terms.forEach((term, ord) => {
          const start = starts[ord]!;
          const postings = new BlockPostings(bytes, start, ranges);
          assert.equal(readDocFreq(bytes, start), term.length);
          assert.equal(postings.cost, term.length);
          assert.equal(postings.docId(), -1);
          for (const { row, positions } of term) {
            assert.equal(postings.nextDoc(), row);
            if (form === 'rows') assert.equal(postings.freq(), 1);
            else
              assert.deepEqual(
                positions.map(() => postings.nextPosition()),
                positions,
              );
          }
          assert.equal(postings.nextDoc(), NO_MORE_DOCS);
          assert.equal(postings.docId(), NO_MORE_DOCS);
        });
      }),
      { numRuns: 60 },
    );
  });
}

test('nextDoc, advance and reading some of the positions can be mixed', () => {
  const steps = fc.array(
    fc.record({ by: fc.constantFrom(0, 1, 2, 50, 1000, 100_000), read: fc.nat(3) }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(entries, steps, (term, moves) => {
      const { bytes, starts, positions } = written([term], 'positions');
      const postings = new BlockPostings(
        bytes,
        starts[0]!,
        wholeRanges(() => positions),
      );
      let row = -1;
      for (const { by, read } of moves) {
        if (row === NO_MORE_DOCS) break;
        const target = row + 1 + by;
        const expected = term.find((entry) => entry.row >= target);
        row = by === 0 ? postings.nextDoc() : postings.advance(target);
        assert.equal(row, expected?.row ?? NO_MORE_DOCS);
        assert.equal(postings.docId(), row);
        if (expected === undefined) continue;
        assert.equal(postings.freq(), expected.positions.length);
        const positionsRead = expected.positions.slice(0, read);
        assert.deepEqual(
          positionsRead.map(() => postings.nextPosition()),
          positionsRead,
        );
      }
    }),
    { numRuns: 300 },
  );
});

for (const form of ['positions', 'rows'] as const) {
  test(`rows with ${form} are taken in runs between single steps`, () => {
    const steps = fc.array(
      fc.record({ by: fc.constantFrom(1, 2, 64, 1000, 100_000), room: fc.constantFrom(1, 7, 128) }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(entries, steps, (term, moves) => {
        const { bytes, starts, positions } = written([term], form);
        const ranges = form === 'rows' ? null : wholeRanges(() => positions);
        const postings = new BlockPostings(bytes, starts[0]!, ranges);
        let row = postings.nextDoc();
        for (const { by, room } of moves) {
          if (row === NO_MORE_DOCS) break;
          const rows = new Int32Array(room);
          const freqs = new Int32Array(room);
          const from = term.findIndex((entry) => entry.row === row);
          const count = postings.take(row + by, rows, freqs);
          assert.ok(count > 0 && count <= room);
          const entries = term.slice(from, from + count);
          assert.ok(entries.every((entry) => entry.row < row + by));
          assert.deepEqual(
            [...rows.subarray(0, count)],
            entries.map((entry) => entry.row),
          );
          const freqOf = (entry: Entry): number => (form === 'rows' ? 1 : entry.positions.length);
          assert.deepEqual([...freqs.subarray(0, count)], entries.map(freqOf));
          const next = term[from + count];
          assert.equal(postings.docId(), next?.row ?? NO_MORE_DOCS);
          if (next !== undefined) assert.equal(postings.freq(), freqOf(next));
          row = postings.docId() === NO_MORE_DOCS ? NO_MORE_DOCS : postings.nextDoc();
        }
        assert.equal(postings.take(0, new Int32Array(1), new Int32Array(1)), 0);
      }),
      { numRuns: 200 },
    );
  });
}

test('an exhausted cursor stays exhausted', () => {
  const { bytes, starts } = written([[{ row: 3, positions: [0] }]], 'rows');
  const postings = new BlockPostings(bytes, starts[0]!, null);
  assert.equal(postings.advance(4), NO_MORE_DOCS);
  assert.equal(postings.advance(5), NO_MORE_DOCS);
  assert.equal(postings.nextDoc(), NO_MORE_DOCS);
});
