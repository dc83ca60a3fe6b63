import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestJournal } from './request-journal.ts';

const request = (tenantId: string, change: object = {}) => ({
  ...{ tenantId, clientId: 'c', method: 'POST', path: '/v2024/search', query: {}, body: {} },
  ...change,
});
const OUTCOME = { status: 200, began: 0, ended: 1, retryAfter: null, fault: false, warned: false };

test('keeps the last 1,000 requests of a tenant and counts all', () => {
  const journal = new RequestJournal();
  for (let n = 0; n < 1_005; n += 1) journal.record(request('a'), OUTCOME);
  assert.equal(journal.entries('a').length, 1_000);
  assert.equal(journal.entries('a')[0]?.number, 6);
  assert.equal(journal.total('a'), 1_005);
  journal.forget('a');
  assert.deepEqual(journal.entries('a'), []);
});

test('keeps 1,000 tenants, those with the latest requests', () => {
  const journal = new RequestJournal();
  journal.record(request('first'), OUTCOME);
  for (let n = 0; n < 999; n += 1) journal.record(request(`t${n}`), OUTCOME);
  journal.record(request('first'), OUTCOME);
  journal.record(request('last'), OUTCOME);
  assert.equal(journal.entries('first').length, 2);
  assert.equal(journal.entries('t0').length, 0);
  assert.equal(journal.entries('t1').length, 1);
});

const SEARCHES: readonly (readonly [path: string, indices: readonly string[] | undefined])[] = [
  ['/v2024/search', ['roles']],
  ['/search/v1', ['roles']],
  ['/v3/search/rows', ['roles']],
  ['/v3/search/events', ['events']],
  ['/search/v1/identities', ['identities']],
  ['/v3/saved-searches', undefined],
  ['/api/advanced_search/run', undefined],
];
for (const [path, indices] of SEARCHES) {
  test(`a request to ${path} is ${indices === undefined ? 'no search' : `a search in ${indices}`}`, () => {
    const journal = new RequestJournal();
    journal.record(request('a', { path, body: { indices: ['roles'] } }), OUTCOME);
    assert.deepEqual(journal.entries('a')[0]?.search?.indices, indices);
  });
}

test('keeps nothing of a body or a query but paging, indices and sort keys, each cut to a length', () => {
  const journal = new RequestJournal();
  const query = { limit: '20', offset: 'x', client_secret: 'secret', refresh: 'wait' };
  const body = {
    indices: ['roles', 7],
    sort: ['x'.repeat(10_000)],
    query: { query: 'secret' },
    searchAfter: ['secret'],
  };
  journal.record(request('a', { query, body, path: '/v3/search/' }), OUTCOME);
  journal.record(request('a', { query, body }), OUTCOME);
  const [other, search] = journal.entries('a');
  assert.equal(other?.search, undefined);
  assert.deepEqual(search?.search, {
    indices: ['roles'],
    sort: ['x'.repeat(300)],
    limit: 20,
    searchAfter: true,
  });
  assert.equal(search?.refreshWait, true);
  assert.doesNotMatch(JSON.stringify(journal.entries('a')), /secret/);
});
