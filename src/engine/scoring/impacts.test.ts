import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../test/differential/random.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import { liveView } from '../index/live-docs.ts';
import { QueryCache } from '../index/query-cache.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Impacts } from '../terms/field-terms.ts';
import { fieldTerms } from '../terms/field-terms.ts';
import { Bm25, IndexStatistics, idf } from './bm25.ts';
import { bestScore, impactsOf } from './impacts.ts';

const MAPPING = testMapping({ text: 'text' });

function drive(steps: Generator<void, Impacts>): Impacts {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

test('the best score of the impacts is the best score of the rows, for any statistics', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = new Random(seed);
    const documents = Array.from({ length: 1 + random.int(300) }, (_, at) => {
      const count = random.chance(0.02) ? 700 : 1 + random.int(40);
      const words = random.list(1, count, () => random.pick(['a', 'a', 'b', 'c', 'd e']));
      return sourceDocument(`d${String(at).padStart(4, '0')}`, { text: words.join(' ') });
    });
    const view = liveView(testSegment(MAPPING, documents));
    const field = fieldTerms(view, { path: null, cache: new QueryCache() }, 'text', 'word');
    assert.ok(field?.norms);
    const similarities = [1, 0.5, 8].map((boost) => {
      const docCount = 1000 + random.int(1000);
      const statistics = new IndexStatistics(docCount, docCount * (1 + random.int(100)));
      return new Bm25(boost, idf(1 + random.int(1000), docCount), statistics);
    });
    for (let ord = 0; ord < field.terms.size; ord++) {
      const impacts = drive(impactsOf(field, ord));
      assert.equal(drive(impactsOf(field, ord)), impacts, 'impacts are cached');
      for (const similarity of similarities) {
        let best = 0;
        let exact = true;
        const postings = field.postings(ord)!;
        for (let row = postings.nextDoc(); row !== NO_MORE_DOCS; row = postings.nextDoc()) {
          const freq = postings.freq();
          // Greater frequencies count as unbounded, so the bound is not exact.
          if (freq >= 255) exact = false;
          best = Math.max(best, similarity.score(freq, field.norms[row]!));
        }
        const bound = bestScore(impacts, similarity);
        if (exact) assert.equal(bound, best, `seed ${seed}, ${field.terms.term(ord)}`);
        else assert.ok(bound >= best, `seed ${seed}, ${field.terms.term(ord)}: ${bound} < ${best}`);
      }
    }
  }
});
