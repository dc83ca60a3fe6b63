// What somebody types, ticks or presses twice in the console while an answer is on its way or the page is
// slow to draw: no letter, day or choice is lost, and nothing is done twice.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, tokenOf } from '../../support/callers.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { untilReads } from '../../support/eventually.ts';
import { holdBack } from '../../support/held-requests.ts';

interface User {
  readonly id: string;
  readonly displayName: string;
}

let world: ConsoleWorld;
let people: User[] = [];
before(async () => {
  world = await startConsoleWorld();
  const filters = encodeURIComponent('capabilities isnull');
  const path = `/admin/v1/auth-users?sorters=name&filters=${filters}`;
  people = (await (await world.service.call('GET', path)).json()) as User[];
});
after(() => world?.stop());
afterEach(() => world.endTest());

function person(): User {
  const [first] = people;
  assert.ok(first !== undefined);
  return first;
}

/** Frames come late, as on a busy machine. */
const drawSlowly = (page: Page) =>
  page.evaluate('requestAnimationFrame = (callback) => setTimeout(callback, 500)');

const untilValue = (field: Locator, value: string) => untilReads(() => field.inputValue(), value);

test('keeps each letter of a filter, however slowly it is typed and the page is drawn', async () => {
  const page = await world.open('/users');
  await page.locator('.list-total').waitFor();
  await drawSlowly(page);
  const field = page.getByLabel('Name, UID, email or ID');
  for (const delay of [45, 55, 65, 75]) {
    await field.clear();
    await field.pressSequentially(person().displayName, { delay });
    assert.equal(await field.inputValue(), person().displayName, `a letter in ${delay} ms`);
  }
});

test('changes one part of a day by the keyboard', async () => {
  const page = await world.open('/audit?show=all');
  const from = page.getByLabel('From', { exact: true });
  await from.fill('2026-03-15');
  await page.waitForURL(/2026-03-15/);
  await page.getByLabel('To', { exact: true }).fill('2026-12-01');
  await page.waitForURL(/2026-12-02/);
  await from.focus();
  await page.keyboard.type('05');
  await page.waitForURL(/2026-05-15/);
  await untilValue(from, '2026-05-15');
});

test('takes a day of the timeline when its whole year is typed', async () => {
  const page = await world.open('/search/events');
  await page.getByLabel('From').fill('2025-01-01');
  await page.waitForURL(/2025-01-01/);
  const before = page.getByLabel('Before');
  await before.focus();
  await page.keyboard.type('06012025');
  await page.waitForURL(/2025-06-01/);
  await untilValue(before, '2025-06-01');
});

/** Enter as an input method sends it when it accepts characters; Safari ends the composition before. */
for (const [browser, key] of [
  ['most browsers', { isComposing: true }],
  ['Safari', { keyCode: 229 }],
] as const) {
  test(`Enter of an input method runs no query, in ${browser}`, async () => {
    const page = await world.open('/search/identities');
    const box = page.locator('.query-input');
    await box.fill('にほん');
    await box.dispatchEvent('keydown', { key: 'Enter', ...key });
    assert.doesNotMatch(String(await page.evaluate('location.hash')), /q=/);
    await box.press('Enter');
    await page.waitForURL(/q=/);
  });
}

test('Enter in a filter of the audit keeps the focus there', async () => {
  const page = await world.open('/audit?show=all');
  const actor = page.getByLabel('Actor');
  await actor.focus();
  await page.keyboard.type('an');
  await page.keyboard.press('Enter');
  await page.waitForURL(/an(&|$)/);
  await page.keyboard.type('na');
  await untilValue(actor, 'anna');
});

test('creates one API key, however often Enter is pressed', async () => {
  const page = await world.open('/tokens');
  const release = await holdBack(page, '**/api-keys', 'POST');
  const name = page.getByLabel('New API key name');
  await name.fill('pressed twice');
  await name.press('Enter');
  await name.press('Enter');
  release();
  await page.getByText('Copy your API key now.').waitFor();
  const rows = page.getByRole('button', { name: 'Delete API key pressed twice' });
  await rows.first().waitFor();
  await untilAtRest(page);
  assert.equal(await rows.count(), 1);
});

test('saves an advanced search once, however often Enter is pressed', async () => {
  const page = await world.open('/profiles/advanced');
  const release = await holdBack(page, '**/api/advanced_search', 'POST');
  await page.getByRole('button', { name: 'Add rule' }).click();
  const label = page.getByLabel('Save search as');
  await label.fill('Pressed twice');
  await label.press('Enter');
  await label.press('Enter');
  release();
  const saved = page.getByRole('button', { name: 'Pressed twice', exact: true });
  await saved.first().waitFor();
  await untilValue(label, '');
  await untilAtRest(page);
  assert.equal(await saved.count(), 1);
});

test('makes one copy of a dashboard at a double click', async () => {
  const { service } = world;
  const body = { name: 'Shared', shared: true, tiles: [] };
  const made = await service.call('POST', '/admin/v1/dashboards', body);
  const { id } = (await made.json()) as { id: string };
  const reader = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  const page = await world.open(`/dashboard/${id}`, {}, await tokenOf(service.url, reader));
  const release = await holdBack(page, '**/dashboards', 'POST');
  await page.getByRole('button', { name: 'Make a copy' }).dblclick();
  release();
  await page.getByRole('heading', { level: 1, name: 'Copy of Shared' }).waitFor();
  await untilAtRest(page);
  const all = (await (await reader.call('GET', '/admin/v1/dashboards')).json()) as unknown[];
  assert.equal(all.length, 2);
});

test('saves a search once, however often Enter is pressed', async () => {
  const page = await world.open('/search/identities');
  const release = await holdBack(page, '**/saved-searches', 'POST');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByLabel('Name', { exact: true });
  await name.fill('Pressed twice');
  await name.press('Enter');
  await name.press('Enter');
  await dialog.getByRole('button', { name: 'Save', disabled: true }).waitFor();
  release();
  await page.getByRole('heading', { name: 'Pressed twice' }).waitFor();
  await untilAtRest(page);
  const answer = await world.service.call('GET', '/v2024/saved-searches');
  assert.equal(((await answer.json()) as unknown[]).length, 1);
});

test('keeps a capability that is ticked while others are saved', async () => {
  const page = await world.open(`/users/${person().id}`);
  const release = await holdBack(page, '**/auth-users/*', 'PATCH');
  await page.getByRole('checkbox', { name: /HELPDESK/ }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Sending…' }).waitFor();
  await page.getByRole('checkbox', { name: /REPORT_ADMIN/ }).check();
  release();
  await page.getByRole('button', { name: 'Apply' }).waitFor();
  await untilAtRest(page);
  assert.ok(await page.getByRole('checkbox', { name: /HELPDESK/ }).isChecked());
  assert.ok(await page.getByRole('checkbox', { name: /REPORT_ADMIN/ }).isChecked());
  assert.match(await page.getByTestId('patch').innerText(), /REPORT_ADMIN/);
  assert.doesNotMatch(await page.getByTestId('patch').innerText(), /HELPDESK/);
});
