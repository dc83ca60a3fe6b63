// The official Python package, unmodified, against a served tenant. test/support/installed-packages.ts says
// what it needs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { snippet } from '../../console/export/snippets.ts';
import { searchBody } from '../../console/model/search-body.ts';
import { defaultSearch } from '../../console/model/search-state.ts';
import { installedPython, PYTHON_SDK } from '../support/installed-packages.ts';
import { type RunningService, startService } from '../support/service.ts';

const ids = Array.from({ length: 251 }, (_, n) => `p${String(n).padStart(3, '0')}`);

let service: RunningService;
// biome-ignore lint/suspicious/noExplicitAny: whatever the program printed
let seen: any;

before(async () => {
  const python = installedPython(PYTHON_SDK);
  service = await startService();
  await service.addDocuments(
    ids.map((id) => ({ _type: 'identity', id, name: id, displayName: `Person ${id}` })),
  );
  const [user = ''] = await service.addAuthUsers(1);
  // Not blocking: the service runs in this very process.
  const { stdout } = await promisify(execFile)(python, ['test/clients/python-sdk.py', user], {
    env: {
      ...process.env,
      SAIL_BASE_URL: service.url,
      SAIL_CLIENT_ID: service.clientId,
      SAIL_CLIENT_SECRET: service.clientSecret,
    },
    timeout: 300_000,
  });
  seen = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
});
after(() => service?.stop());

test('the snippet of the console runs as it stands', async () => {
  const file = join(service.dataDir, 'snippet.py');
  writeFileSync(
    file,
    snippet('python', searchBody(defaultSearch('identities')), `${service.url}/`),
  );
  const { stdout } = await promisify(execFile)(installedPython(PYTHON_SDK), [file], {
    env: {
      ...process.env,
      SAIL_BASE_URL: service.url,
      SAIL_CLIENT_ID: service.clientId,
      SAIL_CLIENT_SECRET: service.clientSecret,
    },
    timeout: 300_000,
  });
  assert.match(stdout, /^251 \[\{/);
});

test('it searches, counts and fetches by id', () => {
  assert.deepEqual(seen.page, ['p000', 'p001', 'p002']);
  assert.equal(seen.pageTotal, '251');
  assert.deepEqual(seen.count, [204, '251']);
  assert.deepEqual(seen.bare, ['displayName', 'id', 'name', 'synced']);
});

test('its pagers walk 251 documents, each exactly once', () => {
  assert.deepEqual(seen.walks, {
    'id by 250': ids,
    '-id by 50': [...ids].reverse(),
    '+name by 251': ids,
  });
  assert.equal(seen.stream, 251);
  assert.equal(seen.offsets, 251);
});

test('it grants and takes a capability by JSON Patch', () => {
  assert.deepEqual(seen.user.capabilities, []);
  assert.equal(seen.user.lastLoginTimestamp, 0);
  assert.deepEqual(seen.granted, ['HELPDESK']);
  assert.deepEqual(seen.taken, []);
});

test('it saves, schedules, runs and deletes a search', () => {
  const { gone, ...rest } = seen.saved;
  assert.deepEqual(rest, {
    ...{ name: 'renamed', read: 'name:p00*', listed: ['renamed'], total: '1' },
    ...{ changed: 'monthly', plans: [true], run: 202, left: [204, []], deleted: [204, 204] },
  });
  assert.equal(gone[0], 404);
});

test('it makes, lists and deletes a personal access token', () => {
  assert.deepEqual(seen.token, ['from Python', 64, 43_200]);
  assert.deepEqual([...seen.listed].sort(), ['from Python', 'test']);
  assert.equal(seen.deleted, 204);
  assert.deepEqual(seen.left, ['test']);
});

test('it reads faults as the typed errors it knows', () => {
  const expected = {
    badQuery: [400, '400.1 Bad Request Content', /offset 2/],
    unknown: [404, '404 Not found', /nobody/],
    illegal: [400, '400.1.1 Illegal update attempt', /\/email/],
  } as const;
  for (const [name, [status, code, cause]] of Object.entries(expected)) {
    const [was, detailCode, trackingId, causes] = seen[name];
    assert.deepEqual([was, detailCode], [status, code]);
    assert.match(trackingId, /^[0-9a-f]{32}$/);
    assert.match(causes.join(' '), cause);
  }
});
