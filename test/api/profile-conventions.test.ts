// What every list of profile management has in common, list by list, on the demo company: links of pages,
// the order of creation, and paths with `/api` twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PROFILES } from '../../src/service/profiles/profile-cases.ts';
import { descriptors } from '../../src/service/profiles/resources/descriptors.ts';
import { ADVANCED_SEARCHES } from '../../src/service/profiles/rules/advanced-searches.ts';
import { putDemoProfiles } from '../support/demo-profiles.ts';
import { type RunningService, startService } from '../support/service.ts';

const LISTS = [
  ...Object.values(descriptors).map(({ collection }) => collection.key),
  ...[PROFILES.key, ADVANCED_SEARCHES.key],
];

interface Listed {
  readonly id: string;
  readonly created_at?: string;
}

let service: RunningService;
before(async () => {
  service = await startService();
  await putDemoProfiles(service, 120, '2026-11-28T09:00:00.000Z');
  const [users, roles, profiles] = await Promise.all(
    ['users', 'roles', 'profiles'].map((key) => page(`/api/${key}?limit=2&metadata=true`, key)),
  );
  for (const [n, { id: profile_id }] of (profiles?.rows ?? []).entries()) {
    const link = { profile_id, relationship_type: 'contributor' };
    for (const [key, body] of [
      ['user_profile', { ...link, user_id: users?.rows[n]?.id }],
      ['role_profile', { profile_id, role_id: roles?.rows[n]?.id }],
    ] as const) {
      const answer = await service.call('POST', `/api/${key}`, { [key]: body });
      assert.equal(answer.status, 200, await answer.text());
    }
    // A mirror has none of its origin.
    const rule = { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' };
    const kept = { label: `kept ${n}`, condition_rules_attributes: [rule] };
    const answer = await service.call('POST', '/api/advanced_search', { advanced_search: kept });
    assert.equal(answer.status, 200, await answer.text());
  }
});
after(() => service.stop());

/** The records and the link to the next page. */
async function page(path: string, key: string) {
  const answer = await service.call('GET', path);
  assert.equal(answer.status, 200, path);
  const body = (await answer.json()) as Record<string, Listed[]> & {
    readonly _metadata: { readonly next: string; readonly previous: string };
  };
  return { rows: body[key] ?? [], ...body._metadata };
}

for (const key of LISTS) {
  test(`/api/${key} has links that begin with /api and work with another /api before them`, async () => {
    const first = await page(`/api/${key}?limit=1&metadata=true`, key);
    assert.equal(first.rows.length, 1);
    assert.match(first.next, new RegExp(`^/api/${key}\\?offset=1&limit=1`));
    const second = await page(first.next, key);
    assert.match(second.previous, new RegExp(`^/api/${key}\\?offset=0&limit=1`));
    const headers = { authorization: `Bearer ${await service.token()}` };
    const answer = await fetch(`${service.url}/api${first.next}`, { headers });
    assert.equal(answer.status, 200);
    const { _metadata, [key]: rows } = (await answer.json()) as Record<string, object>;
    assert.deepEqual({ rows, ..._metadata }, second);
  });

  test(`/api/${key} is listed in the order of creation`, async () => {
    const by = (order: string) => page(`/api/${key}?limit=100&metadata=true${order}`, key);
    const { rows } = await by('&order=created_at');
    const times = rows.flatMap(({ created_at }) => created_at ?? []);
    if (times.length > 0) assert.deepEqual(times, [...times].sort());
    else assert.deepEqual(rows, (await by('')).rows);
    const bracketed = await by('&query%5Border%5D=created_at');
    assert.deepEqual(bracketed.rows, rows);
  });
}
