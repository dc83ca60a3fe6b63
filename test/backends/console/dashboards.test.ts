// The dashboards of the console in a real browser: the built-in one, those of users, and exports.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import type { Download, Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, type Party, tokenOf } from '../../support/callers.ts';
import { assertUsable, WINDOWS } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';
import { holdBack } from '../../support/held-requests.ts';

const DASHBOARDS = '/admin/v1/dashboards';
const DAY_MS = 86_400_000;
/** Failed events of the last days, and of the 30 days before. */
const RECENT_FAILURES = 12;
const EARLIER_FAILURES = 8;
/** Those of today and the seven days before, and of as long a time before. */
const LATEST_FAILURES = 6;
const IMPORTED = 900;

let world: ConsoleWorld;
let reader: Party;
before(async () => {
  world = await startConsoleWorld();
  reader = await addUser(world.service, { capabilities: ['REPORT_ADMIN'] });
  await world.service.addDocuments(recentEvents());
});
after(() => world?.stop());
afterEach(() => world.endTest());

/** Events of the last two months, most of them of one hour, as after an import. */
function recentEvents() {
  const now = Date.now();
  const event = (id: string, daysAgo: number, status: string) => ({
    ...{ _type: 'event', id, status, type: 'AUTH', operation: 'REQUEST', action: 'SignIn' },
    name: `Request Authentication ${status === 'FAILED' ? 'Failed' : 'Passed'}`,
    technicalName: `AUTHENTICATION_REQUEST_${status}`,
    created: new Date(now - daysAgo * DAY_MS).toISOString(),
  });
  const many = (count: number, make: (n: number) => Record<string, unknown>) =>
    Array.from({ length: count }, (_, n) => make(n));
  return [
    ...many(RECENT_FAILURES, (n) => event(`recent${n}`, 2 + n, 'FAILED')),
    ...many(EARLIER_FAILURES, (n) => event(`earlier${n}`, 40 + n, 'FAILED')),
    ...many(20, (n) => event(`daily${n}`, n + 1, 'PASSED')),
    ...many(IMPORTED, (n) => event(`imported${n}`, 0, 'PASSED')),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
type Json = any;

const search = (query: string, index = 'identities') => ({ indices: [index], query });
const number = (title: string, query: string) => ({
  title,
  kind: 'number',
  width: 1,
  search: search(query),
});

async function create(body: object, call = world.service.call): Promise<Json> {
  const answer = await call('POST', DASHBOARDS, body);
  assert.equal(answer.status, 201, await answer.clone().text());
  return answer.json();
}

async function read(id: string): Promise<Json> {
  return (await world.service.call('GET', `${DASHBOARDS}/${id}`)).json();
}

const titlesOf = ({ tiles }: Json): string[] => tiles.map(({ title }: Json) => title);
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });
const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const idIn = (page: Page) => /dashboard\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
const openAs = async (party: Party, address: string) =>
  world.open(address, {}, await tokenOf(world.service.url, party));

async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

test('links the tiles of the dashboard to their searches', async () => {
  const page = await world.open('/dashboard');
  for (const title of ['Inactive with enabled accounts', 'Failed events']) {
    await page.goto(page.url().replace(/#.*/, '#/dashboard'));
    const figure = tile(page, title);
    await figure.locator('.figure-value').getByText(/^\d+$/).waitFor();
    const count = await figure.locator('.figure-value').innerText();
    await figure.click();
    await page.locator('.total strong').getByText(count, { exact: true }).waitFor();
  }
  for (const title of [
    'Privileged access by source',
    'Dormant accounts by source',
    'Failed events by name',
  ]) {
    await page.goto(page.url().replace(/#.*/, '#/dashboard'));
    const bar = tile(page, title).locator('.bar').first();
    const documents = await bar.locator('.bar-count').innerText();
    await bar.click();
    await page.locator('.total strong').getByText(documents, { exact: true }).waitFor();
  }
});

test('alarms on the dashboard, and keeps its time range in the address', async () => {
  const page = await world.open('/dashboard');
  await page.locator('.figure-tile[data-alarm=bad]', { hasText: 'Inactive with' }).waitFor();
  await untilAtRest(page);
  assert.equal(
    await page.locator('.figure-tile[data-alarm]', { hasText: 'Privileged access' }).count(),
    0,
  );
  await page.getByRole('img', { name: /of which \d+ failed/ }).waitFor();
  await page.getByLabel('Time range').selectOption('Last 7 days');
  await page.waitForURL(/dashboard\?in=now-7d/);
  await button(page, 'Clear dates').click();
  await page.waitForURL(/dashboard$/);
});

test('compares failures with the period before, and follows the chosen range', async () => {
  const page = await world.open('/dashboard');
  const failures = tile(page, 'Failed events');
  await failures.getByText('50% more than before').waitFor();
  await untilReads(() => failures.locator('.figure-value').innerText(), String(RECENT_FAILURES));
  const line = failures.locator('.sparkline polyline');
  await eventually(async () => assert.ok((await line.getAttribute('points'))?.includes(' ')));
  await page.getByLabel('Time range').selectOption('Last 7 days');
  await failures.getByText('with the status FAILED in the last 7 days').waitFor();
  await tile(page, 'Active people')
    .getByText(/created in the last 30 days$/)
    .waitFor();
});

test('names failed events in words, whole', async () => {
  const page = await world.open('/dashboard');
  const name = tile(page, 'Failed events by name').getByText('Request Authentication Failed');
  await name.waitFor();
  const isCut = () => name.evaluate((element) => element.scrollWidth > element.clientWidth);
  await untilReads(isCut, false);
});

test('cuts off a tall bar, says its count, and shows it in full on request', async () => {
  const page = await world.open('/dashboard?in=now-30d/d%7Cnow');
  await page.locator('.timeline canvas').waitFor();
  await button(page, '1 bar is cut off. Show in full').click();
  const cut = button(page, 'Cut off high bars');
  await untilReads(() => cut.getAttribute('aria-pressed'), 'true');
  await cut.click();
  await button(page, '1 bar is cut off. Show in full').waitFor();
});

test('tells the values of bars by keyboard, and selects the range of one', async () => {
  const page = await world.open('/dashboard?in=now-30d/d%7Cnow');
  await page.locator('.timeline canvas').waitFor();
  const bars = page.locator('.timeline').getByRole('slider');
  await bars.focus();
  const shown = page.locator('.timeline .bar-hovered');
  await shown.getByText(/^\d{4}-\d\d-\d\d: [\d,]+ so far/).waitFor();
  let text = await shown.innerText();
  for (const key of ['Home', 'ArrowRight']) {
    await page.keyboard.press(key);
    await eventually(async () => assert.notEqual(await shown.innerText(), text));
    text = await shown.innerText();
  }
  const [day = ''] = text.split(':');
  await untilReads(() => bars.getAttribute('aria-valuetext'), text);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`search/events\\?in=${day}`));
});

test('says nothing of a bar that a chart no longer has', async () => {
  const page = await world.open('/search/events?in=now-30d/d%7Cnow');
  await page.locator('.timeline canvas').waitFor();
  const bars = page.locator('.timeline').getByRole('slider');
  await bars.focus();
  const last = Number(await bars.getAttribute('max'));
  await page.keyboard.press('Enter');
  await eventually(async () => assert.ok(Number(await bars.getAttribute('max')) < last));
  const told = await page.locator('.timeline .bar-hovered').allInnerTexts();
  assert.ok(!told.join().includes('1970'), told.join());
});

test('separates the failures in a bar from the rest', async () => {
  const page = await world.open('/search/events?in=now-30d/d%7Cnow');
  await page.locator('.timeline canvas').waitFor();
  await eventually(async () => {
    const above = (await page
      .locator('.timeline canvas')
      .evaluate(pixelsAboveFailures)) as readonly number[];
    assert.ok(above.length > 0, 'there are failures');
    assert.ok(above.every((alpha) => alpha === 0));
  });
});

/** Runs in the page: the lowest opacity just above the failures, for each column of a canvas. */
// biome-ignore lint/suspicious/noExplicitAny: the page has no types here
function pixelsAboveFailures(canvas: any): number[] {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const isRed = (at: number) => data[at] > 150 && data[at + 1] < 100 && data[at + 3] === 255;
  return Array.from({ length: width }, (_, x) => {
    for (let y = 5; y < height; y += 1) {
      const at = 4 * (y * width + x);
      // Bars have round corners and blurred ends.
      const above = [1, 2, 3, 4, 5].map((pixels) => data[at - 4 * width * pixels + 3]);
      if (isRed(at)) return Math.min(...above);
    }
    return null;
  }).filter((alpha) => alpha !== null);
}

test('creates a dashboard with tiles of an own and of a saved search', async () => {
  const saved = await world.service.call('POST', '/v2024/saved-searches', {
    ...{ ...search('isManager:true'), name: 'Managers' },
    columns: { identity: [{ field: 'displayName', header: 'Who' }, { field: 'email' }] },
  });
  assert.equal(saved.status, 201);
  const page = await world.open('/dashboard');
  await button(page, 'New dashboard').click();
  await page.getByRole('dialog').getByLabel('Name').fill('Access reviews');
  await button(page, 'Create').click();
  await page.getByRole('heading', { name: 'Edit dashboard' }).waitFor();
  await button(page, 'Add tile').click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Query').fill('name:(');
  await form.getByRole('textbox', { name: 'Title' }).fill('Open after leaving');
  await button(page, 'Add').click();
  await form
    .getByRole('alert')
    .getByText(/offset/)
    .waitFor();
  await form.getByLabel('Query').fill('inactive:true AND @accounts(disabled:false)');
  await form.getByLabel('Show in red above (optional)').fill('0');
  await button(page, 'Add').click();
  await page.locator('.figure-tile[data-alarm=bad]', { hasText: 'Open after leaving' }).waitFor();
  await button(page, 'Add tile').click();
  await form.getByRole('combobox', { name: 'Search' }).selectOption('Managers');
  await form.getByLabel('Most frequent values').check();
  // Fields of the tenant are offered, too.
  await form.locator('option[value="attributes.department"]').waitFor({ state: 'attached' });
  await form.getByLabel('Field').fill('attributes.department');
  await button(page, 'Add').click();
  await tile(page, 'Managers').locator('.bar').first().waitFor();
  await button(page, 'Add tile').click();
  await form.getByRole('combobox', { name: 'Search' }).selectOption('Managers');
  await form.getByRole('textbox', { name: 'Title' }).fill('Some managers');
  await form.getByLabel('First rows').check();
  const rows = form.getByRole('spinbutton', { name: 'Rows' });
  await rows.press('Backspace');
  await rows.press('3');
  await untilReads(() => rows.inputValue(), '3');
  await button(page, 'Add').click();
  await tile(page, 'Some managers').getByRole('columnheader', { name: 'Who' }).waitFor();
  await button(page, 'Save').click();
  await page.getByRole('heading', { level: 1, name: 'Access reviews' }).waitFor();
  await untilReads(() => tile(page, 'Some managers').locator('tbody tr').count(), 3);
  await page.reload();
  const bar = tile(page, 'Managers').locator('.bar').first();
  const documents = await bar.locator('.bar-count').innerText();
  const stored = await read(idIn(page));
  assert.deepEqual(titlesOf(stored), ['Open after leaving', null, 'Some managers']);
  await bar.click();
  await page.locator('.total strong').getByText(documents, { exact: true }).waitFor();
});

test('moves tiles by keyboard and by dragging, changes widths, removes and renames', async () => {
  const tiles = ['One', 'Two', 'Three', 'Four'].map((title) => number(title, 'inactive:false'));
  const { id } = await create({ name: 'Order', tiles });
  const page = await world.open(`/dashboard/${id}`);
  await button(page, 'Edit').click();
  await button(page, 'Move later: One').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Moved to position 2 of 4').waitFor();
  // The focus goes along.
  await button(page, 'Move later: One').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Moved to position 3 of 4').waitFor();
  await page
    .locator('.own-tile', { hasText: 'Four' })
    .dragTo(page.locator('.own-tile', { hasText: 'Two' }));
  await page.locator('.own-tile:first-child', { hasText: 'Four' }).waitFor();
  const toolbar = page.getByRole('toolbar', { name: 'Edit Two' });
  await toolbar.getByLabel('Full width').check({ force: true });
  await page.locator('.own-tile[data-width="4"]', { hasText: 'Two' }).waitFor();
  await button(page, 'Remove: Three').click();
  await page.getByLabel('Name').fill('Ordered');
  // Nothing is sent before it is saved.
  assert.deepEqual(titlesOf(await read(id)), ['One', 'Two', 'Three', 'Four']);
  await button(page, 'Save').click();
  await page.getByRole('heading', { level: 1, name: 'Ordered' }).waitFor();
  const stored = await read(id);
  assert.deepEqual(titlesOf(stored), ['Four', 'Two', 'One']);
  assert.equal(stored.tiles[1].width, 4);
  await button(page, 'Edit').click();
  await button(page, 'Remove: Four').click();
  await button(page, 'Cancel').click();
  await tile(page, 'Four').waitFor();
});

test('does not overwrite what somebody else has saved', async () => {
  const { id } = await create({ name: 'Contested', tiles: [] });
  const page = await world.open(`/dashboard/${id}`);
  await button(page, 'Edit').click();
  await page.getByLabel('Name').fill('Mine');
  await world.service.call('PUT', `${DASHBOARDS}/${id}`, { name: 'Theirs', tiles: [] });
  await button(page, 'Save').click();
  await page.getByText('Changed by someone else').waitFor();
  const release = await holdBack(page, `**/dashboards/${id}`, 'GET');
  await button(page, 'Discard my changes and reload').click();
  // What is shown next is edited next, so it is not the old version.
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  assert.equal(await button(page, 'Edit').count(), 0);
  release();
  await page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor();
  await page.getByText('Changed by someone else').waitFor({ state: 'detached' });
  assert.equal((await read(id)).name, 'Theirs');
});

test('shares a dashboard, which others read and copy, and deletes it after a confirmation', async () => {
  const { service } = world;
  const made = await service.call('POST', '/v2024/saved-searches', {
    ...search('inactive:true'),
    name: 'Gone',
  });
  const saved = (await made.json()) as Json;
  const tiles = [
    { kind: 'number', width: 1, savedSearchId: saved.id },
    number('Here', 'inactive:false'),
  ];
  const { id } = await create({ name: 'For all', tiles });
  const page = await world.open(`/dashboard/${id}`);
  await button(page, 'Edit').click();
  await page.getByLabel(/^Share with all users/).check();
  await button(page, 'Save').click();
  await page.getByText('Shared with all users of the tenant').waitFor();
  const other = await openAs(reader, '/dashboard');
  await button(other, 'Dashboards').click();
  await other.getByRole('link', { name: 'For all' }).click();
  await other.getByText('Shared by test.admin').waitFor();
  await tile(other, 'Gone').locator('.figure-value').getByText(/^\d+$/).waitFor();
  assert.equal(await button(other, 'Edit').count(), 0);
  await button(other, 'Make a copy').click();
  await other.getByRole('heading', { level: 1, name: 'Copy of For all' }).waitFor();
  await button(other, 'Edit').waitFor();
  await service.call('DELETE', `/v2024/saved-searches/${saved.id}`);
  await page.reload();
  await page.getByText('The saved search was deleted').waitFor();
  await button(page, 'Delete').click();
  const dialog = page.getByRole('dialog', { name: 'Delete For all?' });
  await dialog.getByText('deleted for all users').waitFor();
  await dialog.locator('button:focus', { hasText: 'Cancel' }).waitFor();
  await dialog.locator('.button-danger').click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  assert.equal((await service.call('GET', `${DASHBOARDS}/${id}`)).status, 404);
  // The copy has the searches themselves.
  await other.reload();
  await tile(other, 'Gone').locator('.figure-value').getByText(/^\d+$/).waitFor();
});

test('adds the present search with its filters to a dashboard', async () => {
  const address = new URLSearchParams({ q: 'status:FAILED', in: 'now-30d/d|now' });
  address.append('is', 'type:AUTH');
  const page = await world.open(`/search/events?${address}`);
  await page.locator('.total strong').waitFor();
  const total = await page.locator('.total strong').innerText();
  await button(page, 'Add to dashboard').click();
  await page.getByText('Filtered by type, created').waitFor();
  await page.getByRole('combobox', { name: 'Dashboard' }).selectOption('New dashboard');
  await page.getByLabel('Name of the dashboard').fill('From a search');
  await page.getByRole('textbox', { name: 'Title' }).fill('Failed sign-ins');
  await button(page, 'Add to the dashboard').click();
  await page.getByRole('heading', { level: 1, name: 'From a search' }).waitFor();
  const figure = tile(page, 'Failed sign-ins');
  await figure.locator('.figure-value').getByText(total, { exact: true }).waitFor();
  await figure.click();
  await page.waitForURL(/is=type%3AAUTH&in=now-30d/);
});

test('counts and compares events of a time range, and leaves other documents alone', async () => {
  const tiles = [
    { ...number('Failures', 'status:FAILED'), search: search('status:FAILED', 'events') },
    number('Gone', 'inactive:true'),
  ];
  const { id } = await create({ name: 'Ranges', tiles });
  const page = await world.open(`/dashboard/${id}`);
  const value = (title: string) => tile(page, title).locator('.figure-value');
  await value('Gone').getByText(/^\d+$/).waitFor();
  const gone = await value('Gone').innerText();
  const lately = `${RECENT_FAILURES} in the last 30 days, 50% more than before`;
  await tile(page, 'Failures').getByText(lately).waitFor();
  await page.getByLabel('Time range of events').selectOption('Last 7 days');
  await page.waitForURL(/in=now-7d\/d\|now/);
  const failures = String(LATEST_FAILURES);
  await value('Failures').getByText(failures, { exact: true }).waitFor();
  await tile(page, 'Failures').getByText('in the last 7 days, as many as before').waitFor();
  assert.equal(await value('Gone').innerText(), gone);
  await page.reload();
  await value('Failures').getByText(failures, { exact: true }).waitFor();
  await tile(page, 'Failures').click();
  await page.locator('.total strong').getByText(failures, { exact: true }).waitFor();
});

test('exports a dashboard and a tile as an image and as exact values', async () => {
  const { id } = await create({
    name: 'Export = me',
    tiles: [
      number('Gone', 'inactive:true'),
      { title: 'Over time', kind: 'time', width: 4, search: search('*', 'events') },
      { title: 'By type', kind: 'values', width: 2, field: 'type', search: search('*', 'events') },
      { title: 'People', kind: 'rows', width: 2, search: search('*') },
    ],
  });
  const page = await world.open(`/dashboard/${id}`);
  const exported = async (menu: string, format: RegExp) => {
    await button(page, menu).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, format).click(),
    ]);
    await page.keyboard.press('Escape');
    return { name: download.suggestedFilename(), content: await contentOf(download) };
  };
  const image = await exported('Export', /^PNG/);
  assert.match(image.name, /^export-me-\d{4}-\d\d-\d\d\.png$/);
  assert.equal(image.content.subarray(1, 4).toString(), 'PNG');
  // The image is as wide as four columns, at two pixels each.
  assert.equal(image.content.readUInt32BE(16), 2 * (2 * 32 + 4 * 272 + 3 * 16));
  const count = await world.service.call('POST', '/v2024/search/count', {
    ...{ indices: ['identities'], query: { query: 'inactive:true' } },
  });
  const gone = count.headers.get('x-total-count');
  const table = await exported('Export', /^CSV/);
  assert.match(table.name, /^export-me-.*\.csv$/);
  const lines = table.content.toString().split('\r\n');
  assert.equal(lines[0], '\uFEFFTile,Query,Row,Column,Value');
  assert.ok(lines.includes(`Gone,identities: inactive:true,Gone,Documents,${gone}`), lines[1]);
  const one = await exported('Export By type', /^CSV/);
  assert.match(one.name, /^by-type-/);
  const values = one.content.toString().split('\r\n');
  assert.equal(values[0], '\uFEFFtype,Documents');
  const sum = Number(values.find((line) => line.startsWith('AUTH,'))?.slice('AUTH,'.length));
  assert.ok(sum > IMPORTED, values.join());
  assert.ok((await exported('Export Over time', /^PNG/)).content.length > 5_000);
});

test('reports why an export has no file', async () => {
  const { id } = await create({ name: 'Cut off', tiles: [number('Gone', 'inactive:true')] });
  const page = await world.open(`/dashboard/${id}`);
  await tile(page, 'Gone').locator('.figure-value').getByText(/^\d+$/).waitFor();
  await world.cutOff();
  await button(page, 'Export').click();
  await button(page, /^CSV/).click();
  await page.getByRole('alert').getByText('No file was created').waitFor();
  await world.comeBack();
});

test('offers own dashboards only to users who may search', async () => {
  const clerk = await addUser(world.service, { capabilities: ['HELPDESK'] });
  const page = await openAs(clerk, '/dashboard');
  await page.getByText('You do not have permission').first().waitFor();
  assert.equal(await button(page, 'New dashboard').count(), 0);
});

const PAGES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'a dashboard': async () => {},
  'the menu of dashboards': (page) =>
    page.locator('#main').getByRole('button', { name: 'Dashboards', exact: true }).click(),
  'the menu of a tile': (page) => button(page, 'Export Here').click(),
  'the editor': (page) => button(page, 'Edit').click(),
  'the form of a tile': async (page) => {
    await button(page, 'Edit').click();
    await button(page, 'Edit tile: By department').click();
  },
};
for (const [name, prepare] of Object.entries(PAGES)) {
  for (const [window, options] of Object.entries(WINDOWS)) {
    test(`${name}, ${window}: accessible, and not wider than the screen`, async () => {
      const { id } = await create({
        name: 'Everything',
        tiles: [
          { ...number('Here', 'inactive:false'), alarmAbove: 0 },
          { ...number('Events', '*'), search: search('*', 'events') },
          { title: 'Over time', kind: 'time', width: 4, search: search('*', 'events') },
          {
            ...{ title: 'By department', kind: 'values', width: 2 },
            ...{ field: 'attributes.department', search: search('*') },
          },
          { title: 'People', kind: 'rows', width: 2, search: search('*') },
        ],
      });
      const page = await world.open(`/dashboard/${id}`, options);
      await tile(page, 'People').locator('tbody tr').first().waitFor();
      await tile(page, 'Over time').locator('canvas').waitFor();
      await prepare(page);
      await untilAtRest(page);
      await assertUsable(page);
      await world.service.call('DELETE', `${DASHBOARDS}/${id}`);
    });
  }
}
