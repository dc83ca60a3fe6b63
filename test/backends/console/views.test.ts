// Views in a real browser: the pages of administrators, looking through a view, and the console of
// those whom a view restricts.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, type Party, tokenOf } from '../../support/callers.ts';
import { assertUsable, testPages, WINDOWS } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';
import { holdBack } from '../../support/held-requests.ts';

const SALES = {
  name: 'sales',
  description: 'What the sales team sees',
  indices: { identities: 'attributes.department:Sales', roles: '*' },
  hide: ['phone', 'attributes.phone', 'accounts'],
};

let world: ConsoleWorld;
/** An administrator whom the view restricts, so that nothing but the view keeps anything from them. */
let seller: Party;
before(async () => {
  world = await startConsoleWorld();
  for (const view of [SALES, { name: 'nothing', indices: {} }]) {
    assert.equal((await world.service.call('POST', '/admin/v1/views', view)).status, 201);
  }
  seller = await addUser(world.service, { capabilities: ['ORG_ADMIN'] });
  await restrict(seller, 'sales');
});
after(() => world?.stop());
afterEach(() => world.endTest());

async function restrict({ userId }: Party, view: string | null): Promise<void> {
  const path = `/admin/v1/auth-users/${userId}`;
  assert.equal((await world.service.call('PATCH', path, { view })).status, 200);
}

async function count(index: string, query: string): Promise<string> {
  const body = { indices: [index], query: { query } };
  const answer = await world.service.call('POST', '/v2024/search/count', body);
  return Number(answer.headers.get('x-total-count')).toLocaleString('en');
}

async function tokenNames(): Promise<string[]> {
  const answer = await world.service.call('GET', '/v2024/personal-access-tokens');
  return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
}

const open = async (address: string, party: Party) =>
  world.open(address, {}, await tokenOf(world.service.url, party));
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const pagesOf = async (page: Page) =>
  (await navigation(page).innerText()).split('\n').filter((label) => label !== '');
const tabsOf = (page: Page) =>
  page.getByRole('navigation', { name: 'Types' }).getByRole('link').allInnerTexts();
const typeOf = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
const FOR_SELLERS = ['Search', 'Dashboards', 'Tokens', 'Status', 'Data'];

test('creates a view with counts and a sample of what it will show', async () => {
  const page = await world.open('/views');
  await page
    .getByRole('row', { name: /^sales/ })
    .getByText('Some identities, all roles')
    .waitFor();
  await page.getByRole('link', { name: 'New view' }).click();
  await page.getByLabel('Name').fill('engineers');
  await page.getByLabel('Description').fill('People who build');
  const identities = typeOf(page, 'Identities');
  const all = await count('identities', '*');
  await identities.getByText(`0 of ${all}`).waitFor();
  await identities.getByLabel('All', { exact: true }).check();
  await identities.getByText(`${all} of ${all}`).waitFor();
  await identities.getByLabel('Query', { exact: true }).check();
  const query = identities.getByLabel('Query of identities');
  await query.fill('attributes.department:Engineering');
  const matching = await count('identities', 'attributes.department:Engineering');
  assert.notEqual(matching, all);
  await identities.getByText(`${matching} of ${all}`).waitFor();
  const sample = page.getByRole('region', { name: 'Sample' });
  await sample.getByText('"department": "Engineering"').first().waitFor();
  await sample.getByText('"phone":').first().waitFor();
  const field = page.getByLabel('Field to hide');
  for (const path of ['phone', 'attributes', 'accounts.accountAttributes']) {
    await field.fill(path);
    await field.press('Enter');
  }
  await sample.getByText('"department":').waitFor({ state: 'detached' });
  await eventually(async () => {
    const text = await sample.innerText();
    assert.doesNotMatch(text, /"phone":|"accountAttributes":/);
    assert.match(text, /"accounts": \[/);
  });
  await page.getByRole('button', { name: 'Show again: attributes' }).click();
  await sample.getByText('"department": "Engineering"').first().waitFor();
  await page.getByRole('button', { name: 'Hide: attributes.phone' }).click();
  await page.getByRole('button', { name: 'Show again: attributes.phone' }).waitFor();
  await page.getByRole('button', { name: 'Create view' }).click();
  await page.getByRole('heading', { level: 1, name: 'engineers' }).waitFor();
  const answer = await world.service.call('GET', '/admin/v1/views/engineers');
  const { description, indices, hide } = (await answer.json()) as typeof SALES;
  assert.equal(description, 'People who build');
  assert.deepEqual(indices, { identities: 'attributes.department:Engineering' });
  assert.deepEqual(hide, ['phone', 'accounts.accountAttributes', 'attributes.phone']);
});

test('shows what the service refuses at the field, and keeps the form', async () => {
  const page = await world.open('/views?new');
  const name = page.getByLabel('Name');
  await name.fill('two words');
  await typeOf(page, 'Roles').getByLabel('All', { exact: true }).check();
  const create = page.getByRole('button', { name: 'Create view' });
  const faultOf = (text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });
  await create.click();
  await faultOf('1 to 64 letters').waitFor();
  await name.fill('careful');
  await faultOf('1 to 64 letters').waitFor({ state: 'detached' });
  const identities = typeOf(page, 'Identities');
  await identities.getByLabel('Query', { exact: true }).check();
  const query = identities.getByLabel('Query of identities');
  // While it is typed:
  await query.fill('name:"open');
  await identities
    .getByRole('alert')
    .getByText(/character \d+/)
    .waitFor();
  await page.getByText('The query has an error.').waitFor();
  await query.fill('NOT departmnt:Sales');
  await identities
    .getByRole('alert')
    .getByText(/departmnt/)
    .waitFor();
  // When it is saved:
  await query.fill('name:smyth~');
  await create.click();
  await identities.getByRole('alert').getByText('may not use fuzzy words').waitFor();
  await untilReads(() => query.getAttribute('aria-invalid'), 'true');
  await query.fill('attributes.department:Sales');
  await page.getByLabel('Field to hide').fill('attributes.phnoe2');
  await page.getByLabel('Field to hide').fill('emial');
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  await create.click();
  const hidden = page.getByRole('region', { name: 'Hidden fields' });
  await hidden.getByRole('alert').getByText('did you mean "email"?').waitFor();
  await hidden.getByRole('button', { name: 'Show again: emial' }).click();
  await create.click();
  await page.getByRole('heading', { level: 1, name: 'careful' }).waitFor();
});

test('changes a view, and asks before changes are lost', async () => {
  const page = await world.open('/views/nothing');
  const save = page.getByRole('button', { name: 'Save view' });
  await untilReads(() => save.getAttribute('aria-disabled'), 'true');
  await page.getByLabel('Description').fill('For tests');
  await page.getByRole('link', { name: 'All views' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
  await save.click();
  await page.getByRole('status').filter({ hasText: 'takes effect within a second' }).waitFor();
  await page.getByRole('link', { name: 'All views' }).click();
  await page
    .getByRole('row', { name: /^nothing/ })
    .getByText('For tests')
    .waitFor();
});

test('says who has a view, and what its deletion does to them', async () => {
  const { service } = world;
  const view = { name: 'shortly', indices: { roles: '*' } };
  await service.call('POST', '/admin/v1/views', view);
  const holder = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  const page = await world.open('/views/shortly');
  const who = page.getByRole('region', { name: 'Who has it' });
  await who.getByText('Nobody yet').waitFor();
  await restrict(holder, 'shortly');
  const client = { name: 'nightly export', grantTypes: ['CLIENT_CREDENTIALS'], view: 'shortly' };
  const scope = ['sp:search:read'];
  const made = await service.call('POST', '/v2024/oauth-clients', {
    ...{ ...client, description: 'd', enabled: true, accessType: 'OFFLINE' },
    ...{ accessTokenValiditySeconds: 3600, scope },
  });
  assert.ok(made.ok, await made.text());
  await page.reload();
  await who.getByRole('link', { name: 'nightly export' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete view “shortly”?' });
  await dialog.getByText('1 auth user and 1 API client are restricted to it').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { level: 1, name: 'Views' }).waitFor();
  assert.equal((await service.call('GET', '/admin/v1/views/shortly')).status, 404);
  // The page of the user says that the view is gone.
  await page.goto(page.url().replace(/#.*/, `#/users/${holder.userId}`));
  await page.getByRole('option', { name: 'shortly (deleted: shows nothing)' }).waitFor({
    state: 'attached',
  });
  const theirs = await open('/', holder);
  await theirs.getByText('You see what the view shortly shows').waitFor();
  await theirs.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
  await untilReads(() => pagesOf(theirs), ['Tokens', 'Status']);
});

test('looks through a view in one tab, and leaves it', async () => {
  const page = await world.open('/views/sales');
  await navigation(page).getByRole('link', { name: 'Views' }).waitFor();
  await untilAtRest(page);
  const whole = await pagesOf(page);
  await page.getByRole('button', { name: 'See as this view' }).click();
  const line = page.getByRole('status').filter({ hasText: 'as the view sales shows it' });
  await line.waitFor();
  await page.locator('.rows-all .row').first().waitFor();
  await untilReads(() => pagesOf(page), FOR_SELLERS);
  const sellers = await count('identities', 'attributes.department:Sales');
  const roles = await count('roles', '*');
  await eventually(async () => {
    const labels = (await tabsOf(page)).map((label) => label.replaceAll('\n', ' '));
    assert.deepEqual(labels, [`Identities ${sellers}`, `Roles ${roles}`]);
  });
  assert.ok((await tokenNames()).some((name) => name.startsWith('Console through sales')));
  await page.reload();
  await line.waitFor();
  await untilReads(() => pagesOf(page), FOR_SELLERS);
  // Another tab has the session as it is.
  const other = await page.context().newPage();
  await other.goto(page.url().replace(/#.*/, '#/views'));
  await other.getByRole('row', { name: /^sales/ }).waitFor();
  await line.getByRole('button', { name: 'Leave the view' }).click();
  await page.getByRole('heading', { level: 1, name: 'sales' }).waitFor();
  await line.waitFor({ state: 'detached' });
  await untilReads(() => pagesOf(page), whole);
  await eventually(async () =>
    assert.ok(!(await tokenNames()).some((name) => name.startsWith('Console through'))),
  );
});

test('returns to the session when the token of the look is refused', async () => {
  const page = await world.open('/views/sales');
  await page.getByRole('button', { name: 'See as this view' }).click();
  const line = page.getByRole('status').filter({ hasText: 'as the view sales shows it' });
  await line.waitFor();
  await page.locator('.rows-all .row').first().waitFor();
  await untilAtRest(page);
  // A request of the page that is refused before the click would return to the session on its own.
  const release = await holdBack(page, /\/(v\d+|admin)\//, null);
  const answer = await world.service.call('GET', '/v2024/personal-access-tokens');
  for (const { id, name } of (await answer.json()) as { id: string; name: string }[]) {
    if (!name.startsWith('Console through')) continue;
    await world.service.call('DELETE', `/v2024/personal-access-tokens/${id}`);
  }
  await navigation(page).getByRole('link', { name: 'Data' }).click();
  release();
  await page.getByRole('heading', { level: 1, name: 'sales' }).waitFor();
  await line.waitFor({ state: 'detached' });
  await navigation(page).getByRole('link', { name: 'Views' }).waitFor();
});

test('shows a restricted user what the view shows, without empty pages and faults', async () => {
  const page = await open('/', seller);
  await page.getByRole('status').filter({ hasText: 'You see what the view sales shows' }).waitFor();
  await page.locator('.rows-all .row').first().waitFor();
  await untilReads(() => pagesOf(page), FOR_SELLERS);
  await untilReads(
    async () => (await tabsOf(page)).map((label) => label.replace(/\n.*/s, '')),
    ['Identities', 'Roles'],
  );
  for (const name of ['Save', 'Add to dashboard']) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  }
  const links = navigation(page).getByRole('link');
  for (let at = 0; at < FOR_SELLERS.length; at += 1) {
    await links.nth(at).click();
    await untilAtRest(page);
    assert.equal(await page.getByRole('alert').count(), 0, FOR_SELLERS[at]);
  }
  const types = page.getByRole('region', { name: 'Documents by type' }).getByRole('row');
  await untilReads(() => types.count(), 3);
  await navigation(page).getByRole('link', { name: 'Tokens' }).click();
  await page.getByRole('row').nth(1).waitFor();
  assert.equal(await page.getByLabel('New token name').count(), 0);
  await navigation(page).getByRole('link', { name: 'Dashboards' }).click();
  await page.getByRole('link', { name: 'Active people' }).waitFor();
  assert.equal(await page.getByText('Activity over time').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'New dashboard' }).count(), 0);
  // Links of others lead to a page that says why.
  for (const address of ['/users', '/search/events', '/views', '/audit']) {
    await page.goto(page.url().replace(/#.*/, `#${address}`));
    await page.getByText('Not part of what you see').waitFor();
  }
  await page.goto(page.url().replace(/#.*/, `#/document/identities/${await firstSeller()}`));
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: 'JSON' }).waitFor();
  assert.doesNotMatch(await sections.innerText(), /Events|Activities|Timeline/);
  assert.equal(await page.getByRole('link', { name: 'Capabilities' }).count(), 0);
});

/** The id of somebody whom the view shows. */
async function firstSeller(): Promise<string> {
  const body = { indices: ['identities'], query: { query: 'attributes.department:Sales' } };
  const answer = await world.service.call('POST', '/v2024/search?limit=1', body);
  const [hit] = (await answer.json()) as { id: string }[];
  return String(hit?.id);
}

test('restricts and frees a user while they are signed in', async () => {
  const user = await addUser(world.service, { capabilities: ['ROLE_ADMIN'] });
  const theirs = await open('/search/events', user);
  await theirs.getByRole('link', { name: 'Audit' }).waitFor();
  const page = await world.open(`/users/${user.userId}`);
  const restriction = page.getByRole('region', { name: 'View', exact: true });
  await restriction.getByText('No view restricts this user').waitFor();
  await restriction.getByLabel('Restrict to').selectOption('sales');
  await restriction.getByRole('button', { name: 'Apply view' }).click();
  await restriction.getByText('see only what the view sales shows').waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await history
    .getByText(/view:\s+none\s+→\s+then\s+sales|view:\s+none\s+→.*sales/)
    .first()
    .waitFor();
  await theirs.reload();
  await theirs.getByText('Not part of what you see').waitFor();
  await untilReads(() => pagesOf(theirs), FOR_SELLERS);
  await restriction.getByLabel('Restrict to').selectOption('');
  await restriction.getByRole('button', { name: 'Apply view' }).click();
  await restriction.getByText('No view restricts this user').waitFor();
  await theirs.reload();
  await theirs.getByRole('link', { name: 'Audit' }).waitFor();
});

test('lets nobody restrict themselves', async () => {
  const page = await world.open('/users');
  await page.getByRole('link', { name: 'Your account' }).click();
  const restriction = page.getByRole('region', { name: 'View', exact: true });
  await restriction.getByText('Another administrator must restrict you').waitFor();
  assert.equal(await restriction.getByLabel('Restrict to').count(), 0);
});

test('lists the auth users that a view restricts', async () => {
  const page = await world.open('/users');
  await page.getByRole('combobox', { name: 'View', exact: true }).selectOption('sales');
  await page.waitForURL(/view=sales/);
  await page.locator('.list-total').getByText('1', { exact: true }).waitFor();
  await page.getByRole('cell').getByRole('link', { name: 'sales' }).waitFor();
});

test('restricts a token and a client when they are created, and shows it', async () => {
  for (const [address, name, field, create] of [
    ['/tokens', 'for the team', 'New token name', 'Create token'],
    ['/clients', 'for the program', 'Client name', 'Create client'],
  ] as const) {
    const page = await world.open(address);
    await page.getByLabel(field).fill(name);
    await page.getByRole('combobox', { name: 'View', exact: true }).selectOption('sales');
    await page.getByRole('button', { name: create }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByRole('link', { name: 'sales' }).click();
    await page.getByRole('heading', { level: 1, name: 'sales' }).waitFor();
    const who = page.getByRole('region', { name: 'Who has it' });
    await who.getByRole('link', { name }).waitFor();
  }
});

for (const [window, options] of Object.entries(WINDOWS)) {
  test(`what a restricted user sees is accessible, ${window}`, async () => {
    const token = await tokenOf(world.service.url, seller);
    for (const address of ['/search', '/tokens']) {
      const page = await world.open(address, options, token);
      await page.locator('main h1').waitFor();
      await untilAtRest(page);
      await assertUsable(page);
    }
  });
}

const PAGES: Readonly<Record<string, () => string>> = {
  'list of views': () => '/views',
  'new view': () => '/views?new',
  'a view': () => '/views/sales',
  'a user with a view': () => `/users/${seller.userId}`,
};
testPages(() => world, PAGES);
