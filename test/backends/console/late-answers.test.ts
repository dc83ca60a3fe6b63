// Answers that come after the user of the console has gone on, or is about to: they move nobody away,
// and undo nothing that was chosen meanwhile.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { holdBack } from '../../support/held-requests.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

/** Creates something by the API. */
async function create(path: string, body: object): Promise<string> {
  const answer = await world.service.call('POST', path, body);
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  const created = (await answer.json()) as { id?: string; profile?: { id: string } };
  return created.id ?? created.profile?.id ?? '';
}

async function contractor(): Promise<string> {
  const attributes = { first_name: 'Late', last_name: 'Answer', end_date: '12/31/2031' };
  const profile = { profile_type_id: 'contractor', status: 'Active', attributes };
  return `/profiles/of/${await create('/api/profile', { profile })}`;
}
const dashboard = async () =>
  `/dashboard/${await create('/admin/v1/dashboards', { name: 'Late', shared: false, tiles: [] })}`;
const savedSearch = async () => {
  const search = { name: 'Late', indices: ['identities'], query: 'status:ACTIVE' };
  return `/search/identities?q=status:ACTIVE&saved=${await create('/v2024/saved-searches', search)}`;
};

const DASHBOARDS = /\/dashboards$/;
const ONE_DASHBOARD = /\/dashboards\/[^/]+$/;
const SEARCHES = /\/saved-searches$/;
const ONE_SEARCH = /\/saved-searches\/[^/]+$/;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const addressOf = (page: Page) => new URL(page.url()).hash;

/** Lets the answer of a request come, and the page do and draw what it makes of it. */
async function answered(
  page: Page,
  requests: RegExp,
  method: string,
  release: () => void,
): Promise<void> {
  const answer = page.waitForResponse(
    (response) => response.request().method() === method && requests.test(response.url()),
  );
  release();
  await answer;
  await untilAtRest(page);
}

/** Deletes what the page shows. */
async function remove(page: Page): Promise<void> {
  await button(page, 'Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
}

type Case = readonly [
  name: string,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  requests: RegExp,
  address: () => Promise<string>,
  act: (page: Page) => Promise<unknown>,
];

/** Opens a page and makes it send a request, which is held back. */
async function openAndSend(
  [, method, requests, address, act]: Case,
  status: number | null = null,
): Promise<{ page: Page; release: () => void }> {
  const page = await world.open(await address());
  const release = await holdBack(page, requests, method, status);
  const sent = page.waitForRequest(
    (request) => request.method() === method && requests.test(request.url()),
  );
  await act(page);
  await sent;
  return { page, release };
}

const CASES: readonly Case[] = [
  [
    'the archiving of a profile',
    'PATCH',
    /\/api\/profiles\/[^/]+$/,
    contractor,
    (page) => button(page, 'Archive').click(),
  ],
  ['the deletion of a profile', 'DELETE', /\/api\/profiles\/[^/]+$/, contractor, remove],
  [
    'a new profile',
    'POST',
    /\/api\/profile$/,
    async () => '/profiles/new?type=contractor',
    async (page) => {
      await page.getByLabel(/^End date/).fill('2031-12-31');
      await button(page, 'Create profile').click();
    },
  ],
  ['the deletion of a dashboard', 'DELETE', ONE_DASHBOARD, dashboard, remove],
  [
    'a new dashboard',
    'POST',
    DASHBOARDS,
    async () => '/dashboard',
    async (page) => {
      await button(page, 'New dashboard').click();
      await page.getByRole('dialog').getByLabel('Name').fill('Later');
      await button(page, 'Create').click();
    },
  ],
  [
    'the first save of a dashboard',
    'PUT',
    ONE_DASHBOARD,
    async () => `${await dashboard()}?new`,
    (page) => button(page, 'Save').click(),
  ],
  [
    'a tile that is added to a dashboard',
    'POST',
    DASHBOARDS,
    async () => `/dashboard/add?${new URLSearchParams({ search: '/search/identities' })}`,
    async (page) => {
      await page.getByRole('combobox', { name: 'Dashboard' }).selectOption('New dashboard');
      await button(page, 'Add to the dashboard').click();
    },
  ],
  ['the deletion of a saved search', 'DELETE', ONE_SEARCH, savedSearch, remove],
];
for (const one of CASES) {
  const [name, method, requests] = one;
  test(`the answer to ${name} leaves the user on the page that was opened meanwhile`, async () => {
    const { page, release } = await openAndSend(one);
    await page.evaluate("location.hash = '/status'");
    const leave = button(page, 'Leave');
    await page.getByText('The service is ready').or(leave).waitFor();
    if (await leave.isVisible()) await leave.click();
    await page.getByText('The service is ready').waitFor();
    await answered(page, requests, method, release);
    assert.equal(addressOf(page), '#/status');
  });
}

/** The import of a file with one role. */
const IMPORT: Case = [
  'an import',
  'POST',
  /\/admin\/v1\/documents\?/,
  async () => '/data',
  async (page) => {
    const role = JSON.stringify({ _type: 'role', id: 'late', name: 'Late' });
    await page.getByLabel('Choose a file').setInputFiles({
      ...{ name: 'roles.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(role) },
    });
    await button(page, 'Import').click();
  },
];
/** A profile called Once Created. */
const NEW_PROFILE: Case = [
  'a new profile',
  'POST',
  /\/api\/profile$/,
  async () => '/profiles/new?type=contractor',
  async (page) => {
    await page.getByLabel('First name').fill('Once');
    await page.getByLabel('Last name').fill('Created');
    await page.getByLabel(/^End date/).fill('2031-12-31');
    await button(page, 'Create profile').click();
  },
];
/** Changes whose answer comes while the user is asked whether to leave without them. */
const UNSAVED: readonly Case[] = [
  [
    'a dashboard',
    'PUT',
    ONE_DASHBOARD,
    dashboard,
    async (page) => {
      await button(page, 'Edit').click();
      await page.getByLabel('Name').fill('Changed');
      await button(page, 'Save').click();
    },
  ],
  [
    'a tile',
    'POST',
    DASHBOARDS,
    async () => `/dashboard/add?${new URLSearchParams({ search: '/search/identities' })}`,
    async (page) => {
      await page.getByRole('combobox', { name: 'Dashboard' }).selectOption('New dashboard');
      await page.getByRole('textbox', { name: 'Title' }).fill('Changed');
      await button(page, 'Add to the dashboard').click();
    },
  ],
  IMPORT,
];

/** Follows the link Status, which asks first. @returns the question */
async function leaveForStatus(page: Page): Promise<Locator> {
  await page.getByRole('link', { name: 'Status', exact: true }).first().click();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.waitFor();
  return question;
}

/** Lets a change be saved while the user is asked whether to leave it, and expects the new page. */
async function saveWhileLeaving(change: Case): Promise<void> {
  const { page, release } = await openAndSend(change);
  const question = await leaveForStatus(page);
  release();
  await question.waitFor({ state: 'detached' });
  await page.getByText('The service is ready').waitFor();
  assert.equal(addressOf(page), '#/status');
}

for (const change of UNSAVED) {
  test(`leaves ${change[0]} that is saved while the user is asked whether to leave it`, () =>
    saveWhileLeaving(change));
}

test('leaves a new profile that is saved while the user is asked, and creates it once', async () => {
  await saveWhileLeaving(NEW_PROFILE);
  const answer = await world.service.call('GET', '/api/profiles?name=Once%20Created');
  assert.equal(((await answer.json()) as unknown[]).length, 1);
});

test('stays at an import that fails while the user is asked whether to leave it', async () => {
  const { page, release } = await openAndSend(IMPORT, 500);
  const question = await leaveForStatus(page);
  release();
  await question.waitFor({ state: 'detached' });
  await page.waitForURL(/#\/data$/);
  await page.getByText('Something went wrong').waitFor();
});

test('keeps the form of a tile that was opened while the dashboard is saved', async () => {
  const address = await dashboard();
  const { page, release } = await openAndSend([
    'a dashboard',
    'PUT',
    ONE_DASHBOARD,
    async () => address,
    async (page) => {
      await button(page, 'Edit').click();
      await page.getByLabel('Name').fill('Saved twice');
      await button(page, 'Save').click();
    },
  ]);
  await button(page, 'Add tile').click();
  const title = page.getByRole('dialog').getByRole('textbox', { name: 'Title' });
  await title.fill('Half-filled');
  await answered(page, ONE_DASHBOARD, 'PUT', release);
  assert.equal(await title.inputValue(), 'Half-filled');
  await button(page, 'Add').click();
  await page.locator('.own-tile', { hasText: 'Half-filled' }).waitFor();
  await button(page, 'Save').click();
  await page.getByRole('heading', { level: 1, name: 'Saved twice' }).waitFor();
  const stored = await world.service.call(
    'GET',
    `/admin/v1${address.replace('/dashboard/', '/dashboards/')}`,
  );
  const { tiles } = (await stored.json()) as { tiles: { title: string }[] };
  assert.deepEqual(
    tiles.map((tile) => tile.title),
    ['Half-filled'],
  );
});

/** Forms in dialogs that are closed before their answer comes, and what opens another form then. */
const CLOSED: readonly (readonly [sent: Case, reopen: readonly string[]])[] = [
  [
    [
      'the name of a saved search',
      'PUT',
      ONE_SEARCH,
      savedSearch,
      async (page) => {
        await button(page, 'Rename or share').click();
        await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Later');
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      },
    ],
    ['Schedules and runs', 'Add schedule'],
  ],
  [
    [
      'a schedule',
      'POST',
      /\/scheduled-searches$/,
      savedSearch,
      async (page) => {
        await button(page, 'Schedules and runs').click();
        await button(page, 'Add schedule').click();
        await button(page, 'Save schedule').click();
      },
    ],
    ['Add schedule'],
  ],
];
for (const [sent, reopen] of CLOSED) {
  test(`the answer to ${sent[0]} that was closed keeps the form that was opened meanwhile`, async () => {
    const { page, release } = await openAndSend(sent);
    await button(page, 'Cancel').click();
    for (const name of reopen) await button(page, name).click();
    const field = page.getByRole('dialog').getByLabel('Name (optional)');
    await field.fill('Half-filled');
    await answered(page, sent[2], sent[1], release);
    assert.equal(await field.inputValue(), 'Half-filled');
  });
}

const department = (page: Page) =>
  page.locator('.facet-name', { hasText: /^Engineering$/ }).first();
const CHOSEN = /is=attributes\.department/;

test('the answer to the deletion of a saved search keeps a filter that was chosen meanwhile', async () => {
  const page = await world.open(await savedSearch());
  const release = await holdBack(page, ONE_SEARCH, 'DELETE');
  await remove(page);
  await department(page).click();
  await page.waitForURL(CHOSEN);
  await answered(page, ONE_SEARCH, 'DELETE', release);
  await page.waitForURL((url) => !url.hash.includes('saved='));
  assert.match(addressOf(page), /q=status%3AACTIVE&is=attributes\.department/);
});

test('the answer to a save keeps a filter that was chosen after its dialog was closed', async () => {
  const page = await world.open('/search/identities');
  const release = await holdBack(page, SEARCHES, 'POST');
  await button(page, 'Save').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Closed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await department(page).click();
  await page.waitForURL(CHOSEN);
  await answered(page, SEARCHES, 'POST', release);
  assert.match(addressOf(page), CHOSEN);
  assert.doesNotMatch(addressOf(page), /saved=/);
});
