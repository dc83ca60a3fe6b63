// The pages of people and their access in a real browser: the access graph, the comparison of two
// people, and who left and still reaches a source through a role.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, tokenOf } from '../../support/callers.ts';
import { testPages } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';

interface Hit {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly manager?: { readonly id: string };
  readonly access: readonly { readonly id: string; readonly name: string; readonly type: string }[];
}

let world: ConsoleWorld;
let clerk: Hit;
let leaver: Hit;
let role = '';
let entitlement = '';
before(async () => {
  world = await startConsoleWorld();
  await world.service.addDocuments(largePerson());
  clerk = await first('NOT inactive:true AND @access(via.role:"Payroll Clerk")');
  leaver = await first('inactive:true AND @access(via.role:"Payroll Clerk")');
  const idOf = (type: string) => clerk.access.find((one) => one.type === type)?.id ?? '';
  [role, entitlement] = [(await first('name:"Payroll Clerk"', 'roles')).id, idOf('ENTITLEMENT')];
});
after(() => world?.stop());
afterEach(() => world.endTest());

async function find(query: string, index = 'identities'): Promise<Hit[]> {
  const body = { indices: [index], query: { query }, sort: ['name', 'id'] };
  return (await (await world.service.call('POST', '/v2024/search', body)).json()) as Hit[];
}

async function first(query: string, index = 'identities'): Promise<Hit> {
  const [hit] = await find(query, index);
  assert.ok(hit !== undefined, query);
  return hit;
}

const SOURCES = ['Mainframe', 'Data Lake', 'Warehouse'].map((name, at) => ({
  ...{ id: `large-source-${at}`, name },
}));

/** A person with 345 entitlements on three sources, of which an access profile grants the first 15. */
function largePerson(): Record<string, unknown>[] {
  const entitlements = Array.from({ length: 345 }, (_, at) => ({
    ...{ id: `large-${at}`, name: `Permission ${at}`, type: 'ENTITLEMENT' },
    ...{ source: SOURCES[at % 3], privileged: at === 10, standalone: at >= 15 },
  }));
  const granted = entitlements.slice(0, 15).map(({ id, name }) => ({ id, name }));
  const profile = { id: 'large-profile', name: 'Large profile', source: SOURCES[0] };
  return [
    { _type: 'accessprofile', ...profile, entitlements: granted },
    {
      ...{ _type: 'identity', id: 'large', name: 'large.person', displayName: 'Large Person' },
      access: [...entitlements, { ...profile, type: 'ACCESS_PROFILE' }],
    },
  ];
}

const graphNode = (page: Page, name: string) =>
  page.locator('.graph-node').filter({ hasText: new RegExp(`^${name}( privileged)?$`) });
/** Names of the nodes that stand out, by column. */
const litNames = async (page: Page) => {
  await page.locator('.graph-item[data-dim=true]').first().waitFor();
  return page.locator('.graph-item[data-dim=false] .graph-name').allInnerTexts();
};

test('draws how a person holds access, and highlights the paths of a node', async () => {
  const page = await world.open(`/document/identities/${clerk.id}?tab=access`);
  await graphNode(page, 'Payroll Preparation').waitFor();
  // What comes later moves the node away from the pointer.
  await untilAtRest(page);
  await graphNode(page, 'Payroll Preparation').hover();
  await untilReads(
    () => litNames(page),
    [
      ...['Payroll Clerk', 'Payroll Preparation', 'Payroll Run Prepare', 'Payroll Run Read'],
      'Payroll',
    ],
  );
  await page.mouse.move(0, 0);
  await page.locator('.graph-item[data-dim=true]').first().waitFor({ state: 'detached' });
  for (const { name } of clerk.access) await graphNode(page, name).first().waitFor();
  await graphNode(page, 'Payroll Run Read').click();
  await page.getByRole('heading', { level: 1, name: 'Payroll Run Read' }).waitFor();
});

test('moves through the graph with the arrow keys, and opens a node with Enter', async () => {
  const page = await world.open(`/document/identities/${clerk.id}?tab=access`);
  const clerkNode = graphNode(page, 'Payroll Clerk');
  await clerkNode.waitFor();
  assert.equal(await page.locator('.graph-node[tabindex="0"]').count(), 1);
  const described = await graphNode(page, 'Payroll Preparation').getAttribute('aria-description');
  assert.equal(described, 'Granted by Payroll Clerk');
  await clerkNode.focus();
  await eventually(async () => assert.ok((await litNames(page)).includes('Payroll Run Prepare')));
  await page.keyboard.press('ArrowRight');
  await page.locator('.graph-node:focus', { hasText: 'Payroll Preparation' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('.graph-node-entitlement:focus').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.graph-node:focus', { hasText: 'Payroll Preparation' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Payroll Preparation' }).waitFor();
});

test('marks privileged access and what was granted directly', async () => {
  const page = await world.open('/document/identities/large?tab=access');
  await page.getByLabel('Privileged only').check();
  await page.getByRole('status').getByText('1 of 345 entitlements, 1 privileged').waitFor();
  const privileged = page.locator('.graph-node-entitlement[data-privileged=true]');
  await privileged.getByTitle('Privileged').waitFor();
  await page.getByLabel('Privileged only').uncheck();
  await graphNode(page, 'Granted directly').waitFor();
});

test('folds a person with hundreds of entitlements by source, and finds one by name', async () => {
  const page = await world.open('/document/identities/large?tab=access');
  const fold = page.getByRole('button', { name: '115 entitlements on Mainframe' });
  await fold.waitFor();
  assert.ok((await page.locator('.graph-item').count()) < 12);
  await fold.click();
  await page.locator('.graph-node-source:focus', { hasText: 'Mainframe' }).waitFor();
  await untilReads(() => page.locator('.graph-node-entitlement').count(), 20);
  await page.getByRole('button', { name: '95 more entitlements on Mainframe' }).click();
  await page.locator('.graph-node-entitlement').nth(114).waitFor();
  await page.locator('.graph-node-source:focus', { hasText: 'Mainframe' }).waitFor();
  await page.keyboard.press('Space');
  await fold.waitFor();
  await page.getByLabel('Filter the graph by name').fill('permission 344');
  await page.getByRole('status').getByText('1 of 345 entitlements').waitFor();
  await untilReads(
    () => page.locator('.graph-node .graph-name').allInnerTexts(),
    ['Granted directly', 'Permission 344', 'Warehouse'],
  );
  await page.getByLabel('Filter the graph by name').fill('no such access');
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await fold.waitFor();
});

test('shows the same access as tables, on a phone unless the graph is chosen', async () => {
  const page = await world.open(`/document/identities/${clerk.id}?tab=access`, {
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole('heading', { level: 2, name: 'Entitlements' }).waitFor();
  for (const { name } of clerk.access) await page.getByRole('link', { name }).first().waitFor();
  await page.getByRole('radio', { name: 'Graph' }).check();
  await page.waitForURL(/view=graph/);
  await graphNode(page, 'Payroll Preparation').waitFor();
});

test('draws what a role grants, and what grants an entitlement', async () => {
  const page = await world.open(`/document/roles/${role}?tab=graph`);
  await page.locator('.graph-node[aria-current]', { hasText: 'Payroll Clerk' }).waitFor();
  await graphNode(page, 'Payroll Run Read').click();
  await page.getByRole('heading', { level: 1, name: 'Payroll Run Read' }).waitFor();
  await page.locator('.tabs a', { hasText: 'Graph' }).click();
  await page.locator('.graph-node[aria-current]', { hasText: 'Payroll Run Read' }).waitFor();
  await graphNode(page, 'Payroll Clerk').waitFor();
});

test('reports that the graph could not be loaded, and loads it again', async () => {
  const page = await world.open('/search');
  await page.route('**/access-paths', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto(page.url().replace(/#.*/, `#/document/identities/${clerk.id}?tab=access`));
  const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await page.unroute('**/access-paths');
  await retry.click();
  await graphNode(page, 'Payroll Preparation').waitFor();
});

/** Somebody who is found, not one of those who were offered before. */
const match = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Matches' }).getByRole('button').filter({ hasText: name }).first();
const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('compares two people, from the page of one of them', async () => {
  const page = await world.open(`/document/identities/${clerk.id}`);
  await page.getByRole('button', { name: 'Compare with…' }).click();
  await page.getByLabel('Name or email of the person').fill(leaver.displayName);
  await match(page, leaver.displayName).click();
  await page.waitForURL(new RegExp(`/compare/${clerk.id}/${leaver.id}$`));
  const both = column(page, 'Both');
  await both.getByRole('link', { name: 'Payroll Clerk', exact: true }).waitFor();
  await both.getByText('through Payroll Clerk → Payroll Preparation').first().waitFor();
  const shared = leaver.access.filter(({ id }) => clerk.access.some((one) => one.id === id));
  await both.getByRole('heading', { name: `Both ${shared.length}` }).waitFor();
  const mine = column(page, `Only ${clerk.displayName}`);
  await mine
    .getByRole('heading', {
      name: `Only ${clerk.displayName} ${clerk.access.length - shared.length}`,
    })
    .waitFor();
  const attributes = column(page, 'Attributes').first();
  const inactive = attributes.getByRole('row', { name: /^Inactive \(differs\)/ });
  await untilReads(() => inactive.getByRole('cell').allInnerTexts(), ['No', 'Yes']);
  await both.getByRole('link', { name: 'Payroll Clerk', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Payroll Clerk' }).waitFor();
});

test('offers people with the same manager for a comparison', async () => {
  const page = await world.open(`/document/identities/${clerk.id}`);
  await page.getByRole('button', { name: 'Compare with…' }).click();
  await page.getByRole('heading', { name: 'With the same manager' }).waitFor();
  const manager = clerk.manager?.id ?? '';
  const colleagues = await find(
    `manager.id:${manager} AND NOT inactive:true AND NOT id:${clerk.id}`,
  );
  const offered = page.getByRole('list', { name: 'Matches' }).getByRole('button');
  await untilReads(() => offered.count(), Math.min(colleagues.length, 8));
  await offered.first().click();
  await page.waitForURL(/\/compare\//);
  const [, id = ''] = /compare\/[^/]+\/([^/?]+)/.exec(page.url()) ?? [];
  assert.ok(
    colleagues.some((colleague) => colleague.id === id),
    id,
  );
});

test('keeps only the differences, swaps the sides, and shares both in the address', async () => {
  const page = await world.open(`/compare/${clerk.id}/${leaver.id}`);
  const attributes = column(page, 'Attributes').first();
  await attributes.getByRole('row').first().waitFor();
  await untilAtRest(page);
  const all = await attributes.getByRole('row').count();
  await page.getByLabel('Differences only').check();
  await column(page, 'Both').getByText('Hidden: no difference').waitFor();
  await untilAtRest(page);
  assert.ok((await attributes.getByRole('row').count()) < all);
  const differing = attributes.getByRole('row', { name: /\(differs\)/ });
  assert.equal(await differing.count(), (await attributes.getByRole('row').count()) - 1);
  await page.getByRole('button', { name: 'Swap sides' }).click();
  await page.waitForURL(new RegExp(`/compare/${leaver.id}/${clerk.id}\\?show=differences$`));
  await page.reload();
  const heads = page.locator('.compare-column h3');
  await heads.first().waitFor();
  await heads.first().getByText(`Only ${leaver.displayName}`).waitFor();
  await untilReads(() => page.getByLabel('Differences only').isChecked(), true);
});

test('exports a comparison as CSV', async () => {
  const page = await world.open(`/compare/${clerk.id}/hostile`);
  await page.getByRole('button', { name: 'Export CSV' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  assert.match(lines[0] ?? '', /^\uFEFFsection,type,source,name,privileged,difference,/);
  assert.equal(lines.filter((line) => line.startsWith('access,')).length, clerk.access.length);
  assert.ok(
    lines.some((line) => line.includes(`"'=HYPERLINK(""x"")"`)),
    'the formula is a text',
  );
});

test('keeps one person when the other one is missing, and offers to choose another', async () => {
  const page = await world.open(`/compare/${clerk.id}/nobody`);
  const sides = page.locator('.compare-person');
  await sides.nth(0).getByRole('link', { name: clerk.displayName }).waitFor();
  await sides.nth(1).getByRole('alert').getByText('Not found').waitFor();
  await sides.nth(1).getByRole('button', { name: 'Choose another' }).click();
  await page.getByLabel('Name or email of the person').fill(leaver.displayName);
  await match(page, leaver.displayName).click();
  await page.waitForURL(new RegExp(`/compare/${clerk.id}/${leaver.id}$`));
  await column(page, 'Both').waitFor();
});

test('says on each side of a comparison that the person may not be read', async () => {
  const nobody = await addUser(world.service, { capabilities: [] });
  const page = await world.open(
    `/compare/${clerk.id}/${leaver.id}`,
    {},
    await tokenOf(world.service.url, nobody),
  );
  for (const side of [0, 1])
    await page
      .locator('.compare-person')
      .nth(side)
      .getByText('You do not have permission')
      .waitFor();
});

test('does not compare a person with the same person', async () => {
  const page = await world.open(`/compare/${clerk.id}/${clerk.id}`);
  await page.getByText('Both sides are the same person').waitFor();
});

test('finds in four steps who left and still reaches a source through a role', async () => {
  const page = await world.open('/search/identities');
  await page.locator('.tabs a', { hasText: 'Roles' }).click();
  await page.locator('.tabs a[aria-current]', { hasText: 'Roles' }).waitFor();
  await page.locator('.query-input').fill('Payroll Clerk');
  await page.keyboard.press('Enter');
  await page.locator('.rows-all .row a', { hasText: 'Payroll Clerk' }).click();
  const reach = page.getByRole('row', { name: /^Reach Payroll through it/ });
  await reach.getByRole('link', { name: /^[1-9]\d* inactive/ }).click();
  const expected = await find(
    'inactive:true AND @access(via.role:"Payroll Clerk" AND source.name:Payroll)',
  );
  const total = page.locator('.total strong');
  await total.getByText(String(expected.length), { exact: true }).waitFor();
  await untilReads(
    () => page.locator('.query-input').inputValue(),
    'inactive:true AND @access(via.role.exact:"Payroll Clerk" AND source.name.exact:Payroll)',
  );
  await page.locator('.rows-all .row a', { hasText: leaver.displayName }).first().waitFor();
});

test('counts in which ways an entitlement is held, and each count opens its search', async () => {
  const page = await world.open(`/document/entitlements/${entitlement}`);
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}\\s`) });
  const counts: number[] = [];
  for (const name of [
    'Hold this entitlement',
    'Hold it through a role',
    'Hold it through an access profile without a role',
    'Hold it directly',
  ]) {
    const link = row(name).getByRole('link').first();
    await link.getByText(/^[\d,]+$/).waitFor();
    counts.push(Number((await link.innerText()).replaceAll(',', '')));
  }
  const [all = 0, ...ways] = counts;
  assert.ok(all > 0);
  assert.equal(
    ways.reduce((sum, count) => sum + count, 0),
    all,
  );
  await row('Hold it through a role').getByRole('link').first().click();
  await page.locator('.total strong').getByText(String(ways[0]), { exact: true }).waitFor();
});

test('leads accounts with their states, the open ones with remarks first', async () => {
  const person = await first(
    '@accounts(privileged:true AND disabled:false) AND @accounts(disabled:true)',
  );
  const page = await world.open(`/document/identities/${person.id}?tab=accounts`);
  const states = page.locator('.document-body tbody tr td:nth-child(2)');
  await states.first().waitFor();
  await untilAtRest(page);
  const texts = await states.allInnerTexts();
  assert.match(texts[0] ?? '', /Privileged|Dormant/);
  assert.match(texts.at(-1) ?? '', /Disabled/);
  await page.locator('.document-body > .chips', { hasText: /\d+ open/ }).waitFor();
});

const PAGES = {
  'an access graph': () => `/document/identities/${clerk.id}?tab=access&view=graph`,
  'access as tables': () => `/document/identities/${clerk.id}?tab=access&view=table`,
  'a folded graph': () => '/document/identities/large?tab=access&view=graph',
  'a role': () => `/document/roles/${role}`,
  'the graph of a role': () => `/document/roles/${role}?tab=graph`,
  accounts: () => `/document/identities/${clerk.id}?tab=accounts`,
  'a comparison': () => `/compare/${clerk.id}/${leaver.id}`,
  'a comparison with a missing person': () => `/compare/${clerk.id}/nobody`,
};

testPages(() => world, PAGES);
