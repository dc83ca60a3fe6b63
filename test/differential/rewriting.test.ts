// Results of the embedded backend during invisible rewrites of documents: CARDEA_DIFFERENTIAL_CASES
// comparisons (150, thorough runs 3,000) from CARDEA_SEED.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseCount } from '../support/case-count.ts';
import { REWRITING_KINDS, withoutHidden } from './invisible-changes.ts';
import { runRewriting } from './rewriting.ts';

const SETTINGS = process.env;
const ASKINGS = Number(SETTINGS['CARDEA_DIFFERENTIAL_CASES'] ?? caseCount(150, 3000));
const SEED = Number(SETTINGS['CARDEA_SEED'] ?? 20_261_121);
/** From this number of comparisons on, every event occurs at least once. */
const MANY = 2000;

test(`keeps results unchanged during invisible rewrites, in ${ASKINGS} comparisons`, async () => {
  const progress = await runRewriting({ seed: SEED, askings: ASKINGS });
  const { faults, askings, telling, questions, byRewriting } = progress;
  assert.equal(faults.join('\n\n'), '');
  assert.ok(askings >= ASKINGS, `${askings} askings`);
  assert.ok(telling >= questions / 2, `only ${telling} of ${questions} questions found something`);
  if (ASKINGS < MANY) return;
  for (const kind of REWRITING_KINDS) assert.ok((byRewriting.get(kind) ?? 0) > 0, kind);
  for (const event of ['seen', 'commits', 'reopenings', 'merges', 'resultHits'] as const) {
    assert.ok(progress[event] > 0, event);
  }
});

test('removes the unmapped member at any depth before a comparison', () => {
  const document = {
    id: 'd1',
    rewritten: 1,
    accounts: [{ name: 'ada', rewritten: {} }, null, 'x'],
  };
  assert.deepEqual(withoutHidden(document), { id: 'd1', accounts: [{ name: 'ada' }, null, 'x'] });
});
