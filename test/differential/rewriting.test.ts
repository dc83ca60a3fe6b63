// Answers of the embedded backend while documents are rewritten unseen: as many askings as CARDEA_DIFFERENTIAL_CASES (600, thorough runs 3,000)
// from CARDEA_SEED.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseCount } from '../support/case-count.ts';
import { REWRITING_KINDS, withoutHidden } from './invisible-changes.ts';
import { runRewriting } from './rewriting.ts';

const SETTINGS = process.env;
const ASKINGS = Number(SETTINGS['CARDEA_DIFFERENTIAL_CASES'] ?? caseCount(600, 3000));
const SEED = Number(SETTINGS['CARDEA_SEED'] ?? 20_261_121);
/** From so many askings on everything happens at least once. */
const MANY = 2000;

test(`while documents are rewritten in ways that a question cannot see, its answer never changes, in ${ASKINGS} askings`, async () => {
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

test('answers are compared without the hidden member, at any depth', () => {
  const document = {
    id: 'd1',
    rewritten: 1,
    accounts: [{ name: 'ada', rewritten: {} }, null, 'x'],
  };
  assert.deepEqual(withoutHidden(document), { id: 'd1', accounts: [{ name: 'ada' }, null, 'x'] });
});
