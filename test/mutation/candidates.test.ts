// suite: slow
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { Random } from '../differential/random.ts';
import { type BuiltCopy, copyBuild } from './built-copy.ts';
import { type Candidate, chooseCandidates, findCandidates } from './candidates.ts';
import { smallCheckout } from './small-checkout.ts';

let checkout: Awaited<ReturnType<typeof smallCheckout>>;
let copy: BuiltCopy;
let candidates: Candidate[];
before(async () => {
  checkout = await smallCheckout();
  copy = await copyBuild(checkout.root);
  candidates = await findCandidates(copy);
});
after(async () => {
  await copy?.remove();
  await checkout?.remove();
});

const choose = (count: number, seed: number): string[] => {
  const random = new Random(seed);
  return chooseCandidates(candidates, count, () => random.next()).map(
    ({ source, line, after }) => `${source}:${line} ${after}`,
  );
};

test('returns the line of the TypeScript source', () => {
  const places = candidates.map(({ source, line, mutator }) => `${source}:${line} ${mutator}`);
  assert.deepEqual(places.sort(), [
    'src/name.ts:2 fallback',
    'src/range.ts:5 comparison',
    'src/range.ts:5 comparison',
    'src/range.ts:5 logic',
    'src/range.ts:5 result',
    'src/range.ts:9 arithmetic',
    'src/sum.ts:2 number',
    'src/sum.ts:3 assignment',
    'src/sum.ts:3 statement',
  ]);
});

test('returns the column of the TypeScript source', () => {
  const columns = candidates.map(({ source, line, column, start, end, text }) => ({
    at: `${source}:${line}:${column}`,
    length: end - start,
    text,
  }));
  const [arithmetic] = columns.filter(({ at }) => at.startsWith('src/range.ts:9:'));
  assert.deepEqual(arithmetic, { at: 'src/range.ts:9:20', length: 1, text: '+' });
});

test('returns the line before and after the mutation', () => {
  const [arithmetic] = candidates.filter(({ mutator }) => mutator === 'arithmetic');
  assert.equal(arithmetic?.before, 'return range.high - range.low;');
  assert.equal(arithmetic?.after, 'return range.high + range.low;');
});

test('chooses the same candidates for the same seed, and others for another seed', () => {
  assert.deepEqual(choose(3, 7), choose(3, 7));
  const choices = new Set(Array.from({ length: 20 }, (_, seed) => choose(3, seed).join()));
  assert.ok(choices.size > 5, `${choices.size} different choices of 20 seeds`);
});

test('chooses no line twice, and all lines if there are no more', () => {
  const lines = choose(100, 1).map((each) => each.split(' ')[0]);
  assert.deepEqual(lines.sort(), [
    'src/name.ts:2',
    'src/range.ts:5',
    'src/range.ts:9',
    'src/sum.ts:2',
    'src/sum.ts:3',
  ]);
});
