// Saved searches in a real browser: save, open, update, rename and delete them, schedule them, and
// read the results of their runs.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, tokenOf } from '../../support/callers.ts';
import { assertUsable, WINDOWS } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { untilReads } from '../../support/eventually.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

const total = (page: Page) => page.locator('.total strong');
const bar = (page: Page) => page.getByRole('region', { name: 'Saved search' });
const side = (page: Page) => page.getByRole('complementary', { name: 'Saved searches' });
const drawer = (page: Page) => page.getByRole('dialog').last();

/** Calls the API as the administrator. */
async function api<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${world.service.url}/v2024/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${await world.service.token()}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return (await answer.json()) as T;
}

/** A token of the administrator that has only some scopes. */
async function tokenFor(scope: readonly string[]): Promise<string> {
  const pat = await api<{ id: string; secret: string }>('personal-access-tokens', {
    name: scope.join(' '),
    scope,
  });
  const answer = await fetch(`${world.service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: pat.id,
      client_secret: pat.secret,
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly filters: unknown;
  readonly orderBy: unknown;
  readonly columns: Record<string, { field: string }[]>;
}

interface Scheduled {
  readonly schedule: unknown;
  readonly recipients: readonly unknown[];
  readonly emailEmptyResults: boolean;
}

const saved = async (name: string) =>
  (await api<Stored[]>('saved-searches')).find((one) => one.name === name);
const save = (name: string, more: object = {}) =>
  api<Stored>('saved-searches', { name, indices: ['identities'], query: '*', ...more });

test('saves the search of the page, and opens it from the list and by its address', async () => {
  const filters = new URLSearchParams({
    q: 'attributes.department:Sales',
    is: 'attributes.country:IE',
    sort: '-displayName',
    columns: 'displayName,email',
  });
  const page = await world.open(`/search/identities?${filters}`);
  const count = await total(page).innerText();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await drawer(page).getByLabel('Name', { exact: true }).fill('Sales in Ireland');
  await drawer(page).getByLabel('Description (optional)').fill('For the monthly review');
  await drawer(page).getByRole('button', { name: 'Save', exact: true }).click();
  await bar(page).getByRole('heading', { name: 'Sales in Ireland' }).waitFor();
  const stored = await saved('Sales in Ireland');
  assert.equal(stored?.query, 'attributes.department:Sales');
  assert.deepEqual(stored?.filters, { 'attributes.country': { type: 'TERMS', terms: ['IE'] } });
  assert.deepEqual(stored?.orderBy, { identity: ['-displayName'] });
  const fields = stored?.columns['identity']?.map(({ field }) => field);
  assert.deepEqual(fields, ['displayName', 'email']);

  const other = await world.open('/search/roles');
  await other.getByRole('button', { name: 'Saved searches' }).click();
  await side(other).getByRole('link', { name: 'Sales in Ireland' }).click();
  await bar(other).getByText('For the monthly review').waitFor();
  await total(other).getByText(count, { exact: true }).waitFor();
  await other.getByRole('columnheader', { name: 'Email' }).waitFor();
  await bar(other).getByText('Changed').waitFor({ state: 'detached' });
  await other.reload();
  await bar(other).getByRole('heading', { name: 'Sales in Ireland' }).waitFor();
  await side(other).getByRole('link', { name: 'Sales in Ireland' }).waitFor();
  await other.locator('.chip', { hasText: 'Country: IE' }).waitFor();
});

test('updates, discards, renames and deletes a saved search', async () => {
  const { id } = await save('Managers', { query: 'isManager:true' });
  const page = await world.open('/search/identities');
  await page.getByRole('button', { name: 'Saved searches' }).click();
  await side(page).getByRole('link', { name: 'Managers' }).click();
  await bar(page).getByRole('heading', { name: 'Managers' }).waitFor();
  const type = async (query: string) => {
    await page.locator('.query-input').fill(query);
    await page.keyboard.press('Enter');
    await bar(page).getByText('Changed').waitFor();
  };
  await type('isManager:false');
  await bar(page).getByRole('button', { name: 'Discard changes' }).click();
  await bar(page).getByText('Changed').waitFor({ state: 'detached' });
  await untilReads(() => page.locator('.query-input').inputValue(), 'isManager:true');
  await type('isManager:true AND status:ACTIVE');
  await bar(page).getByRole('button', { name: 'Save changes' }).click();
  await bar(page).getByText('Changed').waitFor({ state: 'detached' });
  assert.equal((await saved('Managers'))?.query, 'isManager:true AND status:ACTIVE');

  await bar(page).getByRole('button', { name: 'Rename or share' }).click();
  const name = drawer(page).getByLabel('Name', { exact: true });
  await name.fill('x'.repeat(300));
  await drawer(page).getByRole('button', { name: 'Save', exact: true }).click();
  await drawer(page).getByText('at most 255 characters').waitFor();
  await untilReads(() => name.getAttribute('aria-invalid'), 'true');
  await name.fill('Active managers');
  await drawer(page).getByRole('button', { name: 'Save', exact: true }).click();
  await bar(page).getByRole('heading', { name: 'Active managers' }).waitFor();
  await side(page).getByRole('link', { name: 'Active managers' }).waitFor();

  await bar(page).getByRole('button', { name: 'Delete' }).click();
  await drawer(page).getByRole('button', { name: 'Cancel' }).click();
  assert.ok(await saved('Active managers'));
  await bar(page).getByRole('button', { name: 'Delete' }).click();
  await drawer(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await bar(page).waitFor({ state: 'detached' });
  await side(page).getByRole('link', { name: 'Active managers' }).waitFor({ state: 'detached' });
  assert.equal(await saved('Active managers'), undefined);
  await page.goto(`${page.url().split('#')[0]}#/search/identities?q=isManager:true&saved=${id}`);
  await page.getByText('was deleted, or it belongs to somebody else').waitFor();
  await page.getByRole('button', { name: 'Continue without it' }).click();
  await page.waitForURL((url) => !url.href.includes('saved='));
});

test('keeps what somebody else has changed of a search and its schedule meanwhile', async () => {
  const stored = await save('Original', { query: 'isManager:true' });
  const { id } = stored;
  const put = async (path: string, body: object) =>
    assert.equal((await world.service.call('PUT', `/v2024/${path}`, body)).status, 200);
  const read = () => api<Stored>(`saved-searches/${id}`);
  const page = await world.open(`/search/identities?q=isManager:true&saved=${id}`);
  await bar(page).getByRole('heading', { name: 'Original' }).waitFor();
  await put(`saved-searches/${id}`, { ...stored, query: 'isManager:false' });
  await bar(page).getByRole('button', { name: 'Rename or share' }).click();
  await drawer(page).getByLabel('Name', { exact: true }).fill('Renamed here');
  await drawer(page).getByRole('button', { name: 'Save', exact: true }).click();
  await bar(page).getByRole('heading', { name: 'Renamed here' }).waitFor();
  assert.equal((await read()).query, 'isManager:false');

  await put(`saved-searches/${id}`, { ...(await read()), name: 'Renamed there' });
  await bar(page).getByRole('button', { name: 'Save changes' }).click();
  await bar(page).getByRole('heading', { name: 'Renamed there' }).waitFor();
  assert.equal((await read()).query, 'isManager:true');

  const schedule = await api<{ id: string }>('scheduled-searches', {
    ...{ savedSearchId: id, name: 'Morning', recipients: [], enabled: true },
    schedule: { type: 'DAILY', hours: { type: 'LIST', values: ['7'] } },
  });
  await bar(page).getByRole('button', { name: 'Schedules and runs' }).click();
  await drawer(page).getByText('Morning').waitFor();
  await put(`scheduled-searches/${schedule.id}`, { ...schedule, name: 'Evening' });
  await drawer(page).getByRole('button', { name: 'Turn Morning off' }).click();
  await drawer(page).getByRole('button', { name: 'Turn Evening on' }).waitFor();
  await world.service.call('DELETE', `/v2024/saved-searches/${id}`);
});

test('shares a search, which others open and cannot change', async () => {
  await save('Team managers', { query: 'isManager:true' });
  const page = await world.open('/search/identities');
  await page.getByRole('button', { name: 'Saved searches' }).click();
  await side(page).getByRole('link', { name: 'Team managers' }).click();
  await bar(page).getByRole('button', { name: 'Rename or share' }).click();
  await drawer(page)
    .getByLabel(/^Share with all users/)
    .check();
  await drawer(page).getByRole('button', { name: 'Save', exact: true }).click();
  await bar(page).getByText('Shared', { exact: true }).waitFor();
  await side(page).getByText('Identities · shared').waitFor();

  const reader = await addUser(world.service, { capabilities: ['REPORT_ADMIN'] });
  const token = await tokenOf(world.service.url, reader);
  const other = await world.open('/search/roles', {}, token);
  await other.getByRole('button', { name: 'Saved searches' }).click();
  await side(other).getByText('Shared by others').waitFor();
  await side(other).getByRole('link', { name: 'Team managers' }).click();
  await bar(other).getByText('Shared', { exact: true }).waitFor();
  assert.equal(await bar(other).getByRole('button').count(), 0);
  await other.locator('.query-input').fill('isManager:false');
  await other.keyboard.press('Enter');
  await bar(other).getByRole('button', { name: 'Discard changes' }).waitFor();
  await untilReads(() => bar(other).getByRole('button').count(), 1);
});

test('opens what another program stored, with filters that are no facet values', async () => {
  await save('Foreign', {
    filters: {
      'attributes.department': { type: 'TERMS', terms: ['Sales'], exclude: true },
      accessCount: { type: 'RANGE', range: { lower: { value: '5', inclusive: true } } },
      email: { type: 'EXISTS' },
    },
    sort: ['attributes.department', '-displayName'],
  });
  const page = await world.open('/search/identities');
  await page.getByRole('button', { name: 'Saved searches' }).click();
  await side(page).getByRole('link', { name: 'Foreign' }).click();
  const chips = page.locator('.chosen .chip');
  await chips.filter({ hasText: 'Access count: from 5' }).waitFor();
  await chips.filter({ hasText: 'Email: exists' }).waitFor();
  await chips.filter({ hasText: 'Department: not Sales' }).waitFor();
  const sort = page.getByLabel('Sort by');
  await untilReads(() => sort.inputValue(), 'attributes.department,-displayName');
  await untilAtRest(page);
  const before = Number(await total(page).innerText());
  await chips.filter({ hasText: 'Access count: from 5' }).click();
  await bar(page).getByText('Changed').waitFor();
  await page.waitForURL((url) => !url.href.includes('accessCount'));
  await untilAtRest(page);
  assert.ok(Number(await total(page).innerText()) > before);
});

test('schedules a search, shows refusals next to their field, and runs it', async () => {
  const { id } = await save('Leavers', { query: 'inactive:true' });
  const page = await world.open(`/search/identities?q=inactive:true&saved=${id}`);
  await bar(page).getByRole('button', { name: 'Schedules and runs' }).click();
  await drawer(page).getByRole('button', { name: 'Add schedule' }).click();
  const form = drawer(page);
  await form.getByRole('radio', { name: 'Monthly' }).check();
  await form.getByRole('checkbox', { name: 'day 1', exact: true }).uncheck();
  await form.getByLabel('Time zone').fill('Europe/Nowhere');
  await form.getByRole('button', { name: 'Save schedule' }).click();
  await form.getByText('at least one value is needed').waitFor();
  await form.getByRole('checkbox', { name: 'the last day' }).check();
  await form.getByRole('button', { name: 'Save schedule' }).click();
  await form.getByText('is no time zone').waitFor();
  await untilReads(() => form.getByLabel('Time zone').getAttribute('aria-invalid'), 'true');
  await form.getByLabel('Time zone').fill('Europe/Oslo');
  await form.getByRole('group', { name: 'Hours' }).getByRole('radio', { name: 'Range' }).check();
  await form.getByLabel('Hours from').selectOption('8');
  await form.getByLabel('Hours to').selectOption('18');
  await form.getByLabel('Hours step').fill('2');
  await form.getByLabel('Ends (UTC)').fill('2030-01-31T00:00');
  await form.getByText('This service sends no e-mail').waitFor();
  await form.getByRole('button', { name: 'Add a recipient' }).click();
  await form.getByLabel('Name or email of the person').fill('hughes');
  await form.locator('.picker-list button').first().click();
  await form.getByLabel('Send only if there are results').uncheck();
  await form.getByRole('button', { name: 'Save schedule' }).click();
  const text =
    'Monthly on the last day every 2 hours from 08:00 to 18:00, Europe/Oslo, until 2030-01-31 00:00 UTC';
  await drawer(page).getByText(text).waitFor();
  const [schedule] = await api<Scheduled[]>('scheduled-searches');
  assert.deepEqual(schedule?.schedule, {
    ...{ type: 'MONTHLY', months: null, timeZoneId: 'Europe/Oslo' },
    days: { type: 'LIST', values: ['L'], interval: null },
    hours: { type: 'RANGE', values: ['8', '18'], interval: 2 },
    expiration: '2030-01-31T00:00:00.000Z',
  });
  assert.equal(schedule?.emailEmptyResults, true);
  assert.equal(schedule?.recipients.length, 2);

  await drawer(page)
    .getByRole('button', { name: /^Turn .* off$/ })
    .click();
  await drawer(page).locator('.schedules').getByText('Off', { exact: true }).waitFor();
  await drawer(page)
    .getByRole('button', { name: /^Edit / })
    .click();
  await untilReads(() => drawer(page).getByLabel('Hours step').inputValue(), '2');
  await drawer(page).getByRole('button', { name: 'Cancel' }).click();

  await drawer(page)
    .getByRole('region', { name: 'Runs' })
    .getByRole('button', { name: 'Run now' })
    .click();
  await drawer(page).locator('.runs').getByText('Completed').waitFor();
  const download = page.waitForEvent('download');
  await drawer(page)
    .getByRole('button', { name: /^Download identities/ })
    .click();
  const file = await download;
  assert.match(file.suggestedFilename(), /^Leavers-identity-\d{4}-\d\d-\d\d\.csv$/);
  const csv = await readFile(await file.path(), 'utf8');
  assert.equal(csv.trimEnd().split('\r\n').length - 1, Number(await total(page).innerText()));

  await drawer(page)
    .getByRole('button', { name: /^Delete / })
    .click();
  await drawer(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer(page).getByText('A schedule runs the search at set times').waitFor();
  assert.deepEqual(await api<unknown[]>('scheduled-searches'), []);
});

test('offers only what the token allows', async () => {
  const { id } = await save('Only to read');
  const reader = await tokenFor(['sp:search:read', 'sp:saved-search:read']);
  const page = await world.open(`/search/identities?saved=${id}`, {}, reader);
  await bar(page).getByRole('heading', { name: 'Only to read' }).waitFor();
  await untilReads(() => bar(page).getByRole('button').allInnerTexts(), ['Runs']);
  await bar(page).getByRole('button').click();
  await drawer(page).getByText('The results of a run stay here').waitFor();
  assert.equal(await drawer(page).getByRole('button', { name: 'Run now' }).count(), 0);
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0);
  const none = await world.open('/search/identities', {}, await tokenFor(['sp:search:read']));
  await total(none).waitFor();
  assert.equal(await none.getByRole('button', { name: 'Saved searches' }).count(), 0);
});

test('lets the filters give way to the list, in a drawer that a button opens', async () => {
  const page = await world.open('/search/identities', { viewport: { width: 1440, height: 900 } });
  const filters = page.getByRole('complementary', { name: 'Filters' });
  await filters.waitFor();
  await page.getByRole('button', { name: 'Saved searches' }).click();
  await side(page).waitFor();
  await filters.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await drawer(page)
    .locator('.facet-name', { hasText: /^Engineering$/ })
    .click();
  await drawer(page)
    .getByRole('button', { name: /^Show \d+ results$/ })
    .click();
  await page.getByRole('button', { name: 'Filters 1', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Saved searches' }).click();
  await filters.waitFor();
});

for (const [window, options] of Object.entries(WINDOWS)) {
  test(`saved searches and schedules are accessible, ${window}`, async () => {
    const { id } = await save(`Accessible ${window}`);
    const page = await world.open(`/search/identities?saved=${id}`, options);
    await bar(page).waitFor();
    await page.getByRole('button', { name: 'Saved searches' }).click();
    await page
      .locator('.saved-panel')
      .getByRole('link', { name: `Accessible ${window}` })
      .waitFor();
    await assertUsable(page);
    await page.keyboard.press('Escape');
    await bar(page).getByRole('button', { name: 'Schedules and runs' }).click();
    await drawer(page).getByText('A schedule runs the search').waitFor();
    await drawer(page).getByRole('button', { name: 'Add schedule' }).click();
    await drawer(page).getByText('Repeat').waitFor();
    await assertUsable(page);
  });
}
