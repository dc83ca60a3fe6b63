import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../test/differential/random.ts';
import { run } from '../../../../test/differential/random-history.ts';
import { sourceDocument, testMapping, testSegment } from '../../../../test/support/segments.ts';
import { QueryCache } from '../../index/query-cache.ts';
import { liveView, withDeleted } from '../../sections/live-docs.ts';
import type { SegmentView } from '../../sections/segment.ts';
import { compareCodePoints } from '../../sections/utf8.ts';
import { dictionariesOf, globalOrdinals, mergeDictionaries } from './global-ordinals.ts';

const MAPPING = testMapping({ id: 'keyword', k: 'keyword' });
const PARTS = ['', 'a', 'ab', 'é', '\u{1f600}', '\uffee'];

function randomView(random: Random, documents: number): SegmentView {
  const list = Array.from({ length: documents }, (_, at) => {
    const values = random.list(0, 3, () => random.pick(PARTS) + random.int(40));
    return sourceDocument(
      `d${String(at).padStart(4, '0')}`,
      values.length === 0 ? {} : { k: values },
    );
  });
  return liveView(testSegment(MAPPING, list));
}

test('each string of any segment has one ordinal, in string order', () => {
  for (let seed = 0; seed < 25; seed++) {
    const random = new Random(seed);
    const views = random.list(1, 6, () => randomView(random, random.int(60)));
    const dictionaries = dictionariesOf(views, null, 'k');
    const { size, numbers, views: from, ords } = run(mergeDictionaries(dictionaries));
    const all = dictionaries.flatMap((terms) =>
      Array.from({ length: terms?.size ?? 0 }, (_, ord) => terms!.term(ord)),
    );
    const expected = [...new Set(all)].sort(compareCodePoints);
    const terms = Array.from(from, (view, number) => dictionaries[view]!.term(ords[number]!));
    assert.deepEqual(terms, expected);
    assert.equal(size, expected.length);
    for (const [view, terms] of dictionaries.entries()) {
      if (terms === undefined) assert.equal(numbers[view], null);
      else
        for (let ord = 0; ord < terms.size; ord++) {
          assert.equal(expected[numbers[view]![ord]!], terms.term(ord));
        }
    }
  }
});

test('ordinals are built once for a list of segments despite deletions, and again for another list', () => {
  const random = new Random(1);
  const first = randomView(random, 50);
  const second = randomView(random, 50);
  const cache = new QueryCache();
  const ordinals = run(globalOrdinals({ views: [first, second], cache }, null, 'k', 1000));
  assert.ok(ordinals);
  const fewer = withDeleted(first, [1, 2, 3]);
  assert.equal(run(globalOrdinals({ views: [fewer, second], cache }, null, 'k', 0)), ordinals);
  const third = randomView(random, 50);
  const refreshed = run(globalOrdinals({ views: [first, second, third], cache }, null, 'k', 1000));
  assert.ok(refreshed);
  assert.notEqual(refreshed, ordinals);
  assert.equal(refreshed.numbers.length, 3);
});

test('dictionaries are not merged for few rows', () => {
  const random = new Random(2);
  const views = [randomView(random, 80), randomView(random, 80)];
  assert.equal(run(globalOrdinals({ views, cache: new QueryCache() }, null, 'k', 2)), null);
});
