// Documents and auth users in the console, in a real browser, and every page to the eyes of axe-core.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
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

const PAGES = {
  search: () => '/search/identities?q=isManager%3Atrue',
  'a wrong query': () => '/search/identities?q=name%3A(',
  events: () => '/search/events',
  document: () => `/document/identities/${manager}?tab=access`,
  'finding users': () => '/users?q=a',
  'auth user': () => `/users/${user}`,
};

for (const [name, address] of Object.entries(PAGES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${name}: nothing serious for axe-core, ${colorScheme}`, async () => {
      const page = await world.open(address(), { colorScheme });
      await page.locator('main').waitFor();
      await page.waitForLoadState('networkidle');
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
