// Rows of elements in a real browser: one row per account, with columns of the account and of its
// identity, their order, and files with exactly these rows.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilDrawn } from '../../support/at-rest.ts';
import { assertUsable, WINDOWS } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

const QUERY = '@accounts(privileged:true AND disabled:false)';
const ADDRESS = `/search/identities?${new URLSearchParams({ q: QUERY })}`;
const total = (page: Page) => page.locator('.total strong');
const rows = (page: Page) => page.locator('.rows-all .row');

/** The rows of the service for a body, without the console. */
async function expected(body: object): Promise<Record<string, unknown>[]> {
  const answer = await fetch(`${world.service.url}/v2024/search/rows`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await world.service.token()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ indices: ['identities'], sort: ['displayName'], ...body }),
  });
  assert.equal(answer.status, 200);
  return (await answer.json()) as Record<string, unknown>[];
}

/** The position of the last row that is rendered. */
async function lastRow(page: Page): Promise<number> {
  const id = await rows(page).last().getAttribute('id');
  return Number(id?.replace('row-', ''));
}

async function downloaded(page: Page, button: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  return readFile(await (await download).path(), 'utf8');
}

test('exports one row per privileged account in four steps', async () => {
  const page = await world.open('/search/identities');
  await rows(page).first().waitFor();
  await page.locator('.query-input').fill(QUERY);
  await page.keyboard.press('Enter');
  await page.waitForURL(/privileged/);
  await page.getByLabel('Rows are').selectOption({ label: 'Accounts' });
  await page.waitForURL(/rows=accounts/);
  const all = await expected({ query: { query: QUERY }, rows: 'accounts' });
  assert.ok(all.length > 0);
  await total(page).getByText(String(all.length), { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const csv = await downloaded(page, 'CSV');
  await page.getByText(`${all.length} rows exported`).waitFor();
  const [head, ...lines] = csv.replace('\uFEFF', '').trimEnd().split('\r\n');
  assert.match(head ?? '', /^Display name,Source,Name,/);
  assert.equal(lines.length, all.length);
  assert.ok(lines[0]?.includes(String(all[0]?.['accounts.name'])));
  const ndjson = (await downloaded(page, 'NDJSON')).trimEnd().split('\n');
  assert.deepEqual(
    ndjson.map((line) => JSON.parse(line)),
    all,
  );
});

test('shows the same rows for a shared address, and all elements on request', async () => {
  const page = await world.open(`${ADDRESS}&rows=accounts`);
  const matching = await expected({ query: { query: QUERY }, rows: 'accounts' });
  const every = await expected({ query: { query: QUERY }, rows: 'accounts', elements: 'all' });
  assert.ok(every.length > matching.length);
  await total(page).getByText(String(matching.length), { exact: true }).waitFor();
  const first = rows(page).first();
  await first.getByText(String(matching[0]?.['accounts.name']), { exact: true }).waitFor();
  await page.getByLabel('Rows are').selectOption({ label: 'All accounts' });
  await page.waitForURL(/elements=all/);
  await total(page).getByText(String(every.length), { exact: true }).waitFor();
  await page.goBack();
  await total(page).getByText(String(matching.length), { exact: true }).waitFor();
});

test('sorts by fields of the identity, and offers columns of the identity and the element', async () => {
  const page = await world.open(`${ADDRESS}&rows=accounts`);
  await rows(page).first().waitFor();
  const head = page.locator('.rows-head');
  await head.getByRole('columnheader', { name: 'Display name' }).getByRole('button').click();
  await page.waitForURL(/sort=-displayName/);
  const down = await expected({
    query: { query: QUERY },
    rows: 'accounts',
    sort: ['-displayName'],
  });
  const name = String(down[0]?.['displayName']);
  await rows(page).first().getByText(name).waitFor();
  const ofAccount = head.getByRole('columnheader', { name: 'Privileged' });
  assert.equal(await ofAccount.getByRole('button').count(), 0);
  assert.equal(await page.getByLabel('Sort by').locator('option[value=""]').count(), 0);
  await page.getByRole('button', { name: 'Columns' }).click();
  const find = page.getByLabel('Find a field');
  await find.fill('attributes.department');
  await page.getByRole('checkbox', { name: 'attributes.department', exact: true }).check();
  await find.fill('accounts.created');
  await page.getByRole('checkbox', { name: 'accounts.created', exact: true }).check();
  await find.fill('access.name');
  assert.equal(await page.getByRole('checkbox', { name: 'access.name', exact: true }).count(), 0);
  await page.waitForURL(/attributes.department/);
  await head.getByRole('columnheader', { name: 'Department' }).waitFor();
  await page.reload();
  await head.getByRole('columnheader', { name: 'Created' }).waitFor();
});

test('opens and explains the identity of a row', async () => {
  const page = await world.open(`${ADDRESS}&rows=accounts`);
  await rows(page).first().waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('e');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/document\/identities\//);
});

test('loads more rows while the user scrolls', async () => {
  const page = await world.open('/search/identities?rows=access');
  await rows(page).first().waitFor();
  const count = Number((await total(page).innerText()).replaceAll(',', ''));
  assert.ok(count > 600);
  await page.getByRole('grid').focus();
  // Each jump to the end requests more rows.
  await eventually(async () => {
    await page.keyboard.press('End');
    assert.ok((await lastRow(page)) >= 600, 'row 600 was not loaded');
  });
});

test('copies a request for rows', async () => {
  const page = await world.open(`${ADDRESS}&rows=accounts`);
  await page.getByRole('button', { name: 'Copy as' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('pre', { hasText: 'search/rows?format=csv' }).waitFor();
  await dialog.getByText('Raw body').waitFor();
  assert.equal(await dialog.getByText('Python').count(), 0);
});

test('says when documents match, but have no such elements', async () => {
  const query = new URLSearchParams({ q: 'id:hostile', rows: 'access' });
  const page = await world.open(`/search/identities?${query}`);
  await page.getByText('No rows').waitFor();
  await page.getByText('1 document matches, but none of its access do.').waitFor();
  await page.getByRole('button', { name: 'Show documents' }).click();
  await rows(page).first().waitFor();
});

test('keeps the toolbar in two rows on a common screen: its tools have words', async () => {
  const page = await world.open(`${ADDRESS}&rows=accounts`, {
    viewport: { width: 1440, height: 900 },
  });
  await page.locator('.total', { hasText: /rows of/ }).waitFor();
  const parts = page.locator('.toolbar').locator('.button, select');
  await eventually(async () => {
    const tops = await parts.evaluateAll((all) =>
      all.map((part) => Math.round(part.getBoundingClientRect().top)),
    );
    const lines = new Set(tops.map((top) => Math.round((top - Math.min(...tops)) / 20)));
    assert.ok(lines.size <= 2, tops.join(' '));
  });
});

for (const index of ['identities', 'roles', 'entitlements', 'accountactivities', 'events']) {
  test(`the usual columns of ${index} fit on small laptops`, async () => {
    const page = await world.open(`/search/${index}`, { viewport: { width: 1280, height: 800 } });
    await rows(page).first().waitFor();
    for (const width of [1280, 1366, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const table = page.locator('.rows');
      await untilDrawn(page);
      await untilReads(() => table.evaluate((t) => t.scrollWidth - t.clientWidth), 0);
    }
  });
}

for (const [window, options] of Object.entries(WINDOWS)) {
  test(`rows of elements are accessible, ${window}`, async () => {
    const page = await world.open(`${ADDRESS}&rows=accounts`, options);
    await rows(page).first().waitFor();
    await assertUsable(page);
  });
}
