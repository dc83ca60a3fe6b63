import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultRule, RecordedRequest } from '../../../src/testing/types.ts';
import { effectText, matchText, outcomeText, requestText } from './request-text.ts';

const REQUEST: RecordedRequest = {
  ...{ number: 1, at: '2026-01-15T09:00:00.000Z', ms: 3, client: 'c1' },
  ...{ method: 'POST', path: '/v2024/search', status: 200 },
};

test('a request is described by what its answer depends on', () => {
  const search = { indices: ['identities', 'roles'], sort: ['name', 'id'], searchAfter: true };
  assert.equal(requestText(REQUEST), 'POST /v2024/search');
  assert.equal(
    requestText({ ...REQUEST, limit: 250, offset: 0, search }),
    'POST /v2024/search, identities and roles, limit 250, offset 0, sort name, id, searchAfter',
  );
});

test('an outcome tells the status, the pause that was asked for, and an injected fault', () => {
  assert.equal(outcomeText(REQUEST), '200');
  assert.equal(outcomeText({ ...REQUEST, status: null }), '–');
  assert.equal(
    outcomeText({ ...REQUEST, status: 429, retryAfter: 1, fault: true }),
    '429, Retry-After 1, injected',
  );
});

const RULES: readonly (readonly [FaultRule, match: string, effect: string])[] = [
  [{ then: { drop: true } }, 'all requests', 'connection closed'],
  [
    {
      match: { method: 'POST', path: '/v2024/search', first: 2 },
      then: { status: 429, retryAfter: 1 },
    },
    'the first 2 of POST /v2024/search',
    'status 429, Retry-After 1',
  ],
  [
    { match: { path: '/v2024/*', probability: 0.125 }, then: { delayMs: 2_000 } },
    '12.5% of /v2024/*',
    'after 2000 ms',
  ],
  [
    { match: { client: 'c1', every: 5 }, then: { truncate: 10 } },
    '1 in 5 of all requests by c1',
    'connection closed after 10 bytes',
  ],
];

for (const [rule, match, effect] of RULES) {
  test(`a rule for ${match} is described with its effect`, () => {
    assert.equal(matchText(rule), match);
    assert.equal(effectText(rule), effect);
  });
}
