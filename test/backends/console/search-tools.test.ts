// What makes searching quick, in a real browser: order, suggestions, filters, rows in place,
// columns, the keyboard, and why a document is missing.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { assertFits } from '../../support/console-pages.ts';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

const total = (page: Page) => page.locator('.total strong');
const rows = (page: Page) => page.locator('.rows-all .row');
const query = (page: Page) => page.locator('.query-input');
const facet = (page: Page, label: string) =>
  page.locator('.facet', { has: page.locator('.facet-title', { hasText: label }) });

async function hasFocus(page: Page, selector: string): Promise<boolean> {
  return Boolean(
    await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`),
  );
}

test('orders free words by best match, marks them, and keeps another order that was chosen', async () => {
  const page = await world.open('/search/identities?q=hughes');
  const sort = page.getByLabel('Sort by');
  await rows(page).first().locator('mark.hit', { hasText: 'Hughes' }).waitFor();
  await untilReads(() => sort.inputValue(), '');
  await sort.selectOption('displayName');
  await page.locator('[aria-sort=ascending]').waitFor();
  await query(page).fill('robert');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=robert/);
  await untilReads(() => sort.inputValue(), 'displayName');
  await sort.selectOption('');
  await page.waitForURL((url) => !url.href.includes('sort='));
  await query(page).fill('lastName:Hughes');
  await page.keyboard.press('Enter');
  await total(page).getByText('3', { exact: true }).waitFor();
  await untilReads(() => sort.inputValue(), 'displayName');
});

test('takes the first suggestion with Tab, and leaves the box with the next one', async () => {
  const page = await world.open('/search/identities');
  await rows(page).first().waitFor();
  await page.keyboard.press('/');
  await untilReads(() => hasFocus(page, '.query-input'), true);
  await page.keyboard.type('attributes.depar');
  await page.locator('.suggestion', { hasText: 'attributes.department:' }).waitFor();
  await page.keyboard.press('Tab');
  await untilReads(() => query(page).inputValue(), 'attributes.department:');
  await page.keyboard.type('Engin');
  const value = page.locator('.suggestion-value', { hasText: 'Engineering' });
  await value.getByText('69').waitFor();
  await page.keyboard.press('Tab');
  await untilReads(() => query(page).inputValue(), 'attributes.department:Engineering ');
  await page.keyboard.press('Tab');
  await untilReads(() => hasFocus(page, '.query-input'), false);
});

test('offers values of any field for a word', async () => {
  const page = await world.open('/search/identities');
  await query(page).click();
  await page.keyboard.type('engin');
  await page
    .locator('.suggestion-clause', { hasText: 'Department' })
    .filter({ hasText: 'Engineering' })
    .first()
    .click();
  await page.keyboard.press('Enter');
  await total(page).getByText('69').waitFor();
});

test('offers the recent queries of the tab until the user signs out', async () => {
  const page = await world.open('/search/identities');
  for (const text of ['lastName:Hughes', 'isManager:true']) {
    await query(page).fill(text);
    await page.keyboard.press('Enter');
    // A query is remembered when its results are there; until then the rows are the earlier ones.
    await eventually(async () => {
      const queries = await page.evaluate("sessionStorage.getItem('cardea.queries')");
      assert.ok(String(queries).includes(text));
    });
  }
  await query(page).fill('name:(');
  await page.keyboard.press('Enter');
  await page.locator('.query-fault').waitFor();
  await page.getByRole('button', { name: 'Clear query' }).click();
  const recent = page.locator('.suggestion-query');
  await recent.first().waitFor();
  await untilReads(
    () => recent.locator('.suggestion-text').allInnerTexts(),
    ['isManager:true', 'lastName:Hughes'],
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await total(page).getByText('3', { exact: true }).waitFor();
  await untilReads(() => page.evaluate('Object.keys(localStorage).join()'), 'cardea.last-use');
  await page.getByRole('button', { name: 'test.admin' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
  await untilReads(() => page.evaluate('sessionStorage.length'), 0);
});

test('excludes a value of a facet, also of an array, and includes it again', async () => {
  const page = await world.open('/search/identities');
  await total(page).getByText('401').waitFor();
  await facet(page, 'Department').getByRole('button', { name: 'Exclude Engineering' }).click();
  await total(page).getByText('332').waitFor();
  await page.locator('.chip', { hasText: 'Department: not Engineering' }).waitFor();
  await page.reload();
  await total(page).getByText('332').waitFor();
  await facet(page, 'Department').getByRole('button', { name: 'Include Engineering' }).click();
  await total(page).getByText('401').waitFor();
  await untilAtRest(page);
  const source = facet(page, 'Account source').locator('.facet-value').first();
  const count = Number(await source.locator('.facet-count').innerText());
  await source.getByRole('button', { name: /^Exclude/ }).click();
  await total(page)
    .getByText(String(401 - count), { exact: true })
    .waitFor();
});

test('finds values of a facet by the start of a word, and collapses a facet', async () => {
  const page = await world.open('/search/identities');
  const department = facet(page, 'Department');
  await department.getByRole('button', { name: 'Show more' }).click();
  await department.getByLabel('Find a value of Department').fill('resou');
  await department.getByText('Human Resources').waitFor();
  await department.getByText('Engineering').waitFor({ state: 'detached' });
  await department.getByText('Human Resources').click();
  await page.locator('.chip', { hasText: 'Human Resources' }).waitFor();
  const type = facet(page, 'Employee type');
  await type.locator('summary').click();
  await type.locator('.facet-value').first().waitFor({ state: 'hidden' });
});

test('expands a row in place by keyboard, and shows where the words occur', async () => {
  const page = await world.open('/search/identities?q=hughes');
  await rows(page).first().waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Space');
  const detail = page.locator('.row-detail');
  await detail.locator('.occurrences mark', { hasText: 'Hughes' }).first().waitFor();
  await detail.getByText('Employee number').waitFor();
  await eventually(async () => {
    const [above, below] = await Promise.all([
      detail.boundingBox(),
      page.locator('#row-1').boundingBox(),
    ]);
    assert.ok(above !== null && below !== null && below.y >= above.y + above.height - 1);
  });
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('Space');
  await detail.waitFor({ state: 'detached' });
  await page
    .getByRole('button', { name: /^Expand/ })
    .first()
    .click();
  await detail.getByRole('link', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
});

test('remembers columns, their order and their widths in the browser, without any value', async () => {
  const page = await world.open('/search/roles');
  await rows(page).first().waitFor();
  await untilAtRest(page);
  const head = page.locator('.cell-head', { hasText: 'Owner' });
  const width = async () => (await head.boundingBox())?.width ?? 0;
  const before = await head.boundingBox();
  assert.ok(before !== null);
  await page.mouse.move(before.x + before.width - 3, before.y + 15);
  await page.mouse.down();
  await page.mouse.move(before.x + before.width + 57, before.y + 15, { steps: 4 });
  await page.mouse.up();
  await eventually(async () => assert.ok(Math.abs((await width()) - before.width - 60) < 4));
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Widen Owner' }).press('Enter');
  await page.getByRole('button', { name: 'Move Owner to the left' }).press('Enter');
  await page.locator('.checks').getByText('modified', { exact: true }).click();
  await page.keyboard.press('Escape');
  const labels = ['Owner', 'Name', 'Access profile count', 'Entitlement count', 'Enabled'];
  const shown = async () =>
    (await page.locator('.head-button').allInnerTexts()).map((label) => label.trim());
  await untilReads(shown, labels);
  await page.goto(page.url().replace(/#.*/, '#/search/identities'));
  await page.locator('.rows-head').getByText('Job title').waitFor();
  await page.goto(page.url().replace(/#.*/, '#/search/roles'));
  await page.locator('.rows-head').getByText('Access profile count').waitFor();
  await untilReads(shown, labels);
  await eventually(async () => assert.ok((await width()) > before.width + 70));
  const stored = JSON.parse(String(await page.evaluate("localStorage.getItem('cardea.tables')")));
  assert.deepEqual(Object.keys(stored), ['roles']);
  assert.deepEqual(Object.keys(stored.roles.widths), ['owner.name']);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Reset columns' }).click();
  await page.locator('.rows-head').getByText('Modified').waitFor();
});

test('shows columns and facets that the service chooses, until the user chooses others', async () => {
  const page = await world.open('/status');
  const shown = {
    columns: ['displayName', 'attributes.costCenter'],
    facets: ['attributes.costCenter'],
  };
  await page.route('**/search/explain*', async (route) => {
    const answer = await route.fetch();
    const explanation = (await answer.json()) as Record<string, unknown>;
    await route.fulfill({
      response: answer,
      json: { ...explanation, shown: { identities: shown } },
    });
  });
  await page.goto(page.url().replace(/#.*/, '#/search/identities'));
  await page.locator('.rows-head').getByText('Job title').waitFor({ state: 'detached' });
  await page.locator('.rows-head').getByText('Cost center').waitFor();
  const heads = async () =>
    (await page.locator('.head-button').allInnerTexts()).map((label) => label.trim());
  await untilReads(heads, ['Display name', 'Cost center']);
  const facets = page.getByRole('complementary', { name: 'Filters' }).locator('summary');
  await facets.getByText('Cost center').waitFor();
  await untilReads(() => facets.count(), 1);
  assert.ok(!page.url().includes('columns'));
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.locator('.checks').getByText('accessCount', { exact: true }).click();
  await page.keyboard.press('Escape');
  await page.locator('.rows-head').getByText('Access count').waitFor();
  await untilReads(heads, ['Display name', 'Cost center', 'Access count']);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Reset columns' }).click();
  await page.locator('.rows-head').getByText('Access count').waitFor({ state: 'detached' });
  await page.locator('.rows-head').getByText('Cost center').waitFor();
  await untilReads(heads, ['Display name', 'Cost center']);
});

test('keeps a relative time range in the address', async () => {
  const page = await world.open('/search/events');
  await untilAtRest(page);
  const all = Number(await total(page).innerText());
  await page.getByLabel('Time range').selectOption('Last 24 hours');
  await page.waitForURL(/in=now-24h/);
  await page.locator('.chip', { hasText: 'Last 24 hours' }).waitFor();
  await untilAtRest(page);
  assert.ok(Number(await total(page).innerText()) < all);
  await page.reload();
  await page.locator('.chip', { hasText: 'Last 24 hours' }).waitFor();
  await untilReads(() => page.getByLabel('Time range').inputValue(), 'Last 24 hours');
});

test('focuses the search from any page with /, and shows the keys with ?', async () => {
  const page = await world.open('/dashboard');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await untilAtRest(page);
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  await help.getByText('Explain why it matches').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.waitForURL(/#\/search/);
  await query(page).waitFor();
  await page.locator('.query-input:focus').waitFor();
  await page.keyboard.type('what? /');
  await untilReads(() => query(page).inputValue(), 'what? /');
});

test('turns the keys of all pages off and on, also for the next time', async () => {
  const page = await world.open('/dashboard', { viewport: { width: 640, height: 800 } });
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await untilAtRest(page);
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  const choice = help.getByRole('checkbox', { name: /^Use the keys/ });
  await page.keyboard.press('?');
  await choice.uncheck();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  const pressBoth = async () => {
    await page.keyboard.press('?');
    await page.keyboard.press('/');
    await untilAtRest(page);
    assert.equal(await help.count(), 0);
    assert.match(page.url(), /dashboard$/);
  };
  await pressBoth();
  await page.reload();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await untilAtRest(page);
  await pressBoth();
  const openHelp = page.getByRole('button', { name: 'Keyboard' });
  assert.equal(await openHelp.getAttribute('title'), 'Keyboard');
  await openHelp.click();
  await choice.check();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.waitForURL(/#\/search/);
});

test('explains condition by condition why a person is missing, and corrects the query', async () => {
  const text = 'attributes.department:Sales AND @accounts(disabled:false) AND NOT lastName:Hughes';
  const address = new URLSearchParams({ q: text });
  const page = await world.open(`/search/identities?${address}`);
  const body = { indices: ['identities'], query: { query: 'lastName:Hughes' }, sort: ['name'] };
  const answer = await world.service.call('POST', '/v2024/search', body);
  const [person] = (await answer.json()) as {
    displayName: string;
    attributes: { department: string };
  }[];
  assert.ok(person !== undefined);
  await page.getByRole('button', { name: 'Why missing?' }).click();
  const drawer = page.getByRole('dialog', { name: 'Why is someone missing?' });
  await drawer.getByLabel('Name or email of the person').fill(person.displayName);
  await drawer
    .getByRole('button', { name: new RegExp(person.displayName) })
    .first()
    .click();
  const conditions = drawer.locator('.condition');
  await conditions.nth(2).waitFor();
  await drawer.getByText('2 of 3 conditions do not match').waitFor();
  const [department] = await conditions.allInnerTexts();
  assert.match(department ?? '', new RegExp(person.attributes.department));
  await untilReads(
    () => conditions.evaluateAll((all) => all.map((one) => one.getAttribute('data-matched'))),
    ['false', 'true', 'false'],
  );
  assert.deepEqual(await accessibilityFaults(page), []);
  await drawer.getByRole('button', { name: /^Keep only the conditions that match/ }).click();
  await page.waitForURL((url) => /q=%40accounts[^&]*false%29$/.test(url.href));
  await rows(page).first().waitFor();
  await page.goBack();
  await page.waitForURL(/Hughes/);
  await untilAtRest(page);
  await page.getByRole('button', { name: 'Why missing?' }).click();
  await drawer.getByLabel('Name or email of the person').fill(person.displayName);
  await drawer
    .getByRole('button', { name: new RegExp(person.displayName) })
    .first()
    .click();
  await conditions
    .nth(2)
    .getByRole('button', { name: /^Remove condition/ })
    .click();
  await page.waitForURL((url) => !decodeURIComponent(url.href).includes('Hughes'));
  await untilAtRest(page);
  await page.getByRole('button', { name: 'Why missing?' }).click();
  await drawer.getByLabel('Name or email of the person').fill(person.displayName);
  await drawer
    .getByRole('button', { name: new RegExp(person.displayName) })
    .first()
    .click();
  await drawer.getByRole('button', { name: `Search for ${person.attributes.department}` }).click();
  await page.waitForURL((url) => url.href.includes(person.attributes.department.slice(0, 5)));
  await rows(page).getByText(person.displayName).first().waitFor();
});

test('checks filters, and says that a search finds a document', async () => {
  const address = new URLSearchParams({ q: 'lastName:Hughes', not: 'lastName:Hughes' });
  const page = await world.open(`/search/identities?${address}`);
  await page.getByRole('button', { name: 'Why is something missing?' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name or email of the person').fill('hughes');
  await drawer.locator('.picker-list button').first().click();
  await drawer.getByText('1 of 2 conditions does not match').waitFor();
  await drawer.getByRole('button', { name: /^Remove filter/ }).click();
  await total(page).getByText('3', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Why missing?' }).click();
  await drawer.getByLabel('Name or email of the person').fill('hughes');
  await drawer.locator('.picker-list button').first().click();
  await drawer.getByText('This search finds it').waitFor();
});

test('picks a person by keys: Enter the only match, arrow keys one of several', async () => {
  const page = await world.open('/search/identities?q=lastName:Hughes');
  await rows(page).first().waitFor();
  const answer = await world.service.call('POST', '/v2024/search', {
    ...{ indices: ['identities'], query: { query: 'lastName:Hughes' }, sort: ['id'] },
  });
  const [only] = (await answer.json()) as { id: string }[];
  const drawer = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Why missing?' }).click();
  await drawer.locator('input:focus').waitFor();
  await page.keyboard.type(only?.id ?? '');
  await page.keyboard.press('Enter');
  await drawer.getByText('This search finds it').waitFor();
  await drawer.getByRole('button', { name: 'Choose another' }).click();
  await drawer.locator('input:focus').waitFor();
  await page.keyboard.type('hughes');
  const matches = drawer.getByRole('list', { name: 'Matches' }).getByRole('button');
  await matches.nth(2).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await matches.nth(1).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await drawer.getByText('This search finds it').waitFor();
});

test('closes "Why missing?" when the address becomes another search', async () => {
  const page = await world.open('/search/identities?q=lastName:Hughes');
  await rows(page).first().waitFor();
  await page.evaluate("location.hash = '/search/identities?q=lastName:Obi'");
  await page.waitForURL(/Obi/);
  await untilAtRest(page);
  await page.getByRole('button', { name: 'Why missing?' }).click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await page.waitForURL(/Hughes/);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the tools have words at every width of a desk', async () => {
  for (const width of [1024, 1280, 1900]) {
    const page = await world.open('/search', { viewport: { width, height: 800 } });
    await rows(page).first().waitFor();
    await untilAtRest(page);
    for (const label of await page.locator('.tools > *, .tool-group > *').all()) {
      const words = label.locator('.menu-label').first();
      assert.ok(((await words.boundingBox())?.width ?? 0) > 20, await label.innerText());
    }
    await assertFits(page);
  }
});

test('filters in a sheet on a phone, where every button has a name', async () => {
  const page = await world.open('/search/identities', { viewport: { width: 360, height: 740 } });
  await rows(page).first().waitFor();
  for (const name of ['Filters', 'Columns', 'Export', 'Copy as', 'Explain', 'Why missing?']) {
    await page.getByRole('button', { name, exact: true }).waitFor();
  }
  await untilAtRest(page);
  assert.ok(((await rows(page).first().boundingBox())?.y ?? 999) < 330, 'rows are on the screen');
  await page.getByRole('button', { name: 'Filters' }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await sheet.locator('.facet-name', { hasText: /^Engineering$/ }).click();
  await sheet.getByRole('button', { name: 'Show 69 results' }).click();
  await sheet.waitFor({ state: 'detached' });
  await total(page).getByText('69').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 360);
});

test('counts one result and one document in the singular', async () => {
  const page = await world.open('/search/identities?q=id%3Ahostile', {
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: 'Show 1 result', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  const body = { indices: ['events'], query: { query: '*' }, sort: ['id'] };
  const [event] = (await (await world.service.call('POST', '/v2024/search', body)).json()) as {
    id: string;
  }[];
  const query = new URLSearchParams({ q: `id:"${event?.id}"` });
  await page.goto(page.url().replace(/#.*/, `#/search/events?${query}`));
  await page.getByRole('img', { name: /^1 document by / }).waitFor();
});

test('marks words with enough contrast in the pale cells of a phone', async () => {
  const page = await world.open('/search/identities?q=attributes.department%3AEngineering', {
    viewport: { width: 360, height: 740 },
    colorScheme: 'dark',
  });
  await page.locator('.cell:not(.cell-main) mark').first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('fits a small window at 200 % zoom', async () => {
  const page = await world.open('/search/identities?q=hughes', {
    viewport: { width: 640, height: 400 },
    deviceScaleFactor: 2,
  });
  await rows(page).first().waitFor();
  await untilAtRest(page);
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 640);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: /^Show \d+ results/ }).waitFor();
});

test('scrolls as a whole at 200 % zoom, where chart, toolbar and rows do not overlap', async () => {
  const page = await world.open('/search/events', {
    viewport: { width: 640, height: 400 },
    deviceScaleFactor: 2,
  });
  await rows(page).first().waitFor();
  await untilAtRest(page);
  const parts = page.locator('.timeline, .toolbar, .rows');
  const edges = await parts.evaluateAll((all) =>
    all.flatMap((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return [top, bottom];
    }),
  );
  assert.equal(edges.length, 6);
  assert.deepEqual(
    edges,
    [...edges].sort((one, other) => one - other),
  );
  assert.ok(Number(edges[5]) - Number(edges[4]) > 200, 'rows have room');
});

test('explains a miss within the width of a phone', async () => {
  const page = await world.open('/search/identities?q=inactive%3Atrue', {
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole('button', { name: 'Why missing?' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name or email of the person').fill('hughes');
  await drawer.locator('.picker-list button').first().click();
  await drawer.getByRole('button', { name: 'Choose another' }).waitFor();
  await untilAtRest(page);
  const wide = await drawer
    .locator('.dialog-body')
    .evaluate((body) => body.scrollWidth - body.clientWidth);
  assert.equal(wide, 0);
});
