// The auth users of the console in a real browser: the list with its filters, columns, order and
// files, and the page of one user. The tasks that a first user was given end within their steps.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, tokenOf } from '../../support/callers.ts';
import { testPages } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';

interface User {
  readonly id: string;
  readonly uid: string;
  readonly displayName: string;
}

const PATCH_TYPE = { 'content-type': 'application/json-patch+json' };
const USERS = '/admin/v1/auth-users';

let world: ConsoleWorld;
/** Auth users of the demo, by name; none has a capability at first. */
let people: User[] = [];
before(async () => {
  world = await startConsoleWorld();
  const filters = encodeURIComponent('capabilities isnull');
  const answer = await world.service.call('GET', `${USERS}?sorters=name&filters=${filters}`);
  people = (await answer.json()) as User[];
  assert.ok(people.length >= 15);
  await grant(person(0), 'HELPDESK');
  await grant(person(1), 'HELPDESK', 'REPORT_ADMIN');
});
after(() => world?.stop());
afterEach(() => world.endTest());

function person(n: number): User {
  const user = people[n];
  assert.ok(user !== undefined);
  return user;
}

async function grant({ id }: User, ...capabilities: string[]): Promise<void> {
  const patch = capabilities.map((value) => ({ op: 'add', path: '/capabilities/-', value }));
  const answer = await world.service.call('PATCH', `/v2024/auth-users/${id}`, patch, PATCH_TYPE);
  assert.equal(answer.status, 200);
}

const total = (page: Page, count: number) =>
  page.locator('.list-total').getByText(String(count), { exact: true }).waitFor();
const names = (page: Page) => page.locator('tbody .person strong').allInnerTexts();

for (const [what, address, last] of [
  ['auth users', '/users', /#\/users$/],
  ['profiles', '/profiles', /#\/profiles\?offset=\d+$/],
] as const) {
  test(`says that a page past the end of ${what} has no rows, and leads to the last page`, async () => {
    const page = await world.open(`${address}?offset=5000`);
    const pages = page.getByRole('navigation', { name: `Pages of ${what}` });
    await pages.getByText('No rows on this page').waitFor();
    assert.equal(await page.locator('.empty-title').count(), 0);
    await pages.getByRole('button', { name: 'Previous' }).click();
    await page.waitForURL(last);
    await page.locator('tbody tr').first().waitFor();
    await untilReads(() => pages.getByRole('button', { name: 'Next', disabled: false }).count(), 0);
  });
}

test('answers who holds ORG_ADMIN in two steps, at an address that can be shared', async () => {
  const page = await world.open('/dashboard');
  await page.getByRole('link', { name: 'Auth users' }).click();
  await page.getByLabel('Capability').selectOption('ORG_ADMIN');
  await total(page, 1);
  await untilAtRest(page);
  const [name = ''] = await names(page);
  const shared = await world.open(page.url().replace(/^.*#/, ''));
  await total(shared, 1);
  await untilReads(() => names(shared), [name]);
  assert.match(shared.url(), /capability=ORG_ADMIN/);
});

test('combines several capabilities, and removes a filter', async () => {
  const page = await world.open('/users');
  await page.getByLabel('Capability').selectOption('HELPDESK');
  await total(page, 2);
  await page.getByLabel('Capability').selectOption('REPORT_ADMIN');
  await total(page, 1);
  await untilReads(() => names(page), [person(1).displayName]);
  await page.getByLabel('Users who have').selectOption('Any of');
  await total(page, 2);
  await page.getByRole('button', { name: 'Remove the filter Help desk' }).click();
  await total(page, 1);
  await page.getByLabel('Capability').selectOption({ label: 'Has any capability' });
  await total(page, 3);
});

test('finds users by a part of the name, the UID or the id', async () => {
  const wanted = person(4);
  const page = await world.open('/users');
  const field = page.getByLabel('Name, UID, email or ID');
  for (const words of [wanted.displayName.slice(1, -1), wanted.uid.toUpperCase(), wanted.id]) {
    await field.fill(words);
    await page.waitForURL(/q=/);
    await page.locator('tbody').getByText(wanted.displayName, { exact: true }).waitFor();
  }
  await total(page, 1);
  await field.fill('nobody has this name');
  await page.getByText('No matching auth users').waitFor();
  await page.getByRole('link', { name: 'Show all auth users' }).click();
  await page.locator('tbody tr').nth(5).waitFor();
  await untilReads(() => field.inputValue(), '');
});

test('sorts by a column, and keeps chosen columns in the address and the browser', async () => {
  const page = await world.open('/users');
  await page.locator('tbody tr').first().waitFor();
  await untilAtRest(page);
  const ascending = await names(page);
  await page.getByRole('button', { name: 'Name', exact: true }).click();
  await page.locator('th[aria-sort="descending"]').waitFor();
  await page.waitForURL(/sort=-name/);
  await untilReads(() => names(page), [...ascending].reverse());
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'UID' }).check();
  await page.getByRole('button', { name: 'Move UID to the left' }).click();
  await page.waitForURL(/columns=name%2Cemail%2Ccapabilities%2Cenabled%2Cuid%2ClastLogin/);
  await eventually(async () => {
    const stored = await page.evaluate("localStorage.getItem('cardea.tables')");
    assert.equal(JSON.parse(String(stored)).users.columns.at(-2), 'uid');
  });
  await page.goto(page.url().replace(/#.*/, '#/users'));
  await page.reload();
  await page.getByRole('columnheader', { name: 'UID' }).waitFor();
});

test('exports the shown columns, and a row for each capability', async () => {
  const page = await world.open('/users?capability=*&columns=name,capabilities');
  await total(page, 3);
  const file = async (label: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: label }).click();
    const text = readFileSync(await (await downloading).path(), 'utf8');
    await page.keyboard.press('Escape');
    return text.trimEnd().split('\r\n');
  };
  const shown = await file('CSV (shown columns)');
  assert.equal(shown.length, 4);
  assert.equal(shown[0], '\uFEFFName,Capabilities');
  assert.ok(
    shown.some((line) => line.endsWith(',"HELPDESK; REPORT_ADMIN"')),
    shown.join('\n'),
  );
  const rows = await file('CSV (a row for each capability)');
  assert.match(rows[0] ?? '', /^\uFEFFcapability,id,uid,name/);
  assert.equal(rows.length, 5);
});

test('answers who changed the capabilities of a person, and what changed, in three steps', async () => {
  const wanted = person(2);
  await grant(wanted, 'CERT_ADMIN');
  const page = await world.open('/search');
  await page.getByRole('link', { name: 'Auth users' }).click();
  await page.getByLabel('Name, UID, email or ID').fill(wanted.displayName);
  await page.locator('tbody').getByRole('link', { name: wanted.displayName }).click();
  const row = page.getByRole('region', { name: 'History' }).locator('tbody tr').first();
  await row.getByText('Capabilities changed').waitFor();
  await row.locator('.pill-good', { hasText: 'CERT_ADMIN' }).waitFor();
  await row.getByText(/capabilities:\s+none\s+→.*CERT_ADMIN/).waitFor();
  assert.notEqual(await row.locator('td').nth(1).innerText(), '');
});

test('shows a change in the history as soon as it is saved, with its values before', async () => {
  const { id } = person(1);
  const page = await world.open(`/users/${id}`);
  await page.locator('.capability', { hasText: 'REPORT_ADMIN' }).locator('input').uncheck();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  const row = page.getByRole('region', { name: 'History' }).locator('tbody tr').first();
  await row.locator('.pill-bad', { hasText: 'REPORT_ADMIN' }).waitFor();
  await row.getByText(/HELPDESK, REPORT_ADMIN\s+→.*HELPDESK/).waitFor();
});

test('keeps Apply on the screen of a phone while something is changed', async () => {
  const page = await world.open(`/users/${person(3).id}`, {
    viewport: { width: 360, height: 740 },
  });
  const apply = page.getByRole('button', { name: 'Apply' });
  const isOnScreen = async () => {
    const box = await apply.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 740;
  };
  await page.locator('.capability').first().waitFor();
  await untilAtRest(page);
  assert.equal(await isOnScreen(), false);
  await page.locator('.capability input:enabled').first().check();
  await page.evaluate('document.querySelector("main").scrollTo(0, 0); scrollTo(0, 0)');
  await untilReads(isOnScreen, true);
});

test('lists the saved searches of a user to administrators on the page of the user alone', async () => {
  const owner = await addUser(world.service, { capabilities: ['REPORT_ADMIN'] });
  const search = { name: 'Kept to myself', indices: ['identities'], query: 'name:a*' };
  const made = await owner.call('POST', '/v2024/saved-searches', search);
  const { id } = (await made.json()) as { id: string };
  const page = await world.open(`/users/${owner.userId}`);
  const section = page.getByRole('region', { name: 'Saved searches' });
  await section.getByRole('link', { name: 'Kept to myself' }).click();
  await page.waitForURL((url) => url.hash.includes(`saved=${id}`));
  await page.getByRole('button', { name: 'Saved searches' }).click();
  const panel = page.locator('.saved-panel');
  await panel.getByText('None yet.').waitFor();
  assert.equal(await panel.getByText('Kept to myself').count(), 0);
});

test('offers other users than administrators the search for a user', async () => {
  const user = await addUser(world.service, { capabilities: ['CERT_ADMIN'] });
  const token = await tokenOf(world.service.url, user);
  const page = await world.open('/users', {}, token);
  await page.getByText('Find a user to view').waitFor();
  assert.equal(await page.locator('.table').count(), 0);
});

test('creates an auth user, says at the field what is refused, and opens the page of the user', async () => {
  const page = await world.open('/users');
  await page.getByRole('link', { name: 'New auth user' }).click();
  await page.getByLabel('Login (UID)').fill(person(0).uid);
  await page.getByLabel('Name', { exact: true }).fill(`عائشة ${'very long name '.repeat(8)}`);
  await page.getByLabel('Email').fill('aisha@acme.test');
  await page.getByRole('button', { name: 'Create auth user' }).click();
  await page
    .locator('.form-field', { hasText: 'Login' })
    .getByText(/is taken by/)
    .waitFor();
  await page.getByLabel('Login (UID)').fill('aisha');
  await page.getByRole('button', { name: 'Create auth user' }).click();
  await page.waitForURL(/#\/users\/[0-9a-f]{32}$/);
  await page.getByRole('heading', { level: 1 }).getByText('عائشة').waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await history.locator('tbody tr').first().getByText('Created').waitFor();
  const [, id = ''] = /users\/(\w+)$/.exec(page.url()) ?? [];
  const stored = await (await world.service.call('GET', `${USERS}/${id}`)).json();
  assert.equal((stored as { email: string }).email, 'aisha@acme.test');
});

test('disables, enables, signs out and deletes a user, each after a confirmation with the name', async () => {
  const user = await addUser(world.service, { capabilities: ['HELPDESK'] });
  const page = await world.open(`/users/${user.userId}`);
  const access = page.getByRole('region', { name: 'Access', exact: true });
  const status = async () => (await user.call('GET', '/oauth/userinfo')).status;
  const step = async (action: string) => {
    await access.getByRole('button', { name: action }).click();
    const dialog = page.getByRole('dialog', { name: `${action} ${user.userId}?` });
    await dialog.getByRole('button', { name: action }).click();
  };
  await access.getByText('Enabled').waitFor();
  await access.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await status(), 200);
  await step('Disable');
  await access.getByText('Disabled').waitFor();
  await eventually(async () => assert.equal(await status(), 401));
  await step('Enable');
  await access.getByText('Enabled').waitFor();
  await step('Sign out');
  const history = page.getByRole('region', { name: 'History' });
  await history.locator('tbody tr').first().getByText('Signed out').waitFor();
  await step('Delete');
  await page.waitForURL(/#\/users$/);
  assert.equal((await world.service.call('GET', `${USERS}/${user.userId}`)).status, 404);
});

test('says why the last administrator cannot be disabled', async () => {
  const page = await world.open(`/users/${world.service.adminId}`);
  await page.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This is your own account.').waitFor();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page
    .getByRole('alert')
    .getByText(/grant it to another user first/)
    .waitFor();
  await page
    .getByRole('region', { name: 'Access', exact: true })
    .getByText('Enabled', { exact: true })
    .waitFor();
});

test('lists the tokens of a user on the page of the user, and deletes one', async () => {
  const user = await addUser(world.service, { capabilities: [] });
  const page = await world.open(`/users/${user.userId}`);
  const tokens = page.getByRole('region', { name: 'Personal access tokens' });
  const name = `party ${user.userId}`;
  await tokens.getByRole('button', { name: `Delete token ${name}` }).click();
  await untilReads(() => tokens.getByRole('row').count(), 2);
  assert.equal(await tokens.getByRole('button', { name: 'Create token' }).count(), 0);
  const dialog = page.getByRole('dialog', { name: `Delete token “${name}” of ${user.userId}?` });
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await tokens.getByText('No personal access tokens yet.').waitFor();
});

test('offers neither creation nor the state of users to others than administrators', async () => {
  const user = await addUser(world.service, { capabilities: ['HELPDESK'] });
  const token = await tokenOf(world.service.url, user);
  for (const address of ['/users?new', `/users/${person(0).id}`, `/users/${user.userId}`]) {
    const page = await world.open(address, {}, token);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await untilAtRest(page);
    for (const name of ['New auth user', 'Create auth user', 'Disable', 'Delete', 'Sign out']) {
      const control = page.locator('main').getByRole('button', { name, exact: true });
      assert.equal(await control.count(), 0, `${name} at ${address}`);
    }
  }
});

const PAGES: Readonly<Record<string, () => string>> = {
  'new user': () => '/users?new',
  list: () => '/users?capability=*&capability=HELPDESK',
  'list without matches': () => '/users?q=nobody',
  'user with a history': () => `/users/${person(1).id}`,
};
testPages(() => world, PAGES);
