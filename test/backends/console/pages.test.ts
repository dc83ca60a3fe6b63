// Documents and auth users in the console, in a real browser, and every page to the eyes of axe-core.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { addUser, tokenOf } from '../../support/callers.ts';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';

let world: ConsoleWorld;
/** A manager with accounts, access and things they own; somebody who may sign in. */
let manager = '';
let user = '';
before(async () => {
  world = await startConsoleWorld();
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
  const found = hits.find(({ id }) => sort !== 'id' || users.has(id));
  assert.ok(found !== undefined, query);
  return found.id;
}

async function idsOfUsers(): Promise<string[]> {
  const { demoAuthUsers } = await import('../../../src/demo/auth-users.ts');
  const recipe = { seed: 1, identities: 400, now: Date.parse('2025-06-30'), tenant: 'test' };
  return [...demoAuthUsers(recipe)].slice(0, 20).map(({ id }) => id);
}

test('an identity shows its access, accounts, what it owns, its events, and leads on to each', async () => {
  const page = await world.open(`/document/identities/${manager}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const tab of ['Accounts', 'Apps', 'Owns', 'Events', 'Activities', 'JSON', 'Access']) {
    await page.locator('.tabs a', { hasText: tab }).click();
    await page.locator(`.tabs a[aria-current]`, { hasText: tab }).waitFor();
  }
  const role = page.locator('.related', { hasText: 'Roles' }).locator('.table a').first();
  const name = await role.innerText();
  await role.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.locator('.tabs a', { hasText: 'Who holds it' }).click();
  await page.locator('.related .table a').first().click();
  await page.locator('.document-head', { hasText: 'Identity' }).waitFor();
});

test('an entitlement tells which profiles and roles it is in', async () => {
  const page = await world.open('/search/entitlements');
  await page.locator('.rows-all .row a').first().click();
  await page.locator('.tabs a', { hasText: 'In access profiles' }).click();
  await page.getByRole('heading', { level: 2, name: /In access profiles/ }).waitFor();
});

test('a document that is not there is told as that', async () => {
  const page = await world.open('/document/roles/nobody');
  await page.getByText('There is nothing here').waitFor();
});

test('a person is found, given a capability by the patch that was previewed, and the trail tells it', async () => {
  const page = await world.open('/users');
  await page.getByLabel('Name, mail or id').fill(user);
  await page.locator('.people a').first().click();
  const helpdesk = page.locator('.capability', { hasText: 'HELPDESK' });
  await helpdesk.locator('input').check();
  assert.equal(
    await page.locator('[data-part=patch]').innerText(),
    '{"op":"add","path":"/capabilities/-","value":"HELPDESK"}',
  );
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Nothing is changed').waitFor();
  assert.ok(await helpdesk.locator('input').isChecked());
  const stored = await world.service.call('GET', `/v2024/auth-users/${user}`);
  assert.deepEqual(((await stored.json()) as { capabilities: string[] }).capabilities, [
    'HELPDESK',
  ]);
  await world.service.cardea.services.status.waitUntilSearchable(
    await world.service.cardea.services.status.lastSequence(),
    30_000,
  );
  await page.reload();
  await page.locator('.related', { hasText: 'History' }).locator('.table a').first().waitFor();
});

test("somebody else's change is not overwritten", async () => {
  const page = await world.open(`/users/${user}`);
  await page.locator('.capability', { hasText: 'REPORT_ADMIN' }).locator('input').check();
  const patch = [{ op: 'add', path: '/capabilities/-', value: 'CERT_ADMIN' }];
  await world.service.call('PATCH', `/v2024/auth-users/${user}`, patch, {
    'content-type': 'application/json-patch+json',
  });
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Somebody else changed this user meanwhile').waitFor();
  await page.getByRole('button', { name: 'Load again' }).click();
  await page.getByText('Nothing is changed').waitFor();
  assert.ok(
    await page.locator('.capability', { hasText: 'CERT_ADMIN' }).locator('input').isChecked(),
  );
});

test('the last administrator stays one, and the page says why', async () => {
  const page = await world.open(`/users/${world.service.adminId}`);
  await page.locator('.capability', { hasText: 'ORG_ADMIN' }).locator('input').uncheck();
  await page.getByText('one administrator is always left').waitFor();
  await page.getByText('It is your own').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('This is the last administrator').waitFor();
});

test('the tiles of the dashboard open as the searches behind them', async () => {
  const page = await world.open('/dashboard');
  const tile = page.locator('.figure-tile', { hasText: 'Left, with open accounts' });
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

test('profiles are listed by type and status, and opened', async () => {
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

test('an advanced search is built rule by rule, run, paged, kept and deleted', async () => {
  const page = await world.open('/profiles/advanced');
  const add = async (about: string, how: string) => {
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const rule = page.locator('.rule').last();
    await rule.getByLabel('About').selectOption({ label: about });
    await rule.getByLabel('How').selectOption({ label: how });
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
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  const kept = page.locator('.saved-list li', { hasText: 'Dublin contractors' });
  await kept.waitFor();
  await page.goto(page.url().replace(/#.*/, '#/profiles/advanced'));
  await kept.getByRole('button', { name: 'Dublin contractors', exact: true }).click();
  await page.locator('.rule').nth(2).waitFor();
  assert.equal(await page.locator('.rule').nth(2).getByLabel('Days').inputValue(), '9999');
  await kept.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await kept.waitFor({ state: 'detached' });
});

test('a token is made, its secret shown once, and taken back', async () => {
  const page = await world.open('/operations');
  await page.getByText('The service is ready').waitFor();
  await page.getByLabel('Name of a new token').fill('nightly report');
  await page.getByRole('button', { name: 'Make it' }).click();
  const lines = await page.locator('.secret .code').innerText();
  const [, id = '', secret = ''] = /ID=(\S+)\nSAIL_CLIENT_SECRET=(\S+)/.exec(lines) ?? [];
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const signIn = () =>
    fetch(`${world.service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  assert.equal((await signIn()).status, 200);
  await page.getByRole('button', { name: 'I have it' }).click();
  assert.ok(!(await page.content()).includes(secret));
  await page.getByRole('button', { name: 'Delete nightly report' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete nightly report' }).waitFor({ state: 'detached' });
  assert.equal((await signIn()).status, 401);
});

test('an API key is made, shown once, opens profile management, and is taken back', async () => {
  const page = await world.open('/operations');
  await page.getByLabel('Name of a new API key').fill('badge printer');
  await page.getByLabel('Name of a new API key').press('Enter');
  const key = await page.locator('.secret .code').innerText();
  const opens = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${world.service.url}/api/roles`, { headers })).status;
  };
  assert.equal(await opens(), 200);
  await page.getByRole('button', { name: 'I have it' }).click();
  assert.ok(!(await page.content()).includes(key));
  await page.getByRole('button', { name: 'Delete the key badge printer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  assert.equal(await opens(), 200);
  await page.getByRole('button', { name: 'Delete the key badge printer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('button', { name: 'Delete the key badge printer' })
    .waitFor({ state: 'detached' });
  assert.equal(await opens(), 401);
});

test('an API key that only reads is created with that scope and listed with it', async () => {
  const page = await world.open('/operations');
  const keys = page.getByRole('region', { name: 'API keys' });
  await keys.getByLabel('Name of a new API key').fill('report');
  await keys.getByLabel('Scope').selectOption({ label: 'Read' });
  await keys.getByRole('button', { name: 'Make a key' }).click();
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
  await row.getByRole('button', { name: 'Delete the key report' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});

test('a key without a printable name is refused in words', async () => {
  const page = await world.open('/operations');
  await page.getByLabel('Name of a new API key').fill('   ');
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByText('1 to 255 printable characters').waitFor();
  assert.equal(await page.getByLabel('Name of a new API key').inputValue(), '   ');
});

test('a token that is refused leaves what was typed, to be put right', async () => {
  const page = await world.open('/operations');
  await page.getByLabel('Name of a new token').fill('nightly');
  await page.getByLabel('Scopes').fill('"quoted"');
  await page.getByRole('button', { name: 'Make it' }).click();
  const refusal = page.getByRole('alert');
  await refusal.getByText('a scope has no blanks, quotes or backslashes').waitFor();
  assert.equal(await page.getByLabel('Scopes').inputValue(), '"quoted"');
  assert.equal(await refusal.getByRole('button', { name: 'Try again' }).count(), 0);
});

test('an empty file is told as that', async () => {
  const page = await world.open('/operations');
  const buffer = Buffer.alloc(0);
  const file = { name: 'empty.ndjson', mimeType: 'application/x-ndjson', buffer };
  await page.getByLabel('Choose a file').setInputFiles(file);
  await page.getByText('There is no document in that file').waitFor();
});

test('an auth user that is not there is told as that', async () => {
  const page = await world.open('/users/nobody');
  await page.getByText('There is no such auth user').waitFor();
});

test('the state of the node is shown live, and a page in the background asks nothing', async () => {
  const page = await world.open('/operations');
  await page.clock.install();
  await page.reload();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/v1/status')) asked += 1;
  });
  const node = page.getByRole('region', { name: 'This node' });
  await node.locator('.line-chart canvas').nth(1).waitFor();
  await node.getByText('SQLite').waitFor();
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
  const atRest = asked;
  await page.clock.fastForward(60_000);
  assert.equal(asked, atRest);
  const next = page.waitForRequest(/admin\/v1\/status$/);
  await show(false);
  await next;
});

test('who is no administrator sees documents and tokens, and no fault', async () => {
  const helper = await addUser(world.service, { capabilities: ['REPORT_ADMIN'] });
  const token = await tokenOf(world.service.url, helper);
  const page = await world.open('/operations', {}, token);
  await page.getByRole('region', { name: 'Documents by type' }).getByText('Roles').waitFor();
  await page.getByLabel('Name of a new token').waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal(await page.getByRole('region', { name: 'This node' }).count(), 0);
});

test('a file is imported, and what is at fault in it is told by line', async () => {
  const page = await world.open('/operations');
  const documents = [
    { _type: 'role', id: 'r1', name: 'Imported role' },
    { _type: 'nothing', id: 'x' },
  ];
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'roles.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(documents.map((document) => JSON.stringify(document)).join('\n')),
  });
  await page.getByText('1 new, 0 changed, 0 as before, 1 at fault').waitFor();
  await page.getByText(/^Line 2: ./).waitFor();
  await page.goto(page.url().replace(/#.*/, '#/document/roles/r1'));
  await page.getByRole('heading', { level: 1, name: 'Imported role' }).waitFor();
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
};

for (const [name, address] of Object.entries(PAGES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${name}: nothing serious for axe-core, ${colorScheme}`, async () => {
      const page = await world.open(address(), { colorScheme });
      await page.locator('main').waitFor();
      await page.waitForLoadState('networkidle');
      // What is about to be drawn anew is pale on purpose.
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
