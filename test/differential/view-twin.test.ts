// Answers through random views: CARDEA_DIFFERENTIAL_CASES questions (100, thorough runs 800) from CARDEA_SEED, CARDEA_VIEW_QUESTIONS
// (40) of each view, are compared with a tenant that holds only what the view shows, and asked again after CARDEA_VIEW_CHANGES (half as
// many) changes of hidden documents and fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseCount } from '../support/case-count.ts';
import { runViews } from './view-twin.ts';

const SETTINGS = process.env;
const QUESTIONS = Number(SETTINGS['CARDEA_DIFFERENTIAL_CASES'] ?? caseCount(100, 800));
const OF_A_VIEW = Number(SETTINGS['CARDEA_VIEW_QUESTIONS'] ?? 40);
const CHANGES = Number(SETTINGS['CARDEA_VIEW_CHANGES'] ?? QUESTIONS / 2);
const SEED = Number(SETTINGS['CARDEA_SEED'] ?? 20_261_128);
/** From this number of questions on, every kind of them occurs. */
const MANY = 800;

test(`a view answers as its twin, also after changes of what it hides, in ${QUESTIONS} questions`, async (t) => {
  const progress = await runViews({
    ...{ seed: SEED, questions: QUESTIONS, changes: CHANGES, questionsOfAView: OF_A_VIEW },
  });
  const { faults: _, kinds: __, ...counts } = progress;
  t.diagnostic(JSON.stringify(counts));
  const { faults, questions, telling, refused, again, kinds } = progress;
  assert.equal(faults.join('\n\n'), '');
  assert.ok(questions >= QUESTIONS, `${questions} questions`);
  assert.ok(telling >= questions / 3, `only ${telling} of ${questions} questions found something`);
  assert.ok(refused < questions / 10, `${refused} of ${questions} questions were refused`);
  assert.ok(again >= questions, `${again} answers after changes`);
  assert.ok(progress.rounded <= again / 200, `${progress.rounded} answers with other sums`);
  if (QUESTIONS >= MANY) assert.ok(kinds.size >= 13, [...kinds.keys()].join(', '));
});
