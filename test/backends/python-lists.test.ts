// The lists of the official Python package, unmodified, against a served demo company: its models refuse
// an object without a member that they require, or with a value of another type.
// test/support/installed-packages.ts says what it needs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { installedPython, PYTHON_SDK } from '../support/installed-packages.ts';
import { COMPANY_DOCUMENTS, LISTED_IDS } from '../support/listed-company.ts';
import { type RunningService, startService } from '../support/service.ts';

interface Seen {
  readonly lists: Readonly<Record<string, { ids: string[]; total: string; again: boolean }>>;
  /** How many objects are below those of a list. */
  readonly below: Readonly<Record<string, number>>;
}

let service: RunningService;
let seen: Seen;

before(async () => {
  const python = installedPython(PYTHON_SDK);
  service = await startService();
  await service.addDocuments(COMPANY_DOCUMENTS);
  // Not blocking: the service runs in this very process.
  const { stdout } = await promisify(execFile)(python, ['test/clients/python-lists.py'], {
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

for (const [area, ids] of Object.entries(LISTED_IDS)) {
  test(`its pager reads the list of ${area} whole, and an object of it again by its id`, () => {
    const list = seen.lists[area];
    assert.deepEqual(list?.ids.sort(), ids);
    assert.equal(list?.total, String(ids.length));
    assert.ok(list?.again);
  });
}

test('it reads what is below accounts, roles and access profiles', () => {
  for (const [name, count] of Object.entries(seen.below)) assert.ok(count > 0, name);
});
