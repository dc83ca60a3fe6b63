// The pages of documents, users, profiles and the dashboard in a real browser, and their
// accessibility by axe-core.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { untilAtRest } from '../../support/at-rest.ts';
import { testPages } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';

let world: ConsoleWorld;
/** Ids of a manager with accounts, access and owned objects, and of an auth user. */
let manager = '';
let user = '';
before(async () => {
  world = await startConsoleWorld();
  manager = await firstId('isManager:true AND ownsCount:>0 AND @access(type:ROLE)');
  user = await firstId('attributes.department:* AND NOT inactive:true', 'id');
});
after(() => world?.stop());
afterEach(() => world.endTest());

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

test('names the page in the title of the window, and nobody', async () => {
  const page = await world.openSignedOut('/search');
  const isTitle = (title: string) =>
    eventually(async () => assert.equal(await page.title(), `${title} – Cardea`));
  await isTitle('Sign in');
  const token = await world.service.token();
  await page.evaluate(`sessionStorage.setItem('cardea.token', ${JSON.stringify(token)})`);
  await page.reload();
  for (const [address, title] of [
    ['/search/roles', 'Search'],
    [`/document/identities/${manager}`, 'Document'],
    ['/users', 'Auth users'],
    ['/tokens', 'Tokens'],
    ['/nowhere', 'Page not found'],
  ] as const) {
    await page.goto(page.url().replace(/#.*/, `#${address}`));
    await isTitle(title);
  }
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

test('does not repeat the card of a person in the overview', async () => {
  const page = await world.open(`/document/identities/${await firstId('isManager:true')}`);
  await page.getByRole('heading', { level: 2, name: 'Attributes' }).waitFor();
  await untilAtRest(page);
  const onCard = await page.locator('.card-facts dt').allInnerTexts();
  const below = await page.locator('.facts dt').allInnerTexts();
  assert.ok(onCard.includes('Department') && below.includes('Phone'), below.join());
  assert.deepEqual(
    below.filter((label) => onCard.includes(label)),
    [],
  );
});

test('shows a ring around a page without controls only when Tab reaches it', async () => {
  const page = await world.open('/status');
  await page.locator('main[tabindex="0"]').waitFor();
  const main = () =>
    page.evaluate<{ readonly isFocused: boolean; readonly outline: string }>(`
      ({
        isFocused: document.activeElement.matches('main'),
        outline: getComputedStyle(document.querySelector('main')).outlineStyle,
      })
    `);
  await untilReads(main, { isFocused: true, outline: 'none' });
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await main()).isFocused) break;
  }
  await untilReads(main, { isFocused: true, outline: 'solid' });
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
  await page.getByLabel('Name, UID, email or ID').fill(user);
  await page.locator('.list-total').getByText('1', { exact: true }).waitFor();
  await page.locator('tbody a').first().click();
  const helpdesk = page.locator('.capability', { hasText: 'HELPDESK' });
  await helpdesk.locator('input').check();
  await untilReads(
    () => page.locator('[data-testid=patch]').innerText(),
    '{"op":"add","path":"/capabilities/-","value":"HELPDESK"}',
  );
  await page.getByRole('button', { name: 'Apply' }).click();
  const saved = page.getByRole('status').filter({ hasText: 'Saved' });
  await saved.getByText('HELPDESK').waitFor();
  await untilReads(() => helpdesk.locator('input').isChecked(), true);
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
  await page.getByLabel('Find a capability').fill('help desk');
  await page.locator('.capability', { hasText: 'HELPDESK' }).waitFor();
  await untilReads(() => page.locator('.capability').count(), 1);
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
  const theirs = page.locator('.capability', { hasText: 'CERT_ADMIN' }).locator('input');
  await untilReads(() => theirs.isChecked(), true);
});

test('explains why the last administrator cannot be removed', async () => {
  const page = await world.open(`/users/${world.service.adminId}`);
  await page.locator('.capability', { hasText: 'ORG_ADMIN' }).locator('input').uncheck();
  await page.getByText('Removes ORG_ADMIN').waitFor();
  await page.getByText('This is your own capability').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('This is the last administrator').waitFor();
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
  await untilReads(() => page.locator('.rule').nth(2).getByLabel('Days').inputValue(), '9999');
  await saved.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await saved.waitFor({ state: 'detached' });
});

test('reports a missing auth user', async () => {
  const page = await world.open('/users/nobody');
  await page.getByText('Auth user not found').waitFor();
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
};

testPages(() => world, PAGES);
