// The tasks of the console with the keyboard alone, each from the page after the sign-in. Every control
// on the way has a name, is visible and shows a focus ring, and is a few presses away; no step loses
// the focus.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';
import { Keyboard } from '../../support/keyboard.ts';

interface Person {
  readonly id: string;
  readonly displayName: string;
}

const PATCH_TYPE = { 'content-type': 'application/json-patch+json' };
const PHONE = { viewport: { width: 360, height: 740 } };

let world: ConsoleWorld;
let clerk: Person;
let leaver: Person;
let users: Person[] = [];
before(async () => {
  world = await startConsoleWorld();
  [clerk, leaver] = [
    await first('NOT inactive:true AND @access(via.role:"Payroll Clerk")'),
    await first('inactive:true AND @access(via.role:"Payroll Clerk")'),
  ];
  const filters = encodeURIComponent('capabilities isnull');
  const path = `/admin/v1/auth-users?sorters=name&filters=${filters}`;
  users = (await (await world.service.call('GET', path)).json()) as Person[];
});
after(() => world?.stop());
afterEach(() => world.endTest());

async function find(query: string): Promise<Person[]> {
  const body = { indices: ['identities'], query: { query }, sort: ['name', 'id'] };
  return (await (await world.service.call('POST', '/v2024/search', body)).json()) as Person[];
}

async function first(query: string): Promise<Person> {
  const [hit] = await find(query);
  assert.ok(hit !== undefined, query);
  return hit;
}

function user(n: number): Person {
  const found = users[n];
  assert.ok(found !== undefined);
  return found;
}

/** Opens a page, by default the one after the sign-in. */
async function open(address = '/', options: BrowserContextOptions = {}): Promise<Keyboard> {
  const page = await world.open(address, options);
  await page.locator('main h1').waitFor({ state: 'attached' });
  await untilAtRest(page);
  return Keyboard.of(page);
}

/** Follows a link of the navigation, which is before the content. */
async function goTo(keys: Keyboard, name: string): Promise<void> {
  await keys.use('link', name, { back: true });
  await keys.page.locator('.shell-nav [aria-current]', { hasText: name }).waitFor();
  await keys.page.locator('main h1').waitFor();
  await untilAtRest(keys.page);
}

/** Searches from any page. */
async function search(keys: Keyboard, query: string): Promise<void> {
  await keys.press('/');
  await keys.expectFocus('combobox', 'Query');
  await keys.retype(query);
  await keys.press('Escape', 'Enter');
  const text = new URLSearchParams({ q: query }).toString();
  await keys.page.waitForURL((url) => url.href.includes(text));
  await untilAtRest(keys.page);
}

/** Moves from the query box to the results, past types and filters. */
async function skipToResults(keys: Keyboard): Promise<void> {
  await keys.use('button', 'Skip to results', { presses: 5 });
}

/** Moves through the tools above the results to one of them, from the results. */
async function toTool(keys: Keyboard, name: string): Promise<void> {
  await keys.press('Shift+Tab', 'Home');
  for (let presses = 0; (await keys.focused()).name !== name; presses += 1) {
    assert.ok(presses < 10, `no tool ${name}`);
    await keys.press('ArrowRight');
  }
}

const total = (keys: Keyboard, count: number) =>
  keys.page.locator('.total strong').getByText(String(count), { exact: true }).waitFor();
/** Waits for a page, which takes the focus once it is drawn. */
async function heading(keys: Keyboard, name: string | RegExp): Promise<void> {
  await keys.page.getByRole('heading', { level: 1, name }).waitFor();
  await untilAtRest(keys.page);
}

test('signs in', async () => {
  const { clientId, clientSecret } = world.service;
  const page = await world.openSignedOut('/');
  await page.getByLabel('Client ID').waitFor();
  const keys = await Keyboard.of(page);
  await keys.reach('textbox', 'Client ID', { presses: 3 });
  await keys.type(clientId);
  await keys.reach('textbox', 'Client secret', { presses: 1 });
  await keys.type('wrong');
  await keys.use('button', 'Sign in', { presses: 1 });
  await page.getByText('The client id or secret is wrong').waitFor();
  await keys.expectFocus('button', 'Sign in');
  await keys.reach('textbox', 'Client secret', { back: true, presses: 1 });
  await keys.retype(clientSecret);
  await keys.press('Enter');
  await page.locator('.rows-all .row').first().waitFor();
  await untilAtRest(page);
  await keys.reach('combobox', 'Query', { presses: 2 });
});

test('exports dormant privileged accounts, one row for each', async () => {
  const keys = await open();
  await search(keys, '@accounts(privileged:true AND disabled:false)');
  await skipToResults(keys);
  await keys.expectFocus('grid', 'Identities');
  await keys.reach('combobox', 'Rows are', { back: true, presses: 3 });
  await keys.type('Accounts');
  await keys.page.waitForURL(/rows=accounts/);
  await keys.page.locator('.total', { hasText: /rows of/ }).waitFor();
  await untilAtRest(keys.page);
  const count = Number(await keys.page.locator('.total strong').innerText());
  await keys.expectFocus('combobox', 'Rows are');
  await keys.reach('button', 'Columns', { presses: 2 });
  await keys.press('ArrowRight');
  await keys.expectFocus('button', 'Export');
  await keys.press('Enter');
  await keys.page.getByRole('button', { name: 'CSV', exact: true }).waitFor();
  const downloading = keys.page.waitForEvent('download');
  await keys.use('button', 'CSV', { presses: 1 });
  const csv = await readFile(await (await downloading).path(), 'utf8');
  assert.equal(csv.trimEnd().split('\r\n').length, count + 1);
  await keys.expectFocus('button', 'CSV');
  await keys.press('Escape');
  await keys.expectFocus('button', 'Export');
});

test('finds contractors who leave within 30 days without a sponsor', async () => {
  const soon = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10);
  const [year, month, day] = soon.split('-');
  const profile = {
    ...{ name: 'Zoe Leaver', profile_type_id: 'contractor', status: 'Active' },
    attributes: { first_name: 'Zoe', last_name: 'Leaver', end_date: `${month}/${day}/${year}` },
  };
  await world.service.call('POST', '/api/profile', { profile });
  const keys = await open();
  await goTo(keys, 'Profiles');
  await keys.use('link', 'Advanced search', { presses: 2 });
  await keys.page.getByRole('button', { name: 'Run' }).waitFor();
  await untilAtRest(keys.page);
  await keys.reach('button', 'Contractors who leave within 30 days', { presses: 1 });
  await keys.press('End');
  await keys.expectFocus('button', 'Leaving within 30 days, without a sponsor');
  await keys.press('Enter');
  await keys.page.locator('tbody tr', { hasText: 'Zoe Leaver' }).getByText(soon).waitFor();
  await keys.expectFocus('button', 'Leaving within 30 days, without a sponsor');
  await keys.use('link', 'Zoe Leaver', { presses: 40 });
  await heading(keys, 'Zoe Leaver');
});

test('finds who changed the capabilities of a person, and what changed', async () => {
  const wanted = user(2);
  const patch = [{ op: 'add', path: '/capabilities/-', value: 'CERT_ADMIN' }];
  await world.service.call('PATCH', `/v2024/auth-users/${wanted.id}`, patch, PATCH_TYPE);
  const keys = await open();
  await goTo(keys, 'Auth users');
  await keys.reach('searchbox', 'Name, UID, email or ID', { presses: 1 });
  await keys.type(wanted.displayName);
  await keys.page.waitForURL(/q=/);
  await keys.page.locator('.list-total').getByText('1', { exact: true }).waitFor();
  await keys.use('link', wanted.displayName);
  await heading(keys, wanted.displayName);
  const row = keys.page.getByRole('region', { name: 'History' }).locator('tbody tr').first();
  await row.getByText(/capabilities:\s+none\s+→.*CERT_ADMIN/).waitFor();
  await keys.use('link', /^\d{4}-\d\d-\d\d \d\d:\d\d$/, { presses: 10 });
  await heading(keys, /./);
});

test('finds who left and still reaches a source through a role', async () => {
  const keys = await open();
  await keys.use('link', /^Roles/, { presses: 10 });
  await keys.page.waitForURL(/search\/roles/);
  await keys.expectFocus('link', /^Roles/);
  await search(keys, 'Payroll Clerk');
  await skipToResults(keys);
  await keys.expectFocus('grid', 'Roles');
  await keys.press('Enter');
  await heading(keys, 'Payroll Clerk');
  await keys.page.getByRole('link', { name: /^[1-9]\d* inactive: Reach Payroll/ }).waitFor();
  await keys.use('link', /inactive: Reach Payroll/, { presses: 30 });
  const people = await find(
    'inactive:true AND @access(via.role:"Payroll Clerk" AND source.name:Payroll)',
  );
  await total(keys, people.length);
});

test('finds why somebody is missing, and corrects the query', async () => {
  const keys = await open();
  await search(keys, 'lastName:Hughes AND attributes.department:Nowhere');
  await keys.page.getByText('No results').waitFor();
  await skipToResults(keys);
  await keys.reach('button', 'Columns', { presses: 3 });
  await keys.press('End', 'ArrowLeft');
  await keys.expectFocus('button', 'Why missing?');
  await keys.press('Enter');
  await keys.expectFocus('searchbox', 'Name or email of the person');
  await keys.type('hughes');
  await keys.page.locator('.picker-list button').first().waitFor();
  await keys.use('button', /Hughes/, { presses: 3 });
  await keys.expectFocus('button', 'Choose another');
  await keys.page.getByRole('button', { name: /^Remove condition \d/ }).waitFor();
  await keys.use('button', /^Remove condition/, { presses: 3 });
  await total(keys, 3);
  await keys.expectFocus('button', 'Why missing?');
});

test('saves a search, and opens it from the list', async () => {
  const keys = await open();
  await search(keys, 'attributes.department:Sales');
  await skipToResults(keys);
  await toTool(keys, 'Save');
  await keys.press('Enter');
  await keys.expectFocus('textbox', 'Name');
  await keys.type('All of sales');
  await keys.press('Enter');
  await keys.page.getByRole('heading', { name: 'All of sales' }).waitFor();
  await keys.expectFocus('button', 'Save');
  await search(keys, 'attributes.department:Finance');
  await keys.use('button', 'Saved searches', { presses: 3 });
  await keys.page.getByRole('link', { name: /^All of sales/ }).waitFor();
  await keys.use('link', /^All of sales/);
  await keys.page.waitForURL(/Sales/);
  await keys.expectFocus('link', /^All of sales/);
});

test('opens a person from the results, and goes back to the same row', async () => {
  const keys = await open('/search/identities');
  await keys.reach('combobox', 'Query');
  await skipToResults(keys);
  await keys.expectFocus('grid', 'Identities');
  for (const key of ['PageDown', 'PageDown', 'ArrowDown']) await keys.press(key);
  await untilAtRest(keys.page);
  const row = keys.page.locator('.row[aria-selected="true"]');
  const before = await row.innerText();
  assert.notEqual(await row.getAttribute('id'), 'row-0');
  await keys.press('Enter');
  await keys.page.getByRole('button', { name: 'Back' }).waitFor();
  await keys.use('button', 'Back', { presses: 1 });
  await keys.expectFocus('grid', 'Identities');
  await untilReads(() => row.innerText(), before);
  await row.waitFor();
  await keys.press('ArrowUp');
  await eventually(async () => assert.notEqual(await row.innerText(), before));
  await keys.press('ArrowDown');
  await untilReads(() => row.innerText(), before);
});

test('goes back to the link of a list that was followed', async () => {
  const keys = await open('/profiles');
  await keys.reach('link', /^Akinyi/, { presses: 16 });
  await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown');
  const { name } = await keys.focused();
  await keys.press('Enter');
  await heading(keys, name);
  await keys.use('button', 'Back', { presses: 1 });
  await keys.expectFocus('link', name);
});

test('filters by facets, each one stop, and keeps the focus', async () => {
  const keys = await open('/search/identities');
  await keys.reach('checkbox', /^active/, { presses: 12 });
  await keys.reach('checkbox', /^Engineering/, { presses: 2 });
  await keys.press('ArrowDown');
  await keys.expectFocus('checkbox', /^Sales/);
  await keys.press('Space');
  await keys.page.waitForURL(/Sales/);
  await untilAtRest(keys.page);
  await keys.expectFocus('checkbox', /^Sales/);
  await keys.press('ArrowRight');
  await keys.expectFocus('button', 'Exclude Sales');
  await keys.press('Enter');
  await keys.page.waitForURL(/not=/);
  await keys.expectFocus('button', 'Include Sales');
  await keys.press('End');
  await keys.expectFocus('button', 'Show more');
  await keys.press('Enter');
  await keys.expectFocus('searchbox', 'Find a value of Department');
});

test('removes the chips of filters one after the other', async () => {
  const address = new URLSearchParams([
    ['is', 'attributes.department:Sales'],
    ['is', 'attributes.department:Finance'],
  ]);
  const keys = await open(`/search/identities?${address}`);
  await keys.use('button', /^Remove filter Department: Sales/, { presses: 12 });
  await keys.expectFocus('button', /^Remove filter Department: Finance/);
});

test('moves through the access graph, and opens a node', async () => {
  const keys = await open(`/document/identities/${clerk.id}?tab=access`);
  await keys.page.locator('.graph-node').first().waitFor();
  await keys.reach('link', 'All Staff', { presses: 24 });
  await keys.press('ArrowDown');
  assert.notEqual((await keys.focused()).name, 'All Staff');
  await keys.press('ArrowUp');
  assert.equal((await keys.focused()).name, 'All Staff');
  await keys.press('ArrowRight');
  const opened = (await keys.focused()).name;
  assert.notEqual(opened, 'All Staff');
  await keys.press('Enter');
  await heading(keys, opened);
  await keys.reach('button', 'Back', { presses: 1 });
});

test('compares two people', async () => {
  const keys = await open(`/document/identities/${clerk.id}`);
  await keys.use('button', 'Compare with…', { presses: 3 });
  await keys.expectFocus('searchbox', 'Name or email of the person');
  await keys.type(leaver.displayName);
  const match = keys.page.getByRole('list', { name: 'Matches' }).getByRole('button');
  await match.filter({ hasText: leaver.displayName }).first().waitFor();
  await keys.use('button', new RegExp(leaver.displayName), { presses: 9 });
  await keys.page.waitForURL(/compare/);
  await heading(keys, 'Compare people');
  await keys.page.getByLabel('Differences only').waitFor();
  await keys.use('checkbox', 'Differences only', { presses: 8, key: 'Space' });
  await keys.page.waitForURL(/show=differences/);
  await keys.expectFocus('checkbox', 'Differences only');
  await keys.use('button', 'Swap sides', { back: true, presses: 6 });
  await keys.page.waitForURL(new RegExp(`compare/${leaver.id}/${clerk.id}`));
  await keys.expectFocus('button', 'Swap sides');
});

test('edits a profile and saves it', async () => {
  const keys = await open('/profiles?profile_type_id=contractor&name_contains=Zoe');
  await keys.use('link', 'Zoe Leaver');
  await heading(keys, 'Zoe Leaver');
  await keys.use('link', 'Edit', { presses: 2 });
  await heading(keys, 'Edit Zoe Leaver');
  await keys.reach('textbox', /^First name/);
  await keys.retype('Zoë');
  await keys.use('button', 'Review changes', { presses: 60 });
  await keys.page.getByRole('dialog').waitFor();
  await keys.use('button', 'Save', { presses: 4 });
  await keys.page.getByText('Saved').first().waitFor();
  await heading(keys, 'Zoe Leaver');
});

for (const [screen, options, nth] of [
  ['a desk', {}, 5],
  ['a phone', PHONE, 6],
] as const) {
  test(`changes capabilities and applies them, on the screen of ${screen}`, async () => {
    const keys = await open(`/users/${user(nth).id}`, options);
    await keys.page.locator('.capability').first().waitFor();
    await keys.reach('searchbox', 'Find a capability', { presses: 5 });
    await keys.reach('checkbox', /^Certification administrator/, { presses: 1 });
    await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown');
    await keys.expectFocus('checkbox', /^Help desk/);
    await keys.press('Space', 'End');
    await keys.expectFocus('checkbox', /^Configuration hub reader/);
    await keys.use('button', 'Apply', { presses: 3 });
    await keys.page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
    await keys.expectFocus('button', 'Apply');
    await untilAtRest(keys.page);
    await keys.reach('link', /^\d{4}-/, { presses: 4 });
  });
}

test('creates, disables and deletes API clients', async () => {
  const keys = await open('/clients');
  for (const name of ['first client', 'second client']) {
    await keys.reach('textbox', 'Client name', { presses: 12 });
    await keys.type(name);
    await keys.press('Enter');
    await keys.expectFocus('button', 'Copy');
    await keys.use('button', 'Done', { presses: 1 });
    await keys.expectFocus('textbox', 'Client name');
    await keys.press('Shift+Tab');
  }
  await untilAtRest(keys.page);
  await keys.use('button', 'Disable client first client', { back: true, presses: 4 });
  await keys.expectFocus('button', 'Enable client first client');
  await keys.use('button', 'Delete client first client', { presses: 1 });
  await keys.expectFocus('button', 'Cancel');
  await keys.use('button', 'Delete', { presses: 1 });
  await keys.page.getByText('first client').waitFor({ state: 'detached' });
  await keys.expectFocus('button', 'Delete client second client');
  await keys.press('Enter');
  await keys.expectFocus('button', 'Cancel');
  await keys.use('button', 'Delete', { presses: 1 });
  await keys.page.getByText('No API clients yet').waitFor();
  await keys.expectFocus('textbox', 'Client name');
});

test('moves through the bars of a dashboard, each chart one stop', async () => {
  const keys = await open('/dashboard');
  await keys.page.locator('.timeline canvas').waitFor();
  await untilAtRest(keys.page);
  await keys.reach('slider', /^Bars by arrow keys/, { presses: 24 });
  await keys.press('Home', 'ArrowRight');
  await keys.page.locator('.bar-hovered').waitFor();
  await keys.reach('link', /^Active Directory/, { presses: 14 });
  await keys.reach('link', /^ACCESS_PROFILE/, { presses: 2 });
  await keys.reach('link', /^Building Access/, { presses: 2 });
  await keys.press('ArrowDown');
  const { name } = await keys.focused();
  await keys.press('Enter');
  await keys.page.waitForURL(/search/);
  await total(keys, Number(name.split(' ').at(-1)));
});

test('chooses columns and filters of a list, and turns its pages', async () => {
  const keys = await open('/users');
  await keys.use('button', 'Columns', { presses: 6 });
  await keys.page.getByRole('checkbox', { name: 'UID' }).waitFor();
  await keys.use('checkbox', 'UID', { presses: 24, key: 'Space' });
  await keys.page.getByRole('columnheader', { name: 'UID' }).waitFor();
  await keys.expectFocus('checkbox', 'UID');
  await keys.use('button', 'Move UID to the left', { presses: 1 });
  await keys.expectFocus('button', 'Move UID to the left');
  await keys.press('Escape');
  await keys.expectFocus('button', 'Columns');
  await keys.reach('combobox', 'State', { back: true, presses: 2 });
  await keys.type('Disabled');
  await keys.page.waitForURL(/state=disabled/);
  await keys.expectFocus('combobox', 'State');
  await goTo(keys, 'Profiles');
  await keys.page.locator('tbody tr').first().waitFor();
  await keys.reach('link', /^Akinyi/, { presses: 16 });
  await keys.press('End');
  await keys.reach('button', 'Next', { presses: 2 });
  for (let pages = 0; pages < 20; pages += 1) {
    await keys.press('Enter');
    await untilAtRest(keys.page);
    await keys.expectFocus('button', 'Next');
  }
  await keys.reach('button', 'Previous', { back: true, presses: 1 });
});

test('creates a view, looks through it, and leaves it', async () => {
  const keys = await open();
  await goTo(keys, 'Views');
  await keys.use('link', 'New view', { presses: 2 });
  await keys.page.getByRole('heading', { level: 1, name: 'New view' }).waitFor();
  await keys.expectFocus('textbox', 'Name');
  await keys.type('team');
  await keys.reach('radio', 'None', { presses: 2 });
  await keys.press('ArrowRight', 'ArrowRight');
  await keys.page.getByLabel('Query of identities').waitFor();
  await keys.reach('textbox', 'Query of identities', { presses: 1 });
  await keys.type('attributes.department:Sales');
  await keys.reach('combobox', 'Field to hide', { presses: 6 });
  await keys.type('phone');
  await keys.press('Enter');
  await keys.page.getByRole('button', { name: 'Hide: attributes.phone' }).waitFor();
  await keys.use('button', 'Hide: attributes.phone', { presses: 3 });
  await keys.expectFocus('combobox', 'Field to hide');
  await keys.use('button', 'Show again: phone', { presses: 2 });
  await keys.expectFocus('combobox', 'Field to hide');
  await keys.use('button', 'Create view', { presses: 4 });
  await keys.page.getByRole('heading', { level: 1, name: 'team' }).waitFor();
  await untilAtRest(keys.page);
  await keys.use('button', 'See as this view', { presses: 3 });
  await keys.page.locator('.rows-all .row').first().waitFor();
  await untilAtRest(keys.page);
  await keys.use('button', 'Leave the view', { back: true, presses: 2 });
  await heading(keys, 'team');
  await keys.use('link', 'All views', { presses: 2 });
  await keys.page.getByRole('row', { name: /^team/ }).waitFor();
});

test('filters in a sheet on a phone', async () => {
  const keys = await open('/search/identities', PHONE);
  await keys.use('button', /^Filters/, { presses: 12 });
  const sheet = keys.page.getByRole('dialog', { name: 'Filters' });
  await sheet.getByRole('checkbox', { name: 'Engineering 69' }).waitFor();
  await keys.use('checkbox', /^Engineering/, { presses: 5, key: 'Space' });
  await total(keys, 69);
  await keys.expectFocus('checkbox', /^Engineering/);
  await keys.use('button', 'Show 69 results');
  await keys.expectFocus('button', /^Filters/);
});

/** Pages with the most stops of Tab that their content may have; lists have a stop for each row. */
const PAGES: readonly (readonly [name: string, address: () => string, stops: number])[] = [
  ['a search', () => '/search/identities', 40],
  ['a search with a chart', () => '/search/events', 40],
  ['a dashboard', () => '/dashboard', 55],
  ['a document', () => `/document/identities/${clerk.id}`, 26],
  ['accounts', () => `/document/identities/${clerk.id}?tab=accounts`, 30],
  ['a comparison', () => `/compare/${clerk.id}/${leaver.id}`, 40],
  ['an advanced search', () => '/profiles/advanced', 15],
  ['a new profile', () => '/profiles/new?type=contractor', 80],
  ['auth users', () => '/users', 40],
  ['the audit', () => '/audit', 80],
  ['tokens', () => '/tokens', 20],
  ['a new view', () => '/views?new', 30],
  ['data', () => '/data', 20],
];
for (const [name, address, stops] of PAGES)
  test(`every control of ${name} has a name, is visible and has a ring`, async () => {
    const keys = await open(address());
    const passed = await keys.walk();
    assert.ok(passed.length > 0);
    const texts = passed.map((control) => `${control.role} ${control.name}`);
    assert.ok(passed.length <= stops, `${passed.length} stops: ${texts.join(', ')}`);
  });

test('explains its keys, and closes the list again', async () => {
  const keys = await open('/dashboard');
  await keys.press('?');
  await keys.page.getByText('Move to another row or bar').waitFor();
  await keys.press('Escape');
  await keys.page.getByRole('dialog').waitFor({ state: 'detached' });
});
