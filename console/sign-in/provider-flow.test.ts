// What a tab remembers of a sign-in while the browser is at the OpenID provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProviderAnswer, type Kept, keepFlow, takeFlow } from './provider-flow.ts';

test('gives the sign-in under way back once', () => {
  const items = new Map<string, string>();
  const storage: Kept = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
  const flow = { state: 's', nonce: 'n', verifier: 'v', hash: '#/search/roles' };
  keepFlow(flow, storage);
  assert.deepEqual(takeFlow(storage), flow);
  assert.equal(items.size, 0);
  assert.equal(takeFlow(storage), null);
});

for (const [query, isAnswer] of [
  ['?code=a&state=b', true],
  ['?error=access_denied&state=b', true],
  ['?code=a', false],
  ['', false],
] as const) {
  test(`${query || 'no query'} is ${isAnswer ? 'an' : 'no'} answer`, () =>
    assert.equal(isProviderAnswer(query), isAnswer));
}
