// The import of a file in a real browser: what its rows become, before and after.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser } from '../../support/callers.ts';
import { assertUsable } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { untilReads } from '../../support/eventually.ts';
import { Keyboard } from '../../support/keyboard.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

const LONG = `Vertrieb; Süd ${'und Umgebung '.repeat(9)}`;
const PEOPLE = `Personalnummer;Vorname;Nachname;Abteilung;Eintrittsdatum;Aktiv
1001;Jürgen;Müller;Einkauf;01.04.2019;ja
1002;عائشة;بنت أبي بكر;"${LONG}";15.09.2008;nein
`;

const section = (page: Page) => page.getByRole('region', { name: 'Import', exact: true });
const choose = (page: Page, name: string, buffer: string | Uint8Array) =>
  section(page)
    .getByLabel('Choose a file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(buffer) });
const firstRow = (page: Page) =>
  page.getByRole('region', { name: 'Preview' }).getByRole('row').nth(1).getByRole('cell');
const importIt = (page: Page) =>
  section(page).getByRole('button', { name: 'Import', exact: true }).click();

test('suggests what the columns are, shows the first rows, and imports a CSV', async () => {
  const page = await world.open('/data');
  await choose(page, 'people.csv', PEOPLE);
  await section(page).getByText('The first 2 lines fit.').waitFor();
  await untilReads(
    () => firstRow(page).allInnerTexts(),
    ['2', '1001', 'Jürgen', 'Müller', 'Einkauf', '2019-04-01', 'false', 'Jürgen Müller'],
  );
  await assertUsable(page);
  await importIt(page);
  await section(page).getByText('2 created, 0 updated, 0 unchanged, 0 failed').waitFor();
  await section(page).getByRole('link', { name: 'Search the documents' }).click();
  await page.locator('.rows-all .row').first().waitFor();
  const stored = await world.service.call('GET', '/v2024/search/identities/1002');
  const { displayName, inactive } = (await stored.json()) as Record<string, unknown>;
  assert.deepEqual([displayName, inactive], ['عائشة بنت أبي بكر', true]);
});

test('another member, type or format changes the preview, and what does not fit is said by line', async () => {
  const page = await world.open('/data');
  const file = 'Nr,Since,Office\n7,2020/31/01,B\n8,2020/01/31,\n';
  await choose(page, 'other.csv.gz', gzipSync(file));
  await section(page).getByText('Missing: a column mapped to id').waitFor();
  await page.getByLabel('Member of Nr').fill('id');
  await page.getByLabel('Member of Office').fill('');
  await page.getByLabel('Type of Since').selectOption('Date');
  await page.getByLabel('Format of Since').fill('yyyy/MM/dd');
  await page.getByLabel('Format of Since').press('Enter');
  const faults = page.getByRole('region', { name: 'Does not fit' }).getByRole('row');
  await faults.filter({ hasText: '2020/31/01' }).waitFor();
  // Each edit of the map has a preview of its own.
  await untilReads(() => firstRow(page).allInnerTexts(), ['3', '8', '2020-01-31']);
  await importIt(page);
  await section(page).getByText('1 created, 0 updated, 0 unchanged, 1 failed').waitFor();
  const failed = page.getByRole('region', { name: 'Not imported' }).getByRole('row').nth(1);
  await failed.getByRole('cell', { name: '2', exact: true }).waitFor();
});

test('rows become accounts of people, by a map that was saved and loaded', async () => {
  const page = await world.open('/data');
  const file = 'Personalnummer;System;Konto\n1001;AD;jm\n1001;SAP;JM\n';
  await world.service.addDocuments([{ _type: 'identity', id: '1001', name: 'jm' }]);
  await choose(page, 'accounts.csv', file);
  await page.getByLabel('What tells them apart').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save map' }).click();
  const text = readFileSync(await (await saved).path(), 'utf8');
  assert.deepEqual(JSON.parse(text).key, ['source.name', 'name']);
  await page.getByLabel('Rows are').selectOption('Identities');
  await page.getByLabel('What tells them apart').waitFor({ state: 'detached' });
  const map = { name: 'a.map.json', mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.getByLabel('Load map').setInputFiles(map);
  await page.getByLabel('What tells them apart').waitFor();
  await section(page).getByText('The first 2 lines fit.').waitFor();
  await importIt(page);
  await section(page).getByText('0 created, 2 updated').waitFor();
  const stored = await world.service.call('GET', '/v2024/search/identities/1001');
  const { accounts } = (await stored.json()) as { accounts: { name: string }[] };
  assert.deepEqual(accounts.map(({ name }) => name).sort(), ['JM', 'jm']);
});

test('imports auth users from their list, and what is typed stays while the page polls', async () => {
  const user = await addUser(world.service, { capabilities: [] });
  const page = await world.open('/users');
  await page.getByRole('link', { name: 'Import' }).click();
  await choose(page, 'users.csv', `id,uid,displayName,Rechte\n${user.userId},lea,Lea,HELPDESK\n`);
  await section(page).getByText('The first line fits.').waitFor();
  const member = page.getByLabel('Member of displayName');
  await member.press('End');
  await member.pressSequentially('x');
  await page.waitForResponse(/admin\/v1\/status$/);
  await untilAtRest(page);
  assert.equal(await member.inputValue(), 'displayNamex');
  await member.press('Enter');
  await section(page)
    .getByText(/have no member "displayNamex" \(displayName\?\)/)
    .waitFor();
  await member.fill('displayName');
  await member.press('Enter');
  await section(page).getByText('The first line fits.').waitFor();
  await importIt(page);
  await section(page).getByText('0 created, 1 updated').waitFor();
  await section(page).getByRole('link', { name: 'Auth users' }).click();
  await page.getByRole('link', { name: 'Lea' }).waitFor();
});

const FILES: readonly (readonly [name: string, content: string | Uint8Array, says: RegExp])[] = [
  ['empty.csv', '', /the file is empty/],
  ['heads.csv', 'id,displayName\n', /The file has no rows/],
  ['latin.csv', Buffer.from('id,displayName\n1,M\xfcller\n', 'latin1'), /name the encoding/],
  ['no.csv.gz', 'id\n1\n', /is not gzip, or is cut off/],
  ['empty.ndjson', '', /The file has no rows/],
];
for (const [name, content, says] of FILES) {
  test(`says before the import what is wrong with ${name}`, async () => {
    const page = await world.open('/data');
    await choose(page, name, content);
    await section(page).getByText(says).first().waitFor();
    const button = section(page).getByRole('button', { name: 'Import', exact: true });
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
  });
}

test('is done with the keyboard alone', async () => {
  const page = await world.open('/data');
  const keys = await Keyboard.of(page);
  await keys.reach('button', 'Choose a file', { presses: 30 });
  await choose(page, 'keys.csv', PEOPLE.replaceAll('100', '900'));
  await section(page).getByText('The first 2 lines fit.').waitFor();
  await keys.use('button', 'Skip to Import', { presses: 8 });
  await keys.expectFocus('button', 'Import');
  await keys.reach('combobox', 'Member of Vorname', { back: true, presses: 30 });
  await keys.retype('attributes.rufname');
  await keys.press('Enter');
  await page.getByRole('columnheader', { name: 'attributes.rufname' }).waitFor();
  await keys.expectFocus('combobox', 'Member of Vorname');
  await keys.use('button', 'Import', { presses: 30 });
  await section(page).getByText('2 created').waitFor();
  await keys.reach('link', 'Search the documents', { presses: 4 });
});

test('shows the first rows of 10,000, and imports all', async () => {
  const page = await world.open('/data');
  const rows = Array.from({ length: 10_000 }, (_, n) => `many-${n},Person ${n},Team ${n % 7}\n`);
  await choose(page, 'many.csv', `id,displayName,attributes.team\n${rows.join('')}`);
  await section(page).getByText('The first 1,000 lines fit.').waitFor();
  await importIt(page);
  await section(page).getByText('10,000 created').waitFor();
});
