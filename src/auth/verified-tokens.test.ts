// Lookup of verified tokens by text and by hash, within their lifetime and that of the entry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_AGE_MS, VerifiedTokens } from './verified-tokens.ts';

const START = 1_000_000;

test('returns a token until it expires, however often it is used', () => {
  const tokens = new VerifiedTokens<string>();
  tokens.set('a', 'claims', START + 1_000, START);
  for (const now of [START, START + 1, START + 999]) assert.equal(tokens.get('a', now), 'claims');
  assert.equal(tokens.get('a', START + 1_000), undefined);
  assert.equal(tokens.get('a', START + 1), undefined);
});

test('returns no token after MAX_AGE_MS, nor before it was checked', () => {
  const tokens = new VerifiedTokens<string>();
  tokens.set('a', 'claims', Number.POSITIVE_INFINITY, START);
  assert.equal(tokens.get('a', START + MAX_AGE_MS - 1), 'claims');
  assert.equal(tokens.get('a', START - 1), undefined);
  tokens.set('b', 'claims', Number.POSITIVE_INFINITY, START);
  assert.equal(tokens.get('b', START), 'claims');
  assert.equal(tokens.get('b', START + MAX_AGE_MS), undefined);
});

test('replaces the claims of a token that is checked again', () => {
  const tokens = new VerifiedTokens<string>();
  tokens.set('a', 'first', START + 10, START);
  assert.equal(tokens.get('a', START), 'first');
  tokens.set('a', 'second', START + 1_000, START + 5);
  assert.equal(tokens.get('a', START + 6), 'second');
  assert.equal(tokens.get('a', START + 500), 'second');
});

test('keeps the claims of the tokens used last', () => {
  const tokens = new VerifiedTokens<number>({ kept: 100 });
  for (let n = 0; n < 250; n += 1) tokens.set(`t${n}`, n, START + 1_000, START);
  for (let n = 0; n < 100; n += 1) assert.equal(tokens.get(`t${n}`, START), undefined);
  for (const _round of [1, 2]) {
    for (let n = 150; n < 250; n += 1) assert.equal(tokens.get(`t${n}`, START), n);
  }
});
