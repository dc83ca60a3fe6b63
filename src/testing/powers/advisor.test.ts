import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedRequest } from '../types.ts';
import { adviceFor } from './advisor.ts';

type Change = Partial<RecordedRequest> & { readonly t?: number };

/** Entries of one client; `t` is the second at which one began. */
function journal(...changes: readonly Change[]): RecordedRequest[] {
  return changes.map(({ t = 0, ...change }, n) => ({
    number: n + 1,
    at: new Date(t * 1_000).toISOString(),
    ms: 0,
    client: 'c1',
    method: 'POST',
    path: '/v2024/search',
    status: 200,
    ...change,
  }));
}

const rules = (...changes: readonly Change[]) =>
  adviceFor(journal(...changes)).map(({ rule, count }) => `${rule} ${count}`);

const many = (count: number, change: (n: number) => Change) =>
  Array.from({ length: count }, (_, n) => change(n));
const search = { searchAfter: false };
const token = { path: '/oauth/token' };

const cases: readonly [string, readonly Change[], readonly string[]][] = [
  ['100 requests in 10 s', many(100, () => ({})), []],
  ['101 requests in 10 s', many(101, () => ({})), ['rate-limit 1']],
  ['200 requests in 20 s', many(200, (n) => ({ t: n / 10 })), []],
  ['101 requests of two clients', many(101, (n) => ({ client: `c${n % 2}` })), []],
  ['101 requests to two versions', many(101, (n) => ({ path: `/v202${4 + (n % 2)}/x` })), []],
  ['a request after the pause', [{ status: 429, retryAfter: 5 }, { t: 5 }], []],
  ['a request before the pause', [{ status: 429, retryAfter: 5 }, { t: 3 }], ['retry-after 1']],
  [
    'another client before it',
    [
      { status: 429, retryAfter: 5 },
      { t: 3, client: 'c2' },
    ],
    [],
  ],
  [
    'a request that was already under way',
    [{ t: 1, status: 429, retryAfter: 5, ms: 100 }, { t: 1.05 }],
    [],
  ],
  [
    'a search after a write',
    [
      { method: 'PATCH', path: '/v3/auth-users/1' },
      { t: 2, search },
    ].slice(1),
    [],
  ],
  [
    'a search 2 s after a write',
    [
      { method: 'PATCH', path: '/v2024/auth-users/1' },
      { t: 2, search },
    ],
    ['search-after-write 1'],
  ],
  [
    'a search 6 s after a write',
    [
      { method: 'PATCH', path: '/v2024/auth-users/1' },
      { t: 6, search },
    ],
    [],
  ],
  [
    'a search after a write that failed',
    [
      { method: 'PATCH', path: '/v2024/auth-users/1', status: 400 },
      { t: 2, search },
    ],
    [],
  ],
  ['offset 9,750', [{ search: { ...search, offset: 9_750, limit: 250 } }], []],
  ['offset 9,751', [{ search: { ...search, offset: 9_751, limit: 250 } }], ['offset-window 1']],
  ['searchAfter by id', [{ search: { searchAfter: true, sort: ['name', '-id'] } }], []],
  [
    'searchAfter by name',
    [{ search: { searchAfter: true, sort: ['name'] } }],
    ['search-after-ties 1'],
  ],
  ['an answer with a warning', [{ warned: true }, {}], ['warning 1']],
  [
    'warnings that other rules are about',
    [
      { warned: true, search: { searchAfter: true, sort: ['name'] } },
      { ...token, warned: true, secretInQuery: true },
    ],
    ['search-after-ties 1', 'secret-in-query 1'],
  ],
  ['a page of 250', [{ limit: 250 }], []],
  ['a page of 251', [{ limit: 251 }], ['page-size 1']],
  ['two tokens', [token, {}, token, {}], []],
  ['a token for each request', [token, {}, token, {}, token, {}], ['token-per-request 3']],
  ['three tokens for many requests', [token, token, token, ...many(6, () => ({}))], []],
  ['a secret in the query', [{ ...token, secretInQuery: true }, token], ['secret-in-query 1']],
  ['explain', [{ path: '/search/v1/explain' }], ['extension 1']],
  ['refresh=wait', [{ path: '/x', refreshWait: true }], ['extension 1']],
  ['/v3', [{ path: '/v3/search' }, { path: '/v3/search' }], ['old-path 2']],
  ['a list', [{ method: 'GET', path: '/v2026/accounts', limit: 250, offset: 90_000 }], []],
  ['a list of /v3', [{ method: 'GET', path: '/v3/accounts' }], ['old-path 1']],
  [
    'lists that /v3 and /beta do not have',
    ['v3/identities', 'v3/entitlements/1', 'v3/roles/1/entitlements', 'beta/public-identities'].map(
      (path) => ({ method: 'GET', path: `/${path}` }),
    ),
    ['extension 4', 'old-path 4'],
  ],
  ['/beta', [{ path: '/beta/search' }, { path: '/v2024/beta' }], ['old-path 1']],
];
for (const [name, changes, expected] of cases) {
  test(`${name}: ${expected.length === 0 ? 'no advice' : expected.join()}`, () => {
    assert.deepEqual(rules(...changes), expected);
  });
}

test('names the first request and at most ten numbers', () => {
  const [advice] = adviceFor(journal({}, ...many(12, () => ({ limit: 1_000 }))));
  assert.equal(advice?.request.number, 2);
  assert.equal(advice?.count, 12);
  assert.deepEqual(advice?.requests, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
