// The other pages of the console in a real browser, and the accessibility of every page by axe-core.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { addUser, tokenOf } from '../../support/callers.ts';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';

let world: ConsoleWorld;
/** Ids of a manager with accounts, access and owned objects, and of an auth user. */
let manager = '';
let user = '';
before(async () => {
  world = await startConsoleWorld({ CARDEA_TESTING: 'on' });
  manager = await firstId('isManager:true AND ownsCount:>0 AND @access(type:ROLE)');
  user = await firstId('attributes.department:* AND NOT inactive:true', 'id');
});
after(() => world?.stop());
afterEach(() => assert.deepEqual(world.complaints(), []));

async function firstId(query: string, sort = 'name'): Promise<string> {
  const body = { indices: ['identities'], query: { query }, sort: [sort, 'id'] };
  const users = new Set(await idsOfUsers());
  const answer = await world.service.call('POST', '/v2024/search', body);
  const hits = (await answer.json()) as { id: string }[];
  const hit = hits.find(({ id }) => sort !== 'id' || users.has(id));
  assert.ok(hit !== undefined, query);
  return hit.id;
}

async function idsOfUsers(): Promise<string[]> {
  const { demoAuthUsers } = await import('../../../src/demo/auth-users.ts');
  const recipe = { seed: 1, identities: 400, now: Date.parse('2025-06-30'), tenant: 'test' };
  return [...demoAuthUsers(recipe)].slice(0, 20).map(({ id }) => id);
}

test('shows the access, accounts, owned objects and events of an identity, with links', async () => {
  const page = await world.open(`/document/identities/${manager}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const tab of ['Accounts', 'Apps', 'Owns', 'Events', 'Activities', 'JSON', 'Access']) {
    await page.locator('.tabs a', { hasText: tab }).click();
    await page.locator(`.tabs a[aria-current]`, { hasText: tab }).waitFor();
  }
  await page.getByRole('radio', { name: 'Table' }).check();
  const role = page.locator('.related', { hasText: 'Roles' }).locator('.table a').first();
  const name = await role.innerText();
  await role.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.locator('.tabs a', { hasText: 'Identities' }).click();
  await page.locator('.related .table a').first().click();
  await page.locator('.document-head', { hasText: 'Identity' }).waitFor();
});

test('names the role and access profile through which an entitlement is held, as links', async () => {
  const page = await world.open(`/document/identities/${manager}?tab=access&view=table`);
  const entitlements = page.locator('.related', { hasText: 'Entitlements' });
  const path = entitlements.locator('td', { hasText: /Through .+ → .+/ }).first();
  await path.waitFor();
  const role = path.locator('a').first();
  const name = await role.innerText();
  await role.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.locator('.document-head', { hasText: 'Role' }).waitFor();
});

test('leads the page of a person with state, manager and risks, and folds ids away', async () => {
  const leaver = await firstId('inactive:true AND @accounts(disabled:false)');
  const page = await world.open(`/document/identities/${leaver}`);
  const card = page.locator('.document-card');
  await card.getByText(/^Inactive, with \d+ open accounts?$/).waitFor();
  await card.getByText(/^\d+ open of \d+$/).waitFor();
  const manager = card.locator('.card-facts a').first();
  const ids = page.locator('.identifiers');
  await ids.getByText(leaver).waitFor({ state: 'hidden' });
  await ids.locator('summary').click();
  await ids.getByText(leaver).waitFor();
  await page.locator('.tabs a', { hasText: 'Accounts' }).click();
  await page.locator('.table .pill', { hasText: 'Open' }).first().waitFor();
  await page.locator('.tabs a', { hasText: 'Timeline' }).click();
  await page.locator('.timeline-entry, .empty').first().waitFor();
  const name = await manager.innerText();
  await manager.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
});

test('lists the access profiles of an entitlement', async () => {
  const page = await world.open('/search/entitlements');
  await page.locator('.rows-all .row a').first().click();
  await page.locator('.tabs a', { hasText: 'In access profiles' }).click();
  await page.getByRole('heading', { level: 2, name: /In access profiles/ }).waitFor();
});

test('reports a missing document', async () => {
  const page = await world.open('/document/roles/nobody');
  await page.locator('.notice-title', { hasText: 'Not found' }).waitFor();
});

test('finds a user, sends the previewed patch, and shows it in the history', async () => {
  const page = await world.open('/users');
  await page.getByLabel('Name, email or ID').fill(user);
  await page.locator('.people a').first().click();
  const helpdesk = page.locator('.capability', { hasText: 'HELPDESK' });
  await helpdesk.locator('input').check();
  assert.equal(
    await page.locator('[data-testid=patch]').innerText(),
    '{"op":"add","path":"/capabilities/-","value":"HELPDESK"}',
  );
  await page.getByRole('button', { name: 'Apply' }).click();
  const saved = page.getByRole('status').filter({ hasText: 'Saved' });
  await saved.getByText('HELPDESK').waitFor();
  assert.ok(await helpdesk.locator('input').isChecked());
  await page.getByRole('region', { name: 'Held' }).getByText('Help desk').waitFor();
  const history = page.getByRole('region', { name: 'History' }).first();
  await history.locator('.pill-good', { hasText: 'HELPDESK' }).waitFor();
  const stored = await world.service.call('GET', `/v2024/auth-users/${user}`);
  assert.deepEqual(((await stored.json()) as { capabilities: string[] }).capabilities, [
    'HELPDESK',
  ]);
});

test('finds capabilities by their names in words', async () => {
  const page = await world.open(`/users/${user}`);
  await page.getByLabel('Find a capability').fill('role sub');
  await page.locator('.capability', { hasText: 'ROLE_SUBADMIN' }).waitFor();
  assert.equal(await page.locator('.capability').count(), 1);
});

test("does not overwrite another user's change", async () => {
  const page = await world.open(`/users/${user}`);
  await page.locator('.capability', { hasText: 'REPORT_ADMIN' }).locator('input').check();
  const patch = [{ op: 'add', path: '/capabilities/-', value: 'CERT_ADMIN' }];
  await world.service.call('PATCH', `/v2024/auth-users/${user}`, patch, {
    'content-type': 'application/json-patch+json',
  });
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('This user was changed by someone else').waitFor();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('No changes').waitFor();
  assert.ok(
    await page.locator('.capability', { hasText: 'CERT_ADMIN' }).locator('input').isChecked(),
  );
});

test('explains why the last administrator cannot be removed', async () => {
  const page = await world.open(`/users/${world.service.adminId}`);
  await page.locator('.capability', { hasText: 'ORG_ADMIN' }).locator('input').uncheck();
  await page.getByText('Removes ORG_ADMIN').waitFor();
  await page.getByText('This is your own capability').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('This is the last administrator').waitFor();
});

test('links the tiles of the dashboard to their searches', async () => {
  const page = await world.open('/dashboard');
  const tile = page.locator('.figure-tile', { hasText: 'Inactive with enabled accounts' });
  await tile.locator('.figure-value').getByText(/^\d+$/).waitFor();
  const count = await tile.locator('.figure-value').innerText();
  await tile.click();
  await page.locator('.total strong').getByText(count, { exact: true }).waitFor();
  for (const title of [
    'Privileged access by source',
    'Dormant accounts by source',
    'Failed events',
  ]) {
    await page.goto(page.url().replace(/#.*/, '#/dashboard'));
    const bar = page.getByRole('region', { name: title, exact: true }).locator('.bar').first();
    const documents = await bar.locator('.bar-count').innerText();
    await bar.click();
    await page.locator('.total strong').getByText(documents, { exact: true }).waitFor();
  }
});

test('alarms on the dashboard, and keeps its time range in the address', async () => {
  const page = await world.open('/dashboard');
  await page.locator('.figure-tile[data-alarm=bad]', { hasText: 'Inactive with' }).waitFor();
  assert.equal(
    await page.locator('.figure-tile[data-alarm]', { hasText: 'Privileged access' }).count(),
    0,
  );
  await page.getByRole('img', { name: /of which \d+ failed/ }).waitFor();
  await page.getByLabel('Time range').selectOption('Last 7 days');
  await page.waitForURL(/dashboard\?in=now-7d/);
  await page.getByRole('button', { name: 'Clear dates' }).click();
  await page.waitForURL(/dashboard$/);
});

test('lists profiles by type and status, and opens them', async () => {
  const page = await world.open('/profiles');
  await page.locator('.profile-total').waitFor();
  const all = await page.locator('.profile-total').innerText();
  await page.locator('.filters select').nth(0).selectOption({ label: 'Contractor' });
  await page.locator('.filters select').nth(1).selectOption('Active');
  await page
    .locator('.profile-total')
    .getByText(new RegExp(`^(?!${all}$)\\d+$`))
    .waitFor();
  await page.locator('.table a').first().click();
  await page.locator('.document-head', { hasText: 'Contractor' }).waitFor();
});

test('builds, runs, pages, saves and deletes an advanced search', async () => {
  const page = await world.open('/profiles/advanced');
  const add = async (field: string, operator: string) => {
    await page.getByRole('button', { name: 'Add rule' }).click();
    const rule = page.locator('.rule').last();
    await rule.getByLabel('Field').selectOption({ label: field });
    await rule.getByLabel('Operator').selectOption({ label: operator });
    return rule;
  };
  const type = await add('Type', 'is');
  await type.getByLabel('Value').selectOption({ label: 'Contractor' });
  await page.getByRole('button', { name: 'Run' }).click();
  const contractors = Number(await page.locator('.profile-total').innerText());
  assert.ok(contractors > 50, String(contractors));
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText(/^51–/).waitFor();
  const city = await add('City', 'is');
  await city
    .getByLabel('Value')
    .locator('option', { hasText: 'Dublin' })
    .waitFor({ state: 'attached' });
  await city.getByLabel('Value').selectOption({ label: 'Dublin' });
  const end = await add('End date', 'is within');
  await end.getByLabel('Days').fill('9999');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(/include|9999/);
  await page.getByLabel('Save search as').fill('Dublin contractors');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const saved = page.locator('.saved-list li', { hasText: 'Dublin contractors' });
  await saved.waitFor();
  await page.goto(page.url().replace(/#.*/, '#/profiles/advanced'));
  await saved.getByRole('button', { name: 'Dublin contractors', exact: true }).click();
  await page.locator('.rule').nth(2).waitFor();
  assert.equal(await page.locator('.rule').nth(2).getByLabel('Days').inputValue(), '9999');
  await saved.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await saved.waitFor({ state: 'detached' });
});

test('creates a token, shows its secret once, and deletes it', async () => {
  const page = await world.open('/operations/keys');
  await page.getByLabel('New token name').fill('nightly report');
  await page.getByRole('button', { name: 'Create token' }).click();
  const lines = await page.locator('.secret .code').innerText();
  const [, id = '', secret = ''] = /ID=(\S+)\nSAIL_CLIENT_SECRET=(\S+)/.exec(lines) ?? [];
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const signIn = () =>
    fetch(`${world.service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  assert.equal((await signIn()).status, 200);
  await page.getByRole('button', { name: 'Done' }).click();
  assert.ok(!(await page.content()).includes(secret));
  await page.getByRole('button', { name: 'Delete token nightly report' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('button', { name: 'Delete token nightly report' })
    .waitFor({ state: 'detached' });
  assert.equal((await signIn()).status, 401);
});

test('creates an API key for profile management, shows it once, and deletes it', async () => {
  const page = await world.open('/operations/keys');
  await page.getByLabel('New API key name').fill('badge printer');
  await page.getByLabel('New API key name').press('Enter');
  const key = await page.locator('.secret .code').innerText();
  const opens = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${world.service.url}/api/roles`, { headers })).status;
  };
  assert.equal(await opens(), 200);
  await page.getByRole('button', { name: 'Done' }).click();
  assert.ok(!(await page.content()).includes(key));
  await page.getByRole('button', { name: 'Delete API key badge printer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await opens(), 200);
  await page.getByRole('button', { name: 'Delete API key badge printer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('button', { name: 'Delete API key badge printer' })
    .waitFor({ state: 'detached' });
  assert.equal(await opens(), 401);
});

test('creates an API key with the scope Read, and lists it with that scope', async () => {
  const page = await world.open('/operations/keys');
  const keys = page.getByRole('region', { name: 'API keys' });
  await keys.getByLabel('New API key name').fill('report');
  await keys.getByLabel('Scope').selectOption({ label: 'Read' });
  await keys.getByRole('button', { name: 'Create API key' }).click();
  const key = await keys.locator('.secret .code').innerText();
  const status = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${world.service.url}${path}`, { method, headers })).status;
  };
  const row = keys.getByRole('row').filter({ hasText: 'report' });
  const cells = await row.getByRole('cell').allInnerTexts();
  assert.equal(cells[2], 'Read');
  assert.equal(cells[6], 'Never');
  assert.equal(await status('GET', '/api/roles'), 200);
  assert.equal(await status('POST', '/api/role'), 403);
  await row.getByRole('button', { name: 'Delete API key report' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});

test('rejects an API key without a printable name', async () => {
  const page = await world.open('/operations/keys');
  await page.getByLabel('New API key name').fill('   ');
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByText('1 to 255 printable characters').waitFor();
  assert.equal(await page.getByLabel('New API key name').inputValue(), '   ');
});

test('keeps the form when a token is rejected', async () => {
  const page = await world.open('/operations/keys');
  await page.getByLabel('New token name').fill('nightly');
  await page.getByLabel('Scopes').fill('"quoted"');
  await page.getByRole('button', { name: 'Create token' }).click();
  const refusal = page.getByRole('alert');
  await refusal.getByText('a scope has no blanks, quotes or backslashes').waitFor();
  assert.equal(await page.getByLabel('Scopes').inputValue(), '"quoted"');
  assert.equal(await refusal.getByRole('button', { name: 'Try again' }).count(), 0);
});

test('reports a file without documents', async () => {
  const page = await world.open('/operations/data');
  const buffer = Buffer.alloc(0);
  const file = { name: 'empty.ndjson', mimeType: 'application/x-ndjson', buffer };
  await page.getByLabel('Choose a file').setInputFiles(file);
  await page.getByText('The file contains no documents').waitFor();
});

test('reports a missing auth user', async () => {
  const page = await world.open('/users/nobody');
  await page.getByText('Auth user not found').waitFor();
});

test('polls the node status, but not while the page is hidden', async () => {
  const page = await world.open('/operations');
  await page.clock.install();
  await page.reload();
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/v1/status')) requests += 1;
  });
  const node = page.getByRole('region', { name: 'This node' });
  await node.locator('.line-chart canvas').nth(1).waitFor();
  await node.getByText('SQLite').waitFor();
  await page.getByRole('link', { name: 'Data' }).click();
  const roles = page
    .getByRole('region', { name: 'Documents by type' })
    .getByRole('row', { name: /^Roles/ });
  const before = Number(await roles.getByRole('cell').nth(1).innerText());
  await world.service.addDocuments([{ _type: 'role', id: 'live', name: 'Live' }]);
  await roles.getByRole('cell', { name: String(before + 1), exact: true }).waitFor();
  const show = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await show(true);
  const requestsBefore = requests;
  await page.clock.fastForward(60_000);
  assert.equal(requests, requestsBefore);
  const next = page.waitForRequest(/admin\/v1\/status$/);
  await show(false);
  await next;
});

test('shows documents and tokens without faults to users who are not administrators', async () => {
  const helper = await addUser(world.service, { capabilities: ['REPORT_ADMIN'] });
  const token = await tokenOf(world.service.url, helper);
  const page = await world.open('/operations', {}, token);
  await page.getByText('The service is ready').waitFor();
  await page.getByRole('link', { name: 'Data' }).click();
  await page.getByRole('region', { name: 'Documents by type' }).getByText('Roles').waitFor();
  await page.getByRole('link', { name: 'Tokens and keys' }).click();
  await page.getByLabel('New token name').waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal(await page.getByRole('region', { name: 'This node' }).count(), 0);
});

test('imports a file and reports faults by line', async () => {
  const page = await world.open('/operations/data');
  const documents = [
    { _type: 'role', id: 'r1', name: 'Imported role' },
    { _type: 'nothing', id: 'x' },
  ];
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'roles.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(documents.map((document) => JSON.stringify(document)).join('\n')),
  });
  await page.getByText('1 created, 0 updated, 0 unchanged, 1 failed').waitFor();
  await page.getByText(/^Line 2: ./).waitFor();
  await page.goto(page.url().replace(/#.*/, '#/document/roles/r1'));
  await page.getByRole('heading', { level: 1, name: 'Imported role' }).waitFor();
});

test('shows advice, faults and requests of a server for tests, but none of its own', async () => {
  const page = await world.open('/search');
  await page.getByRole('link', { name: 'Tests' }).click();
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  await section('Faults').getByText('No faults are injected').waitFor();
  await section('Requests').getByRole('button', { name: 'Clear requests and advice' }).click();
  await section('Advice').getByText('No requests yet').waitFor();
  const body = { query: { query: '*' } };
  const rule = { match: { path: '/v3/search', first: 1 }, then: { status: 503, retryAfter: 1 } };
  await world.service.call('PUT', '/admin/v1/faults', [rule]);
  assert.equal((await world.service.call('POST', '/v3/search', body)).status, 503);
  assert.equal((await world.service.call('POST', '/v3/search', body)).status, 200);
  const advice = section('Advice').getByRole('article');
  await advice.filter({ hasText: 'old-path' }).getByText('2 requests, the first is').waitFor();
  const faults = section('Faults').getByRole('row').nth(1);
  assert.deepEqual(await faults.getByRole('cell').allInnerTexts(), [
    ...['the first 1 of /v3/search', 'status 503, Retry-After 1', '2', '1'],
  ]);
  const requests = section('Requests').getByRole('row');
  await requests.filter({ hasText: '503, Retry-After 1, injected' }).waitFor();
  assert.equal(await requests.filter({ hasText: '/v3/search' }).count(), 2);
  await section('Faults').getByRole('button', { name: 'Remove faults' }).click();
  await section('Faults').getByText('No faults are injected').waitFor();
  await section('Requests').getByRole('button', { name: 'Clear requests and advice' }).click();
  await section('Advice').getByText('No requests yet').waitFor();
});

test('asks before a reset, and reports why it is refused', async () => {
  const page = await world.open('/tests');
  await page.getByRole('button', { name: 'Reset tenant' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Reset tenant' }).click();
  await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByRole('alert').getByText('it is kept by cardea start --ephemeral').waitFor();
});

test('has no page Tests for users who are not administrators', async () => {
  const helper = await addUser(world.service, { capabilities: ['HELPDESK'] });
  const page = await world.open('/search', {}, await tokenOf(world.service.url, helper));
  await page.getByRole('link', { name: 'Operations' }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('link', { name: 'Tests' }).count(), 0);
});

test('shows the mirror of a tenant, and its last error, only of a tenant that is one', async () => {
  const page = await world.open('/operations');
  await page.getByRole('region', { name: 'This node' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Mirror', exact: true }).count(), 0);
  const { cardea, tenantId } = world.service;
  const counts = { created: 1_234, updated: 5, unchanged: 0, deleted: 0, refused: 0 };
  const error = 'POST https://acme.example/v2024/search answered 403';
  const run = { began: '2026-01-01T12:00:00.000Z', ended: '2026-01-01T12:01:00.000Z', counts };
  await cardea.store.write(async (records) => {
    await records.putMirror({
      ...{ tenantId, source: 'https://acme.example/', profilesSource: null, authUsers: 'none' },
      ...{ running: null, counted: counts, audited: counts },
      runs: [{ ...run, outcome: 'failed', error }],
    });
    const walk = { kind: 'copy', after: 'x', began: run.began, since: null, newest: null } as const;
    await records.putMirrorPart(tenantId, {
      ...{ name: 'roles', copiedAt: null, newest: null, sweptAt: null, there: 2_000 },
      ...{
        walk: { ...walk, done: 1_250, total: 2_000, refused: 0, refusedBefore: null },
        totals: counts,
        refusals: [],
      },
    });
  });
  await page.reload();
  const mirror = page.getByRole('region', { name: 'Mirror', exact: true });
  await mirror.getByText(`The last run failed: ${error}`).waitFor();
  await mirror.getByText('The first copy is not complete').waitFor();
  await mirror.getByRole('cell', { name: 'Under way: 1,250 of 2,000' }).waitFor();
  await mirror.getByRole('cell', { name: '1,234', exact: true }).waitFor();
});

const PAGES = {
  search: () => '/search/identities?q=isManager%3Atrue',
  'a wrong query': () => '/search/identities?q=name%3A(',
  events: () => '/search/events',
  document: () => `/document/identities/${manager}?tab=access`,
  'finding users': () => '/users?q=a',
  'auth user': () => `/users/${user}`,
  dashboard: () => '/dashboard',
  profiles: () => '/profiles',
  'advanced search': () =>
    `/profiles/advanced?${new URLSearchParams({ rules: '[["status","","==","Active"]]' })}`,
  operations: () => '/operations',
  data: () => '/operations/data',
  'tokens and keys': () => '/operations/keys',
  tests: () => '/tests',
};

for (const [name, address] of Object.entries(PAGES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${name} has no serious accessibility faults in the ${colorScheme} theme`, async () => {
      const page = await world.open(address(), { colorScheme });
      await page.locator('main').waitFor();
      await page.waitForLoadState('networkidle');
      // Stale content is pale on purpose, so wait until it is replaced.
      await page.locator('[data-stale="true"]').first().waitFor({ state: 'detached' });
      assert.deepEqual(await accessibilityFaults(page), []);
      await page.context().close();
    });
  }
  test(`${name} fits a phone`, async () => {
    const page = await world.open(address(), { viewport: { width: 360, height: 740 } });
    await page.locator('main').waitFor();
    await page.waitForLoadState('networkidle');
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
    assert.ok(wide <= 360, `the page is ${wide} px wide`);
    await page.context().close();
  });
}
