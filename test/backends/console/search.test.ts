// The search page in a real browser: searching, filtering, opening, explaining and exporting.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest, untilDrawn } from '../../support/at-rest.ts';
import { type ConsoleWorld, HOSTILE, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';
import { holdBack } from '../../support/held-requests.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

const total = (page: Page) => page.locator('.total strong');
const rows = (page: Page) => page.locator('.rows-all .row');
const search = async (page: Page, query: string) => {
  await page.locator('.query-input').fill(query);
  await page.keyboard.press('Enter');
};

test('keeps the query in the address, through a reload and the back button', async () => {
  const page = await world.open('/search/identities');
  await total(page).getByText('401').waitFor();
  await search(page, 'attributes.department:Engineering');
  await total(page).getByText('69').waitFor();
  assert.match(page.url(), /q=attributes\.department%3AEngineering/);
  await page.reload();
  await total(page).getByText('69').waitFor();
  await untilReads(
    () => page.locator('.query-input').inputValue(),
    'attributes.department:Engineering',
  );
  await page.goBack();
  await total(page).getByText('401').waitFor();
});

test('counts the matches of each type in the tabs, which link to them', async () => {
  const page = await world.open('/search/identities?q=Finance');
  const tab = page.locator('.tabs a', { hasText: 'Roles' });
  await tab
    .locator('.tab-count')
    .getByText(/^[1-9]/)
    .waitFor();
  const count = await tab.locator('.tab-count').innerText();
  await tab.click();
  await total(page).getByText(count, { exact: true }).waitFor();
});

test('filters by facet values, of which those of one facet are alternatives', async () => {
  const page = await world.open('/search/identities');
  const facet = page.locator('.facet', { hasText: 'Department' });
  await facet.getByText('Engineering').click();
  await total(page).getByText('69').waitFor();
  await facet.getByText('Sales').click();
  await total(page).getByText('120').waitFor();
  await page.locator('.chip', { hasText: 'Engineering' }).click();
  await total(page).getByText('51').waitFor();
  await page.getByText('Clear all').click();
  await total(page).getByText('401').waitFor();
});

test('counts documents in the facet of an array', async () => {
  const page = await world.open('/search/identities');
  const value = page
    .locator('.facet', { hasText: 'Account source' })
    .locator('.facet-value')
    .first();
  const count = await value.locator('.facet-count').innerText();
  await value.click();
  await total(page).getByText(count, { exact: true }).waitFor();
});

test('completes names and values by keyboard', async () => {
  const page = await world.open('/search/identities');
  await page.locator('.query-input').click();
  await page.keyboard.type('attributes.depa');
  await page.locator('.suggestion', { hasText: 'attributes.department:' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Human');
  await page.locator('.suggestion', { hasText: 'Human Resources' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await untilReads(
    () => page.locator('.query-input').inputValue(),
    'attributes.department:"Human Resources" ',
  );
  await page.keyboard.press('Enter');
  await total(page)
    .getByText(/^[1-9]\d?$/)
    .waitFor();
});

test('completes names and values of array elements inside an array', async () => {
  const page = await world.open('/search/identities');
  await page.locator('.query-input').click();
  await page.keyboard.type('@accounts(source.name:Act');
  await page.locator('.suggestion', { hasText: 'Active Directory' }).click();
  await untilReads(
    () => page.locator('.query-input').inputValue(),
    '@accounts(source.name:"Active Directory" ',
  );
});

test('marks the character of a syntax error', async () => {
  const page = await world.open('/search/identities');
  await search(page, 'name:(Ada OR "Bob');
  const mark = page.locator('.query-paint mark');
  await mark.waitFor();
  await untilReads(() => mark.innerText(), '"');
  const caret = page.locator('.query-fault pre span').nth(1);
  await eventually(async () => {
    const places = await Promise.all([mark.boundingBox(), caret.boundingBox()]);
    assert.ok(Math.abs((places[0]?.x ?? 0) - (places[1]?.x ?? 99)) < 3, JSON.stringify(places));
  });
  assert.match(
    await page.locator('.query-fault').innerText(),
    /quote is not closed.*character 14/s,
  );
  await search(page, 'name:(Ada OR "Bob")');
  await page.locator('.query-fault').waitFor({ state: 'detached' });
});

test('replaces an unknown field name by a suggested one on a click', async () => {
  const page = await world.open('/search/identities?q=departmnt%3AEngineering');
  await page.getByText('did you mean').waitFor();
  await page.getByText('No results').waitFor();
  await page.getByRole('button', { name: 'attributes.department' }).click();
  await total(page).getByText('69').waitFor();
  await untilReads(
    () => page.locator('.query-input').inputValue(),
    'attributes.department:Engineering',
  );
});

test('filters events by the dates of the timeline', async () => {
  const page = await world.open('/search/events');
  await page.locator('.timeline canvas').waitFor();
  const all = Number(await total(page).innerText());
  await page.getByLabel('From').fill('2025-06-01');
  await page
    .locator('.total strong')
    .getByText(new RegExp(`^(?!${all}$)\\d+$`))
    .waitFor();
  assert.ok(Number(await total(page).innerText()) < all);
  await page.getByRole('button', { name: 'Clear dates' }).click();
  await total(page).getByText(String(all), { exact: true }).waitFor();
});

test('filters by dragging over the bars', async () => {
  const page = await world.open('/search/events');
  await page.locator('.timeline canvas').waitFor();
  const all = await total(page).innerText();
  await untilAtRest(page);
  const box = await page.locator('.timeline .u-over').boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + box.width * 0.7, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Clear dates' }).waitFor();
  await total(page)
    .getByText(new RegExp(`^(?!${all}$)\\d+$`))
    .waitFor();
});

test('keeps the columns and the sort in the address', async () => {
  const page = await world.open('/search/identities?q=Hughes');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByPlaceholder('Find a field').fill('employeeNumber');
  await page.locator('.checks').getByText('employeeNumber').click();
  await page.locator('.rows-head').getByText('Employee number').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.rows-head').getByText('Display name').click();
  await page.locator('[aria-sort=ascending]').waitFor();
  await page.locator('.rows-head').getByText('Display name').click();
  await page.locator('[aria-sort=descending]').waitFor();
  assert.match(page.url(), /sort=-displayName/);
  assert.match(page.url(), /columns=.*employeeNumber/);
});

test('moves through rows and opens them by keyboard', async () => {
  const page = await world.open('/search/identities?q=lastName%3AHughes');
  await rows(page).first().waitFor();
  const second = await rows(page).nth(1).locator('a').innerText();
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: second }).waitFor();
});

test('explains a hit clause by clause', async () => {
  const query = '@accounts(source.name:"Active Directory" AND disabled:true)';
  const page = await world.open(`/search/identities?${new URLSearchParams({ q: query })}`);
  await rows(page)
    .first()
    .getByRole('button', { name: /^Explain/ })
    .click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('This document matches').waitFor();
  await drawer.getByRole('img', { name: 'matches', exact: true }).nth(2).waitFor();
  await drawer
    .getByText(/^element \d/)
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
});

test('exports all matches as CSV, with formulas escaped', async () => {
  const page = await world.open('/search/identities');
  await rows(page).first().waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV (shown columns)' }).click(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  const lines = text.trimEnd().split('\r\n');
  assert.equal(lines.length, 402);
  assert.match(lines[0] ?? '', /^\uFEFFDisplay name,Job title,Department/);
  assert.ok(text.includes(`"'=HYPERLINK(""x"")"`), 'the formula is a text');
  const outcome = page.getByText('401 documents exported');
  await outcome.waitFor();
  const [named] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV (field names as heads)' }).click(),
  ]);
  const [head] = readFileSync(await named.path(), 'utf8').split('\r\n');
  assert.match(head ?? '', /^\uFEFFdisplayName,attributes\.jobTitle/);
  await outcome.waitFor();
  await search(page, 'attributes.department:Engineering');
  await total(page).getByText('69').waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('All 69 matching documents').waitFor();
  await outcome.waitFor({ state: 'detached' });
});

test('exports full documents as NDJSON', async () => {
  const page = await world.open('/search/identities?q=lastName%3AHughes');
  await rows(page).first().waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'NDJSON' }).click(),
  ]);
  const documents = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(documents.length, 3);
  assert.ok(documents.every(({ accounts, access }) => accounts.length > 0 && access.length > 0));
});

test('exports what was found when the export began, also if the search changes meanwhile', async () => {
  const page = await world.open('/search/identities');
  await rows(page).first().waitFor();
  const release = await holdBack(page, '**/v2024/search?limit=1000*', 'POST');
  const menu = page.getByRole('button', { name: 'Export' });
  await menu.click();
  await page.getByRole('button', { name: 'CSV (shown columns)' }).click();
  await page.getByText('0 of 401').waitFor();
  await search(page, 'attributes.department:Engineering');
  await total(page).getByText('69').waitFor();
  await page.getByLabel('Rows are').selectOption({ label: 'Accounts' });
  await page.waitForURL(/rows=accounts/);
  await menu.click();
  await page.getByText(/^All [\d,]+ matching rows/).waitFor();
  await page.getByText('0 of 401').waitFor();
  const downloading = page.waitForEvent('download');
  release();
  const text = readFileSync(await (await downloading).path(), 'utf8');
  assert.equal(text.trimEnd().split('\r\n').length, 402);
  await page.getByText('401 documents exported').waitFor();
});

test('reports a failed export and downloads no file', async () => {
  const page = await world.open('/search/identities');
  await rows(page).first().waitFor();
  let downloads = 0;
  page.on('download', () => downloads++);
  await page.route('**/v2024/search?limit=1000*', (route) => route.abort());
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'NDJSON' }).click();
  await page.getByText('No file was created').waitFor();
  assert.equal(downloads, 0);
});

test('copies the search as code without the token', async () => {
  const page = await world.open('/search/identities?q=name%3A%22O%27Hara%22');
  await page.getByRole('button', { name: 'Copy as' }).click();
  const code = page.getByRole('dialog').locator('.code');
  await eventually(async () => assert.match(await code.innerText(), /^curl .*O'\\''Hara/s));
  for (const [label, sign] of [
    ['TypeScript', 'sailpoint-api-client'],
    ['Python', 'import sailpoint'],
    ['Raw body', '"indices"'],
  ] as const) {
    await page.getByRole('radio', { name: label }).check();
    await code.getByText(sign).waitFor();
    assert.doesNotMatch(await code.innerText(), /eyJ/);
  }
});

test('scrolls through 100,000 results with few rows on the page', async () => {
  const page = await world.open('/search/roles');
  await rows(page).first().waitFor();
  await page.route('**/v2024/search?limit=*', async (route) => {
    const { searchAfter } = route.request().postDataJSON() as { searchAfter?: [string] };
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
    const from = searchAfter === undefined ? 0 : Number(searchAfter[0]) + 1;
    const hits = Array.from({ length: Math.min(limit, 100_000 - from) }, (_, n) => ({
      id: String(from + n).padStart(6, '0'),
      name: String(from + n),
    }));
    await route.fulfill({ json: hits, headers: { 'x-total-count': '100000' } });
  });
  await search(page, 'name:everything');
  await total(page).getByText('100,000').waitFor();
  const grid = page.getByRole('grid');
  await grid.focus();
  const last = page.locator('#row-99999');
  const deadline = Date.now() + 120_000;
  while ((await last.count()) === 0) {
    assert.ok(Date.now() < deadline, 'the end is reached');
    await page.keyboard.press('End');
    assert.ok((await rows(page).count()) < 60, 'few rows are on the page');
  }
  await last.getByText('99999').first().waitFor();
});

test('requests no more rows of a list that has become shorter', async () => {
  const page = await world.open('/search/roles');
  await rows(page).first().waitFor();
  let further = 0;
  await page.route('**/v2024/search?limit=*', async (route) => {
    const { searchAfter } = route.request().postDataJSON() as { searchAfter?: [string] };
    if (searchAfter !== undefined) further += 1;
    const left = searchAfter === undefined ? 100 : 0;
    const hits = Array.from({ length: left }, (_, n) => ({ id: String(n), name: `role ${n}` }));
    await route.fulfill({ json: hits, headers: { 'x-total-count': '150' } });
  });
  await search(page, 'name:everything');
  await total(page).getByText('150').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await page.locator('#row-99').waitFor();
  await eventually(() => assert.ok(further > 0));
  for (let presses = 0; presses < 10; presses += 1) {
    await page.keyboard.press('Home');
    await page.locator('#row-0').waitFor();
    await page.keyboard.press('End');
    await page.locator('#row-99').waitFor();
  }
  await untilAtRest(page);
  assert.equal(further, 1);
});

for (const [name, act, focused] of [
  [
    'a key',
    async (page: Page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('hu');
    },
    '.query-input',
  ],
  [
    'the wheel',
    async (page: Page) => {
      await page.getByRole('grid').hover();
      await page.mouse.wheel(0, -120);
    },
    '.rows',
  ],
] as const) {
  test(`${name} ends the return to a row that is not loaded yet`, async () => {
    const page = await world.open('/search/identities');
    const grid = page.getByRole('grid');
    await grid.focus();
    await eventually(async () => {
      await page.keyboard.press('End');
      assert.equal(await page.locator('#row-400').count(), 1);
    });
    await page.keyboard.press('Enter');
    await page.waitForURL(/document/);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isFurther = (body: string | null) => body?.includes('searchAfter') === true;
    await page.route('**/v2024/search?limit=*', async (route) => {
      if (isFurther(route.request().postData())) await released;
      await route.continue();
    });
    const further = page.waitForRequest((request) => isFurther(request.postData()));
    await page.goBack();
    await further;
    await act(page);
    await untilDrawn(page);
    const scrollTop = () => grid.evaluate((element) => element.scrollTop);
    const before = await scrollTop();
    release();
    await eventually(async () => {
      const height = await page.locator('.rows-all').evaluate((all) => all.clientHeight);
      assert.ok(height >= 200 * 40, 'the second page is there');
    });
    await untilAtRest(page);
    assert.equal(await page.locator(`${focused}:focus`).count(), 1);
    assert.ok((await scrollTop()) <= before);
  });
}

for (const address of ['/search/events', '/dashboard']) {
  test(`says that the chart of ${address} could not be loaded, and loads it again`, async () => {
    const page = await world.open('/status');
    await page.route('**/v2024/search/aggregate*', (route) =>
      route.fulfill({ status: 500, json: {} }),
    );
    await page.goto(page.url().replace(/#.*/, `#${address}`));
    const timeline = page.locator('.timeline');
    await timeline.getByText('Something went wrong').waitFor();
    assert.equal(await timeline.getByText('No data').count(), 0);
    await page.unroute('**/v2024/search/aggregate*');
    await timeline.getByRole('button', { name: 'Try again' }).click();
    await timeline.locator('canvas').waitFor();
  });
}

test('shows a name with markup as text everywhere', async () => {
  const page = await world.open('/search/identities?q=_id%3Ahostile+id%3Ahostile');
  await rows(page).getByText(HOSTILE).first().waitFor();
  await page.locator('.facet').getByText(HOSTILE).first().waitFor();
  await rows(page)
    .getByRole('button', { name: /^Explain/ })
    .click();
  await page.getByRole('dialog').getByText(HOSTILE).first().waitFor();
  await page.keyboard.press('Escape');
  await rows(page).locator('a').first().click();
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
  await page.locator('.tabs a', { hasText: 'Accounts' }).click();
  await page.locator('.table').getByText(HOSTILE).first().waitFor();
  await page.locator('.tabs a', { hasText: 'JSON' }).click();
  await page.locator('.code').getByText('onerror').waitFor();
  assert.equal(await page.locator('img[src="x"]').count(), 0);
});
