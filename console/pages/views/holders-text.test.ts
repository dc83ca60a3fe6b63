import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdersText } from './holders-text.ts';

const cases: readonly [Parameters<typeof holdersText>[0], string][] = [
  [undefined, 'Who is restricted to it sees nothing from then on.'],
  [{ userCount: 0, tokens: [], clients: [] }, 'Nobody is restricted to it.'],
  [
    { userCount: 0, tokens: null, clients: [] },
    'No auth user is restricted to it; tokens or clients that are would see nothing.',
  ],
  [
    { userCount: 0, tokens: [1], clients: [] },
    '1 token is restricted to it and sees nothing from then on.',
  ],
  [
    { userCount: 2, tokens: [1], clients: [1, 2] },
    '2 auth users, 1 token, and 2 API clients are restricted to it and see nothing from then on.',
  ],
];
for (const [holders, expected] of cases) {
  test(`before a deletion: ${expected}`, () => {
    assert.equal(holdersText(holders), expected);
  });
}
